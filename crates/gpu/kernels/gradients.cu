// Conjugate gradients in double precision on the free rows of level 0, S x = r.
//
// An iteration takes two kernels. The first computes the direction p' = z + beta p and, on the way, p'^T S p'. The
// second steps along it and multiplies once more: that is cheaper than to store S p' and read it back. Once the
// iteration is not running any more, the rest of a batch does nothing.

// The residual -(A (q + x) + b) of free rows in place of a sum, and A_ii. If x is q itself, it is left out.
__device__ inline Rows<double> residual_of(const Args &a, const System<double> &s, int kind, const Group &group,
                                           int colour) {
    const DeviceLevel &level = a.level;
    const double *x = a.vectors[Vector::Answer];
    int own = colour * level.size + group.at;
    Rows<double> rows = rows_of(level, s, a.q, kind, group, colour);
    Four<double> q = load4(a.q + own), b = load4(a.b + own);
    unsigned flags = flags_of(level, kind, own);
    if (x != a.q) {
        Rows<double> of_x = rows_of(level, s, x, kind, group, colour);
        Four<double> step = load4(x + own);
        for (int k = 0; k < 4; k++) rows.sum.v[k] += of_x.sum.v[k], q.v[k] += step.v[k];
    }
    for (int k = 0; k < 4; k++)
        rows.sum.v[k] = is_free(kind, flags, k) ? rows.sum.v[k] - rows.diagonal.v[k] * q.v[k] - b.v[k] : 0.0;
    return rows;
}

// z of four cells.
__device__ inline Four<double> precondition(const Args &a, const Four<double> &r, const Four<double> &diagonal) {
    Four<double> z = r;
    if (a.precondition == Precondition::Diagonal)
        for (int k = 0; k < 4; k++) z.v[k] = diagonal.v[k] > 0.0 ? r.v[k] / diagonal.v[k] : 0.0;
    return z;
}

// Stores r and z of four cells. Adds their part of r^T z to v[0] and of the largest |r| to v[1].
__device__ inline void store_residual(const Args &a, int own, const Four<double> &r, const Four<double> &diagonal,
                                      double *v) {
    Four<double> z = precondition(a, r, diagonal);
    for (int k = 0; k < 4; k++) {
        v[0] += r.v[k] * z.v[k];
        v[1] = larger(v[1], fabs(r.v[k]));
    }
    store4(a.vectors[Vector::Residual] + own, r);
    if (a.precondition == Precondition::Diagonal) store4(a.vectors[Vector::Preconditioned] + own, z);
}

// r <- -(A (q + x) + b) on free rows; p <- 0.
BARRIER_KERNEL(begin_rows) {
    const DeviceLevel &level = a.level;
    System<double> s = fine_system(a);
    double v[2] = {0.0, 0.0};
    FOR_KINDS(level, group, kind) {
#pragma unroll 1
        FOR_COLOURS(level, group, colour, own) {
            Rows<double> rows = residual_of(a, s, kind, group, colour);
            Four<double> zero = {0.0, 0.0, 0.0, 0.0};
            store_residual(a, own, rows.sum, rows.diagonal, v);
            store4(a.vectors[Vector::Direction] + own, zero);
        }
    }
    if (!reduce_both<1, 1>(a, v)) return;
    a.scalars->rho = v[0], a.scalars->norm = v[1];
}

// The slots in which the blocks of a cooperative grid leave numbers for each other.
#define VACANT (~0ull) // a NaN that no reduction gives
#define SET_SIZE (GRID_NUMBERS * COOPERATIVE_BLOCKS)

// Begins a linear solve: when to stop, and no iterations so far.
KERNEL(set_target) {
    for (int slot = threadIdx.x; slot < GRID_SETS * SET_SIZE; slot += blockDim.x) a.grid_slots[slot] = VACANT;
    if (threadIdx.x || blockIdx.x) return;
    Scalars &scalars = *a.scalars;
    scalars.target = a.target, scalars.iteration_limit = a.iteration_limit;
    scalars.iterations = 0;
    scalars.progress = Progress::Running;
    scalars.beta = 0.0;
    scalars.waits = 0;
}

// p' <- z + beta p, and the step alpha = r^T z / p'^T S p'.
BARRIER_KERNEL(multiply_rows) {
    if (a.scalars->progress != Progress::Running) return;
    const DeviceLevel &level = a.level;
    System<double> s = fine_system(a);
    const double *z = a.vectors[Vector::Preconditioned], *p = a.vectors[Vector::Direction];
    double beta = a.scalars->beta, curvature = 0.0;
    FOR_KINDS(level, group, kind) {
#pragma unroll 1
        FOR_COLOURS(level, group, colour, own) {
            Rows<double> of_z = rows_of(level, s, z, kind, group, colour);
            Rows<double> of_p = rows_of(level, s, p, kind, group, colour);
            Four<double> direction = load4(z + own), before = load4(p + own);
            for (int k = 0; k < 4; k++) {
                direction.v[k] += beta * before.v[k];
                double sum = of_z.sum.v[k] + beta * of_p.sum.v[k];
                curvature += direction.v[k] * (of_z.diagonal.v[k] * direction.v[k] - sum); // zero on pinned rows
            }
            store4(a.vectors[Vector::Next] + own, direction);
        }
    }
    if (!reduce<1, false>(a, &curvature)) return;
    Scalars &scalars = *a.scalars;
    if (!(scalars.rho > 0.0 && curvature > 0.0)) scalars.progress = Progress::Broken;
    scalars.alpha = scalars.rho / curvature;
}

// x <- x + alpha p', r <- r - alpha S p', and the numbers for the next iteration and for the host.
BARRIER_KERNEL(step_rows) {
    if (a.scalars->progress != Progress::Running) return;
    const DeviceLevel &level = a.level;
    System<double> s = fine_system(a);
    const double *p = a.vectors[Vector::Next];
    double alpha = a.scalars->alpha, v[2] = {0.0, 0.0};
    FOR_KINDS(level, group, kind) {
#pragma unroll 1
        FOR_COLOURS(level, group, colour, own) {
            Rows<double> rows = rows_of(level, s, p, kind, group, colour);
            Four<double> direction = load4(p + own), x = load4(a.vectors[Vector::Answer] + own);
            Four<double> r = load4(a.vectors[Vector::Residual] + own);
            unsigned flags = flags_of(level, kind, own);
            for (int k = 0; k < 4; k++) {
                x.v[k] += alpha * direction.v[k];
                double product = rows.diagonal.v[k] * direction.v[k] - rows.sum.v[k];
                r.v[k] = is_free(kind, flags, k) ? r.v[k] - alpha * product : 0.0;
            }
            store4(a.vectors[Vector::Answer] + own, x);
            store_residual(a, own, r, rows.diagonal, v);
        }
    }
    if (!reduce_both<1, 1>(a, v)) return;
    Scalars &scalars = *a.scalars;
    if (a.precondition < Precondition::Cycle) scalars.beta = v[0] / scalars.rho, scalars.rho = v[0];
    scalars.norm = v[1];
    a.vectors[Vector::Norms][scalars.iterations++ % NORM_LOG] = v[1];
    if (!(v[1] > scalars.target) || scalars.iterations >= scalars.iteration_limit) scalars.progress = Progress::Done;
}

// The right-hand side of a cycle: r over its norm, since single precision works best on numbers around one.
KERNEL(begin_cycle) {
    const DeviceLevel &level = a.level;
    double scale = 1.0 / a.scalars->norm;
    FOR_KINDS(level, group, kind) {
        FOR_COLOURS(level, group, colour, own) {
            Four<double> r = load4(a.vectors[Vector::Residual] + own);
            Four<float> b;
            for (int k = 0; k < 4; k++) b.v[k] = (float)(scale * r.v[k]);
            store4(level.b + own, b);
        }
    }
}

// z <- the answer of the cycle times that norm, and r^T z.
BARRIER_KERNEL(end_cycle) {
    const DeviceLevel &level = a.level;
    double scale = a.scalars->norm, rho = 0.0;
    FOR_KINDS(level, group, kind) {
        FOR_COLOURS(level, group, colour, own) {
            Four<double> r = load4(a.vectors[Vector::Residual] + own), z;
            Four<float> x = load4(level.x + own);
            unsigned flags = flags_of(level, kind, own);
            for (int k = 0; k < 4; k++) {
                z.v[k] = is_free(kind, flags, k) ? scale * x.v[k] : 0.0;
                rho += r.v[k] * z.v[k];
            }
            store4(a.vectors[Vector::Preconditioned] + own, z);
        }
    }
    if (!reduce<1, false>(a, &rho)) return;
    Scalars &scalars = *a.scalars;
    bool has_direction = scalars.iterations > 0 && a.precondition == Precondition::Cycle;
    scalars.beta = has_direction ? rho / scalars.rho : 0.0;
    scalars.rho = rho;
}
