//! When a solve is good enough, or has tried long enough.

use crate::error::SolveError;

/// What counts as solved, in terms of the natural residual ‖H‖∞.
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// What counts as solved. Default: 1e-6 of the residual at zero.
    pub tolerance: Tolerance,
    /// Outer cycles after which to give up. Default: what suits the method.
    pub max_cycles: Option<usize>,
}

impl Default for Stop {
    fn default() -> Self {
        Self { tolerance: Tolerance::Relative(1e-6), max_cycles: None }
    }
}
