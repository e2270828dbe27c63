/* Times hypre's structured multigrid (PFMG) as a preconditioner of conjugate gradients on the linear
 * part of a problem folder whose rows are all the cells of a cube: A p = -b, wall rows treated like
 * any other row.
 *
 *   [mpirun -n RANKS] hypre_pfmg FOLDER [REPETITIONS]        (reads FOLDER/A.mtx and FOLDER/b.npy)
 *
 * The cube is cut into one box a rank. Times are those of the slowest rank.
 *
 * Prints JSON lines, one per stopping rule and setting of the smoother. The rules are 1e-8 of |b| in
 * the 2-norm, which is what hypre tests, and 1e-6 of max|b| in the maximum norm, which is what unstick
 * tests. hypre cannot stop on the latter, so a number of iterations that meets it, while one less does
 * not, is looked for first, off the clock. The settings take turns; times are medians. */

#include <HYPRE.h>
#include <HYPRE_struct_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 4, MOST_ITERATIONS = 200 };

/* A cube of n cells a side, x fastest. Each row keeps its diagonal and the couplings to the cells
 * before it along x, y and z; the matrix is symmetric. */
typedef struct {
  int n;
  size_t rows;
  double *entry; /* ENTRIES a row */
  double *b;
} Problem;

/* The problem as hypre holds it. */
typedef struct {
  HYPRE_StructGrid grid;
  HYPRE_StructStencil stencil;
  HYPRE_StructMatrix A;
  HYPRE_StructVector rhs, x;
  int lower[3], upper[3]; /* the box of this rank */
  size_t cells;           /* in it */
} System;

/* One way to smooth. All else is as hypre has it by default; relaxing on every level instead of
 * skipping some (`HYPRE_StructPFMGSetSkipRelax`) was slower on a cube-lid of 64 cells a side. */
typedef struct {
  const char *name;
  int relax, sweeps;
} Setting;

enum { JACOBI = 1, RED_BLACK = 2, SETTINGS = 4 };

static const Setting settings[SETTINGS] = {
    {"red-black", RED_BLACK, 1},
    {"red-black, two sweeps", RED_BLACK, 2},
    {"jacobi", JACOBI, 1},
    {"jacobi, two sweeps", JACOBI, 2},
};

typedef struct {
  int iterations;
  double setup, solve;
} Run;

static void fail(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fputs("hypre_pfmg: ", stderr);
  vfprintf(stderr, format, rest);
  fputc('\n', stderr);
  exit(2);
}

static void *room(size_t count) {
  double *values = calloc(count, sizeof *values);
  if (!values) fail("out of memory");
  return values;
}

static FILE *opened(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) fail("cannot open %s", path);
  return file;
}

/* Matrix Market, one triangle of a symmetric matrix, in any order. */
static void read_matrix(const char *folder, Problem *problem) {
  FILE *file = opened(folder, "A.mtx");
  char line[512];
  const char *banner = "%%MatrixMarket matrix coordinate real symmetric";
  if (!fgets(line, sizeof line, file) || strncmp(line, banner, strlen(banner)) != 0)
    fail("A.mtx: expected '%s'", banner);
  while (fgets(line, sizeof line, file) && line[0] == '%') continue;
  size_t rows, columns, stored;
  if (sscanf(line, "%zu %zu %zu", &rows, &columns, &stored) != 3) fail("A.mtx: bad size line");
  const size_t n = (size_t)lround(cbrt((double)rows));
  if (rows != columns || n < 2 || n * n * n != rows) fail("A.mtx: %zu rows are not the cells of a cube", rows);
  problem->n = (int)n, problem->rows = rows, problem->entry = room(ENTRIES * rows);

  const size_t step[ENTRIES] = {0, 1, n, n * n};
  for (size_t k = 0; k < stored; ++k) {
    char *at;
    if (!fgets(line, sizeof line, file)) fail("A.mtx: %zu entries promised, %zu found", stored, k);
    const size_t i = strtoul(line, &at, 10), j = strtoul(at, &at, 10);
    const double value = strtod(at, NULL);
    const size_t row = (i > j ? i : j) - 1, before = (i > j ? i - j : j - i);
    int slot = 0;
    while (slot < ENTRIES && step[slot] != before) ++slot;
    /* A coupling of neighbours must not reach around the border. */
    if (row >= rows || slot == ENTRIES || (slot > 0 && row / step[slot] % n == 0))
      fail("A.mtx: entry (%zu, %zu) couples cells that are no neighbours", i, j);
    problem->entry[ENTRIES * row + (size_t)slot] = value;
  }
  fclose(file);
}

/* NumPy format 1.0: magic, version, a 16-bit header length, the header, then little-endian doubles. */
static void read_right_hand_side(const char *folder, Problem *problem) {
  FILE *file = opened(folder, "b.npy");
  unsigned char start[10];
  char header[65536] = "";
  if (fread(start, 1, sizeof start, file) != sizeof start || memcmp(start, "\x93NUMPY\x01", 7) != 0)
    fail("b.npy: not an npy file of format 1.0");
  const size_t length = start[8] + 256u * start[9];
  if (fread(header, 1, length, file) != length || !strstr(header, "'<f8'")) fail("b.npy: expected little-endian f64");
  problem->b = room(problem->rows);
  if (fread(problem->b, sizeof *problem->b, problem->rows, file) != problem->rows || fgetc(file) != EOF)
    fail("b.npy: expected %zu numbers", problem->rows);
  fclose(file);
}

/* Number of a cell of this rank's box, `place` cells into it. */
static size_t row_of(const Problem *problem, const System *system, size_t place) {
  const size_t n = (size_t)problem->n;
  size_t row = 0, step = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const size_t width = (size_t)(system->upper[axis] - system->lower[axis] + 1);
    row += step * ((size_t)system->lower[axis] + place % width);
    place /= width, step *= n;
  }
  return row;
}

static System assemble(const Problem *problem) {
  int rank, ranks, parts[3] = {0, 0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, parts);
  System system = {.cells = 1};
  for (int axis = 0, rest = rank; axis < 3; rest /= parts[axis], ++axis) {
    const int part = rest % parts[axis];
    system.lower[axis] = problem->n * part / parts[axis];
    system.upper[axis] = problem->n * (part + 1) / parts[axis] - 1;
    system.cells *= (size_t)(system.upper[axis] - system.lower[axis] + 1);
  }
  int offset[ENTRIES][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, slots[ENTRIES] = {0, 1, 2, 3};

  HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &system.grid);
  HYPRE_StructGridSetExtents(system.grid, system.lower, system.upper);
  HYPRE_StructGridAssemble(system.grid);
  HYPRE_StructStencilCreate(3, ENTRIES, &system.stencil);
  for (int slot = 0; slot < ENTRIES; ++slot) HYPRE_StructStencilSetElement(system.stencil, slot, offset[slot]);

  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, system.grid, system.stencil, &system.A);
  HYPRE_StructMatrixSetSymmetric(system.A, 1);
  HYPRE_StructMatrixInitialize(system.A);
  double *entries = room(ENTRIES * system.cells), *negated = room(system.cells);
  for (size_t place = 0; place < system.cells; ++place) {
    const size_t row = row_of(problem, &system, place);
    memcpy(entries + ENTRIES * place, problem->entry + ENTRIES * row, ENTRIES * sizeof *entries);
    negated[place] = -problem->b[row];
  }
  HYPRE_StructMatrixSetBoxValues(system.A, system.lower, system.upper, ENTRIES, slots, entries);
  HYPRE_StructMatrixAssemble(system.A);
  HYPRE_StructVector *vectors[] = {&system.rhs, &system.x};
  for (int k = 0; k < 2; ++k) {
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, system.grid, vectors[k]);
    HYPRE_StructVectorInitialize(*vectors[k]);
  }
  HYPRE_StructVectorSetBoxValues(system.rhs, system.lower, system.upper, negated);
  HYPRE_StructVectorAssemble(system.rhs);
  HYPRE_StructVectorAssemble(system.x);
  free(negated), free(entries);
  return system;
}

/* Sets up and solves once from p = 0. */
static Run solve(System *system, const Setting *setting, double tolerance, int most_iterations) {
  HYPRE_StructSolver cg, pfmg;
  Run run;
  HYPRE_StructVectorSetConstantValues(system->x, 0.0);

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &pfmg);
  HYPRE_StructPFMGSetMaxIter(pfmg, 1);
  HYPRE_StructPFMGSetTol(pfmg, 0.0);
  HYPRE_StructPFMGSetZeroGuess(pfmg);
  HYPRE_StructPFMGSetRelaxType(pfmg, setting->relax);
  HYPRE_StructPFMGSetNumPreRelax(pfmg, setting->sweeps);
  HYPRE_StructPFMGSetNumPostRelax(pfmg, setting->sweeps);
  HYPRE_StructPCGCreate(MPI_COMM_WORLD, &cg);
  HYPRE_StructPCGSetTwoNorm(cg, 1);
  HYPRE_StructPCGSetTol(cg, tolerance);
  HYPRE_StructPCGSetMaxIter(cg, most_iterations);
  HYPRE_StructPCGSetPrecond(cg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg);
  HYPRE_StructPCGSetup(cg, system->A, system->rhs, system->x);
  const double ready = MPI_Wtime();
  HYPRE_StructPCGSolve(cg, system->A, system->rhs, system->x);
  double seconds[2] = {ready - begin, MPI_Wtime() - ready};
  MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  run.setup = seconds[0], run.solve = seconds[1];

  HYPRE_StructPCGGetNumIterations(cg, &run.iterations);
  HYPRE_StructPCGDestroy(cg);
  HYPRE_StructPFMGDestroy(pfmg);
  HYPRE_ClearAllErrors(); /* running out of iterations on purpose counts as one */
  return run;
}

/* |A p + b| over |b| in the 2-norm and in the maximum norm, computed anew from the answer. */
static void residual(const Problem *problem, System *system, double relative[2]) {
  const size_t n = (size_t)problem->n, rows = problem->rows, step[ENTRIES] = {0, 1, n, n * n};
  double *p = room(rows), *r = room(rows), *own = room(system->cells), square[2] = {0, 0}, most[2] = {0, 0};
  HYPRE_StructVectorGetBoxValues(system->x, system->lower, system->upper, own);
  for (size_t place = 0; place < system->cells; ++place) p[row_of(problem, system, place)] = own[place];
  MPI_Allreduce(MPI_IN_PLACE, p, (int)rows, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (size_t row = 0; row < rows; ++row) {
    const double *entry = problem->entry + ENTRIES * row;
    r[row] += problem->b[row] + entry[0] * p[row];
    for (int slot = 1; slot < ENTRIES; ++slot) {
      if (entry[slot] == 0.0) continue;
      r[row] += entry[slot] * p[row - step[slot]];
      r[row - step[slot]] += entry[slot] * p[row];
    }
  }
  for (size_t row = 0; row < rows; ++row) {
    const double pair[2] = {r[row], problem->b[row]};
    for (int k = 0; k < 2; ++k) square[k] += pair[k] * pair[k], most[k] = fmax(most[k], fabs(pair[k]));
  }
  relative[0] = sqrt(square[0] / square[1]), relative[1] = most[0] / most[1];
  free(p), free(r), free(own);
}

static int ascending(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

/* A number of iterations after which max|r| is at most `target` of max|b|, and was not one before.
 * `most` iterations are known to be enough. */
static int iterations_to(const Problem *problem, System *system, const Setting *setting, double target, int most) {
  double relative[2];
  int too_few = 0;
  while (most - too_few > 1) {
    const int middle = (too_few + most) / 2;
    solve(system, setting, 0.0, middle);
    residual(problem, system, relative);
    if (relative[1] <= target) most = middle;
    else too_few = middle;
  }
  return most;
}

/* Lets the settings take turns and prints a line for each; true if all meet the rule. */
static int bench(const char *rule, const Problem *problem, System *system, double tolerance, int limit[SETTINGS],
                 int count, int norm, double target) {
  double *setup[SETTINGS], *time[SETTINGS], relative[SETTINGS][2];
  int is_met = 1, rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int k = 0; k < SETTINGS; ++k) setup[k] = room((size_t)count), time[k] = room((size_t)count);
  for (int round = 0; round < count; ++round) {
    for (int place = 0; place < SETTINGS; ++place) {
      const int k = (round + place) % SETTINGS;
      const Run run = solve(system, &settings[k], tolerance, limit[k]);
      setup[k][round] = run.setup, time[k][round] = run.solve, limit[k] = run.iterations;
      residual(problem, system, relative[k]);
      is_met &= relative[k][norm] <= target;
    }
  }
  for (int k = 0; k < SETTINGS; ++k) {
    qsort(setup[k], (size_t)count, sizeof(double), ascending);
    qsort(time[k], (size_t)count, sizeof(double), ascending);
    if (rank == 0)
      printf("{\"peer\":\"hypre-pfmg-cg\",\"ranks\":%d,\"setting\":\"%s\",\"rule\":\"%s\",\"rows\":%zu,\"iterations\":%d,"
           "\"setup_seconds\":%.6f,\"solve_seconds\":%.6f,\"repetitions\":%d,\"relative_residual_2\":%.3e,"
           "\"relative_residual_max\":%.3e}\n",
           ranks, settings[k].name, rule, problem->rows, limit[k], setup[k][count / 2], time[k][count / 2], count,
           relative[k][0], relative[k][1]);
    free(setup[k]), free(time[k]);
  }
  fflush(stdout);
  return is_met;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int count = argc == 3 ? atoi(argv[2]) : 5;
  if (argc < 2 || argc > 3 || count < 1) fail("usage: %s FOLDER [REPETITIONS]", argv[0]);
  HYPRE_Init();
  Problem problem;
  read_matrix(argv[1], &problem);
  read_right_hand_side(argv[1], &problem);
  System system = assemble(&problem);

  int limit[SETTINGS];
  for (int k = 0; k < SETTINGS; ++k) limit[k] = MOST_ITERATIONS;
  /* hypre goes by its recurrence, which may differ from the true residual in the last digits. */
  int is_met = bench("1e-8 of |b|, 2-norm", &problem, &system, 1e-8, limit, count, 0, 1.01e-8);
  for (int k = 0; k < SETTINGS; ++k) limit[k] = iterations_to(&problem, &system, &settings[k], 1e-6, limit[k]);
  is_met &= bench("1e-6 of max|b|, maximum norm", &problem, &system, 0.0, limit, count, 1, 1e-6);
  HYPRE_Finalize();
  MPI_Finalize();
  return is_met ? 0 : 1;
}
