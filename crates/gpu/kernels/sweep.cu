// Red-black Gauss-Seidel, half a sweep at a time: x_i <- (b_i + sum c_ij x_j) / A_ii.

// The new values of plain cells. They are computed before it is known whether the cells are plain: the more loads are
// under way at a time, the faster.
__device__ inline Four<float> swept_plain(const DeviceLevel &level, const Group &group, int colour, int mode) {
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, sum = b, x;
    if (mode != Sweep::WithoutB) b = load4(level.b + colour * level.size + group.at);
    const float *other = level.x + (1 - colour) * level.size;
    if (mode != Sweep::FromZero) sum = sum_of(neighbours(level, other, group.at, holds_second(group, colour)));
    float weight = 1.0f / SIDES, load = 1.0f / level.unit;
    for (int k = 0; k < 4; k++) x.v[k] = weight * (load * b.v[k] + sum.v[k]);
    return x;
}

// The new values of other cells. Empty groups that are treated as mixed get zero.
__device__ inline Four<float> swept(const DeviceLevel &level, const Group &group, int colour, int mode, int kind) {
    int own = colour * level.size + group.at;
    System<float> s = cycle_system(level);
    Rows<float> rows;
    if (mode != Sweep::FromZero)
        rows = rows_of(level, s, level.x, kind, group, colour);
    else {
        rows.sum = {0.0f, 0.0f, 0.0f, 0.0f};
        rows.diagonal = diagonal_of(level, s, kind, group, colour);
    }
    Four<float> b = {0.0f, 0.0f, 0.0f, 0.0f}, x;
    if (mode != Sweep::WithoutB) b = load4(level.b + own);
    unsigned flags = flags4(level.flags + own);
    for (int k = 0; k < 4; k++) {
        bool is_swept = rows.diagonal.v[k] > 0.0f && !(flag(flags, k) & PINNED);
        x.v[k] = is_swept ? (b.v[k] + rows.sum.v[k]) / rows.diagonal.v[k] : 0.0f;
    }
    return x;
}

LEAN_KERNEL(sweep, 12) {
    const DeviceLevel &level = a.level;
    Group group;
    if (!locate(level, blockIdx.x, false, group)) return;
    float *own = level.x + a.colour * level.size + group.at;
    int kind = MIXED;
    if (!level.is_crowded) { // on a crowded level latency matters more than traffic
        kind = level.kinds[group.at >> 2];
        Four<float> x = swept_plain(level, group, a.colour, a.sweep);
        if (kind == PLAIN) store4(own, x);
        if (kind <= PLAIN) return;
    }
    store4(own, swept(level, group, a.colour, a.sweep, kind));
}
