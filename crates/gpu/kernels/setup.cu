// Set-up of the hierarchy: coarse cells, their couplings, and the kinds of groups.

// Finds the kind of a group. It is plain if its eight cells are inner cells that no choice of pinned rows affects. On
// the finest level couplings are compared in double precision.
template <class T>
__device__ inline void classify_group(const DeviceLevel &level, const System<T> &s, const Group &group, bool is_finest,
                                      u8 *tile) {
    bool is_there = false, is_plain = true, is_regular = true;
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * level.size + group.at;
        unsigned flags = flags4(level.flags + own);
        PerSide<T> c = couplings(level, s.coupling, colour, group.at, holds_second(group, colour));
        for (int k = 0; k < 4; k++) {
            unsigned f = flag(flags, k), sides = 0;
            for (int side = 0; side < SIDES; side++) {
                T value = c.side[side].v[k];
                if (value != 0) sides |= 1 << side;
                is_regular &= value == 0 || value == (T)s.unit;
            }
            level.sides[own + k] = (u8)sides;
            is_plain &= (f & PRESENT) && sides == (1 << SIDES) - 1 && s.excess[own + k] == 0;
            if (!(f & PRESENT)) continue;
            is_there = true;
            if (is_finest) {
                int x = 2 * (group.slot + k) + holds_second(group, colour);
                bool is_unsteady = f & WALL;
                beside(level, x, group.y, group.z, [&](int, int, int, int, int neighbour) {
                    is_unsteady |= (level.flags[neighbour] & WALL) != 0;
                });
                if (is_unsteady) level.flags[own + k] = (u8)(f | UNSTEADY);
                is_plain &= !is_unsteady; // its own couplings stay, but those of its parent may change
            }
            is_plain &= !(f & (UNSTEADY | WALL));
            is_regular &= is_finest || !(f & UNSTEADY);
        }
    }
    level.kinds[group.at >> 2] = !is_there ? EMPTY : !is_regular ? MIXED : is_plain ? PLAIN : REGULAR;
    if (is_there) *tile = 1;
}

KERNEL(classify_fine) {
    FOR_TILES(a.level, group, true) classify_group(a.level, fine_system(a), group, true, a.level.tile_marks + tile_);
}

KERNEL(classify) {
    FOR_TILES(a.level, group, true)
        classify_group(a.level, correction_system(a.level), group, false, a.level.tile_marks + tile_);
}

// Appends a group to a list, which begins with its length.
__device__ inline void append(int *list, const Group &group, int kind) {
    list[1 + atomicAdd(list, 1)] = group.at | kind;
}

// Lists the groups that are not plain, once their kinds are final.
KERNEL(list_mixed) {
    FOR_KINDS(a.level, group, kind) {
        if (kind > PLAIN) append(a.level.mixed, group, kind);
    }
}

// Lists the tiles that are not empty, in order. Runs as one block.
BARRIER_KERNEL(list_tiles) {
    __shared__ int ends[THREADS + 1];
    int tiles = tile_count(a.level), share = (tiles + THREADS - 1) / THREADS, t = threadIdx.x, count = 0;
    for (int tile = t * share; tile < (t + 1) * share && tile < tiles; tile++) count += a.level.tile_marks[tile];
    ends[t + 1] = count;
    __syncthreads();
    if (t == 0) {
        ends[0] = 0;
        for (int i = 0; i < THREADS; i++) ends[i + 1] += ends[i];
        a.busy_tiles[0] = ends[THREADS];
    }
    __syncthreads();
    int *next = a.busy_tiles + 1 + ends[t];
    for (int tile = t * share; tile < (t + 1) * share && tile < tiles; tile++)
        if (a.level.tile_marks[tile]) *next++ = tile;
}

// Whether there are wall cells within some steps of a group. A step leads to a neighbouring row or, at most `across`
// times, to a neighbouring group of the row.
__device__ inline bool is_near_wall(const DeviceLevel &level, const Group &group, int steps, int across) {
    unsigned seen = 0;
    for (int dz = DIM == 3 ? -steps : 0; dz <= (DIM == 3 ? steps : 0); dz++)
        for (int dy = -steps; dy <= steps; dy++) {
            int y = group.y + dy, z = group.z + dz, rest = steps - abs(dy) - abs(dz);
            if (rest < 0 || y < 0 || z < 0 || y >= level.cells[1] || z >= level.cells[2]) continue;
            const u8 *row = level.flags + row_of(level, y, z);
            int groups = rest < across ? rest : across;
            for (int slot = group.slot - 4 * groups; slot <= group.slot + 4 * groups; slot += 4)
                if (slot >= 0 && slot < level.slots) seen |= flags4(row + slot) | flags4(row + level.size + slot);
        }
    return seen & FOUR_WALLS;
}

// Lists the groups near walls, which are swept before every choice of the active set. Lists also the groups whose
// residual these sweeps may change, and all that are not plain. A group is eight cells long, so that the groups of a
// row reach far enough from a wall at their end.
#define NEAR_STEPS 2
KERNEL(list_near) {
    FOR_KINDS(a.level, group, kind) {
        bool is_touched = is_near_wall(a.level, group, NEAR_STEPS + 1, 1);
        if (is_touched && is_near_wall(a.level, group, NEAR_STEPS, 0)) append(a.near, group, kind);
        if (is_touched || kind > PLAIN) append(a.touched, group, kind);
    }
}

// The mark of the tile of a group, for loops that do not go by tiles.
__device__ inline u8 *tile_at(const DeviceLevel &level, const Group &group) {
    int tile = (group.z / TILE_Z * level.tiles[1] + group.y / TILE_Y) * level.tiles[0] + group.slot / TILE_SLOTS;
    return level.tile_marks + tile;
}

// Finds which cells of a block make up its coarse cell: the largest connected set.
__device__ inline void aggregate_block(const DeviceLevel &fine, const DeviceLevel &coarse, int X, int Y, int Z) {
    int there = 0, label[1 << DIM], cell[1 << DIM];
    unsigned walls = 0;
    for (int k = 0; k < (1 << DIM); k++) {
        cell[k] = cell_of(fine, 2 * X + (k & 1), 2 * Y + ((k >> 1) & 1), DIM == 3 ? 2 * Z + (k >> 2) : 0);
        unsigned flags = fine.flags[cell[k]];
        if (flags & PRESENT) there |= 1 << k;
        walls |= flags & WALL;
        label[k] = k;
    }
    for (bool changes = there != 0; changes;) {
        changes = false;
        for (int axis = 0; axis < DIM; axis++)
            for (int k = 0; k < (1 << DIM); k++) {
                int other = k | (1 << axis);
                if (other == k || !(fine.coupling[axis][cell[k]] > 0.0f)) continue;
                int least = label[k] < label[other] ? label[k] : label[other];
                changes |= label[k] != label[other];
                label[k] = label[other] = least;
            }
    }
    int best = 0, most = 0;
    for (int part = 0; part < (1 << DIM); part++) {
        int members = 0;
        for (int k = 0; k < (1 << DIM); k++)
            if ((there >> k & 1) && label[k] == part) members |= 1 << k;
        if (__popc(members) > most) most = __popc(members), best = members;
    }
    int own = cell_of(coarse, X, Y, Z);
    coarse.members[own] = (u8)best;
    coarse.flags[own] = (u8)(there ? PRESENT | walls : 0);
}

// Gives the remaining cells of a block (orphans) to the neighbouring coarse cell that each set couples with most.
__device__ inline void adopt_orphans(const DeviceLevel &fine, const DeviceLevel &coarse, int X, int Y, int Z) {
    int members = coarse.members[cell_of(coarse, X, Y, Z)], rest = 0;
    int cell[1 << DIM];
    for (int k = 0; k < (1 << DIM); k++) {
        cell[k] = cell_of(fine, 2 * X + (k & 1), 2 * Y + ((k >> 1) & 1), DIM == 3 ? 2 * Z + (k >> 2) : 0);
        if ((fine.flags[cell[k]] & PRESENT) && !(members >> k & 1)) rest |= 1 << k;
    }
    while (rest) {
        // A connected set, beginning with its first cell.
        int part = rest & -rest;
        for (int before = 0; before != part;) {
            before = part;
            for (int axis = 0; axis < DIM; axis++)
                for (int k = 0; k < (1 << DIM); k++) {
                    int other = k | (1 << axis);
                    if (other == k || !(fine.coupling[axis][cell[k]] > 0.0f)) continue;
                    if ((part >> k & 1) || (part >> other & 1)) part |= 1 << k | 1 << other;
                }
        }
        part &= rest;
        rest &= ~part;
        float strength[SIDES];
        for (int side = 0; side < SIDES; side++) strength[side] = 0.0f;
        for (int k = 0; k < (1 << DIM); k++) {
            if (!(part >> k & 1)) continue;
            int x = 2 * X + (k & 1), y = 2 * Y + ((k >> 1) & 1), z = DIM == 3 ? 2 * Z + (k >> 2) : 0;
            beside(fine, x, y, z, [&](int side, int nx, int ny, int nz, int neighbour) {
                if (nx >> 1 == X && ny >> 1 == Y && (DIM == 2 || nz >> 1 == Z)) return;
                float c = coupling_of((const float *const *)fine.coupling, side, cell[k], neighbour);
                int child = (nx & 1) | (ny & 1) << 1 | (DIM == 3 ? (nz & 1) << 2 : 0);
                if (!(c > 0.0f)) return;
                int block = cell_of(coarse, nx >> 1, ny >> 1, DIM == 3 ? nz >> 1 : 0);
                if (coarse.members[block] >> child & 1) strength[side] += c;
            });
        }
        int best = PARENT_NONE;
        float most = 0.0f;
        for (int side = 0; side < SIDES; side++)
            if (strength[side] > most) most = strength[side], best = side + 1;
        for (int k = 0; k < (1 << DIM); k++) {
            if (!(part >> k & 1)) continue;
            fine.flags[cell[k]] = (u8)((fine.flags[cell[k]] & ~(7 << PARENT_SHIFT)) | best << PARENT_SHIFT);
            int x = 2 * X + (k & 1), y = 2 * Y + ((k >> 1) & 1), z = DIM == 3 ? 2 * Z + (k >> 2) : 0;
            fine.kinds[(cell[k] % fine.size) >> 2] = MIXED;
            beside(fine, x, y, z, [&](int, int, int, int, int neighbour) {
                if (fine.flags[neighbour] & PRESENT) fine.kinds[(neighbour % fine.size) >> 2] = MIXED;
            });
        }
    }
}

// The Galerkin product P^T A P / 2 of one coarse cell. Pinned children are left out. A coupling with one of them holds
// the coarse cell, as air does. A coupling with a coarse cell that is not a face neighbour is dropped from both rows.
struct Product {
    float excess, towards[DIM];
};

// The product if no orphan is near, so that the parent of each cell is that of its block. Everything is loaded before
// anything is used. Returns false if there are orphans.
__device__ inline bool block_product(const DeviceLevel &fine, int X, int Y, int Z, Product &product, unsigned &seen) {
    // Index of the cell at an offset from the first one of the block.
    auto at = [&](int dx, int dy, int dz) {
        int row = row_of(fine, 2 * Y + dy, DIM == 3 ? 2 * Z + dz : 0);
        return row + X + (dx >> 1) + ((dx ^ dy ^ dz) & 1 ? fine.size : 0);
    };
    unsigned flags[1 << DIM], outer[1 << DIM][DIM];
    float excess[1 << DIM], inner[1 << DIM][DIM], across[1 << DIM][DIM];
#pragma unroll
    for (int k = 0; k < (1 << DIM); k++) {
        int d[3] = {k & 1, (k >> 1) & 1, k >> 2};
        int own = at(d[0], d[1], d[2]);
        flags[k] = fine.flags[own];
        excess[k] = fine.excess[own];
#pragma unroll
        for (int axis = 0; axis < DIM; axis++) {
            // The neighbour outside the block along this axis, and the couplings with it and inside the block.
            int step = d[axis] ? 1 : -1;
            int neighbour =
                at(d[0] + (axis == 0 ? step : 0), d[1] + (axis == 1 ? step : 0), d[2] + (axis == 2 ? step : 0));
            outer[k][axis] = fine.flags[neighbour];
            across[k][axis] = fine.coupling[axis][d[axis] ? own : neighbour];
            inner[k][axis] = d[axis] ? 0.0f : fine.coupling[axis][own];
        }
    }
    seen = 0;
    unsigned near = 0;
    product.excess = 0.0f;
#pragma unroll
    for (int axis = 0; axis < DIM; axis++) product.towards[axis] = 0.0f;
#pragma unroll
    for (int k = 0; k < (1 << DIM); k++) {
        seen |= flags[k];
        bool is_own_free = is_free(flags[k]);
        if (is_own_free) product.excess += excess[k];
#pragma unroll
        for (int axis = 0; axis < DIM; axis++) {
            near |= outer[k][axis];
            bool is_upper = k >> axis & 1;
            if (is_own_free && (outer[k][axis] & PINNED)) product.excess += across[k][axis];
            if (is_own_free && is_upper && !(outer[k][axis] & PINNED)) product.towards[axis] += across[k][axis];
            if (!is_upper) {
                bool is_other_free = is_free(flags[k | 1 << axis]);
                if (is_own_free != is_other_free) product.excess += inner[k][axis];
            }
        }
    }
    return !code_of(near | seen);
}

// The product if there are orphans.
__device__ inline Product scattered_product(const DeviceLevel &fine, const DeviceLevel &coarse, int X, int Y, int Z,
                                            bool has_orphans, unsigned &seen) {
    Product product;
    int next[DIM];
    product.excess = 0.0f;
    for (int axis = 0; axis < DIM; axis++) {
        product.towards[axis] = 0.0f;
        next[axis] = cell_of(coarse, X + (axis == 0), Y + (axis == 1), Z + (axis == 2));
    }
    seen = 0;
    children(fine, coarse, X, Y, Z, has_orphans, [&](int x, int y, int z, int cell, unsigned flags) {
        seen |= flags;
        if (flags & PINNED) return;
        product.excess += fine.excess[cell];
        beside(fine, x, y, z, [&](int side, int nx, int ny, int nz, int neighbour) {
            float c = coupling_of((const float *const *)fine.coupling, side, cell, neighbour);
            if (!(c > 0.0f)) return;
            unsigned f = fine.flags[neighbour];
            int parent = f & PINNED ? -1 : parent_of(coarse, code_of(f), nx, ny, nz);
            if (parent < 0) product.excess += c;
            for (int axis = 0; axis < DIM; axis++)
                if (parent == next[axis]) product.towards[axis] += c;
        });
    });
    return product;
}

// Writes the product of a coarse cell. `is_new`: its flags are not complete yet.
__device__ inline void galerkin_cell(const DeviceLevel &fine, const DeviceLevel &coarse, int X, int Y, int Z,
                                     bool is_new) {
    int own = cell_of(coarse, X, Y, Z);
    unsigned own_flags = coarse.flags[own], seen;
    if (!(own_flags & PRESENT)) return;
    Product product;
    if ((own_flags & HAS_ORPHANS) || !block_product(fine, X, Y, Z, product, seen)) {
        if (is_new) {
            bool has_orphans = false;
            children(fine, coarse, X, Y, Z, true,
                     [&](int, int, int, int, unsigned f) { has_orphans |= code_of(f) != 0; });
            if (has_orphans) own_flags |= HAS_ORPHANS;
        }
        product = scattered_product(fine, coarse, X, Y, Z, own_flags & HAS_ORPHANS, seen);
    }
    coarse.excess[own] = 0.5f * product.excess;
    for (int axis = 0; axis < DIM; axis++) coarse.coupling[axis][own] = 0.5f * product.towards[axis];
    if (is_new) coarse.flags[own] = (u8)(own_flags | (seen & UNSTEADY));
}

// A cell of a coarse group and the block of cells below it.
struct Block {
    int X, Y, Z, own;
};

__device__ inline bool block_of(const DeviceLevel &coarse, const Group &group, int k, Block &block) {
    block.X = 2 * group.slot + k, block.Y = group.y, block.Z = group.z;
    block.own = cell_of(coarse, block.X, block.Y, block.Z);
    return block.X < coarse.cells[0];
}

// Whether all cells below a coarse cell are plain. Its couplings are then those of an inner cell.
__device__ inline bool is_made_of_plain(const DeviceLevel &fine, const Block &block) {
    for (int k = 0; k < (1 << (DIM - 1)); k++) {
        int y = 2 * block.Y + (k & 1), z = DIM == 3 ? 2 * block.Z + (k >> 1) : 0;
        if (fine.kinds[(row_of(fine, y, z) + block.X) >> 2] != PLAIN) return false;
    }
    return true;
}

__device__ inline void aggregate_one(const DeviceLevel &fine, const DeviceLevel &coarse, const Group &group, int k) {
    Block block;
    if (!block_of(coarse, group, k, block)) return;
    if (is_made_of_plain(fine, block)) {
        coarse.members[block.own] = (u8)((1 << (1 << DIM)) - 1);
        coarse.flags[block.own] = PRESENT;
    } else
        aggregate_block(fine, coarse, block.X, block.Y, block.Z);
}

__device__ inline void adopt_one(const DeviceLevel &fine, const DeviceLevel &coarse, const Group &group, int k) {
    Block block;
    if (block_of(coarse, group, k, block) && !is_made_of_plain(fine, block))
        adopt_orphans(fine, coarse, block.X, block.Y, block.Z);
}

__device__ inline void galerkin_one(const DeviceLevel &fine, const DeviceLevel &coarse, const Group &group, int k,
                                    bool is_new) {
    Block block;
    if (!block_of(coarse, group, k, block)) return;
    if (!is_new && !(coarse.flags[block.own] & UNSTEADY)) return;
    if (!is_made_of_plain(fine, block))
        galerkin_cell(fine, coarse, block.X, block.Y, block.Z, is_new);
    else
        for (int axis = 0; is_new && axis < DIM; axis++) coarse.coupling[axis][block.own] = coarse.unit;
}

// Eight blocks of threads share a tile, one for each cell of its groups.
#define FOR_EIGHTHS(level, group, k, everywhere)                                                               \
    Group group;                                                                                               \
    int k = blockIdx.x & 7;                                                                                    \
    if (locate(level, blockIdx.x >> 3, everywhere, group))

KERNEL(aggregate) {
    FOR_EIGHTHS(a.coarse, group, k, true) aggregate_one(a.level, a.coarse, group, k);
}

KERNEL(adopt) {
    FOR_EIGHTHS(a.coarse, group, k, true) adopt_one(a.level, a.coarse, group, k);
}

KERNEL(galerkin) {
    FOR_EIGHTHS(a.coarse, group, k, true) galerkin_one(a.level, a.coarse, group, k, true);
}

// Whether the levels follow all changes of pinned cells.
__device__ inline bool is_truncated(const Args &a) {
    return a.truncation == Truncation::IfChanged && a.scalars->changes == a.scalars->truncated_changes;
}

// Computes the couplings again after another choice of pinned cells.
KERNEL(truncate) {
    if (is_truncated(a)) return;
    Team team = all_blocks();
    for (int item = team.rank; item < 8 * a.coarse.mixed[0]; item += team.size) {
        Group group = group_starting_at(a.coarse, a.coarse.mixed[1 + (item >> 3)] & ~3);
        galerkin_one(a.level, a.coarse, group, item & 7, false);
    }
}
