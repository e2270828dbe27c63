// Bounds on the unknowns of a level: the natural residual, projected sweeps, policies, and a start from the coarse
// levels.

// Lifts rows to their bounds.
KERNEL(rows_lift) {
    FOR_OWN_ROWS(a.aggregates.level, row) a.q[row] = larger(a.q[row], a.lower[row]);
}

// r <- A q + b in double precision, and the natural residual.
BARRIER_KERNEL(rows_natural) {
    const DeviceAggregates &s = a.aggregates;
    double most = 0.0;
    FOR_OWN_ROWS(s.level, row) {
        double q = a.q[row];
        double r = s.diagonal[row] * q + a.b[row] + sum_beside<double, double>(s.level, row, s.values, a.q, 0.0);
        s.natural[row] = r;
        double lower = a.lower[row];
        most = larger(most, fabs(lower == -INFINITY ? r : smaller(q - lower, r)));
    }
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->residual = norm;
}

// The problem of a correction, from zero, in units of the residual.
KERNEL(rows_pose) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.level, row) {
        s.level.load[row] = (float)(-a.load_scale * s.natural[row]);
        s.level.floor[row] = (float)((a.lower[row] - a.q[row]) / a.correction_scale);
        s.level.correction[row] = 0.0f;
    }
}

// A sweep in which no row sinks below its floor. Pinned rows move like all others.
KERNEL(rows_relax) {
    const DeviceAggregates &s = a.aggregates;
    const DeviceRows &level = s.level;
    FOR_OWN_ROWS(level, row) {
        float x = s.relaxed[row];
        float left = level.load[row] - level.diagonal[row] * x - sum_beside(level, row, s.relaxed);
        x += FIRST_STEP * level.weight[row] * left;
        s.relaxing[row] = s.has_floor ? larger(x, level.floor[row]) : x;
    }
}

// How far a row is from being held by its floor: A_ii (x - floor) - r. Infinite where there is no floor.
__device__ inline float slack_of_row(const DeviceRows &level, int row) {
    if (level.floor[row] == -INFINITY) return INFINITY;
    return level.load[row] - sum_beside(level, row, level.correction) - level.diagonal[row] * level.floor[row];
}

// Pins the rows that their floor holds and frees all others; counts those that have changed.
BARRIER_KERNEL(rows_choose) {
    const DeviceRows &level = a.aggregates.level;
    double changes = 0.0;
    FOR_OWN_ROWS(level, row) {
        bool was_pinned = level.inverse[row] == 0.0f, is_pinned = slack_of_row(level, row) <= 0.0f;
        if (level.weight[row] == 0.0f) continue;
        if (was_pinned != is_pinned) level.inverse[row] = is_pinned ? 0.0f : level.weight[row], changes += 1.0;
    }
    if (reduce<1, false>(a, &changes)) a.scalars->changes = (int)changes;
}

// Pinned rows move to their floor.
KERNEL(rows_settle) {
    const DeviceRows &level = a.aggregates.level;
    FOR_OWN_ROWS(level, row) if (level.inverse[row] == 0.0f) level.correction[row] = level.floor[row];
}

KERNEL(rows_release) {
    const DeviceRows &level = a.aggregates.level;
    FOR_OWN_ROWS(level, row) {
        level.inverse[row] = level.weight[row];
        if (level.correction) level.correction[row] = larger(level.correction[row], level.floor[row]);
    }
}

// Components that would be singular without a pinned row, as in pin.cu: rows are listed as (row, component).
KERNEL(rows_find_candidates) {
    const DeviceRows &level = a.aggregates.level;
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= a.rows) return;
    unsigned row = a.loose_rows[2 * item], component = a.loose_rows[2 * item + 1];
    if (level.inverse[row] == 0.0f) {
        atomicAdd(&a.candidates[2 * component], 1ull);
        return;
    }
    // The row with the least slack has the largest key.
    if (level.floor[row] > -INFINITY)
        atomicMax(&a.candidates[2 * component + 1], key_of(-slack_of_row(level, row), row));
}

KERNEL(rows_pin_candidates) {
    int component = blockIdx.x * blockDim.x + threadIdx.x;
    if (component >= a.components || a.candidates[2 * component] || !a.candidates[2 * component + 1]) return;
    a.aggregates.level.inverse[(unsigned)a.candidates[2 * component + 1]] = 0.0f;
}

// q <- q + the correction, and at its bound exactly on pinned rows.
KERNEL(rows_accept_start) {
    const DeviceRows &level = a.aggregates.level;
    FOR_OWN_ROWS(level, row) {
        double q = a.q[row] + a.correction_scale * level.correction[row];
        a.q[row] = larger(q, a.lower[row]);
    }
}

// The problem on the next coarser level, from zero. An aggregate may not sink below the highest floor of its rows.
KERNEL(rows_restrict_problem) {
    const DeviceRows &level = a.aggregates.level, &coarse = a.aggregates.coarse;
    FOR_OWN_ROWS(coarse, aggregate) {
        float load = 0.0f, floor = -INFINITY;
        FOR_MEMBERS(coarse, aggregate, row) load += level.load[row], floor = larger(floor, level.floor[row]);
        coarse.load[aggregate] = load, coarse.floor[aggregate] = floor;
        coarse.correction[aggregate] = 0.0f;
    }
}

// b <- load - A x, zero on pinned rows: what a cycle is to solve.
KERNEL(rows_load) {
    const DeviceRows &level = a.aggregates.level;
    FOR_OWN_ROWS(level, row) {
        float x = level.correction[row];
        float left = level.load[row] - level.diagonal[row] * x - sum_beside(level, row, level.correction);
        take_load(level, row, level.inverse[row] > 0.0f ? left : 0.0f);
    }
}

// Adds what the cycles of a coarse level found.
KERNEL(rows_correct) {
    const DeviceRows &level = a.aggregates.level;
    const KrylovSteps &steps = a.aggregates.steps[level.number];
    FOR_OWN_ROWS(level, row) {
        if (level.inverse[row] == 0.0f) continue;
        float found = (float)steps.second * level.x[row];
        if (steps.first != 0.0) found += (float)steps.first * level.direction[row];
        level.correction[row] += found;
    }
}

KERNEL(rows_prolong_answer) {
    const DeviceRows &level = a.aggregates.level, &coarse = a.aggregates.coarse;
    FOR_OWN_ROWS(level, row) {
        unsigned parent = level.parents[row];
        level.correction[row] = parent == NONE ? 0.0f : coarse.correction[parent];
    }
}

// The scale of least energy. What is constant on aggregates is too stiff, and therefore too small.
BARRIER_KERNEL(rows_measure_energy) {
    const DeviceRows &level = a.aggregates.level;
    double v[2] = {0.0, 0.0};
    FOR_OWN_ROWS(level, row) {
        float x = level.correction[row];
        v[0] += x * (level.diagonal[row] * x + sum_beside(level, row, level.correction));
        v[1] += x * level.load[row];
    }
    if (reduce<2, false>(a, v)) a.scalars->alpha = v[0] > 0.0 && v[1] > 0.0 ? v[1] / v[0] : 1.0;
}

KERNEL(rows_scale) {
    const DeviceRows &level = a.aggregates.level;
    FOR_OWN_ROWS(level, row)
        level.correction[row] = larger((float)a.scalars->alpha * level.correction[row], level.floor[row]);
}
