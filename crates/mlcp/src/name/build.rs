//! From a name to its linear part.

use super::{Krylov, Method, PreconditionerName, SolverName};
use crate::fft::{BoxEmbedding, BoxInverse};
use crate::linear::{
    BiCgStab, ConjugateGradients, ConjugateResiduals, Cycles, Gmres, GmresParams, LinearSolver, Refinement,
};
use crate::multigrid::{Multigrid, MultigridParams};
use crate::parameter::{Parameter, ParameterValue, Parameters};
use crate::precondition::{
    AinvLinParams, AinvParams, AinvStaticParams, ApproximateInverse, Dropping, GridMultigrid, Ic0Params, Identity,
    IncompleteCholesky, IncompleteLu, Jacobi, Mic0Params, Preconditioner, Reused,
};
use crate::solvers::{Inner, InnerParams};

impl Krylov {
    /// The parameters of the method itself; every linear solve has those of [`InnerParams`] beside them.
    pub fn parameters(self) -> Vec<Parameter> {
        if self == Self::Gmres { GmresParams::list() } else { Vec::new() }
    }
}

impl PreconditionerName {
    /// Its parameters; those of `multigrid` are for its variants, such as `multigrid-linear`.
    pub fn parameters(self) -> Vec<Parameter> {
        match self {
            Self::None | Self::Jacobi | Self::Ilu0 | Self::Box => Vec::new(),
            Self::Ic0 => Ic0Params::list(),
            Self::Mic0 => Mic0Params::list(),
            Self::Ainv => AinvParams::list(),
            Self::AinvStatic => AinvStaticParams::list(),
            Self::AinvLin => AinvLinParams::list(),
            Self::Multigrid => MultigridParams::list(),
        }
    }
}

impl SolverName {
    /// Parameters of the linear solver. `sticking` is one linear solve, so its limit is that of the whole solve.
    pub(super) fn linear_parameters(self) -> Vec<Parameter> {
        let has_limit = self.method != Method::Sticking && self.krylov != Krylov::Fft;
        let limit = if has_limit { InnerParams::list() } else { Vec::new() };
        self.krylov.parameters().into_iter().chain(limit).collect()
    }

    /// Parameters of the preconditioner. The fast cycle, which `multigrid` is without a variant, has none.
    pub(super) fn preconditioner_parameters(self) -> Vec<Parameter> {
        let is_fast_cycle = self.multigrid.is_none() && self.method != Method::Mprgp;
        match self.preconditioner {
            PreconditionerName::Multigrid if is_fast_cycle || self.method.is_multigrid() => Vec::new(),
            preconditioner => preconditioner.parameters(),
        }
    }

    /// The linear part by itself, for methods put together by hand.
    pub fn inner(self) -> Inner {
        let mut inner = Inner::new(self.inner_name(), self.linear_solver(), self.whole_preconditioner());
        let parameters = self.linear_parameters();
        let limit = parameters.iter().position(|parameter| parameter.name == "max_iterations");
        let limit = limit.and_then(|index| self.linear_settings.get(&parameters, index));
        if let Some(ParameterValue::Count(most)) = limit {
            inner.max_iterations = most;
        }
        inner
    }

    fn linear_solver(self) -> Box<dyn LinearSolver> {
        match self.krylov {
            Krylov::Cg => Box::new(ConjugateGradients::default()),
            Krylov::Cr => Box::new(ConjugateResiduals::default()),
            Krylov::Gmres => Box::new(Gmres::new(self.linear_settings.params())),
            Krylov::BiCgStab => Box::new(BiCgStab::default()),
            Krylov::Multigrid => Box::new(Cycles::default()),
            Krylov::Fft => Box::new(Refinement::default()),
        }
    }

    fn whole_preconditioner(self) -> Box<dyn Preconditioner> {
        let settings = &self.preconditioner_settings;
        let inverse = |dropping| Box::new(ApproximateInverse::new(dropping));
        let preconditioner: Box<dyn Preconditioner> = match self.preconditioner {
            _ if self.krylov == Krylov::Fft => Box::new(BoxInverse::default()),
            PreconditionerName::None => Box::new(Identity),
            PreconditionerName::Jacobi => Box::new(Jacobi::default()),
            PreconditionerName::Ic0 => Box::new(IncompleteCholesky::plain(settings.params())),
            PreconditionerName::Mic0 => Box::new(IncompleteCholesky::modified(settings.params())),
            PreconditionerName::Ilu0 => Box::new(IncompleteLu::default()),
            PreconditionerName::Ainv => inverse(Dropping::Standard(settings.params::<AinvParams>().drop)),
            PreconditionerName::AinvStatic => inverse(Dropping::Static(settings.params::<AinvStaticParams>().entries)),
            PreconditionerName::AinvLin => inverse(Dropping::Lin(settings.params::<AinvLinParams>().extra)),
            PreconditionerName::Multigrid => self.multigrid_preconditioner(),
            PreconditionerName::Box => Box::new(BoxEmbedding::default()),
        };
        if self.is_reused { Box::new(Reused::new(preconditioner)) } else { preconditioner }
    }

    /// The one place that decides what `multigrid` stands for.
    fn multigrid_preconditioner(self) -> Box<dyn Preconditioner> {
        // Proportioning compares preconditioned gradients to the last digit, which single precision cannot give.
        if self.multigrid.is_none() && self.method != Method::Mprgp {
            return Box::new(GridMultigrid::default());
        }
        Box::new(Multigrid::new(self.multigrid, self.preconditioner_settings.params()))
    }
}
