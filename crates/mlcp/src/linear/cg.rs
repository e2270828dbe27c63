//! Preconditioned conjugate gradients (`cg`).
//!
//! For symmetric positive definite systems, and semi-definite ones with a compatible right-hand
//! side. Every vector is touched as few times as the recurrences allow: the product returns pᵀSp,
//! both updates and the norm share a pass.

use unstick_parallel::vector;

use super::{LinearReport, LinearSolver, LinearTask, fit_all};

/// The method and its work vectors, kept from solve to solve.
#[derive(Debug, Default)]
pub struct ConjugateGradients {
    direction: Vec<f64>,
    product: Vec<f64>,
    preconditioned: Vec<f64>,
}

impl LinearSolver for ConjugateGradients {
    fn solve(&mut self, task: LinearTask, r: &mut [f64], x: &mut [f64]) -> LinearReport {
        let Self { direction: p, product: q, preconditioned: z } = self;
        fit_all([&mut *p, &mut *q, &mut *z], r.len());
        let mut rho_before = f64::NAN;
        task.iterate(r, x, |task, now, r, x| {
            let rho = task.preconditioner.apply_dot(r, z);
            if now.iterations == 0 {
                vector::copy(z, p);
            } else {
                vector::scale_and_add(z, rho / rho_before, p);
            }
            rho_before = rho;
            let curvature = task.system.apply_dot(p, q);
            (rho > 0.0 && curvature > 0.0).then(|| vector::step_both(rho / curvature, p, q, x, r))
        })
    }
}
