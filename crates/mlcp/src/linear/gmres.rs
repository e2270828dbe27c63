//! Restarted generalised minimal residuals (`gmres`), preconditioned from the right.
//!
//! Preconditioning from the right keeps the true residual in sight. The basis of `restart` vectors
//! is its price; the recurrences know the residual's Euclidean norm only, so the maximum norm is
//! judged at the end of each round.

use unstick_parallel::{self as parallel, vector};

use super::{LinearOutcome, LinearReport, LinearSolver, LinearTask, fit, fit_all};
use crate::parameter::parameters;

parameters! {
    /// Parameters of [`Gmres`].
    pub struct GmresParams {
        /// Iterations of a round. The default is the usual compromise between memory and convergence.
        restart: usize = 30, 1..=10000;
    }
}

/// The method and its work vectors, kept from solve to solve.
#[derive(Debug, Default)]
pub struct Gmres {
    params: GmresParams,
    basis: Vec<Vec<f64>>,
    combination: Vec<f64>,
    preconditioned: Vec<f64>,
    small: LeastSquares,
}

/// The small least-squares problem of a round, kept triangular by Givens rotations.
#[derive(Debug, Default)]
struct LeastSquares {
    room: usize,
    hessenberg: Vec<f64>, // column by column, room + 1 entries each
    rotations: Vec<(f64, f64)>,
    rhs: Vec<f64>,
}

impl LeastSquares {
    /// Empties the problem; allocates only when `room` grows.
    fn reset(&mut self, norm: f64, room: usize) {
        self.room = room;
        parallel::refill(&mut self.hessenberg, room * (room + 1), 0.0);
        parallel::refill(&mut self.rhs, room + 1, 0.0);
        self.rotations.clear();
        self.rotations.reserve(room);
        self.rhs[0] = norm;
    }

    /// The column to be filled in next.
    fn column(&mut self, index: usize) -> &mut [f64] {
        let start = index * (self.room + 1);
        &mut self.hessenberg[start..start + index + 2]
    }

    /// Rotates a filled column into place; returns the norm of the residual.
    fn absorb(&mut self, index: usize) -> f64 {
        let start = index * (self.room + 1);
        let column = &mut self.hessenberg[start..start + index + 2];
        for (row, &(c, s)) in self.rotations.iter().enumerate() {
            let (upper, lower) = (column[row], column[row + 1]);
            column[row] = c * upper + s * lower;
            column[row + 1] = c * lower - s * upper;
        }
        let length = column[index].hypot(column[index + 1]);
        let (c, s) = if length > 0.0 { (column[index] / length, column[index + 1] / length) } else { (1.0, 0.0) };
        column[index] = length;
        self.rotations.push((c, s));
        let top = self.rhs[index];
        self.rhs[index] = c * top;
        self.rhs[index + 1] = -s * top;
        self.rhs[index + 1].abs()
    }

    /// Coefficients of the basis, by back substitution. Directions without weight get none.
    fn coefficients(&mut self) -> &[f64] {
        let count = self.rotations.len();
        for column in (0..count).rev() {
            let start = column * (self.room + 1);
            let pivot = self.hessenberg[start + column];
            self.rhs[column] = if pivot > 0.0 { self.rhs[column] / pivot } else { 0.0 };
            for row in 0..column {
                self.rhs[row] -= self.hessenberg[start + row] * self.rhs[column];
            }
        }
        &self.rhs[..count]
    }
}

impl LinearSolver for Gmres {
    fn solve(&mut self, mut task: LinearTask, r: &mut [f64], x: &mut [f64]) -> LinearReport {
        let size = r.len();
        self.basis.resize_with(self.params.restart + 1, Vec::new);
        self.basis.iter_mut().for_each(|vector| fit(vector, size));
        fit_all([&mut self.combination, &mut self.preconditioned], size);
        vector::clear(x);
        let mut residual = vector::norm_max(r);
        let mut iterations = 0;
        let done = |outcome, iterations, residual| LinearReport { outcome, iterations, residual };
        loop {
            if residual <= task.target {
                return done(LinearOutcome::Converged, iterations, residual);
            }
            if task.gives_up_after(iterations) {
                return done(LinearOutcome::IterationLimit, iterations, residual);
            }
            let before = vector::norm(r);
            let rounds_left = self.params.restart.min(task.max_iterations - iterations);
            let spent = self.round(&mut task, r, x, rounds_left, residual);
            iterations += spent;
            residual = vector::norm_max(r);
            let after = vector::norm(r);
            if spent == 0 || after >= before || after.is_nan() {
                return done(LinearOutcome::Breakdown, iterations, residual);
            }
        }
    }
}

impl Gmres {
    /// The method with the given parameters.
    pub fn new(params: GmresParams) -> Self {
        Self { params, ..Self::default() }
    }

    /// One round of at most `most` iterations, from a residual whose maximum norm is `largest`; returns how many it took.
    fn round(&mut self, task: &mut LinearTask, r: &mut [f64], x: &mut [f64], most: usize, largest: f64) -> usize {
        let norm = vector::norm(r);
        let reduction = task.target / largest;
        scale_into(1.0 / norm, r, &mut self.basis[0]);
        self.small.reset(norm, most);
        for step in 0..most {
            task.preconditioner.apply(&self.basis[step], &mut self.preconditioned);
            let (known, rest) = self.basis.split_at_mut(step + 1);
            let next = &mut rest[0];
            task.system.apply(&self.preconditioned, next);
            let start_norm = vector::norm(next);
            let column = self.small.column(step);
            // Two passes of modified Gram–Schmidt: the basis stays orthogonal to rounding.
            for _ in 0..2 {
                for (coefficient, known) in column.iter_mut().zip(known.iter()) {
                    let overlap = vector::dot(known, next);
                    vector::add_scaled(-overlap, known, next);
                    *coefficient += overlap;
                }
            }
            let length = vector::norm(next);
            let exhausted = length <= 1e-14 * start_norm;
            column[step + 1] = if exhausted { 0.0 } else { length };
            let estimate = self.small.absorb(step);
            task.show(estimate / norm * largest);
            if exhausted || task.max_iterations == 0 || estimate <= reduction * norm || !estimate.is_finite() {
                break;
            }
            let scale = 1.0 / length;
            parallel::for_each(next.as_mut_slice(), |next| next.iter_mut().for_each(|v| *v *= scale));
        }
        self.update(task, r, x);
        self.small.rotations.len()
    }

    /// x ← x + M⁻¹ V y and r ← r − S M⁻¹ V y.
    fn update(&mut self, task: &mut LinearTask, r: &mut [f64], x: &mut [f64]) {
        vector::clear(&mut self.combination);
        for (&coefficient, vector) in self.small.coefficients().iter().zip(&self.basis) {
            vector::add_scaled(coefficient, vector, &mut self.combination);
        }
        task.preconditioner.apply(&self.combination, &mut self.preconditioned);
        vector::add_scaled(1.0, &self.preconditioned, x);
        task.system.apply(&self.preconditioned, &mut self.combination);
        vector::add_scaled(-1.0, &self.combination, r);
    }
}

fn scale_into(scale: f64, from: &[f64], to: &mut [f64]) {
    parallel::for_each((from, to), |(from, to)| from.iter().zip(to).for_each(|(from, to)| *to = scale * from));
}
