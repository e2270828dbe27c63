// All small levels in one launch, since separate launches would take longer than the work. A few blocks work in step.
// The first of them works on the coarsest levels alone, in its own memory.

// Whether one block has a thread for every group.
__device__ inline bool is_tiny(const DeviceLevel &level) { return group_count(level) <= SMALL_THREADS; }

// The cells of a level in order.
#define FOR_CELLS(team, level, group, k)                                                                       \
    if (Group group; true)                                                                                     \
        if (int k; true)                                                                                       \
            for (int cell_ = team.rank; cell_ < 8 * group_count(level) &&                                      \
                                        (group = nth_group(level, cell_ >> 3), k = cell_ & 7, true);           \
                 cell_ += team.size)

// Waits for the threads of the block, or of all blocks.
__device__ inline void wait_for(bool is_alone) {
    if (is_alone)
        __syncthreads();
    else
        small_barrier();
}

// A group of a small level in the registers of its thread. Its rows are read once for all sweeps.
struct CachedGroup {
    Group group;
    bool is_there;
    unsigned flags[2];
    PerSide<float> coupling[2];
    Four<float> inverse[2]; // 1 / A_ii; zero for cells that are pinned or absent
    Four<float> b[2];
};

// Reads the group of this thread. b is the right-hand side of a cycle or of the nested start.
__device__ inline CachedGroup cache_group(const DeviceLevel &level, int index, const float *b) {
    CachedGroup cached;
    cached.is_there = index < group_count(level);
    cached.group = nth_group(level, cached.is_there ? index : 0);
#pragma unroll
    for (int colour = 0; colour < 2; colour++) {
        int at = cached.group.at, own = colour * level.size + at;
        cached.flags[colour] = flags4(level.flags + own);
        bool is_second = holds_second(cached.group, colour);
        cached.coupling[colour] = couplings(level, (const float *const *)level.coupling, colour, at, is_second);
        cached.b[colour] = load4(b + own);
        Four<float> diagonal = load4(level.excess + own);
        for (int k = 0; k < 4; k++) {
            for (int side = 0; side < SIDES; side++) diagonal.v[k] += cached.coupling[colour].side[side].v[k];
            bool is_swept = diagonal.v[k] > 0.0f && !(flag(cached.flags[colour], k) & PINNED);
            cached.inverse[colour].v[k] = is_swept ? 1.0f / diagonal.v[k] : 0.0f;
        }
    }
    return cached;
}

// The sums of c_ij x_j over the neighbours of the cells of a colour.
template <int COLOUR>
__device__ inline Four<float> sum_around(const DeviceLevel &level, const CachedGroup &cached, const float *x) {
    const float *other = x + (1 - COLOUR) * level.size;
    PerSide<float> n = neighbours(level, other, cached.group.at, holds_second(cached.group, COLOUR));
    Four<float> sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 4; k++)
        for (int side = 0; side < SIDES; side++)
            sum.v[k] += cached.coupling[COLOUR].side[side].v[k] * n.side[side].v[k];
    return sum;
}

// A half-sweep. Returns the sums over the neighbours.
template <int COLOUR>
__device__ inline Four<float> small_sweep(const DeviceLevel &level, const CachedGroup &cached, bool is_alone,
                                          int mode) {
    Four<float> sum = {0.0f, 0.0f, 0.0f, 0.0f}, x;
    if (cached.is_there) {
        if (mode != Sweep::FromZero) sum = sum_around<COLOUR>(level, cached, level.x);
        for (int k = 0; k < 4; k++) {
            float b = mode == Sweep::WithoutB ? 0.0f : cached.b[COLOUR].v[k];
            x.v[k] = (b + sum.v[k]) * cached.inverse[COLOUR].v[k];
        }
        store4(level.x + COLOUR * level.size + cached.group.at, x);
    }
    wait_for(is_alone);
    return sum;
}

// A coarse cell. It is read before there is anything to restrict.
struct Parent {
    int own, X, Y, Z;
    unsigned flags, members;
};

__device__ inline Parent parent_at(const DeviceLevel &coarse, int cell) {
    int row = cell / coarse.cells[0];
    Parent parent = {0, cell % coarse.cells[0], row % coarse.cells[1], row / coarse.cells[1], 0, 0};
    if (parent.Z >= coarse.cells[2]) return parent;
    parent.own = cell_of(coarse, parent.X, parent.Y, parent.Z);
    parent.flags = coarse.flags[parent.own], parent.members = coarse.members[parent.own];
    return parent;
}

// b_H <- P^T r of one cell, from the residuals of red cells. Black cells have none.
__device__ inline void gather_residuals(const DeviceLevel &level, const DeviceLevel &coarse, const Parent &parent) {
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

// The part of a cycle before the coarse correction: sweeps, and the right-hand side of the next level.
__device__ inline void small_down(const DeviceLevel level, const DeviceLevel coarse, bool is_alone, bool is_reduced) {
    int red = is_reduced ? Sweep::WithoutB : Sweep::WithB;
    Team team = is_alone ? one_block() : all_blocks();
    CachedGroup cached = cache_group(level, team.rank, level.b);
    Parent parent = parent_at(coarse, team.rank);
    Four<float> before = {0.0f, 0.0f, 0.0f, 0.0f};
    if (is_reduced) {
        small_sweep<1>(level, cached, is_alone, Sweep::FromZero);
    } else {
        before = small_sweep<0>(level, cached, is_alone, Sweep::FromZero);
        small_sweep<1>(level, cached, is_alone, Sweep::WithB);
    }
    for (int sweep = 1; sweep < CYCLE_SWEEPS; sweep++) {
        before = small_sweep<0>(level, cached, is_alone, red);
        small_sweep<1>(level, cached, is_alone, Sweep::WithB);
    }
    // A red cell had no residual after its last half-sweep. What it has now comes from changes of its neighbours.
    if (cached.is_there) {
        Four<float> sum = sum_around<0>(level, cached, level.x);
        for (int k = 0; k < 4; k++) sum.v[k] = cached.inverse[0].v[k] > 0.0f ? sum.v[k] - before.v[k] : 0.0f;
        store4(level.residual + cached.group.at, sum);
    }
    wait_for(is_alone);
    gather_residuals(level, coarse, parent);
    int cells = coarse.cells[0] * coarse.cells[1] * coarse.cells[2];
    for (int cell = team.rank + team.size; cell < cells; cell += team.size)
        gather_residuals(level, coarse, parent_at(coarse, cell));
    wait_for(is_alone);
}

// The part of a cycle after it: the coarse correction, and sweeps.
__device__ inline void small_up(const DeviceLevel level, const DeviceLevel coarse, bool is_alone, bool is_reduced) {
    int red = is_reduced ? Sweep::WithoutB : Sweep::WithB;
    Team team = is_alone ? one_block() : all_blocks();
    CachedGroup cached = cache_group(level, team.rank, level.b);
    if (cached.is_there) {
        Four<float> x = load4(level.x + cached.group.at);
        Four<float> v = prolong4(coarse, coarse.x, cached.group, 0, cached.flags[0], true);
        for (int k = 0; k < 4; k++) x.v[k] += cached.inverse[0].v[k] > 0.0f ? v.v[k] : 0.0f;
        store4(level.x + cached.group.at, x);
    }
    wait_for(is_alone);
    for (int sweep = 0; sweep < CYCLE_SWEEPS; sweep++) {
        small_sweep<1>(level, cached, is_alone, Sweep::WithB);
        small_sweep<0>(level, cached, is_alone, red);
    }
}

#define MOST_SMALL 18 // levels; a row of 32768 cells has 16

// Copies the small levels from first_level on to the block's own memory.
#define SMALL_LEVELS(levels)                                                                                   \
    __shared__ DeviceLevel levels[MOST_SMALL];                                                                 \
    int words_ = (a.last_level - a.first_level + 1) * (int)(sizeof(DeviceLevel) / 4);                          \
    for (int i = threadIdx.x; i < words_; i += blockDim.x)                                                     \
        ((int *)levels)[i] = ((const int *)(a.levels + a.first_level))[i];                                     \
    __syncthreads()

// Moves the arrays of a cycle on the tiny levels to the block's own memory, except for the couplings of the finest.
// They lie in one piece that begins with the iterate of the finest.
__device__ inline void borrow_levels(DeviceLevel *levels, int count, char *room) {
    const char *from = (const char *)levels[0].x;
    const DeviceLevel &last = levels[count - 1];
    int words = (int)((const char *)last.flags + 2 * last.size - from + 15) / 16;
#pragma unroll 4
    for (int i = threadIdx.x; i < words; i += blockDim.x) ((float4 *)room)[i] = ((const float4 *)from)[i];
    __syncthreads();
    if ((int)threadIdx.x < count) {
        DeviceLevel &level = levels[threadIdx.x];
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
__device__ inline void tiny_cycle(DeviceLevel *levels, int count, bool is_reduced) {
    SHARED_MEMORY(room);
    float *x = levels[0].x;
    borrow_levels(levels, count, room);
    for (int l = 0; l + 1 < count; l++) small_down(levels[l], levels[l + 1], true, is_reduced && l == 0);
    {
        const DeviceLevel &last = levels[count - 1]; // a single red cell
        small_sweep<0>(last, cache_group(last, threadIdx.x, last.b), true, Sweep::FromZero);
    }
    for (int l = count - 2; l >= 0; l--) small_up(levels[l], levels[l + 1], true, is_reduced && l == 0);
    for (int i = threadIdx.x; i < 2 * levels[0].size; i += blockDim.x) x[i] = levels[0].x[i];
    __syncthreads();
    if (threadIdx.x == 0) levels[0].x = x;
    __syncthreads();
}

// One V-cycle from zero, as the host runs it on large levels.
SMALL_KERNEL(small_cycle) {
    SMALL_LEVELS(levels);
    int tiny = a.first_tiny - a.first_level, count = a.last_level - a.first_level + 1;
    for (int l = 0; l < tiny; l++) small_down(levels[l], levels[l + 1], false, a.is_reduced && l == 0);
    if (blockIdx.x == 0) tiny_cycle(levels + tiny, count - tiny, a.is_reduced && tiny == 0);
    small_barrier();
    for (int l = tiny - 1; l >= 0; l--) small_up(levels[l], levels[l + 1], false, a.is_reduced && l == 0);
}

// Sets up the small levels below first_level: cells and couplings.
SMALL_KERNEL(small_setup) {
    SMALL_LEVELS(levels);
    for (int l = 0; l < a.last_level - a.first_level; l++) {
        const DeviceLevel &level = levels[l], &coarse = levels[l + 1];
        Team team = all_blocks();
        FOR_CELLS(team, coarse, group, k) aggregate_one(level, coarse, group, k);
        small_barrier();
        FOR_CELLS(team, coarse, group, k) adopt_one(level, coarse, group, k);
        small_barrier();
        FOR_CELLS(team, coarse, group, k) galerkin_one(level, coarse, group, k, true);
        small_barrier();
        FOR_GROUPS(team, coarse, group)
            classify_group(coarse, correction_system(coarse), group, false, tile_at(coarse, group));
        small_barrier();
    }
}

// Computes their couplings again after another choice of pinned cells.
SMALL_KERNEL(small_galerkin) {
    if (is_truncated(a)) return;
    SMALL_LEVELS(levels);
    for (int l = 0; l < a.last_level - a.first_level; l++) {
        const DeviceLevel &level = levels[l], &coarse = levels[l + 1];
        Team team = all_blocks();
        FOR_CELLS(team, coarse, group, k) galerkin_one(level, coarse, group, k, false);
        small_barrier();
    }
    bool is_known = a.truncation == Truncation::IfChanged;
    if (all_blocks().rank == 0) a.scalars->truncated_changes = is_known ? a.scalars->changes : -1;
}

// The lower bounds of the cells of a colour.
template <int COLOUR> __device__ inline Four<float> floors_of(const DeviceLevel &level, const CachedGroup &cached) {
    Four<float> floor = load4(level.floor + COLOUR * level.size + cached.group.at);
    for (int k = 0; k < 4; k++)
        if (!(flag(cached.flags[COLOUR], k) & WALL)) floor.v[k] = -INFINITY;
    return floor;
}

// Begins with the correction of the coarser level, or with zero.
template <int COLOUR>
__device__ inline void begin_project(const DeviceLevel &level, const DeviceLevel *coarse, const CachedGroup &cached) {
    Four<float> x = {0.0f, 0.0f, 0.0f, 0.0f};
    if (coarse) x = prolong4(*coarse, coarse->correction, cached.group, COLOUR, cached.flags[COLOUR], true);
    for (int k = 0; k < 4; k++)
        if (!(flag(cached.flags[COLOUR], k) & PRESENT)) x.v[k] = 0.0f;
    store4(level.correction + COLOUR * level.size + cached.group.at, x);
}

template <int COLOUR>
__device__ inline void project_cached(const DeviceLevel &level, const CachedGroup &cached, const Four<float> &floor,
                                      bool is_alone) {
    if (cached.is_there) {
        Four<float> x = sum_around<COLOUR>(level, cached, level.correction);
        for (int k = 0; k < 4; k++) {
            x.v[k] = (x.v[k] - cached.b[COLOUR].v[k]) * cached.inverse[COLOUR].v[k];
            x.v[k] = x.v[k] < floor.v[k] ? floor.v[k] : x.v[k];
        }
        store4(level.correction + COLOUR * level.size + cached.group.at, x);
    }
    wait_for(is_alone);
}

// The nested problem of one level: the correction of the coarser level, improved by projected sweeps.
__device__ inline void small_project(const DeviceLevel level, const DeviceLevel *coarse, int sweeps, bool is_alone) {
    Team team = is_alone ? one_block() : all_blocks();
    CachedGroup cached = cache_group(level, team.rank, level.load);
    Four<float> red = floors_of<0>(level, cached), black = floors_of<1>(level, cached);
    if (cached.is_there) {
        begin_project<0>(level, coarse, cached);
        begin_project<1>(level, coarse, cached);
    }
    wait_for(is_alone);
    for (int sweep = 0; sweep < sweeps; sweep++) {
        project_cached<0>(level, cached, red, is_alone);
        project_cached<1>(level, cached, black, is_alone);
    }
}

// The nested problem on all small levels, beginning with the coarsest.
SMALL_KERNEL(small_start) {
    SMALL_LEVELS(levels);
    Team team = all_blocks();
    int tiny = 0, last = a.last_level - a.first_level;
    while (!is_tiny(levels[tiny])) tiny++;
    for (int l = 0; l < last; l++) {
        for (int item = team.rank; item < coarse_quads(levels[l], levels[l + 1]); item += team.size)
            restrict_correction_quad(levels[l], levels[l + 1], item);
        small_barrier();
    }
    for (int l = last; blockIdx.x == 0 && l >= tiny; l--)
        small_project(levels[l], l < last ? levels + l + 1 : 0, a.projected_sweeps, true);
    small_barrier();
    for (int l = tiny - 1; l >= 0; l--) small_project(levels[l], levels + l + 1, a.projected_sweeps, false);
}
