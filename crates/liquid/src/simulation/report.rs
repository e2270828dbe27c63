//! The report of a step.

use std::time::Duration;

use unstick_grid::{NotANumber, NumberPlace};
use unstick_mlcp::{Convergence, SolveReport};
use unstick_parallel::{self as parallel, clock::Instant};

use super::Simulation;
use crate::error::StepError;
use crate::share::{Places, lines_of, places_inside, sum_of_lines};

/// A part of a step, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Solids and bodies: where they are, what they cover, what they touch.
    Solids,
    /// Particles to faces.
    Gather,
    /// Particles to liquid distance; sources and drains.
    Surface,
    /// Viscous stress and drag of walls: assembly, solve.
    Viscosity,
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
    pub const ALL: [Self; 8] = [
        Self::Solids,
        Self::Gather,
        Self::Surface,
        Self::Viscosity,
        Self::Pressure,
        Self::Extrapolate,
        Self::Scatter,
        Self::Move,
    ];

    /// Name in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solids => "solids",
            Self::Gather => "gather",
            Self::Surface => "surface",
            Self::Viscosity => "viscosity",
            Self::Pressure => "pressure",
            Self::Extrapolate => "extrapolate",
            Self::Scatter => "scatter",
            Self::Move => "move",
        }
    }
}

/// Time spent in each stage.
#[derive(Clone, Copy, Default)]
pub(crate) struct StageTimes([Duration; Stage::ALL.len()]);

impl StageTimes {
    /// Does some work and books its time.
    pub(crate) fn time<T>(&mut self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(stage, start.elapsed());
        result
    }

    /// Books time.
    pub(crate) fn add(&mut self, stage: Stage, time: Duration) {
        self.0[stage as usize] += time;
    }

    /// In the order of [`Stage::ALL`].
    pub(crate) fn all(&self) -> [Duration; Stage::ALL.len()] {
        self.0
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
    /// Energy of the surface in joules at the start of the step: tension times area; zero without tension.
    pub surface_energy: f64,
    /// Bubbles at the start of the step; zero where all air is open.
    pub bubbles: usize,
    /// Volume of all bubbles at the start of the step.
    pub bubble_volume: f64,
    /// Largest |r| on equation rows: divergence left, in velocity units.
    pub divergence: f64,
    /// Largest violation on wall rows: −min(q, 0), −min(r, 0) or min(q, r), in velocity units.
    pub complementarity: f64,
    /// Unknowns of the pressure problem.
    pub unknowns: usize,
    /// Rows at separating walls.
    pub wall_rows: usize,
    /// Wall rows that have let go.
    pub active_rows: usize,
    /// What solved for the pressure.
    pub solver: String,
    /// Why the device failed in this step. The processor has solved instead, and does so from now on.
    pub device_failure: Option<String>,
    /// Whether every solve of the step met its tolerance: that for the pressure, and those of `viscosity`, `density`
    /// and `contacts`.
    pub converged: bool,
    /// Whether the solve for the pressure did.
    pub pressure_converged: bool,
    /// Outer cycles of the pressure solver.
    pub cycles: usize,
    /// Its inner iterations.
    pub inner_iterations: usize,
    /// The natural residual it reached.
    pub residual: f64,
    /// What it stopped on, at its start and after every cycle.
    pub history: Vec<f64>,
    /// How the viscous solve ended; nothing to solve without viscosity.
    pub viscosity: Convergence,
    /// How the solve for the displacement of the particles ended, which holds their density.
    pub density: Convergence,
    /// How the solves for the contacts of bodies ended: impulses, friction, places.
    pub contacts: Convergence,
    /// How the turns of pressure and contacts of bodies ended: rounds; its residual is in m/s. They are limited in
    /// number, and the last one stands: a step whose turns have not settled counts as converged.
    pub coupling: Convergence,
    /// Time spent in each stage, in the order of [`Stage::ALL`].
    pub seconds: [Duration; Stage::ALL.len()],
}

impl StepReport {
    /// What solves say of a step at `time` of length `dt`; all else is nothing yet.
    pub fn of_solves(time: f64, dt: f64, pressure: &SolveReport, density: Convergence, contacts: Convergence) -> Self {
        Self {
            time,
            dt,
            particles: 0,
            volume: 0.0,
            surface_volume: 0.0,
            kinetic_energy: 0.0,
            potential_energy: 0.0,
            surface_energy: 0.0,
            bubbles: 0,
            bubble_volume: 0.0,
            divergence: pressure.divergence(),
            complementarity: pressure.complementarity(),
            unknowns: pressure.rows(),
            wall_rows: pressure.wall_rows(),
            active_rows: pressure.active_rows(),
            solver: pressure.solver().into(),
            device_failure: None,
            converged: pressure.converged() && density.converged() && contacts.converged(),
            pressure_converged: pressure.converged(),
            cycles: pressure.cycles(),
            inner_iterations: pressure.inner_iterations(),
            residual: pressure.residual(),
            history: pressure.history().to_vec(),
            viscosity: Convergence::default(),
            density,
            contacts,
            coupling: Convergence::default(),
            seconds: Default::default(),
        }
    }
}

/// The steps up to a moment.
#[derive(Clone, Debug, Default)]
pub struct AdvanceReport {
    /// One entry per step.
    pub steps: Vec<StepReport>,
}

impl<const D: usize> Simulation<D> {
    /// The report of the step that has just been taken; an error if a velocity is no longer a number.
    pub(crate) fn report(
        &mut self,
        dt: f64,
        solve: &SolveReport,
        density: Convergence,
        contacts: Convergence,
    ) -> Result<StepReport, StepError> {
        let (device_failure, coupling, viscosity) = (self.device_failure.take(), self.coupling, self.viscosity);
        let state = &self.state;
        let cell = self.setup.grid.spacing().powi(D as i32);
        let mass = self.setup.density * cell / self.setup.particles_per_cell() as f64;
        let gravity = self.setup.gravity.at(state.time);
        let origin = self.setup.grid.origin();
        // Velocity lives in the middle of the step; so does the potential energy that goes with it. Particles are counted
        // by lines of cells, which no rank cuts.
        let share = self.share.as_deref();
        let (cells, starts) = (self.setup.grid.cells(), &self.starts);
        let lines = lines_of(cells, places_inside(share, Places::CELLS, cells));
        let of_line = |line: usize| {
            let (mut kinetic, mut potential) = (0.0, 0.0);
            let range = starts[line * cells[0]] as usize..starts[(line + 1) * cells[0]] as usize;
            let velocities = &state.particles.velocity[range.clone()];
            for (position, velocity) in state.particles.position[range.clone()].iter().zip(velocities) {
                kinetic += 0.5 * mass * velocity.iter().map(|value| value * value).sum::<f64>();
                let height = |axis: usize| position[axis] - 0.5 * dt * velocity[axis] - origin[axis];
                potential -= mass * (0..D).map(|axis| gravity[axis] * height(axis)).sum::<f64>();
            }
            [kinetic, potential, range.len() as f64]
        };
        let [kinetic, potential, particles] = sum_of_lines(share, &lines, of_line);
        let separated_in = |line: &usize| {
            let line = &state.separated.values()[line * cells[0]..(line + 1) * cells[0]];
            line.iter().filter(|separated| **separated).count()
        };
        let in_lines = |lines: &[usize]| lines.iter().map(separated_in).sum();
        let active_rows = parallel::fold_scattered(lines.as_slice(), &in_lines, &|one: usize, other| one + other);
        let active_rows = share.map_or(active_rows, |share| share.total(active_rows));
        let fastest = share.map_or(self.fastest_here(), |share| share.largest(self.fastest_here()));
        if !f64::is_finite(kinetic + potential) {
            self.check_finite()?;
            let value = kinetic + potential;
            return Err(self.not_finite(NotANumber { field: "energy", place: NumberPlace::Everything, value }));
        }
        self.fastest_of_all = Some(fastest);
        let Self { guard, setup, geometry, share, .. } = self;
        guard.check((setup, geometry, share.as_deref()), (self.state.time, dt), fastest, kinetic)?;
        let mut times = std::mem::take(&mut self.times);
        let (volume, surface_volume) = times.time(Stage::Surface, || (self.volume(), self.surface_volume()));
        self.times = times;
        let state = &self.state;
        let solves = StepReport::of_solves(state.time, dt, solve, density, contacts);
        Ok(StepReport {
            converged: solves.converged && viscosity.converged(),
            viscosity,
            particles: particles as usize,
            volume,
            surface_volume,
            kinetic_energy: kinetic,
            potential_energy: potential,
            surface_energy: self.surface_energy,
            bubbles: self.bubbles().count(),
            bubble_volume: self.bubbles().map(|bubble| bubble.measured).sum(),
            active_rows,
            device_failure,
            coupling,
            seconds: self.times.all(),
            ..solves
        })
    }
}
