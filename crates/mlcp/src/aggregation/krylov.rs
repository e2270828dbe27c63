//! Conjugate gradients around the cycle, for the free rows.
//!
//! A cycle with Krylov steps of its own is not a fixed matrix: it answers the sum of two right-hand sides with other than
//! the sum of the answers. Each direction is therefore made conjugate to the one before by its product, which is at
//! hand, rather than by the usual recurrence.
//!
//! Iterate and direction are in double precision: products take differences of them. What is left of the residual, its
//! correction and the product of the direction need only be right to their own size. They work in the memory of the posed
//! problem, and the direction in that of the residual that was posed: neither is needed any more.

use std::mem::swap;
use std::ops::Range;

use unstick_parallel::{self as parallel, larger};

use super::Aggregation;
use super::bounded::Bounded;
use super::cycle::{dot, norm_max};
use super::level::Level;
use crate::interrupt;
use crate::linear::fit;

/// The iterate, in the order of the hierarchy.
#[derive(Debug, Default)]
pub(crate) struct Krylov {
    x: Vec<f64>,
}

impl Krylov {
    /// Solves for the correction of a posed problem on the free rows of the finest level, from its x. Stops at the
    /// `target` for a right-hand side of some norm, or after `most` cycles. Returns how many it took. The problem and
    /// the residual that it was posed from are used up.
    pub fn solve(
        &mut self,
        hierarchy: &mut Aggregation,
        problem: &mut Bounded,
        r: &mut [f64],
        norm: f64,
        target: impl Fn(f64) -> f64,
        most: usize,
    ) -> usize {
        let x = &mut self.x;
        fit(x, r.len());
        let scale = hierarchy.scale(norm);
        parallel::for_each((x.as_mut_slice(), problem.x.as_slice()), |(x, start)| {
            x.iter_mut().zip(start).for_each(|(x, start)| *x = scale * *start as f64);
        });
        // One in single precision is the norm.
        let own = &mut hierarchy.vectors[0];
        swap(&mut own.b, &mut problem.load);
        swap(&mut own.x, &mut problem.x);
        let product = &mut problem.floor;
        let unit = hierarchy.unit / norm;
        let (finest, order) = (&hierarchy.levels[0], &hierarchy.order);
        finest.product_by_differences(unit, x, product);
        let lanes = (0..r.len(), hierarchy.vectors[0].b.as_mut_slice(), product.as_slice());
        parallel::for_each(lanes, |(places, left, product)| {
            for ((place, left), product) in places.zip(left).zip(product) {
                let posed = -r[order.row(place)] / norm;
                *left = if finest.inverse[place] > 0.0 { (posed - *product as f64) as f32 } else { 0.0 };
            }
        });
        let direction = r;
        let mut residual = norm_max(&hierarchy.vectors[0].b);
        let target = target(norm * residual) / norm;
        let (mut cycles, mut curvature) = (0, f64::NAN);
        while residual > target && cycles < most && !interrupt::is_interrupted() {
            hierarchy.cycle();
            let own = &hierarchy.vectors[0];
            let turn = if cycles == 0 { 0.0 } else { -scale * dot(&own.x, product) / curvature };
            parallel::for_each((own.x.as_slice(), &mut *direction), |(z, p)| {
                z.iter().zip(p).for_each(|(z, p)| *p = scale * *z as f64 + if cycles == 0 { 0.0 } else { turn * *p });
            });
            let (energy, slope) = hierarchy.levels[0].energy_and_slope(unit, direction, product, &own.b);
            if !(slope > 0.0 && energy > 0.0) {
                break;
            }
            curvature = energy;
            residual = step_both(slope / energy, direction, product, x, &mut hierarchy.vectors[0].b);
            cycles += 1;
        }
        let own = &mut hierarchy.vectors[0];
        swap(&mut own.b, &mut problem.load);
        swap(&mut own.x, &mut problem.x);
        cycles
    }

    /// Adds the correction to the iterate.
    pub fn accept(&self, hierarchy: &Aggregation, lower: &[f64], q: &mut [f64]) {
        hierarchy.add(|place| self.x[place], lower, q);
    }
}

impl Level {
    /// y ← A x, zero on pinned rows. `unit` is what one means in the matrix.
    fn product_by_differences(&self, unit: f64, x: &[f64], y: &mut [f32]) {
        parallel::for_each((0..x.len(), y), |(rows, y)| {
            rows.zip(y).for_each(|(row, y)| *y = self.row_by_differences(unit, row, x) as f32);
        });
    }

    /// The same; returns xᵀ A x and xᵀ b.
    fn energy_and_slope(&self, unit: f64, x: &[f64], y: &mut [f32], b: &[f32]) -> (f64, f64) {
        let kernel = |(rows, y, b): (Range<usize>, &mut [f32], &[f32])| {
            let (mut energy, mut slope) = (0.0, 0.0);
            for ((row, y), b) in rows.zip(y).zip(b) {
                let product = self.row_by_differences(unit, row, x);
                *y = product as f32;
                energy += product * x[row];
                slope += *b as f64 * x[row];
            }
            (energy, slope)
        };
        parallel::fold((0..x.len(), y, b), &kernel, &|one: (f64, f64), other| (one.0 + other.0, one.1 + other.1))
    }

    #[inline]
    fn row_by_differences(&self, unit: f64, row: usize, x: &[f64]) -> f64 {
        let own = x[row];
        let couplings = self.rows.row(row).map(|(column, value)| value as f64 * (x[column] - own)).sum::<f64>();
        let sum = self.rows.excess[row] as f64 * own + couplings;
        if self.inverse[row] > 0.0 { unit * sum } else { 0.0 }
    }
}

/// x ← x + a p and r ← r − a q; returns the largest |r|.
fn step_both(a: f64, p: &[f64], q: &[f32], x: &mut [f64], r: &mut [f32]) -> f64 {
    parallel::max((p, q, x, r), |(p, q, x, r)| {
        p.iter().zip(x).for_each(|(p, x)| *x += a * p);
        q.iter().zip(r).fold(0.0, |most, (q, r)| {
            *r = (*r as f64 - a * *q as f64) as f32;
            larger(most, r.abs() as f64)
        })
    })
}
