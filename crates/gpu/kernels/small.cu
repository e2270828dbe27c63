// All small levels at once, by a few blocks in step: launches would take longer than the work. The first
// of the blocks takes the lowest levels alone, in its own memory.

#define SWEEPS 2
#define START_SWEEPS 16 // projected sweeps on each small level of the nested start
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

__device__ inline void small_sweep(const Level &level, bool is_alone, int colour, int mode) {
    {
        Team team = is_alone ? one_block() : all_blocks();
        FOR_GROUPS(team, level, place) sweep_any(level, place, colour, mode);
    }
    wait_for(is_alone);
}

// The way down from a level to the next.
__device__ inline void small_down(const Level &level, const Level &coarse, bool is_alone, bool is_reduced) {
    int red = is_reduced ? WITHOUT_B : WITH_B;
    if (is_reduced) {
        small_sweep(level, is_alone, 1, FROM_ZERO);
    } else {
        small_sweep(level, is_alone, 0, FROM_ZERO);
        small_sweep(level, is_alone, 1, WITH_B);
    }
    for (int sweep = 1; sweep < SWEEPS; sweep++) {
        small_sweep(level, is_alone, 0, red);
        small_sweep(level, is_alone, 1, WITH_B);
    }
    Team team = is_alone ? one_block() : all_blocks();
    for (int item = team.rank; item < coarse_quads(level, coarse); item += team.size)
        restrict_red(level, coarse, item, !is_reduced);
    wait_for(is_alone);
}

// And back up.
__device__ inline void small_up(const Level &level, const Level &coarse, bool is_alone, bool is_reduced) {
    int red = is_reduced ? WITHOUT_B : WITH_B;
    {
        Team team = is_alone ? one_block() : all_blocks();
        FOR_GROUPS(team, level, place) prolong_red(level, coarse, place);
    }
    wait_for(is_alone);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        small_sweep(level, is_alone, 1, WITH_B);
        small_sweep(level, is_alone, 0, red);
    }
}

// A piece of the block's own memory with a copy of an array in it.
template <class T> __device__ inline T *borrow(char *&room, const T *from, int count) {
    T *piece = (T *)room;
    room += (count * sizeof(T) + 15) / 16 * 16;
    for (int i = threadIdx.x; i < count; i += blockDim.x) piece[i] = from ? from[i] : (T)0;
    return piece;
}

#define MOST_TINY 14 // levels: a line of 4096 cells has 13

// The levels of one block, from the finest tiny one on, with what a cycle changes in its own memory, and
// the couplings of all but the finest.
__device__ inline int borrow_levels(const Args &a, int first, Level *levels, char *room) {
    int count = a.last - first + 1;
    for (int l = 0; l < count; l++) {
        Level level = a.levels[first + l];
        int cells = 2 * level.size;
        level.x = borrow(room, (const float *)0, cells);
        level.b = borrow(room, l == 0 ? level.b : (const float *)0, cells);
        level.flags = borrow(room, level.flags, cells);
        level.groups = borrow(room, level.groups, level.size / 4);
        if (l > 0) {
            level.excess = borrow(room, level.excess, cells);
            for (int axis = 0; axis < DIM; axis++) level.coupling[axis] = borrow(room, level.coupling[axis], cells);
        }
        if (threadIdx.x == 0) levels[l] = level;
    }
    __syncthreads();
    return count;
}

// A cycle on the tiny levels, by one block.
__device__ inline void tiny_cycle(const Args &a, int first, bool is_reduced) {
    SHARED_MEMORY(room);
    __shared__ Level levels[MOST_TINY];
    int count = borrow_levels(a, first, levels, room);
    for (int l = 0; l + 1 < count; l++) small_down(levels[l], levels[l + 1], true, is_reduced && l == 0);
    small_sweep(levels[count - 1], true, 0, FROM_ZERO); // a single cell, a red one
    for (int l = count - 2; l >= 0; l--) small_up(levels[l], levels[l + 1], true, is_reduced && l == 0);
    const Level level = a.levels[first];
    for (int i = threadIdx.x; i < 2 * level.size; i += blockDim.x) level.x[i] = levels[0].x[i];
}

// One V-cycle from zero, as the host drives it on large levels.
SMALL_KERNEL(small_cycle) {
    int tiny = a.first;
    while (!is_tiny(a.levels[tiny])) tiny++;
    for (int l = a.first; l < tiny; l++)
        small_down(a.levels[l], a.levels[l + 1], false, a.is_reduced && l == a.first);
    if (blockIdx.x == 0) tiny_cycle(a, tiny, a.is_reduced && tiny == a.first);
    small_barrier();
    for (int l = tiny - 1; l >= a.first; l--)
        small_up(a.levels[l], a.levels[l + 1], false, a.is_reduced && l == a.first);
}

// The small levels below `first`: cells and couplings.
SMALL_KERNEL(small_setup) {
    for (int l = a.first; l < a.last; l++) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
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
            FOR_GROUPS(team, coarse, place) classify_group(coarse, place, false, tile_at(coarse, place));
        }
        small_barrier();
    }
}

// Their couplings after another choice of pinned cells.
SMALL_KERNEL(small_galerkin) {
    for (int l = a.first; l < a.last; l++) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        Team team = all_blocks();
        {
            FOR_CELLS(team, coarse, place, k) galerkin_one(level, coarse, place, k, false);
        }
        small_barrier();
    }
}

// The nested problem of one level: what comes from below, smoothed.
__device__ inline void small_project(const Args &a, int l, bool is_alone) {
    const Level level = a.levels[l];
    System<float> s = start_system(level);
    Team team = is_alone ? one_block() : all_blocks();
    if (l == a.last) {
        for (int at = team.rank; at < 2 * level.size; at += team.size) level.start[at] = 0.0f;
    } else {
        const Level coarse = a.levels[l + 1];
        FOR_GROUPS(team, level, place) prolong_start_group(level, coarse, place, level.start, 0.0f, 1.0f);
    }
    wait_for(is_alone);
    for (int half = 0; half < 2 * START_SWEEPS; half++) {
        {
            FOR_GROUPS(team, level, place) project_group(level, s, place, half & 1, ALL_CELLS);
        }
        wait_for(is_alone);
    }
}

// The nested problem on all small levels, from the coarsest up.
SMALL_KERNEL(small_start) {
    Team team = all_blocks();
    int tiny = a.first;
    while (!is_tiny(a.levels[tiny])) tiny++;
    for (int l = a.first; l < a.last; l++) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        for (int item = team.rank; item < coarse_quads(level, coarse); item += team.size)
            restrict_start_quad(level, coarse, item);
        small_barrier();
    }
    for (int l = a.last; blockIdx.x == 0 && l >= tiny; l--) small_project(a, l, true);
    small_barrier();
    for (int l = tiny - 1; l >= a.first; l--) small_project(a, l, false);
}
