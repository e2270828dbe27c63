//! The nonlinear methods of the catalogue: what may follow each in a name, its parameters, how it is built.

use std::fmt;

use super::{CatalogueEntry, ParseNameError, PreconditionerName, SolverName};
use crate::parameter::{Parameter, Parameters};
use crate::solvers::best::{Best, BestParams};
use crate::solvers::fas::{Fas, FasParams, FmgParams, PublishedFasParams, Scheme};
use crate::solvers::fischer::FischerParams;
use crate::solvers::mprgp::MprgpParams;
use crate::solvers::newton::NewtonParams;
use crate::solvers::penalty::PenaltyParams;
use crate::solvers::pivoting::PivotingParams;
use crate::solvers::policy::PolicyParams;
use crate::solvers::psor::{Psor, PsorParams};
use crate::solvers::sticking::Sticking;
use crate::solvers::subspace::SubspaceParams;
use crate::solvers::{Composed, ComposedMethod, MlcpSolver};
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
        /// Block principal pivoting.
        Pivoting = "pivoting",
        /// Projected Gauss–Seidel with subspace minimisation.
        SubspaceMinimisation = "pgs-sm",
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

    /// A method around a linear solver.
    fn composed<P: ComposedMethod + 'static>(tail: Tail) -> Self {
        Self::new::<P>(tail, |name, stop| Box::new(Composed::<P> { params: name.params(), stop, inner: name.inner() }))
    }

    /// A method that is multigrid itself.
    fn multigrid<P: Parameters>(build: fn(SolverName, Stop) -> Box<dyn MlcpSolver>) -> Self {
        Self::new::<P>(Tail::MultigridVariant, build)
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
            Self::Policy => MethodEntry::composed::<PolicyParams>(Tail::Linear(Mic0)),
            Self::Newton => MethodEntry::composed::<NewtonParams>(Tail::Linear(Mic0)),
            Self::Fischer => MethodEntry::composed::<FischerParams>(Tail::Linear(Mic0)),
            Self::Penalty => MethodEntry::composed::<PenaltyParams>(Tail::Linear(Mic0)),
            Self::Pivoting => MethodEntry::composed::<PivotingParams>(Tail::Linear(Mic0)),
            Self::SubspaceMinimisation => MethodEntry::composed::<SubspaceParams>(Tail::Linear(Mic0)),
            Self::Mprgp => MethodEntry::composed::<MprgpParams>(Tail::Preconditioner(Jacobi)),
            Self::Psor => MethodEntry::new::<PsorParams>(Tail::Nothing, |name, stop| {
                Box::new(Psor { params: name.params(), stop })
            }),
            Self::Fas => {
                MethodEntry::multigrid::<FasParams>(|name, stop| name.fas(Scheme::Corrected(name.params()), stop))
            }
            Self::FasLiteral => MethodEntry::multigrid::<PublishedFasParams>(|name, stop| {
                name.fas(Scheme::Literal(name.params()), stop)
            }),
            Self::FasScaled => {
                MethodEntry::multigrid::<PublishedFasParams>(|name, stop| name.fas(Scheme::Scaled(name.params()), stop))
            }
            Self::Fmg => {
                MethodEntry::multigrid::<FmgParams>(|name, stop| name.fas(Scheme::FullCycles(name.params()), stop))
            }
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

    fn fas(self, scheme: Scheme, stop: Stop) -> Box<dyn MlcpSolver> {
        Box::new(Fas { scheme, variant: self.multigrid, stop })
    }

    /// What `best` falls back on.
    fn policy_with(preconditioner: PreconditionerName) -> Self {
        Self { preconditioner, ..Self::default_of(Method::Policy) }
    }
}
