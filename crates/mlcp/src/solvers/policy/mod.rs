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

mod on_rows;

pub(super) use on_rows::masked_negation;

use self::on_rows::PolicyOnRows;
use super::{Composed, ComposedMethod, Inner};
use crate::error::SolveError;
use crate::linear::{LinearOutcome, LinearReport};
use crate::parameter::parameters;
use crate::run::{Solvable, Trace};

parameters! {
    /// Parameters of [`Policy`].
    pub struct PolicyParams {
        /// Each linear system is solved to this part of its right-hand side. Tighter spends iterations on policies
        /// that will be dropped; looser takes more policies.
        forcing: f64 = 3e-2, 1e-14..=0.9;
        /// Policies without progress before rows change one at a time.
        patience: usize = 10, 0..=1000000;
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
