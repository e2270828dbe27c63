//! Preconditioned conjugate residuals (`cr`).
//!
//! Minimises the residual in the norm of the preconditioner instead of the energy: the same cost as
//! `cg` and one vector more, smoother convergence, symmetric systems.

use unstick_parallel::vector;

use super::{LinearOutcome, LinearReport, LinearSolver, LinearStop, Subsystem, fit};
use crate::precondition::Preconditioner;

/// The method and its work vectors, kept from solve to solve.
#[derive(Debug, Default)]
pub struct ConjugateResiduals {
    z: Vec<f64>,
    product_of_z: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    preconditioned_product: Vec<f64>,
}

impl LinearSolver for ConjugateResiduals {
    fn solve(
        &mut self,
        system: &Subsystem,
        preconditioner: &mut dyn Preconditioner,
        r: &mut [f64],
        x: &mut [f64],
        stop: LinearStop,
        watch: &mut dyn FnMut(f64),
    ) -> LinearReport {
        let Self { z, product_of_z: s, direction: p, product: q, preconditioned_product: m } = self;
        [&mut *z, &mut *s, &mut *p, &mut *q, &mut *m].into_iter().for_each(|vector| fit(vector, r.len()));
        vector::clear(x);
        let mut residual = vector::norm_max(r);
        let mut rho_before = f64::NAN;
        let done = |outcome, iterations, residual| LinearReport { outcome, iterations, residual };
        for iterations in 0..=stop.max_iterations {
            if residual <= stop.target {
                return done(LinearOutcome::Converged, iterations, residual);
            }
            if stop.gives_up_after(iterations) {
                break;
            }
            if iterations == 0 {
                preconditioner.apply(r, z);
            }
            let rho = system.apply_dot(z, s); // zᵀ S z
            if iterations == 0 {
                vector::copy(z, p);
                vector::copy(s, q);
            } else {
                vector::scale_and_add(z, rho / rho_before, p);
                vector::scale_and_add(s, rho / rho_before, q); // q = S p without another product
            }
            rho_before = rho;
            let weight = preconditioner.apply_dot(q, m); // qᵀ M⁻¹ q
            if !(rho > 0.0 && weight > 0.0) {
                return done(LinearOutcome::Breakdown, iterations, residual);
            }
            let step = rho / weight;
            residual = vector::step_both(step, p, q, x, r);
            watch(residual);
            vector::add_scaled(-step, m, z);
        }
        done(LinearOutcome::IterationLimit, stop.max_iterations, residual)
    }
}
