// One row of every loose component stays pinned, the one that is most so. A key holds how much, as
// bits that are ordered like the numbers, and which row.
__device__ inline u64 key_of(float excess, unsigned row) {
    unsigned bits = __float_as_uint(excess);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (u64)bits << 32 | row;
}

#define OF_CORRECTION 1 // near walls, which is not in q yet

// How much a row is pinned, r_i - A_ii (q_i - lower_i).
__device__ inline float slack_of(const Args &a, int cell) {
    Place place = place_at(a.level, cell % a.level.size);
    int x = 2 * place.slot + second(place, cell / a.level.size);
    if (a.mode == OF_CORRECTION) {
        float product, diagonal;
        single_row(a.level, cycle_system(a.level), (const float *)a.level.start, x, place.y, place.z, cell, product, diagonal);
        return product - a.level.b[cell] - diagonal * (a.level.start[cell] - a.level.floor[cell]);
    }
    double product, diagonal;
    single_row(a.level, fine_system(a), (const double *)a.q, x, place.y, place.z, cell, product, diagonal);
    return (float)(product + a.b[cell] - diagonal * (a.q[cell] - a.lower[cell]));
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
    atomicMax(&a.anchors[2 * component + 1], key_of(slack_of(a, cell), cell));
}

KERNEL(drop_anchors) {
    int component = blockIdx.x * blockDim.x + threadIdx.x;
    if (component >= a.rows || a.anchors[2 * component]) return;
    unsigned cell = (unsigned)a.anchors[2 * component + 1];
    if (!cell) return;
    a.level.flags[cell] |= PINNED;
    a.scalars->truncated = -1; // not counted among the changes
}
