// Conjugate gradients on the black cells. Eliminating the red ones leaves S = A_bb - A_br A_rr^-1 A_rb;
// a cycle for a right-hand side that vanishes on red cells ends with a red half-sweep, so that its
// answer z has A z = (0, S z_b).

// b_b <- b_b - A_br x_r with x_r = A_rr^-1 b_r in level.x.
LEAN_BARRIER_KERNEL(eliminate_red, 12) {
    const Level &level = a.level;
    System<float> s = cycle_system(level);
    float most = 0.0f;
    {
        FOR_KINDS(level, place, kind) {
            int own = level.size + place.at;
            Rows<float> rows = rows_of(level, s, (const float *)level.x, kind, 1, place.at, second(place, 1));
            unsigned flags = kind == PLAIN ? 0 : flags4(level.flags + own);
            Four<float> b = load4(level.b + own);
            for (int k = 0; k < 4; k++) {
                bool is_free = kind == PLAIN || (flag(flags, k) & (PRESENT | PINNED)) == PRESENT;
                b.v[k] = is_free ? b.v[k] + rows.sum.v[k] : 0.0f;
                most = larger(most, fabsf(b.v[k]));
            }
            store4(level.b + own, b);
        }
    }
    double norm;
    if (reduce_max(a, most, norm)) {
        Scalars &scalars = *a.scalars;
        scalars.norm = norm;
        scalars.is_begun = scalars.is_stopped = 0;
    }
}

// Which iteration it is, in is_begun.
#define FIRST 1
#define LATER 2

// w <- (A z)_b with the sums r^T z and z^T S z, and from them the step.
LEAN_BARRIER_KERNEL(multiply_black, 8) {
    const Level &level = a.level;
    System<float> s = cycle_system(level);
    double sums[2] = {0.0, 0.0};
    {
        FOR_TILES(level, place, false) {
            // Asked for at once, before the kind is known.
            int kind = level.groups[place.at >> 2], own = level.size + place.at;
            Four<float> z = load4(level.x + own), r = load4(level.b + own), w;
            Rows<float> rows = rows_of(level, s, (const float *)level.x, PLAIN, 1, place.at, second(place, 1));
            if (kind == EMPTY) continue;
            if (kind != PLAIN) rows = rows_of(level, s, (const float *)level.x, kind, 1, place.at, second(place, 1));
            unsigned flags = kind == PLAIN ? 0 : flags4(level.flags + own);
            float products[2] = {0.0f, 0.0f};
            for (int k = 0; k < 4; k++) {
                w.v[k] = flag(flags, k) & PINNED ? 0.0f : rows.diagonal.v[k] * z.v[k] - rows.sum.v[k];
                products[0] += r.v[k] * z.v[k];
                products[1] += w.v[k] * z.v[k];
            }
            store4(a.product + place.at, w);
            sums[0] += products[0];
            sums[1] += products[1];
        }
    }
    if (!reduce<2, false>(a, sums)) return;
    Scalars &scalars = *a.scalars;
    double beta = scalars.is_begun ? sums[0] / scalars.rho : 0.0;
    double curvature = scalars.is_begun ? sums[1] - beta * sums[0] / scalars.alpha : sums[1];
    if (!(sums[0] > 0.0 && curvature > 0.0)) scalars.is_stopped = 1;
    scalars.beta = scalars.is_stopped ? 0.0 : beta;
    scalars.alpha = scalars.is_stopped ? 0.0 : sums[0] / curvature;
    scalars.rho = sums[0];
    scalars.is_begun = scalars.is_begun ? LATER : FIRST;
}

// p <- z + beta p, s <- S z + beta s, x <- x + alpha p, r <- r - alpha s; the norm of r. The first iteration finds
// nothing of p, s and x.
LEAN_BARRIER_KERNEL(step_black, 12) {
    const Level &level = a.level;
    float alpha = (float)a.scalars->alpha, beta = (float)a.scalars->beta;
    bool is_first = a.scalars->is_begun == FIRST;
    float most = 0.0f;
    {
        FOR_KINDS(level, place, kind) {
            int at = place.at, own = level.size + at;
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
    }
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->norm = norm;
}

// q <- q + factor x, with the red cells x_r = A_rr^-1 (b_r - A_rb x_b).
template <class T>
__device__ inline void correct_group(const Args &a, const Place &place, int kind, T *q) {
    const Level &level = a.level;
    Rows<float> rows = rows_of(level, cycle_system(level), (const float *)a.iterate - level.size, kind, 0, place.at,
                               second(place, 0));
    unsigned flags = kind == PLAIN ? 0 : flags4(level.flags + place.at);
    Four<float> b = load4(level.b + place.at), black = load4(a.iterate + place.at);
    Four<T> q_red = load4(q + place.at), q_black = load4(q + level.size + place.at);
    for (int k = 0; k < 4; k++) {
        bool is_free = rows.diagonal.v[k] > 0.0f && !(flag(flags, k) & PINNED);
        if (is_free) q_red.v[k] += (T)a.factor * (T)((b.v[k] + rows.sum.v[k]) / rows.diagonal.v[k]);
        q_black.v[k] += (T)a.factor * (T)black.v[k];
    }
    store4(q + place.at, q_red);
    store4(q + level.size + place.at, q_black);
}

LEAN_KERNEL(correct_fine, 10) {
    FOR_KINDS(a.level, place, kind) correct_group(a, place, kind, a.q);
}

KERNEL(correct_start) {
    FOR_KINDS(a.level, place, kind) correct_group(a, place, kind, a.level.start);
}
