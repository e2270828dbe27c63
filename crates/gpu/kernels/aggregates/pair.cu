// Aggregates: pairs of pairs of pairs of rows, by the measure of [Napov2012]. All rows look for their best mate at the
// same time, and those that choose each other become a pair. Where mates are equally good, a rule that both sides see
// alike decides: nearby numbers first. So rows in the order of a grid become boxes.

// The finest level from compressed rows: entries over `unit`, and what each row has in excess of its couplings.
KERNEL(place_entries) {
    const DeviceAggregates &s = a.aggregates;
    const DeviceRows &level = s.level;
    FOR_OWN_ROWS(level, row) {
        unsigned to = first_entry(level, row), length = 0;
        double sum = 0.0, diagonal = 0.0;
        for (unsigned from = s.matrix_starts[row]; from < s.matrix_starts[row + 1]; from++) {
            double value = s.matrix_values[from];
            sum += value;
            if (s.matrix_columns[from] == row) {
                diagonal = value;
                continue;
            }
            level.columns[to] = s.matrix_columns[from];
            level.off[to] = (float)(value / a.unit);
            s.values[to] = value;
            to += WARP, length++;
        }
        level.lengths[row] = length;
        s.diagonal[row] = diagonal;
        level.excess[row] = fabs(sum) > ROUNDING * diagonal ? (float)(sum / a.unit) : 0.0f;
    }
}

// The diagonal of a row from its excess and its couplings, and what smoothing multiplies by. The eigenvalues of the
// smoothed matrix are at most two, whatever the signs of the couplings.
__device__ inline void finish_row(const DeviceRows &level, int row) {
    float diagonal = level.excess[row], sizes = 0.0f;
    FOR_ENTRIES(level, row, entry) diagonal -= level.off[entry], sizes += fabsf(level.off[entry]);
    float bound = larger(diagonal, 0.5f * (diagonal + sizes));
    level.diagonal[row] = diagonal;
    level.weight[row] = level.inverse[row] = diagonal > 0.0f ? 1.0f / bound : 0.0f;
}

KERNEL(finish_rows) {
    const DeviceRows &level = a.aggregates.level;
    FOR_OWN_ROWS(level, row) finish_row(level, row);
}

// All rows look for mates. In the first of the passes, rows that exceed their couplings by far are left out, and the
// others find the measure of the best pair that they could form.
KERNEL(begin_pairs) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.level, row) {
        s.mates[row] = UNMATED;
        if (s.pass > 0) continue;
        float sizes = 0.0f, strongest = 0.0f;
        FOR_ENTRIES(s.level, row, entry) {
            sizes += fabsf(s.level.off[entry]);
            strongest = larger(strongest, -s.level.off[entry]);
        }
        if (s.level.excess[row] >= DOMINANT * sizes) s.mates[row] = LEFT;
        s.level.best[row] = s.level.diagonal[row] / strongest;
    }
}

__device__ inline float together(float x, float y) { return x > 0.0f && y > 0.0f ? 1.0f / (1.0f / x + 1.0f / y) : 0.0f; }

// The measure of a pair, cut to some twelve bits: both sides see the same, though their sums may round differently.
__device__ inline unsigned measure_of(const DeviceRows &level, unsigned one, unsigned other, float coupling) {
    float stiffness = coupling + together(level.excess[one], level.excess[other]);
    float measure = 2.0f * together(level.diagonal[one], level.diagonal[other]) / stiffness;
    float spread = SPREAD * smaller(level.best[one], level.best[other]);
    return measure < WORST_MEASURE && measure < spread ? __float_as_uint(measure) >> 11 : NONE;
}

// Which of two equally good mates comes first. In a grid, the line of the lower row tells whether it begins a pair.
__device__ inline u64 rank_of(unsigned one, unsigned other) {
    unsigned lower = min((int)one, (int)other), apart = one + other - 2 * lower;
    return (u64)apart << 33 | (u64)(lower / apart & 1) << 32 | lower;
}

KERNEL(seek_mates) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.level, row) {
        unsigned pick = NONE, least = NONE;
        u64 first = 0;
        if (s.mates[row] == UNMATED)
            FOR_ENTRIES(s.level, row, entry) {
                unsigned other = s.level.columns[entry];
                float coupling = -s.level.off[entry];
                if (!(coupling > 0.0f) || s.mates[other] != UNMATED) continue;
                unsigned measure = measure_of(s.level, row, other, coupling);
                if (measure == NONE || measure > least) continue;
                u64 rank = rank_of(row, other);
                if (measure < least || rank < first) pick = other, least = measure, first = rank;
            }
        s.picks[row] = pick;
    }
}

KERNEL(join_mates) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.level, row) {
        unsigned pick = s.picks[row];
        if (pick != NONE && s.picks[pick] == (unsigned)row) s.mates[row] = pick;
    }
}

// Every pair is numbered by its first row; a row without a mate is one of its own.
KERNEL(flag_firsts) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.level, row) a.liquid.scanned[row] = s.mates[row] != LEFT && (unsigned)row < s.mates[row];
}

KERNEL(number_pairs) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.level, row) {
        unsigned mate = s.mates[row];
        if (mate == LEFT) {
            s.pairs[s.pass][row] = NONE;
            continue;
        }
        unsigned pair = s.numbers[min((int)(mate == UNMATED ? row : mate), row)];
        s.pairs[s.pass][row] = pair;
        if ((unsigned)row < mate) s.firsts[s.pass][pair] = row, s.seconds[s.pass][pair] = mate;
    }
}

// Room for the rows of each slice of pairs: what both have is enough.
KERNEL(widen_slices) {
    const DeviceAggregates &s = a.aggregates;
    int slice = blockIdx.x * blockDim.x + threadIdx.x, pairs = s.coarse.count;
    if (slice * WARP >= pairs) return;
    unsigned width = 0;
    for (int pair = slice * WARP; pair < min(pairs, (slice + 1) * WARP); pair++) {
        unsigned second = s.seconds[s.pass][pair];
        unsigned length = s.level.lengths[s.firsts[s.pass][pair]] + (second == NONE ? 0 : s.level.lengths[second]);
        if (length > width) width = length;
    }
    a.liquid.scanned[slice] = width * WARP;
}

// The rows of the pairs: sums of couplings with other pairs, of diagonals and of excesses.
KERNEL(merge_pairs) {
    const DeviceAggregates &s = a.aggregates;
    const unsigned *pair_of = s.pairs[s.pass];
    FOR_OWN_ROWS(s.coarse, pair) {
        unsigned begin = first_entry(s.coarse, pair), end = begin;
        float diagonal = 0.0f, excess = 0.0f, best = INFINITY;
        for (int side = 0; side < 2; side++) {
            unsigned row = side ? s.seconds[s.pass][pair] : s.firsts[s.pass][pair];
            if (row == NONE) continue;
            diagonal += s.level.diagonal[row], excess += s.level.excess[row];
            best = smaller(best, s.level.best[row]);
            FOR_ENTRIES(s.level, row, entry) {
                unsigned other = pair_of[s.level.columns[entry]], to = begin;
                if (other == NONE || other == (unsigned)pair) continue;
                while (to < end && s.coarse.columns[to] != other) to += WARP;
                if (to == end) s.coarse.columns[to] = other, s.coarse.off[to] = 0.0f, end += WARP;
                s.coarse.off[to] += s.level.off[entry];
            }
        }
        s.coarse.lengths[pair] = (end - begin) / WARP;
        s.coarse.diagonal[pair] = diagonal, s.coarse.excess[pair] = excess;
        s.coarse.best[pair] = best;
    }
}

// The rows of each aggregate, list after list: the first row of all, then the second, and so on.
KERNEL(list_members) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.coarse, aggregate)
        for (int place = 0; place < MEMBERS; place++) {
            unsigned row = aggregate;
            for (int pass = PAIR_PASSES - 1; pass >= 0 && row != NONE; pass--)
                row = (place >> pass & 1 ? s.seconds : s.firsts)[pass][row];
            s.coarse.members[place * s.coarse.count + aggregate] = row;
        }
}

KERNEL(name_parents) {
    const DeviceAggregates &s = a.aggregates;
    FOR_OWN_ROWS(s.level, row) {
        unsigned parent = row;
        for (int pass = 0; pass < PAIR_PASSES && parent != NONE; pass++) parent = s.pairs[pass][parent];
        s.level.parents[row] = parent;
    }
}
