// Minimum-map Newton [Andersen2017b]: H_i = min(q_i - lower_i, r_i) on wall rows, r_i elsewhere.

// Pins the wall rows with r_i >= q_i - lower_i and frees all others, eq. (26).
KERNEL(choose_newton) {
    System<double> s = fine_system(a);
    FOR_MIXED(a.level, group, kind) {
        choose_group(a.level, s, group, kind, [&](double diagonal, double sum, int cell) {
            double q = s.q[cell], r = diagonal * q - sum + s.b[cell];
            return !(r < q - s.lower[cell]);
        });
    }
}

// The Newton direction before the linear solve: x <- lower - q on pinned rows, 0 on free ones.
KERNEL(step_to_bound) {
    const DeviceLevel &level = a.level;
    FOR_KINDS(level, group, kind) {
        FOR_COLOURS(level, group, colour, own) {
            unsigned flags = flags_of(level, kind, own);
            Four<double> x = {0.0, 0.0, 0.0, 0.0};
            for (int k = 0; k < 4; k++)
                if (flag(flags, k) & PINNED) x.v[k] = a.lower[own + k] - a.q[own + k];
            store4(a.vectors[Vector::Answer] + own, x);
        }
    }
}

// The merit theta = H^T H / 2, eq. (15), and its slope along the direction, eq. (19).
BARRIER_KERNEL(merit_and_slope) {
    const DeviceLevel &level = a.level;
    System<double> s = fine_system(a);
    const double *x = a.vectors[Vector::Answer];
    double v[2] = {0.0, 0.0};
    FOR_KINDS(level, group, kind) {
#pragma unroll 1
        FOR_COLOURS(level, group, colour, own) {
            Rows<double> rows = rows_of(level, s, a.q, kind, group, colour);
            Rows<double> of_x = rows_of(level, s, x, kind, group, colour);
            Four<double> q = load4(a.q + own), b = load4(a.b + own), step = load4(x + own);
            unsigned flags = flags_of(level, kind, own);
            for (int k = 0; k < 4; k++) {
                unsigned f = flag(flags, k);
                double r = rows.diagonal.v[k] * q.v[k] - rows.sum.v[k] + b.v[k], h = r;
                double above = f & WALL ? q.v[k] - a.lower[own + k] : 0.0;
                if (f & WALL) h = smaller(above, r);
                v[0] += 0.5 * h * h;
                v[1] += f & PINNED ? above * step.v[k] : r * (of_x.diagonal.v[k] * step.v[k] - of_x.sum.v[k]);
            }
        }
    }
    if (reduce<2, false>(a, v)) a.scalars->merit = v[0], a.scalars->slope = v[1];
}

// trial <- max(q + step x, lower).
KERNEL(project_step) {
    const DeviceLevel &level = a.level;
    FOR_KINDS(level, group, kind) {
        FOR_COLOURS(level, group, colour, own) {
            Four<double> trial = load4(a.q + own), x = load4(a.vectors[Vector::Answer] + own);
            unsigned flags = flags_of(level, kind, own);
            for (int k = 0; k < 4; k++) {
                trial.v[k] += a.step * x.v[k];
                if (flag(flags, k) & WALL) trial.v[k] = larger(trial.v[k], a.lower[own + k]);
            }
            store4(a.vectors[Vector::Trial] + own, trial);
        }
    }
}

// The merit of the trial, and its largest difference from q.
BARRIER_KERNEL(merit_of_trial) {
    const DeviceLevel &level = a.level;
    System<double> s = fine_system(a);
    const double *trial = a.vectors[Vector::Trial];
    double v[2] = {0.0, 0.0};
    FOR_KINDS(level, group, kind) {
#pragma unroll 1
        FOR_COLOURS(level, group, colour, own) {
            Rows<double> rows = rows_of(level, s, trial, kind, group, colour);
            Four<double> x = load4(trial + own), q = load4(a.q + own), b = load4(a.b + own);
            unsigned flags = flags_of(level, kind, own);
            for (int k = 0; k < 4; k++) {
                double r = rows.diagonal.v[k] * x.v[k] - rows.sum.v[k] + b.v[k], h = r;
                if (flag(flags, k) & WALL) h = smaller(x.v[k] - a.lower[own + k], r);
                v[0] += 0.5 * h * h;
                v[1] = larger(v[1], fabs(x.v[k] - q.v[k]));
            }
        }
    }
    if (reduce_both<1, 1>(a, v)) a.scalars->merit = v[0], a.scalars->moved = v[1];
}

// q <- trial.
KERNEL(accept_trial) {
    FOR_KINDS(a.level, group, kind) {
        FOR_COLOURS(a.level, group, colour, own)
            store4(a.q + own, load4(a.vectors[Vector::Trial] + own));
    }
}
