/* A membrane over an obstacle, as a sparse matrix: set up once, solved for several loads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "unstick.h"

enum { N = 64, ROWS = N * N };

static void add(uint32_t *columns, double *values, uint32_t *count, uint32_t column, double value) {
  columns[*count] = column;
  values[*count] = value;
  *count += 1;
}

int main(void) {
  /* The five-point matrix of a square whose border is held at zero. */
  uint32_t *starts = malloc((ROWS + 1) * sizeof *starts), *columns = malloc(5 * ROWS * sizeof *columns);
  double *values = malloc(5 * ROWS * sizeof *values);
  double *b = malloc(ROWS * sizeof *b), *lower = malloc(ROWS * sizeof *lower), *x = calloc(ROWS, sizeof *x);
  bool *touches = malloc(ROWS * sizeof *touches);
  if (!starts || !columns || !values || !b || !lower || !x || !touches) return 1;
  uint32_t count = 0;
  for (uint32_t row = 0; row < ROWS; row++) {
    uint32_t i = row % N, j = row / N;
    starts[row] = count;
    if (j > 0) add(columns, values, &count, row - N, -1.0);
    if (i > 0) add(columns, values, &count, row - 1, -1.0);
    add(columns, values, &count, row, 4.0);
    if (i + 1 < N) add(columns, values, &count, row + 1, -1.0);
    if (j + 1 < N) add(columns, values, &count, row + N, -1.0);
    double dx = (i + 0.5) / N - 0.5, dy = (j + 0.5) / N - 0.5;
    lower[row] = dx * dx + dy * dy < 0.04 ? -0.02 : -INFINITY;
  }
  starts[ROWS] = count;

  unstick_error error;
  unstick_options options = unstick_default_options();
  options.tolerance = 1e-8;
  options.threads = 2;
  unstick_solver *solver = NULL;
  if (unstick_create(ROWS, starts, columns, values, &options, &solver, &error) != UNSTICK_STATUS_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  size_t before = 0;
  for (int step = 1; step <= 3; step++) { /* every solve starts from the answer before it */
    for (int row = 0; row < ROWS; row++) b[row] = 0.3 * step / ROWS;
    unstick_report report;
    if (unstick_solve(solver, b, lower, x, touches, &report, &error) != UNSTICK_STATUS_OK) {
      fprintf(stderr, "%s\n", error.message);
      return 1;
    }
    printf("load %d: %zu of %zu rows touch, %zu cycles, residual %.1e, %s\n", step, report.active_rows,
           report.wall_rows, report.cycles, report.relative_residual, report.has_converged ? "converged" : "not converged");
    if (!report.has_converged || report.active_rows < before) return 1;
    before = report.active_rows;
  }

  /* Errors are codes with a text. */
  b[7] = NAN;
  if (unstick_solve(solver, b, lower, x, NULL, NULL, &error) != UNSTICK_STATUS_BAD_PROBLEM) return 1;
  printf("refused: %s\n", error.message);
  options.solver = "bset";
  unstick_solver *none = NULL;
  if (unstick_create(ROWS, starts, columns, values, &options, &none, &error) != UNSTICK_STATUS_BAD_ARGUMENT || none) return 1;
  printf("refused: %s\n", error.message);

  unstick_free(solver);
  free(starts), free(columns), free(values), free(b), free(lower), free(x), free(touches);
  return before > 0 ? 0 : 1;
}
