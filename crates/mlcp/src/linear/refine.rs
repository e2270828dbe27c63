//! A preconditioner that is the inverse itself, applied once (`fft`).
//!
//! x ← M⁻¹ r leaves rounding; what remains is measured, and corrected in the same way should more be
//! asked for.

use unstick_parallel::{self as parallel, larger, vector};

use super::{LinearOutcome, LinearReport, LinearSolver, LinearTask, fit};

/// The method and its work vectors, kept from solve to solve.
#[derive(Debug, Default)]
pub struct Refinement {
    product: Vec<f64>,
    /// Needed from the second application on.
    correction: Vec<f64>,
}

impl LinearSolver for Refinement {
    fn solve(&mut self, mut task: LinearTask, r: &mut [f64], x: &mut [f64]) -> LinearReport {
        fit(&mut self.product, r.len());
        let mut residual = vector::norm_max(r);
        if residual <= task.target || task.gives_up_after(0) {
            vector::clear(x);
        }
        let mut iterations = 0;
        while residual > task.target && !task.gives_up_after(iterations) {
            let before = residual;
            let change = if iterations == 0 {
                task.preconditioner.apply(r, x);
                &*x
            } else {
                fit(&mut self.correction, r.len());
                task.preconditioner.apply(r, &mut self.correction);
                vector::add_scaled(1.0, &self.correction, x);
                &self.correction
            };
            task.system.apply(change, &mut self.product);
            residual = parallel::max((self.product.as_slice(), &mut *r), |(product, r)| {
                product.iter().zip(r).fold(0.0, |most, (product, r)| {
                    *r -= product;
                    larger(most, r.abs())
                })
            });
            iterations += 1;
            task.show(residual);
            if residual > 0.5 * before {
                return LinearReport { outcome: LinearOutcome::Breakdown, iterations, residual };
            }
        }
        let is_solved = residual <= task.target;
        let outcome = if is_solved { LinearOutcome::Converged } else { LinearOutcome::IterationLimit };
        LinearReport { outcome, iterations, residual }
    }

    fn measures_residual(&self) -> bool {
        true
    }
}
