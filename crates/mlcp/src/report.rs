//! What a solver reports.

use std::fmt;
use std::time::Duration;

use crate::run::{Reached, Trace};
use crate::scale::Scale;

/// How a solve ended. Only with `Converged` does the answer meet its tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The natural residual is at or below its target.
    Converged,
    /// The limit on cycles was reached first.
    IterationLimit,
    /// The method makes no more progress; the remark says why.
    Stalled,
    /// No solution exists: a closed pocket of liquid is asked to change its volume. The iterate
    /// holds the least-squares answer there and the solution everywhere else.
    Incompatible,
    /// Whoever looked at it had seen enough: [`Witness::saw_cycle`](crate::Witness::saw_cycle).
    Stopped,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Converged => "converged",
            Self::IterationLimit => "iteration limit",
            Self::Stalled => "stalled",
            Self::Incompatible => "incompatible",
            Self::Stopped => "stopped",
        })
    }
}

/// A connected part of the matrix that is singular: liquid that touches no air.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PocketReport {
    /// Its smallest row.
    pub first_row: usize,
    /// Number of its rows.
    pub rows: usize,
    /// Mean of b over its rows; an answer needs zero (or more, if it has separating walls).
    pub imbalance: f64,
    /// Whether the imbalance is within the tolerance.
    pub compatible: bool,
}

/// The report of one solve.
#[derive(Clone, Debug)]
#[must_use = "a solve that did not converge says so only here"]
pub struct SolveReport {
    pub(crate) solver: String,
    pub(crate) outcome: Outcome,
    pub(crate) reference: f64,
    pub(crate) target: f64,
    pub(crate) reached: Reached,
    pub(crate) pockets: Vec<PocketReport>,
    pub(crate) trace: Trace,
    pub(crate) solve: Duration,
}

impl SolveReport {
    /// The report of a [scaled](Scale) problem as one of the caller's, on which `reached` was measured.
    pub(crate) fn in_units_of(self, scale: Scale, reference: f64, target: f64, reached: Reached) -> Self {
        let mut report = Self { reference, target, reached, ..self };
        report.trace.history.iter_mut().for_each(|residual| *residual = scale.residual(*residual));
        report.pockets.iter_mut().for_each(|pocket| pocket.imbalance = scale.residual(pocket.imbalance));
        if report.reached.residual <= target {
            report.outcome = Outcome::Converged;
        } else if report.converged() {
            report.outcome = Outcome::Stalled;
            report.trace.remark = Some("the answer in the units of the problem is beyond the range of numbers");
        }
        report
    }

    /// Full name of the solver, e.g. `policy+cg/mic0`.
    pub fn solver(&self) -> &str {
        &self.solver
    }

    /// How it ended.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Whether the answer meets the tolerance.
    pub fn converged(&self) -> bool {
        self.outcome == Outcome::Converged
    }

    /// Why the method stalled, or what rescued it.
    pub fn remark(&self) -> Option<&'static str> {
        self.trace.remark
    }

    /// Outer iterations: sweeps, Newton steps, policies.
    pub fn cycles(&self) -> usize {
        self.trace.cycles()
    }

    /// Iterations of the linear solver in all cycles. A method without one counts its own.
    pub fn inner_iterations(&self) -> usize {
        self.trace.work.last().copied().unwrap_or(0)
    }

    /// ‖H‖∞ of the answer, in the units of b.
    pub fn residual(&self) -> f64 {
        self.reached.residual
    }

    /// ‖H‖∞ of the answer over ‖H(0)‖∞; the plain residual where that is zero.
    pub fn relative_residual(&self) -> f64 {
        if self.reference > 0.0 { self.residual() / self.reference } else { self.residual() }
    }

    /// Largest |r| on equation rows: the divergence that is left, in the units of b.
    pub fn divergence(&self) -> f64 {
        self.reached.divergence
    }

    /// Largest violation of the wall conditions 0 ≤ q − ℓ ⟂ r ≥ 0: ℓ − q, −r or min(q − ℓ, r).
    pub fn complementarity(&self) -> f64 {
        self.reached.complementarity
    }

    /// ‖H(0)‖∞.
    pub fn reference(&self) -> f64 {
        self.reference
    }

    /// What the last entry of the history must reach: a residual, except for splittings.
    pub fn target(&self) -> f64 {
        self.target
    }

    /// ‖H‖∞ at the start and after every cycle. Splittings record the measure that they stop on.
    pub fn history(&self) -> &[f64] {
        &self.trace.history
    }

    /// The last entry of the history.
    pub fn reached(&self) -> f64 {
        self.trace.history.last().copied().unwrap_or(self.residual())
    }

    /// Inner iterations spent when each entry of the history was recorded.
    pub fn work(&self) -> &[usize] {
        &self.trace.work
    }

    /// Number of unknowns.
    pub fn rows(&self) -> usize {
        self.reached.rows
    }

    /// Number of complementary rows.
    pub fn wall_rows(&self) -> usize {
        self.reached.wall_rows
    }

    /// Wall rows that have let go: held by their bound rather than by their equation.
    pub fn active_rows(&self) -> usize {
        self.reached.active_rows
    }

    /// The rows whose wall has let go, ascending; for `sticking`, the rows that its walls pull. A device that was given
    /// [fields](crate::fields) marks cells instead and lists no rows.
    pub fn let_go(&self) -> &[u32] {
        &self.reached.let_go
    }

    /// Singular parts of the problem.
    pub fn pockets(&self) -> &[PocketReport] {
        &self.pockets
    }

    /// Time spent on preparation: components, factorisations.
    pub fn setup_time(&self) -> Duration {
        self.trace.setup
    }

    /// Time spent on the rest.
    pub fn solve_time(&self) -> Duration {
        self.solve
    }

    /// A model of the compulsory memory traffic of the solve, in bytes and without the set-up; none
    /// where the method has no model.
    pub fn bytes_moved(&self) -> Option<u64> {
        self.trace.bytes_moved
    }
}
