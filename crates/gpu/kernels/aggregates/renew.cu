// The coarse levels follow the pinned rows.

#define FOR_MEMBERS(coarse, aggregate, row)                                                                    \
    for (int place_ = 0; place_ < MEMBERS; place_++)                                                           \
        if (unsigned row = (coarse).members[place_ * (coarse).count + aggregate]; row != NONE)

// The rows of a coarse level, summed from the finer one. Couplings with rows that do not follow the coarse level, pinned
// ones too, belong to the excess.
KERNEL(sum_aggregates) {
    const DeviceRows &level = a.aggregates.level, &coarse = a.aggregates.coarse;
    FOR_OWN_ROWS(coarse, aggregate) {
        float excess = 0.0f;
        FOR_ENTRIES(coarse, aggregate, entry) coarse.off[entry] = 0.0f;
        unsigned begin = first_entry(coarse, aggregate);
        FOR_MEMBERS(coarse, aggregate, row) {
            if (level.inverse[row] == 0.0f) continue;
            excess += level.excess[row];
            FOR_ENTRIES(level, row, entry) {
                unsigned column = level.columns[entry], parent = level.parents[column], to = begin;
                float value = level.off[entry];
                if (parent == NONE || level.inverse[column] == 0.0f) {
                    excess -= value;
                } else if (parent != (unsigned)aggregate) {
                    while (coarse.columns[to] != parent) to += WARP; // the pattern is that without pins
                    coarse.off[to] += value;
                }
            }
        }
        coarse.excess[aggregate] = excess;
        finish_row(coarse, aggregate);
    }
}

// One block: the inverse of the coarsest matrix, by elimination in place. Rows that are pinned, and the last row of a
// part that nothing holds, get zeros. Couplings are those before the diagonal, both ways: sums in single precision may
// differ in the last digit, and a closed part must be singular to the last one.
BARRIER_KERNEL(invert_coarsest) {
    const DeviceRows &level = a.aggregates.level;
    double *dense = a.aggregates.dense;
    __shared__ double column[DENSE_ROWS], row[DENSE_ROWS], diagonal[DENSE_ROWS];
    int size = level.count;
    for (int at = threadIdx.x; at < size * size; at += blockDim.x) dense[at] = 0.0;
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        FOR_ENTRIES(level, i, entry) {
            int j = level.columns[entry];
            if (j < i) dense[i * size + j] = dense[j * size + i] = level.off[entry];
        }
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        double sum = level.excess[i];
        for (int j = 0; j < size; j++) sum -= dense[i * size + j];
        dense[i * size + i] = diagonal[i] = sum;
    }
    __syncthreads();
    for (int k = 0; k < size; k++) {
        for (int i = threadIdx.x; i < size; i += blockDim.x) column[i] = dense[i * size + k], row[i] = dense[k * size + i];
        __syncthreads();
        double pivot = row[k];
        bool is_out = level.inverse[k] == 0.0f || !(pivot > SINGULAR * diagonal[k]);
        for (int at = threadIdx.x; at < size * size; at += blockDim.x) {
            int i = at / size, j = at % size;
            if (is_out) {
                if (i == k || j == k) dense[at] = 0.0;
            } else if (i == k) {
                dense[at] = j == k ? 1.0 / pivot : row[j] / pivot;
            } else {
                dense[at] = j == k ? -column[i] / pivot : dense[at] - column[i] * row[j] / pivot;
            }
        }
        __syncthreads();
    }
}
