// Minimum-map Newton [Andersen2017b]: H_i = min(q_i - lower_i, r_i) on wall rows, r_i elsewhere.

// Pins the wall rows with r_i >= q_i - lower_i and frees all others, eq. (26).
KERNEL(choose_newton) {
    const Level &level = a.level;
    System<double> s = fine_system(a);
    FOR_MIXED(level, place, kind) {
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * level.size + place.at;
            unsigned flags = flags4(level.flags + own);
            if (!(flags & WALL * 0x01010101u)) continue;
            Rows<double> rows = rows_of(level, s, (const double *)s.q, kind, colour, place.at, second(place, colour));
            for (int k = 0; k < 4; k++) {
                unsigned f = flag(flags, k);
                if (!(f & WALL)) continue;
                double q = s.q[own + k], r = rows.diagonal.v[k] * q - rows.sum.v[k] + s.b[own + k];
                level.flags[own + k] = (u8)(r < q - s.lower[own + k] ? f & ~PINNED : f | PINNED);
            }
        }
    }
}

// The Newton direction as far as it is known before the linear solve: x <- lower - q on pinned rows, 0 on free ones.
KERNEL(step_to_bound) {
    const Level &level = a.level;
    FOR_TILES(level, place, false) {
        int kind = level.groups[place.at >> 2];
        if (kind == EMPTY) continue;
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * level.size + place.at;
            unsigned flags = flags_of(level, kind, own);
            Four<double> x = {0.0, 0.0, 0.0, 0.0};
            for (int k = 0; k < 4; k++)
                if (flag(flags, k) & PINNED) x.v[k] = a.lower[own + k] - a.q[own + k];
            store4(a.vectors[ANSWER] + own, x);
        }
    }
}

// The minimum that lets NaN through.
__device__ inline double minimum_map(double x, double y) { return y < x || y != y ? y : x; }

// The merit theta = H^T H / 2, eq. (15), and its slope along the direction, eq. (19).
BARRIER_KERNEL(merit_and_slope) {
    const Level &level = a.level;
    System<double> s = fine_system(a);
    const double *x = a.vectors[ANSWER];
    double v[2] = {0.0, 0.0};
    {
        FOR_TILES(level, place, false) {
            int kind = level.groups[place.at >> 2];
            if (kind == EMPTY) continue;
#pragma unroll 1
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                bool is_second = second(place, colour);
                Rows<double> rows = rows_of(level, s, (const double *)a.q, kind, colour, place.at, is_second);
                Rows<double> of_x = rows_of(level, s, x, kind, colour, place.at, is_second);
                Four<double> q = load4(a.q + own), b = load4(a.b + own), step = load4(x + own);
                unsigned flags = flags_of(level, kind, own);
                for (int k = 0; k < 4; k++) {
                    unsigned f = flag(flags, k);
                    double r = rows.diagonal.v[k] * q.v[k] - rows.sum.v[k] + b.v[k], h = r;
                    double above = f & WALL ? q.v[k] - a.lower[own + k] : 0.0;
                    if (f & WALL) h = minimum_map(above, r);
                    v[0] += 0.5 * h * h;
                    v[1] += f & PINNED ? above * step.v[k] : r * (of_x.diagonal.v[k] * step.v[k] - of_x.sum.v[k]);
                }
            }
        }
    }
    if (reduce<2, false>(a, v)) a.scalars->merit = v[0], a.scalars->slope = v[1];
}

// trial <- max(q + factor x, lower).
KERNEL(project_step) {
    const Level &level = a.level;
    FOR_TILES(level, place, false) {
        int kind = level.groups[place.at >> 2];
        if (kind == EMPTY) continue;
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * level.size + place.at;
            Four<double> trial = load4(a.q + own), x = load4(a.vectors[ANSWER] + own);
            unsigned flags = flags_of(level, kind, own);
            for (int k = 0; k < 4; k++) {
                trial.v[k] += a.factor * x.v[k];
                if (flag(flags, k) & WALL) trial.v[k] = larger(trial.v[k], a.lower[own + k]);
            }
            store4(a.vectors[TRIAL] + own, trial);
        }
    }
}

// The merit of the trial, and how far it is from q.
BARRIER_KERNEL(merit_of_trial) {
    const Level &level = a.level;
    System<double> s = fine_system(a);
    const double *trial = a.vectors[TRIAL];
    double v[2] = {0.0, 0.0};
    {
        FOR_TILES(level, place, false) {
            int kind = level.groups[place.at >> 2];
            if (kind == EMPTY) continue;
#pragma unroll 1
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                Rows<double> rows = rows_of(level, s, trial, kind, colour, place.at, second(place, colour));
                Four<double> x = load4(trial + own), q = load4(a.q + own), b = load4(a.b + own);
                unsigned flags = flags_of(level, kind, own);
                for (int k = 0; k < 4; k++) {
                    double r = rows.diagonal.v[k] * x.v[k] - rows.sum.v[k] + b.v[k], h = r;
                    if (flag(flags, k) & WALL) h = minimum_map(x.v[k] - a.lower[own + k], r);
                    v[0] += 0.5 * h * h;
                    v[1] = larger(v[1], fabs(x.v[k] - q.v[k]));
                }
            }
        }
    }
    if (reduce_both<1, 1>(a, v)) a.scalars->merit = v[0], a.scalars->moved = v[1];
}

// q <- trial.
KERNEL(accept_trial) {
    FOR_TILES(a.level, place, false) {
        if (a.level.groups[place.at >> 2] == EMPTY) continue;
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * a.level.size + place.at;
            store4(a.q + own, load4((const double *)a.vectors[TRIAL] + own));
        }
    }
}
