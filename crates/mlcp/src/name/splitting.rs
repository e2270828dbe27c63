//! Splittings by name, and all methods that give the pressure of a step.

use std::fmt;
use std::str::FromStr;

use super::{CatalogueEntry, Krylov, Method, ParseNameError, SolverName};

named! {
    /// A method that treats divergence and walls in turn. It works on the velocities of a step, so it runs inside a
    /// simulation only.
    Splitting, "splitting" {
        /// Alternating directions, with a dual variable.
        Admm = "admm",
        /// Iterated orthogonal projection.
        Iop = "iop",
        /// One solve, after which walls that would be left count as air.
        Reclassify = "reclassify",
        /// The same solve, repeated until the divergence is gone.
        IopBc = "iop-bc",
    }
}

impl Splitting {
    /// The error for a splitting where a solver of a problem is expected; None for other texts.
    pub(super) fn refused(text: &str, method: &str) -> Option<ParseNameError> {
        let splitting = Self::ALL.iter().find(|splitting| splitting.name() == method)?;
        let reason = format!(
            "`{splitting}` works on the velocities of a step, which a problem by itself does not have; it runs inside a \
             simulation"
        );
        Some(ParseNameError::because(text, reason))
    }
}

/// A splitting and the linear solver of its pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SplittingName {
    splitting: Splitting,
    linear: Option<SolverName>,
}

impl SplittingName {
    /// The splitting.
    pub fn splitting(self) -> Splitting {
        self.splitting
    }

    /// The solver of its linear systems, as `sticking+…`. None stands for `fft` where the liquid fills a box and the
    /// published `cg/mic0` elsewhere.
    pub fn linear(self) -> Option<SolverName> {
        self.linear
    }
}

impl fmt::Display for SplittingName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self.linear {
            None => self.splitting.to_string(),
            Some(linear) => format!("{}+{}", self.splitting, linear.inner_name()),
        })
    }
}

impl FromStr for SplittingName {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (splitting, linear) = match text.split_once('+') {
            Some((splitting, linear)) => (splitting, Some(linear)),
            None => (text, None),
        };
        let splitting = Splitting::parse(text, splitting)?;
        let linear = linear.map(|linear| format!("{}+{linear}", Method::Sticking).parse::<SolverName>()).transpose();
        let linear = linear.map_err(|error| ParseNameError { text: text.into(), ..error })?;
        Ok(Self { splitting, linear })
    }
}

/// A method that gives the pressure of a step, by name: a solver of its complementarity problem, or a
/// splitting.
///
/// ```
/// use unstick_mlcp::{PressureMethod, Splitting};
/// let method: PressureMethod = "iop+cg/multigrid".parse()?;
/// assert!(matches!(method, PressureMethod::Splitting(name) if name.splitting() == Splitting::Iop));
/// assert_eq!("policy".parse::<PressureMethod>()?.to_string(), "policy+cg/mic0");
/// assert_eq!("iob".parse::<PressureMethod>().unwrap_err().nearest(), Some("iop"));
/// # Ok::<(), unstick_mlcp::ParseNameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PressureMethod {
    /// A solver of the complementarity problem.
    Solver(SolverName),
    /// A splitting, which treats divergence and walls in turn.
    Splitting(SplittingName),
}

impl PressureMethod {
    /// One of each method, composed as by default.
    pub fn defaults() -> Vec<Self> {
        let splittings = Splitting::ALL.iter().map(|&splitting| SplittingName { splitting, linear: None });
        SolverName::defaults().into_iter().map(Self::Solver).chain(splittings.map(Self::Splitting)).collect()
    }

    /// Whether its walls pull, even where the problem has separating walls.
    pub fn is_sticking(self) -> bool {
        matches!(self, Self::Solver(name) if name.method() == Method::Sticking)
    }
}

impl From<SolverName> for PressureMethod {
    fn from(name: SolverName) -> Self {
        Self::Solver(name)
    }
}

impl fmt::Display for PressureMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Solver(name) => name.fmt(f),
            Self::Splitting(name) => name.fmt(f),
        }
    }
}

impl FromStr for PressureMethod {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let method = text.split(['+', '/', ':']).next().unwrap_or(text);
        if Splitting::ALL.iter().any(|splitting| splitting.name() == method) {
            return text.parse().map(Self::Splitting);
        }
        if Method::ALL.iter().any(|known| known.name() == method) {
            return text.parse().map(Self::Solver);
        }
        let methods = Method::ALL.iter().map(|method| method.name());
        let splittings = Splitting::ALL.iter().map(|splitting| splitting.name());
        Err(ParseNameError::unknown(text, "solver", method, methods.chain(splittings)))
    }
}

impl SolverName {
    /// Transforms in place of the linear solver; valid for boxes alone.
    pub fn by_transforms() -> Self {
        let default = Self::default_of(Method::Sticking);
        Self { krylov: Krylov::Fft, preconditioner: super::PreconditionerName::None, ..default }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_kinds_are_read_back() {
        let composed = ["iop+fft", "admm+cg/multigrid", "iop-bc+cg/ic0", "reclassify", "policy+cg/mic0"];
        let composed = composed.map(|text| text.parse::<PressureMethod>().unwrap());
        for method in composed.into_iter().chain(PressureMethod::defaults()) {
            assert_eq!(method.to_string().parse(), Ok(method));
        }
        assert_eq!(SolverName::by_transforms().to_string(), "sticking+fft");
    }

    #[test]
    fn wrong_names_and_wrong_places_say_what_was_expected() {
        let message = |text: &str| text.parse::<PressureMethod>().unwrap_err().to_string();
        assert!(message("iop+cgs").starts_with("`iop+cgs` is not a solver: there is no linear solver `cgs`"));
        assert!(message("iob").contains("there is no solver `iob`, expected one of best, policy"));
        assert!(message("iop/mic0").contains("there is no splitting `iop/mic0`"));
        let refused = "iop+cg/mic0".parse::<SolverName>().unwrap_err().to_string();
        assert!(refused.contains("`iop` works on the velocities of a step"), "{refused}");
    }
}
