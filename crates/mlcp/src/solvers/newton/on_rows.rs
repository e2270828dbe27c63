//! Newton's method on the rows of any matrix.

use unstick_parallel::{self as parallel, vector};

use super::super::Inner;
use super::super::active_set::pin_one_row;
use super::super::policy::masked_negation;
use super::super::psor::Sweeps;
use super::NewtonSteps;
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::problem::{Mlcp, minimum_map};
use crate::run::{Solvable, Trace};

pub(super) struct NewtonOnRows<'t> {
    problem: &'t Mlcp<'t>,
    loose: &'t [Vec<u32>],
    inner: &'t mut Inner,
    q: &'t mut [f64],
    /// A q + b.
    r: Vec<f64>,
    rhs: Vec<f64>,
    step_a: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    trial: Vec<f64>,
    trial_r: Vec<f64>,
    free: Vec<bool>,
    free_before: Vec<bool>,
}

impl<'t> NewtonOnRows<'t> {
    pub fn new(inner: &'t mut Inner, solvable: &Solvable<'t, 't>, q: &'t mut [f64]) -> Self {
        let (problem, size) = (solvable.problem, q.len());
        let vector = || vec![0.0; size];
        let mut r = vector();
        inner.forget();
        problem.residual(q, &mut r);
        Self {
            problem,
            loose: solvable.loose,
            inner,
            q,
            r,
            rhs: vector(),
            step_a: vector(),
            direction: vector(),
            product: vector(),
            trial: vector(),
            trial_r: vector(),
            free: vec![true; size],
            free_before: vec![false; size],
        }
    }
}

impl NewtonSteps for NewtonOnRows<'_> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.problem.natural_residual(self.q, &self.r))
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        let problem = self.problem;
        choose_rows(problem, self.q, &self.r, &mut self.free);
        pin_one_row(problem, self.loose, self.q, &self.r, &mut self.free);
        step_to_bound(problem, &self.free, self.q, &mut self.direction);

        // a ⊗ A(f ⊗ H) − H, eq. (38), with f ⊗ H = −Δq_ℱ.
        problem.operator().apply(&self.direction, &mut self.product);
        vector::add_scaled(1.0, &self.r, &mut self.product);
        masked_negation(&self.free, &self.product, &mut self.rhs);
        if self.free != self.free_before {
            self.inner.rebuild(&Subsystem::whole(problem.operator()).with_free(&self.free), trace)?;
            self.free_before.copy_from_slice(&self.free);
        }
        Ok(())
    }

    fn solve(&mut self, target: f64, trace: &mut Trace) -> Result<(), SolveError> {
        let system = Subsystem::whole(self.problem.operator()).with_free(&self.free);
        let _ = self.inner.solve(&system, &mut self.rhs, &mut self.step_a, target, trace); // inexact by design
        vector::add_scaled(1.0, &self.step_a, &mut self.direction);
        Ok(())
    }

    fn merit_and_slope(&mut self) -> Result<(f64, f64), SolveError> {
        self.problem.operator().apply(&self.direction, &mut self.product);
        let merit = merit(self.problem, self.q, &self.r);
        Ok((merit, slope(self.problem, &self.free, self.q, &self.r, &self.direction, &self.product)))
    }

    fn try_step(&mut self, step: f64) -> Result<f64, SolveError> {
        project_step(self.problem, self.q, step, &self.direction, &mut self.trial);
        self.problem.residual(&self.trial, &mut self.trial_r);
        Ok(merit(self.problem, &self.trial, &self.trial_r))
    }

    fn accept(&mut self) -> Result<f64, SolveError> {
        let moved = parallel::max((&*self.q, self.trial.as_slice()), |(q, trial)| {
            q.iter().zip(trial).fold(0.0, |most: f64, (q, trial)| most.max((q - trial).abs()))
        });
        vector::copy(&self.trial, self.q);
        vector::copy(&self.trial_r, &mut self.r);
        Ok(moved)
    }

    fn sweep(&mut self, sweeps: usize) -> Result<bool, SolveError> {
        if self.problem.operator().csr().is_none() {
            return Ok(false);
        }
        Sweeps::gauss_seidel(self.problem, sweeps, self.q)?;
        self.problem.residual(self.q, &mut self.r);
        Ok(true)
    }
}

/// 𝒜, eq. (26): here the *free* rows, whose equation is solved.
fn choose_rows(problem: &Mlcp, q: &[f64], r: &[f64], free: &mut [bool]) {
    parallel::for_each((q, r, problem.lower(), free), |(q, r, lower, free)| {
        for (((q, r), lower), free) in q.iter().zip(r).zip(lower).zip(free) {
            *free = *r < q - lower;
        }
    });
}

/// direction ← −H on ℱ, 0 on 𝒜.
fn step_to_bound(problem: &Mlcp, free: &[bool], q: &[f64], direction: &mut [f64]) {
    parallel::for_each((free, q, problem.lower(), direction), |(free, q, lower, direction)| {
        for (((free, q), lower), direction) in free.iter().zip(q).zip(lower).zip(direction) {
            *direction = if *free { 0.0 } else { lower - q };
        }
    });
}

/// θ = ½ HᵀH, eq. (15).
pub(crate) fn merit(problem: &Mlcp, q: &[f64], r: &[f64]) -> f64 {
    parallel::sum((q, r, problem.lower()), |(q, r, lower)| {
        q.iter().zip(r).zip(lower).map(|((q, r), lower)| 0.5 * minimum_map(q - lower, *r).powi(2)).sum()
    })
}

/// Hᵀ BH(Δq) with BH_𝒜 = (A Δq)_𝒜 and BH_ℱ = Δq_ℱ.
fn slope(problem: &Mlcp, free: &[bool], q: &[f64], r: &[f64], direction: &[f64], product: &[f64]) -> f64 {
    parallel::sum((0..q.len(), direction, product), |(rows, direction, product)| {
        let of_row = |((row, direction), product): ((usize, &f64), &f64)| {
            if free[row] { r[row] * product } else { (q[row] - problem.lower()[row]) * direction }
        };
        rows.zip(direction).zip(product).map(of_row).sum()
    })
}

/// trial ← max(q + τ Δq, ℓ).
pub(crate) fn project_step(problem: &Mlcp, q: &[f64], step: f64, direction: &[f64], trial: &mut [f64]) {
    parallel::for_each((q, direction, problem.lower(), trial), |(q, direction, lower, trial)| {
        for (((q, direction), lower), trial) in q.iter().zip(direction).zip(lower).zip(trial) {
            *trial = (q + step * direction).max(*lower);
        }
    });
}
