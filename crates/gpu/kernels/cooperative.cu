// Conjugate gradients by a cooperative grid, whose blocks keep all vectors but one to themselves.
//
// An iteration of gradients.cu moves every vector through memory, and its launches take as long as the work. Here each
// thread keeps its part of the vectors, and blocks wait for each other once an iteration. The pipelined recurrences of
// [Ghysels2014, alg. 4] make this possible, with u = M r, s = S p, w = S u, m = M w and z = S M s, where M is the
// identity or the inverse diagonal. Other threads read only m. Rounding errors grow faster in these recurrences, so
// that each launch begins with vectors computed from x and p.

// The vectors that a thread keeps in the memory of its block.
#define OWN_DIRECTION 0
#define OWN_IMAGE 1  // s
#define OWN_SECOND 2 // z

// S of a vector on four free rows in place of a sum, and A_ii.
__device__ inline Rows<double> image_of(const Args &a, const System<double> &s, const double *of, int kind, int colour,
                                        int at, bool is_second) {
    int own = colour * a.level.size + at;
    Rows<double> rows = rows_of(a.level, s, of, kind, colour, at, is_second);
    Four<double> x = load4(of + own);
    unsigned flags = flags_of(a.level, kind, own);
    for (int k = 0; k < 4; k++)
        rows.sum.v[k] = is_free(kind, flags, k) ? rows.diagonal.v[k] * x.v[k] - rows.sum.v[k] : 0.0;
    return rows;
}

// r, u, s and M s from x and p.
KERNEL(renew_rows) {
    const DeviceLevel &level = a.level;
    System<double> s = fine_system(a);
    FOR_KINDS(level, group, kind) {
#pragma unroll 1
        FOR_COLOURS(level, group, colour, own) {
            bool is_second = holds_second(group, colour);
            double unused[2] = {0.0, 0.0};
            Rows<double> residual = residual_of(a, s, kind, group, colour);
            store_residual(a, own, residual.sum, residual.diagonal, unused);
            Rows<double> image = image_of(a, s, a.vectors[Vector::Direction], kind, colour, group.at, is_second);
            store4(a.vectors[Vector::Image] + own, image.sum);
            store4(a.vectors[Vector::PreconditionedImage] + own, precondition(a, image.sum, image.diagonal));
        }
    }
}

// m and z from u and M s, and the first sums.
BARRIER_KERNEL(renew_images) {
    const DeviceLevel &level = a.level;
    System<double> s = fine_system(a);
    const double *residual = a.vectors[Vector::Residual], *preconditioned = a.vectors[Vector::Preconditioned];
    const double *image = a.vectors[Vector::PreconditionedImage];
    double v[3] = {0.0, 0.0, 0.0};
    FOR_KINDS(level, group, kind) {
#pragma unroll 1
        FOR_COLOURS(level, group, colour, own) {
            bool is_second = holds_second(group, colour);
            Rows<double> w = image_of(a, s, preconditioned, kind, colour, group.at, is_second);
            Rows<double> z = image_of(a, s, image, kind, colour, group.at, is_second);
            Four<double> r = load4(residual + own), u = load4(preconditioned + own);
            for (int k = 0; k < 4; k++) {
                v[0] += r.v[k] * u.v[k];
                v[1] += w.sum.v[k] * u.v[k];
                v[2] = larger(v[2], fabs(r.v[k]));
            }
            store4(a.vectors[Vector::Exchanged] + own, precondition(a, w.sum, w.diagonal));
            store4(a.vectors[Vector::SecondImage] + own, z.sum);
        }
    }
    if (!reduce_both<2, 1>(a, v)) return;
    a.scalars->rho = v[0], a.scalars->stretch = v[1], a.scalars->norm = v[2];
}

// The last of the numbers that a grid reduces is a maximum, the others are sums.
__device__ inline double combine_number(int number, double x, double y) {
    return combine<GRID_NUMBERS - 1>(number, x, y);
}

__device__ inline double combine_warp(int number, double x) {
    for (int mask = WARP / 2; mask; mask /= 2) x = combine_number(number, x, __shfl_xor_sync(~0u, x, mask));
    return x;
}

// Combines a number of all blocks once it is there. Each lane of a warp waits for its share of the blocks.
__device__ inline double collect(const u64 *slots, int number) {
    const int EACH = 5; // slots read at a time, since the latency of memory is what takes time
    double x = 0.0;
    for (unsigned first = threadIdx.x % WARP; first < gridDim.x; first += WARP * EACH) {
        u64 found[EACH];
        bool is_vacant;
        do {
            is_vacant = false;
#pragma unroll
            for (int i = 0; i < EACH; i++)
                found[i] = first + WARP * i < gridDim.x ? grid_load(slots + first + WARP * i) : 0;
#pragma unroll
            for (int i = 0; i < EACH; i++) is_vacant |= found[i] == VACANT;
        } while (is_vacant);
#pragma unroll
        for (int i = 0; i < EACH; i++) x = combine_number(number, x, __longlong_as_double(found[i]));
    }
    return x;
}

// Combines two sums and a maximum over all threads of all blocks, in a fixed order. One warp of each block handles each
// of them. All threads wait here and get the result. What they wrote before can be read afterwards. Blocks wait for the
// numbers themselves, in slots that are vacant until then. There are three sets of slots: one is read, the next may
// already be written, and the last is made vacant.
__device__ inline void reduce_grid(const Args &a, unsigned &waits, double *v) {
    __shared__ double of_warps[GRID_NUMBERS][WARP], result[GRID_NUMBERS];
    u64 *slots = a.grid_slots + waits % GRID_SETS * SET_SIZE;
    u64 *last = a.grid_slots + (waits + GRID_SETS - 1) % GRID_SETS * SET_SIZE;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    waits++;
    for (int n = 0; n < GRID_NUMBERS; n++) {
        double x = combine_warp(n, v[n]);
        if (lane == 0) of_warps[n][warp] = x;
    }
    __syncthreads();
    if (warp < GRID_NUMBERS || EVERY_WARP) {
        int number = warp < GRID_NUMBERS ? warp : 0;
        double x = combine_warp(number, lane < GRID_THREADS / WARP ? of_warps[number][lane] : 0.0);
        if (lane == 0 && warp < GRID_NUMBERS) {
            grid_fence();
            grid_store(slots + number * gridDim.x + blockIdx.x, __double_as_longlong(x));
        }
        x = collect(slots + number * gridDim.x, number);
        grid_fence();
        x = combine_warp(number, x);
        if (lane == 0 && warp < GRID_NUMBERS) {
            result[number] = x;
            grid_store(last + number * gridDim.x + blockIdx.x, VACANT);
        }
    }
    __syncthreads();
    for (int n = 0; n < GRID_NUMBERS; n++) v[n] = result[n];
}

// Where a thread keeps four numbers of a vector. Threads of a warp lie side by side.
__device__ inline double2 *own_place(char *room, int pass, int colour, int vector) {
    return (double2 *)room + 2 * ((pass * 2 + colour) * OWN_VECTORS + vector) * GRID_THREADS + threadIdx.x;
}

__device__ inline Four<double> load_own(char *room, int pass, int colour, int vector) {
    double2 *p = own_place(room, pass, colour, vector), v = p[0], w = p[GRID_THREADS];
    return {v.x, v.y, w.x, w.y};
}

__device__ inline void store_own(char *room, int pass, int colour, int vector, const Four<double> &x) {
    double2 *p = own_place(room, pass, colour, vector), v = {x.v[0], x.v[1]}, w = {x.v[2], x.v[3]};
    p[0] = v, p[GRID_THREADS] = w;
}

// A group that this thread keeps.
struct OwnGroup {
    int at, kind;
    bool is_odd;
};

// Blocks take tiles in turn, so that all have about the same number.
__device__ inline OwnGroup own_group(const Args &a, int pass) {
    const int tiles_of_block = GRID_THREADS / THREADS;
    int index = (pass * tiles_of_block + (int)threadIdx.x / THREADS) * gridDim.x + blockIdx.x;
    Group found;
    OwnGroup group = {0, EMPTY, false};
    bool is_there = index < a.busy_tiles[0];
    if (!is_there || !locate_in(a.level, a.busy_tiles[1 + index], threadIdx.x % THREADS, found)) return group;
    group.at = found.at, group.kind = a.level.kinds[found.at >> 2], group.is_odd = found.is_odd;
    if (group.kind > PLAIN) group.kind = MIXED; // threads of a warp on different code paths wait for each other
    return group;
}

// The groups of this thread. The loop is unrolled, since registers have no index at run time.
#define FOR_OWN_GROUPS(pass, group)                                                                            \
    _Pragma("unroll") for (int pass = 0; pass < PASSES; pass++)                                                \
        if (const OwnGroup group = own_groups[pass]; group.kind != EMPTY)

// One iteration on a group. Adds its part of r^T u, w^T u and the largest |r| to v.
__device__ inline void advance_group(const Args &a, const System<double> &s, char *room, const OwnGroup &group,
                                     int pass, double alpha, double beta, const double *from, double *to,
                                     Four<double> *x, Four<double> *r, double *v) {
#pragma unroll
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * a.level.size + group.at;
        Rows<double> of_m = image_of(a, s, from, group.kind, colour, group.at, colour != group.is_odd);
        Four<double> w = load4(from + own), u = precondition(a, r[colour], of_m.diagonal);
        if (a.precondition == Precondition::Diagonal)
            for (int k = 0; k < 4; k++) w.v[k] *= of_m.diagonal.v[k];
        Four<double> z = load_own(room, pass, colour, OWN_SECOND);
        Four<double> image = load_own(room, pass, colour, OWN_IMAGE);
        Four<double> direction = load_own(room, pass, colour, OWN_DIRECTION);
        for (int k = 0; k < 4; k++) {
            z.v[k] = of_m.sum.v[k] + beta * z.v[k];
            image.v[k] = w.v[k] + beta * image.v[k];
            direction.v[k] = u.v[k] + beta * direction.v[k];
            x[colour].v[k] += alpha * direction.v[k];
            r[colour].v[k] -= alpha * image.v[k];
            w.v[k] -= alpha * z.v[k];
        }
        store_own(room, pass, colour, OWN_SECOND, z);
        store_own(room, pass, colour, OWN_IMAGE, image);
        store_own(room, pass, colour, OWN_DIRECTION, direction);
        store4(to + own, precondition(a, w, of_m.diagonal));
        u = precondition(a, r[colour], of_m.diagonal);
        for (int k = 0; k < 4; k++) {
            v[0] += r[colour].v[k] * u.v[k];
            v[1] += w.v[k] * u.v[k];
            v[2] = larger(v[2], fabs(r[colour].v[k]));
        }
    }
}

// Up to a.batch iterations by threads with PASSES groups each. a.scalars says when to stop.
template <int PASSES> __device__ inline void iterate(const Args &a, char *room) {
    System<double> s = fine_system(a);
    Scalars &scalars = *a.scalars;
    double rho = scalars.rho, rho_before = scalars.rho_before, stretch = scalars.stretch, alpha = scalars.alpha;
    double norm = scalars.norm, target = scalars.target;
    int iterations = scalars.iterations, limit = scalars.iteration_limit, progress = Progress::Running;
    unsigned waits = (unsigned)scalars.waits;
    OwnGroup own_groups[PASSES];
    for (int pass = 0; pass < PASSES; pass++) own_groups[pass] = own_group(a, pass);
    Four<double> x[PASSES][2], r[PASSES][2]; // in registers; the other vectors fill the block's memory
    FOR_OWN_GROUPS(pass, group) {
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * a.level.size + group.at;
            x[pass][colour] = load4(a.vectors[Vector::Answer] + own);
            r[pass][colour] = load4(a.vectors[Vector::Residual] + own);
            store_own(room, pass, colour, OWN_DIRECTION, load4(a.vectors[Vector::Direction] + own));
            store_own(room, pass, colour, OWN_IMAGE, load4(a.vectors[Vector::Image] + own));
            store_own(room, pass, colour, OWN_SECOND, load4(a.vectors[Vector::SecondImage] + own));
        }
    }
    for (int turn = 0; turn < a.batch && progress == Progress::Running; turn++) {
        double beta = iterations > 0 ? rho / rho_before : 0.0;
        double curvature = iterations > 0 ? stretch - beta * rho / alpha : stretch;
        if (!(curvature > 0.0)) beta = 0.0, curvature = stretch; // rounding has spoiled the direction: restart
        if (!(rho > 0.0 && curvature > 0.0)) {
            progress = Progress::Broken;
            break;
        }
        alpha = rho / curvature, rho_before = rho;
        const double *from = a.vectors[Vector::Exchanged + turn % 2];
        double *to = a.vectors[Vector::Exchanged + (turn + 1) % 2], v[GRID_NUMBERS] = {0.0, 0.0, 0.0};
        FOR_OWN_GROUPS(pass, group) advance_group(a, s, room, group, pass, alpha, beta, from, to, x[pass], r[pass], v);
        reduce_grid(a, waits, v);
        rho = v[0], stretch = v[1], norm = v[2];
        if (threadIdx.x == 0 && blockIdx.x == 0) a.vectors[Vector::Norms][iterations % NORM_LOG] = norm;
        iterations++;
        if (!(norm > target) || iterations >= limit) progress = Progress::Done;
    }
    FOR_OWN_GROUPS(pass, group) {
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * a.level.size + group.at;
            store4(a.vectors[Vector::Answer] + own, x[pass][colour]);
            store4(a.vectors[Vector::Direction] + own, load_own(room, pass, colour, OWN_DIRECTION));
        }
    }
    if (threadIdx.x || blockIdx.x) return;
    scalars.rho_before = rho_before, scalars.alpha = alpha, scalars.norm = norm;
    scalars.iterations = iterations, scalars.progress = progress;
    scalars.waits = waits;
}

COOPERATIVE_KERNEL(iterate_rows) {
    SHARED_MEMORY(room);
    iterate<1>(a, room);
}

// The same for problems twice as large, with fewer registers to spare.
COOPERATIVE_KERNEL(iterate_more_rows) {
    SHARED_MEMORY(room);
    iterate<2>(a, room);
}
