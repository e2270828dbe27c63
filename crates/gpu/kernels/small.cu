// All small levels at once, by a few blocks in step: launches would take longer than the work.

#define SWEEPS 2
#define START_SWEEPS 24   // projected sweeps on each small level of the nested start

// Cells of a level one behind the other.
#define FOR_CELLS(level, place, k)                                                                             \
    Place place;                                                                                               \
    int k;                                                                                                     \
    for (int cell_ = blockIdx.x * blockDim.x + threadIdx.x;                                                                             \
         cell_ < 8 * groups_of(level) ? (place = group_at(level, cell_ >> 3), k = cell_ & 7, true) : false;    \
         cell_ += gridDim.x * blockDim.x)

__device__ inline void small_sweep(const Level &level, int colour, int mode) {
    {
        FOR_GROUPS(level, place) sweep_group(level, place, colour, mode);
    }
    small_barrier();
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
        for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < coarse_quads(level, coarse); item += gridDim.x * blockDim.x)
            restrict_red(level, coarse, item, !is_reduced);
        small_barrier();
    }
    small_sweep(a.levels[a.last], 0, FROM_ZERO); // a single cell, a red one
    for (int l = a.last - 1; l >= a.first; l--) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        int red = a.is_reduced && l == a.first ? WITHOUT_B : WITH_B;
        {
            FOR_GROUPS(level, place) prolong_red(level, coarse, place);
        }
        small_barrier();
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
        small_barrier();
        {
            FOR_CELLS(coarse, place, k) adopt_one(level, coarse, place, k);
        }
        small_barrier();
        {
            FOR_CELLS(coarse, place, k) galerkin_one(level, coarse, place, k, true);
        }
        small_barrier();
        {
            FOR_GROUPS(coarse, place) classify_group(coarse, place, false, tile_at(coarse, place));
        }
        small_barrier();
    }
}

// Their couplings after another choice of pinned cells.
SMALL_KERNEL(small_galerkin) {
    for (int l = a.first; l < a.last; l++) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        {
            FOR_CELLS(coarse, place, k) galerkin_one(level, coarse, place, k, false);
        }
        small_barrier();
    }
}

// The nested problem on all small levels, from the coarsest up.
SMALL_KERNEL(small_start) {
    for (int l = a.first; l < a.last; l++) {
        const Level level = a.levels[l], coarse = a.levels[l + 1];
        for (int item = blockIdx.x * blockDim.x + threadIdx.x; item < coarse_quads(level, coarse); item += gridDim.x * blockDim.x)
            restrict_start_quad(level, coarse, item);
        small_barrier();
    }
    for (int l = a.last; l >= a.first; l--) {
        const Level level = a.levels[l];
        System<float> s = start_system(level);
        if (l == a.last) {
            for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < 2 * level.size; at += gridDim.x * blockDim.x) level.start[at] = 0.0f;
        } else {
            const Level coarse = a.levels[l + 1];
            FOR_GROUPS(level, place) prolong_start_group(level, coarse, place, level.start, 0.0f, 1.0f);
        }
        small_barrier();
        for (int half = 0; half < 2 * START_SWEEPS; half++) {
            {
                FOR_GROUPS(level, place) project_group(level, s, place, half & 1, ALL_CELLS);
            }
            small_barrier();
        }
    }
}
