//! Minimum-map Newton (`newton`) of \[Andersen2017a\] and \[Andersen2017b\].
//!
//! Finds a root of H_i = min(q_i − ℓ_i, r_i) on wall rows, H_i = r_i elsewhere. With
//! 𝒜 = {r_i < q_i − ℓ_i} and all equation rows, ℱ the rest (the index files of the papers, their
//! slip in eq. (47) mended: rows away from walls always belong to 𝒜), the Newton equation reduces to
//!
//! ```text
//!     Δq_ℱ = −H_ℱ,      A_𝒜𝒜 Δq_𝒜 = A_𝒜ℱ H_ℱ − H_𝒜                     eq. (29)
//! ```
//!
//! which is solved through masks, to the inexactness ξ of eq. (22), and followed by a projected
//! Armijo search on θ = ½ HᵀH (alg. 1). All four published termination tests are here. The natural
//! residual has the last word: a test that fires before it is met makes the outcome `Stalled`,
//! unless a few PSOR sweeps (the papers' own starting iterate) get the method going again.

use super::policy::masked_negation;
use super::psor::Sweeps;
use super::{Inner, LineSearch, MlcpSolver};
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::problem::{Mlcp, minimum_map};
use crate::report::SolveReport;
use crate::run::{Task, Trace, run};
use crate::solvers::active_set::anchor;
use crate::stop::{Stop, Tolerance};
use crate::{parallel, vector};

/// What a user may turn.
#[derive(Clone, Debug)]
pub struct NewtonParams {
    /// ξ: the Newton equation is solved to this part of ‖H‖∞, eq. (22). Default 1e-2.
    pub inexactness: f64,
    /// Tightens ξ in proportion to the residual already gained, which makes the tail quadratic.
    /// Default true; the papers keep ξ fixed.
    pub tightening: bool,
    /// The projected Armijo search of alg. 1.
    pub line_search: LineSearch,
    /// Absolute test θ < ε, eq. (32). Default 0: off, the natural residual decides.
    pub absolute: f64,
    /// Relative test |θ′ − θ| < ε θ, eq. (33). Default 1e-6: the merit does not move any more.
    pub relative: f64,
    /// Stagnation test ‖q′ − q‖∞ < ε, eq. (34). Default 0: off.
    pub stagnation: f64,
    /// PSOR sweeps that follow a failed search or a test that fired too early. Default 10; 0 leaves
    /// the published method.
    pub rescue_sweeps: usize,
    /// When to stop; the fourth test is its limit. Default limit: 200 steps.
    pub stop: Stop,
}

impl Default for NewtonParams {
    fn default() -> Self {
        Self {
            inexactness: 1e-2,
            tightening: true,
            line_search: LineSearch::default(),
            absolute: 0.0,
            relative: 1e-6,
            stagnation: 0.0,
            rescue_sweeps: 10,
            stop: Stop::default(),
        }
    }
}

impl NewtonParams {
    /// The settings of [Andersen2017b, sec. 6]: 10 steps, all thresholds 1e-5, ξ = 0.01.
    pub fn published() -> Self {
        Self {
            tightening: false,
            absolute: 1e-5,
            relative: 1e-5,
            stagnation: 1e-5,
            rescue_sweeps: 0,
            stop: Stop { tolerance: Tolerance::Absolute(1e-5), max_cycles: Some(10) },
            ..Self::default()
        }
    }
}

/// The method.
pub struct Newton {
    /// What a user may turn.
    pub params: NewtonParams,
    /// The linear solver.
    pub inner: Inner,
}

impl MlcpSolver for Newton {
    fn name(&self) -> String {
        format!("newton+{}", self.inner.name())
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let (name, params, inner) = (self.name(), &self.params, &mut self.inner);
        run(name, problem, q, &params.stop, 200, |task, q, trace: &mut Trace| iterate(params, inner, task, q, trace))
    }
}

fn iterate(
    params: &NewtonParams,
    inner: &mut Inner,
    task: Task,
    q: &mut [f64],
    trace: &mut Trace,
) -> Result<(), SolveError> {
    let (problem, size) = (task.problem, q.len());
    let vector = || vec![0.0; size];
    let (mut r, mut rhs, mut step_a, mut direction) = (vector(), vector(), vector(), vector());
    let (mut product, mut trial, mut trial_r) = (vector(), vector(), vector());
    let (mut free, mut free_before) = (vec![true; size], vec![false; size]);
    let mut first = f64::NAN;
    inner.forget();
    problem.residual(q, &mut r);
    while trace.goes_on(problem.natural_residual(q, &r))? {
        if trace.cycles() == 0 {
            first = trace.residual();
        }
        // 𝒜 and ℱ; Δq on ℱ.
        choose_rows(problem, q, &r, &mut free);
        anchor(problem, task.loose, q, &r, &mut free);
        step_to_bound(problem, &free, q, &mut direction);

        // Δq on 𝒜: right-hand side a ⊗ A(f ⊗ H) − H, eq. (38), with f ⊗ H = −Δq_ℱ.
        let system = Subsystem::whole(problem.operator()).with_free(&free);
        problem.operator().apply(&direction, &mut product);
        vector::add_scaled(1.0, &r, &mut product);
        masked_negation(&free, &product, &mut rhs);
        if free != free_before {
            inner.rebuild(&system, trace)?;
            free_before.copy_from_slice(&free);
        }
        let gained = if params.tightening { trace.residual() / first } else { 1.0 };
        let forcing = params.inexactness.min(gained);
        let target = (forcing * trace.residual()).max(0.1 * trace.target());
        let _ = inner.solve(&system, &mut rhs, &mut step_a, target, trace); // inexact by design
        vector::add_scaled(1.0, &step_a, &mut direction);

        // θ and its slope Hᵀ BH(Δq), eq. (19), then the projected search.
        problem.operator().apply(&direction, &mut product);
        let merit = merit(problem, q, &r);
        let slope = slope(problem, &free, q, &r, &direction, &product);
        let step = params.line_search.search(merit, slope, |step| {
            project_step(problem, q, step, &direction, &mut trial);
            problem.residual(&trial, &mut trial_r);
            self::merit(problem, &trial, &trial_r)
        });

        let failed = match step {
            None => Some("no step along the Newton direction lowers the merit function"),
            Some(_) => {
                let merit_after = self::merit(problem, &trial, &trial_r);
                let moved = parallel::max((&*q, trial.as_slice()), |(q, trial)| {
                    q.iter().zip(trial).fold(0.0, |most: f64, (q, trial)| most.max((q - trial).abs()))
                });
                vector::copy(&trial, q);
                vector::copy(&trial_r, &mut r);
                fired_test(params, merit, merit_after, moved)
            }
        };
        if let Some(remark) = failed.filter(|_| problem.natural_residual(q, &r) > trace.target()) {
            if params.rescue_sweeps == 0 || problem.operator().csr().is_none() {
                trace.stall(remark);
            } else {
                let mut sweeps = Sweeps::new(problem, 1.0, None)?;
                (0..params.rescue_sweeps).for_each(|_| sweeps.sweep(q));
                trace.spend(params.rescue_sweeps);
                trace.remark("PSOR sweeps got a stuck Newton iteration going again");
                problem.residual(q, &mut r);
            }
        }
    }
    Ok(())
}

/// Eqs. (32)–(34); the limit on steps is the trace's.
fn fired_test(params: &NewtonParams, before: f64, after: f64, moved: f64) -> Option<&'static str> {
    if after < params.absolute {
        Some("the merit function is below its absolute threshold")
    } else if (after - before).abs() < params.relative * before {
        Some("the merit function changes less than its relative threshold")
    } else if moved < params.stagnation {
        Some("the iterate moves less than the stagnation threshold")
    } else {
        None
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
