//! From a name to a solver.

use super::{Krylov, Method, PreconditionerName, SolverName, SolverOptions};
use crate::fft::BoxInverse;
use crate::linear::{BiCgStab, ConjugateGradients, ConjugateResiduals, Cycles, Gmres, LinearSolver, Refinement};
use crate::multigrid::{Multigrid, MultigridParams};
use crate::precondition::{
    ApproximateInverse, Dropping, GridMultigrid, Identity, IncompleteCholesky, IncompleteLu, Jacobi, Preconditioner,
    Reused,
};
use crate::solvers::best::{Best, BestParams};
use crate::solvers::fas::{Fas, FasParams, Fmg, FmgParams, Reading};
use crate::solvers::fischer::{Fischer, FischerParams};
use crate::solvers::mprgp::{Mprgp, MprgpParams};
use crate::solvers::newton::{Newton, NewtonParams};
use crate::solvers::penalty::{Penalty, PenaltyParams};
use crate::solvers::policy::{Policy, PolicyParams};
use crate::solvers::psor::{Psor, PsorParams};
use crate::solvers::sticking::Sticking;
use crate::solvers::{Inner, MlcpSolver};
use crate::stop::Stop;

impl SolverName {
    /// Puts the solver together.
    pub fn build(self, options: &SolverOptions) -> Box<dyn MlcpSolver> {
        let stop = options.stop;
        match self.method {
            Method::Best => Box::new(Best::new(
                BestParams { stop, ..Default::default() },
                Self::policy_with(PreconditionerName::Multigrid).inner(),
                Self::policy_with(PreconditionerName::Mic0).inner(),
            )),
            Method::Psor => {
                let default = PsorParams::default();
                let relaxation = options.relaxation.unwrap_or(default.relaxation);
                Box::new(Psor { params: PsorParams { relaxation, coloring: options.coloring.clone(), stop } })
            }
            Method::Mprgp => {
                Box::new(Mprgp { params: MprgpParams { stop, ..Default::default() }, inner: self.inner() })
            }
            Method::Policy => {
                Box::new(Policy { params: PolicyParams { stop, ..Default::default() }, inner: self.inner() })
            }
            Method::Newton => {
                Box::new(Newton { params: NewtonParams { stop, ..Default::default() }, inner: self.inner() })
            }
            Method::Fischer => {
                Box::new(Fischer { params: FischerParams { stop, ..Default::default() }, inner: self.inner() })
            }
            Method::Penalty => {
                Box::new(Penalty { params: PenaltyParams { stop, ..Default::default() }, inner: self.inner() })
            }
            Method::Sticking => Box::new(Sticking { stop, inner: self.inner() }),
            Method::Fas => self.fas(Reading::Corrected, stop),
            Method::FasLiteral => self.fas(Reading::Literal, stop),
            Method::FasScaled => self.fas(Reading::Scaled, stop),
            Method::Fmg => {
                let params = self.multigrid.map(FmgParams::with_variant).unwrap_or_default();
                Box::new(Fmg::new(self.to_string(), FmgParams { stop, ..params }))
            }
        }
    }

    /// What `best` falls back on.
    fn policy_with(preconditioner: PreconditionerName) -> Self {
        Self { preconditioner, ..Self::default_of(Method::Policy) }
    }

    fn fas(self, reading: Reading, stop: Stop) -> Box<dyn MlcpSolver> {
        let multigrid = self.multigrid.unwrap_or_default().into();
        Box::new(Fas::new(self.to_string(), FasParams { reading, multigrid, stop, ..Default::default() }))
    }

    /// The linear part alone, for methods put together by hand.
    pub fn inner(self) -> Inner {
        let solver: Box<dyn LinearSolver> = match self.krylov {
            Krylov::Cg => Box::new(ConjugateGradients::default()),
            Krylov::Cr => Box::new(ConjugateResiduals::default()),
            Krylov::Gmres => Box::new(Gmres::default()),
            Krylov::BiCgStab => Box::new(BiCgStab::default()),
            Krylov::Multigrid => Box::new(Cycles::default()),
            Krylov::Fft => Box::new(Refinement::default()),
        };
        let preconditioner: Box<dyn Preconditioner> = match self.preconditioner {
            _ if self.krylov == Krylov::Fft => Box::new(BoxInverse::default()),
            PreconditionerName::None => Box::new(Identity),
            PreconditionerName::Jacobi => Box::new(Jacobi::default()),
            PreconditionerName::Ic0 => Box::new(IncompleteCholesky::plain()),
            PreconditionerName::Mic0 => Box::new(IncompleteCholesky::modified()),
            PreconditionerName::Ilu0 => Box::new(IncompleteLu::default()),
            PreconditionerName::Ainv => Box::new(ApproximateInverse::new(Dropping::Standard(0.1))),
            PreconditionerName::AinvStatic => Box::new(ApproximateInverse::new(Dropping::Static(10))),
            PreconditionerName::AinvLin => Box::new(ApproximateInverse::new(Dropping::Lin(4))),
            PreconditionerName::Multigrid => self.multigrid_preconditioner(),
        };
        let preconditioner = if self.is_reused { Box::new(Reused::new(preconditioner)) } else { preconditioner };
        Inner::new(self.inner_name(), solver, preconditioner)
    }

    /// The one place that decides what `multigrid` stands for.
    fn multigrid_preconditioner(self) -> Box<dyn Preconditioner> {
        match (self.multigrid, self.method) {
            // Proportioning weighs preconditioned gradients against each other, to the last digit.
            (None, Method::Mprgp) => Box::new(Multigrid::default()),
            (None, _) => Box::new(GridMultigrid::default()),
            (Some(variant), _) => Box::new(Multigrid::new(MultigridParams::from(variant))),
        }
    }
}
