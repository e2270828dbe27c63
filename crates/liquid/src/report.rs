//! What a step says of itself.

use std::time::Duration;

use unstick_mlcp::Convergence;

use crate::error::StepError;
use crate::project::Projection;
use crate::step::Simulation;

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
    /// What it stopped on, at its start and after every cycle.
    pub history: Vec<f64>,
    /// How the solve for the contacts of bodies ended.
    pub contacts: Convergence,
    /// Time spent in each stage, in the order of [`Stage::ALL`].
    pub seconds: [Duration; 6],
}

/// The steps up to a moment.
#[derive(Clone, Debug, Default)]
pub struct AdvanceReport {
    /// One entry per step.
    pub steps: Vec<StepReport>,
}

impl<const D: usize> Simulation<D> {
    /// What a step says of itself; an error if it left no numbers.
    pub(crate) fn report(
        &mut self,
        dt: f64,
        projection: Projection<D>,
        contacts: Convergence,
    ) -> Result<StepReport, StepError> {
        let device_failure = self.device_failure.take();
        let state = &self.state;
        let particle = state.target_volume.max(f64::MIN_POSITIVE) / state.particles.len().max(1) as f64;
        let mass = self.setup.density * particle;
        let gravity = self.setup.gravity.at(state.time);
        let origin = self.setup.grid.origin();
        // Velocity lives in the middle of the step; so does the potential energy that goes with it.
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (position, velocity) in state.particles.position.iter().zip(&state.particles.velocity) {
            kinetic += 0.5 * mass * velocity.iter().map(|value| value * value).sum::<f64>();
            let height = |axis: usize| position[axis] - 0.5 * dt * velocity[axis] - origin[axis];
            potential -= mass * (0..D).map(|axis| gravity[axis] * height(axis)).sum::<f64>();
        }
        if !f64::is_finite(kinetic + potential) {
            return Err(StepError::NotFinite { time: state.time });
        }
        Ok(StepReport {
            time: state.time,
            dt,
            particles: state.particles.len(),
            volume: self.volume(),
            surface_volume: self.surface_volume(),
            kinetic_energy: kinetic,
            potential_energy: potential,
            divergence: projection.divergence,
            complementarity: projection.complementarity,
            unknowns: projection.unknowns,
            wall_rows: projection.report.wall_rows(),
            active_rows: state.separated.values().iter().filter(|separated| **separated).count(),
            solver: projection.report.solver().into(),
            device_failure,
            converged: projection.report.converged(),
            cycles: projection.report.cycles(),
            inner_iterations: projection.report.inner_iterations(),
            residual: projection.report.residual(),
            history: projection.report.history().to_vec(),
            contacts,
            seconds: self.clock.0,
        })
    }
}
