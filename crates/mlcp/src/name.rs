//! Solvers by name: `method`, `method+linear`, `method+linear/preconditioner`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::coloring::Coloring;
use crate::linear::{BiCgStab, ConjugateGradients, ConjugateResiduals, Cycles, Gmres, LinearSolver};
use crate::multigrid::{Multigrid, MultigridParams, MultigridVariant};
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

/// An enum whose variants have stable names, in the order in which they are listed to people.
macro_rules! named {
    ($(#[$outer:meta])* $type:ident, $what:literal { $($(#[$inner:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[$inner])* $variant),+ }

        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            fn parse(text: &str, found: &str) -> Result<Self, ParseNameError> {
                let known = Self::ALL.iter().copied().find(|known| known.name() == found);
                known.ok_or_else(|| ParseNameError::unknown(text, $what, found, Self::ALL.iter().map(|known| known.name())))
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

named! {
    /// A nonlinear method.
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
        /// The same as published; may stall.
        FasLiteral = "fas-literal",
        /// The same with both arguments of the minimum in one unit; may stall.
        FasScaled = "fas-scaled",
        /// Full multigrid cycles.
        Fmg = "fmg",
        /// Equations on every row.
        Sticking = "sticking",
    }
}

named! {
    /// A linear solver: a Krylov method, or cycles of multigrid.
    Krylov, "linear solver" {
        /// Conjugate gradients.
        Cg = "cg",
        /// Conjugate residuals.
        Cr = "cr",
        /// Restarted generalised minimal residuals.
        Gmres = "gmres",
        /// Stabilised bi-conjugate gradients.
        BiCgStab = "bicgstab",
        /// Multigrid cycles, which take no preconditioner.
        Multigrid = "multigrid",
    }
}

named! {
    /// A preconditioner.
    PreconditionerName, "preconditioner" {
        /// The identity.
        None = "none",
        /// The diagonal.
        Jacobi = "jacobi",
        /// Incomplete Cholesky without fill.
        Ic0 = "ic0",
        /// Modified incomplete Cholesky without fill.
        Mic0 = "mic0",
        /// Incomplete LU without fill.
        Ilu0 = "ilu0",
        /// Approximate inverse, entries dropped by size.
        Ainv = "ainv",
        /// Approximate inverse, a fixed number of entries a column.
        AinvStatic = "ainv-static",
        /// Approximate inverse, as many entries as the matrix and a few more.
        AinvLin = "ainv-lin",
        /// One multigrid cycle.
        Multigrid = "multigrid",
    }
}

/// A solver of the catalogue, fully spelled out.
///
/// ```
/// use unstick_mlcp::SolverName;
/// let name: SolverName = "policy".parse()?;
/// assert_eq!(name.to_string(), "policy+cg/mic0");
/// let error = "polcy+cg".parse::<SolverName>().unwrap_err();
/// assert_eq!(error.nearest(), Some("policy"));
/// # Ok::<(), unstick_mlcp::ParseNameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SolverName {
    method: Method,
    krylov: Krylov,
    preconditioner: PreconditionerName,
    is_reused: bool,
    /// What follows `multigrid` in the name; None is what is best.
    multigrid: Option<MultigridVariant>,
}

/// What the prefix `reused-` stands for: the published shortcut of [`Reused`].
const REUSED: &str = "reused-";

/// What to build a solver with, beyond its name.
#[derive(Clone, Debug, Default)]
pub struct SolverOptions {
    /// When to stop.
    pub stop: Stop,
    /// ω of `psor`. Default: what suits it.
    pub relaxation: Option<f64>,
    /// Colours for `psor`. Default: none, rows in their order.
    pub coloring: Option<Arc<Coloring>>,
}

impl SolverName {
    /// Every composition of the catalogue, the `reused-` and `multigrid-` variants aside.
    pub fn all() -> Vec<Self> {
        let mut names = Vec::new();
        for default in Self::defaults() {
            let krylovs = if default.method.takes_linear() { Krylov::ALL } else { &[default.krylov] };
            for &krylov in krylovs {
                let is_preconditioned = default.method.takes_preconditioner() && krylov != Krylov::Multigrid;
                let preconditioners = match krylov {
                    _ if is_preconditioned => PreconditionerName::ALL,
                    Krylov::Multigrid => &[PreconditionerName::Multigrid],
                    _ => &[default.preconditioner],
                };
                let compose = |&preconditioner| Self { krylov, preconditioner, ..default };
                names.extend(preconditioners.iter().map(compose));
            }
        }
        names
    }

    /// One solver of each method, composed as by default; `fas-literal` and `fas-scaled`, which may
    /// stall, aside.
    pub fn defaults() -> Vec<Self> {
        let may_stall = |method: &Method| matches!(method, Method::FasLiteral | Method::FasScaled);
        Method::ALL.iter().filter(|method| !may_stall(method)).map(|&method| Self::default_of(method)).collect()
    }

    fn default_of(method: Method) -> Self {
        let preconditioner = match method {
            Method::Best | Method::Psor => PreconditionerName::None,
            Method::Mprgp => PreconditionerName::Jacobi,
            method if method.is_multigrid() => PreconditionerName::Multigrid,
            _ => PreconditionerName::Mic0,
        };
        Self { method, krylov: Krylov::Cg, preconditioner, is_reused: false, multigrid: None }
    }

    /// The nonlinear method.
    pub fn method(self) -> Method {
        self.method
    }

    /// Puts the solver together.
    pub fn build(self, options: &SolverOptions) -> Box<dyn MlcpSolver> {
        let stop = options.stop;
        match self.method {
            Method::Best => Box::new(Best {
                params: BestParams { stop, ..Default::default() },
                algebraic: Self::policy_with(PreconditionerName::Multigrid).inner(),
                rescue: Self::policy_with(PreconditionerName::Mic0).inner(),
            }),
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
        };
        let preconditioner: Box<dyn Preconditioner> = match self.preconditioner {
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

    /// `cg/mic0`, `cg/multigrid-linear`, `multigrid`; the preconditioner alone where a method takes no
    /// linear solver.
    fn inner_name(self) -> String {
        let reused = if self.is_reused { REUSED } else { "" };
        let variant = self.multigrid.map(|variant| variant.to_string()).unwrap_or_default();
        let preconditioner = format!("{reused}{}{variant}", self.preconditioner);
        match self.krylov {
            Krylov::Multigrid => preconditioner,
            _ if !self.method.takes_linear() => preconditioner,
            krylov => format!("{krylov}/{preconditioner}"),
        }
    }
}

impl Method {
    /// Whether a name may go on with `+linear`.
    fn takes_linear(self) -> bool {
        !matches!(self, Self::Best | Self::Psor | Self::Mprgp) && !self.is_multigrid()
    }

    /// Whether it may go on with `/preconditioner`.
    fn takes_preconditioner(self) -> bool {
        !matches!(self, Self::Best | Self::Psor) && !self.is_multigrid()
    }

    /// Whether it is multigrid itself; its name may go on with `/multigrid-…`.
    fn is_multigrid(self) -> bool {
        matches!(self, Self::Fas | Self::FasLiteral | Self::FasScaled | Self::Fmg)
    }
}

impl fmt::Display for SolverName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self.method {
            method if method.takes_linear() => format!("{method}+{}", self.inner_name()),
            method if method.takes_preconditioner() => format!("{method}/{}", self.inner_name()),
            method if self.multigrid.is_some() => format!("{method}/{}", self.inner_name()),
            method => method.to_string(),
        })
    }
}

impl FromStr for SolverName {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (rest, preconditioner) = match text.split_once('/') {
            Some((rest, preconditioner)) => (rest, Some(preconditioner)),
            None => (text, None),
        };
        let (method, krylov) = match rest.split_once('+') {
            Some((method, krylov)) => (method, Some(krylov)),
            None => (rest, None),
        };
        let method = Method::parse(text, method)?;
        let mut name = Self::default_of(method);
        if let Some(krylov) = krylov {
            if !method.takes_linear() {
                return Err(ParseNameError::takes_no(text, method, "linear solver"));
            }
            let (krylov, variant) = split_variant(text, krylov)?;
            name.krylov = Krylov::parse(text, krylov)?;
            if name.krylov == Krylov::Multigrid {
                (name.preconditioner, name.multigrid) = (PreconditionerName::Multigrid, variant);
            }
        }
        if let Some(preconditioner) = preconditioner {
            let is_kind_of_multigrid = method.is_multigrid() && preconditioner.starts_with(Krylov::Multigrid.name());
            if !method.takes_preconditioner() && !is_kind_of_multigrid {
                return Err(ParseNameError::takes_no(text, method, "preconditioner"));
            }
            if name.krylov == Krylov::Multigrid {
                return Err(ParseNameError::takes_no(text, name.krylov, "preconditioner"));
            }
            let plain = preconditioner.strip_prefix(REUSED);
            name.is_reused = plain.is_some();
            if name.is_reused && !matches!(method, Method::Policy | Method::Newton) {
                return Err(ParseNameError::takes_no(text, method, "reused preconditioner"));
            }
            let (preconditioner, variant) = split_variant(text, plain.unwrap_or(preconditioner))?;
            name.preconditioner = PreconditionerName::parse(text, preconditioner)?;
            name.multigrid = variant;
        }
        Ok(name)
    }
}

/// Cuts what follows `multigrid` off a name.
fn split_variant<'t>(text: &str, name: &'t str) -> Result<(&'t str, Option<MultigridVariant>), ParseNameError> {
    let multigrid = Krylov::Multigrid.name();
    match name.strip_prefix(multigrid) {
        None | Some("") => Ok((name, None)),
        Some(suffix) => match MultigridVariant::parse(suffix) {
            Some(variant) => Ok((&name[..multigrid.len()], Some(variant))),
            None => Err(ParseNameError::unknown_variant(text, name)),
        },
    }
}

/// Text that names no solver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no solver: {reason}")]
pub struct ParseNameError {
    text: String,
    reason: String,
    nearest: Option<&'static str>,
    known: Vec<&'static str>,
}

impl ParseNameError {
    fn unknown(text: &str, what: &str, found: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known: Vec<_> = known.collect();
        let distance = |name: &str| strsim::damerau_levenshtein(name, found);
        let nearest = known
            .iter()
            .copied()
            .min_by_key(|name| distance(name))
            .filter(|name| distance(name) <= 3 && distance(name) < found.len());
        let reason = format!("there is no {what} `{found}`, expected one of {}", known.join(", "));
        Self { text: text.into(), reason, nearest, known }
    }

    fn takes_no(text: &str, part: impl fmt::Display, what: &str) -> Self {
        Self { text: text.into(), reason: format!("`{part}` takes no {what}"), nearest: None, known: Vec::new() }
    }

    fn unknown_variant(text: &str, found: &str) -> Self {
        let expected = "`multigrid`, followed by `-barycentric`, `-linear` or `-constant`, then by `-plain`, `-direct`, \
                        both or neither";
        let reason = format!("there is no `{found}`, expected {expected}");
        Self { text: text.into(), reason, nearest: Some(Krylov::Multigrid.name()), known: Vec::new() }
    }

    /// The known name that looks most like what was given, if any does.
    pub fn nearest(&self) -> Option<&'static str> {
        self.nearest
    }

    /// What would have been accepted in that place.
    pub fn known(&self) -> &[&'static str] {
        &self.known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_and_is_the_name_of_what_it_builds() {
        let variants = [
            "policy+cg/reused-mic0",
            "newton+gmres/reused-ainv",
            "policy+multigrid-linear-plain",
            "newton+cg/reused-multigrid-constant",
            "mprgp/multigrid-barycentric-plain-direct",
            "fas-literal",
            "fas-scaled/multigrid-linear",
            "fmg/multigrid-constant",
        ];
        let variants = variants.map(|text| text.parse().unwrap());
        for name in SolverName::all().into_iter().chain(SolverName::defaults()).chain(variants) {
            assert_eq!(name.to_string().parse(), Ok(name));
            assert_eq!(name.build(&SolverOptions::default()).name(), name.to_string());
        }
    }

    #[test]
    fn wrong_names_say_what_was_expected() {
        let message = |text: &str| text.parse::<SolverName>().unwrap_err().to_string();
        assert_eq!(
            message("newton+cgs"),
            "`newton+cgs` is no solver: there is no linear solver `cgs`, expected one of cg, cr, gmres, bicgstab, \
             multigrid"
        );
        assert_eq!(message("psor/mic0"), "`psor/mic0` is no solver: `psor` takes no preconditioner");
        assert!(message("sticking+cg/reused-ic0").ends_with("`sticking` takes no reused preconditioner"));
        assert!(message("").contains("there is no solver ``"));
        assert!(message("fas/mic0").ends_with("`fas` takes no preconditioner"));
        assert!(message("policy+multigrid/mic0").ends_with("`multigrid` takes no preconditioner"));
        assert!(message("policy+multigrid-cubic").contains("there is no `multigrid-cubic`, expected `multigrid`"));
    }
}
