//! Policy iteration (`policy`), also known as the primal–dual active set method.
//!
//! Decides for every wall row which of its two conditions holds, solves the linear system that
//! remains, and decides again [Lai2021, alg. 2]:
//!
//! ```text
//!     λ_i = 1 (equation) if r_i < A_ii (q_i − ℓ_i), else 0 (q_i = ℓ_i)      eq. (5.7)
//!     (Λ A Λ + I − Λ) q = −Λ b                                              eq. (5.8)
//! ```
//!
//! The comparison is scaled by A_ii so that it does not depend on units. On M-matrices the iterates
//! are monotone and the method ends after finitely many policies. On other positive definite matrices rows
//! change one at a time as soon as there is no progress. Each linear system is for the correction to q, and is
//! solved only to a part of the current residual.
//!
//! [`iterate`] holds the loop. The machine that holds the iterate implements [`PolicySteps`]: here for the rows of
//! any matrix, in `unstick-gpu` for a GPU.

use unstick_parallel::{self as parallel, vector};

use super::active_set::{ActiveSetUpdate, pin_one_row};
use super::{Composed, ComposedMethod, Inner};
use crate::error::SolveError;
use crate::linear::{LinearOutcome, LinearReport, Subsystem};
use crate::parameter::parameters;
use crate::problem::Mlcp;
use crate::run::{Solvable, Trace};

parameters! {
    /// Parameters of [`Policy`].
    pub struct PolicyParams {
        /// Each linear system is solved to this part of its right-hand side. Tighter spends iterations on policies
        /// that will be dropped; looser takes more policies.
        forcing: f64 = 3e-2, 1e-14..=0.9;
        /// Policies without progress before rows change one at a time.
        patience: usize = 10, 0..=1000000;
        /// Whether the first policy is that of the starting iterate, which pins the rows that stand on their bound. So
        /// \[Lai2021, sec. 5.1\] begins with the control of the step before.
        keep: bool = false;
    }
}

/// The method.
pub type Policy = Composed<PolicyParams>;

impl ComposedMethod for PolicyParams {
    const NAMES: [&str; 2] = ["policy", "+"];
    const MAX_CYCLES: usize = 1000;

    fn iterate(own: &mut Policy, task: Solvable, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
        on_rows(&own.params, &mut own.inner, task, q, trace)
    }
}

/// The method on the rows of any matrix.
pub(super) fn on_rows(
    params: &PolicyParams,
    inner: &mut Inner,
    solvable: Solvable,
    q: &mut [f64],
    trace: &mut Trace,
) -> Result<(), SolveError> {
    iterate(params, &mut PolicyOnRows::new(params, inner, &solvable, q), trace).map(drop)
}

/// The steps of the method, on the machine that holds the iterate.
#[doc(hidden)]
pub trait PolicySteps {
    /// The natural residual of the iterate.
    fn natural_residual(&mut self) -> Result<f64, SolveError>;

    /// Decides which rows are pinned and moves them to their bound. Returns how many have changed; none if only
    /// single rows should change and the machine cannot do that.
    fn choose(&mut self, trace: &mut Trace) -> Result<Option<usize>, SolveError>;

    /// Whether single rows change, which relies on exact linear solves.
    fn is_cautious(&self) -> bool;

    /// Corrects the free rows, to `forcing` of their residual and no further than `least`; books the
    /// iterations.
    fn correct(&mut self, forcing: f64, least: f64, trace: &mut Trace) -> Result<LinearReport, SolveError>;
}

/// Iterates until the solve has ended; false if the machine can do no more for it.
#[doc(hidden)]
pub fn iterate(params: &PolicyParams, steps: &mut impl PolicySteps, trace: &mut Trace) -> Result<bool, SolveError> {
    while trace.goes_on(steps.natural_residual()?)? {
        let Some(changed) = steps.choose(trace)? else { return Ok(false) };
        let forcing = if steps.is_cautious() { 1e-10 } else { params.forcing };
        let report = steps.correct(forcing, 0.3 * trace.target(), trace)?;
        let has_failed = report.outcome != LinearOutcome::Converged && report.residual >= 0.5 * trace.residual();
        if changed == 0 && (has_failed || report.iterations == 0) {
            trace.stall("the policy is settled and the linear solver cannot reduce the residual any further");
        }
    }
    Ok(true)
}

/// The rows of any matrix.
struct PolicyOnRows<'t> {
    problem: &'t Mlcp<'t>,
    loose: &'t [Vec<u32>],
    inner: &'t mut Inner,
    update: ActiveSetUpdate,
    q: &'t mut [f64],
    /// A q + b.
    r: Vec<f64>,
    rhs: Vec<f64>,
    correction: Vec<f64>,
    wanted: Vec<bool>,
    free: Vec<bool>,
    is_first: bool,
    /// Whether the first policy is that of the starting iterate.
    keeps_first: bool,
}

impl<'t> PolicyOnRows<'t> {
    fn new(params: &PolicyParams, inner: &'t mut Inner, solvable: &Solvable<'t, 't>, q: &'t mut [f64]) -> Self {
        let (problem, size) = (solvable.problem, q.len());
        let (mut r, rhs, correction) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        inner.forget();
        problem.residual(q, &mut r);
        let (wanted, free) = (vec![true; size], vec![true; size]);
        let (update, keeps_first) = (ActiveSetUpdate::new(params.patience), params.keep);
        let (loose, is_first) = (solvable.loose, true);
        Self { problem, loose, inner, update, q, r, rhs, correction, wanted, free, is_first, keeps_first }
    }
}

impl PolicySteps for PolicyOnRows<'_> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.problem.natural_residual(self.q, &self.r))
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<Option<usize>, SolveError> {
        let problem = self.problem;
        match self.is_first && self.keeps_first {
            true => keep_policy(problem, self.q, &mut self.wanted),
            false => improve_policy(problem, self.q, &self.r, &mut self.wanted),
        }
        pin_one_row(problem, self.loose, self.q, &self.r, &mut self.wanted);
        let changed = self.update.apply(&self.wanted, &mut self.free);
        if pin(problem, &self.free, self.q) {
            problem.residual(self.q, &mut self.r);
        }
        if changed > 0 || self.is_first {
            self.inner.rebuild(&Subsystem::whole(problem.operator()).with_free(&self.free), trace)?;
            self.is_first = false;
        }
        Ok(Some(changed))
    }

    fn is_cautious(&self) -> bool {
        self.update.is_cautious()
    }

    fn correct(&mut self, forcing: f64, least: f64, trace: &mut Trace) -> Result<LinearReport, SolveError> {
        let system = Subsystem::whole(self.problem.operator()).with_free(&self.free);
        masked_negation(&self.free, &self.r, &mut self.rhs);
        let target = (forcing * vector::norm_max(&self.rhs)).max(least);
        let report = self.inner.solve(&system, &mut self.rhs, &mut self.correction, target, trace);
        vector::add_scaled(1.0, &self.correction, self.q);
        self.problem.residual(self.q, &mut self.r);
        Ok(report)
    }
}

/// Frees every wall row whose equation is the binding one.
fn improve_policy(problem: &Mlcp, q: &[f64], r: &[f64], wanted: &mut [bool]) {
    parallel::for_each((0..q.len(), wanted), |(rows, wanted)| {
        rows.zip(wanted).for_each(|(row, wanted)| *wanted = !problem.is_active(row, q, r));
    });
}

/// Frees every wall row that does not stand on its bound.
pub(super) fn keep_policy(problem: &Mlcp, q: &[f64], wanted: &mut [bool]) {
    parallel::for_each((q, problem.lower(), wanted), |(q, lower, wanted)| {
        q.iter().zip(lower).zip(wanted).for_each(|((q, lower), wanted)| *wanted = q != lower);
    });
}

/// Moves pinned rows onto their bound; true if any was elsewhere.
pub(super) fn pin(problem: &Mlcp, free: &[bool], q: &mut [f64]) -> bool {
    let moved = parallel::max((free, problem.lower(), q), |(free, lower, q)| {
        let mut moved = 0.0;
        for ((free, lower), q) in free.iter().zip(lower).zip(q) {
            if !free && *q != *lower {
                *q = *lower;
                moved = 1.0;
            }
        }
        moved
    });
    moved > 0.0
}

/// rhs ← −r on free rows, 0 on pinned ones.
pub(super) fn masked_negation(free: &[bool], r: &[f64], rhs: &mut [f64]) {
    parallel::for_each((free, r, rhs), |(free, r, rhs)| {
        free.iter().zip(r).zip(rhs).for_each(|((free, r), rhs)| *rhs = if *free { -r } else { 0.0 });
    });
}

#[cfg(test)]
mod tests {
    use crate::{CsrMatrix, Mlcp, SolverName, Stop};

    #[test]
    fn the_policy_of_a_start_is_kept_until_its_system_is_solved() {
        // The free answer is (−1, 1): the first row lets go, and the second is 3/2 then.
        let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (1, 1, 2.0), (0, 1, -1.0), (1, 0, -1.0)]).unwrap();
        let problem = Mlcp::new(matrix, &[3.0, -3.0]).unwrap().with_walls(&[true, true]).unwrap();
        let cycles = |name: &str, start: [f64; 2]| {
            let mut q = start;
            let report =
                name.parse::<SolverName>().unwrap().build(&Stop::relative(1e-9)).solve(&problem, &mut q).unwrap();
            assert!(report.converged() && q[0].abs() < 1e-8 && (q[1] - 1.5).abs() < 1e-8, "{name} {q:?}");
            report.cycles()
        };
        for method in ["policy", "penalty"] {
            let kept = format!("{method}:keep=true:forcing=1e-12+cg/none");
            assert_eq!(cycles(&kept, [0.0, 9.0]), 1, "the right policy is never left");
            assert_eq!(cycles(&kept, [9.0, 0.0]), 2, "the wrong one is tried first");
        }
    }
}
