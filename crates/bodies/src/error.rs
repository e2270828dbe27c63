//! What can be wrong with bodies, as values with data.

use unstick_mlcp::{Outcome, ProblemError, SolveError};

/// Bodies that cannot be.
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
    /// A quantity outside of its range.
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
    /// A place or velocity that is no number.
    #[error("body `{body}`: its {what} is not finite")]
    NotFinite {
        /// Which body.
        body: String,
        /// Which quantity.
        what: &'static str,
    },
    /// Two bodies of one name.
    #[error("two bodies are named `{0}`")]
    SameName(String),
    /// Two bodies in one place.
    #[error("bodies `{first}` and `{second}` overlap by {depth:.3e} m at {point:?}")]
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
    /// A body outside of the container.
    #[error("body `{body}` reaches {depth:.3e} m into the wall at {point:?}")]
    Outside {
        /// Which body.
        body: String,
        /// How far.
        depth: f64,
        /// Where.
        point: Vec<f64>,
    },
    /// The contact solver missed its tolerance.
    #[error("the contact solver `{solver}` ended with {outcome}: residual {residual:.2e}, {target:.2e} asked for")]
    Unconverged {
        /// Which solver.
        solver: String,
        /// How it ended.
        outcome: Outcome,
        /// What it reached.
        residual: f64,
        /// What it should have reached.
        target: f64,
    },
    /// The contact problem makes no sense.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The contact solver could not work at all.
    #[error(transparent)]
    Solve(#[from] SolveError),
}
