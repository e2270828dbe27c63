//! What can go wrong.

use std::fmt;

use unstick_grid::NotANumber;
use unstick_mlcp::Convergence;

use crate::viscosity::Viscosity;

/// A setup that cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// One side of an axis is periodic, the other is not.
    #[error("one side of axis {0} is periodic, the other is not: expected both or none")]
    HalfPeriodic(usize),
    /// A wall moves across itself.
    #[error("a wall across axis {axis} moves across itself at {speed}: expected a velocity along the wall")]
    WallThroughItself {
        /// Which axis.
        axis: usize,
        /// Its velocity across itself.
        speed: f64,
    },
    /// Liquid enters and cannot leave.
    #[error("liquid enters but no side lets it out: expected an outflow")]
    NoOutflow,
    /// The density is not positive.
    #[error("a density of {0}: expected a positive number")]
    Density(f64),
    /// The viscosity is not positive or its bounds are out of order.
    #[error("a viscosity of {0:?}: expected positive finite numbers, bounds in order")]
    Viscosity(Viscosity),
    /// A number is not finite.
    #[error("the {0} is not finite")]
    NotFinite(&'static str),
}

/// A step that could not be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The length of the step is not positive.
    #[error("a step of {0} s: expected a positive number")]
    Length(f64),
    /// A grid that is not that of the flow with its inner nodes moved.
    #[error("axis {axis} of the grid at the end of a step has other cells or other ends: expected inner nodes to move")]
    OtherGrid {
        /// Which axis.
        axis: usize,
    },
    /// A body lies outside of the domain.
    #[error("body {body} at {centre:?} lies outside of the domain")]
    BodyOutside {
        /// Which body, from 0.
        body: usize,
        /// Its centre.
        centre: Vec<f64>,
    },
    /// A free body has no mass or no volume.
    #[error("body {body} has mass {mass} and volume {volume}: expected positive numbers")]
    Massless {
        /// Which body, from 0.
        body: usize,
        /// Its mass.
        mass: f64,
        /// Its volume.
        volume: f64,
    },
    /// The contacts between bodies cannot be resolved.
    #[error("the contacts at {time} s cannot be resolved: {reason}")]
    Contact {
        /// When.
        time: f64,
        /// Why.
        reason: String,
    },
    /// A solve missed its tolerance.
    #[error("the {solve} at {time} s ended with {convergence}")]
    Unconverged {
        /// When.
        time: f64,
        /// Which solve.
        solve: SolveKind,
        /// How it ended.
        convergence: Convergence,
    },
    /// Somebody has [interrupted](unstick_mlcp::interruptible) the step.
    #[error("the step at {time} s was interrupted")]
    Interrupted {
        /// When.
        time: f64,
    },
    /// A step that does not move the clock.
    #[error("a step of {length:e} s at {time} s does not move the clock")]
    TooShort {
        /// When.
        time: f64,
        /// Length of the step.
        length: f64,
    },
    /// A number of the state became NaN or infinite.
    #[error("at {time} s, after {step} steps: {number}; a shorter step may help")]
    NotFinite {
        /// When.
        time: f64,
        /// Steps taken.
        step: u64,
        /// Which number, and where.
        number: NotANumber,
    },
}

/// A solve of a step that can end a run.
///
/// Films and contacts cannot: what they miss is in their reports, and the next step corrects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveKind {
    /// Momentum, implicit in the velocity and in the bodies.
    Viscous,
    /// The projection to a velocity without divergence.
    Pressure,
}

impl SolveKind {
    /// An error if this solve did not converge.
    pub fn demand(self, convergence: Convergence, time: f64) -> Result<(), StepError> {
        if convergence.converged() { Ok(()) } else { Err(StepError::Unconverged { time, solve: self, convergence }) }
    }
}

impl fmt::Display for SolveKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Viscous => "viscous step",
            Self::Pressure => "pressure solve",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unstick_mlcp::Outcome;

    #[test]
    fn a_solve_that_falls_short_says_which_and_by_how_much() {
        let good = Convergence::new(Outcome::Converged, 7, 1e-9, 1e-6);
        assert_eq!(SolveKind::Viscous.demand(good, 0.5), Ok(()));
        let bad = Convergence::new(Outcome::IterationLimit, 200, 3e-3, 1e-6);
        assert_eq!(
            SolveKind::Pressure.demand(bad, 0.5).unwrap_err().to_string(),
            "the pressure solve at 0.5 s ended with iteration limit after 200 iterations: residual 3.00e-3, 1.00e-6 \
             asked for"
        );
    }
}
