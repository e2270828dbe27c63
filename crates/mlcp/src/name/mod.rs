//! Solvers by name: `method`, `method+linear`, `method+linear/preconditioner`, each part with its parameters.

use std::fmt;

use crate::multigrid::MultigridVariant;
use crate::parameter::{MOST_PARAMETERS, Parameters, Settings};
use method::Tail;

/// An enum whose variants have stable names, in the order in which they are listed to people.
macro_rules! named {
    ($(#[$outer:meta])* $type:ident, $what:literal { $($(#[doc = $doc:literal])+ $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[doc = $doc])+ $variant),+ }

        impl $type {
            /// What these are called in messages.
            pub(crate) const KIND: &'static str = $what;

            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What it is, in one sentence.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii()),+ }
            }

            /// As the catalogue lists it.
            pub(in crate::name) fn entry_with(self, parameters: Vec<crate::Parameter>) -> CatalogueEntry {
                CatalogueEntry { kind: Self::KIND, name: self.name(), about: self.about(), parameters }
            }

            pub(in crate::name) fn parse(text: &str, found: &str) -> Result<Self, ParseNameError> {
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
mod catalogue;
mod method;
mod parse;
mod splitting;

pub use catalogue::{CatalogueEntry, catalogue};
pub use method::Method;
pub use parse::{ParseNameError, nearest};
pub use splitting::{PressureMethod, Splitting, SplittingName};

named! {
    /// A linear solver: a Krylov method, cycles of multigrid, or fast transforms.
    #[non_exhaustive]
    Krylov, "linear solver" {
        /// Conjugate gradients.
        Cg = "cg",
        /// Conjugate residuals.
        Cr = "cr",
        /// Restarted generalised minimal residuals.
        Gmres = "gmres",
        /// Stabilised bi-conjugate gradients.
        BiCgStab = "bicgstab",
        /// Multigrid cycles, without a preconditioner.
        Multigrid = "multigrid",
        /// Fast transforms, for boxes of equations only.
        Fft = "fft",
    }
}

named! {
    /// A preconditioner.
    #[non_exhaustive]
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
        /// Approximate inverse without small entries.
        Ainv = "ainv",
        /// Approximate inverse with a fixed number of entries in each column.
        AinvStatic = "ainv-static",
        /// Approximate inverse with as many entries as the matrix and a few more.
        AinvLin = "ainv-lin",
        /// One multigrid cycle.
        Multigrid = "multigrid",
        /// Fast transforms on a box around the liquid, for rows on a grid.
        Box = "box",
    }
}

/// A solver of the catalogue, fully spelled out.
///
/// Parameters of a part follow it as `:name=value`. What a name does not give has its default.
/// [`catalogue`] lists all parts with their parameters.
///
/// ```
/// use unstick_mlcp::SolverName;
/// let name: SolverName = "policy".parse()?;
/// assert_eq!(name.to_string(), "policy+cg/mic0");
/// let name: SolverName = "policy:forcing=0.1+gmres:restart=20/mic0".parse()?;
/// assert_eq!(name.to_string(), "policy:forcing=0.1+gmres:restart=20/mic0");
/// let error = "polcy+cg".parse::<SolverName>().unwrap_err();
/// assert_eq!(error.nearest(), Some("policy"));
/// let error = "best:forcng=0.1".parse::<SolverName>().unwrap_err();
/// assert_eq!(error.nearest(), Some("forcing"));
/// # Ok::<(), unstick_mlcp::ParseNameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SolverName {
    method: Method,
    method_settings: Settings<MOST_PARAMETERS>,
    krylov: Krylov,
    linear_settings: Settings<2>,
    preconditioner: PreconditionerName,
    preconditioner_settings: Settings<2>,
    is_reused: bool,
    /// What follows `multigrid` in the name; None for the default.
    multigrid: Option<MultigridVariant>,
}

/// The prefix of a preconditioner that is built once for all active sets, as published: [`Reused`](crate::precondition::Reused).
const REUSED: &str = "reused-";

impl SolverName {
    /// Every composition of the catalogue that solves any problem: all but `fft` and `box`, the `reused-` preconditioners
    /// and the variants of `multigrid`.
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
                for &preconditioner in preconditioners.iter().filter(|&&name| name != PreconditionerName::Box) {
                    names.push(Self { krylov, preconditioner, ..default });
                }
            }
        }
        names
    }

    /// One solver of each method with its default linear part; without `fas-literal` and `fas-scaled`, which may
    /// stall.
    pub fn defaults() -> Vec<Self> {
        let methods = Method::ALL.iter().filter(|method| !method.may_stall());
        methods.map(|&method| Self::default_of(method)).collect()
    }

    fn default_of(method: Method) -> Self {
        let preconditioner = match method.entry().tail {
            Tail::Nothing => PreconditionerName::None,
            Tail::Preconditioner(default) | Tail::Linear(default) => default,
            Tail::MultigridVariant => PreconditionerName::Multigrid,
        };
        Self {
            method,
            method_settings: Settings::default(),
            krylov: Krylov::Cg,
            linear_settings: Settings::default(),
            preconditioner,
            preconditioner_settings: Settings::default(),
            is_reused: false,
            multigrid: None,
        }
    }

    /// The nonlinear method.
    pub fn method(self) -> Method {
        self.method
    }

    /// The parameters of the method, with the values that the name gives.
    ///
    /// ```
    /// use unstick_mlcp::SolverName;
    /// use unstick_mlcp::solvers::best::BestParams;
    /// let name: SolverName = "best:forcing=0.05".parse()?;
    /// assert_eq!(name.params::<BestParams>().forcing, 0.05);
    /// # Ok::<(), unstick_mlcp::ParseNameError>(())
    /// ```
    ///
    /// # Panics
    /// If these are not the parameters of this method.
    pub fn params<P: Parameters>(self) -> P {
        assert_eq!(P::list(), self.method.parameters(), "parameters of `{}`", self.method);
        self.method_settings.params()
    }

    /// The same solver with every parameter at its default.
    pub fn without_parameters(self) -> Self {
        Self {
            method_settings: Settings::default(),
            linear_settings: Settings::default(),
            preconditioner_settings: Settings::default(),
            ..self
        }
    }

    /// `cg/mic0`, `cg/multigrid-linear`, `multigrid`; the preconditioner alone where a method takes no
    /// linear solver.
    fn inner_name(self) -> String {
        let of_linear = self.linear_settings.suffix(&self.linear_parameters());
        let of_preconditioner = self.preconditioner_settings.suffix(&self.preconditioner_parameters());
        let reused = if self.is_reused { REUSED } else { "" };
        let variant = self.multigrid.map(|variant| variant.to_string()).unwrap_or_default();
        let preconditioner = format!("{reused}{}{variant}", self.preconditioner);
        match self.krylov {
            Krylov::Multigrid => format!("{preconditioner}{of_linear}{of_preconditioner}"),
            Krylov::Fft => Krylov::Fft.to_string(),
            _ if !self.method.takes_linear() => format!("{preconditioner}{of_preconditioner}"),
            krylov => format!("{krylov}{of_linear}/{preconditioner}{of_preconditioner}"),
        }
    }
}

impl Method {
    /// Whether `+linear` may follow it in a name.
    fn takes_linear(self) -> bool {
        matches!(self.entry().tail, Tail::Linear(_))
    }

    /// Whether `/preconditioner` may follow it.
    fn takes_preconditioner(self) -> bool {
        matches!(self.entry().tail, Tail::Linear(_) | Tail::Preconditioner(_))
    }

    /// Whether it is multigrid itself; `/multigrid-…` may follow it.
    fn is_multigrid(self) -> bool {
        self.entry().tail == Tail::MultigridVariant
    }
}

impl fmt::Display for SolverName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = format!("{}{}", self.method, self.method_settings.suffix(&self.method.parameters()));
        f.pad(&match self.method.entry().tail {
            Tail::Linear(_) => format!("{method}+{}", self.inner_name()),
            Tail::Preconditioner(_) => format!("{method}/{}", self.inner_name()),
            Tail::MultigridVariant if self.multigrid.is_some() => format!("{method}/{}", self.inner_name()),
            Tail::MultigridVariant | Tail::Nothing => method,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;

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
            "best:forcing=0.05:patience=3",
            "policy:forcing=0.1+gmres:restart=20:max_iterations=7/ainv:drop=0.05",
            "newton:tightening=false+cg/mic0:tuning=0.9",
            "penalty:penalty=1000000000.0+multigrid-linear:max_iterations=50:sweeps=3",
            "mprgp:proportion=2/multigrid:sweeps=3",
            "fas:sweeps=3/multigrid-linear",
            "fmg:bounded_levels=2",
            "psor:relaxation=1.5:colored=false",
        ];
        let variants = variants.map(|text| text.parse().unwrap());
        for name in SolverName::all().into_iter().chain(SolverName::defaults()).chain(variants) {
            assert_eq!(name.to_string().parse(), Ok(name));
            assert_eq!(name.build(&Stop::default()).name(), name.to_string());
        }
    }

    #[test]
    fn wrong_names_say_what_was_expected() {
        let message = |text: &str| text.parse::<SolverName>().unwrap_err().to_string();
        assert_eq!(
            message("newton+cgs"),
            "`newton+cgs` is not a solver: there is no linear solver `cgs`, expected one of cg, cr, gmres, bicgstab, \
             multigrid, fft"
        );
        assert_eq!(message("psor/mic0"), "`psor/mic0` is not a solver: `psor` takes no preconditioner");
        assert!(message("sticking+cg/reused-ic0").ends_with("`sticking` takes no reused preconditioner"));
        assert!(message("").contains("there is no solver ``"));
        assert!(message("fas/mic0").ends_with("`fas` takes no preconditioner"));
        assert!(message("policy+fft").ends_with("`policy` takes no `fft`, which solves equations on every row"));
        assert!(message("sticking+fft/ic0").ends_with("`fft` takes no preconditioner"));
        assert!(message("policy+multigrid/mic0").ends_with("`multigrid` takes no preconditioner"));
        assert_eq!(
            message("best:forcng=0.1"),
            "`best:forcng=0.1` is not a solver: `best` has no parameter `forcng`, expected one of forcing, \
             settled_forcing, patience"
        );
        assert_eq!(
            message("best:forcing=2"),
            "`best:forcing=2` is not a solver: `forcing` is 2, expected a number from 1e-10 to 0.9"
        );
        assert!(
            message("best:forcing")
                .ends_with("`forcing` has no value, expected `forcing=` and a number from 1e-10 to 0.9")
        );
        assert!(message("sticking+cg:max_iterations=5").ends_with("`cg` has no parameter `max_iterations` here"));
        assert!(message("policy+cg/multigrid:sweeps=3").ends_with("`multigrid` has no parameter `sweeps` here"));
        assert!(message("fas-literal:wall_sweeps=1").contains("expected one of sweeps, coarsest"));
        assert!(message("best:patience=3:patience=4").ends_with("`patience` is given twice"));
        assert!(message("policy+multigrid-cubic").contains("there is no `multigrid-cubic`, expected `multigrid`"));
    }
}
