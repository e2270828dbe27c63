// Rows of a problem to and from the cells of level 0.

__device__ inline int fine_cell(const Level &level, unsigned cell) {
    int x = cell % level.nx, rest = cell / level.nx;
    return cell_of(level, x, rest % level.ny, rest / level.ny);
}

// Every row, as if it were inside: values are b, more is q (or nothing).
KERNEL(scatter_rows) {
    u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= (u64)a.rows) return;
    int own = fine_cell(a.level, a.cells[row]);
    a.level.flags[own] = PRESENT;
    a.b[own] = a.values[row];
    a.q[own] = a.more ? a.more[row] : 0.0;
    for (int axis = 0; axis < DIM; axis++) {
        a.coupling[axis][own] = a.other;
        a.level.coupling[axis][own] = 1.0f;
    }
}

// Rows with a cut face or a surface beside them: A_ii and -A_ij, downwards and upwards along each axis.
KERNEL(scatter_cuts) {
    u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= (u64)a.rows) return;
    int own = fine_cell(a.level, a.cells[row]);
    const double *stencil = a.values + (1 + SIDES) * row;
    double excess = stencil[0];
    for (int side = 0; side < SIDES; side++) excess -= stencil[1 + side];
    if (fabs(excess) < 1e-12 * stencil[0]) excess = 0.0;
    a.excess[own] = excess;
    a.level.excess[own] = (float)(excess / a.other);
    for (int axis = 0; axis < DIM; axis++) {
        double towards = stencil[2 + 2 * axis];
        a.coupling[axis][own] = towards;
        a.level.coupling[axis][own] = (float)(towards / a.other);
    }
}

KERNEL(scatter_walls) {
    u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= (u64)a.rows) return;
    int own = fine_cell(a.level, a.cells[row]);
    a.level.flags[own] |= WALL;
    a.lower[own] = a.values[row];
}

KERNEL(gather_rows) {
    u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= (u64)a.rows) return;
    a.vectors[0][row] = a.q[fine_cell(a.level, a.cells[row])];
}
