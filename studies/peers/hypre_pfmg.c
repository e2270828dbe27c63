/* Times hypre's structured multigrid (PFMG) as a preconditioner of conjugate gradients on the linear part
 * of `cube-lid`: A p = -b, wall rows treated like any other row.
 *
 *   [mpirun -n RANKS] hypre_pfmg SIZE [REPETITIONS [SETTINGS]]
 *   hypre_pfmg check FOLDER
 *
 * The cube has SIZE cells a side and is cut into one box a rank. Each rank computes the rows of its own, with the
 * bits of `unstick generate cube-lid`; `check` compares them with FOLDER/A.mtx and FOLDER/b.npy. Times are those
 * of the slowest rank.
 *
 * Prints JSON lines, one per stopping rule and setting of the smoother. The rules are 1e-8 of |b| in
 * the 2-norm, which is what hypre tests, and 1e-6 of max|b| in the maximum norm, which is what unstick
 * tests. hypre cannot stop on the latter, so a number of iterations that meets it, while one less does
 * not, is looked for first, off the clock. The settings, or the first SETTINGS of them, take turns; times are
 * medians. */

#include <HYPRE.h>
#include <HYPRE_struct_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 4, MOST_ITERATIONS = 200 };

/* A row of the cube: its diagonal, the couplings to the cells before it along x, y and z, and b. The matrix is
 * symmetric. */
typedef struct {
  double entry[ENTRIES], b;
} Row;

/* The problem as hypre holds it. */
typedef struct {
  HYPRE_StructGrid grid;
  HYPRE_StructStencil stencil;
  HYPRE_StructMatrix A;
  HYPRE_StructVector rhs, x, r;
  int lower[3], upper[3]; /* the box of this rank */
  size_t cells;           /* in it */
  size_t rows;            /* of all ranks */
  double *load;           /* -b of the box */
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

/* One step of SplitMix64. */
static uint64_t mix(uint64_t state) {
  uint64_t z = state + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* A number in [-0.02, 0.02) that depends on the place alone. */
static double noise(int axis, const double at[3]) {
  uint64_t state = mix((uint64_t)axis);
  for (int k = 0; k < 3; ++k) {
    uint64_t bits;
    memcpy(&bits, &at[k], sizeof bits);
    state = mix(state ^ bits);
  }
  return 0.02 * (2.0 * ((double)(state >> 11) / 9007199254740992.0) - 1.0);
}

static double turn(double x) { return sin(6.283185307179586 * x); }

/* The velocity through a face: away from the wall at x = 0 and from the lid, with a swirl on top. */
static double velocity(int axis, const double at[3]) {
  double smooth = 0.5 * turn(at[0]) * turn(at[1]);
  if (axis == 0) smooth = 1.0 + 0.6 * turn(2.0 * at[1]) * turn(at[2]);
  if (axis == 1) smooth = -1.0 + 0.6 * turn(2.0 * at[0] + 0.25) * turn(at[2]);
  return smooth + noise(axis, at);
}

/* A cube of liquid, a lid over the first half of its top, air over the rest. */
static Row row_of(int n, const int cell[3]) {
  const double spacing = 1.0 / n;
  Row row = {{0, 0, 0, 0}, 0};
  for (int axis = 0; axis < 3; ++axis) {
    for (int side = 0; side < 2; ++side) {
      const int face = cell[axis] + side, is_inside = face > 0 && face < n;
      const int is_opening = axis == 1 && face == n && cell[0] >= n / 2;
      if (!is_inside && !is_opening) continue;
      double at[3];
      for (int k = 0; k < 3; ++k) at[k] = ((k == axis ? face : cell[k]) + 0.5) * spacing;
      at[axis] -= 0.5 * spacing;
      row.b += side ? velocity(axis, at) : -velocity(axis, at);
      if (is_inside) {
        row.entry[0] += 1.0;
        if (side == 0) row.entry[1 + axis] = -1.0;
      } else { /* the surface lies between this cell and the air above it */
        const double inside = (cell[1] + 0.5) * spacing - 1.0, outside = fmax(inside + spacing, 0.0);
        row.entry[0] += 1.0 / fmin(fmax(inside / (inside - outside), 0.01), 1.0);
      }
    }
  }
  return row;
}

/* Compares all rows with those of a problem folder: A.mtx has one triangle of the matrix in the format Matrix
 * Market, b.npy is NumPy's format 1.0 with little-endian doubles. */
static void check(const char *folder) {
  FILE *file = opened(folder, "A.mtx");
  char line[512];
  const char *banner = "%%MatrixMarket matrix coordinate real symmetric";
  if (!fgets(line, sizeof line, file) || strncmp(line, banner, strlen(banner)) != 0)
    fail("A.mtx: expected '%s'", banner);
  while (fgets(line, sizeof line, file) && line[0] == '%') continue;
  size_t rows, columns, stored, expected = 0;
  if (sscanf(line, "%zu %zu %zu", &rows, &columns, &stored) != 3) fail("A.mtx: bad size line");
  const int n = (int)lround(cbrt((double)rows));
  if (rows != columns || n < 2 || (size_t)n * n * n != rows) fail("A.mtx: %zu rows are not the cells of a cube", rows);
  Row *own = calloc(rows, sizeof *own);
  if (!own) fail("out of memory");
  for (size_t row = 0; row < rows; ++row) {
    const int cell[3] = {(int)row % n, (int)(row / n) % n, (int)(row / n / n)};
    own[row] = row_of(n, cell);
    for (int slot = 0; slot < ENTRIES; ++slot) expected += own[row].entry[slot] != 0.0;
  }
  if (stored != expected) fail("A.mtx: %zu entries, expected %zu", stored, expected);
  const size_t step[ENTRIES] = {0, 1, (size_t)n, (size_t)n * n};
  for (size_t k = 0; k < stored; ++k) {
    char *at;
    if (!fgets(line, sizeof line, file)) fail("A.mtx: %zu entries promised, %zu found", stored, k);
    const size_t i = strtoul(line, &at, 10), j = strtoul(at, &at, 10);
    const double value = strtod(at, NULL);
    const size_t row = (i > j ? i : j) - 1, before = (i > j ? i - j : j - i);
    int slot = 0;
    while (slot < ENTRIES && step[slot] != before) ++slot;
    if (row >= rows || slot == ENTRIES || own[row].entry[slot] != value)
      fail("A.mtx: entry (%zu, %zu) is another one", i, j);
  }
  fclose(file);

  file = opened(folder, "b.npy");
  unsigned char start[10];
  char header[65536] = "";
  if (fread(start, 1, sizeof start, file) != sizeof start || memcmp(start, "\x93NUMPY\x01", 7) != 0)
    fail("b.npy: not an npy file of format 1.0");
  const size_t length = start[8] + 256u * start[9];
  if (fread(header, 1, length, file) != length || !strstr(header, "'<f8'")) fail("b.npy: expected little-endian f64");
  for (size_t row = 0; row < rows; ++row) {
    double b;
    if (fread(&b, sizeof b, 1, file) != 1) fail("b.npy: expected %zu numbers", rows);
    if (b != own[row].b) fail("b.npy: row %zu is %.17g, expected %.17g", row, b, own[row].b);
  }
  fclose(file), free(own);
  printf("{\"checked\":\"%s\",\"rows\":%zu}\n", folder, rows);
}

static System assemble(int n) {
  int rank, ranks, parts[3] = {0, 0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, parts);
  System system = {.cells = 1, .rows = (size_t)n * n * n};
  for (int axis = 0, rest = rank; axis < 3; rest /= parts[axis], ++axis) {
    const int part = rest % parts[axis];
    system.lower[axis] = n * part / parts[axis];
    system.upper[axis] = n * (part + 1) / parts[axis] - 1;
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
  double *entries = room(ENTRIES * system.cells), *entry = entries, *load = system.load = room(system.cells);
  int cell[3];
  for (cell[2] = system.lower[2]; cell[2] <= system.upper[2]; ++cell[2])
    for (cell[1] = system.lower[1]; cell[1] <= system.upper[1]; ++cell[1])
      for (cell[0] = system.lower[0]; cell[0] <= system.upper[0]; ++cell[0], entry += ENTRIES) {
        const Row row = row_of(n, cell);
        memcpy(entry, row.entry, sizeof row.entry);
        *load++ = -row.b;
      }
  HYPRE_StructMatrixSetBoxValues(system.A, system.lower, system.upper, ENTRIES, slots, entries);
  HYPRE_StructMatrixAssemble(system.A);
  HYPRE_StructVector *vectors[] = {&system.rhs, &system.x, &system.r};
  for (int k = 0; k < 3; ++k) {
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, system.grid, vectors[k]);
    HYPRE_StructVectorInitialize(*vectors[k]);
  }
  HYPRE_StructVectorSetBoxValues(system.rhs, system.lower, system.upper, system.load);
  HYPRE_StructVectorAssemble(system.rhs);
  HYPRE_StructVectorAssemble(system.x);
  HYPRE_StructVectorAssemble(system.r);
  free(entries);
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
static void residual(System *system, double relative[2]) {
  double *r = room(system->cells), square[2] = {0, 0}, most[2] = {0, 0};
  HYPRE_StructVectorSetBoxValues(system->r, system->lower, system->upper, system->load);
  HYPRE_StructVectorAssemble(system->r);
  HYPRE_StructMatrixMatvec(-1.0, system->A, system->x, 1.0, system->r);
  HYPRE_StructVectorGetBoxValues(system->r, system->lower, system->upper, r);
  for (size_t place = 0; place < system->cells; ++place) {
    const double pair[2] = {r[place], system->load[place]};
    for (int k = 0; k < 2; ++k) square[k] += pair[k] * pair[k], most[k] = fmax(most[k], fabs(pair[k]));
  }
  MPI_Allreduce(MPI_IN_PLACE, square, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  relative[0] = sqrt(square[0] / square[1]), relative[1] = most[0] / most[1];
  free(r);
}

static int ascending(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

/* A number of iterations after which max|r| is at most `target` of max|b|, and was not one before.
 * `most` iterations are known to be enough. */
static int iterations_to(System *system, const Setting *setting, double target, int most) {
  double relative[2];
  int too_few = 0;
  while (most - too_few > 1) {
    const int middle = (too_few + most) / 2;
    solve(system, setting, 0.0, middle);
    residual(system, relative);
    if (relative[1] <= target) most = middle;
    else too_few = middle;
  }
  return most;
}

/* Lets the settings take turns and prints a line for each; true if all meet the rule. */
static int bench(const char *rule, System *system, double tolerance, int tried, int limit[SETTINGS], int count,
                 int norm, double target) {
  double *setup[SETTINGS], *time[SETTINGS], relative[SETTINGS][2];
  int is_met = 1, rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int k = 0; k < tried; ++k) setup[k] = room((size_t)count), time[k] = room((size_t)count);
  for (int round = 0; round < count; ++round) {
    for (int place = 0; place < tried; ++place) {
      const int k = (round + place) % tried;
      const Run run = solve(system, &settings[k], tolerance, limit[k]);
      setup[k][round] = run.setup, time[k][round] = run.solve, limit[k] = run.iterations;
      residual(system, relative[k]);
      is_met &= relative[k][norm] <= target;
    }
  }
  for (int k = 0; k < tried; ++k) {
    qsort(setup[k], (size_t)count, sizeof(double), ascending);
    qsort(time[k], (size_t)count, sizeof(double), ascending);
    if (rank == 0)
      printf("{\"peer\":\"hypre-pfmg-cg\",\"ranks\":%d,\"setting\":\"%s\",\"rule\":\"%s\",\"rows\":%zu,\"iterations\":%d,"
           "\"setup_seconds\":%.6f,\"solve_seconds\":%.6f,\"repetitions\":%d,\"relative_residual_2\":%.3e,"
           "\"relative_residual_max\":%.3e}\n",
           ranks, settings[k].name, rule, system->rows, limit[k], setup[k][count / 2], time[k][count / 2], count,
           relative[k][0], relative[k][1]);
    free(setup[k]), free(time[k]);
  }
  fflush(stdout);
  return is_met;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "check") == 0) {
    check(argv[2]);
    return 0;
  }
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 5;
  const int tried = argc > 3 ? atoi(argv[3]) : SETTINGS;
  if (n < 2 || n > 2000 || argc > 4 || count < 1 || tried < 1 || tried > SETTINGS)
    fail("usage: %s SIZE [REPETITIONS [SETTINGS]], or %s check FOLDER", argv[0], argv[0]);
  HYPRE_Init();
  System system = assemble(n);

  int limit[SETTINGS];
  for (int k = 0; k < SETTINGS; ++k) limit[k] = MOST_ITERATIONS;
  /* hypre goes by its recurrence, which may differ from the true residual in the last digits. */
  int is_met = bench("1e-8 of |b|, 2-norm", &system, 1e-8, tried, limit, count, 0, 1.01e-8);
  for (int k = 0; k < tried; ++k) limit[k] = iterations_to(&system, &settings[k], 1e-6, limit[k]);
  is_met &= bench("1e-6 of max|b|, maximum norm", &system, 0.0, tried, limit, count, 1, 1e-6);
  HYPRE_Finalize();
  MPI_Finalize();
  return is_met ? 0 : 1;
}
