//! Preconditioned conjugate gradients (`cg`).
//!
//! For symmetric positive definite systems, and semi-definite ones with a compatible right-hand
//! side. Every vector is touched as few times as the recurrences allow: the product returns pᵀSp,
//! both updates and the norm share a pass.

use unstick_parallel::vector;

use super::{LinearReport, LinearSolver, LinearStop, Subsystem, fit_all, iterate};
use crate::precondition::Preconditioner;

/// The method and its work vectors, kept from solve to solve.
#[derive(Debug, Default)]
pub struct ConjugateGradients {
    direction: Vec<f64>,
    product: Vec<f64>,
    preconditioned: Vec<f64>,
}

impl LinearSolver for ConjugateGradients {
    fn solve(
        &mut self,
        system: &Subsystem,
        preconditioner: &mut dyn Preconditioner,
        r: &mut [f64],
        x: &mut [f64],
        stop: LinearStop,
        watch: &mut dyn FnMut(f64),
    ) -> LinearReport {
        let Self { direction: p, product: q, preconditioned: z } = self;
        fit_all([&mut *p, &mut *q, &mut *z], r.len());
        let mut rho_before = f64::NAN;
        iterate(r, x, stop, watch, |now, r, x| {
            let rho = preconditioner.apply_dot(r, z);
            if now.iterations == 0 {
                vector::copy(z, p);
            } else {
                vector::scale_and_add(z, rho / rho_before, p);
            }
            rho_before = rho;
            let curvature = system.apply_dot(p, q);
            (rho > 0.0 && curvature > 0.0).then(|| vector::step_both(rho / curvature, p, q, x, r))
        })
    }
}
