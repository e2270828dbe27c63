// The complementary rows: projected sweeps, and which of them let go. For level 0 in double precision,
// for the nested start of coarse levels in single precision.

// q_i <- max(q_i - r_i / A_ii, lower_i) on the cells of a colour.
template <class T>
__device__ inline void project_group(const Level &level, const System<T> &s, const Place &place, int kind, int colour) {
    int own = colour * level.size + place.at;
    unsigned flags = flags4(level.flags + own);
    Four<T> q = load4(s.q + own), b = load4(s.b + own);
    Rows<T> rows = rows_of(level, s, (const T *)s.q, kind, colour, place.at, second(place, colour));
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

// Pins every wall row whose bound is the binding condition, A_ii (q_i - lower_i) <= r_i, and frees all
// others [Lai2021, eq. (5.7)]; returns how many changed.
template <class T>
__device__ inline int choose_group(const Level &level, const System<T> &s, const Place &place, int kind) {
    int changes = 0;
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * level.size + place.at;
        unsigned flags = flags4(level.flags + own);
        if (!(flags & WALL * 0x01010101u)) continue;
        Rows<T> rows = rows_of(level, s, (const T *)s.q, kind, colour, place.at, second(place, colour));
        for (int k = 0; k < 4; k++) {
            unsigned f = flag(flags, k);
            if (!(f & WALL) || !(rows.diagonal.v[k] > 0)) continue;
            T q = s.q[own + k], r = rows.diagonal.v[k] * q - rows.sum.v[k] + s.b[own + k];
            unsigned pinned = rows.diagonal.v[k] * (q - s.lower[own + k]) <= r ? PINNED : 0;
            changes += (f & PINNED) != pinned;
            level.flags[own + k] = (u8)((f & ~PINNED) | pinned);
        }
    }
    return changes;
}

// Moves pinned cells to their bound, or lifts wall cells to it.
#define SETTLE 0
#define LIFT 1
#define RELEASE 2 // frees all, then lifts
template <class T>
__device__ inline void settle_group(const Level &level, const System<T> &s, const Place &place, int what) {
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * level.size + place.at;
        unsigned flags = flags4(level.flags + own);
        if (!(flags & WALL * 0x01010101u)) continue;
        for (int k = 0; k < 4; k++) {
            unsigned f = flag(flags, k);
            if (!(f & WALL)) continue;
            if (what == RELEASE) level.flags[own + k] = (u8)(f & ~PINNED);
            T lower = s.lower[own + k];
            if (what == SETTLE ? (f & PINNED) != 0 : s.q[own + k] < lower) s.q[own + k] = lower;
        }
    }
}

// b <- -(A q + b) factor on free cells, zero on all others: the right-hand side of a policy. Returns
// its maximum norm.
template <class T>
__device__ inline float load_group(const Level &level, const System<T> &s, const Place &place, int kind, T factor) {
    float most = 0.0f;
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * level.size + place.at;
        Rows<T> rows = rows_of(level, s, (const T *)s.q, kind, colour, place.at, second(place, colour));
        Four<T> q = load4(s.q + own), b = load4(s.b + own);
        unsigned flags = kind == PLAIN ? 0 : flags4(level.flags + own);
        Four<float> load;
        for (int k = 0; k < 4; k++) {
            bool is_free = kind == PLAIN || (flag(flags, k) & (PRESENT | PINNED)) == PRESENT;
            T r = rows.diagonal.v[k] * q.v[k] - rows.sum.v[k] + b.v[k];
            load.v[k] = is_free ? (float)(-r * factor) : 0.0f;
            most = larger(most, fabsf(load.v[k]));
        }
        store4(level.b + own, load);
    }
    return most;
}

LEAN_KERNEL(project_fine, 8) {
    FOR_KINDS(a.level, place, kind) project_group(a.level, fine_system(a), place, kind, a.colour);
}

LEAN_KERNEL(project_start, 8) {
    FOR_KINDS(a.level, place, kind) project_group(a.level, start_system(a.level), place, kind, a.colour);
}

LEAN_KERNEL(choose_fine, 8) {
    int changes = 0;
    {
        FOR_MIXED(a.level, place, kind) changes += choose_group(a.level, fine_system(a), place, kind);
    }
    if (changes) atomicAdd(&a.scalars->changes, changes);
}

KERNEL(choose_start) {
    FOR_MIXED(a.level, place, kind) choose_group(a.level, start_system(a.level), place, kind);
}

KERNEL(settle_fine) {
    FOR_MIXED(a.level, place, kind) settle_group(a.level, fine_system(a), place, a.mode);
}

KERNEL(settle_start) {
    FOR_MIXED(a.level, place, kind) settle_group(a.level, start_system(a.level), place, a.mode);
}

BARRIER_KERNEL(load_start) {
    float most = 0.0f;
    {
        FOR_KINDS(a.level, place, kind)
        most = larger(most, load_group(a.level, start_system(a.level), place, kind, (float)a.factor));
    }
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->norm = norm;
}

// The natural residual max |min(q - lower, r)|; all cells get their load, as if they were free.
__device__ inline void residual_group(const Args &a, const System<double> &s, const Place &place, int kind,
                                      double *most) {
#pragma unroll 1
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * a.level.size + place.at;
        Rows<double> rows = rows_of(a.level, s, (const double *)s.q, kind, colour, place.at, second(place, colour));
        Four<double> q = load4(s.q + own), b = load4(s.b + own);
        unsigned flags = kind == PLAIN ? 0 : flags4(a.level.flags + own);
        Four<float> load;
        for (int k = 0; k < 4; k++) {
            double r = rows.diagonal.v[k] * q.v[k] - rows.sum.v[k] + b.v[k], h = r;
            if (flag(flags, k) & WALL) {
                double above = q.v[k] - s.lower[own + k];
                h = above < r || above != above ? above : r;
            }
            most[0] = larger(most[0], fabs(h));
            load.v[k] = (float)(-r * a.factor);
            if (kind == PLAIN) most[1] = larger(most[1], (double)fabsf(load.v[k]));
        }
        store4(a.level.b + own, load);
    }
}

LEAN_BARRIER_KERNEL(natural_residual, 8) {
    System<double> s = fine_system(a);
    double most[2] = {0.0, 0.0};
    {
        FOR_KINDS(a.level, place, kind) residual_group(a, s, place, kind, most);
    }
    if (reduce<2, true>(a, most)) {
        a.scalars->residual = most[0], a.scalars->plain_norm = most[1];
        a.scalars->free_norm = most[0] * a.factor; // where there are no walls
    }
}

// The residual of level 0, which the loads are, as the load of level 1, and how far wall cells of level 1 may sink.
KERNEL(restrict_to_start) {
    int slot, Y, Z, item = blockIdx.x * blockDim.x + threadIdx.x;
    if (!coarse_quad(a.level, a.coarse, item, slot, Y, Z)) return;
    float v[4], floor[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    float factor = (float)a.factor;
    bool is_there = gather_quad(
        a.level, a.coarse, slot, Y, Z, v,
        [&](const Place &place, int kind, float *v) {
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * a.level.size + place.at;
                Four<float> load = load4(a.level.b + own);
                unsigned flags = kind == PLAIN ? 0 : flags4(a.level.flags + own);
                for (int k = 0; k < 4; k++) {
                    unsigned f = flag(flags, k);
                    if (code_of(f)) continue;
                    v[k] += factor * load.v[k];
                    if (f & WALL) floor[k] = fmaxf(floor[k], (float)((a.lower[own + k] - a.q[own + k]) / a.scale));
                }
            }
        },
        [&](int, int, int, int cell, unsigned) -> float { return factor * a.level.b[cell]; });
    if (!is_there) return;
    store_quad(a.coarse, a.coarse.load, slot, Y, Z, v);
    store_quad(a.coarse, a.coarse.floor, slot, Y, Z, floor);
}

// The same from a coarse level to the next.
__device__ inline void restrict_start_quad(const Level &fine, const Level &coarse, int item) {
    int slot, Y, Z;
    if (!coarse_quad(fine, coarse, item, slot, Y, Z)) return;
    float v[4], floor[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    bool is_there = gather_quad(
        fine, coarse, slot, Y, Z, v,
        [&](const Place &place, int kind, float *v) {
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * fine.size + place.at;
                Four<float> load = load4(fine.load + own);
                unsigned flags = kind == PLAIN ? 0 : flags4(fine.flags + own);
                for (int k = 0; k < 4; k++) {
                    if (code_of(flag(flags, k))) continue;
                    v[k] += load.v[k];
                    if (flag(flags, k) & WALL) floor[k] = fmaxf(floor[k], fine.floor[own + k]);
                }
            }
        },
        [&](int, int, int, int cell, unsigned) -> float { return fine.load[cell]; });
    if (!is_there) return;
    store_quad(coarse, coarse.load, slot, Y, Z, v);
    store_quad(coarse, coarse.floor, slot, Y, Z, floor);
}

KERNEL(restrict_start) { restrict_start_quad(a.level, a.coarse, blockIdx.x * blockDim.x + threadIdx.x); }

// x <- P x_H, or q <- q + factor P x_H on level 0.
template <class T>
__device__ inline void prolong_start_group(const Level &level, const Level &coarse, const Place &place, int kind, T *q,
                                           T keep, T factor) {
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * level.size + place.at;
        unsigned flags = kind == PLAIN ? 0 : flags4(level.flags + own);
        Four<float> v = prolong4(coarse, coarse.start, place, colour, flags, kind != PLAIN);
        Four<T> x = load4(q + own);
        for (int k = 0; k < 4; k++)
            if (kind == PLAIN || (flag(flags, k) & PRESENT)) x.v[k] = keep * x.v[k] + factor * v.v[k];
        store4(q + own, x);
    }
}

KERNEL(prolong_fine) {
    FOR_KINDS(a.level, place, kind) prolong_start_group(a.level, a.coarse, place, kind, a.q, 1.0, a.factor);
}

KERNEL(prolong_start) {
    FOR_KINDS(a.level, place, kind) prolong_start_group(a.level, a.coarse, place, kind, a.level.start, 0.0f, 1.0f);
}
