/* Times hypre's structured multigrid (PFMG) as a preconditioner of conjugate gradients on the cube with half a lid: a
 * cube of liquid, closed but for the part of its top that has no lid. Wall rows are treated like any other row.
 *
 *   mpirun -n RANKS hypre_cube N TOLERANCE…
 *
 * Each rank makes its own box of the N³ rows. The matrix is that of the example `cube-lid`; the right-hand side is the
 * divergence of the same smooth flow with noise of the same size.
 *
 * Prints a line of JSON for each relative tolerance in the 2-norm, which is what hypre tests. Times are those of the
 * slowest rank; one red-black sweep before and after each level, all else as hypre has it by default. */

#include <HYPRE.h>
#include <HYPRE_struct_ls.h>
#include <HYPRE_struct_mv.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ENTRIES = 4, RED_BLACK = 2, MOST_ITERATIONS = 500 };

static int n; /* cells a side */

static void *room(size_t count) {
  double *values = malloc(count * sizeof *values);
  if (!values) {
    fputs("hypre_cube: out of memory\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return values;
}

static double turn(double x) { return sin(6.283185307179586 * x); }

/* Between -0.02 and 0.02. */
static double noise(int axis, const int face[3]) {
  uint64_t word = (uint64_t)axis + 1;
  for (int k = 0; k < 3; ++k) word = (word ^ (uint64_t)face[k]) * 0x9e3779b97f4a7c15u, word ^= word >> 29;
  return 0.04 * ((double)(word >> 11) * 0x1p-53 - 0.5);
}

/* 1 where liquid may pass the face, 0 where a wall is. */
static int is_open(int axis, const int face[3]) {
  return (face[axis] > 0 && face[axis] < n) || (axis == 1 && face[1] == n && face[0] >= n / 2);
}

static double velocity(int axis, const int face[3]) {
  double at[3];
  for (int k = 0; k < 3; ++k) at[k] = (face[k] + (k == axis ? 0.0 : 0.5)) / n;
  const double smooth = axis == 0   ? 1.0 + 0.6 * turn(2 * at[1]) * turn(at[2])
                        : axis == 1 ? -1.0 + 0.6 * turn(2 * at[0] + 0.25) * turn(at[2])
                                    : 0.5 * turn(at[0]) * turn(at[1]);
  return smooth + noise(axis, face);
}

/* Entries and right-hand side of the row of a cell. The surface lies half a cell above the last centre, so that an
 * opening weighs two. */
static void row(const int cell[3], double *entry, double *b) {
  entry[0] = *b = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    int face[3] = {cell[0], cell[1], cell[2]};
    entry[axis + 1] = is_open(axis, face) ? -1.0 : 0.0;
    for (int side = 0; side < 2; ++side, ++face[axis]) {
      if (!is_open(axis, face)) continue;
      entry[0] += face[axis] == n ? 2.0 : 1.0;
      *b += side ? -velocity(axis, face) : velocity(axis, face);
    }
  }
}

int main(int argc, char **argv) {
  int rank, ranks, parts[3] = {0, 0, 0}, lower[3], upper[3];
  size_t cells = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  n = argc > 2 ? atoi(argv[1]) : 0;
  if (n < 2) {
    if (rank == 0) fprintf(stderr, "usage: %s N TOLERANCE…\n", argv[0]);
    MPI_Finalize();
    return 2;
  }
  HYPRE_Init();
  MPI_Dims_create(ranks, 3, parts);
  for (int axis = 0, rest = rank; axis < 3; rest /= parts[axis], ++axis) {
    const long part = rest % parts[axis];
    lower[axis] = (int)(n * part / parts[axis]);
    upper[axis] = (int)(n * (part + 1) / parts[axis]) - 1;
    cells *= (size_t)(upper[axis] - lower[axis] + 1);
  }

  HYPRE_StructGrid grid;
  HYPRE_StructStencil stencil;
  HYPRE_StructMatrix A;
  HYPRE_StructVector b, x, r, *vectors[] = {&b, &x, &r};
  int offset[ENTRIES][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, slots[ENTRIES] = {0, 1, 2, 3};
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid);
  HYPRE_StructGridSetExtents(grid, lower, upper);
  HYPRE_StructGridAssemble(grid);
  HYPRE_StructStencilCreate(3, ENTRIES, &stencil);
  for (int slot = 0; slot < ENTRIES; ++slot) HYPRE_StructStencilSetElement(stencil, slot, offset[slot]);
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &A);
  HYPRE_StructMatrixSetSymmetric(A, 1);
  HYPRE_StructMatrixInitialize(A);
  double *entries = room(ENTRIES * cells), *values = room(cells);
  size_t at = 0;
  int cell[3];
  for (cell[2] = lower[2]; cell[2] <= upper[2]; ++cell[2])
    for (cell[1] = lower[1]; cell[1] <= upper[1]; ++cell[1])
      for (cell[0] = lower[0]; cell[0] <= upper[0]; ++cell[0], ++at) row(cell, entries + ENTRIES * at, values + at);
  HYPRE_StructMatrixSetBoxValues(A, lower, upper, ENTRIES, slots, entries);
  HYPRE_StructMatrixAssemble(A);
  free(entries);
  for (int k = 0; k < 3; ++k) {
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, vectors[k]);
    HYPRE_StructVectorInitialize(*vectors[k]);
    HYPRE_StructVectorSetBoxValues(*vectors[k], lower, upper, values);
    HYPRE_StructVectorAssemble(*vectors[k]);
  }

  for (int task = 2; task < argc; ++task) {
    HYPRE_StructSolver cg, pfmg;
    int iterations;
    HYPRE_StructVectorSetConstantValues(x, 0.0);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &pfmg);
    HYPRE_StructPFMGSetMaxIter(pfmg, 1);
    HYPRE_StructPFMGSetTol(pfmg, 0.0);
    HYPRE_StructPFMGSetZeroGuess(pfmg);
    HYPRE_StructPFMGSetRelaxType(pfmg, RED_BLACK);
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &cg);
    HYPRE_StructPCGSetTwoNorm(cg, 1);
    HYPRE_StructPCGSetTol(cg, atof(argv[task]));
    HYPRE_StructPCGSetMaxIter(cg, MOST_ITERATIONS);
    HYPRE_StructPCGSetPrecond(cg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg);
    HYPRE_StructPCGSetup(cg, A, b, x);
    const double ready = MPI_Wtime();
    HYPRE_StructPCGSolve(cg, A, b, x);
    double seconds[2] = {ready - begin, MPI_Wtime() - ready};
    MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    HYPRE_StructPCGGetNumIterations(cg, &iterations);
    HYPRE_StructPCGDestroy(cg);
    HYPRE_StructPFMGDestroy(pfmg);
    HYPRE_ClearAllErrors();

    /* |b - A x| over |b|, computed anew from the answer. */
    double square[2] = {0, 0}, most[2] = {0, 0}, *of_b = values, *of_r = room(cells);
    HYPRE_StructVectorSetBoxValues(r, lower, upper, of_b);
    HYPRE_StructMatrixMatvec(-1.0, A, x, 1.0, r);
    HYPRE_StructVectorGetBoxValues(r, lower, upper, of_r);
    for (size_t k = 0; k < cells; ++k) {
      square[0] += of_r[k] * of_r[k], square[1] += of_b[k] * of_b[k];
      most[0] = fmax(most[0], fabs(of_r[k])), most[1] = fmax(most[1], fabs(of_b[k]));
    }
    free(of_r);
    MPI_Allreduce(MPI_IN_PLACE, square, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
      printf("{\"peer\":\"hypre-pfmg-cg\",\"size\":%d,\"ranks\":%d,\"tolerance\":%s,\"iterations\":%d,"
             "\"setup_seconds\":%.4f,\"solve_seconds\":%.4f,\"relative_residual_2\":%.3e,\"relative_residual_max\":%.3e}\n",
             n, ranks, argv[task], iterations, seconds[0], seconds[1], sqrt(square[0] / square[1]), most[0] / most[1]);
      fflush(stdout);
    }
  }
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
