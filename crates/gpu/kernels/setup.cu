// The hierarchy: coarse cells, their couplings, and which groups are plain.

// A group is plain if its eight cells are inner ones that no choice of pinned rows concerns. On the finest
// level couplings are judged in double precision.
template <class T>
__device__ inline void classify_group(const Level &level, const System<T> &s, const Place &place, bool is_finest,
                                      u8 *tile) {
    bool is_there = false, is_plain = true, is_regular = true;
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * level.size + place.at;
        unsigned flags = flags4(level.flags + own);
        Around<T> c = couplings(level, s.coupling, colour, place.at, second(place, colour));
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
                int x = 2 * (place.slot + k) + second(place, colour);
                bool is_unsteady = f & WALL;
                beside(level, x, place.y, place.z, [&](int, int, int, int, int neighbour) {
                    is_unsteady |= (level.flags[neighbour] & WALL) != 0;
                });
                if (is_unsteady) level.flags[own + k] = (u8)(f | UNSTEADY);
                is_plain &= !is_unsteady; // its own couplings stay, those of its parent may not
            }
            is_plain &= !(f & (UNSTEADY | WALL));
            is_regular &= is_finest || !(f & UNSTEADY);
        }
    }
    level.groups[place.at >> 2] = !is_there ? EMPTY : !is_regular ? MIXED : is_plain ? PLAIN : REGULAR;
    if (is_there) *tile = 1;
}

KERNEL(classify_fine) {
    FOR_TILES(a.level, place, true) classify_group(a.level, fine_system(a), place, true, a.level.tiles + tile_);
}

KERNEL(classify) {
    FOR_TILES(a.level, place, true)
    classify_group(a.level, start_system(a.level), place, false, a.level.tiles + tile_);
}

// Lists the groups that are not plain, once their kinds are final.
KERNEL(list_mixed) {
    FOR_KINDS(a.level, place, kind) {
        if (kind > PLAIN) a.level.mixed[1 + atomicAdd(a.level.mixed, 1)] = place.at | kind;
    }
}

// Lists the tiles that are not empty, in their order; one block.
BARRIER_KERNEL(list_tiles) {
    __shared__ int ends[THREADS + 1];
    int tiles = tiles_of(a.level), share = (tiles + THREADS - 1) / THREADS, t = threadIdx.x, count = 0;
    for (int tile = t * share; tile < (t + 1) * share && tile < tiles; tile++) count += a.level.tiles[tile];
    ends[t + 1] = count;
    __syncthreads();
    if (t == 0) {
        ends[0] = 0;
        for (int i = 0; i < THREADS; i++) ends[i + 1] += ends[i];
        a.busy[0] = ends[THREADS];
    }
    __syncthreads();
    int *next = a.busy + 1 + ends[t];
    for (int tile = t * share; tile < (t + 1) * share && tile < tiles; tile++)
        if (a.level.tiles[tile]) *next++ = tile;
}

// Whether there are wall cells within so many steps of a group, from row to row, of which some may lead across to
// other groups of a row.
__device__ inline bool is_near_wall(const Level &level, const Place &place, int steps, int across) {
    unsigned seen = 0;
    for (int dz = DIM == 3 ? -steps : 0; dz <= (DIM == 3 ? steps : 0); dz++)
        for (int dy = -steps; dy <= steps; dy++) {
            int y = place.y + dy, z = place.z + dz, rest = steps - abs(dy) - abs(dz);
            if (rest < 0 || y < 0 || z < 0 || y >= level.ny || z >= level.nz) continue;
            const u8 *row = level.flags + row_of(level, y, z);
            int groups = rest < across ? rest : across;
            for (int slot = place.slot - 4 * groups; slot <= place.slot + 4 * groups; slot += 4)
                if (slot >= 0 && slot < level.slots) seen |= flags4(row + slot) | flags4(row + level.size + slot);
        }
    return seen & WALL * 0x01010101u;
}

// Lists the groups where the active set is decided, which are swept before every policy, and those whose residual
// is another one afterwards or that are not plain. A group is eight cells long, deep enough for a wall at its end.
#define NEAR_STEPS 2
KERNEL(list_near) {
    FOR_KINDS(a.level, place, kind) {
        bool is_touched = is_near_wall(a.level, place, NEAR_STEPS + 1, 1);
        if (is_touched && is_near_wall(a.level, place, NEAR_STEPS, 0)) a.near[1 + atomicAdd(a.near, 1)] = place.at | kind;
        if (is_touched || kind > PLAIN) a.touched[1 + atomicAdd(a.touched, 1)] = place.at | kind;
    }
}

// The tile of a group, for loops that do not go by tiles.
__device__ inline u8 *tile_at(const Level &level, const Place &place) {
    int tile = (place.z / TILE_Z * level.tiles_y + place.y / TILE_Y) * level.tiles_x + place.slot / TILE_SLOTS;
    return level.tiles + tile;
}

// Which children of a block make up its coarse cell: the largest part that hangs together.
__device__ inline void aggregate_block(const Level &fine, const Level &coarse, int X, int Y, int Z) {
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

// What is left of a block joins the neighbouring block it hangs together with most.
__device__ inline void adopt_orphans(const Level &fine, const Level &coarse, int X, int Y, int Z) {
    int members = coarse.members[cell_of(coarse, X, Y, Z)], rest = 0;
    int cell[1 << DIM];
    for (int k = 0; k < (1 << DIM); k++) {
        cell[k] = cell_of(fine, 2 * X + (k & 1), 2 * Y + ((k >> 1) & 1), DIM == 3 ? 2 * Z + (k >> 2) : 0);
        if ((fine.flags[cell[k]] & PRESENT) && !(members >> k & 1)) rest |= 1 << k;
    }
    while (rest) {
        // A part that hangs together, from its first cell on.
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
            fine.groups[(cell[k] % fine.size) >> 2] = MIXED;
            beside(fine, x, y, z, [&](int, int, int, int, int neighbour) {
                if (fine.flags[neighbour] & PRESENT) fine.groups[(neighbour % fine.size) >> 2] = MIXED;
            });
        }
    }
}

// Galerkin product P^T A P / 2 of one coarse cell. Pinned children are left out; what coupled with them
// holds the coarse cell, as air does. A coupling with a cell that is no face neighbour is dropped from
// both rows.
struct Product {
    float excess, towards[DIM];
};

// The same where no orphan is near: the parents of all cells are those of their blocks. Everything is
// loaded before anything is looked at. False if there are orphans after all.
__device__ inline bool block_product(const Level &fine, int X, int Y, int Z, Product &product, unsigned &seen) {
    // Index of the cell at an offset from the first one of the block.
    auto at = [&](int dx, int dy, int dz) {
        return row_of(fine, 2 * Y + dy, DIM == 3 ? 2 * Z + dz : 0) + X + (dx >> 1) + ((dx ^ dy ^ dz) & 1 ? fine.size : 0);
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
            // The neighbour outside the block along this axis, and the couplings with it and within.
            int step = d[axis] ? 1 : -1;
            int neighbour = at(d[0] + (axis == 0 ? step : 0), d[1] + (axis == 1 ? step : 0), d[2] + (axis == 2 ? step : 0));
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
        bool is_free = (flags[k] & (PRESENT | PINNED)) == PRESENT;
        if (is_free) product.excess += excess[k];
#pragma unroll
        for (int axis = 0; axis < DIM; axis++) {
            near |= outer[k][axis];
            bool is_upper = k >> axis & 1;
            if (is_free && (outer[k][axis] & PINNED)) product.excess += across[k][axis];
            if (is_free && is_upper && !(outer[k][axis] & PINNED)) product.towards[axis] += across[k][axis];
            if (!is_upper) {
                bool is_other_free = (flags[k | 1 << axis] & (PRESENT | PINNED)) == PRESENT;
                if (is_free != is_other_free) product.excess += inner[k][axis];
            }
        }
    }
    return !code_of(near | seen);
}

// And where some are.
__device__ inline Product scattered_product(const Level &fine, const Level &coarse, int X, int Y, int Z,
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

__device__ inline void galerkin_cell(const Level &fine, const Level &coarse, int X, int Y, int Z, bool is_new) {
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

// A cell of a coarse group: the k-th along the first axis.
struct Block {
    int X, Y, Z, own;
};

__device__ inline bool block_of(const Level &coarse, const Place &place, int k, Block &block) {
    block.X = 2 * place.slot + k, block.Y = place.y, block.Z = place.z;
    block.own = cell_of(coarse, block.X, block.Y, block.Z);
    return block.X < coarse.nx;
}

// Whether all that a coarse cell is made of is plain; its couplings are then those of an inner cell.
__device__ inline bool is_made_of_plain(const Level &fine, const Block &block) {
    for (int k = 0; k < (1 << (DIM - 1)); k++) {
        int y = 2 * block.Y + (k & 1), z = DIM == 3 ? 2 * block.Z + (k >> 1) : 0;
        if (fine.groups[(row_of(fine, y, z) + block.X) >> 2] != PLAIN) return false;
    }
    return true;
}

__device__ inline void aggregate_one(const Level &fine, const Level &coarse, const Place &place, int k) {
    Block block;
    if (!block_of(coarse, place, k, block)) return;
    if (is_made_of_plain(fine, block)) {
        coarse.members[block.own] = (u8)((1 << (1 << DIM)) - 1);
        coarse.flags[block.own] = PRESENT;
    } else
        aggregate_block(fine, coarse, block.X, block.Y, block.Z);
}

__device__ inline void adopt_one(const Level &fine, const Level &coarse, const Place &place, int k) {
    Block block;
    if (block_of(coarse, place, k, block) && !is_made_of_plain(fine, block))
        adopt_orphans(fine, coarse, block.X, block.Y, block.Z);
}

__device__ inline void galerkin_one(const Level &fine, const Level &coarse, const Place &place, int k, bool is_new) {
    Block block;
    if (!block_of(coarse, place, k, block)) return;
    if (!is_new && !(coarse.flags[block.own] & UNSTEADY)) return;
    if (!is_made_of_plain(fine, block))
        galerkin_cell(fine, coarse, block.X, block.Y, block.Z, is_new);
    else
        for (int axis = 0; is_new && axis < DIM; axis++) coarse.coupling[axis][block.own] = coarse.unit;
}

// Eight blocks of threads share a tile, one for each cell of its groups.
#define FOR_EIGHTHS(level, place, k, everywhere)                                                               \
    Place place;                                                                                               \
    int k = blockIdx.x & 7;                                                                                    \
    if (locate(level, blockIdx.x >> 3, everywhere, place))

KERNEL(aggregate) {
    FOR_EIGHTHS(a.coarse, place, k, true) aggregate_one(a.level, a.coarse, place, k);
}

KERNEL(adopt) {
    FOR_EIGHTHS(a.coarse, place, k, true) adopt_one(a.level, a.coarse, place, k);
}

KERNEL(galerkin) {
    FOR_EIGHTHS(a.coarse, place, k, true) galerkin_one(a.level, a.coarse, place, k, true);
}

// Whether the levels know of all changes of pinned cells.
#define IF_CHANGED 1
__device__ inline bool is_truncated(const Args &a) {
    return a.mode == IF_CHANGED && a.scalars->changes == a.scalars->truncated;
}

// The couplings anew, after another choice of pinned cells.
KERNEL(truncate) {
    if (is_truncated(a)) return;
    for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < 8 * a.coarse.mixed[0]; item += gridDim.x * blockDim.x)
        galerkin_one(a.level, a.coarse, place_at(a.coarse, a.coarse.mixed[1 + (item >> 3)] & ~3), item & 7, false);
}
