//! Equations on every row (`sticking`): the classic wall, which pulls as well as it pushes.
//!
//! Solves A q + b = 0 and ignores the bounds; its residual is that of this equation. The baseline
//! that a separating wall is compared with.

use super::{Inner, MlcpSolver};
use crate::error::SolveError;
use crate::linear::{LinearOutcome, Subsystem};
use crate::parallel;
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Trace, run};
use crate::stop::Stop;
use crate::vector;

/// The method: one linear solve.
pub struct Sticking {
    /// When to stop; cycles are iterations of the linear solver. Default limit: 100 000.
    pub stop: Stop,
    /// The linear solver.
    pub inner: Inner,
}

impl MlcpSolver for Sticking {
    fn name(&self) -> String {
        format!("sticking+{}", self.inner.name())
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let (name, inner) = (self.name(), &mut self.inner);
        run(name, &problem.sealed(), q, &self.stop, 100_000, |task, q, trace: &mut Trace| {
            let size = q.len();
            let (mut r, mut correction) = (vec![0.0; size], vec![0.0; size]);
            let system = Subsystem::whole(task.problem.operator());
            inner.forget();
            inner.rebuild(&system, trace)?;
            task.problem.first_residual(q, &mut r);
            let mut before = vector::norm_max(&r);
            let mut goes_on = trace.goes_on(before)?;
            while goes_on {
                parallel::for_each(r.as_mut_slice(), |r| r.iter_mut().for_each(|r| *r = -*r));
                inner.max_iterations = trace.cycles_left();
                let report = inner.solve_watched(&system, &mut r, &mut correction, trace.target(), &mut |residual| {
                    trace.watch(residual);
                });
                vector::add_scaled(1.0, &correction, q);
                // A recurrence may promise more than it kept; then go on from the true residual.
                let residual = if inner.measures_residual() {
                    report.residual
                } else {
                    task.problem.residual(q, &mut r);
                    vector::norm_max(&r)
                };
                if report.outcome == LinearOutcome::Breakdown {
                    trace.stall(
                        "the linear solver broke down: the matrix or the preconditioner is not positive definite, or rounding \
                         is all that is left",
                    );
                } else if report.outcome == LinearOutcome::Converged && residual > 0.5 * before {
                    trace.stall("rounding keeps the linear solver from reducing the residual any further");
                }
                before = residual;
                goes_on = trace.correct(residual)?;
                if goes_on && inner.measures_residual() {
                    task.problem.residual(q, &mut r);
                }
            }
            Ok(())
        })
    }
}
