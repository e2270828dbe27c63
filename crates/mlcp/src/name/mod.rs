//! Solvers by name: `method`, `method+linear`, `method+linear/preconditioner`.

use std::fmt;
use std::sync::Arc;

use crate::coloring::Coloring;
use crate::multigrid::MultigridVariant;
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

// Below the macro, which it uses.
mod build;
mod nearest;
mod parse;
mod splitting;

pub use nearest::nearest;
pub use parse::ParseNameError;
pub use splitting::{PressureMethod, Splitting, SplittingName};

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
    /// A linear solver: a Krylov method, cycles of multigrid, or fast transforms.
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
        /// Fast transforms, which solve boxes of equations and nothing else.
        Fft = "fft",
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
    /// Every composition of the catalogue that solves any problem: the `reused-` and `multigrid-`
    /// variants aside, and `fft`.
    pub fn all() -> Vec<Self> {
        let mut names = Vec::new();
        for default in Self::defaults() {
            let krylovs = if default.method.takes_linear() { Krylov::ALL } else { &[default.krylov] };
            for &krylov in krylovs.iter().filter(|&&krylov| krylov != Krylov::Fft) {
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

    /// `cg/mic0`, `cg/multigrid-linear`, `multigrid`; the preconditioner alone where a method takes no
    /// linear solver.
    fn inner_name(self) -> String {
        let reused = if self.is_reused { REUSED } else { "" };
        let variant = self.multigrid.map(|variant| variant.to_string()).unwrap_or_default();
        let preconditioner = format!("{reused}{}{variant}", self.preconditioner);
        match self.krylov {
            Krylov::Multigrid => preconditioner,
            Krylov::Fft => Krylov::Fft.to_string(),
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
            "sticking+fft",
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
             multigrid, fft"
        );
        assert_eq!(message("psor/mic0"), "`psor/mic0` is no solver: `psor` takes no preconditioner");
        assert!(message("sticking+cg/reused-ic0").ends_with("`sticking` takes no reused preconditioner"));
        assert!(message("").contains("there is no solver ``"));
        assert!(message("fas/mic0").ends_with("`fas` takes no preconditioner"));
        assert!(message("policy+fft").ends_with("`policy` takes no `fft`, which solves equations on every row"));
        assert!(message("sticking+fft/ic0").ends_with("`fft` takes no preconditioner"));
        assert!(message("policy+multigrid/mic0").ends_with("`multigrid` takes no preconditioner"));
        assert!(message("policy+multigrid-cubic").contains("there is no `multigrid-cubic`, expected `multigrid`"));
    }
}
