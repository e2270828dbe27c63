//! One V-cycle \[Lai2021, alg. 4\].

use unstick_parallel::{self as parallel, vector};

use super::exact::Factors;
use super::hierarchy::{Link, MatrixHierarchy, MatrixLevel};
use super::smooth::{Sweep, free, sweep};

/// Sweeps each way on a coarsest level that is too large to be factorised.
const SWEEPS_INSTEAD: usize = 20;

impl MatrixHierarchy {
    /// z ← M⁻¹ r: one cycle from zero, with `sweeps` before and after each correction.
    pub fn apply(&mut self, sweeps: usize, r: &[f64], z: &mut [f64]) {
        self.order.gather(r, &mut self.levels[0].b);
        descend(sweeps, self.factors.as_ref(), &mut self.levels);
        self.order.scatter(&self.levels[0].x, z);
    }

    /// Leaves Pᵀ W r in the `b` of the second level, and W r in `r`.
    pub fn restrict(&mut self, r: &mut [f64]) {
        if let [MatrixLevel { link: Some(link), .. }, coarse, ..] = &mut self.levels[..] {
            link.restrict(r, &mut coarse.b);
        }
    }

    /// c ← W P x, with the x of the second level.
    pub fn prolong(&self, c: &mut [f64]) {
        if let [MatrixLevel { link: Some(link), .. }, coarse, ..] = &self.levels[..] {
            link.prolong(&coarse.x, c);
        }
    }

    /// The cycle below the finest level, for what was left in the `b` of the second one.
    pub fn correct_below(&mut self, sweeps: usize) {
        descend(sweeps, self.factors.as_ref(), &mut self.levels[1..]);
    }
}

/// x ≈ A⁻¹ b on the first of `levels`, with `count` sweeps before and after each correction.
fn descend(count: usize, factors: Option<&Factors>, levels: &mut [MatrixLevel]) {
    let Some((fine, below)) = levels.split_first_mut() else { return };
    let MatrixLevel { matrix, red, link, x, b, r } = fine;
    let sweeps = |count: usize, way: Sweep, x: &mut [f64]| {
        (0..count).for_each(|_| sweep(matrix, *red, way, b, x, free));
    };
    vector::clear(x);
    let (Some(link), Some(coarse)) = (link, below.first_mut()) else {
        match factors {
            Some(factors) => factors.solve(b, x),
            None => {
                sweeps(SWEEPS_INSTEAD, Sweep::Forward, x);
                sweeps(SWEEPS_INSTEAD, Sweep::Backward, x);
            }
        }
        return;
    };
    sweeps(count, Sweep::Forward, x);
    matrix.residual(b, x, r);
    link.restrict(r, &mut coarse.b);
    descend(count, factors, below);
    link.prolong(&below[0].x, r);
    vector::add_scaled(1.0, r, x);
    sweeps(count, Sweep::Backward, x);
}

impl Link {
    /// coarse ← Pᵀ W fine. Leaves W fine in `fine`.
    pub fn restrict(&self, fine: &mut [f64], coarse: &mut [f64]) {
        self.weigh(fine);
        parallel::for_each((0..coarse.len(), coarse), |(rows, coarse)| {
            rows.zip(coarse).for_each(|(row, coarse)| *coarse = self.pt.row_dot(row, fine, 0));
        });
    }

    /// fine ← W P coarse.
    pub fn prolong(&self, coarse: &[f64], fine: &mut [f64]) {
        parallel::for_each((0..fine.len(), &mut *fine), |(rows, fine)| {
            rows.zip(fine).for_each(|(row, fine)| *fine = self.p.row_dot(row, coarse, 0));
        });
        self.weigh(fine);
    }

    fn weigh(&self, fine: &mut [f64]) {
        if !self.weights.is_empty() {
            parallel::for_each((self.weights.as_slice(), fine), |(weights, fine)| {
                weights.iter().zip(fine).for_each(|(weight, fine)| *fine *= weight);
            });
        }
    }
}
