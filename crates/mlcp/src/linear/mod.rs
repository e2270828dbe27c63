//! Linear systems inside the nonlinear methods, and the iterations that solve them.

mod bicgstab;
mod cg;
mod cr;
mod cycles;
mod gmres;
mod refine;
mod subsystem;

pub use bicgstab::BiCgStab;
pub use cg::ConjugateGradients;
pub use cr::ConjugateResiduals;
pub use cycles::Cycles;
pub use gmres::{Gmres, GmresParams};
pub use refine::Refinement;
pub use subsystem::Subsystem;

use std::ops::ControlFlow;

use unstick_parallel::vector;

use crate::interrupt;
use crate::precondition::Preconditioner;

/// A system S x = r, what helps to solve it, and when to stop.
pub struct LinearTask<'t> {
    /// S.
    pub system: &'t Subsystem<'t>,
    /// M⁻¹, prepared for the system.
    pub preconditioner: &'t mut dyn Preconditioner,
    /// Residual to reach, maximum norm.
    pub target: f64,
    /// Iterations after which to give up.
    pub max_iterations: usize,
    /// Sees the residual after every iteration; a break ends the solve.
    pub watch: &'t mut dyn FnMut(f64) -> ControlFlow<()>,
}

impl LinearTask<'_> {
    /// Whether to give up after that many iterations: at the limit, or when the solve is
    /// [interrupted](crate::interruptible).
    pub fn gives_up_after(&self, iterations: usize) -> bool {
        iterations >= self.max_iterations || interrupt::is_interrupted()
    }

    /// Shows the residual after an iteration.
    fn show(&mut self, residual: f64) {
        if (self.watch)(residual).is_break() {
            self.max_iterations = 0;
        }
    }

    /// The loop around a method that takes one step at a time from x = 0.
    ///
    /// `step` moves x, subtracts S times the move from r, and returns the new residual, or None after a breakdown.
    fn iterate(
        mut self,
        r: &mut [f64],
        x: &mut [f64],
        mut step: impl FnMut(&mut Self, IterationState, &mut [f64], &mut [f64]) -> Option<f64>,
    ) -> LinearReport {
        vector::clear(x);
        let mut now = IterationState { iterations: 0, residual: vector::norm_max(r) };
        let outcome = loop {
            if now.residual <= self.target {
                break LinearOutcome::Converged;
            }
            if self.gives_up_after(now.iterations) {
                break LinearOutcome::IterationLimit;
            }
            let Some(residual) = step(&mut self, now, r, x) else { break LinearOutcome::Breakdown };
            self.show(residual);
            now = IterationState { iterations: now.iterations + 1, residual };
        };
        LinearReport { outcome, iterations: now.iterations, residual: now.residual }
    }
}

/// How a linear solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearOutcome {
    /// The residual is at or below its target.
    Converged,
    /// Out of iterations.
    IterationLimit,
    /// A quantity that must be positive was not: the system or the preconditioner is not positive
    /// definite, or rounding is all that is left. The iterate is the best one so far.
    Breakdown,
}

/// The account of a linear solve.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct LinearReport {
    /// How it ended.
    pub outcome: LinearOutcome,
    /// Iterations, each with one product and one application of the preconditioner (two for
    /// `bicgstab`).
    pub iterations: usize,
    /// Maximum norm of the residual.
    pub residual: f64,
}

/// Solves S x = r from x = 0.
pub trait LinearSolver: Send {
    /// Overwrites `x` with the answer and `r` with what remains of it.
    ///
    /// `r` vanishes on the pinned rows of the system, and so will `x`.
    fn solve(&mut self, task: LinearTask, r: &mut [f64], x: &mut [f64]) -> LinearReport;

    /// Whether what it leaves in `r` is measured rather than carried along by a recurrence.
    fn measures_residual(&self) -> bool {
        false
    }
}

/// Where an iteration stands.
#[derive(Clone, Copy)]
struct IterationState {
    /// Iterations before this one.
    iterations: usize,
    /// Maximum norm of the residual.
    residual: f64,
}

/// Gives a work vector the length that it needs; allocates only when problems grow.
pub(crate) fn fit(vector: &mut Vec<f64>, size: usize) {
    if vector.len() != size {
        *vector = vec![0.0; size]; // pages that the system zeroes when a thread first touches them
    }
}

fn fit_all<const N: usize>(vectors: [&mut Vec<f64>; N], size: usize) {
    vectors.into_iter().for_each(|vector| fit(vector, size));
}

#[cfg(test)]
mod tests;
