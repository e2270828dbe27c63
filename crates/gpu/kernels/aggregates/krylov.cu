// Flexible conjugate gradients in double precision around the cycle, for the free rows. They multiply by differences,
// x_j - x_i, so that weak couplings between stiff parts survive single precision.

// A x of a free row.
__device__ inline double product_by_differences(const Args &a, int row, const double *x) {
    const DeviceRows &level = a.aggregates.level;
    double own = x[row];
    return a.unit * (level.excess[row] * own + sum_beside<float, double>(level, row, level.off, x, own));
}

// x <- the correction so far.
KERNEL(rows_begin_answer) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.level, row) s.answer[row] = a.correction_scale * s.level.correction[row];
}

// r <- what is left of the residual on free rows; p <- 0.
BARRIER_KERNEL(rows_begin_gradients) {
    const DeviceAggregates &s = a.aggregates;
    double most = 0.0;
    FOR_OWN_ROWS(s.level, row) {
        bool is_free = s.level.inverse[row] > 0.0f;
        double r = is_free ? -s.natural[row] - product_by_differences(a, row, s.answer) : 0.0;
        s.left[row] = r;
        s.direction[row] = s.image[row] = 0.0;
        take_load(s.level, row, (float)(a.load_scale * r));
        most = larger(most, fabs(r));
    }
    double norm;
    if (!reduce_max(a, most, norm)) return;
    Scalars &scalars = *a.scalars;
    scalars.norm = scalars.free_norm = norm;
    scalars.stretch = 1.0; // the curvature of the last direction, of which there is none
    scalars.iterations = 0, scalars.progress = Progress::Running;
}

// The part of the last direction that makes the next one conjugate to it.
BARRIER_KERNEL(rows_turn) {
    const DeviceAggregates &s = a.aggregates;
    double mixed = 0.0;
    FOR_OWN_ROWS(s.level, row) mixed += a.correction_scale * s.level.x[row] * s.image[row];
    if (reduce<1, false>(a, &mixed)) a.scalars->beta = -mixed / a.scalars->stretch;
}

KERNEL(rows_direct) {
    const DeviceAggregates &s = a.aggregates;
    double beta = a.scalars->beta;
    FOR_OWN_ROWS(s.level, row) s.direction[row] = a.correction_scale * s.level.x[row] + beta * s.direction[row];
}

// The image of the direction, and the step along it.
BARRIER_KERNEL(rows_multiply) {
    const DeviceAggregates &s = a.aggregates;
    double v[2] = {0.0, 0.0};
    FOR_OWN_ROWS(s.level, row) {
        double image = s.level.inverse[row] > 0.0f ? product_by_differences(a, row, s.direction) : 0.0;
        s.image[row] = image;
        v[0] += image * s.direction[row], v[1] += s.left[row] * s.direction[row];
    }
    if (!reduce<2, false>(a, v)) return;
    Scalars &scalars = *a.scalars;
    bool is_sound = v[0] > 0.0 && v[1] > 0.0;
    scalars.progress = is_sound ? Progress::Running : Progress::Broken;
    scalars.alpha = is_sound ? v[1] / v[0] : 0.0;
    scalars.stretch = is_sound ? v[0] : 1.0;
}

BARRIER_KERNEL(rows_step) {
    const DeviceAggregates &s = a.aggregates;
    double alpha = a.scalars->alpha, most = 0.0;
    FOR_OWN_ROWS(s.level, row) {
        s.answer[row] += alpha * s.direction[row];
        double r = s.left[row] - alpha * s.image[row];
        s.left[row] = r;
        take_load(s.level, row, (float)(a.load_scale * r));
        most = larger(most, fabs(r));
    }
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->norm = norm;
}

// q <- q + x, and at its bound exactly on pinned rows.
KERNEL(rows_accept) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.level, row)
        a.q[row] = s.level.inverse[row] > 0.0f ? a.q[row] + s.answer[row] : a.lower[row];
}
