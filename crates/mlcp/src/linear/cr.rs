//! Preconditioned conjugate residuals (`cr`).
//!
//! Minimises the residual in the norm of the preconditioner instead of the energy: the same cost as
//! `cg` and one vector more, smoother convergence, symmetric systems.

use unstick_parallel::vector;

use super::{LinearReport, LinearSolver, LinearTask, fit_all};

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
    fn solve(&mut self, task: LinearTask, r: &mut [f64], x: &mut [f64]) -> LinearReport {
        let Self { z, product_of_z: s, direction: p, product: q, preconditioned_product: m } = self;
        fit_all([&mut *z, &mut *s, &mut *p, &mut *q, &mut *m], r.len());
        let mut rho_before = f64::NAN;
        task.iterate(r, x, |task, now, r, x| {
            if now.iterations == 0 {
                task.preconditioner.apply(r, z);
            }
            let rho = task.system.apply_dot(z, s); // zᵀ S z
            if now.iterations == 0 {
                vector::copy(z, p);
                vector::copy(s, q);
            } else {
                vector::scale_and_add(z, rho / rho_before, p);
                vector::scale_and_add(s, rho / rho_before, q); // q = S p without another product
            }
            rho_before = rho;
            let weight = task.preconditioner.apply_dot(q, m); // qᵀ M⁻¹ q
            if !(rho > 0.0 && weight > 0.0) {
                return None;
            }
            let step = rho / weight;
            vector::add_scaled(-step, m, z);
            Some(vector::step_both(step, p, q, x, r))
        })
    }
}
