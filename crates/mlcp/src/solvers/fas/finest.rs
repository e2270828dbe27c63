//! The finest level of a complementarity problem, in the order of its hierarchy and with all bounds
//! moved to zero.

use unstick_parallel::{self as parallel, larger, vector};

use super::super::active_set::pin_one_row;
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::multigrid::MultigridVariant;
use crate::multigrid::hierarchy::MatrixHierarchy;
use crate::multigrid::smooth::{Sweep, relaxed, sweep};
use crate::multigrid::sparse::SquareMatrix;
use crate::problem::{Mlcp, minimum_map};
use crate::run::Solvable;

/// u = q − ℓ on wall rows, q elsewhere; g = A u + b the outflow that remains, b with A ℓ added.
pub(super) struct FinestLevel {
    pub hierarchy: MatrixHierarchy,
    /// A itself; the finest matrix of the hierarchy leaves held rows out.
    pub matrix: SquareMatrix,
    pub b: Vec<f64>,
    pub is_wall: Vec<bool>,
    pub u: Vec<f64>,
    pub g: Vec<f64>,
    /// The correction, and A times it.
    pub c: Vec<f64>,
    product: Vec<f64>,
    /// b with its sign changed, as sweeps want it.
    negative_b: Vec<f64>,
    near_walls: Vec<u32>,
}

impl FinestLevel {
    pub fn new(
        problem: &Mlcp,
        variant: Option<MultigridVariant>,
        coarsest: Option<usize>,
        q: &[f64],
    ) -> Result<Self, SolveError> {
        let hierarchy = MatrixHierarchy::build(&Subsystem::whole(problem.operator()), variant, coarsest)?;
        let order = &hierarchy.order;
        let matrix = hierarchy.levels[0].matrix.clone();
        let bound = |row: usize| if problem.is_wall(row) { problem.lower()[row] } else { 0.0 };
        let bounds: Vec<f64> = order.rows.iter().map(|&row| bound(row as usize)).collect();
        let in_order = |values: &[f64]| -> Vec<f64> { order.rows.iter().map(|&row| values[row as usize]).collect() };
        let mut b = in_order(problem.b());
        b.iter_mut().enumerate().for_each(|(place, b)| *b += matrix.row_dot(place, &bounds));
        let is_wall: Vec<bool> = order.rows.iter().map(|&row| problem.is_wall(row as usize)).collect();
        let mut u = in_order(q);
        for (place, u) in u.iter_mut().enumerate() {
            *u = if is_wall[place] { (*u - bounds[place]).max(0.0) } else { *u };
        }
        let is_near = |place: &u32| {
            let place = *place as usize;
            is_wall[place] || matrix.off.row(place).any(|(other, _)| is_wall[other])
        };
        let near_walls = (0..u.len() as u32).filter(is_near).collect();
        let vector = || vec![0.0; u.len()];
        let negative_b = b.iter().map(|b| -b).collect();
        let (g, c, product) = (vector(), vector(), vector());
        Ok(Self { matrix, b, is_wall, g, c, product, negative_b, near_walls, u, hierarchy })
    }

    /// q from u, in the order of the problem.
    pub fn answer(&self, problem: &Mlcp, q: &mut [f64]) {
        self.hierarchy.order.scatter(&self.u, q);
        let walls = q.iter_mut().zip(problem.lower()).filter(|(_, lower)| **lower > f64::NEG_INFINITY);
        walls.for_each(|(q, lower)| *q += lower);
    }

    /// Projected Gauss–Seidel \[Lai2021, alg. 5\].
    pub fn smooth(&mut self, sweeps: usize, way: Sweep) {
        let Self { matrix, is_wall, u, negative_b, hierarchy, .. } = self;
        for _ in 0..sweeps {
            sweep(matrix, hierarchy.order.red, way, negative_b, u, clamp(is_wall));
        }
    }

    /// The same on wall rows and their neighbours alone, forth and back.
    pub fn smooth_near_walls(&mut self, sweeps: usize) {
        let Self { matrix, is_wall, u, negative_b, near_walls, .. } = self;
        let clamp = clamp(is_wall);
        let mut relax = |place: &u32| {
            u[*place as usize] = relaxed(matrix, *place as usize, negative_b, u, &clamp);
        };
        for _ in 0..sweeps {
            near_walls.iter().for_each(&mut relax);
        }
    }

    /// g ← A u + b; returns ‖H‖∞.
    pub fn residual(&mut self) -> f64 {
        let Self { matrix, is_wall, u, g, b, .. } = self;
        parallel::max((0..u.len(), g.as_mut_slice()), |(rows, g)| {
            let mut most = 0.0;
            for (row, g) in rows.zip(g) {
                *g = matrix.row_dot(row, u) + b[row];
                let h = if is_wall[row] { minimum_map(u[row], *g) } else { *g };
                most = larger(most, h.abs());
            }
            most
        })
    }

    /// Lowers every loose part until one of its walls is at its bound. Liquid leaves such a part at any
    /// pressure, so this always lowers the energy. Smoothing would need very many sweeps for it.
    pub fn lower_loose_parts(&mut self, loose: &[Vec<u32>]) {
        let Self { is_wall, u, hierarchy, .. } = self;
        for rows in loose {
            let places = || rows.iter().map(|&row| hierarchy.order.places[row as usize] as usize);
            let lowest = places().filter(|&place| is_wall[place]).map(|place| u[place]).fold(f64::INFINITY, f64::min);
            if lowest.is_finite() {
                places().for_each(|place| u[place] -= lowest);
            }
        }
    }

    /// Whether a row is held by its bound.
    pub fn is_held(&self, place: usize) -> bool {
        self.is_wall[place] && self.u[place] == 0.0 && self.g[place] >= 0.0
    }

    /// Cuts the rows that are held out of the hierarchy; `free` is scratch in the order of the
    /// problem. Loose parts keep one row held.
    pub fn truncate(
        &mut self,
        solvable: &Solvable,
        free: &mut [bool],
        scratch: &mut [Vec<f64>; 2],
    ) -> Result<(), SolveError> {
        let mut has_changed = false;
        for row in 0..free.len() {
            let is_free = !self.is_held(self.hierarchy.order.places[row] as usize);
            has_changed |= free[row] != is_free;
            free[row] = is_free;
        }
        if !solvable.loose.is_empty() {
            let [q, r] = scratch;
            self.answer(solvable.problem, q);
            self.hierarchy.order.scatter(&self.g, r);
            pin_one_row(solvable.problem, solvable.loose, q, r, free);
            has_changed = true;
        }
        if !has_changed {
            return Ok(());
        }
        self.hierarchy.refresh(&Subsystem::whole(solvable.problem.operator()).with_free(free))
    }

    /// Clips the correction so that no bound is crossed and takes the step along it that lowers the
    /// energy ½ uᵀAu + bᵀu most, at most `longest`.
    pub fn step(&mut self, longest: f64) {
        self.clip();
        let Self { matrix, g, c, product, .. } = self;
        parallel::for_each((0..c.len(), product.as_mut_slice()), |(rows, product)| {
            rows.zip(product).for_each(|(row, product)| *product = matrix.row_dot(row, c));
        });
        let (slope, curvature) = (-vector::dot(c, g), vector::dot(c, product));
        let best = if curvature > 0.0 { slope / curvature } else { longest };
        self.move_by(if slope > 0.0 { best.min(longest) } else { 0.0 });
    }

    fn clip(&mut self) {
        let Self { is_wall, u, c, .. } = self;
        parallel::for_each((u.as_slice(), is_wall.as_slice(), c.as_mut_slice()), |(u, is_wall, c)| {
            for ((u, is_wall), c) in u.iter().zip(is_wall).zip(c) {
                *c = if *is_wall { c.max(-u) } else { *c };
            }
        });
    }

    /// u ← u + length c, clamped.
    pub fn move_by(&mut self, length: f64) {
        let Self { is_wall, u, c, .. } = self;
        parallel::for_each((c.as_slice(), is_wall.as_slice(), u.as_mut_slice()), |(c, is_wall, u)| {
            for ((c, is_wall), u) in c.iter().zip(is_wall).zip(u) {
                let moved = *u + length * c;
                *u = if *is_wall { moved.max(0.0) } else { moved };
            }
        });
    }
}

/// Zero is the bound of wall rows.
fn clamp(is_wall: &[bool]) -> impl Fn(usize, f64) -> f64 + Sync + '_ {
    |row, value| if is_wall[row] { value.max(0.0) } else { value }
}
