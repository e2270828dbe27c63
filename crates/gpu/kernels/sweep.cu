// Red-black Gauss-Seidel, half a sweep at a time: x_i <- (b_i + sum c_ij x_j) / A_ii.

#define WITH_B 0
#define WITHOUT_B 1
#define FROM_ZERO 2 // all neighbours are zero

__device__ inline void sweep_group(const Level &level, const Place &place, int colour, int mode) {
    // Everything is asked for before anything is looked at: memory answers late.
    int kind = level.groups[place.at >> 2];
    int own = colour * level.size + place.at;
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, sum = b, x;
    Around<float> n;
    if (mode != WITHOUT_B) b = load4(level.b + own);
    if (mode != FROM_ZERO) n = around(level, (const float *)level.x + (1 - colour) * level.size, place.at, second(place, colour));
    if (kind == EMPTY) return;
    if (kind == PLAIN) {
        float weight = 1.0f / SIDES, load = 1.0f / level.unit;
        if (mode != FROM_ZERO) sum = sum_of(n);
        for (int k = 0; k < 4; k++) x.v[k] = weight * (load * b.v[k] + sum.v[k]);
    } else {
        Around<float> c =
            couplings(level, (const float *const *)level.coupling, colour, place.at, second(place, colour));
        Four<float> diagonal = load4(level.excess + own);
        unsigned flags = flags4(level.flags + own);
        for (int k = 0; k < 4; k++) {
            for (int side = 0; side < SIDES; side++) {
                diagonal.v[k] += c.side[side].v[k];
                if (mode != FROM_ZERO) sum.v[k] += c.side[side].v[k] * n.side[side].v[k];
            }
            bool is_free = diagonal.v[k] > 0.0f && !(flag(flags, k) & PINNED);
            x.v[k] = is_free ? (b.v[k] + sum.v[k]) / diagonal.v[k] : 0.0f;
        }
    }
    store4(level.x + own, x);
}

KERNEL(sweep) {
    FOR_TILES(a.level, place, false) sweep_group(a.level, place, a.colour, a.mode);
}
