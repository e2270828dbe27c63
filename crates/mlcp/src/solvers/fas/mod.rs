//! Multigrid for the complementarity problem itself: the full approximation scheme (`fas`) and full
//! multigrid cycles (`fmg`).
//!
//! \[Lai2021, alg. 6\] smooths N(q) = min(q, A q + b) = f with projected Gauss–Seidel and corrects q on
//! coarser levels, where the same nonlinear problem is posed again. Taken at its word
//! ([`Reading::Literal`]) it depends on units, since min(q, r) compares a pressure with an outflow;
//! [`Reading::Scaled`] compares A_ii q with r. Both can stall: a coarse level that sees a wall where
//! the fine one has let go corrects in the wrong direction, by more than the smoother can mend.
//!
//! [`Reading::Corrected`] removes the cause:
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

mod corrected;
mod fmg;
mod ground;
mod obstacle;
mod published;

pub use fmg::{Fmg, FmgParams};

use super::MlcpSolver;
use crate::error::SolveError;
use crate::multigrid::MultigridParams;
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Trace, run};
use crate::stop::Stop;

/// How \[Lai2021, alg. 6\] is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// With coarse levels that know which rows have let go. Converges.
    #[default]
    Corrected,
    /// Word by word, min(q, r). May stall.
    Literal,
    /// With A_ii q against r. May stall.
    Scaled,
}

/// What a user may turn.
#[derive(Clone, Copy, Debug)]
pub struct FasParams {
    /// Which scheme. Default corrected.
    pub reading: Reading,
    /// Transfers and sweeps. Default barycentric, one-sided, 2 sweeps before and after.
    pub multigrid: MultigridParams,
    /// Corrected scheme: cycles with bounds on every level before rows are cut out. Default 2.
    pub monotone_cycles: usize,
    /// Corrected scheme: sweeps on wall rows and their neighbours after each cycle. Default 2.
    pub wall_sweeps: usize,
    /// When to stop. Default limit: 1000 V-cycles.
    pub stop: Stop,
}

impl Default for FasParams {
    fn default() -> Self {
        Self {
            reading: Reading::Corrected,
            multigrid: MultigridParams::default(),
            monotone_cycles: 2,
            wall_sweeps: 2,
            stop: Stop::default(),
        }
    }
}

/// The method.
#[derive(Clone, Debug)]
pub struct Fas {
    name: String,
    /// What a user may turn.
    pub params: FasParams,
}

impl Fas {
    /// The method under the name that its reports carry.
    pub fn new(name: String, params: FasParams) -> Self {
        Self { name, params }
    }
}

impl MlcpSolver for Fas {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let params = &self.params;
        run(self.name(), problem, q, &params.stop, 1000, |task, q, trace: &mut Trace| match params.reading {
            Reading::Corrected => corrected::iterate(params, task, q, trace),
            Reading::Literal | Reading::Scaled => published::iterate(params, task, q, trace),
        })
    }
}

/// Sees when a scheme that promises nothing makes no more progress.
struct Progress {
    best: f64,
    cycles_since: usize,
}

impl Progress {
    fn new() -> Self {
        Self { best: f64::INFINITY, cycles_since: 0 }
    }

    /// Records a residual; true if it is `setback` times the best one or `patience` cycles have not
    /// bettered that.
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
