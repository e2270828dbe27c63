// One K-cycle [Notay2008]. Levels are smoothed by Chebyshev's polynomials of the fourth kind [Lottes2023] of degree two:
// unlike Gauss-Seidel, they treat all rows at the same time. The first coarse levels take at most two steps of flexible
// conjugate gradients, all others one: there a step takes longer to begin than to do.

// With eigenvalues up to two: z1 = 2/3 D^-1 r, z2 = 1/5 z1 + 6/5 D^-1 (r - A z1).
#define FIRST_STEP (2.0f / 3.0f)
#define LAST_STEP 0.2f
#define NEXT_STEP 1.2f

// r <- b - A z and x <- z + z2, where z is the first step from zero.
__device__ inline void smooth_down(const DeviceRows &level, Team team) {
    FOR_TEAM_ROWS(team, level, row) {
        float z = level.step[row], r = level.b[row] - level.diagonal[row] * z - sum_beside(level, row, level.step);
        float next = LAST_STEP * z + NEXT_STEP * level.inverse[row] * r;
        level.residual[row] = r;
        level.other_step[row] = next;
        level.x[row] = z + next;
    }
}

// r <- r - A z2, what is left for the coarse level.
__device__ inline void leave_residual(const DeviceRows &level, Team team) {
    FOR_TEAM_ROWS(team, level, row) {
        float z = level.other_step[row];
        level.residual[row] -= level.diagonal[row] * z + sum_beside(level, row, level.other_step);
    }
}

// The first step of smoothing from zero.
__device__ inline void take_load(const DeviceRows &level, int row, float b) {
    level.b[row] = b;
    level.step[row] = FIRST_STEP * level.inverse[row] * b;
}

// b <- P^T r on the coarse level.
__device__ inline void gather_residual(const DeviceRows &level, const DeviceRows &coarse, Team team) {
    FOR_TEAM_ROWS(team, coarse, aggregate) {
        float sum = 0.0f;
        FOR_MEMBERS(coarse, aggregate, row) if (level.inverse[row] > 0.0f) sum += level.residual[row];
        take_load(coarse, aggregate, sum);
    }
}

// x <- x + P of what the coarse level found: a sum of its directions.
__device__ inline void prolong_rows(const Args &a, const DeviceRows &level, const DeviceRows &coarse, Team team) {
    const KrylovSteps &steps = a.aggregates.steps[coarse.number];
    float first = (float)steps.first, second = (float)steps.second;
    FOR_TEAM_ROWS(team, level, row) {
        unsigned parent = level.parents[row];
        if (parent == NONE || level.inverse[row] == 0.0f) continue;
        float found = second * coarse.x[parent];
        if (first != 0.0f) found += first * coarse.direction[parent];
        level.x[row] += found;
    }
}

// r <- b - A x and the first step from there.
__device__ inline void resume_smoothing(const DeviceRows &level, Team team) {
    FOR_TEAM_ROWS(team, level, row) {
        float r = level.b[row] - level.diagonal[row] * level.x[row] - sum_beside(level, row, level.x);
        level.residual[row] = r;
        level.step[row] = FIRST_STEP * level.inverse[row] * r;
    }
}

// x <- x + both steps.
__device__ inline void smooth_up(const DeviceRows &level, Team team) {
    FOR_TEAM_ROWS(team, level, row) {
        float z = level.step[row];
        float r = level.residual[row] - level.diagonal[row] * z - sum_beside(level, row, level.step);
        level.x[row] += z + LAST_STEP * z + NEXT_STEP * level.inverse[row] * r;
    }
}

#define LAUNCHED(kernel, work)                                                                                 \
    KERNEL(kernel) {                                                                                           \
        if (!is_skipped(a)) work;                                                                              \
    }
LAUNCHED(rows_smooth_down, smooth_down(a.aggregates.level, all_blocks()))
LAUNCHED(rows_leave_residual, leave_residual(a.aggregates.level, all_blocks()))
LAUNCHED(rows_gather_residual, gather_residual(a.aggregates.level, a.aggregates.coarse, all_blocks()))
LAUNCHED(rows_prolong, prolong_rows(a, a.aggregates.level, a.aggregates.coarse, all_blocks()))
LAUNCHED(rows_resume, resume_smoothing(a.aggregates.level, all_blocks()))
LAUNCHED(rows_smooth_up, smooth_up(a.aggregates.level, all_blocks()))

// Numbers of the first step: x^T A x, x^T b, |b|^2, b^T A x, |A x|^2. Stores A x.
__device__ inline void measure_first(const DeviceRows &level, Team team, double *v) {
    FOR_TEAM_ROWS(team, level, row) {
        float x = level.x[row], b = level.b[row];
        float product = level.inverse[row] > 0.0f ? level.diagonal[row] * x + sum_beside(level, row, level.x) : 0.0f;
        level.product[row] = product;
        v[0] += x * product, v[1] += x * b, v[2] += b * b;
        v[3] += (double)b * product, v[4] += (double)product * product;
    }
}

// The first step on a level, and whether a second one is worth it.
__device__ inline KrylovSteps first_step(int number, const double *v) {
    KrylovSteps steps = {0.0, 1.0, 0.0, 0.0, 0, 0};
    if (!(v[0] > 0.0 && v[1] > 0.0)) return steps;
    double step = v[1] / v[0];
    steps.second = steps.step = step;
    steps.curvature = v[0];
    steps.is_second = number <= KRYLOV_LEVELS && v[2] - 2.0 * step * v[3] + step * step * v[4] > ENOUGH * ENOUGH * v[2];
    return steps;
}

// The direction is kept, and what it leaves of b is the next right-hand side.
__device__ inline void begin_second(const DeviceRows &level, double step, Team team) {
    FOR_TEAM_ROWS(team, level, row) {
        level.direction[row] = level.x[row];
        take_load(level, row, level.b[row] - (float)step * level.product[row]);
    }
}

// Numbers of the second step: x^T A x, x^T A d and x^T b, where d is the first direction.
__device__ inline void measure_second(const DeviceRows &level, Team team, double *v) {
    FOR_TEAM_ROWS(team, level, row) {
        float x = level.x[row];
        if (level.inverse[row] == 0.0f) continue;
        v[0] += x * (level.diagonal[row] * x + sum_beside(level, row, level.x));
        v[1] += x * level.product[row], v[2] += x * level.b[row];
    }
}

__device__ inline KrylovSteps second_step(KrylovSteps steps, const double *v) {
    double rest = v[0] - v[1] * v[1] / steps.curvature;
    steps.second = rest > 0.0 ? v[2] / rest : 0.0;
    steps.first = steps.step - v[1] * steps.second / steps.curvature;
    return steps;
}

BARRIER_KERNEL(rows_measure_first) {
    if (is_skipped(a)) return;
    const DeviceRows &level = a.aggregates.level;
    double v[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    measure_first(level, all_blocks(), v);
    if (reduce<5, false>(a, v)) a.aggregates.steps[level.number] = first_step(level.number, v);
}

LAUNCHED(rows_begin_second,
         begin_second(a.aggregates.level, a.aggregates.steps[a.aggregates.level.number].step, all_blocks()))

BARRIER_KERNEL(rows_measure_second) {
    if (is_skipped(a)) return;
    const DeviceRows &level = a.aggregates.level;
    double v[3] = {0.0, 0.0, 0.0};
    measure_second(level, all_blocks(), v);
    KrylovSteps &steps = a.aggregates.steps[level.number];
    if (reduce<3, false>(a, v)) steps = second_step(steps, v);
}
