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

// The sum of a_ij x_j over j != i.
__device__ inline float sum_beside(const DeviceRows &level, int row, const float *x) {
    float sum = 0.0f;
#pragma unroll 8
    FOR_ENTRIES(level, row, entry) sum += level.off[entry] * x[level.columns[entry]];
    return sum;
}

// Whether the launch belongs to a second step that a level does without.
__device__ inline bool is_skipped(const Args &a) {
    const DeviceAggregates &s = a.aggregates;
    for (int number = 0, guards = s.guards; guards; number++, guards >>= 1)
        if ((guards & 1) && !s.steps[number].is_second) return true;
    return false;
}
