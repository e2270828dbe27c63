//! What a step says of itself.

use std::time::Duration;

/// A part of a step, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Particles to faces.
    Gather,
    /// Particles to liquid distance; sources, drains, reseeding.
    Surface,
    /// The complementarity problem: assembly, solve, update.
    Pressure,
    /// Velocity beyond the liquid.
    Extrapolate,
    /// Faces to particles.
    Scatter,
    /// Particles through the velocity.
    Move,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Gather, Self::Surface, Self::Pressure, Self::Extrapolate, Self::Scatter, Self::Move];

    /// Name in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Surface => "surface",
            Self::Pressure => "pressure",
            Self::Extrapolate => "extrapolate",
            Self::Scatter => "scatter",
            Self::Move => "move",
        }
    }
}

/// One step.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// Time at its end.
    pub time: f64,
    /// Its length.
    pub dt: f64,
    /// Particles at its end.
    pub particles: usize,
    /// Volume of the liquid (area in 2D): the space that its particles fill.
    pub volume: f64,
    /// Volume inside the surface, without films and spray that are too thin for it.
    pub surface_volume: f64,
    /// Kinetic energy in joules, in the middle of the step.
    pub kinetic_energy: f64,
    /// Potential energy in joules, in the middle of the step, relative to the origin of the grid.
    pub potential_energy: f64,
    /// Largest |r| on equation rows: divergence left, in velocity units.
    pub divergence: f64,
    /// Largest violation on wall rows: −min(q, 0), −min(r, 0) or min(q, r), in velocity units.
    pub complementarity: f64,
    /// Unknowns of the pressure problem.
    pub unknowns: usize,
    /// Wall rows, and those of them that have let go.
    pub wall_rows: usize,
    /// Wall rows that have let go.
    pub active_rows: usize,
    /// What solved for the pressure.
    pub solver: String,
    /// Why a device that was to solve for it did not; the processor has, and does from now on.
    pub device_failure: Option<String>,
    /// Whether the pressure solve met its tolerance.
    pub converged: bool,
    /// Outer cycles of the pressure solver.
    pub cycles: usize,
    /// Its inner iterations.
    pub inner_iterations: usize,
    /// The natural residual it reached.
    pub residual: f64,
    /// Time spent in each stage, in the order of [`Stage::ALL`].
    pub seconds: [Duration; 6],
}

/// The steps up to a moment.
#[derive(Clone, Debug, Default)]
pub struct AdvanceReport {
    /// One entry per step.
    pub steps: Vec<StepReport>,
}
