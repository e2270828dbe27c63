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
    __shared__ double dense[DENSE_ROWS][DENSE_ROWS], column[DENSE_ROWS], row[DENSE_ROWS], diagonal[DENSE_ROWS];
    // A thread has a column, and every so many of its rows.
    int size = level.count, j = threadIdx.x % DENSE_ROWS, first = threadIdx.x / DENSE_ROWS;
    const int stride = THREADS / DENSE_ROWS;
    for (int i = first; i < DENSE_ROWS; i += stride) dense[i][j] = 0.0;
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += THREADS)
        FOR_ENTRIES(level, i, entry) {
            int before = level.columns[entry];
            if (before < i) dense[i][before] = dense[before][i] = level.off[entry];
        }
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += THREADS) {
        double sum = level.excess[i];
        for (int k = 0; k < size; k++) sum -= dense[k][i];
        dense[i][i] = diagonal[i] = sum;
    }
    for (int k = 0; k < size; k++) {
        __syncthreads();
        if (first == 0) column[j] = dense[j][k], row[j] = dense[k][j];
        __syncthreads();
        double pivot = row[k];
        bool is_out = level.inverse[k] == 0.0f || !(pivot > SINGULAR * diagonal[k]);
        double scale = is_out ? 0.0 : 1.0 / pivot, scaled = scale * row[j];
        for (int i = first; i < DENSE_ROWS; i += stride) {
            if (i == k)
                dense[i][j] = j == k ? scale : scaled;
            else
                dense[i][j] = j == k ? -scale * column[i] : dense[i][j] - column[i] * scaled;
        }
    }
    __syncthreads();
    if (j < size)
        for (int i = first; i < size; i += stride) a.aggregates.dense[i * size + j] = dense[i][j];
}
