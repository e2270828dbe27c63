//! V-cycles for corrections that have lower bounds on coarse levels too.

use unstick_parallel::vector;

use crate::multigrid::hierarchy::{Link, MatrixHierarchy, MatrixLevel};
use crate::multigrid::smooth::{Sweep, sweep};

/// Sweeps each way that solve a coarsest level with bounds.
const COARSEST_SWEEPS: usize = 20;

/// Lower bounds of the corrections on every level, −∞ where there is none.
pub(super) struct Bounded {
    /// Sweeps before and after each coarse correction.
    pub sweeps: usize,
    /// Levels with bounds, the finest included; below them corrections are free.
    pub depth: usize,
    /// By level.
    pub bounds: Vec<Vec<f64>>,
}

impl Bounded {
    pub fn new(hierarchy: &MatrixHierarchy, sweeps: usize, depth: usize) -> Self {
        let bounds = hierarchy.sizes().into_iter().map(|size| vec![f64::NEG_INFINITY; size]).collect();
        Self { sweeps, depth, bounds }
    }

    /// x ≈ argmin ½ xᵀAx − bᵀx over the bounds, on level `first` and below, improved from the x that
    /// is there.
    pub fn descend(&mut self, hierarchy: &mut MatrixHierarchy, first: usize) {
        let factors = hierarchy.factors.as_ref();
        let is_bounded = first < self.depth;
        let (left, below) = hierarchy.levels[first..].split_at_mut(1);
        let MatrixLevel { matrix, red, link, x, b, r } = &mut left[0];
        let bound = &self.bounds[first];
        let smooth = |sweeps: usize, way: Sweep, x: &mut [f64]| {
            (0..sweeps).for_each(|_| sweep(matrix, *red, way, b, x, |row, value| value.max(bound[row])));
        };
        let (Some(link), Some(coarse)) = (&*link, below.first_mut()) else {
            match factors {
                Some(factors) if !is_bounded => factors.solve(b, x),
                _ => {
                    smooth(COARSEST_SWEEPS, Sweep::Forward, x);
                    smooth(COARSEST_SWEEPS, Sweep::Backward, x);
                }
            }
            return;
        };
        smooth(self.sweeps, Sweep::Forward, x);
        matrix.residual(b, x, r);
        link.restrict(r, &mut coarse.b);
        vector::clear(&mut coarse.x);
        let room: Vec<f64> = bound.iter().zip(x.iter()).map(|(bound, x)| bound - x).collect();
        self.restrict_bounds(link, first, &room);
        self.descend(hierarchy, first + 1);
        let [MatrixLevel { matrix, red, link: Some(link), x, b, r }, coarse, ..] = &mut hierarchy.levels[first..]
        else {
            return;
        };
        link.prolong(&coarse.x, r);
        vector::add_scaled(1.0, r, x);
        let bound = &self.bounds[first];
        for _ in 0..self.sweeps {
            sweep(matrix, *red, Sweep::Backward, b, x, |row, value| value.max(bound[row]));
        }
    }

    /// Bounds below level `fine`, given what room is left there: the tightest over all that a coarse
    /// value reaches. Weights are positive and sum to one at most, so what keeps the coarse bound
    /// keeps the fine one.
    pub fn restrict_bounds(&mut self, link: &Link, fine: usize, room: &[f64]) {
        let is_bounded = fine + 1 < self.depth;
        for (coarse, bound) in self.bounds[fine + 1].iter_mut().enumerate() {
            let reached = link.pt.row(coarse).map(|(row, _)| room[row]);
            *bound = if is_bounded { reached.fold(f64::NEG_INFINITY, f64::max) } else { f64::NEG_INFINITY };
        }
    }
}
