// All small levels at once, by a few blocks in step: launches would take longer than the work. The first
// of the blocks takes the lowest levels alone, in its own memory.

#define SWEEPS 2
#define TINY_CELLS 4096 // levels of one block

__device__ inline bool is_tiny(const Level &level) { return level.nx * level.ny * level.nz <= TINY_CELLS; }

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

// `first` is the first group of the thread, most often its only one: where it lies is computed once for all sweeps.
__device__ inline void small_sweep(const Level &level, bool is_alone, Place first, int colour, int mode) {
    Team team = is_alone ? one_block() : all_blocks();
    for (int group = team.rank; group < groups_of(level); group += team.size)
        sweep_group(level, group == team.rank ? first : group_at(level, group), colour, mode, MIXED);
    wait_for(is_alone);
}

// The way down from a level to the next.
__device__ inline void small_down(const Level &level, const Level &coarse, bool is_alone, bool is_reduced) {
    int red = is_reduced ? WITHOUT_B : WITH_B;
    Team team = is_alone ? one_block() : all_blocks();
    Place first = group_at(level, team.rank);
    if (is_reduced) {
        small_sweep(level, is_alone, first, 1, FROM_ZERO);
    } else {
        small_sweep(level, is_alone, first, 0, FROM_ZERO);
        small_sweep(level, is_alone, first, 1, WITH_B);
    }
    for (int sweep = 1; sweep < SWEEPS; sweep++) {
        small_sweep(level, is_alone, first, 0, red);
        small_sweep(level, is_alone, first, 1, WITH_B);
    }
    for (int item = team.rank; item < coarse_quads(level, coarse); item += team.size)
        restrict_red(level, coarse, item, !is_reduced);
    wait_for(is_alone);
}

// And back up.
__device__ inline void small_up(const Level &level, const Level &coarse, bool is_alone, bool is_reduced) {
    int red = is_reduced ? WITHOUT_B : WITH_B;
    Team team = is_alone ? one_block() : all_blocks();
    Place first = group_at(level, team.rank);
    {
        FOR_GROUPS(team, level, place) prolong_red(level, coarse, place);
    }
    wait_for(is_alone);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        small_sweep(level, is_alone, first, 1, WITH_B);
        small_sweep(level, is_alone, first, 0, red);
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
    small_sweep(levels[count - 1], true, group_at(levels[count - 1], threadIdx.x), 0, FROM_ZERO); // a single red cell
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
    SMALL_LEVELS(levels);
    for (int l = 0; l < a.last - a.first; l++) {
        const Level &level = levels[l], &coarse = levels[l + 1];
        Team team = all_blocks();
        {
            FOR_CELLS(team, coarse, place, k) galerkin_one(level, coarse, place, k, false);
        }
        small_barrier();
    }
}

// The nested problem of one level: what comes from the one below, smoothed by projected sweeps.
__device__ inline void small_project(const Level &level, const Level *coarse, int sweeps, bool is_alone) {
    System<float> s = start_system(level);
    Team team = is_alone ? one_block() : all_blocks();
    if (coarse) {
        FOR_GROUPS(team, level, place) prolong_start_group(level, *coarse, place, level.start, 0.0f, 1.0f);
    } else {
        for (int at = team.rank; at < 2 * level.size; at += team.size) level.start[at] = 0.0f;
    }
    wait_for(is_alone);
    for (int half = 0; half < 2 * sweeps; half++) {
        {
            FOR_GROUPS(team, level, place) project_group(level, s, place, half & 1, 1.0f);
        }
        wait_for(is_alone);
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
