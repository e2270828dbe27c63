/* Liquids that let go of walls: complementarity solvers for pressure problems.
 *
 * Find x such that r = A x + b is zero on equation rows, and 0 <= x - lower, r >= 0, one of them zero, on wall rows.
 *
 * Made by cbindgen from crates/c/src; see docs/guide-c.md. */

#ifndef UNSTICK_H
#define UNSTICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 What came of a call.
 */
typedef enum {
  /*
   Done. Whether a solve has converged is in its report.
   */
  UNSTICK_STATUS_OK = 0,
  /*
   An argument makes no sense: a name, a tolerance, a pointer.
   */
  UNSTICK_STATUS_BAD_ARGUMENT = 1,
  /*
   The matrix, the right-hand side, the bounds or the fields make no problem.
   */
  UNSTICK_STATUS_BAD_PROBLEM = 2,
  /*
   The solver found no answer at all.
   */
  UNSTICK_STATUS_SOLVE_FAILED = 3,
  /*
   The system gives no threads.
   */
  UNSTICK_STATUS_NO_THREADS = 4,
  /*
   A fault of this library; please report it.
   */
  UNSTICK_STATUS_INTERNAL = 5,
} unstick_status;

/*
 A solver with its threads, and with the matrix that it was made for. `unstick_free` ends it.
 */
typedef struct unstick_solver unstick_solver;

/*
 How to solve. Begin with `unstick_default_options()`.
 */
typedef struct {
  /*
   Name of the solver, such as "best" or "policy+cg/mic0". NULL means "best".
   */
  const char *solver;
  /*
   What counts as solved: the largest entry of the natural residual, as a part of that at x = 0.
   */
  double tolerance;
  /*
   Whether the tolerance is the number itself.
   */
  bool is_absolute;
  /*
   Outer cycles after which to give up. Zero means what suits the method.
   */
  size_t max_cycles;
  /*
   Threads of the solver. Zero means one for every core. The bits of an answer do not depend on it.
   */
  size_t threads;
  /*
   Whether a matrix is checked for symmetry, which costs about as much as a few products with it.
   */
  bool checks_symmetry;
} unstick_options;

/*
 Room for the text of an error.
 */
typedef struct {
  /*
   What was found and what was expected, in UTF-8, with a zero byte at its end. Empty after success.
   */
  char message[512];
} unstick_error;

/*
 A pressure problem on a staggered grid. The first axis is fastest in memory; along an axis there is one face more
 than there are cells. In the plane the third number of cells is zero and the third pointers are not read.
 */
typedef struct {
  /*
   Cells along x, y and z.
   */
  size_t cells[3];
  /*
   Length of a cell.
   */
  double spacing;
  /*
   Distance to the surface of the liquid at the centre of every cell, negative inside.
   */
  const double *liquid;
  /*
   Velocity across the faces of each axis, before the pressure acts.
   */
  const double *velocity[3];
  /*
   Open part of every face, exactly zero where it is closed.
   */
  const double *open[3];
  /*
   Whether the liquid may leave the wall of a cell.
   */
  const bool *separating;
} unstick_fields;

/*
 The account of a solve, all zero after a call that failed. Only with `has_converged` does the answer meet its tolerance.
 */
typedef struct {
  /*
   Whether the answer meets the tolerance.
   */
  bool has_converged;
  /*
   Whether there is no answer: a closed part of the liquid is asked to change its volume.
   */
  bool is_incompatible;
  /*
   Outer iterations: policies, Newton steps, sweeps.
   */
  size_t cycles;
  /*
   Iterations of the linear solver in all cycles.
   */
  size_t inner_iterations;
  /*
   Natural residual of the answer, largest entry, in the units of b.
   */
  double residual;
  /*
   The same over that at x = 0.
   */
  double relative_residual;
  /*
   Number of rows.
   */
  size_t rows;
  /*
   Number of wall rows.
   */
  size_t wall_rows;
  /*
   Wall rows that have let go.
   */
  size_t active_rows;
  /*
   Seconds spent on preparation. Little in a second solve with the same matrix.
   */
  double setup_seconds;
  /*
   Seconds spent on the rest.
   */
  double solve_seconds;
} unstick_report;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The options that most people want: "best", 1e-6 relative, all cores, matrices are checked.
 */
unstick_options unstick_default_options(void);

/*
 The version of the library, such as "0.1.0".
 */
const char *unstick_version(void);

/*
 Frees a solver. NULL is allowed.

 # Safety
 `solver` came from a function of this library that makes one, and is not used any more.
 */
void unstick_free(unstick_solver *solver);

/*
 Makes a solver for problems that come as fields.

 # Safety
 `options` and `error` may be NULL.
 */
unstick_status unstick_create_for_fields(const unstick_options *options,
                                         unstick_solver **solver,
                                         unstick_error *error);

/*
 Solves for the scaled pressure q = Δt p / (ρ h) of every cell.

 `q` holds the start and receives the answer, zero in cells without liquid. The new velocity across an open face is
 the old one less the difference of q across it, divided by θ at the surface. `has_let_go` and `report` may be NULL.

 # Safety
 The fields have the lengths that their grid asks for. No other call uses the solver meanwhile.
 */
unstick_status unstick_solve_fields(unstick_solver *solver,
                                    const unstick_fields *fields,
                                    double *q,
                                    bool *has_let_go,
                                    unstick_report *report,
                                    unstick_error *error);

/*
 Makes a solver for a symmetric matrix in compressed sparse rows.

 `starts` has `rows + 1` entries; row i holds the entries `starts[i]` to `starts[i + 1]` of `columns` and `values`,
 columns ascending. The arrays are borrowed: they must stay as they are until `unstick_free`. What the solver prepares
 for the matrix it keeps from solve to solve.

 # Safety
 The arrays have the lengths that they promise. `options` and `error` may be NULL.
 */
unstick_status unstick_create(size_t rows,
                              const uint32_t *starts,
                              const uint32_t *columns,
                              const double *values,
                              const unstick_options *options,
                              unstick_solver **solver,
                              unstick_error *error);

/*
 The same for rows on a grid, which makes solvers faster.

 `shape` holds 2 or 3 numbers of cells; `cells` holds the cell x + nx (y + ny z) of each row, ascending, and may be
 NULL where every cell has a row. The matrix must couple face neighbours only.

 # Safety
 As for `unstick_create`.
 */
unstick_status unstick_create_on_grid(size_t rows,
                                      const uint32_t *starts,
                                      const uint32_t *columns,
                                      const double *values,
                                      const size_t *shape,
                                      size_t dimensions,
                                      const uint32_t *cells,
                                      const unstick_options *options,
                                      unstick_solver **solver,
                                      unstick_error *error);

/*
 Solves for one right-hand side.

 `lower` is the bound of each row, −∞ on equation rows; NULL makes every row an equation. `x` holds the start (zeros,
 or the answer of the step before) and receives the answer. `has_let_go`, if it is not NULL, says of each row whether
 its bound holds it. `report` may be NULL.

 # Safety
 The arrays have as many entries as the matrix has rows. No other call uses the solver meanwhile.
 */
unstick_status unstick_solve(unstick_solver *solver,
                             const double *b,
                             const double *lower,
                             double *x,
                             bool *has_let_go,
                             unstick_report *report,
                             unstick_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* UNSTICK_H */
