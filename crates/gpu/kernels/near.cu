// The cells near walls, where the active set is chosen. A correction c of q in single precision is swept and its
// active set is chosen before it is added to q. Its residual r = A c - b is that of q + c, in units of the loads. Away
// from walls c stays zero.

// What a correction in single precision is multiplied by before it is added to q.
__device__ inline double unit_of_correction(const Args &a) { return a.scalars->load_unit / a.unit; }

// Clears the last correction and sets its lower bound.
KERNEL(begin_near) {
    const DeviceLevel &level = a.level;
    double unit = unit_of_correction(a);
    FOR_LISTED(level, a.near, group, kind) {
        FOR_COLOURS(level, group, colour, own) {
            store4(level.correction + own, {0.0f, 0.0f, 0.0f, 0.0f});
            unsigned flags = flags_of(level, kind, own);
            for (int k = 0; k < 4; k++)
                if (flag(flags, k) & WALL)
                    level.floor[own + k] = (float)((a.lower[own + k] - a.q[own + k]) / unit);
        }
    }
}

// The problem of the correction, with the right-hand side of a cycle.
__device__ inline System<float> near_system(const DeviceLevel &level) {
    System<float> s = cycle_system(level);
    s.q = level.correction, s.lower = level.floor;
    return s;
}

// The rows of the correction for four cells of a colour.
__device__ inline Rows<float> near_rows(const DeviceLevel &level, const Group &group, int kind, int colour) {
    return rows_of(level, cycle_system(level), level.correction, kind, group, colour);
}

// c_i <- max(c_i - relaxation r_i / A_ii, floor_i) on the cells of a colour.
LEAN_KERNEL(relax_near, 10) {
    const DeviceLevel &level = a.level;
    float relaxation = (float)a.relaxation;
    FOR_LISTED(level, a.near, group, kind) {
        int own = a.colour * level.size + group.at;
        unsigned flags = flags4(level.flags + own);
        Four<float> c = load4(level.correction + own), b = load4(level.b + own);
        Rows<float> rows = near_rows(level, group, kind, a.colour);
        for (int k = 0; k < 4; k++) {
            if (!(rows.diagonal.v[k] > 0.0f)) continue;
            c.v[k] += relaxation * ((b.v[k] + rows.sum.v[k]) / rows.diagonal.v[k] - c.v[k]);
            if (flag(flags, k) & WALL) c.v[k] = fmaxf(c.v[k], level.floor[own + k]);
        }
        store4(level.correction + own, c);
    }
}

// Pins every wall row whose bound is the binding condition, A_ii (c_i - floor_i) <= r_i, and frees all others
// [Lai2021, eq. (5.7)]. The condition does not depend on c_i itself.
LEAN_KERNEL(choose_near, 10) {
    const DeviceLevel &level = a.level;
    int changes = 0;
    FOR_MIXED(level, group, kind) {
        changes += choose_group(level, near_system(level), group, kind, [&](float diagonal, float sum, int cell) {
            return sum + level.b[cell] - diagonal * level.floor[cell] <= 0.0f;
        });
    }
    if (changes) atomicAdd(&a.scalars->changes, changes);
}

// q <- q + c, and the load of the linear solve: b <- b - A c on free cells, zero on pinned ones.
LEAN_BARRIER_KERNEL(accept_near, 8) {
    const DeviceLevel &level = a.level;
    float most = 0.0f;
    double unit = unit_of_correction(a);
    FOR_LISTED(level, a.touched, group, kind) {
        FOR_COLOURS(level, group, colour, own) {
            unsigned flags = flags_of(level, kind, own);
            Rows<float> rows = near_rows(level, group, kind, colour);
            Four<float> c = load4(level.correction + own), b = load4(level.b + own);
            Four<double> q = load4(a.q + own);
            for (int k = 0; k < 4; k++) {
                unsigned f = flag(flags, k);
                b.v[k] = is_free(kind, flags, k) ? b.v[k] - (rows.diagonal.v[k] * c.v[k] - rows.sum.v[k]) : 0.0f;
                most = larger(most, fabsf(b.v[k]));
                q.v[k] = f & PINNED ? a.lower[own + k] : q.v[k] + unit * c.v[k];
                // Rounding must not leave q below its bound.
                if ((f & WALL) && q.v[k] < a.lower[own + k]) q.v[k] = a.lower[own + k];
            }
            store4(level.b + own, b);
            store4(a.q + own, q);
        }
    }
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->free_norm = larger(norm, a.scalars->plain_norm);
}
