//! Multigrid for the complementarity problem itself: the full approximation scheme (`fas`) and full
//! multigrid cycles (`fmg`).
//!
//! \[Lai2021, alg. 6\] smooths N(q) = min(q, A q + b) = f with projected Gauss–Seidel and corrects q on
//! coarser levels, where the same nonlinear problem is posed again. Read literally
//! ([`Reading::Literal`]) it depends on units, since min(q, r) compares a pressure with an outflow;
//! [`Reading::Scaled`] compares A_ii q with r. Both can stall: a coarse level that sees a wall where
//! the fine one has let go corrects in the wrong direction, by more than the smoother can mend.
//!
//! [`Fas`] removes the cause:
//!
//! ```text
//!     smooth     2 projected sweeps
//!     correct    cycles 1 and 2: coarse corrections e ≥ −min q over their support, all levels
//!                later: A_H = Pᵀ D A D P with D = 0 on rows held by their bound at the end of the last
//!                cycle, a linear V-cycle below, c = D P e clipped to q + c ≥ ℓ
//!     step       α = −cᵀr / cᵀAc, at most 2, and clamp
//!     smooth     2 projected sweeps backwards, 2 on wall rows and their neighbours
//! ```
//!
//! The first cycles find most of the active set without ever overshooting, the later ones converge as
//! fast as multigrid does on the linear problem that is left.

mod bounded;
mod corrected;
mod finest;
mod fmg;
mod published;

pub use fmg::{Fmg, FmgParams};

use super::MlcpSolver;
use crate::error::SolveError;
use crate::multigrid::MultigridVariant;
use crate::parameter::{Parameters, parameters};
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Trace, run};
use crate::stop::Stop;

parameters! {
    /// Parameters of [`Fas`].
    pub struct FasParams {
        /// Sweeps before each coarse correction, and as many after it.
        sweeps: usize = 2, 1..=1000;
        /// A level of this many unknowns or fewer is solved exactly. Automatic is 4^D on a grid and 64 elsewhere.
        coarsest: Option<usize> = None, 1..=1000000;
        /// Cycles with bounds on every level before held rows are left out.
        monotone_cycles: usize = 2, 0..=1000000;
        /// Sweeps on wall rows and their neighbours after each cycle.
        wall_sweeps: usize = 2, 0..=1000;
    }
}

/// The corrected scheme.
#[derive(Clone, Debug, Default)]
pub struct Fas {
    /// Its parameters.
    pub params: FasParams,
    /// Transfers and coarse matrices, on a grid. Default: barycentric, one-sided, Galerkin.
    pub variant: Option<MultigridVariant>,
    /// When to stop. Default limit: 1000 V-cycles.
    pub stop: Stop,
}

impl MlcpSolver for Fas {
    fn name(&self) -> String {
        format!("fas{}{}", self.params.suffix(), suffix_of(self.variant))
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let Self { params, variant, stop } = &*self;
        run(self.name(), problem, q, stop, 1000, |solvable, q, trace: &mut Trace| {
            corrected::iterate(params, *variant, solvable, q, trace)
        })
    }
}

/// How \[Lai2021, alg. 6\] is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Word by word, min(q, r): `fas-literal`. May stall.
    Literal,
    /// With A_ii q instead of q: `fas-scaled`. May stall.
    Scaled,
}

parameters! {
    /// Parameters of [`PublishedFas`].
    pub struct PublishedFasParams {
        /// Sweeps before each coarse correction, and as many after it.
        sweeps: usize = 2, 1..=1000;
        /// A level of this many unknowns or fewer is solved exactly. Automatic is 4^D on a grid and 64 elsewhere.
        coarsest: Option<usize> = None, 1..=1000000;
    }
}

/// The published scheme.
#[derive(Clone, Debug)]
pub struct PublishedFas {
    /// How it is read.
    pub reading: Reading,
    /// Its parameters.
    pub params: PublishedFasParams,
    /// Transfers and coarse matrices, on a grid. Default: barycentric, one-sided, Galerkin.
    pub variant: Option<MultigridVariant>,
    /// When to stop. Default limit: 1000 V-cycles.
    pub stop: Stop,
}

impl MlcpSolver for PublishedFas {
    fn name(&self) -> String {
        let reading = match self.reading {
            Reading::Literal => "literal",
            Reading::Scaled => "scaled",
        };
        format!("fas-{reading}{}{}", self.params.suffix(), suffix_of(self.variant))
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let Self { reading, params, variant, stop } = &*self;
        run(self.name(), problem, q, stop, 1000, |solvable, q, trace: &mut Trace| {
            published::iterate(*reading, params, *variant, solvable, q, trace)
        })
    }
}

/// What follows the name of a method that is multigrid itself.
fn suffix_of(variant: Option<MultigridVariant>) -> String {
    variant.map(|variant| format!("/multigrid{variant}")).unwrap_or_default()
}

/// Detects when a scheme without a guarantee makes no more progress.
struct StallDetector {
    best: f64,
    cycles_since: usize,
}

impl StallDetector {
    fn new() -> Self {
        Self { best: f64::INFINITY, cycles_since: 0 }
    }

    /// Records a residual; true if it is `setback` times the best one, or if `patience` cycles have not
    /// improved on the best one.
    fn has_failed(&mut self, residual: f64, patience: usize, setback: f64) -> bool {
        self.cycles_since += 1;
        if residual < 0.99 * self.best {
            (self.best, self.cycles_since) = (residual, 0);
        }
        self.cycles_since >= patience || residual > setback * self.best
    }
}

#[cfg(test)]
mod tests;
