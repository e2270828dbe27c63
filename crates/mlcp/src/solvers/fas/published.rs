//! \[Lai2021, alg. 6\] as printed, and with both arguments of the minimum in one unit.
//!
//! R = Pᵀ/2^D restricts residuals and iterates alike, A_H = R A P, b_H = R b. A coarse cell is a wall
//! cell where any of its finer ones is. The problem N(q) = f on a level reads
//!
//! ```text
//!     min(t_i q_i, (A q + b)_i) = f_i    on wall rows,  t = `weight` (literal) or `weight` A_ii (scaled)
//!     (A q + b)_i = f_i                  elsewhere
//! ```

use super::finest::FinestLevel;
use super::{PublishedFasParams, StallDetector};
use crate::error::SolveError;
use crate::multigrid::hierarchy::{Link, MatrixHierarchy};
use crate::multigrid::smooth::{Sweep, sweep};
use crate::multigrid::sparse::SquareMatrix;
use crate::problem::minimum_map;
use crate::run::{Solvable, Trace};

/// Cycles without a better residual after which the scheme has stalled.
const PATIENCE: usize = 30;

/// A residual this many times the best one will not come back.
const DIVERGED: f64 = 1e8;

/// Sweeps that solve the coarsest level.
const COARSEST_SWEEPS: usize = 50;

pub(super) fn iterate(
    is_scaled: bool,
    params: &PublishedFasParams,
    task: &Solvable,
    finest: &mut FinestLevel,
    trace: &mut Trace,
) -> Result<(), SolveError> {
    let dimension = task.problem.operator().lattice().map(|lattice| lattice.dimension());
    let mut scheme = NonlinearLevels::new(is_scaled, params, finest, dimension);
    let mut stall = StallDetector::new();
    loop {
        let residual = finest.residual();
        if stall.has_failed(residual, PATIENCE, DIVERGED) {
            trace.stall("the cycles do not lower the residual any more");
        }
        if !trace.goes_on(residual)? {
            return Ok(());
        }
        scheme.levels[0].q.copy_from_slice(&finest.u);
        scheme.cycle(&finest.hierarchy, 0);
        finest.u.copy_from_slice(&scheme.levels[0].q);
        trace.spend(1);
    }
}

/// The nonlinear problem of one level.
struct NonlinearLevel {
    /// What the matrix of the hierarchy is multiplied by to become R A P.
    scale: f64,
    /// What Pᵀ towards the next coarser level is multiplied by to become R.
    restriction: f64,
    is_wall: Vec<bool>,
    b: Vec<f64>,
    f: Vec<f64>,
    q: Vec<f64>,
    r: Vec<f64>,
    /// q as it came from the finer level.
    start: Vec<f64>,
}

struct NonlinearLevels {
    /// Whether t has A_ii in it.
    is_scaled: bool,
    weight: f64,
    sweeps: usize,
    levels: Vec<NonlinearLevel>,
}

impl NonlinearLevels {
    fn new(is_scaled: bool, params: &PublishedFasParams, finest: &FinestLevel, dimension: Option<usize>) -> Self {
        let mut levels = Vec::new();
        let (mut scale, mut is_wall, mut b) = (1.0, finest.is_wall.clone(), finest.b.clone());
        for level in &finest.hierarchy.levels {
            let size = level.matrix.rows();
            let coarser = level.link.as_ref().map_or(size, |link| link.pt.rows());
            let restriction = dimension.map_or(coarser as f64 / size as f64, |d| 0.5f64.powi(d as i32));
            let vector = || vec![0.0; size];
            let (f, q, r, start) = (vector(), vector(), vector(), vector());
            let next = level.link.as_ref().map(|link| (coarse_walls(link, &is_wall), restrict(link, restriction, &b)));
            levels.push(NonlinearLevel { scale, restriction, is_wall, b, f, q, r, start });
            (is_wall, b) = next.unwrap_or_default();
            scale *= restriction;
        }
        Self { is_scaled, weight: params.weight, sweeps: params.sweeps, levels }
    }

    fn cycle(&mut self, hierarchy: &MatrixHierarchy, level: usize) {
        let matrix = &hierarchy.levels[level].matrix;
        let red = hierarchy.levels[level].red;
        let Some(link) = &hierarchy.levels[level].link else {
            self.smooth(matrix, red, level, COARSEST_SWEEPS, Sweep::Forward);
            return;
        };
        self.smooth(matrix, red, level, self.sweeps, Sweep::Forward);
        for row in 0..matrix.rows() {
            self.levels[level].r[row] = self.levels[level].f[row] - self.nonlinear(matrix, level, row);
        }
        let [fine, coarse, ..] = &mut self.levels[level..] else { return };
        coarse.start = restrict(link, fine.restriction, &fine.q);
        coarse.q.copy_from_slice(&coarse.start);
        coarse.f = restrict(link, fine.restriction, &fine.r);
        let coarse_matrix = &hierarchy.levels[level + 1].matrix;
        for row in 0..coarse_matrix.rows() {
            let here = self.nonlinear(coarse_matrix, level + 1, row);
            self.levels[level + 1].f[row] += here;
        }
        self.cycle(hierarchy, level + 1);

        let [fine, coarse, ..] = &mut self.levels[level..] else { return };
        coarse.q.iter().zip(&mut coarse.start).for_each(|(q, start)| *start = q - *start);
        link.prolong(&coarse.start, &mut fine.r);
        fine.q.iter_mut().zip(&fine.r).for_each(|(q, e)| *q += e);
        self.smooth(matrix, red, level, self.sweeps, Sweep::Backward);
    }

    /// N(q)_i.
    fn nonlinear(&self, matrix: &SquareMatrix, level: usize, row: usize) -> f64 {
        let own = &self.levels[level];
        let r = own.scale * matrix.row_dot(row, &own.q) + own.b[row];
        let stiffness = self.stiffness(matrix, level, row);
        if own.is_wall[row] { minimum_map(stiffness * own.q[row], r) } else { r }
    }

    /// t_i.
    fn stiffness(&self, matrix: &SquareMatrix, level: usize, row: usize) -> f64 {
        self.weight * if self.is_scaled { self.levels[level].scale * matrix.diagonal[row] } else { 1.0 }
    }

    /// Projected Gauss–Seidel for N(q) = f \[Lai2021, alg. 5\].
    fn smooth(&mut self, matrix: &SquareMatrix, red: Option<usize>, level: usize, sweeps: usize, way: Sweep) {
        let mut q = std::mem::take(&mut self.levels[level].q);
        let mut r = std::mem::take(&mut self.levels[level].r);
        let own = &self.levels[level];
        for (row, r) in r.iter_mut().enumerate() {
            *r = (own.f[row] - own.b[row]) / own.scale;
        }
        let clamp = |row: usize, value: f64| {
            let stiffness = self.stiffness(matrix, level, row);
            if own.is_wall[row] && stiffness > 0.0 { value.max(own.f[row] / stiffness) } else { value }
        };
        (0..sweeps).for_each(|_| sweep(matrix, red, way, &r, &mut q, clamp));
        (self.levels[level].q, self.levels[level].r) = (q, r);
    }
}

/// R fine.
fn restrict(link: &Link, factor: f64, fine: &[f64]) -> Vec<f64> {
    (0..link.pt.rows()).map(|row| factor * link.pt.row_dot(row, fine, 0)).collect()
}

/// Coarse cells with a wall cell for which they have the largest say.
fn coarse_walls(link: &Link, is_wall: &[bool]) -> Vec<bool> {
    let mut walls = vec![false; link.pt.rows()];
    for row in (0..is_wall.len()).filter(|&row| is_wall[row]) {
        let most = link.p.row(row).fold(None, |most: Option<(usize, f64)>, entry| match most {
            Some(most) if most.1 >= entry.1 => Some(most),
            _ => Some(entry),
        });
        if let Some((coarse, _)) = most {
            walls[coarse] = true;
        }
    }
    walls
}
