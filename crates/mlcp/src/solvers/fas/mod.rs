//! Multigrid for the complementarity problem itself: the full approximation scheme (`fas`) and full
//! multigrid cycles (`fmg`).
//!
//! \[Lai2021, alg. 6\] smooths N(q) = min(q, A q + b) = f with projected Gauss–Seidel and corrects q on
//! coarser levels, where the same nonlinear problem is posed again. Read literally
//! ([`Scheme::Literal`]) it depends on units, since min(q, r) compares a pressure with an outflow: in those of the thesis
//! it is min(t q, r) with t = ρh²/Δt. [`Scheme::Scaled`] compares A_ii q with r. Both can stall: a coarse level that sees a wall where
//! the fine one has let go corrects in the wrong direction, by more than the smoother can mend.
//!
//! [`Scheme::Corrected`] removes the cause:
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

pub use fmg::FmgParams;

use self::finest::FinestLevel;
use super::MlcpSolver;
use crate::error::SolveError;
use crate::multigrid::MultigridVariant;
use crate::parameter::{Parameters, parameters};
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Trace, run};
use crate::stop::Stop;

parameters! {
    /// Parameters of [`Scheme::Corrected`].
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

parameters! {
    /// Parameters of the published scheme, however it is read.
    pub struct PublishedFasParams {
        /// Sweeps before each coarse correction, and as many after it.
        sweeps: usize = 2, 1..=1000;
        /// A level of this many unknowns or fewer is solved exactly. Automatic is 4^D on a grid and 64 elsewhere.
        coarsest: Option<usize> = None, 1..=1000000;
        /// t: the wall's condition is min(t q, r) = 0. In the units of \[Lai2021\] it is ρh²/Δt.
        weight: f64 = 1.0, 1e-12..=1e12;
    }
}

/// A scheme with its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Scheme {
    /// The corrected scheme: `fas`.
    Corrected(FasParams),
    /// \[Lai2021, alg. 6\] word by word, min(t q, r): `fas-literal`. May stall.
    Literal(PublishedFasParams),
    /// The same with t A_ii q instead of t q: `fas-scaled`. May stall.
    Scaled(PublishedFasParams),
    /// Full multigrid cycles: `fmg`.
    FullCycles(FmgParams),
}

/// Multigrid for the complementarity problem itself.
#[derive(Clone, Debug)]
pub struct Fas {
    /// What a cycle does.
    pub scheme: Scheme,
    /// Transfers and coarse matrices, on a grid. Default: barycentric, one-sided, Galerkin; those of full cycles are as
    /// published, linear across walls, discretised on every level.
    pub variant: Option<MultigridVariant>,
    /// When to stop. Default limit: 1000 cycles.
    pub stop: Stop,
}

impl MlcpSolver for Fas {
    fn name(&self) -> String {
        let name = match &self.scheme {
            Scheme::Corrected(params) => format!("fas{}", params.suffix()),
            Scheme::Literal(params) => format!("fas-literal{}", params.suffix()),
            Scheme::Scaled(params) => format!("fas-scaled{}", params.suffix()),
            Scheme::FullCycles(params) => format!("fmg{}", params.suffix()),
        };
        self.variant.map_or(name.clone(), |variant| format!("{name}/multigrid{variant}"))
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let Self { scheme, mut variant, stop } = *self;
        let coarsest = match scheme {
            Scheme::Corrected(params) => params.coarsest,
            Scheme::Literal(params) | Scheme::Scaled(params) => params.coarsest,
            Scheme::FullCycles(params) => {
                variant = variant.or(problem.operator().lattice().map(|_| fmg::PUBLISHED));
                params.coarsest
            }
        };
        run(self.name(), problem, q, &stop, 1000, |task, q, trace: &mut Trace| {
            let mut finest = trace.set_up(|| FinestLevel::new(task.problem, variant, coarsest, q))?;
            match scheme {
                Scheme::Corrected(params) => corrected::iterate(&params, &task, &mut finest, trace)?,
                Scheme::Literal(params) => published::iterate(false, &params, &task, &mut finest, trace)?,
                Scheme::Scaled(params) => published::iterate(true, &params, &task, &mut finest, trace)?,
                Scheme::FullCycles(params) => fmg::iterate(&params, &task, &mut finest, trace)?,
            }
            finest.answer(task.problem, q);
            Ok(())
        })
    }
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
