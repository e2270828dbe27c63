// Conjugate gradients on the black cells. Eliminating the red ones leaves S = A_bb - A_br A_rr^-1 A_rb. A cycle for a
// right-hand side that is zero on red cells ends with a red half-sweep, so that its answer z has A z = (0, S z_b).

// b_b <- b_b - A_br x_r with x_r = A_rr^-1 b_r in level.x.
LEAN_BARRIER_KERNEL(eliminate_red, 12) {
    const DeviceLevel &level = a.level;
    System<float> s = cycle_system(level);
    float most = 0.0f;
    FOR_KINDS(level, group, kind) {
        int own = level.size + group.at;
        Rows<float> rows = rows_of(level, s, level.x, kind, group, 1);
        unsigned flags = flags_of(level, kind, own);
        Four<float> b = load4(level.b + own);
        for (int k = 0; k < 4; k++) {
            b.v[k] = is_free(kind, flags, k) ? b.v[k] + rows.sum.v[k] : 0.0f;
            most = larger(most, fabsf(b.v[k]));
        }
        store4(level.b + own, b);
    }
    double norm;
    if (reduce_max(a, most, norm)) {
        Scalars &scalars = *a.scalars;
        scalars.norm = norm;
        scalars.iterations = 0, scalars.progress = Progress::Running;
    }
}

// w <- (A z)_b with the sums r^T z and z^T S z, and the step from them.
LEAN_BARRIER_KERNEL(multiply_black, 8) {
    const DeviceLevel &level = a.level;
    System<float> s = cycle_system(level);
    double sums[2] = {0.0, 0.0};
    FOR_TILES(level, group, false) {
        // All loads begin before the kind is known.
        int kind = level.kinds[group.at >> 2], own = level.size + group.at;
        Four<float> z = load4(level.x + own), r = load4(level.b + own), w;
        Rows<float> rows = rows_of(level, s, level.x, PLAIN, group, 1);
        if (kind == EMPTY) continue;
        if (kind != PLAIN) rows = rows_of(level, s, level.x, kind, group, 1);
        unsigned flags = flags_of(level, kind, own);
        float products[2] = {0.0f, 0.0f};
        for (int k = 0; k < 4; k++) {
            w.v[k] = flag(flags, k) & PINNED ? 0.0f : rows.diagonal.v[k] * z.v[k] - rows.sum.v[k];
            products[0] += r.v[k] * z.v[k];
            products[1] += w.v[k] * z.v[k];
        }
        store4(a.product + group.at, w);
        sums[0] += products[0];
        sums[1] += products[1];
    }
    if (!reduce<2, false>(a, sums)) return;
    Scalars &scalars = *a.scalars;
    bool is_first = scalars.iterations == 0;
    double beta = is_first ? 0.0 : sums[0] / scalars.rho;
    double curvature = is_first ? sums[1] : sums[1] - beta * sums[0] / scalars.alpha;
    if (!(sums[0] > 0.0 && curvature > 0.0)) scalars.progress = Progress::Broken;
    bool is_running = scalars.progress == Progress::Running;
    scalars.beta = is_running ? beta : 0.0;
    scalars.alpha = is_running ? sums[0] / curvature : 0.0;
    scalars.rho = sums[0];
    scalars.iterations++;
}

// p <- z + beta p, s <- S z + beta s, x <- x + alpha p, r <- r - alpha s; the norm of r. In the first iteration p, s
// and x are zero.
LEAN_BARRIER_KERNEL(step_black, 12) {
    const DeviceLevel &level = a.level;
    float alpha = (float)a.scalars->alpha, beta = (float)a.scalars->beta;
    bool is_first = a.scalars->iterations == 1;
    float most = 0.0f;
    FOR_KINDS(level, group, kind) {
        int at = group.at, own = level.size + at;
        Four<float> z = load4(level.x + own), w = load4(a.product + at), r = load4(level.b + own);
        Four<float> p = {0.0f, 0.0f, 0.0f, 0.0f}, s = p, x = p;
        if (!is_first) p = load4(a.direction + at), s = load4(a.image + at), x = load4(a.iterate + at);
        for (int k = 0; k < 4; k++) {
            p.v[k] = z.v[k] + beta * p.v[k];
            s.v[k] = w.v[k] + beta * s.v[k];
            x.v[k] += alpha * p.v[k];
            r.v[k] -= alpha * s.v[k];
            most = larger(most, fabsf(r.v[k]));
        }
        store4(a.direction + at, p);
        store4(a.image + at, s);
        store4(a.iterate + at, x);
        store4(level.b + own, r);
    }
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->norm = norm;
}

// q <- q + scale x, with the red cells x_r = A_rr^-1 (b_r - A_rb x_b).
template <class T>
__device__ inline void add_group(const Args &a, const Group &group, int kind, T *q, T scale) {
    const DeviceLevel &level = a.level;
    Rows<float> rows = rows_of(level, cycle_system(level), (const float *)a.iterate - level.size, kind, group, 0);
    unsigned flags = flags_of(level, kind, group.at);
    Four<float> b = load4(level.b + group.at), black = load4(a.iterate + group.at);
    Four<T> q_red = load4(q + group.at), q_black = load4(q + level.size + group.at);
    for (int k = 0; k < 4; k++) {
        bool is_corrected = rows.diagonal.v[k] > 0.0f && !(flag(flags, k) & PINNED);
        if (is_corrected) q_red.v[k] += scale * (T)((b.v[k] + rows.sum.v[k]) / rows.diagonal.v[k]);
        q_black.v[k] += scale * (T)black.v[k];
    }
    store4(q + group.at, q_red);
    store4(q + level.size + group.at, q_black);
}

LEAN_KERNEL(add_to_q, 10) {
    double unit = unit_of_correction(a);
    FOR_KINDS(a.level, group, kind) add_group(a, group, kind, a.q, unit);
}

KERNEL(add_to_correction) {
    FOR_KINDS(a.level, group, kind) add_group(a, group, kind, a.level.correction, 1.0f);
}
