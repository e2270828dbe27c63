// All small levels in one launch, by a few blocks that wait for each other.

// Sums over all threads of these blocks; every thread gets them.
template <int N> __device__ inline void small_sums(const Args &a, double *v) {
    __shared__ double shared[N][SMALL_THREADS];
    reduce_block<N, 0, SMALL_THREADS>(shared, v);
    if (gridDim.x == 1) return;
    if (threadIdx.x == 0)
        for (int n = 0; n < N; n++) a.partials[n * gridDim.x + blockIdx.x] = v[n];
    small_barrier();
    for (int n = 0; n < N; n++) {
        v[n] = 0.0;
        for (int block = 0; block < gridDim.x; block++) v[n] += *(volatile double *)(a.partials + n * gridDim.x + block);
    }
    small_barrier();
}

__device__ inline void solve_coarsest(const Args &a, const DeviceRows &level, Team team) {
    if (level.count <= DENSE_ROWS) {
        FOR_TEAM_ROWS(team, level, row) {
            double sum = 0.0;
            const double *dense = a.aggregates.dense + (size_t)row * level.count;
            for (int column = 0; column < level.count; column++) sum += dense[column] * level.b[column];
            level.x[row] = (float)sum;
        }
        return;
    }
    smooth_down(level, team);
    for (int number = 0; number < SMOOTHINGS_INSTEAD; number++) {
        small_barrier();
        resume_smoothing(level, team);
        small_barrier();
        smooth_up(level, team);
    }
}

// x on the first of the levels: a cycle there, K-cycles on all below. If that level is itself a coarse one, it takes
// its steps too.
SMALL_KERNEL(rows_small) {
    if (is_skipped(a)) return;
    const DeviceAggregates &s = a.aggregates;
    __shared__ DeviceRows levels[MOST_LEVELS]; // near, since each step begins with the addresses of a level
    if (threadIdx.x <= a.last_level - a.first_level) levels[threadIdx.x] = s.levels[a.first_level + threadIdx.x];
    __syncthreads();
    const DeviceRows *level_of = levels - a.first_level;
    Team team = all_blocks();
    unsigned second = 0; // the levels that are in their second step
    int number = a.first_level;
    for (;;) {
        for (; number < a.last_level; number++) {
            const DeviceRows &level = level_of[number];
            smooth_down(level, team);
            small_barrier();
            leave_residual(level, team);
            small_barrier();
            gather_residual(level, level_of[number + 1], team);
            small_barrier();
        }
        solve_coarsest(a, level_of[number], team);
        small_barrier();
        for (;; number--) {
            const DeviceRows &level = level_of[number];
            KrylovSteps steps = {0.0, 1.0, 0.0, 0.0, 0, 0};
            if (number > 0 && number < a.last_level) {
                bool is_second = second >> number & 1;
                second ^= is_second ? 1u << number : 0;
                double v[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
                if (is_second) {
                    measure_second(level, team, v);
                    small_sums<3>(a, v);
                    steps = second_step(s.steps[number], v);
                } else {
                    measure_first(level, team, v);
                    small_sums<5>(a, v);
                    steps = first_step(number, v);
                }
                small_barrier(); // all have read the steps of before
                if (!is_second && steps.is_second) {
                    begin_second(level, steps.step, team);
                    if (team.rank == 0) s.steps[number] = steps;
                    second |= 1u << number;
                    small_barrier();
                    break;
                }
            }
            if (team.rank == 0) s.steps[number] = steps;
            small_barrier();
            if (number == a.first_level) return;
            const DeviceRows &finer = level_of[number - 1];
            prolong_rows(a, finer, level, team);
            small_barrier();
            resume_smoothing(finer, team);
            small_barrier();
            smooth_up(finer, team);
            small_barrier();
        }
    }
}
