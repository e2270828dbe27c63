// The complementary rows: projected sweeps, and which of them let go. For level 0 in double precision,
// for the nested start of coarse levels in single precision.

#define ALL_CELLS 0
#define NEAR_CELLS 1

// q_i <- max(q_i - relaxation r_i / A_ii, lower_i) on the cells of a colour.
template <class T>
__device__ inline void project_group(const Level &level, const System<T> &s, const Place &place, int colour,
                                     T relaxation) {
    int kind = level.groups[place.at >> 2], own = colour * level.size + place.at;
    if (kind == EMPTY) return;
    unsigned flags = flags4(level.flags + own);
    Four<T> q = load4(s.q + own), b = load4(s.b + own);
    Rows<T> rows = rows_of(level, s, (const T *)s.q, kind, colour, place.at, second(place, colour));
    for (int k = 0; k < 4; k++) {
        if (!(rows.diagonal.v[k] > 0)) continue;
        T relaxed = q.v[k] + relaxation * ((rows.sum.v[k] - b.v[k]) / rows.diagonal.v[k] - q.v[k]);
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
template <class T> __device__ inline int choose_group(const Level &level, const System<T> &s, const Place &place) {
    int changes = 0;
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * level.size + place.at;
        unsigned flags = flags4(level.flags + own);
        if (!(flags & WALL * 0x01010101u)) continue;
        int kind = level.groups[place.at >> 2];
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
__device__ inline float load_group(const Level &level, const System<T> &s, const Place &place, T factor) {
    int kind = level.groups[place.at >> 2];
    float most = 0.0f;
    if (kind == EMPTY) return most;
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
    if (a.mode == ALL_CELLS) {
        FOR_TILES(a.level, place, false) project_group(a.level, fine_system(a), place, a.colour, 1.0);
    } else {
        FOR_LISTED(a.level, a.near, place) project_group(a.level, fine_system(a), place, a.colour, a.factor);
    }
}

LEAN_KERNEL(project_start, 8) {
    FOR_TILES(a.level, place, false) project_group(a.level, start_system(a.level), place, a.colour, 1.0f);
}

LEAN_KERNEL(choose_fine, 8) {
    int changes = 0;
    {
        FOR_MIXED(a.level, place) changes += choose_group(a.level, fine_system(a), place);
    }
    if (changes) atomicAdd(&a.scalars->changes, changes);
}

KERNEL(choose_start) {
    FOR_MIXED(a.level, place) choose_group(a.level, start_system(a.level), place);
}

KERNEL(settle_fine) {
    FOR_MIXED(a.level, place) settle_group(a.level, fine_system(a), place, a.mode);
}

KERNEL(settle_start) {
    FOR_MIXED(a.level, place) settle_group(a.level, start_system(a.level), place, a.mode);
}

// The load of groups that are not plain or that a sweep near walls has touched; that of the others is there from
// the last residual.
LEAN_BARRIER_KERNEL(load_fine, 8) {
    float most = 0.0f;
    {
        FOR_LISTED(a.level, a.touched, place)
        most = larger(most, load_group(a.level, fine_system(a), place, a.factor));
    }
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->free_norm = larger(norm, a.scalars->plain_norm);
}

BARRIER_KERNEL(load_start) {
    float most = 0.0f;
    {
        FOR_TILES(a.level, place, false)
        most = larger(most, load_group(a.level, start_system(a.level), place, (float)a.factor));
    }
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->norm = norm;
}

// The natural residual max |min(q - lower, r)|; plain groups get their load, as by load_group.
__device__ inline void residual_group(const Args &a, const System<double> &s, const Place &place, double *most) {
    int kind = a.level.groups[place.at >> 2];
    if (kind == EMPTY) return;
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
        if (kind == PLAIN) store4(a.level.b + own, load);
    }
}

LEAN_BARRIER_KERNEL(natural_residual, 8) {
    System<double> s = fine_system(a);
    double most[2] = {0.0, 0.0};
    {
        FOR_TILES(a.level, place, false) residual_group(a, s, place, most);
    }
    if (reduce<2, true>(a, most)) a.scalars->residual = most[0], a.scalars->plain_norm = most[1];
}

// The residual of level 0 as the load of level 1, and how far wall cells of level 1 may sink.
KERNEL(restrict_to_start) {
    int slot, Y, Z, item = blockIdx.x * blockDim.x + threadIdx.x;
    if (!coarse_quad(a.level, a.coarse, item, slot, Y, Z)) return;
    System<double> s = fine_system(a);
    float v[4], floor[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    bool is_there = gather_quad(
        a.level, a.coarse, slot, Y, Z, v,
        [&](const Place &place, int kind, float *v) {
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * a.level.size + place.at;
                Rows<double> rows = rows_of(a.level, s, (const double *)s.q, kind, colour, place.at, second(place, colour));
                Four<double> q = load4(s.q + own), b = load4(s.b + own);
                unsigned flags = kind == PLAIN ? 0 : flags4(a.level.flags + own);
                for (int k = 0; k < 4; k++) {
                    unsigned f = flag(flags, k);
                    if (code_of(f)) continue;
                    double r = rows.diagonal.v[k] * q.v[k] - rows.sum.v[k] + b.v[k];
                    v[k] += (float)(r * a.factor);
                    if (f & WALL) floor[k] = fmaxf(floor[k], (float)((s.lower[own + k] - q.v[k]) * (a.factor * s.unit)));
                }
            }
        },
        [&](int x, int y, int z, int cell, unsigned) -> float {
            double product, diagonal;
            single_row(a.level, s, (const double *)s.q, x, y, z, cell, product, diagonal);
            return (float)((product + s.b[cell]) * a.factor);
        });
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
__device__ inline void prolong_start_group(const Level &level, const Level &coarse, const Place &place, T *q, T keep,
                                           T factor) {
    int kind = level.groups[place.at >> 2];
    if (kind == EMPTY) return;
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
    FOR_TILES(a.level, place, false) prolong_start_group(a.level, a.coarse, place, a.q, 1.0, a.factor);
}

KERNEL(prolong_start) {
    FOR_TILES(a.level, place, false) prolong_start_group(a.level, a.coarse, place, a.level.start, 0.0f, 1.0f);
}

// One row of every loose component stays pinned, the one that is most so. A key holds how much, as
// bits that are ordered like the numbers, and which row.
__device__ inline u64 key_of(float excess, unsigned row) {
    unsigned bits = __float_as_uint(excess);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (u64)bits << 32 | row;
}

// For rows of loose components, listed as (row's cell, component): anchors[2 c] counts pinned rows,
// anchors[2 c + 1] holds the best candidate.
KERNEL(find_anchors) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= a.rows) return;
    int cell = a.loose[2 * item], component = a.loose[2 * item + 1];
    unsigned flags = a.level.flags[cell];
    if (!(flags & WALL)) return;
    if (flags & PINNED) {
        atomicAdd(&a.anchors[2 * component], 1ull);
        return;
    }
    System<double> s = fine_system(a);
    int at = cell % a.level.size, colour = cell / a.level.size;
    Place place = place_at(a.level, at);
    int x = 2 * place.slot + second(place, colour);
    double product, diagonal;
    single_row(a.level, s, (const double *)s.q, x, place.y, place.z, cell, product, diagonal);
    float excess = (float)(product + s.b[cell] - diagonal * (s.q[cell] - s.lower[cell]));
    atomicMax(&a.anchors[2 * component + 1], key_of(excess, cell));
}

KERNEL(drop_anchors) {
    int component = blockIdx.x * blockDim.x + threadIdx.x;
    if (component >= a.rows || a.anchors[2 * component]) return;
    unsigned cell = (unsigned)a.anchors[2 * component + 1];
    if (cell) a.level.flags[cell] |= PINNED;
}
