//! What can go wrong.

use std::fmt;

use unstick_mlcp::Convergence;

use crate::viscosity::Viscosity;

/// A setup that cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// One side of an axis is periodic, the other is not.
    #[error("one side of axis {axis} is periodic, the other is not: expected both or none")]
    HalfPeriodic {
        /// Which axis.
        axis: usize,
    },
    /// A wall that moves across itself.
    #[error("a wall across axis {axis} moves across itself at {speed}: expected a velocity along the wall")]
    WallThroughItself {
        /// Which axis.
        axis: usize,
        /// The part of its velocity across it.
        speed: f64,
    },
    /// Liquid enters and cannot leave.
    #[error("liquid enters but no side lets it out: expected an outflow")]
    NoOutflow,
    /// A density that is none.
    #[error("a density of {0}: expected a positive number")]
    Density(f64),
    /// A viscosity that is none.
    #[error("a viscosity of {0:?}: expected positive finite numbers, bounds in order")]
    Viscosity(Viscosity),
    /// A number that is none.
    #[error("the {what} is not finite")]
    NotFinite {
        /// Which number.
        what: &'static str,
    },
}

/// A step that has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A step of no length.
    #[error("a step of {0} s: expected a positive number")]
    Length(f64),
    /// A body that the domain does not hold.
    #[error("body {body} at {centre:?} lies outside of the domain")]
    BodyOutside {
        /// Which body, from 0.
        body: usize,
        /// Its centre.
        centre: Vec<f64>,
    },
    /// A free body without mass or size.
    #[error("body {body} has mass {mass} and volume {volume}: expected positive numbers")]
    Massless {
        /// Which body, from 0.
        body: usize,
        /// Its mass.
        mass: f64,
        /// Its volume.
        volume: f64,
    },
    /// What bodies do to each other cannot be told.
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
    /// The flow is no longer made of numbers.
    #[error("the velocity at {time} s is not finite; a shorter step may help")]
    Diverged {
        /// When.
        time: f64,
    },
}

/// A solve of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveKind {
    /// Momentum, implicit in the velocity and in the bodies.
    Viscous,
    /// The projection to a velocity without divergence.
    Pressure,
    /// Films between bodies that the grid does not resolve.
    Films,
    /// Impulses between bodies that touch.
    Contacts,
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
            Self::Films => "solve for films between bodies",
            Self::Contacts => "solve for contacts",
        })
    }
}
