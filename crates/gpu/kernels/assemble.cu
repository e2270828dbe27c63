// The problem from the fields of a fluid code, as fields/rows.rs of unstick_mlcp makes it, term by term and in the
// same order; and the answer back to them. Fields lie in memory with the first axis fastest: those of walls on the
// whole grid, all others on the window that holds the liquid.

#define NO_LABEL -1
#define MIN_THETA 0.01
#define ROUNDING 1e-12 // what row sums may differ from zero by, relative to the diagonal

// A cell of the window: where it is on the grid and in the window.
struct Spot {
    int at[3], inside[3], index;
};

__device__ inline int flat(int nx, int ny, const int *at) { return at[0] + nx * (at[1] + ny * at[2]); }

__device__ inline int cells_of(const Fields &f) { return f.size[0] * f.size[1] * f.size[2]; }

__device__ inline Spot spot_of(const Fields &f, int index) {
    Spot spot;
    spot.index = index;
    for (int axis = 0; axis < 3; axis++) {
        spot.inside[axis] = index % f.size[axis];
        spot.at[axis] = f.first[axis] + spot.inside[axis];
        index /= f.size[axis];
    }
    return spot;
}

__device__ inline int own_cell(const Level &level, const Spot &spot) {
    return cell_of(level, spot.at[0], spot.at[1], spot.at[2]);
}

// The face of a cell on a side, in a field on the faces of a box of cells.
__device__ inline int face_of(int nx, int ny, const int *at, int side) {
    int axis = side / 2, face[3] = {at[0], at[1], at[2]};
    face[axis] += side & 1;
    return flat(nx + (axis == 0), ny + (axis == 1), face);
}

__device__ inline double open_part(const Args &a, const Fields &f, const Spot &spot, int side) {
    return f.open[side / 2][face_of(a.level.nx, a.level.ny, spot.at, side)];
}

__device__ inline double distance_at(const Fields &f, const int *at) {
    int inside[3] = {at[0] - f.liquid_first[0], at[1] - f.liquid_first[1], at[2] - f.liquid_first[2]};
    return f.liquid[flat(f.liquid_size[0], f.liquid_size[1], inside)];
}

// The cell on a side; false beyond the border of the grid.
__device__ inline bool step_to(const Level &level, const Spot &spot, int side, int *at) {
    int axis = side / 2, cells[3] = {level.nx, level.ny, level.nz};
    for (int other = 0; other < 3; other++) at[other] = spot.at[other];
    at[axis] += side & 1 ? 1 : -1;
    return at[axis] >= 0 && at[axis] < cells[axis];
}

// Index in the window of the cell on a side.
__device__ inline int step_in(const Fields &f, const Spot &spot, int side) {
    int axis = side / 2, stride = axis == 0 ? 1 : axis == 1 ? f.size[0] : f.size[0] * f.size[1];
    return spot.index + (side & 1 ? stride : -stride);
}

// Whether a row is complementary.
__device__ inline bool is_wall(const Args &a, const Fields &f, const Spot &spot) {
    if (!f.separating[flat(a.level.nx, a.level.ny, spot.at)]) return false;
    bool is_cut = false;
    for (int side = 0; side < SIDES; side++) is_cut |= open_part(a, f, spot, side) < 1.0;
    return is_cut;
}

// Matrix, bounds and iterate of every cell. Each row gets the label of a coupled cell before it, or its own, and a
// mark where air holds it.
KERNEL(assemble_rows) {
    const Fields &f = *a.fields;
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= cells_of(f)) return;
    Spot spot = spot_of(f, index);
    double inside = distance_at(f, spot.at), diagonal = 0.0, towards[SIDES];
    bool is_row = false;
    int label = index;
    for (int side = 0; side < SIDES; side++) {
        towards[side] = 0.0;
        double open = open_part(a, f, spot, side);
        is_row |= open > 0.0;
        if (!(inside < 0.0) || open == 0.0) continue;
        int at[3];
        bool is_there = step_to(a.level, spot, side, at);
        double outside = is_there ? distance_at(f, at) : inside + f.spacing;
        if (is_there && outside < 0.0) {
            diagonal += open;
            towards[side] = open;
            if (!(side & 1)) label = step_in(f, spot, side);
        } else {
            double theta = inside / (inside - (outside > 0.0 ? outside : 0.0));
            diagonal += open / (theta < MIN_THETA ? MIN_THETA : theta > 1.0 ? 1.0 : theta);
        }
    }
    is_row &= inside < 0.0;
    f.labels[index] = is_row ? label : NO_LABEL;
    f.marks[index] = 0;
    if (!is_row) return;
    double excess = diagonal;
    for (int side = 0; side < SIDES; side++) excess -= towards[side];
    if (fabs(excess) < ROUNDING * diagonal) excess = 0.0;
    if (!(diagonal > 0.0)) excess = INFINITY; // no matrix; the host will hear of it
    f.marks[index] = excess != 0.0;
    int own = own_cell(a.level, spot);
    a.excess[own] = excess;
    a.level.excess[own] = (float)(excess / a.other);
    for (int axis = 0; axis < DIM; axis++) {
        a.coupling[axis][own] = towards[2 * axis + 1];
        a.level.coupling[axis][own] = (float)(towards[2 * axis + 1] / a.other);
    }
    a.level.flags[own] = (u8)(PRESENT | (!f.is_sealed && is_wall(a, f, spot) ? WALL : 0));
    a.q[own] = f.guess ? f.guess[index] : 0.0;
}

// The first cell of what hangs together with a cell, as far as it is known; the way there becomes shorter.
__device__ inline int root_of(volatile int *labels, int cell) {
    for (int above = labels[cell]; above != cell;) {
        int next = labels[above];
        if (next != above) labels[cell] = next;
        cell = above, above = next;
    }
    return cell;
}

// Joins rows that are coupled: of two roots the later one gets the label of the other.
KERNEL(join_rows) {
    const Fields &f = *a.fields;
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= cells_of(f) || f.labels[index] == NO_LABEL) return;
    Spot spot = spot_of(f, index);
    int own = own_cell(a.level, spot);
    for (int axis = 0; axis < DIM; axis++) {
        if (!(a.coupling[axis][own] > 0.0)) continue;
        int one = root_of(f.labels, index), other = root_of(f.labels, step_in(f, spot, 2 * axis + 1));
        while (one != other) {
            int low = one < other ? one : other, high = one < other ? other : one;
            int before = atomicCAS(f.labels + high, high, low);
            if (before == high) break;
            one = low, other = root_of(f.labels, before);
        }
    }
}

// Air that holds a row holds all that hangs together with it.
KERNEL(hold_rows) {
    const Fields &f = *a.fields;
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= cells_of(f) || !f.marks[index]) return;
    f.marks[root_of(f.labels, index)] = 1;
}

// b, and all that the host must know of the rows: how many there are, at walls, unheld, unusable; the natural
// residual at zero, of all of them and of those that are held. Marks say afterwards which rows are held.
BARRIER_KERNEL(assemble_b) {
    const Fields &f = *a.fields;
    double v[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < cells_of(f); index += gridDim.x * blockDim.x) {
        if (f.labels[index] == NO_LABEL) continue;
        Spot spot = spot_of(f, index);
        double outflow = 0.0;
        bool is_cut = false;
        for (int side = 0; side < SIDES; side++) {
            int axis = side / 2, face = face_of(f.size[0], f.size[1], spot.inside, side);
            double open = open_part(a, f, spot, side), carried = f.flow[axis] ? f.flow[axis][face] : 0.0;
            double through = times(open, f.velocity[axis][face]) + carried;
            outflow += side & 1 ? through : -through;
            is_cut |= open < 1.0;
        }
        int on_grid = flat(a.level.nx, a.level.ny, spot.at), own = own_cell(a.level, spot);
        bool is_wall = is_cut && f.separating[on_grid], is_held = f.marks[root_of(f.labels, index)];
        double b = outflow - (is_wall ? f.control : 0.0);
        // Liquid without air has nowhere to expand to.
        if (f.divergence && is_held) b -= times(times(f.spacing, f.divergence[index]), f.cell_open[on_grid]);
        a.b[own] = b;
        f.marks[index] = is_held;
        double diagonal = a.excess[own];
        for (int axis = 0; axis < DIM; axis++) diagonal += a.coupling[axis][own];
        is_wall &= !f.is_sealed;
        v[0] += 1.0;
        v[1] += is_wall;
        v[2] += !is_held;
        v[3] += !(fabs(b) < INFINITY && fabs(a.q[own]) < INFINITY && fabs(diagonal) < INFINITY);
        double at_zero = is_wall && !(b < 0.0) && b == b ? 0.0 : fabs(b);
        v[4] = larger(v[4], at_zero);
        if (is_held) v[5] = larger(v[5], at_zero);
    }
    if (!reduce_both<4, 2>(a, v)) return;
    for (int n = 0; n < 6; n++) f.totals[n] = v[n];
}

// Listed rows get other values of b or of q, or become equations.
#define REPLACE_B 0
#define REPLACE_Q 1
#define OPEN_WALLS 2
KERNEL(replace_rows) {
    u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= (u64)a.rows) return;
    int own = fine_cell(a.level, a.cells[row]);
    if (a.mode == REPLACE_B) a.b[own] = a.values[row];
    if (a.mode == REPLACE_Q) a.q[own] = a.values[row];
    if (a.mode == OPEN_WALLS) a.level.flags[own] &= ~WALL;
}

// The answer as a field, where walls are left, and what it is worth: rows that have let go; the natural residual, the
// divergence left, and the largest violation at walls.
BARRIER_KERNEL(judge_rows) {
    const Fields &f = *a.fields;
    System<double> s = fine_system(a);
    double v[4] = {0.0, 0.0, 0.0, 0.0};
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < cells_of(f); index += gridDim.x * blockDim.x) {
        Spot spot = spot_of(f, index);
        int own = own_cell(a.level, spot);
        f.answer[index] = 0.0, f.marks[index] = 0;
        if (!(a.level.flags[own] & PRESENT)) continue;
        double product, diagonal, q = a.q[own];
        single_row(a.level, s, (const double *)a.q, spot.at[0], spot.at[1], spot.at[2], own, product, diagonal);
        double r = product + a.b[own], h = r;
        if (is_wall(a, f, spot)) {
            double least = q < r || q != q ? q : r, violation = larger(larger(-q, -r), least);
            bool is_active = diagonal * q <= r;
            f.marks[index] = is_active;
            if (!f.is_sealed) h = least, v[0] += is_active;
            v[3] = larger(v[3], violation);
        } else
            v[2] = larger(v[2], fabs(r));
        v[1] = larger(v[1], fabs(h));
        f.answer[index] = q;
    }
    if (!reduce_both<1, 3>(a, v)) return;
    for (int n = 0; n < 4; n++) f.totals[n] = v[n];
}
