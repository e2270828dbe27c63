// Rows of any matrix, in slices: the entries of WARP rows lie side by side, so that threads side by side read side by
// side. A row knows how many entries it has. Diagonals are apart from all others.

// No row. Where rows look for mates: one that has none yet, and one that is left to smoothing.
#define NONE 0xffffffffu
#define UNMATED NONE
#define LEFT 0xfffffffeu

// Where the entries of a row begin; the next one lies WARP further.
__device__ inline unsigned first_entry(const DeviceRows &level, unsigned row) {
    return level.starts[row / WARP] + row % WARP;
}

#define FOR_ENTRIES(level, row, entry)                                                                         \
    for (unsigned entry = first_entry(level, row), end_ = entry + WARP * (level).lengths[row]; entry < end_;   \
         entry += WARP)

// The rows of a level, shared by a team of threads.
#define FOR_TEAM_ROWS(team, level, row) for (int row = (team).rank; row < (level).count; row += (team).size)
#define FOR_OWN_ROWS(level, row)                                                                               \
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < (level).count; row += gridDim.x * blockDim.x)

// The sum of a_ij (x_j - own) over j != i. Entries are read in batches: all loads of a batch are under way together.
template <class V, class T>
__device__ inline T sum_beside(const DeviceRows &level, int row, const V *values, const T *x, T own) {
    const int batch = 8;
    unsigned from = first_entry(level, row), end = from + WARP * level.lengths[row];
    T sum = 0;
    for (; from < end; from += batch * WARP) {
        unsigned columns[batch];
        T value[batch];
#pragma unroll
        for (int k = 0; k < batch; k++) {
            unsigned entry = from + k * WARP;
            columns[k] = entry < end ? level.columns[entry] : (unsigned)row;
            value[k] = entry < end ? (T)values[entry] : (T)0;
        }
#pragma unroll
        for (int k = 0; k < batch; k++) sum += value[k] * (x[columns[k]] - own);
    }
    return sum;
}

__device__ inline float sum_beside(const DeviceRows &level, int row, const float *x) {
    return sum_beside<float, float>(level, row, level.off, x, 0.0f);
}

// Whether the launch belongs to a second step that a level does without.
__device__ inline bool is_skipped(const Args &a) {
    const DeviceAggregates &s = a.aggregates;
    for (int number = 0, guards = s.guards; guards; number++, guards >>= 1)
        if ((guards & 1) && !s.steps[number].is_second) return true;
    return false;
}
