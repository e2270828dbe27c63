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

use unstick_parallel::{self as parallel, larger};

use super::Aggregation;
use super::bounded::Bounded;
use super::chunks;
use super::cycle::{dot, norm_max};
use super::level::Level;
use super::order::Order;
use crate::csr::CsrMatrix;
use crate::interrupt;
use crate::linear::fit;

/// The matrix of the finest level in double precision.
struct Matrix<'h> {
    finest: &'h Level,
    order: &'h Order,
    /// What one means in the finest level, over the norm of the right-hand side.
    unit: f64,
    norm: f64,
    /// The given matrix, where that of the level is not near enough to it.
    given: Option<&'h CsrMatrix<'h>>,
}

/// How far a correction is solved.
pub(crate) struct Goal<'g, F> {
    /// The residual that was posed.
    pub norm: f64,
    /// Where to stop, for a right-hand side of some norm.
    pub target: F,
    /// Cycles at most.
    pub most: usize,
    /// The matrix whose products are meant, where not those of the level.
    pub given: Option<&'g CsrMatrix<'g>>,
}

/// The iterate, in the order of the hierarchy.
#[derive(Debug, Default)]
pub(crate) struct Krylov {
    x: Vec<f64>,
}

impl Krylov {
    /// Solves for the correction of a posed problem on the free rows of the finest level, from its x. Returns how many
    /// cycles it took. The problem and the residual that it was posed from are used up.
    pub fn solve(
        &mut self,
        hierarchy: &mut Aggregation,
        problem: &mut Bounded,
        r: &mut [f64],
        goal: Goal<impl Fn(f64) -> f64>,
    ) -> usize {
        let Goal { norm, target, most, given } = goal;
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
        Matrix::of(hierarchy, norm, given).product(x, product, &hierarchy.vectors[0].b);
        let (finest, order) = (&hierarchy.levels[0], &hierarchy.order);
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
            let [energy, slope] = Matrix::of(hierarchy, norm, given).product(direction, product, &own.b);
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

impl<'h> Matrix<'h> {
    fn of(hierarchy: &'h Aggregation, norm: f64, given: Option<&'h CsrMatrix<'h>>) -> Self {
        let Aggregation { levels, order, unit, .. } = hierarchy;
        Self { finest: &levels[0], order, unit: unit / norm, norm, given }
    }

    /// y ← A x, zero on pinned rows; returns xᵀ A x and xᵀ b.
    fn product(&self, x: &[f64], y: &mut [f32], b: &[f32]) -> [f64; 2] {
        chunks::sum(&self.finest.borders, (0..x.len(), y, b), &|chunk, (rows, y, b)| {
            let around = self.finest.rows.columns.around(chunk, &x[rows.clone()], x);
            let (mut energy, mut slope) = (0.0, 0.0);
            for ((row, y), b) in rows.zip(y).zip(b) {
                let product = if self.finest.inverse[row] > 0.0 { self.row(row, x, &around) } else { 0.0 };
                *y = product as f32;
                energy += product * x[row];
                slope += *b as f64 * x[row];
            }
            [energy, slope]
        })
    }

    #[inline]
    fn row(&self, row: usize, x: &[f64], around: &[f64]) -> f64 {
        if let Some(given) = self.given {
            let entries = given.row(self.order.row(row));
            return entries.map(|(column, value)| value * x[self.order.place(column)]).sum::<f64>() / self.norm;
        }
        let (own, rows) = (x[row], &self.finest.rows);
        let couplings = rows.entries(row, rows.range(row));
        let couplings = couplings.map(|(column, value)| value as f64 * (column.of(around, x) - own)).sum::<f64>();
        self.unit * (rows.excess[row] as f64 * own + couplings)
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
