// Red-black Gauss-Seidel, half a sweep at a time: x_i <- (b_i + sum c_ij x_j) / A_ii.

#define WITH_B 0
#define WITHOUT_B 1
#define FROM_ZERO 2 // all neighbours are zero

// What plain cells become. It is computed before it is known whether they are plain: what counts here is how many
// loads are under way.
__device__ inline Four<float> swept_plain(const Level &level, const Place &place, int colour, int mode) {
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, sum = b, x;
    if (mode != WITHOUT_B) b = load4(level.b + colour * level.size + place.at);
    const float *other = level.x + (1 - colour) * level.size;
    if (mode != FROM_ZERO) sum = sum_of(around(level, other, place.at, second(place, colour)));
    float weight = 1.0f / SIDES, load = 1.0f / level.unit;
    for (int k = 0; k < 4; k++) x.v[k] = weight * (load * b.v[k] + sum.v[k]);
    return x;
}

// What others become; empty groups that are taken for mixed come out as zero.
__device__ inline Four<float> swept(const Level &level, const Place &place, int colour, int mode, int kind) {
    int own = colour * level.size + place.at;
    System<float> s = cycle_system(level);
    Rows<float> rows;
    if (mode != FROM_ZERO)
        rows = rows_of(level, s, (const float *)level.x, kind, colour, place.at, second(place, colour));
    else {
        rows.sum = {0.0f, 0.0f, 0.0f, 0.0f};
        rows.diagonal = diagonal_of(level, s, kind, colour, place.at, second(place, colour));
    }
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, x;
    if (mode != WITHOUT_B) b = load4(level.b + own);
    unsigned flags = flags4(level.flags + own);
    for (int k = 0; k < 4; k++) {
        bool is_free = rows.diagonal.v[k] > 0.0f && !(flag(flags, k) & PINNED);
        x.v[k] = is_free ? (b.v[k] + rows.sum.v[k]) / rows.diagonal.v[k] : 0.0f;
    }
    return x;
}

LEAN_KERNEL(sweep, 12) {
    const Level &level = a.level;
    Place place;
    if (!locate(level, blockIdx.x, false, place)) return;
    float *own = level.x + a.colour * level.size + place.at;
    int kind = MIXED;
    if (!level.is_crowded) { // else latency counts
        kind = level.groups[place.at >> 2];
        Four<float> x = swept_plain(level, place, a.colour, a.mode);
        if (kind == PLAIN) store4(own, x);
        if (kind <= PLAIN) return;
    }
    store4(own, swept(level, place, a.colour, a.mode, kind));
}
