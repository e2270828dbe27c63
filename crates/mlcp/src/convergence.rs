//! How a solve ended, in four numbers, and what to do when it fell short.

use std::fmt;

use crate::report::{Outcome, SolveReport};

/// How a solve ended: the short form of a [`SolveReport`], for steps that take several solves.
///
/// ```
/// use unstick_mlcp::{Convergence, Outcome};
///
/// let first = Convergence::new(Outcome::Converged, 12, 8e-7, 1e-6);
/// let second = Convergence::new(Outcome::Stalled, 31, 2e-3, 1e-4);
/// let both = first.and(second);
/// assert_eq!((both.iterations, both.converged()), (43, false));
/// assert_eq!(second.to_string(), "stalled after 31 iterations: residual 2.00e-3, 1.00e-4 asked for");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[must_use = "a solve that did not converge says so only here"]
pub struct Convergence {
    /// How it ended.
    pub outcome: Outcome,
    /// Iterations taken.
    pub iterations: usize,
    /// What it reached, in the measure of its tolerance; zero for a direct solve.
    pub residual: f64,
    /// What it should have reached.
    pub tolerance: f64,
}

impl Convergence {
    /// The end of an iteration.
    pub fn new(outcome: Outcome, iterations: usize, residual: f64, tolerance: f64) -> Self {
        Self { outcome, iterations, residual, tolerance }
    }

    /// The end of a solve without a tolerance: a direct one, or a fixed number of passes.
    pub fn direct(iterations: usize) -> Self {
        Self::new(Outcome::Converged, iterations, 0.0, 0.0)
    }

    /// Whether the answer meets the tolerance.
    pub fn converged(&self) -> bool {
        self.outcome == Outcome::Converged
    }

    /// Two solves as one: iterations add up, and the one that ended worse counts.
    pub fn and(self, other: Self) -> Self {
        let worse = if other.badness() > self.badness() { other } else { self };
        Self { iterations: self.iterations + other.iterations, ..worse }
    }

    /// Whether it failed, then how far it is from its tolerance.
    fn badness(&self) -> (bool, f64) {
        (!self.converged(), if self.tolerance > 0.0 { self.residual / self.tolerance } else { 0.0 })
    }
}

impl Default for Convergence {
    /// Nothing to solve.
    fn default() -> Self {
        Self::direct(0)
    }
}

impl From<&SolveReport> for Convergence {
    fn from(report: &SolveReport) -> Self {
        Self::new(report.outcome(), report.cycles(), report.reached(), report.target())
    }
}

impl fmt::Display for Convergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { outcome, iterations, residual, tolerance } = self;
        write!(f, "{outcome} after {iterations} iterations: residual {residual:.2e}, {tolerance:.2e} asked for")
    }
}

/// What a simulation does when a solve misses its tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unconverged {
    /// End the run with an error; it can be resumed from its last checkpoint.
    #[default]
    Error,
    /// Take the step again with half the time, up to [`MAX_HALVINGS`](Self::MAX_HALVINGS) times; then end.
    ShortenStep,
    /// Report it and go on.
    Accept,
}

impl Unconverged {
    /// How often a step is halved before the run ends.
    pub const MAX_HALVINGS: u32 = 6;

    /// All of them, by name.
    pub const ALL: &[(&str, Self)] =
        &[("error", Self::Error), ("shorten-step", Self::ShortenStep), ("accept", Self::Accept)];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_of_two_solves_counts() {
        let good = Convergence::new(Outcome::Converged, 3, 1e-9, 1e-6);
        let near = Convergence::new(Outcome::Converged, 4, 9e-7, 1e-6);
        let far = Convergence::new(Outcome::IterationLimit, 5, 1e-2, 1e-4);
        assert_eq!(good.and(near), Convergence { iterations: 7, ..near });
        assert_eq!(far.and(near), Convergence { iterations: 9, ..far });
        assert_eq!(Convergence::default().and(good), good);
    }
}
