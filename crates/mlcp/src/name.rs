//! Solvers by name: `method`, `method+linear`, `method+linear/preconditioner`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::coloring::Coloring;
use crate::linear::{BiCgStab, ConjugateGradients, ConjugateResiduals, Gmres, LinearSolver};
use crate::precondition::{
    ApproximateInverse, Dropping, Identity, IncompleteCholesky, IncompleteLu, Jacobi, Preconditioner, Reused,
};
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
        /// Equations on every row.
        Sticking = "sticking",
    }
}

named! {
    /// A Krylov method.
    Krylov, "linear solver" {
        /// Conjugate gradients.
        Cg = "cg",
        /// Conjugate residuals.
        Cr = "cr",
        /// Restarted generalised minimal residuals.
        Gmres = "gmres",
        /// Stabilised bi-conjugate gradients.
        BiCgStab = "bicgstab",
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
    /// Every composition of the catalogue, the `reused-` variants aside.
    pub fn all() -> Vec<Self> {
        let mut names = Vec::new();
        for &method in Method::ALL {
            let (krylovs, preconditioners) = match method {
                Method::Psor => (&Krylov::ALL[..1], &PreconditionerName::ALL[..1]),
                Method::Mprgp => (&Krylov::ALL[..1], PreconditionerName::ALL),
                _ => (Krylov::ALL, PreconditionerName::ALL),
            };
            for &krylov in krylovs {
                names.extend(preconditioners.iter().map(|&preconditioner| Self {
                    method,
                    krylov,
                    preconditioner,
                    is_reused: false,
                }));
            }
        }
        names
    }

    /// One solver of each method, composed as by default.
    pub fn defaults() -> Vec<Self> {
        Method::ALL.iter().map(|&method| Self::default_of(method)).collect()
    }

    fn default_of(method: Method) -> Self {
        let preconditioner = match method {
            Method::Psor => PreconditionerName::None,
            Method::Mprgp => PreconditionerName::Jacobi,
            _ => PreconditionerName::Mic0,
        };
        Self { method, krylov: Krylov::Cg, preconditioner, is_reused: false }
    }

    /// The nonlinear method.
    pub fn method(self) -> Method {
        self.method
    }

    /// Puts the solver together.
    pub fn build(self, options: &SolverOptions) -> Box<dyn MlcpSolver> {
        let stop = options.stop;
        match self.method {
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
        }
    }

    /// The linear part alone, for methods put together by hand.
    pub fn inner(self) -> Inner {
        let solver: Box<dyn LinearSolver> = match self.krylov {
            Krylov::Cg => Box::new(ConjugateGradients::default()),
            Krylov::Cr => Box::new(ConjugateResiduals::default()),
            Krylov::Gmres => Box::new(Gmres::default()),
            Krylov::BiCgStab => Box::new(BiCgStab::default()),
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
        };
        let reused = if self.is_reused { REUSED } else { "" };
        let name = match self.method {
            Method::Mprgp => format!("{}", self.preconditioner),
            _ => format!("{}/{reused}{}", self.krylov, self.preconditioner),
        };
        let preconditioner = if self.is_reused { Box::new(Reused::new(preconditioner)) } else { preconditioner };
        Inner::new(name, solver, preconditioner)
    }
}

impl fmt::Display for SolverName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reused = if self.is_reused { REUSED } else { "" };
        let text = match self.method {
            Method::Psor => self.method.to_string(),
            Method::Mprgp => format!("{}/{}", self.method, self.preconditioner),
            _ => format!("{}+{}/{reused}{}", self.method, self.krylov, self.preconditioner),
        };
        f.pad(&text)
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
            if matches!(method, Method::Psor | Method::Mprgp) {
                return Err(ParseNameError::takes_no(text, method, "linear solver"));
            }
            name.krylov = Krylov::parse(text, krylov)?;
        }
        if let Some(preconditioner) = preconditioner {
            if method == Method::Psor {
                return Err(ParseNameError::takes_no(text, method, "preconditioner"));
            }
            let plain = preconditioner.strip_prefix(REUSED);
            name.is_reused = plain.is_some();
            if name.is_reused && !matches!(method, Method::Policy | Method::Newton) {
                return Err(ParseNameError::takes_no(text, method, "reused preconditioner"));
            }
            name.preconditioner = PreconditionerName::parse(text, plain.unwrap_or(preconditioner))?;
        }
        Ok(name)
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
        let nearest = known.iter().copied().min_by_key(|name| distance(name)).filter(|name| distance(name) <= 3);
        let reason = format!("there is no {what} `{found}`, expected one of {}", known.join(", "));
        Self { text: text.into(), reason, nearest, known }
    }

    fn takes_no(text: &str, method: Method, what: &str) -> Self {
        Self { text: text.into(), reason: format!("`{method}` takes no {what}"), nearest: None, known: Vec::new() }
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
        let reused = ["policy+cg/reused-mic0", "newton+gmres/reused-ainv"].map(|text| text.parse().unwrap());
        for name in SolverName::all().into_iter().chain(SolverName::defaults()).chain(reused) {
            assert_eq!(name.to_string().parse(), Ok(name));
            assert_eq!(name.build(&SolverOptions::default()).name(), name.to_string());
        }
    }

    #[test]
    fn wrong_names_say_what_was_expected() {
        let message = |text: &str| text.parse::<SolverName>().unwrap_err().to_string();
        assert_eq!(
            message("newton+cgs"),
            "`newton+cgs` is no solver: there is no linear solver `cgs`, expected one of cg, cr, gmres, bicgstab"
        );
        assert_eq!(message("psor/mic0"), "`psor/mic0` is no solver: `psor` takes no preconditioner");
        assert!(message("sticking+cg/reused-ic0").ends_with("`sticking` takes no reused preconditioner"));
        assert!(message("").contains("there is no solver ``"));
    }
}
