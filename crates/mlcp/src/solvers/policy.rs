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
//! are monotone and the method ends after finitely many policies; on other positive definite
//! matrices the exchange of rows is damped as soon as it stops making progress. Linear systems are
//! solved only as far as the current residual warrants, in terms of the correction to q.

use super::active_set::{Exchange, anchor};
use super::{Inner, MlcpSolver};
use crate::error::SolveError;
use crate::linear::{LinearOutcome, Subsystem};
use crate::parallel;
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Task, Trace, run};
use crate::stop::Stop;
use crate::vector;

/// What a user may turn.
#[derive(Clone, Debug)]
pub struct PolicyParams {
    /// Each linear system is solved to this part of its right-hand side. Default 3e-2: tighter
    /// wastes iterations on policies that will be dropped, looser takes more policies.
    pub forcing: f64,
    /// Policies without progress before rows are exchanged one by one. Default 10.
    pub patience: usize,
    /// When to stop. Default limit: 1000 policies.
    pub stop: Stop,
}

impl Default for PolicyParams {
    fn default() -> Self {
        Self { forcing: 3e-2, patience: 10, stop: Stop::default() }
    }
}

/// The method.
pub struct Policy {
    /// What a user may turn.
    pub params: PolicyParams,
    /// The linear solver.
    pub inner: Inner,
}

impl MlcpSolver for Policy {
    fn name(&self) -> String {
        format!("policy+{}", self.inner.name())
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let (name, params, inner) = (self.name(), &self.params, &mut self.inner);
        run(name, problem, q, &params.stop, 1000, |task, q, trace: &mut Trace| iterate(params, inner, task, q, trace))
    }
}

pub(super) fn iterate(
    params: &PolicyParams,
    inner: &mut Inner,
    task: Task,
    q: &mut [f64],
    trace: &mut Trace,
) -> Result<(), SolveError> {
    let (problem, size) = (task.problem, q.len());
    let (mut r, mut rhs, mut correction) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
    let (mut wanted, mut free) = (vec![true; size], vec![true; size]);
    let mut exchange = Exchange::new(params.patience);
    let mut is_first = true;
    inner.forget();
    problem.residual(q, &mut r);
    while trace.goes_on(problem.natural_residual(q, &r))? {
        improve_policy(problem, q, &r, &mut wanted);
        anchor(problem, task.loose, q, &r, &mut wanted);
        let changed = exchange.apply(&wanted, &mut free);

        if pin(problem, &free, q) {
            problem.residual(q, &mut r);
        }
        let system = Subsystem::whole(problem.operator()).with_free(&free);
        if changed > 0 || is_first {
            inner.rebuild(&system, trace)?;
            is_first = false;
        }
        masked_negation(&free, &r, &mut rhs);
        let forcing = if exchange.is_cautious() { 1e-10 } else { params.forcing };
        let target = (forcing * vector::norm_max(&rhs)).max(0.3 * trace.target());
        let report = inner.solve(&system, &mut rhs, &mut correction, target, trace);
        vector::add_scaled(1.0, &correction, q);
        problem.residual(q, &mut r);
        let has_failed = report.outcome != LinearOutcome::Converged && report.residual >= 0.5 * trace.residual();
        if changed == 0 && (has_failed || report.iterations == 0) {
            trace.stall("the policy is settled and the linear solver cannot reduce the residual any further");
        }
    }
    Ok(())
}

/// Frees every wall row whose equation is the binding one.
fn improve_policy(problem: &Mlcp, q: &[f64], r: &[f64], wanted: &mut [bool]) {
    parallel::for_each((0..q.len(), wanted), |(rows, wanted)| {
        rows.zip(wanted).for_each(|(row, wanted)| *wanted = !problem.is_active(row, q, r));
    });
}

/// Moves pinned rows onto their bound; true if any was elsewhere.
fn pin(problem: &Mlcp, free: &[bool], q: &mut [f64]) -> bool {
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
