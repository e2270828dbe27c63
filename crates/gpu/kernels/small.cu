// All small levels at once, by a few blocks in step: launches would take longer than the work. The first
// of the blocks takes the lowest levels alone, in its own memory.

#define SWEEPS 2

// Levels of one block.
__device__ inline bool is_tiny(const Level &level) { return groups_of(level) <= SMALL_THREADS; }

// Cells of a level one behind the other.
#define FOR_CELLS(team, level, place, k)                                                                       \
    Place place;                                                                                               \
    int k;                                                                                                     \
    for (int cell_ = team.rank;                                                                                \
         cell_ < 8 * groups_of(level) ? (place = group_at(level, cell_ >> 3), k = cell_ & 7, true) : false;    \
         cell_ += team.size)

// Waits for the threads of a team.
__device__ inline void wait_for(bool is_alone) {
    if (is_alone)
        __syncthreads();
    else
        small_barrier();
}

// A group of a small level as its thread keeps it: rows that are read once serve for all sweeps.
struct Patch {
    Place place;
    bool is_there;
    unsigned flags[2];
    Around<float> coupling[2];
    Four<float> inverse[2]; // A_ii^-1, zero where a cell is pinned or absent
    Four<float> b[2];
};

// The group of a thread, with the right-hand side of a cycle or of the nested start.
__device__ inline Patch patch_of(const Level &level, int group, const float *b) {
    Patch patch;
    patch.is_there = group < groups_of(level);
    patch.place = group_at(level, patch.is_there ? group : 0);
#pragma unroll
    for (int colour = 0; colour < 2; colour++) {
        int at = patch.place.at, own = colour * level.size + at;
        patch.flags[colour] = flags4(level.flags + own);
        patch.coupling[colour] = couplings(level, (const float *const *)level.coupling, colour, at, second(patch.place, colour));
        patch.b[colour] = load4(b + own);
        Four<float> diagonal = load4(level.excess + own);
        for (int k = 0; k < 4; k++) {
            for (int side = 0; side < SIDES; side++) diagonal.v[k] += patch.coupling[colour].side[side].v[k];
            bool is_free = diagonal.v[k] > 0.0f && !(flag(patch.flags[colour], k) & PINNED);
            patch.inverse[colour].v[k] = is_free ? 1.0f / diagonal.v[k] : 0.0f;
        }
    }
    return patch;
}

// sum of c_ij x_j over the neighbours of the cells of a colour.
template <int COLOUR> __device__ inline Four<float> sum_around(const Level &level, const Patch &patch, const float *x) {
    Around<float> n = around(level, x + (1 - COLOUR) * level.size, patch.place.at, second(patch.place, COLOUR));
    Four<float> sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 4; k++)
        for (int side = 0; side < SIDES; side++) sum.v[k] += patch.coupling[COLOUR].side[side].v[k] * n.side[side].v[k];
    return sum;
}

// Half a sweep; returns the sums over the neighbours.
template <int COLOUR>
__device__ inline Four<float> small_sweep(const Level &level, const Patch &patch, bool is_alone, int mode) {
    Four<float> sum = {0.0f, 0.0f, 0.0f, 0.0f}, x;
    if (patch.is_there) {
        if (mode != FROM_ZERO) sum = sum_around<COLOUR>(level, patch, level.x);
        for (int k = 0; k < 4; k++)
            x.v[k] = ((mode == WITHOUT_B ? 0.0f : patch.b[COLOUR].v[k]) + sum.v[k]) * patch.inverse[COLOUR].v[k];
        store4(level.x + COLOUR * level.size + patch.place.at, x);
    }
    wait_for(is_alone);
    return sum;
}

// A coarse cell, and what is known of it before there is anything to restrict.
struct Parent {
    int own, X, Y, Z;
    unsigned flags, members;
};

__device__ inline Parent parent_at(const Level &coarse, int cell) {
    Parent parent = {0, cell % coarse.nx, cell / coarse.nx % coarse.ny, cell / coarse.nx / coarse.ny, 0, 0};
    if (parent.Z >= coarse.nz) return parent;
    parent.own = cell_of(coarse, parent.X, parent.Y, parent.Z);
    parent.flags = coarse.flags[parent.own], parent.members = coarse.members[parent.own];
    return parent;
}

// b_H <- P^T r of one cell, from the residuals of red cells; black ones have none.
__device__ inline void gather_residuals(const Level &level, const Level &coarse, const Parent &parent) {
    if (!(parent.flags & PRESENT)) return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < (1 << DIM); k++) {
        if (__popc(k) & 1) continue; // black
        int row = row_of(level, 2 * parent.Y + ((k >> 1) & 1), DIM == 3 ? 2 * parent.Z + (k >> 2) : 0);
        if (parent.members >> k & 1) sum += level.residual[row + parent.X];
    }
    if (parent.flags & HAS_ORPHANS)
        children(level, coarse, parent.X, parent.Y, parent.Z, true, [&](int, int, int, int cell, unsigned flags) {
            if (code_of(flags) && cell < level.size) sum += level.residual[cell];
        });
    coarse.b[parent.own] = sum;
}

// The way down from a level to the next.
__device__ inline void small_down(const Level level, const Level coarse, bool is_alone, bool is_reduced) {
    int red = is_reduced ? WITHOUT_B : WITH_B;
    Team team = is_alone ? one_block() : all_blocks();
    Patch patch = patch_of(level, team.rank, level.b);
    Parent parent = parent_at(coarse, team.rank);
    Four<float> before = {0.0f, 0.0f, 0.0f, 0.0f};
    if (is_reduced) {
        small_sweep<1>(level, patch, is_alone, FROM_ZERO);
    } else {
        before = small_sweep<0>(level, patch, is_alone, FROM_ZERO);
        small_sweep<1>(level, patch, is_alone, WITH_B);
    }
    for (int sweep = 1; sweep < SWEEPS; sweep++) {
        before = small_sweep<0>(level, patch, is_alone, red);
        small_sweep<1>(level, patch, is_alone, WITH_B);
    }
    // A red cell has had no residual since its last half-sweep but for what its neighbours have changed.
    if (patch.is_there) {
        Four<float> sum = sum_around<0>(level, patch, level.x);
        for (int k = 0; k < 4; k++) sum.v[k] = patch.inverse[0].v[k] > 0.0f ? sum.v[k] - before.v[k] : 0.0f;
        store4(level.residual + patch.place.at, sum);
    }
    wait_for(is_alone);
    gather_residuals(level, coarse, parent);
    for (int cell = team.rank + team.size; cell < coarse.nx * coarse.ny * coarse.nz; cell += team.size)
        gather_residuals(level, coarse, parent_at(coarse, cell));
    wait_for(is_alone);
}

// And back up.
__device__ inline void small_up(const Level level, const Level coarse, bool is_alone, bool is_reduced) {
    int red = is_reduced ? WITHOUT_B : WITH_B;
    Team team = is_alone ? one_block() : all_blocks();
    Patch patch = patch_of(level, team.rank, level.b);
    if (patch.is_there) {
        Four<float> x = load4(level.x + patch.place.at), v = prolong4(coarse, coarse.x, patch.place, 0, patch.flags[0], true);
        for (int k = 0; k < 4; k++) x.v[k] += patch.inverse[0].v[k] > 0.0f ? v.v[k] : 0.0f;
        store4(level.x + patch.place.at, x);
    }
    wait_for(is_alone);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        small_sweep<1>(level, patch, is_alone, WITH_B);
        small_sweep<0>(level, patch, is_alone, red);
    }
}

#define MOST_SMALL 18 // levels: a line of 32768 cells has 16

// The small levels from `first` on, where they can be read at once.
#define SMALL_LEVELS(levels)                                                                                   \
    __shared__ Level levels[MOST_SMALL];                                                                       \
    for (int i = threadIdx.x; i < (a.last - a.first + 1) * (int)(sizeof(Level) / 4); i += blockDim.x)          \
        ((int *)levels)[i] = ((const int *)(a.levels + a.first))[i];                                           \
    __syncthreads()

// Moves what a cycle on the tiny levels reads and writes to the block's own memory, but for the couplings
// of the finest. It lies in one piece, from the iterate of the finest on.
__device__ inline void borrow_levels(Level *levels, int count, char *room) {
    const char *from = (const char *)levels[0].x;
    const Level &last = levels[count - 1];
    int words = (int)((const char *)last.flags + 2 * last.size - from + 15) / 16;
#pragma unroll 4
    for (int i = threadIdx.x; i < words; i += blockDim.x) ((float4 *)room)[i] = ((const float4 *)from)[i];
    __syncthreads();
    if ((int)threadIdx.x < count) {
        Level &level = levels[threadIdx.x];
        level.x = (float *)(room + ((const char *)level.x - from));
        level.b = (float *)(room + ((const char *)level.b - from));
        level.residual = (float *)(room + ((const char *)level.residual - from));
        level.flags = (u8 *)(room + ((const char *)level.flags - from));
        if (threadIdx.x > 0) {
            level.excess = (float *)(room + ((const char *)level.excess - from));
            for (int axis = 0; axis < DIM; axis++)
                level.coupling[axis] = (float *)(room + ((const char *)level.coupling[axis] - from));
        }
    }
    __syncthreads();
}

// A cycle on the tiny levels, by one block.
__device__ inline void tiny_cycle(Level *levels, int count, bool is_reduced) {
    SHARED_MEMORY(room);
    float *x = levels[0].x;
    borrow_levels(levels, count, room);
    for (int l = 0; l + 1 < count; l++) small_down(levels[l], levels[l + 1], true, is_reduced && l == 0);
    {
        const Level &last = levels[count - 1]; // a single red cell
        small_sweep<0>(last, patch_of(last, threadIdx.x, last.b), true, FROM_ZERO);
    }
    for (int l = count - 2; l >= 0; l--) small_up(levels[l], levels[l + 1], true, is_reduced && l == 0);
    for (int i = threadIdx.x; i < 2 * levels[0].size; i += blockDim.x) x[i] = levels[0].x[i];
    __syncthreads();
    if (threadIdx.x == 0) levels[0].x = x;
    __syncthreads();
}

// One V-cycle from zero, as the host drives it on large levels; a.rows is the finest tiny level.
SMALL_KERNEL(small_cycle) {
    SMALL_LEVELS(levels);
    int tiny = a.rows - a.first, count = a.last - a.first + 1;
    for (int l = 0; l < tiny; l++) small_down(levels[l], levels[l + 1], false, a.is_reduced && l == 0);
    if (blockIdx.x == 0) tiny_cycle(levels + tiny, count - tiny, a.is_reduced && tiny == 0);
    small_barrier();
    for (int l = tiny - 1; l >= 0; l--) small_up(levels[l], levels[l + 1], false, a.is_reduced && l == 0);
}

// The small levels below `first`: cells and couplings.
SMALL_KERNEL(small_setup) {
    SMALL_LEVELS(levels);
    for (int l = 0; l < a.last - a.first; l++) {
        const Level &level = levels[l], &coarse = levels[l + 1];
        Team team = all_blocks();
        {
            FOR_CELLS(team, coarse, place, k) aggregate_one(level, coarse, place, k);
        }
        small_barrier();
        {
            FOR_CELLS(team, coarse, place, k) adopt_one(level, coarse, place, k);
        }
        small_barrier();
        {
            FOR_CELLS(team, coarse, place, k) galerkin_one(level, coarse, place, k, true);
        }
        small_barrier();
        {
            FOR_GROUPS(team, coarse, place) classify_group(coarse, start_system(coarse), place, false, tile_at(coarse, place));
        }
        small_barrier();
    }
}

// Their couplings after another choice of pinned cells.
SMALL_KERNEL(small_galerkin) {
    if (is_truncated(a)) return;
    SMALL_LEVELS(levels);
    for (int l = 0; l < a.last - a.first; l++) {
        const Level &level = levels[l], &coarse = levels[l + 1];
        Team team = all_blocks();
        {
            FOR_CELLS(team, coarse, place, k) galerkin_one(level, coarse, place, k, false);
        }
        small_barrier();
    }
    if (all_blocks().rank == 0) a.scalars->truncated = a.mode == IF_CHANGED ? a.scalars->changes : -1;
}

// How far the wall cells of a colour may sink.
template <int COLOUR> __device__ inline Four<float> floors_of(const Level &level, const Patch &patch) {
    Four<float> floor = load4(level.floor + COLOUR * level.size + patch.place.at);
    for (int k = 0; k < 4; k++)
        if (!(flag(patch.flags[COLOUR], k) & WALL)) floor.v[k] = -INFINITY;
    return floor;
}

// What comes from the level below, or zero.
template <int COLOUR>
__device__ inline void begin_project(const Level &level, const Level *coarse, const Patch &patch) {
    Four<float> x = {0.0f, 0.0f, 0.0f, 0.0f};
    if (coarse) x = prolong4(*coarse, coarse->start, patch.place, COLOUR, patch.flags[COLOUR], true);
    for (int k = 0; k < 4; k++)
        if (!(flag(patch.flags[COLOUR], k) & PRESENT)) x.v[k] = 0.0f;
    store4(level.start + COLOUR * level.size + patch.place.at, x);
}

template <int COLOUR>
__device__ inline void project_patch(const Level &level, const Patch &patch, const Four<float> &floor, bool is_alone) {
    if (patch.is_there) {
        Four<float> x = sum_around<COLOUR>(level, patch, level.start);
        for (int k = 0; k < 4; k++) {
            x.v[k] = (x.v[k] - patch.b[COLOUR].v[k]) * patch.inverse[COLOUR].v[k];
            x.v[k] = x.v[k] < floor.v[k] ? floor.v[k] : x.v[k];
        }
        store4(level.start + COLOUR * level.size + patch.place.at, x);
    }
    wait_for(is_alone);
}

// The nested problem of one level: what comes from the one below, smoothed by projected sweeps.
__device__ inline void small_project(const Level level, const Level *coarse, int sweeps, bool is_alone) {
    Team team = is_alone ? one_block() : all_blocks();
    Patch patch = patch_of(level, team.rank, level.load);
    Four<float> red = floors_of<0>(level, patch), black = floors_of<1>(level, patch);
    if (patch.is_there) {
        begin_project<0>(level, coarse, patch);
        begin_project<1>(level, coarse, patch);
    }
    wait_for(is_alone);
    for (int sweep = 0; sweep < sweeps; sweep++) {
        project_patch<0>(level, patch, red, is_alone);
        project_patch<1>(level, patch, black, is_alone);
    }
}

// The nested problem on all small levels, from the coarsest up; a.mode is the number of sweeps.
SMALL_KERNEL(small_start) {
    SMALL_LEVELS(levels);
    Team team = all_blocks();
    int tiny = 0, last = a.last - a.first;
    while (!is_tiny(levels[tiny])) tiny++;
    for (int l = 0; l < last; l++) {
        for (int item = team.rank; item < coarse_quads(levels[l], levels[l + 1]); item += team.size)
            restrict_start_quad(levels[l], levels[l + 1], item);
        small_barrier();
    }
    for (int l = last; blockIdx.x == 0 && l >= tiny; l--)
        small_project(levels[l], l < last ? levels + l + 1 : 0, a.mode, true);
    small_barrier();
    for (int l = tiny - 1; l >= 0; l--) small_project(levels[l], levels + l + 1, a.mode, false);
}
