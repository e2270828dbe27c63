//! One K-cycle.

use unstick_parallel::{self as parallel, larger};

use super::Aggregation;
use super::chunks;
use super::level::{Level, NONE, Vectors};
use crate::multigrid::exact::Factors;

/// A coarse level that one step brings below this part of its right-hand side gets no second one.
const ENOUGH: f64 = 0.25;

/// Sweeps each way on a coarsest level that is too large to be factorised.
const SWEEPS_INSTEAD: usize = 20;

impl Aggregation {
    /// x ← M⁻¹ b on the free rows of the finest level, zero on pinned ones.
    pub(super) fn cycle(&mut self) {
        descend(&self.levels, &mut self.vectors, self.factors.as_ref());
    }
}

/// x ← B b on the first of the levels.
fn descend(levels: &[Level], vectors: &mut [Vectors], factors: Option<&Factors>) {
    let ([level, coarser @ ..], [own, below @ ..]) = (levels, vectors) else { return };
    if coarser.is_empty() {
        return match factors {
            Some(factors) => solve_exactly(factors, own),
            None => level.sweep_instead(own),
        };
    }
    level.sweep_forward(&own.b, &mut own.x);
    level.restrict(&own.x, &mut below[0].b);
    solve_coarse(coarser, below, factors);
    level.prolong(&below[0].x, &mut own.x, &mut own.before);
    level.sweep_backward(&own.b, &own.before, &mut own.x);
}

/// x ≈ A⁻¹ b on the first of the levels, by at most two steps of flexible conjugate gradients around a cycle.
pub(super) fn solve_coarse(levels: &[Level], vectors: &mut [Vectors], factors: Option<&Factors>) {
    descend(levels, vectors, factors);
    let [level, _, ..] = levels else { return };
    let Vectors { x, b, direction, product, .. } = &mut vectors[0];
    let curvature = level.product(x, product);
    let gain = dot(x, b);
    if !(curvature > 0.0 && gain > 0.0) {
        return;
    }
    let step = gain / curvature;
    let before = dot(b, b);
    add_scaled(-step as f32, product, b);
    if dot(b, b) <= ENOUGH * ENOUGH * before {
        return scale(step as f32, x);
    }
    std::mem::swap(x, direction);
    descend(levels, vectors, factors);
    let Vectors { x, b, before, direction, product, .. } = &mut vectors[0];
    let (energy, mixed, gain) = (level.product(x, before), dot(x, product), dot(x, b));
    let rest = energy - mixed * mixed / curvature;
    let second = if rest > 0.0 { gain / rest } else { 0.0 };
    let first = step - mixed * second / curvature;
    parallel::for_each((x.as_mut_slice(), direction.as_slice()), |(x, direction)| {
        x.iter_mut().zip(direction).for_each(|(x, d)| *x = second as f32 * *x + first as f32 * d);
    });
}

fn solve_exactly(factors: &Factors, own: &mut Vectors) {
    let b: Vec<f64> = own.b.iter().map(|&b| b as f64).collect();
    let mut x = vec![0.0; b.len()];
    factors.solve(&b, &mut x);
    own.x.iter_mut().zip(x).for_each(|(own, x)| *own = x as f32);
}

impl Level {
    /// x ← what a Gauss–Seidel sweep from zero gives, in ascending order.
    fn sweep_forward(&self, b: &[f32], x: &mut [f32]) {
        chunks::for_each(&self.borders, x, &|chunk, x| {
            let first = self.borders[chunk] as usize;
            for place in 0..x.len() {
                let row = first + place;
                let ahead = self.rows.entries(row, self.rows.starts[row] as usize..self.behind[row] as usize);
                let mut sum = b[row];
                for (column, value) in ahead {
                    if column.is_near() {
                        sum -= value * column.of(x, b);
                    }
                }
                x[place] = self.inverse[row] * sum;
            }
        });
    }

    /// coarse ← Pᵀ (b − A x), where x is what [`sweep_forward`](Self::sweep_forward) gave. In a row that was just relaxed
    /// with nothing behind it, what is behind it is left.
    fn restrict(&self, x: &[f32], coarse: &mut [f32]) {
        let Self { borders, aggregates, rows, .. } = self;
        let own = 0..self.rows();
        chunks::for_each_pair(borders, &aggregates.borders, own, coarse, &|chunk, own, coarse| {
            coarse.fill(0.0);
            let first_coarse = aggregates.borders[chunk] as usize;
            let around = rows.columns.around(chunk, &x[own.clone()], x);
            for row in own {
                let parent = aggregates.parents[row];
                if parent == NONE || self.inverse[row] == 0.0 {
                    continue;
                }
                let behind = rows.entries(row, self.behind[row] as usize..rows.starts[row + 1] as usize);
                let mut left: f32 = behind.map(|(column, value)| -value * column.of(&around, x)).sum();
                for (column, value) in rows.entries(row, rows.starts[row] as usize..self.behind[row] as usize) {
                    if column.is_near() {
                        break;
                    }
                    left -= value * column.of(&around, x);
                }
                // Rows that step shorter than their diagonal asks for leave the difference.
                left += left_by_short_step(self.inverse[row], self.diagonal[row], x[row]);
                coarse[parent as usize - first_coarse] += left;
            }
        });
    }

    /// x ← x + P coarse, and the same to `before`.
    fn prolong(&self, coarse: &[f32], x: &mut [f32], before: &mut [f32]) {
        parallel::for_each((0..self.rows(), x, before), |(rows, x, before)| {
            for ((row, x), before) in rows.zip(x).zip(before) {
                let parent = self.aggregates.parents[row];
                if parent != NONE && self.inverse[row] > 0.0 {
                    *x += coarse[parent as usize];
                }
                *before = *x;
            }
        });
    }

    /// A Gauss–Seidel sweep in descending order. Values of other chunks are those of `before`.
    fn sweep_backward(&self, b: &[f32], before: &[f32], x: &mut [f32]) {
        chunks::for_each(&self.borders, x, &|chunk, x| {
            let (first, length) = (self.borders[chunk] as usize, x.len());
            let mut around = self.rows.columns.around(chunk, x, before);
            for row in (first..first + length).rev() {
                self.relax(row, self.inverse[row], first, b[row], before, &mut around);
            }
            x.copy_from_slice(&around[..length]);
        });
    }

    /// Relaxes one row of a chunk that begins at `first`, by what `inverse` gives. `x` are the values around the chunk.
    #[inline]
    pub(super) fn relax(&self, row: usize, inverse: f32, first: usize, b: f32, before: &[f32], x: &mut [f32]) {
        let mut sum = b;
        for (column, value) in self.rows.entries(row, self.rows.range(row)) {
            sum -= value * column.of(x, before);
        }
        let own = &mut x[row - first];
        // The diagonal may be less than what relaxing divides by.
        *own += inverse * (sum - self.diagonal[row] * *own);
    }

    /// Many sweeps each way, from zero.
    fn sweep_instead(&self, own: &mut Vectors) {
        self.sweep_forward(&own.b, &mut own.x);
        for number in 1..2 * SWEEPS_INSTEAD {
            own.before.copy_from_slice(&own.x);
            let (b, before) = (&own.b, &own.before);
            if number >= SWEEPS_INSTEAD {
                self.sweep_backward(b, before, &mut own.x);
                continue;
            }
            chunks::for_each(&self.borders, own.x.as_mut_slice(), &|chunk, x| {
                let (first, length) = (self.borders[chunk] as usize, x.len());
                let mut around = self.rows.columns.around(chunk, x, before);
                (first..first + length)
                    .for_each(|row| self.relax(row, self.inverse[row], first, b[row], before, &mut around));
                x.copy_from_slice(&around[..length]);
            });
        }
    }
}

/// b − d x of a row relaxed to x = i s: what is left of s where i is less than 1/d.
#[inline]
fn left_by_short_step(inverse: f32, diagonal: f32, x: f32) -> f32 {
    if inverse * diagonal < 0.999 { x / inverse - diagonal * x } else { 0.0 }
}

pub(super) fn dot(x: &[f32], y: &[f32]) -> f64 {
    parallel::sum((x, y), |(x, y)| x.iter().zip(y).map(|(x, y)| (x * y) as f64).sum())
}

/// The largest |x|; NaN if any is.
pub(super) fn norm_max(x: &[f32]) -> f64 {
    parallel::max(x, |x| x.iter().fold(0.0, |most, x| larger(most, x.abs() as f64)))
}

fn add_scaled(factor: f32, x: &[f32], y: &mut [f32]) {
    parallel::for_each((x, y), |(x, y)| x.iter().zip(y).for_each(|(x, y)| *y += factor * x));
}

pub(super) fn scale(factor: f32, x: &mut [f32]) {
    parallel::for_each(x, |x| x.iter_mut().for_each(|x| *x *= factor));
}
