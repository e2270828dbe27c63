// Red-black Gauss-Seidel, half a sweep at a time: x_i <- (b_i + sum c_ij x_j) / A_ii.

#define WITH_B 0
#define WITHOUT_B 1
#define FROM_ZERO 2 // all neighbours are zero

__device__ inline void sweep_group(const Level &level, const Place &place, int colour, int mode) {
    int kind = level.groups[place.at >> 2];
    if (kind == EMPTY) return;
    int own = colour * level.size + place.at;
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, x;
    if (mode != WITHOUT_B) b = load4(level.b + own);
    if (kind == PLAIN) {
        float weight = 1.0f / SIDES, load = 1.0f / level.unit;
        Four<float> sum = {0.0f, 0.0f, 0.0f, 0.0f};
        if (mode != FROM_ZERO)
            sum = sum_of(around(level, level.x + (1 - colour) * level.size, place.at, second(place, colour)));
        for (int k = 0; k < 4; k++) x.v[k] = weight * (load * b.v[k] + sum.v[k]);
    } else {
        Rows<float> rows =
            mixed_rows(level, cycle_system(level), level.x, colour, place.at, second(place, colour));
        unsigned flags = flags4(level.flags + own);
        for (int k = 0; k < 4; k++) {
            bool is_free = rows.diagonal.v[k] > 0.0f && !(flag(flags, k) & PINNED);
            float sum = mode == FROM_ZERO ? 0.0f : rows.sum.v[k];
            x.v[k] = is_free ? (b.v[k] + sum) / rows.diagonal.v[k] : 0.0f;
        }
    }
    store4(level.x + own, x);
}

KERNEL(sweep) {
    FOR_TILES(a.level, place, false) sweep_group(a.level, place, a.colour, a.mode);
}
