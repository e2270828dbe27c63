// The complementary rows: projected sweeps, and the choice of pinned rows. Level 0 is in double precision, the nested
// start on coarse levels in single precision.

// q_i <- max(q_i - r_i / A_ii, lower_i) on the cells of a colour.
template <class T>
__device__ inline void project_group(const DeviceLevel &level, const System<T> &s, const Group &group, int kind,
                                     int colour) {
    int own = colour * level.size + group.at;
    unsigned flags = flags4(level.flags + own);
    Four<T> q = load4(s.q + own), b = load4(s.b + own);
    Rows<T> rows = rows_of(level, s, s.q, kind, group, colour);
    for (int k = 0; k < 4; k++) {
        if (!(rows.diagonal.v[k] > 0)) continue;
        T relaxed = (rows.sum.v[k] - b.v[k]) / rows.diagonal.v[k];
        if (flag(flags, k) & WALL) {
            T lower = s.lower[own + k];
            relaxed = relaxed < lower ? lower : relaxed;
        }
        q.v[k] = relaxed;
    }
    store4(s.q + own, q);
}

// Pins the wall rows for which is_bound(A_ii, sum of c_ij q_j, cell) holds and frees all others. Returns how many
// changed.
template <class T, class IsBound>
__device__ inline int choose_group(const DeviceLevel &level, const System<T> &s, const Group &group, int kind,
                                   IsBound is_bound) {
    int changes = 0;
    FOR_COLOURS(level, group, colour, own) {
        unsigned flags = flags4(level.flags + own);
        if (!(flags & FOUR_WALLS)) continue;
        Rows<T> rows = rows_of(level, s, s.q, kind, group, colour);
        for (int k = 0; k < 4; k++) {
            unsigned f = flag(flags, k);
            if (!(f & WALL) || !(rows.diagonal.v[k] > 0)) continue;
            unsigned pinned = is_bound(rows.diagonal.v[k], rows.sum.v[k], own + k) ? PINNED : 0;
            changes += (f & PINNED) != pinned;
            level.flags[own + k] = (u8)((f & ~PINNED) | pinned);
        }
    }
    return changes;
}

// The policy: pins every wall row whose bound is the binding condition, A_ii (q_i - lower_i) <= r_i
// [Lai2021, eq. (5.7)].
template <class T>
__device__ inline int choose_policy(const DeviceLevel &level, const System<T> &s, const Group &group, int kind) {
    return choose_group(level, s, group, kind, [&](T diagonal, T sum, int cell) {
        T q = s.q[cell], r = diagonal * q - sum + s.b[cell];
        return diagonal * (q - s.lower[cell]) <= r;
    });
}

// Moves wall cells to their bound, as `settle` says.
template <class T>
__device__ inline void settle_group(const DeviceLevel &level, const System<T> &s, const Group &group, int settle) {
    FOR_COLOURS(level, group, colour, own) {
        unsigned flags = flags4(level.flags + own);
        if (!(flags & FOUR_WALLS)) continue;
        for (int k = 0; k < 4; k++) {
            unsigned f = flag(flags, k);
            if (!(f & WALL)) continue;
            if (settle == Settle::Release) level.flags[own + k] = (u8)(f & ~PINNED);
            T lower = s.lower[own + k];
            bool moves = settle == Settle::Pinned ? (f & PINNED) != 0 : s.q[own + k] < lower;
            if (moves) s.q[own + k] = lower;
        }
    }
}

// level.b <- -(A q + b) factor on free cells, zero on all others. Returns its maximum norm.
template <class T>
__device__ inline float load_group(const DeviceLevel &level, const System<T> &s, const Group &group, int kind,
                                   T factor) {
    float most = 0.0f;
    FOR_COLOURS(level, group, colour, own) {
        Rows<T> rows = rows_of(level, s, s.q, kind, group, colour);
        Four<T> q = load4(s.q + own), b = load4(s.b + own);
        unsigned flags = flags_of(level, kind, own);
        Four<float> load;
        for (int k = 0; k < 4; k++) {
            T r = rows.diagonal.v[k] * q.v[k] - rows.sum.v[k] + b.v[k];
            load.v[k] = is_free(kind, flags, k) ? (float)(-r * factor) : 0.0f;
            most = larger(most, fabsf(load.v[k]));
        }
        store4(level.b + own, load);
    }
    return most;
}

LEAN_KERNEL(project_fine, 8) {
    FOR_KINDS(a.level, group, kind) project_group(a.level, fine_system(a), group, kind, a.colour);
}

LEAN_KERNEL(project_correction, 8) {
    FOR_KINDS(a.level, group, kind) project_group(a.level, correction_system(a.level), group, kind, a.colour);
}

LEAN_KERNEL(choose_fine, 8) {
    int changes = 0;
    FOR_MIXED(a.level, group, kind) changes += choose_policy(a.level, fine_system(a), group, kind);
    if (changes) atomicAdd(&a.scalars->changes, changes);
}

KERNEL(choose_correction) {
    FOR_MIXED(a.level, group, kind) choose_policy(a.level, correction_system(a.level), group, kind);
}

KERNEL(settle_fine) {
    FOR_MIXED(a.level, group, kind) settle_group(a.level, fine_system(a), group, a.settle);
}

KERNEL(settle_correction) {
    FOR_MIXED(a.level, group, kind) settle_group(a.level, correction_system(a.level), group, a.settle);
}

BARRIER_KERNEL(load_correction) {
    float most = 0.0f;
    FOR_KINDS(a.level, group, kind)
        most = larger(most, load_group(a.level, correction_system(a.level), group, kind, (float)a.load_scale));
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->norm = norm;
}

// The natural residual max |min(q - lower, r)|. All cells get their load, as if they were free.
__device__ inline void residual_group(const Args &a, const System<double> &s, const Group &group, int kind,
                                      double *most) {
#pragma unroll 1
    FOR_COLOURS(a.level, group, colour, own) {
        Rows<double> rows = rows_of(a.level, s, s.q, kind, group, colour);
        Four<double> q = load4(s.q + own), b = load4(s.b + own);
        unsigned flags = flags_of(a.level, kind, own);
        Four<float> load;
        for (int k = 0; k < 4; k++) {
            double r = rows.diagonal.v[k] * q.v[k] - rows.sum.v[k] + b.v[k], h = r;
            if (flag(flags, k) & WALL) h = smaller(q.v[k] - s.lower[own + k], r);
            most[0] = larger(most[0], fabs(h));
            load.v[k] = (float)(-r * a.load_scale);
            if (kind == PLAIN) most[1] = larger(most[1], (double)fabsf(load.v[k]));
        }
        store4(a.level.b + own, load);
    }
}

LEAN_BARRIER_KERNEL(natural_residual, 8) {
    System<double> s = fine_system(a);
    double most[2] = {0.0, 0.0};
    FOR_KINDS(a.level, group, kind) residual_group(a, s, group, kind, most);
    if (reduce<2, true>(a, most)) {
        a.scalars->residual = most[0], a.scalars->plain_norm = most[1];
        a.scalars->free_norm = most[0] * a.load_scale; // if there are no walls
        a.scalars->load_unit = 1.0 / a.load_scale;
    }
}

// Restricts the problem of a correction: the loads times a factor, and for wall cells the largest lower bound of their
// children.
template <class Floor>
__device__ inline void restrict_quad(const DeviceLevel &fine, const DeviceLevel &coarse, int item, const float *load,
                                     float factor, Floor floor_of) {
    int slot, Y, Z;
    if (!coarse_quad(fine, coarse, item, slot, Y, Z)) return;
    float v[4], floor[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    bool is_there = gather_quad(
        fine, coarse, slot, Y, Z, v,
        [&](const Group &group, int kind, float *v) {
            FOR_COLOURS(fine, group, colour, own) {
                Four<float> own_load = load4(load + own);
                unsigned flags = flags_of(fine, kind, own);
                for (int k = 0; k < 4; k++) {
                    unsigned f = flag(flags, k);
                    if (code_of(f)) continue;
                    v[k] += factor * own_load.v[k];
                    if (f & WALL) floor[k] = fmaxf(floor[k], floor_of(own + k));
                }
            }
        },
        [&](int, int, int, int cell, unsigned) -> float { return factor * load[cell]; });
    if (!is_there) return;
    store_quad(coarse, coarse.load, slot, Y, Z, v);
    store_quad(coarse, coarse.floor, slot, Y, Z, floor);
}

// From level 0, whose loads are its residual, to level 1.
KERNEL(restrict_fine) {
    restrict_quad(a.level, a.coarse, blockIdx.x * blockDim.x + threadIdx.x, a.level.b, (float)a.restriction_scale,
                  [&](int cell) { return (float)((a.lower[cell] - a.q[cell]) / a.correction_scale); });
}

// From a coarse level to the next.
__device__ inline void restrict_correction_quad(const DeviceLevel &fine, const DeviceLevel &coarse, int item) {
    restrict_quad(fine, coarse, item, fine.load, 1.0f, [&](int cell) { return fine.floor[cell]; });
}

KERNEL(restrict_correction) {
    restrict_correction_quad(a.level, a.coarse, blockIdx.x * blockDim.x + threadIdx.x);
}

// q <- keep q + factor P c_H.
template <class T>
__device__ inline void prolong_group(const DeviceLevel &level, const DeviceLevel &coarse, const Group &group, int kind,
                                     T *q, T keep, T factor) {
    FOR_COLOURS(level, group, colour, own) {
        unsigned flags = flags_of(level, kind, own);
        Four<float> v = prolong4(coarse, coarse.correction, group, colour, flags, kind != PLAIN);
        Four<T> x = load4(q + own);
        for (int k = 0; k < 4; k++)
            if (kind == PLAIN || (flag(flags, k) & PRESENT)) x.v[k] = keep * x.v[k] + factor * v.v[k];
        store4(q + own, x);
    }
}

KERNEL(prolong_fine) {
    FOR_KINDS(a.level, group, kind) prolong_group(a.level, a.coarse, group, kind, a.q, 1.0, a.correction_scale);
}

KERNEL(prolong_correction) {
    FOR_KINDS(a.level, group, kind) prolong_group(a.level, a.coarse, group, kind, a.level.correction, 0.0f, 1.0f);
}
