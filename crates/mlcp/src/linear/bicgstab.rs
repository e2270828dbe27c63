//! Stabilised bi-conjugate gradients (`bicgstab`), preconditioned from the right.
//!
//! Two products an iteration; asks neither for symmetry nor for definiteness, and guarantees
//! nothing. A breakdown of its recurrences restarts it from the current residual.

use unstick_parallel::vector;

use super::{LinearReport, LinearSolver, LinearTask, fit_all};

/// The method and its work vectors, kept from solve to solve.
#[derive(Debug, Default)]
pub struct BiCgStab {
    shadow: Vec<f64>,
    direction: Vec<f64>,
    preconditioned: Vec<f64>,
    product: Vec<f64>,
    stabiliser: Vec<f64>,
}

impl LinearSolver for BiCgStab {
    fn solve(&mut self, task: LinearTask, r: &mut [f64], x: &mut [f64]) -> LinearReport {
        let Self { shadow, direction: p, preconditioned: z, product: v, stabiliser: t } = self;
        fit_all([&mut *shadow, &mut *p, &mut *z, &mut *v, &mut *t], r.len());
        let (mut rho_before, mut alpha, mut omega) = (1.0, 1.0, 1.0);
        let mut fresh = true; // no usable history: start from the residual
        let mut restarts = 0;
        task.iterate(r, x, |task, _, r, x| {
            let mut rho = vector::dot(shadow, r);
            if fresh || rho.abs() <= f64::EPSILON * vector::norm(shadow) * vector::norm(r) {
                vector::copy(r, shadow);
                vector::copy(r, p);
                rho = vector::dot(r, r);
                restarts += !fresh as usize;
            } else {
                // p ← r + β (p − ω v)
                let beta = rho / rho_before * (alpha / omega);
                vector::add_scaled(-omega, v, p);
                vector::scale_and_add(r, beta, p);
            }
            fresh = false;
            rho_before = rho;

            task.preconditioner.apply(p, z);
            task.system.apply(z, v);
            let against_shadow = vector::dot(shadow, v);
            if against_shadow == 0.0 || !against_shadow.is_finite() || restarts > 10 {
                return None;
            }
            alpha = rho / against_shadow;
            let residual = vector::step_both(alpha, z, v, x, r);
            if residual <= task.target {
                return Some(residual);
            }

            task.preconditioner.apply(r, z);
            task.system.apply(z, t);
            let (tt, tr) = (vector::dot(t, t), vector::dot(t, r));
            if tt == 0.0 || tr == 0.0 || !tt.is_finite() {
                fresh = true;
                restarts += 1;
                return Some(residual);
            }
            omega = tr / tt;
            Some(vector::step_both(omega, z, t, x, r))
        })
    }
}
