// Transfer between two levels. A coarse cell stands for the connected free cells of a block of 2^DIM. A cell that a
// thin wall cuts off from them (an orphan) belongs to the coarse cell of the neighbouring block on its side.

// The step that a parent code means: towards the block below or above along an axis.
__device__ inline int step_of(int code, int axis) {
    return code - 1 == 2 * axis ? -1 : code - 1 == 2 * axis + 1 ? 1 : 0;
}

// The coarse cell of a cell at coordinates; -1 if it has none.
__device__ inline int parent_of(const DeviceLevel &coarse, int code, int x, int y, int z) {
    if (code == PARENT_NONE) return -1;
    return cell_of(coarse, (x >> 1) + step_of(code, 0), (y >> 1) + step_of(code, 1),
                   (DIM == 3 ? z >> 1 : 0) + step_of(code, 2));
}

__device__ inline int code_of(unsigned flags) { return (flags >> PARENT_SHIFT) & 7; }

// Calls visit(x, y, z, cell, flags) for every child of a coarse cell.
template <class Visit>
__device__ inline void children(const DeviceLevel &fine, const DeviceLevel &coarse, int X, int Y, int Z,
                                bool has_orphans, Visit visit) {
    for (int code = 0; code <= (has_orphans ? SIDES : 0); code++) {
        // A child with this code is in the block on the other side.
        int bx = X - step_of(code, 0), by = Y - step_of(code, 1), bz = Z - step_of(code, 2);
        if (bx < 0 || bx >= coarse.cells[0] || by < 0 || by >= coarse.cells[1]) continue;
        if (bz < 0 || bz >= coarse.cells[2]) continue;
        for (int k = 0; k < (1 << DIM); k++) {
            int x = 2 * bx + (k & 1), y = 2 * by + ((k >> 1) & 1), z = DIM == 3 ? 2 * bz + (k >> 2) : 0;
            int cell = cell_of(fine, x, y, z);
            unsigned flags = fine.flags[cell];
            if ((flags & PRESENT) && code_of(flags) == code) visit(x, y, z, cell, flags);
        }
    }
}

// Calls visit(side, x, y, z, cell) for every neighbour of a cell at coordinates.
template <class Visit> __device__ inline void beside(const DeviceLevel &level, int x, int y, int z, Visit visit) {
    for (int side = 0; side < SIDES; side++) {
        int step = side & 1 ? 1 : -1, axis = side >> 1;
        int nx = x + (axis == 0 ? step : 0), ny = y + (axis == 1 ? step : 0), nz = z + (axis == 2 ? step : 0);
        visit(side, nx, ny, nz, cell_of(level, nx, ny, nz)); // beyond the border it is an entry that stays zero
    }
}

// The coupling of a cell with a neighbour. It is stored at the lower of the two.
template <class T>
__device__ inline T coupling_of(const T *const coupling[3], int side, int cell, int neighbour) {
    return coupling[side >> 1][side & 1 ? cell : neighbour];
}

// The row of a cell at coordinates: A q, and A_ii.
template <class T>
__device__ inline void single_row(const DeviceLevel &level, const System<T> &s, const T *q, int x, int y, int z,
                                  int cell, T &product, T &diagonal) {
    diagonal = s.excess[cell];
    T sum = 0;
    beside(level, x, y, z, [&](int side, int, int, int, int neighbour) {
        T c = coupling_of(s.coupling, side, cell, neighbour);
        diagonal += c;
        sum += c * q[neighbour];
    });
    product = diagonal * q[cell] - sum;
}

// The four coarse cells of a thread: two slots of a coarse row. They come from four slots of each fine row below.
__device__ inline bool coarse_quad(const DeviceLevel &fine, const DeviceLevel &coarse, int item, int &slot, int &Y,
                                   int &Z) {
    int row = item / fine.row_groups;
    slot = 4 * (item % fine.row_groups), Y = row % coarse.cells[1], Z = row / coarse.cells[1];
    return Z < coarse.cells[2];
}

__device__ inline int coarse_quads(const DeviceLevel &fine, const DeviceLevel &coarse) {
    return fine.row_groups * coarse.cells[1] * coarse.cells[2];
}

// Writes four coarse values, those of X = slot .. slot + 3.
__device__ inline void store_quad(const DeviceLevel &coarse, float *y, int slot, int Y, int Z, const float *v) {
    int at = row_of(coarse, Y, Z) + (slot >> 1), is_odd = (Y + Z) & 1;
    float2 even = {v[0], v[2]}, odd = {v[1], v[3]};
    *(float2 *)(y + (is_odd ? coarse.size : 0) + at) = even;
    *(float2 *)(y + (is_odd ? 0 : coarse.size) + at) = odd;
}

// Adds to v what the children of four coarse cells contribute: gather() for the four slots of a row, single() for an
// orphan. Returns whether there are any children.
template <class Gather, class Single>
__device__ inline bool gather_quad(const DeviceLevel &fine, const DeviceLevel &coarse, int slot, int Y, int Z, float *v,
                                   Gather gather, Single single) {
    // On a crowded level every group is treated as mixed, so that nothing waits for its kind.
    int kinds[1 << (DIM - 1)];
    bool is_there = fine.is_crowded, is_mixed = fine.is_crowded;
    unsigned with_orphans = 0;
#pragma unroll
    for (int k = 0; k < (1 << (DIM - 1)); k++) {
        int at = row_of(fine, 2 * Y + (k & 1), DIM == 3 ? 2 * Z + (k >> 1) : 0) + slot;
        kinds[k] = fine.is_crowded ? MIXED : fine.kinds[at >> 2];
        is_there |= kinds[k] != EMPTY, is_mixed |= kinds[k] > PLAIN;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k] = 0.0f;
        if (is_mixed && slot + k < coarse.cells[0] && (coarse.flags[cell_of(coarse, slot + k, Y, Z)] & HAS_ORPHANS))
            with_orphans |= 1u << k;
    }
#pragma unroll
    for (int k = 0; k < (1 << (DIM - 1)); k++) {
        Group group = group_of(fine, slot, 2 * Y + (k & 1), DIM == 3 ? 2 * Z + (k >> 1) : 0);
        if (kinds[k] != EMPTY) gather(group, kinds[k], v);
    }
    if (!with_orphans) return is_there;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        if (!(with_orphans >> k & 1)) continue;
        float sum = 0.0f;
        children(fine, coarse, slot + k, Y, Z, true, [&](int x, int y, int z, int cell, unsigned f) {
            if (code_of(f)) sum += single(x, y, z, cell, f);
        });
        // Registers have no index at run time.
#pragma unroll
        for (int j = 0; j < 4; j++) v[j] += j == k ? sum : 0.0f;
    }
    return is_there;
}

// b - A x of four red cells, whether they count or not.
__device__ inline Four<float> red_residual(const DeviceLevel &level, const Group &group, int kind, bool has_b) {
    Four<float> r = {0.0f, 0.0f, 0.0f, 0.0f}, x = load4(level.x + group.at);
    if (has_b) r = load4(level.b + group.at);
    Rows<float> rows = rows_of(level, cycle_system(level), level.x, kind, group, 0);
    for (int k = 0; k < 4; k++) r.v[k] -= rows.diagonal.v[k] * x.v[k] - rows.sum.v[k];
    return r;
}

// The sum of b - A x over the red orphans of a coarse cell.
__device__ inline float orphan_residual(const DeviceLevel &fine, const DeviceLevel &coarse, int X, int Y, int Z,
                                        bool has_b) {
    System<float> s = cycle_system(fine);
    float sum = 0.0f;
    children(fine, coarse, X, Y, Z, true, [&](int x, int y, int z, int cell, unsigned flags) {
        if (!code_of(flags) || cell >= fine.size || (flags & PINNED)) return;
        float product, diagonal;
        single_row(fine, s, fine.x, x, y, z, cell, product, diagonal);
        sum += (has_b ? fine.b[cell] : 0.0f) - product;
    });
    return sum;
}

// b_H <- P^T (b - A x), where black cells have no residual. Each thread computes a group of the fine level. The first
// of the rows below a coarse row adds them up.
LEAN_BARRIER_KERNEL(restrict_residual, 10) {
    const DeviceLevel &fine = a.level, &coarse = a.coarse;
    __shared__ float parts[4][THREADS];
    __shared__ u8 kinds[THREADS];
    if (!fine.is_crowded && !fine.tile_marks[blockIdx.x]) return;
    Group group;
    int t = threadIdx.x, kind = EMPTY;
    if (locate(fine, blockIdx.x, true, group)) {
        Four<float> r;
        if (fine.is_crowded)
            kind = MIXED;
        else {
            kind = fine.kinds[group.at >> 2];
            r = red_residual(fine, group, PLAIN, !a.is_reduced); // before the kind is known
        }
        unsigned flags = 0;
        if (kind > PLAIN) {
            flags = flags4(fine.flags + group.at);
            r = red_residual(fine, group, kind, !a.is_reduced);
        }
        for (int k = 0; k < 4; k++) {
            unsigned f = flag(flags, k);
            bool counts = kind == PLAIN || (is_free(f) && !code_of(f));
            parts[k][t] = counts ? r.v[k] : 0.0f;
        }
    }
    kinds[t] = (u8)kind;
    __syncthreads();
    int row = t >> 3, y = row % TILE_Y, z = row / TILE_Y;
    if ((y | z) & 1) return;
    int most = EMPTY;
    float v[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < (1 << (DIM - 1)); k++) {
        int other = t + 8 * (k & 1) + 8 * TILE_Y * (k >> 1);
        if (kinds[other] == EMPTY) continue;
        most = most > kinds[other] ? most : kinds[other];
        for (int j = 0; j < 4; j++) v[j] += parts[j][other];
    }
    if (most == EMPTY) return;
    int Y = group.y >> 1, Z = group.z >> 1;
    for (int k = 0; k < 4; k++) {
        bool has_orphans = most > PLAIN && group.slot + k < coarse.cells[0] &&
                           (coarse.flags[cell_of(coarse, group.slot + k, Y, Z)] & HAS_ORPHANS);
        if (has_orphans) v[k] += orphan_residual(fine, coarse, group.slot + k, Y, Z, !a.is_reduced);
    }
    store_quad(coarse, coarse.b, group.slot, Y, Z, v);
}

// The coarse values of the blocks of four cells.
__device__ inline Four<float> parents4(const DeviceLevel &coarse, const float *y, const Group &group) {
    int Y = group.y >> 1, Z = DIM == 3 ? group.z >> 1 : 0, is_odd = (Y + Z) & 1;
    int at = row_of(coarse, Y, Z) + (group.slot >> 1);
    float2 even = *(const float2 *)(y + (is_odd ? coarse.size : 0) + at);
    float2 odd = *(const float2 *)(y + (is_odd ? 0 : coarse.size) + at);
    return {even.x, odd.x, even.y, odd.y};
}

// The coarse values of the parents of four cells.
__device__ inline Four<float> prolong4(const DeviceLevel &coarse, const float *y, const Group &group, int colour,
                                       unsigned flags, bool is_mixed) {
    Four<float> v = parents4(coarse, y, group);
    if (is_mixed)
        for (int k = 0; k < 4; k++) {
            int code = code_of(flag(flags, k));
            if (!code) continue;
            int x = 2 * (group.slot + k) + holds_second(group, colour);
            int parent = parent_of(coarse, code, x, group.y, group.z);
            v.v[k] = parent < 0 ? 0.0f : y[parent];
        }
    return v;
}

// x <- x + P x_H on red cells. Black ones are swept next.
__device__ inline void prolong_red(const DeviceLevel &fine, const DeviceLevel &coarse, const Group &group) {
    int kind = fine.is_crowded ? MIXED : fine.kinds[group.at >> 2];
    if (kind == EMPTY) return;
    unsigned flags = flags_of(fine, kind, group.at);
    Four<float> x = load4(fine.x + group.at), v = prolong4(coarse, coarse.x, group, 0, flags, kind != PLAIN);
    for (int k = 0; k < 4; k++)
        if (is_free(kind, flags, k)) x.v[k] += v.v[k];
    store4(fine.x + group.at, x);
}

KERNEL(prolong) {
    FOR_TILES(a.level, group, false) prolong_red(a.level, a.coarse, group);
}
