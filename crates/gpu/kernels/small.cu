// All small levels by a single block: launches would take longer than the work.

#define SWEEPS 2
#define START_SWEEPS 24   // projected sweeps on each small level of the nested start

// Cells of a level one behind the other.
#define FOR_CELLS(level, place, k)                                                                             \
    Place place;                                                                                               \
    int k;                                                                                                     \
    for (int cell_ = threadIdx.x;                                                                              \
         cell_ < 8 * groups_of(level) ? (place = group_at(level, cell_ >> 3), k = cell_ & 7, true) : false;    \
         cell_ += blockDim.x)

__device__ inline void small_sweep(const Level &level, int colour, int mode) {
    {
        FOR_GROUPS(level, place) sweep_group(level, place, colour, mode);
    }
    __syncthreads();
}

// One V-cycle from zero, as the host drives it on large levels.
SMALL_KERNEL(small_cycle) {
    for (int l = a.first; l < a.last; l++) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        bool is_reduced = a.is_reduced && l == a.first;
        int red = is_reduced ? WITHOUT_B : WITH_B;
        if (is_reduced) {
            small_sweep(level, 1, FROM_ZERO);
        } else {
            small_sweep(level, 0, FROM_ZERO);
            small_sweep(level, 1, WITH_B);
        }
        for (int sweep = 1; sweep < SWEEPS; sweep++) {
            small_sweep(level, 0, red);
            small_sweep(level, 1, WITH_B);
        }
        for (int item = threadIdx.x; item < coarse_quads(level, coarse); item += blockDim.x)
            restrict_red(level, coarse, item, !is_reduced);
        __syncthreads();
    }
    small_sweep(a.levels[a.last], 0, FROM_ZERO); // a single cell, a red one
    for (int l = a.last - 1; l >= a.first; l--) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        int red = a.is_reduced && l == a.first ? WITHOUT_B : WITH_B;
        {
            FOR_GROUPS(level, place) prolong_red(level, coarse, place);
        }
        __syncthreads();
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            small_sweep(level, 1, WITH_B);
            small_sweep(level, 0, red);
        }
    }
}

// The small levels below `first`: cells and couplings.
SMALL_KERNEL(small_setup) {
    for (int l = a.first; l < a.last; l++) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        {
            FOR_CELLS(coarse, place, k) aggregate_one(level, coarse, place, k);
        }
        __syncthreads();
        {
            FOR_CELLS(coarse, place, k) adopt_one(level, coarse, place, k);
        }
        __syncthreads();
        {
            FOR_CELLS(coarse, place, k) galerkin_one(level, coarse, place, k, true);
        }
        __syncthreads();
        {
            FOR_GROUPS(coarse, place) classify_group(coarse, place, false, tile_at(coarse, place));
        }
        __syncthreads();
    }
}

// Their couplings after another choice of pinned cells.
SMALL_KERNEL(small_galerkin) {
    for (int l = a.first; l < a.last; l++) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        {
            FOR_CELLS(coarse, place, k) galerkin_one(level, coarse, place, k, false);
        }
        __syncthreads();
    }
}

// The nested problem on all small levels, from the coarsest up.
SMALL_KERNEL(small_start) {
    for (int l = a.first; l < a.last; l++) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        for (int item = threadIdx.x; item < coarse_quads(level, coarse); item += blockDim.x)
            restrict_start_quad(level, coarse, item);
        __syncthreads();
    }
    for (int l = a.last; l >= a.first; l--) {
        const Level level = a.levels[l];
        System<float> s = start_system(level);
        if (l == a.last) {
            for (int at = threadIdx.x; at < 2 * level.size; at += blockDim.x) level.start[at] = 0.0f;
        } else {
            const Level coarse = a.levels[l + 1];
            FOR_GROUPS(level, place) prolong_start_group(level, coarse, place, level.start, 0.0f, 1.0f);
        }
        __syncthreads();
        for (int half = 0; half < 2 * START_SWEEPS; half++) {
            {
                FOR_GROUPS(level, place) project_group(level, s, place, half & 1, ALL_CELLS);
            }
            __syncthreads();
        }
    }
}
