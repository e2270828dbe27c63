//! A preconditioner that is the inverse itself, applied once (`fft`).
//!
//! x ← M⁻¹ r leaves rounding; what remains is measured, and corrected in the same way should more be
//! asked for.

use unstick_parallel::{self as parallel, larger, vector};

use super::{LinearOutcome, LinearReport, LinearSolver, LinearStop, Subsystem, fit};
use crate::precondition::Preconditioner;

/// The method and its work vectors, kept from solve to solve.
#[derive(Debug, Default)]
pub struct Refinement {
    product: Vec<f64>,
    /// Needed from the second application on.
    correction: Vec<f64>,
}

impl LinearSolver for Refinement {
    fn solve(
        &mut self,
        system: &Subsystem,
        preconditioner: &mut dyn Preconditioner,
        r: &mut [f64],
        x: &mut [f64],
        stop: LinearStop,
        watch: &mut dyn FnMut(f64),
    ) -> LinearReport {
        fit(&mut self.product, r.len());
        let mut residual = vector::norm_max(r);
        if residual <= stop.target || stop.gives_up_after(0) {
            vector::clear(x);
        }
        let mut iterations = 0;
        while residual > stop.target && !stop.gives_up_after(iterations) {
            let before = residual;
            let change = if iterations == 0 {
                preconditioner.apply(r, x);
                &*x
            } else {
                fit(&mut self.correction, r.len());
                preconditioner.apply(r, &mut self.correction);
                vector::add_scaled(1.0, &self.correction, x);
                &self.correction
            };
            system.apply(change, &mut self.product);
            residual = parallel::max((self.product.as_slice(), &mut *r), |(product, r)| {
                product.iter().zip(r).fold(0.0, |most, (product, r)| {
                    *r -= product;
                    larger(most, r.abs())
                })
            });
            iterations += 1;
            watch(residual);
            if residual > 0.5 * before {
                return LinearReport { outcome: LinearOutcome::Breakdown, iterations, residual };
            }
        }
        let is_solved = residual <= stop.target;
        let outcome = if is_solved { LinearOutcome::Converged } else { LinearOutcome::IterationLimit };
        LinearReport { outcome, iterations, residual }
    }

    fn measures_residual(&self) -> bool {
        true
    }
}
