// Rows of a problem to the cells of level 0, and back.

__device__ inline int fine_cell(const DeviceLevel &level, unsigned cell) {
    int x = cell % level.cells[0], rest = cell / level.cells[0];
    return cell_of(level, x, rest % level.cells[1], rest / level.cells[1]);
}

// The listed row of this thread, and its cell; returns if there is none.
#define OWN_ROW_OR_RETURN(a, row, own)                                                                         \
    u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x;                                                      \
    if (row >= (u64)a.rows) return;                                                                            \
    int own = fine_cell(a.level, a.row_cells[row])

// Every row as an inner cell, with b and the iterate.
KERNEL(scatter_rows) {
    OWN_ROW_OR_RETURN(a, row, own);
    a.level.flags[own] = PRESENT;
    a.b[own] = a.row_values[row];
    a.q[own] = a.row_guess ? a.row_guess[row] : 0.0;
    for (int axis = 0; axis < DIM; axis++) {
        a.coupling[axis][own] = a.unit;
        a.level.coupling[axis][own] = 1.0f;
    }
}

// Rows at a cut face or at the surface: A_ii, then -A_ij downwards and upwards along each axis.
KERNEL(scatter_cuts) {
    OWN_ROW_OR_RETURN(a, row, own);
    const double *stencil = a.row_values + (1 + SIDES) * row;
    double excess = stencil[0];
    for (int side = 0; side < SIDES; side++) excess -= stencil[1 + side];
    if (fabs(excess) < ROUNDING * stencil[0]) excess = 0.0;
    a.excess[own] = excess;
    a.level.excess[own] = (float)(excess / a.unit);
    for (int axis = 0; axis < DIM; axis++) {
        double towards = stencil[2 + 2 * axis];
        a.coupling[axis][own] = towards;
        a.level.coupling[axis][own] = (float)(towards / a.unit);
    }
}

// Wall rows, with their lower bounds.
KERNEL(scatter_walls) {
    OWN_ROW_OR_RETURN(a, row, own);
    a.level.flags[own] |= WALL;
    a.lower[own] = a.row_values[row];
}

// The iterate of rows.
KERNEL(gather_rows) {
    OWN_ROW_OR_RETURN(a, row, own);
    a.row_answer[row] = a.q[own];
}
