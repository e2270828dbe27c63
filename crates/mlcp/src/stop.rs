//! When a solve stops: at its tolerance, or at its limit.

use crate::error::SolveError;

/// When a problem counts as solved, in terms of the natural residual ‖H‖∞.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// ‖H(q)‖∞ ≤ t ‖H(0)‖∞.
    Relative(f64),
    /// ‖H(q)‖∞ ≤ t, in the units of b.
    Absolute(f64),
}

impl Tolerance {
    /// The residual to reach, given ‖H(0)‖∞.
    pub fn target(self, reference: f64) -> Result<f64, SolveError> {
        let (value, target) = match self {
            Self::Relative(value) => (value, value * reference),
            Self::Absolute(value) => (value, value),
        };
        if value > 0.0 && value.is_finite() {
            Ok(target)
        } else {
            Err(SolveError::Parameter { what: "the tolerance", value, expected: "a positive number" })
        }
    }
}

/// When a solver stops.
///
/// ```
/// use unstick_mlcp::{Stop, Tolerance};
/// let stop = Stop::relative(1e-8).with_max_cycles(50);
/// assert_eq!((stop.tolerance, stop.max_cycles), (Tolerance::Relative(1e-8), Some(50)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stop {
    /// When the problem counts as solved. Default: at 1e-6 of the residual at zero.
    pub tolerance: Tolerance,
    /// Outer cycles after which to give up. Default: what suits the method.
    pub max_cycles: Option<usize>,
}

impl Stop {
    /// Stops at this part of the residual at zero.
    pub fn relative(part: f64) -> Self {
        Tolerance::Relative(part).into()
    }

    /// Stops at this residual, in the units of b.
    pub fn absolute(residual: f64) -> Self {
        Tolerance::Absolute(residual).into()
    }

    /// Gives up after this many cycles, or with `None` after as many as suit the method.
    pub fn with_max_cycles(self, max_cycles: impl Into<Option<usize>>) -> Self {
        Self { max_cycles: max_cycles.into(), ..self }
    }
}

impl From<Tolerance> for Stop {
    fn from(tolerance: Tolerance) -> Self {
        Self { tolerance, ..Self::default() }
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self { tolerance: Tolerance::Relative(1e-6), max_cycles: None }
    }
}
