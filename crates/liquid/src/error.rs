//! Errors, as values with data.

use unstick_flow::Viscosity;
use unstick_grid::NotANumber;
use unstick_mlcp::ranks::BoxesError;
use unstick_mlcp::{Convergence, Outcome, ProblemError, SolveError};

/// A simulation that cannot be set up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A quantity that must be positive is not.
    #[error("{what} is {value}, expected a positive number")]
    NotPositive {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A blend outside of 0 to 1.
    #[error("the PIC part is {0}, expected a number from 0 to 1")]
    Blend(f64),
    /// A contact angle that is no angle of a wedge.
    #[error("the contact angle is {0} degrees, expected a number between 0 and 180")]
    ContactAngle(f64),
    /// A surface tension that is negative or no number.
    #[error("the surface tension is {0} N/m, expected zero or a positive number")]
    Tension(f64),
    /// Too few or too many particles.
    #[error("{0} particles along each axis of a cell, expected 1 to 4")]
    ParticlesPerAxis(usize),
    /// Viscosities that are negative or no numbers.
    #[error("the viscosity is {0:?}, expected numbers that make a viscosity from zero on")]
    Viscosity(Viscosity),
    /// A slip length or a coefficient of friction that is negative or no number.
    #[error("the slip length or friction of a wall is {0}, expected a number from zero on")]
    Drag(f64),
    /// A splitting has no bounds that κ could shift.
    #[error(
        "κ is {control}, which `{splitting}` cannot follow: expected 0, or a solver of the complementarity problem"
    )]
    NoControl {
        /// Which splitting.
        splitting: &'static str,
        /// κ.
        control: String,
    },
    /// An adhesion that is none.
    #[error("the adhesion of a wall is {0} Pa, expected a number that is zero or more")]
    Adhesion(f64),
    /// A splitting has no bounds that a pull could lower.
    #[error("`{0}` knows no walls that pull: expected no adhesion, or a solver of the complementarity problem")]
    NoAdhesion(&'static str),
    /// A splitting cannot move bodies.
    #[error("`{0}` cannot move bodies: expected a solver of the complementarity problem")]
    NoBodies(&'static str),
    /// The state belongs to other bodies: it holds so many numbers.
    #[error("the state holds {0} numbers of bodies, and these bodies have another number")]
    OtherBodies(usize),
    /// All of the liquid lies in solids or outside of the grid.
    #[error("there is no liquid: all of its shape lies inside solids or outside of the grid")]
    NoLiquid,
    /// Enclosed air with a splitting, which knows no air but the outer one.
    #[error("`{0}` knows no enclosed air: expected open air, or a solver of the complementarity problem")]
    NoEnclosedAir(&'static str),
    /// A part of the physics that many ranks cannot share yet.
    #[error("{0} cannot be shared by many ranks yet: expected a run on one machine, or a scene without it")]
    NotShared(&'static str),
    /// A grid that cannot be cut into so many boxes.
    #[error(transparent)]
    Boxes(#[from] BoxesError),
}

/// A step that could not be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The pressure solve missed its tolerance.
    #[error(
        "at {time} s the pressure solver `{solver}` ended with {outcome}: residual {residual:.2e}, {target:.2e} asked for"
    )]
    Unconverged {
        /// Simulated time.
        time: f64,
        /// Which solver.
        solver: String,
        /// How it ended.
        outcome: Outcome,
        /// What it reached.
        residual: f64,
        /// What it should have reached.
        target: f64,
    },
    /// A change from outside left so many of something.
    #[error("{found} {what}, expected {expected}")]
    Misfit {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A change from outside put a particle where there is no grid.
    #[error("particle {particle} is at {point:?}, outside of the grid")]
    Outside {
        /// Which.
        particle: usize,
        /// Where.
        point: Vec<f64>,
    },
    /// The viscous solve missed its tolerance.
    #[error("at {time} s the viscous solve fell short: {convergence}")]
    ViscosityUnconverged {
        /// Simulated time.
        time: f64,
        /// How it ended.
        convergence: Convergence,
    },
    /// The pressure solver could not work at all.
    #[error("at {time} s: {source}")]
    Solve {
        /// Simulated time.
        time: f64,
        /// Why.
        source: SolveError,
    },
    /// The pressure problem makes no sense.
    #[error("at {time} s: {source}")]
    Problem {
        /// Simulated time.
        time: f64,
        /// Why.
        source: ProblemError,
    },
    /// Bodies could not be moved.
    #[error("at {time} s: {message}")]
    Bodies {
        /// Simulated time.
        time: f64,
        /// Why.
        message: String,
    },
    /// At this time the problem has bodies or bubbles, and so no matrix that could be written.
    #[error("at {0} s: the pressure moves bodies or holds bubbles, and such a problem has no sparse matrix")]
    NoMatrix(f64),
    /// Something moves faster than anything can explain.
    #[error(
        "at {time} s something moves at {speed:.3e} m/s, where {explained:.3e} m/s can be explained: the kinetic energy is \
         {energy:.3e} J and the step {dt:.1e} s"
    )]
    Absurd {
        /// Simulated time.
        time: f64,
        /// The largest speed.
        speed: f64,
        /// What the start, gravity, sources and moving solids explain.
        explained: f64,
        /// Kinetic energy of the liquid.
        energy: f64,
        /// Length of the step.
        dt: f64,
    },
    /// A step that does not move the clock.
    #[error(
        "at {time} s a step of {dt:e} s does not move the clock: the fastest particle or body moves at {speed:.3e} m/s"
    )]
    TooShort {
        /// Simulated time.
        time: f64,
        /// Length of the step.
        dt: f64,
        /// Speed of the fastest particle or body.
        speed: f64,
    },
    /// A step has failed before.
    #[error("after {step} steps a step has failed: the state is that of its middle, from which nothing goes on")]
    Broken {
        /// Steps taken.
        step: u64,
    },
    /// A number of the state became NaN or infinite.
    #[error("at {time} s, after {step} steps: {number}")]
    NotFinite {
        /// Simulated time.
        time: f64,
        /// Steps taken.
        step: u64,
        /// Which number, and where.
        number: NotANumber,
    },
    /// Liquid moves further in a step than ranks know of each other.
    #[error("at {time} s liquid moves through {cells:.1} cells in a step, and ranks know {most} cells of each other")]
    TooFar {
        /// Simulated time.
        time: f64,
        /// Cells that the fastest crosses.
        cells: f64,
        /// Cells that it may cross.
        most: f64,
    },
    /// Particles were pushed to ranks that are not near.
    #[error("at {time} s solids pushed {particles} particles further than ranks know of each other")]
    Lost {
        /// Simulated time.
        time: f64,
        /// How many.
        particles: usize,
    },
    /// Another rank has failed and says why.
    #[error("at {time} s another rank has failed")]
    OtherRank {
        /// Simulated time.
        time: f64,
    },
}

impl StepError {
    /// Whether a solve has missed its tolerance. A shorter step may help.
    pub fn is_unconverged(&self) -> bool {
        matches!(self, Self::Unconverged { .. } | Self::ViscosityUnconverged { .. })
    }

    /// A solve at a moment that gave no answer.
    pub fn of_solve(time: f64, error: SolveError) -> Self {
        match error {
            SolveError::Problem(source) => Self::Problem { time, source },
            source => Self::Solve { time, source },
        }
    }
}
