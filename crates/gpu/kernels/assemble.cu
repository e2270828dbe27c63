// Assembles the problem from the fields of a fluid code, and turns its answer into fields. fields/rows.rs of
// unstick_mlcp computes the same terms in the same order. Fields lie in memory with the first axis fastest. Those of
// walls cover the whole grid, all others the window that holds the liquid.

#define NO_LABEL -1

// A cell of the window: its coordinates on the grid and in the window, and its index there.
struct WindowCell {
    int at[3], inside[3], index;
};

__device__ inline int flat(int nx, int ny, const int *at) { return at[0] + nx * (at[1] + ny * at[2]); }

__device__ inline WindowCell window_cell(const DeviceFields &f, int index) {
    WindowCell cell;
    cell.index = index;
    for (int axis = 0; axis < 3; axis++) {
        cell.inside[axis] = index % f.window_size[axis];
        cell.at[axis] = f.window_first[axis] + cell.inside[axis];
        index /= f.window_size[axis];
    }
    return cell;
}

__device__ inline int own_cell(const DeviceLevel &level, const WindowCell &cell) {
    return cell_of(level, cell.at[0], cell.at[1], cell.at[2]);
}

// The index of the face on a side of a cell, in a field on the faces of a box of cells.
__device__ inline int face_of(int nx, int ny, const int *at, int side) {
    int axis = side / 2, face[3] = {at[0], at[1], at[2]};
    face[axis] += side & 1;
    return flat(nx + (axis == 0), ny + (axis == 1), face);
}

__device__ inline double open_part(const Args &a, const DeviceFields &f, const WindowCell &cell, int side) {
    return f.open[side / 2][face_of(a.level.cells[0], a.level.cells[1], cell.at, side)];
}

__device__ inline double distance_at(const DeviceFields &f, const int *at) {
    int inside[3] = {at[0] - f.liquid_first[0], at[1] - f.liquid_first[1], at[2] - f.liquid_first[2]};
    return f.liquid[flat(f.liquid_size[0], f.liquid_size[1], inside)];
}

// The coordinates of the cell on a side; false beyond the border of the grid.
__device__ inline bool step_to(const DeviceLevel &level, const WindowCell &cell, int side, int *at) {
    int axis = side / 2;
    for (int other = 0; other < 3; other++) at[other] = cell.at[other];
    at[axis] += side & 1 ? 1 : -1;
    return at[axis] >= 0 && at[axis] < level.cells[axis];
}

// The index in the window of the cell on a side.
__device__ inline int step_in(const DeviceFields &f, const WindowCell &cell, int side) {
    int axis = side / 2, stride = axis == 0 ? 1 : axis == 1 ? f.window_size[0] : f.window_size[0] * f.window_size[1];
    return cell.index + (side & 1 ? stride : -stride);
}

// Whether a row is complementary.
__device__ inline bool is_wall(const Args &a, const DeviceFields &f, const WindowCell &cell) {
    if (!f.separating[flat(a.level.cells[0], a.level.cells[1], cell.at)]) return false;
    bool is_cut = false;
    for (int side = 0; side < SIDES; side++) is_cut |= open_part(a, f, cell, side) < 1.0;
    return is_cut;
}

// Matrix, bounds and iterate of every cell. The label of a row is that of a coupled cell before it, or its own. A row
// beside air is held.
KERNEL(assemble_rows) {
    const DeviceFields &f = *a.fields;
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= f.window_cells) return;
    WindowCell cell = window_cell(f, index);
    double inside = distance_at(f, cell.at), diagonal = 0.0, towards[SIDES];
    bool is_row = false;
    int label = index;
    for (int side = 0; side < SIDES; side++) {
        towards[side] = 0.0;
        double open = open_part(a, f, cell, side);
        is_row |= open > 0.0;
        if (!(inside < 0.0) || open == 0.0) continue;
        int at[3];
        bool is_there = step_to(a.level, cell, side, at);
        double outside = is_there ? distance_at(f, at) : inside + f.spacing;
        if (is_there && outside < 0.0) {
            diagonal += open;
            towards[side] = open;
            if (!(side & 1)) label = step_in(f, cell, side);
        } else {
            double theta = inside / (inside - (outside > 0.0 ? outside : 0.0));
            diagonal += open / (theta < f.min_theta ? f.min_theta : theta > 1.0 ? 1.0 : theta);
        }
    }
    is_row &= inside < 0.0;
    f.labels[index] = is_row ? label : NO_LABEL;
    f.held[index] = 0;
    if (!is_row) return;
    double excess = diagonal;
    for (int side = 0; side < SIDES; side++) excess -= towards[side];
    if (fabs(excess) < ROUNDING * diagonal) excess = 0.0;
    if (!(diagonal > 0.0)) excess = INFINITY; // the host will find a value that is not finite
    f.held[index] = excess != 0.0;
    int own = own_cell(a.level, cell);
    a.excess[own] = excess;
    a.level.excess[own] = (float)(excess / a.unit);
    for (int axis = 0; axis < DIM; axis++) {
        a.coupling[axis][own] = towards[2 * axis + 1];
        a.level.coupling[axis][own] = (float)(towards[2 * axis + 1] / a.unit);
    }
    bool is_beside_wall = is_wall(a, f, cell);
    a.level.flags[own] = (u8)(PRESENT | (is_beside_wall && !f.is_sealed ? WALL : 0));
    if (is_beside_wall && f.lower) a.lower[own] = f.lower[index];
    a.q[own] = f.guess ? f.guess[index] : 0.0;
}

// The first cell of the component of a cell, as far as it is known. Labels on the way there become shorter.
__device__ inline int root_of(volatile int *labels, int cell) {
    for (int above = labels[cell]; above != cell;) {
        int next = labels[above];
        if (next != above) labels[cell] = next;
        cell = above, above = next;
    }
    return cell;
}

// Joins the components of coupled rows: the later of two roots gets the label of the other.
KERNEL(join_components) {
    const DeviceFields &f = *a.fields;
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= f.window_cells || f.labels[index] == NO_LABEL) return;
    WindowCell cell = window_cell(f, index);
    int own = own_cell(a.level, cell);
    for (int axis = 0; axis < DIM; axis++) {
        if (!(a.coupling[axis][own] > 0.0)) continue;
        int one = root_of(f.labels, index), other = root_of(f.labels, step_in(f, cell, 2 * axis + 1));
        while (one != other) {
            int low = one < other ? one : other, high = one < other ? other : one;
            int before = atomicCAS(f.labels + high, high, low);
            if (before == high) break;
            one = low, other = root_of(f.labels, before);
        }
    }
}

// A component is held if one of its rows is.
KERNEL(hold_components) {
    const DeviceFields &f = *a.fields;
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= f.window_cells || !f.held[index]) return;
    f.held[root_of(f.labels, index)] = 1;
}

// b, and the totals of the rows. Afterwards every row knows whether its component is held.
BARRIER_KERNEL(assemble_b) {
    const DeviceFields &f = *a.fields;
    double v[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < f.window_cells; index += gridDim.x * blockDim.x) {
        if (f.labels[index] == NO_LABEL) continue;
        WindowCell cell = window_cell(f, index);
        double outflow = 0.0;
        bool is_cut = false;
        for (int side = 0; side < SIDES; side++) {
            int axis = side / 2, face = face_of(f.window_size[0], f.window_size[1], cell.inside, side);
            double open = open_part(a, f, cell, side), carried = f.flow[axis] ? f.flow[axis][face] : 0.0;
            double through = times(open, f.velocity[axis][face]) + carried;
            outflow += side & 1 ? through : -through;
            is_cut |= open < 1.0;
        }
        int on_grid = flat(a.level.cells[0], a.level.cells[1], cell.at), own = own_cell(a.level, cell);
        bool is_wall = is_cut && f.separating[on_grid], is_held = f.held[root_of(f.labels, index)];
        double b = outflow - (is_wall ? f.control : 0.0);
        // Liquid without air cannot expand.
        if (f.divergence && is_held) b -= times(times(f.spacing, f.divergence[index]), f.cell_open[on_grid]);
        a.b[own] = b;
        f.held[index] = is_held;
        double diagonal = a.excess[own];
        for (int axis = 0; axis < DIM; axis++) diagonal += a.coupling[axis][own];
        is_wall &= !f.is_sealed;
        v[0] += 1.0;
        v[1] += is_wall;
        v[2] += !is_held;
        v[3] += !(fabs(b) < INFINITY && fabs(a.q[own]) < INFINITY && fabs(diagonal) < INFINITY &&
                  fabs(a.lower[own]) < INFINITY);
        double at_zero = fabs(is_wall ? smaller(-a.lower[own], b) : b);
        v[4] = larger(v[4], at_zero);
        if (is_held) v[5] = larger(v[5], at_zero);
    }
    if (!reduce_both<4, 2>(a, v)) return;
    *f.row_totals = {v[0], v[1], v[2], v[3], v[4], v[5]};
}

// Listed rows get other values of b or of q, or become equations.
KERNEL(replace_rows) {
    OWN_ROW_OR_RETURN(a, row, own);
    if (a.replace == Replace::B) a.b[own] = a.row_values[row];
    if (a.replace == Replace::Q) a.q[own] = a.row_values[row];
    if (a.replace == Replace::Walls) a.level.flags[own] &= ~WALL;
}

// The answer as a field, the rows that have let go, and the totals of the answer.
BARRIER_KERNEL(measure_answer) {
    const DeviceFields &f = *a.fields;
    System<double> s = fine_system(a);
    double v[4] = {0.0, 0.0, 0.0, 0.0};
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < f.window_cells; index += gridDim.x * blockDim.x) {
        WindowCell cell = window_cell(f, index);
        int own = own_cell(a.level, cell);
        f.answer[index] = 0.0, f.let_go[index] = 0;
        if (!(a.level.flags[own] & PRESENT)) continue;
        double product, diagonal, q = a.q[own];
        single_row(a.level, s, a.q, cell.at[0], cell.at[1], cell.at[2], own, product, diagonal);
        double r = product + a.b[own], h = r;
        if (is_wall(a, f, cell)) {
            double above = q - a.lower[own], least = smaller(above, r), violation = larger(larger(-above, -r), least);
            bool is_active = diagonal * above <= r;
            f.let_go[index] = is_active;
            if (!f.is_sealed) h = least, v[0] += is_active;
            v[3] = larger(v[3], violation);
        } else
            v[2] = larger(v[2], fabs(r));
        v[1] = larger(v[1], fabs(h));
        f.answer[index] = q;
    }
    if (!reduce_both<1, 3>(a, v)) return;
    *f.answer_totals = {v[0], v[1], v[2], v[3]};
}
