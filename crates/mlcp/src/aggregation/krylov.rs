//! Conjugate gradients around the cycle, for the free rows.
//!
//! A cycle with Krylov steps of its own is not a fixed matrix: it answers the sum of two right-hand sides with other than
//! the sum of the answers. Each direction is therefore made conjugate to the one before by its product, which is at
//! hand, rather than by the usual recurrence.

use unstick_parallel::{self as parallel, vector};

use super::Aggregation;
use super::bounded::{Bounded, Posed};
use super::level::Level;
use crate::interrupt;
use crate::linear::fit;

/// The work vectors, in the order of the hierarchy.
#[derive(Debug, Default)]
pub(crate) struct Krylov {
    x: Vec<f64>,
    r: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    preconditioned: Vec<f64>,
}

impl Krylov {
    /// Solves for the correction of a posed problem on the free rows of the finest level, from its x. Stops at the
    /// `target` for a right-hand side of some norm, or after `most` cycles. Returns how many it took.
    pub fn solve(
        &mut self,
        hierarchy: &mut Aggregation,
        problem: &Bounded,
        posed: &Posed,
        target: impl Fn(f64) -> f64,
        most: usize,
    ) -> usize {
        let Self { x, r, direction: p, product: q, preconditioned: z } = self;
        [&mut *x, r, p, q, z].into_iter().for_each(|vector| fit(vector, posed.r.len()));
        let (scale, unit) = (hierarchy.scale(posed.norm), hierarchy.unit);
        parallel::for_each((x.as_mut_slice(), problem.x.as_slice()), |(x, start)| {
            x.iter_mut().zip(start).for_each(|(x, start)| *x = scale * *start as f64);
        });
        let (finest, order) = (&hierarchy.levels[0], &hierarchy.order);
        finest.product_by_differences(unit, x, q);
        parallel::for_each((0..r.len(), r.as_mut_slice(), q.as_slice()), |(places, r, q)| {
            for ((place, r), q) in places.zip(r).zip(q) {
                *r = if finest.inverse[place] > 0.0 { -posed.r[order.row(place)] - q } else { 0.0 };
            }
        });
        let mut residual = vector::norm_max(r);
        let target = target(residual);
        let (mut cycles, mut curvature) = (0, f64::NAN);
        while residual > target && cycles < most && !interrupt::is_interrupted() {
            hierarchy.cycle(r, z);
            if cycles == 0 {
                vector::copy(z, p);
            } else {
                vector::scale_and_add(z, -vector::dot(z, q) / curvature, p);
            }
            curvature = hierarchy.levels[0].product_by_differences(unit, p, q);
            let slope = vector::dot(p, r);
            if !(slope > 0.0 && curvature > 0.0) {
                break;
            }
            residual = vector::step_both(slope / curvature, p, q, x, r);
            cycles += 1;
        }
        cycles
    }

    /// Adds the correction to the iterate.
    pub fn accept(&self, hierarchy: &Aggregation, lower: &[f64], q: &mut [f64]) {
        hierarchy.add(|place| self.x[place], lower, q);
    }
}

impl Level {
    /// y ← A x, zero on pinned rows; returns xᵀ A x. `unit` is what one means in the matrix.
    fn product_by_differences(&self, unit: f64, x: &[f64], y: &mut [f64]) -> f64 {
        parallel::sum((0..x.len(), y), |(rows, y)| {
            let mut total = 0.0;
            for (row, y) in rows.zip(y) {
                let own = x[row];
                let couplings = self.rows.row(row).map(|(column, value)| value as f64 * (x[column] - own)).sum::<f64>();
                let sum = self.rows.excess[row] as f64 * own + couplings;
                *y = if self.inverse[row] > 0.0 { unit * sum } else { 0.0 };
                total += *y * own;
            }
            total
        })
    }
}
