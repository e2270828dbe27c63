//! The nonlinear methods of the catalogue: what may follow each in a name, its parameters, how it is built.

use std::fmt;

use super::{ParseNameError, PreconditionerName, SolverName};
use crate::parameter::{Parameter, Parameters};
use crate::solvers::MlcpSolver;
use crate::solvers::best::{Best, BestParams};
use crate::solvers::fas::{Fas, FasParams, Fmg, FmgParams, PublishedFas, PublishedFasParams, Reading};
use crate::solvers::fischer::{Fischer, FischerParams};
use crate::solvers::mprgp::{Mprgp, MprgpParams};
use crate::solvers::newton::{Newton, NewtonParams};
use crate::solvers::penalty::{Penalty, PenaltyParams};
use crate::solvers::policy::{Policy, PolicyParams};
use crate::solvers::psor::{Psor, PsorParams};
use crate::solvers::sticking::Sticking;
use crate::stop::Stop;

named! {
    /// A nonlinear method.
    #[non_exhaustive]
    Method, "solver" {
        /// The project's own: nested policy iteration with multigrid.
        Best = "best",
        /// Policy iteration.
        Policy = "policy",
        /// Minimum-map Newton.
        Newton = "newton",
        /// Fischer–Burmeister Newton.
        Fischer = "fischer",
        /// Penalty iteration.
        Penalty = "penalty",
        /// Modified proportioning with reduced gradient projections.
        Mprgp = "mprgp",
        /// Projected successive over-relaxation.
        Psor = "psor",
        /// Full-approximation-scheme multigrid, corrected.
        Fas = "fas",
        /// Full-approximation-scheme multigrid as published; may stall.
        FasLiteral = "fas-literal",
        /// As published, with both arguments of the minimum in one unit; may stall.
        FasScaled = "fas-scaled",
        /// Full multigrid cycles.
        Fmg = "fmg",
        /// Equations on every row.
        Sticking = "sticking",
    }
}

/// What may follow a method in a name, with what stands there by default.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    /// Nothing: `best`.
    Nothing,
    /// A preconditioner: `mprgp/jacobi`.
    Preconditioner(PreconditionerName),
    /// A linear solver with its preconditioner: `policy+cg/mic0`.
    Linear(PreconditionerName),
    /// A variant of multigrid, which the method is itself: `fas/multigrid-linear`.
    MultigridVariant,
}

/// What the catalogue knows of a method.
pub(super) struct MethodEntry {
    pub tail: Tail,
    pub parameters: Vec<Parameter>,
    pub build: fn(SolverName, Stop) -> Box<dyn MlcpSolver>,
}

impl MethodEntry {
    fn new<P: Parameters>(tail: Tail, build: fn(SolverName, Stop) -> Box<dyn MlcpSolver>) -> Self {
        Self { tail, parameters: P::list(), build }
    }
}

impl Method {
    /// The one place where a method enters the catalogue.
    pub(super) fn entry(self) -> MethodEntry {
        use PreconditionerName::{Jacobi, Mic0};
        match self {
            Self::Best => MethodEntry::new::<BestParams>(Tail::Nothing, |name, stop| {
                let algebraic = SolverName::policy_with(PreconditionerName::Multigrid).inner();
                let rescue = SolverName::policy_with(PreconditionerName::Mic0).inner();
                Box::new(Best::new(name.params(), stop, algebraic, rescue))
            }),
            Self::Policy => MethodEntry::new::<PolicyParams>(Tail::Linear(Mic0), |name, stop| {
                Box::new(Policy { params: name.params(), stop, inner: name.inner() })
            }),
            Self::Newton => MethodEntry::new::<NewtonParams>(Tail::Linear(Mic0), |name, stop| {
                Box::new(Newton { params: name.params(), stop, inner: name.inner() })
            }),
            Self::Fischer => MethodEntry::new::<FischerParams>(Tail::Linear(Mic0), |name, stop| {
                Box::new(Fischer { params: name.params(), stop, inner: name.inner() })
            }),
            Self::Penalty => MethodEntry::new::<PenaltyParams>(Tail::Linear(Mic0), |name, stop| {
                Box::new(Penalty { params: name.params(), stop, inner: name.inner() })
            }),
            Self::Mprgp => MethodEntry::new::<MprgpParams>(Tail::Preconditioner(Jacobi), |name, stop| {
                Box::new(Mprgp { params: name.params(), stop, inner: name.inner() })
            }),
            Self::Psor => MethodEntry::new::<PsorParams>(Tail::Nothing, |name, stop| {
                Box::new(Psor { params: name.params(), stop })
            }),
            Self::Fas => MethodEntry::new::<FasParams>(Tail::MultigridVariant, |name, stop| {
                Box::new(Fas { params: name.params(), variant: name.multigrid, stop })
            }),
            Self::FasLiteral => MethodEntry::new::<PublishedFasParams>(Tail::MultigridVariant, |name, stop| {
                let (params, variant) = (name.params(), name.multigrid);
                Box::new(PublishedFas { reading: Reading::Literal, params, variant, stop })
            }),
            Self::FasScaled => MethodEntry::new::<PublishedFasParams>(Tail::MultigridVariant, |name, stop| {
                let (params, variant) = (name.params(), name.multigrid);
                Box::new(PublishedFas { reading: Reading::Scaled, params, variant, stop })
            }),
            Self::Fmg => MethodEntry::new::<FmgParams>(Tail::MultigridVariant, |name, stop| {
                Box::new(Fmg { params: name.params(), variant: name.multigrid, stop })
            }),
            Self::Sticking => MethodEntry::new::<()>(Tail::Linear(Mic0), |name, stop| {
                Box::new(Sticking { stop, inner: name.inner() })
            }),
        }
    }

    /// Its parameters, which follow it in a name: `best:forcing=0.05`.
    pub fn parameters(self) -> Vec<Parameter> {
        self.entry().parameters
    }

    /// Whether it may stall on problems that others solve.
    pub(super) fn may_stall(self) -> bool {
        matches!(self, Self::FasLiteral | Self::FasScaled)
    }
}

impl SolverName {
    /// Puts the solver together. Solves end as `stop` says.
    pub fn build(self, stop: &Stop) -> Box<dyn MlcpSolver> {
        (self.method.entry().build)(self, *stop)
    }

    /// What `best` falls back on.
    fn policy_with(preconditioner: PreconditionerName) -> Self {
        Self { preconditioner, ..Self::default_of(Method::Policy) }
    }
}
