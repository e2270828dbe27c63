// Red-black Gauss-Seidel, half a sweep at a time: x_i <- (b_i + sum c_ij x_j) / A_ii.

#define WITH_B 0
#define WITHOUT_B 1
#define FROM_ZERO 2 // all neighbours are zero

// A group of any kind; one that is taken for mixed and is empty comes out as zero.
__device__ inline void sweep_group(const Level &level, const Place &place, int colour, int mode, int kind) {
    int own = colour * level.size + place.at;
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, x;
    if (kind == EMPTY) return;
    if (mode != WITHOUT_B) b = load4(level.b + own);
    if (kind == PLAIN) {
        float weight = 1.0f / SIDES, load = 1.0f / level.unit;
        Four<float> sum = {0.0f, 0.0f, 0.0f, 0.0f};
        const float *other = level.x + (1 - colour) * level.size;
        if (mode != FROM_ZERO) sum = sum_of(around(level, other, place.at, second(place, colour)));
        for (int k = 0; k < 4; k++) x.v[k] = weight * (load * b.v[k] + sum.v[k]);
    } else {
        System<float> s = cycle_system(level);
        unsigned flags = flags4(level.flags + own);
        Rows<float> rows;
        if (mode != FROM_ZERO)
            rows = rows_of(level, s, (const float *)level.x, kind, colour, place.at, second(place, colour));
        else {
            rows.sum = {0.0f, 0.0f, 0.0f, 0.0f};
            rows.diagonal = diagonal_of(level, s, kind, colour, place.at, second(place, colour));
        }
        for (int k = 0; k < 4; k++) {
            bool is_free = rows.diagonal.v[k] > 0.0f && !(flag(flags, k) & PINNED);
            x.v[k] = is_free ? (b.v[k] + rows.sum.v[k]) / rows.diagonal.v[k] : 0.0f;
        }
    }
    store4(level.x + own, x);
}

LEAN_KERNEL(sweep, 12) {
    Place place;
    if (!locate(a.level, blockIdx.x, false, place)) return;
    int kind = a.level.is_crowded ? MIXED : a.level.groups[place.at >> 2]; // crowded: latency counts
    sweep_group(a.level, place, a.colour, a.mode, kind);
}
