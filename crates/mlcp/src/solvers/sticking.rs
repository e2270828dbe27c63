//! Equations on every row (`sticking`): the classic wall, which pulls and pushes.
//!
//! Solves A q + b = 0 and ignores the bounds; its residual is that of this equation. The baseline
//! that a separating wall is compared with.

use unstick_parallel::{self as parallel, vector};

use super::{Inner, MlcpSolver};
use crate::error::SolveError;
use crate::linear::{LinearOutcome, Subsystem};
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Trace, run};
use crate::stop::Stop;

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
        run(name, &problem.sealed(), q, &self.stop, 100_000, |solvable, q, trace: &mut Trace| {
            iterate(&mut StickingOnRows::new(inner, solvable.problem, q, trace)?, trace)
        })
    }
}

/// The steps of the method, on the machine that holds the iterate.
#[doc(hidden)]
pub trait StickingSteps {
    /// ‖A q + b‖∞.
    fn residual(&mut self) -> Result<f64, SolveError>;

    /// Corrects q until the target of the trace is met or its cycles are used up; shows it the
    /// residual after each of them. Returns the true residual where it was measured on the way.
    fn correct(&mut self, trace: &mut Trace) -> Result<(LinearOutcome, Option<f64>), SolveError>;
}

/// Iterates until the solve has ended.
#[doc(hidden)]
pub fn iterate(steps: &mut impl StickingSteps, trace: &mut Trace) -> Result<(), SolveError> {
    let mut before = steps.residual()?;
    let mut goes_on = trace.goes_on(before)?;
    while goes_on {
        let (outcome, measured) = steps.correct(trace)?;
        // The residual of a recurrence may be too small. The true one decides.
        let residual = measured.map_or_else(|| steps.residual(), Ok)?;
        if outcome == LinearOutcome::Breakdown {
            trace.stall(
                "the linear solver broke down: the matrix or the preconditioner is not positive definite, or rounding \
                 is all that is left",
            );
        } else if outcome == LinearOutcome::Converged && residual > 0.5 * before {
            trace.stall("rounding keeps the linear solver from reducing the residual any further");
        }
        before = residual;
        goes_on = trace.correct(residual)?;
        if goes_on && measured.is_some() {
            steps.residual()?;
        }
    }
    Ok(())
}

/// The rows of any matrix.
struct StickingOnRows<'t> {
    problem: &'t Mlcp<'t>,
    inner: &'t mut Inner,
    q: &'t mut [f64],
    r: Vec<f64>,
    correction: Vec<f64>,
}

impl<'t> StickingOnRows<'t> {
    fn new(
        inner: &'t mut Inner,
        problem: &'t Mlcp<'t>,
        q: &'t mut [f64],
        trace: &mut Trace,
    ) -> Result<Self, SolveError> {
        let (r, correction) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        inner.forget();
        inner.rebuild(&Subsystem::whole(problem.operator()), trace)?;
        Ok(Self { problem, inner, q, r, correction })
    }
}

impl StickingSteps for StickingOnRows<'_> {
    fn residual(&mut self) -> Result<f64, SolveError> {
        self.problem.first_residual(self.q, &mut self.r);
        Ok(vector::norm_max(&self.r))
    }

    fn correct(&mut self, trace: &mut Trace) -> Result<(LinearOutcome, Option<f64>), SolveError> {
        let Self { problem, inner, q, r, correction, .. } = self;
        parallel::for_each(r.as_mut_slice(), |r| r.iter_mut().for_each(|r| *r = -*r));
        inner.max_iterations = trace.cycles_left();
        let system = Subsystem::whole(problem.operator());
        let target = trace.target();
        let report = inner.solve_watched(&system, r, correction, target, &mut |residual| trace.watch(residual));
        vector::add_scaled(1.0, correction, q);
        Ok((report.outcome, inner.measures_residual().then_some(report.residual)))
    }
}
