// A component without air is singular unless one of its rows is pinned. If the choice has pinned none, the row that is
// nearest to being pinned is pinned here. A key orders rows by how near they are: the bits of that number, changed so
// that they sort like the number, and then the row.
__device__ inline u64 key_of(float slack, unsigned row) {
    unsigned bits = __float_as_uint(slack);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (u64)bits << 32 | row;
}

// How near a row is to being pinned: r_i - A_ii (q_i - lower_i).
__device__ inline float slack_of(const Args &a, int cell) {
    Group group = group_starting_at(a.level, cell % a.level.size);
    int x = 2 * group.slot + holds_second(group, cell / a.level.size);
    if (a.slack == Slack::OfCorrection) {
        float product, diagonal;
        single_row(a.level, cycle_system(a.level), a.level.correction, x, group.y, group.z, cell, product, diagonal);
        return product - a.level.b[cell] - diagonal * (a.level.correction[cell] - a.level.floor[cell]);
    }
    double product, diagonal;
    single_row(a.level, fine_system(a), a.q, x, group.y, group.z, cell, product, diagonal);
    return (float)(product + a.b[cell] - diagonal * (a.q[cell] - a.lower[cell]));
}

// For the rows of these components, listed as (cell, component): candidates[2 c] counts the pinned rows of component c,
// candidates[2 c + 1] holds the largest key.
KERNEL(find_candidates) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= a.rows) return;
    int cell = a.loose_rows[2 * item], component = a.loose_rows[2 * item + 1];
    unsigned flags = a.level.flags[cell];
    if (!(flags & WALL)) return;
    if (flags & PINNED) {
        atomicAdd(&a.candidates[2 * component], 1ull);
        return;
    }
    atomicMax(&a.candidates[2 * component + 1], key_of(slack_of(a, cell), cell));
}

KERNEL(pin_candidates) {
    int component = blockIdx.x * blockDim.x + threadIdx.x;
    if (component >= a.components || a.candidates[2 * component]) return;
    unsigned cell = (unsigned)a.candidates[2 * component + 1];
    if (!cell) return;
    a.level.flags[cell] |= PINNED;
    a.scalars->truncated_changes = -1; // this is not counted among the changes
}
