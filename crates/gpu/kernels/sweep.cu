// Red-black Gauss-Seidel, half a sweep at a time: x_i <- (b_i + sum c_ij x_j) / A_ii.

#define WITH_B 0
#define WITHOUT_B 1
#define FROM_ZERO 2 // all neighbours are zero

// A group of any kind; one that is taken for mixed and is empty comes out as zero. Everything that a plain group
// needs is asked for at once, before its kind is known: what counts here is how many loads are under way.
__device__ inline void sweep_group(const Level &level, const Place &place, int colour, int mode, int kind) {
    int own = colour * level.size + place.at;
    bool is_second = second(place, colour);
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, x = b;
    Around<float> n;
    if (mode != WITHOUT_B) b = load4(level.b + own);
    if (mode != FROM_ZERO)
        n = around(level, (const float *)level.x + (1 - colour) * level.size, place.at, is_second);
    else
        for (int side = 0; side < SIDES; side++) n.side[side] = x;
    if (kind == PLAIN) {
        float weight = 1.0f / SIDES, load = 1.0f / level.unit;
        Four<float> sum = sum_of(n);
        for (int k = 0; k < 4; k++) x.v[k] = weight * (load * b.v[k] + sum.v[k]);
    } else if (kind != EMPTY) {
        System<float> s = cycle_system(level);
        unsigned flags = flags4(level.flags + own);
        Rows<float> rows = kind == REGULAR ? regular_rows(level, s, n, colour, place.at)
                                           : mixed_rows(level, s, n, colour, place.at, is_second);
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
    int kind = a.level.is_crowded ? MIXED : a.level.groups[place.at >> 2]; // crowded: latency counts
    sweep_group(a.level, place, a.colour, a.mode, kind);
}
