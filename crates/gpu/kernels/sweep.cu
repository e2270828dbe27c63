// Red-black Gauss-Seidel, half a sweep at a time: x_i <- (b_i + sum c_ij x_j) / A_ii.

#define WITH_B 0
#define WITHOUT_B 1
#define FROM_ZERO 2 // all neighbours are zero

// Groups that are not plain, or that nobody knows to be: an empty one comes out as zero.
__device__ inline void sweep_any(const Level &level, const Place &place, int colour, int mode) {
    int own = colour * level.size + place.at;
    bool is_second = second(place, colour);
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, sum = b, x;
    Around<float> n, c = couplings(level, (const float *const *)level.coupling, colour, place.at, is_second);
    Four<float> diagonal = load4(level.excess + own);
    unsigned flags = flags4(level.flags + own);
    if (mode != WITHOUT_B) b = load4(level.b + own);
    if (mode != FROM_ZERO) n = around(level, (const float *)level.x + (1 - colour) * level.size, place.at, is_second);
    for (int k = 0; k < 4; k++) {
        for (int side = 0; side < SIDES; side++) {
            diagonal.v[k] += c.side[side].v[k];
            if (mode != FROM_ZERO) sum.v[k] += c.side[side].v[k] * n.side[side].v[k];
        }
        bool is_free = diagonal.v[k] > 0.0f && !(flag(flags, k) & PINNED);
        x.v[k] = is_free ? (b.v[k] + sum.v[k]) / diagonal.v[k] : 0.0f;
    }
    store4(level.x + own, x);
}

__device__ inline void sweep_group(const Level &level, const Place &place, int colour, int mode) {
    int kind = level.groups[place.at >> 2];
    if (kind == EMPTY) return;
    if (kind == MIXED) {
        sweep_any(level, place, colour, mode);
        return;
    }
    int own = colour * level.size + place.at;
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, x;
    Around<float> n;
    if (mode != WITHOUT_B) b = load4(level.b + own);
    if (mode != FROM_ZERO)
        n = around(level, (const float *)level.x + (1 - colour) * level.size, place.at, second(place, colour));
    else
        for (int side = 0; side < SIDES; side++) n.side[side] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (kind == PLAIN) {
        float weight = 1.0f / SIDES, load = 1.0f / level.unit;
        Four<float> sum = sum_of(n);
        for (int k = 0; k < 4; k++) x.v[k] = weight * (load * b.v[k] + sum.v[k]);
    } else {
        Rows<float> rows = regular_rows(level, cycle_system(level), n, colour, place.at);
        unsigned flags = flags4(level.flags + own);
        for (int k = 0; k < 4; k++) {
            bool is_free = rows.diagonal.v[k] > 0.0f && !(flag(flags, k) & PINNED);
            x.v[k] = is_free ? (b.v[k] + rows.sum.v[k]) / rows.diagonal.v[k] : 0.0f;
        }
    }
    store4(level.x + own, x);
}

KERNEL(sweep) {
    Place place;
    if (!locate(a.level, blockIdx.x, false, place)) return;
    if (a.level.is_crowded) // latency counts: everything is asked for at once
        sweep_any(a.level, place, a.colour, a.mode);
    else
        sweep_group(a.level, place, a.colour, a.mode);
}
