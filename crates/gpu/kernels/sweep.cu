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

__device__ inline void sweep_plain(const Level &level, const Place &place, int colour, int mode) {
    int own = colour * level.size + place.at;
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, sum = b, x;
    if (mode != WITHOUT_B) b = load4(level.b + own);
    if (mode != FROM_ZERO)
        sum = sum_of(around(level, (const float *)level.x + (1 - colour) * level.size, place.at, second(place, colour)));
    float weight = 1.0f / SIDES, load = 1.0f / level.unit;
    for (int k = 0; k < 4; k++) x.v[k] = weight * (load * b.v[k] + sum.v[k]);
    store4(level.x + own, x);
}

// Plain groups tile by tile; the blocks behind the tiles do the mixed ones, so that no warp does both.
KERNEL(sweep) {
    const Level &level = a.level;
    Place place;
    if (level.is_crowded) {
        if (locate(level, blockIdx.x, true, place)) sweep_any(level, place, a.colour, a.mode);
    } else if ((int)blockIdx.x < tiles_of(level)) {
        if (locate(level, blockIdx.x, false, place) && level.groups[place.at >> 2] == PLAIN)
            sweep_plain(level, place, a.colour, a.mode);
    } else {
        FOR_MIXED(level, place, tiles_of(level)) sweep_any(level, place, a.colour, a.mode);
    }
}
