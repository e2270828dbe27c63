//! What can be wrong with bodies.

use unstick_mlcp::{ProblemError, SolveError};

/// Bodies that were refused, or contacts that cannot be resolved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// A quantity that must be positive is not.
    #[error("body `{body}`: its {what} is {value}, expected a positive number")]
    NotPositive {
        /// Which body.
        body: String,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A quantity is outside of its range.
    #[error("body `{body}`: its {what} is {value}, expected {expected}")]
    OutOfRange {
        /// Which body.
        body: String,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// A place or velocity is not finite.
    #[error("body `{body}`: its {what} is not finite")]
    NotFinite {
        /// Which body.
        body: String,
        /// Which quantity.
        what: &'static str,
    },
    /// Two bodies have the same name.
    #[error("two bodies are named `{0}`")]
    SameName(String),
    /// Two bodies overlap.
    #[error("bodies `{first}` and `{second}` overlap by {depth:.3e} m at {point:.4?}")]
    Overlap {
        /// One of them.
        first: String,
        /// The other.
        second: String,
        /// How far.
        depth: f64,
        /// Where.
        point: Vec<f64>,
    },
    /// A body reaches out of the container.
    #[error("body `{body}` reaches {depth:.3e} m into the wall at {point:.4?}")]
    Outside {
        /// Which body.
        body: String,
        /// How far.
        depth: f64,
        /// Where.
        point: Vec<f64>,
    },
    /// The contact problem makes no sense.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The contact solver could not work at all.
    #[error(transparent)]
    Solve(#[from] SolveError),
}
