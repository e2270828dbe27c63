// Conjugate gradients in double precision on the free rows of level 0, S x = r.
//
// An iteration takes two kernels. The first makes the direction p' = z + beta p from the preconditioned
// residual on its way to p'^T S p'; the second steps along it, and multiplies once more: that is cheaper
// than to store S p' and to read it back. Once is_stopped is set, what follows in a batch does nothing.

// Vectors of the method, by their place in a.vectors.
#define RESIDUAL 0
#define PRECONDITIONED 1 // z, or the residual itself
#define DIRECTION 2
#define NEXT 3
#define ANSWER 4 // x; q itself where the method corrects it in place
#define TRIAL 5
#define NORMS 6 // of the residual, after each of the last iterations

// What makes z of r.
#define BY_NOTHING 0
#define BY_DIAGONAL 1
#define BY_CYCLE 2
#define BY_CYCLE_ALONE 3 // every direction is z itself

#define LOG 256 // iterations

#define RUNNING 0
#define DONE 1
#define BROKEN 2 // a number that must be positive is not

__device__ inline bool is_free(int kind, unsigned flags, int k) {
    return kind == PLAIN || (flag(flags, k) & (PRESENT | PINNED)) == PRESENT;
}

__device__ inline unsigned flags_of(const Level &level, int kind, int own) {
    return kind == PLAIN ? 0 : flags4(level.flags + own);
}

// The residual -(A (q + x) + b) of free rows in place of a sum, and A_ii; x may be q itself, and is then left out.
__device__ inline Rows<double> residual_of(const Args &a, const System<double> &s, int kind, int colour, int at,
                                           bool is_second) {
    const Level &level = a.level;
    const double *x = a.vectors[ANSWER];
    int own = colour * level.size + at;
    Rows<double> rows = rows_of(level, s, (const double *)a.q, kind, colour, at, is_second);
    Four<double> q = load4(a.q + own), b = load4(a.b + own);
    unsigned flags = flags_of(level, kind, own);
    if (x != a.q) {
        Rows<double> of_x = rows_of(level, s, x, kind, colour, at, is_second);
        Four<double> step = load4(x + own);
        for (int k = 0; k < 4; k++) rows.sum.v[k] += of_x.sum.v[k], q.v[k] += step.v[k];
    }
    for (int k = 0; k < 4; k++)
        rows.sum.v[k] = is_free(kind, flags, k) ? rows.sum.v[k] - rows.diagonal.v[k] * q.v[k] - b.v[k] : 0.0;
    return rows;
}

// Four of z.
__device__ inline Four<double> precondition(const Args &a, const Four<double> &r, const Four<double> &diagonal) {
    Four<double> z = r;
    if (a.mode == BY_DIAGONAL)
        for (int k = 0; k < 4; k++) z.v[k] = diagonal.v[k] > 0.0 ? r.v[k] / diagonal.v[k] : 0.0;
    return z;
}

// Stores four of r and of z; adds r^T z and the largest |r|.
__device__ inline void store_residual(const Args &a, int own, const Four<double> &r, const Four<double> &diagonal,
                                      double *v) {
    Four<double> z = precondition(a, r, diagonal);
    for (int k = 0; k < 4; k++) {
        v[0] += r.v[k] * z.v[k];
        v[1] = larger(v[1], fabs(r.v[k]));
    }
    store4(a.vectors[RESIDUAL] + own, r);
    if (a.mode == BY_DIAGONAL) store4(a.vectors[PRECONDITIONED] + own, z);
}

// r <- -(A (q + x) + b) on free rows; p <- 0.
BARRIER_KERNEL(begin_rows) {
    const Level &level = a.level;
    System<double> s = fine_system(a);
    double v[2] = {0.0, 0.0};
    {
        FOR_TILES(level, place, false) {
            int kind = level.groups[place.at >> 2];
            if (kind == EMPTY) continue;
#pragma unroll 1
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                Rows<double> rows = residual_of(a, s, kind, colour, place.at, second(place, colour));
                Four<double> zero = {0.0, 0.0, 0.0, 0.0};
                store_residual(a, own, rows.sum, rows.diagonal, v);
                store4(a.vectors[DIRECTION] + own, zero);
            }
        }
    }
    if (!reduce_both<1, 1>(a, v)) return;
    a.scalars->rho = v[0], a.scalars->norm = v[1];
}

// Where blocks leave numbers for all others, and wait for theirs.
#define WAITS 1        // place in tickets: how many there were
#define VACANT (~0ull) // a NaN that no sum is
#define AGREED 3       // numbers
#define SETS 3
#define SET_SIZE (AGREED * CREW_THREADS)

// How far to go: to a residual of a.factor, in no more than a.rows iterations.
KERNEL(aim) {
    for (int slot = threadIdx.x; slot < SETS * SET_SIZE; slot += blockDim.x) a.slots[slot] = VACANT;
    if (threadIdx.x || blockIdx.x) return;
    Scalars &scalars = *a.scalars;
    scalars.target = a.factor, scalars.limit = a.rows;
    scalars.iterations = scalars.is_begun = 0;
    scalars.is_stopped = RUNNING;
    scalars.beta = 0.0;
    scalars.tickets[WAITS] = 0;
}

// p' <- z + beta p, and the step alpha = r^T z / p'^T S p'.
BARRIER_KERNEL(multiply_rows) {
    if (a.scalars->is_stopped) return;
    const Level &level = a.level;
    System<double> s = fine_system(a);
    const double *z = a.vectors[PRECONDITIONED], *p = a.vectors[DIRECTION];
    double beta = a.scalars->beta, curvature = 0.0;
    {
        FOR_TILES(level, place, false) {
            int kind = level.groups[place.at >> 2];
            if (kind == EMPTY) continue;
#pragma unroll 1
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                bool is_second = second(place, colour);
                Rows<double> of_z = rows_of(level, s, z, kind, colour, place.at, is_second);
                Rows<double> of_p = rows_of(level, s, p, kind, colour, place.at, is_second);
                Four<double> direction = load4(z + own), before = load4(p + own);
                for (int k = 0; k < 4; k++) {
                    direction.v[k] += beta * before.v[k];
                    double sum = of_z.sum.v[k] + beta * of_p.sum.v[k];
                    curvature += direction.v[k] * (of_z.diagonal.v[k] * direction.v[k] - sum); // zero on pinned rows
                }
                store4(a.vectors[NEXT] + own, direction);
            }
        }
    }
    if (!reduce<1, false>(a, &curvature)) return;
    Scalars &scalars = *a.scalars;
    if (!(scalars.rho > 0.0 && curvature > 0.0)) scalars.is_stopped = BROKEN;
    scalars.alpha = scalars.rho / curvature;
}

// x <- x + alpha p', r <- r - alpha S p', with what the next iteration and the host must know.
BARRIER_KERNEL(step_rows) {
    if (a.scalars->is_stopped) return;
    const Level &level = a.level;
    System<double> s = fine_system(a);
    const double *p = a.vectors[NEXT];
    double alpha = a.scalars->alpha, v[2] = {0.0, 0.0};
    {
        FOR_TILES(level, place, false) {
            int kind = level.groups[place.at >> 2];
            if (kind == EMPTY) continue;
#pragma unroll 1
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                Rows<double> rows = rows_of(level, s, p, kind, colour, place.at, second(place, colour));
                Four<double> direction = load4(p + own), x = load4(a.vectors[ANSWER] + own);
                Four<double> r = load4(a.vectors[RESIDUAL] + own);
                unsigned flags = flags_of(level, kind, own);
                for (int k = 0; k < 4; k++) {
                    x.v[k] += alpha * direction.v[k];
                    double product = rows.diagonal.v[k] * direction.v[k] - rows.sum.v[k];
                    r.v[k] = is_free(kind, flags, k) ? r.v[k] - alpha * product : 0.0;
                }
                store4(a.vectors[ANSWER] + own, x);
                store_residual(a, own, r, rows.diagonal, v);
            }
        }
    }
    if (!reduce_both<1, 1>(a, v)) return;
    Scalars &scalars = *a.scalars;
    if (a.mode < BY_CYCLE) scalars.beta = v[0] / scalars.rho, scalars.rho = v[0];
    scalars.norm = v[1];
    a.vectors[NORMS][scalars.iterations++ % LOG] = v[1];
    if (!(v[1] > scalars.target) || scalars.iterations >= scalars.limit) scalars.is_stopped = DONE;
}

// The residual as the right-hand side of a cycle; single precision works on numbers around one.
KERNEL(load_cycle) {
    const Level &level = a.level;
    double scale = 1.0 / a.scalars->norm;
    FOR_TILES(level, place, false) {
        if (level.groups[place.at >> 2] == EMPTY) continue;
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * level.size + place.at;
            Four<double> r = load4(a.vectors[RESIDUAL] + own);
            Four<float> b;
            for (int k = 0; k < 4; k++) b.v[k] = (float)(scale * r.v[k]);
            store4(level.b + own, b);
        }
    }
}

// z <- what the cycle made of it, with r^T z.
BARRIER_KERNEL(take_cycle) {
    const Level &level = a.level;
    double scale = a.scalars->norm, rho = 0.0;
    {
        FOR_TILES(level, place, false) {
            int kind = level.groups[place.at >> 2];
            if (kind == EMPTY) continue;
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                Four<double> r = load4(a.vectors[RESIDUAL] + own), z;
                Four<float> x = load4(level.x + own);
                unsigned flags = flags_of(level, kind, own);
                for (int k = 0; k < 4; k++) {
                    z.v[k] = is_free(kind, flags, k) ? scale * x.v[k] : 0.0;
                    rho += r.v[k] * z.v[k];
                }
                store4(a.vectors[PRECONDITIONED] + own, z);
            }
        }
    }
    if (!reduce<1, false>(a, &rho)) return;
    Scalars &scalars = *a.scalars;
    scalars.beta = scalars.is_begun && a.mode == BY_CYCLE ? rho / scalars.rho : 0.0;
    scalars.rho = rho;
    scalars.is_begun = 1;
}
