//! The pressure stage of a step, taken out of its simulation.

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fields::FieldRows;
use unstick_mlcp::{SolveError, SolveReport, SplittingName};

use crate::error::StepError;
use crate::geometry::Geometry;
use crate::pressure::{PressureError, PressureProblem};
use crate::splitting::{self, Setting, SplittingParams};
use crate::state::LiquidState;
use crate::step::Simulation;

impl<const D: usize> Simulation<D> {
    /// The pressure problem that the next step of length `dt` would solve, with all that it comes from.
    pub fn stage(&self, dt: f64) -> Result<PressureStage<D>, StepError> {
        let mut copy = Self::resume_with_bodies(
            self.setup.clone(),
            self.state.clone(),
            self.bodies.as_ref().map(|bodies| bodies.boxed()),
        )
        .map_err(|_| StepError::NotFinite { time: self.state.time })?;
        let kick = 0.5 * (copy.state.last_step + dt);
        copy.move_solids();
        copy.exchange_particles();
        copy.gather_velocity(dt);
        copy.apply_forces(kick);
        copy.track_surface();
        let sources = copy.sources(kick);
        let problem = copy.pressure_problem(&sources);
        let problem = problem.map_err(|source| StepError::Problem { time: self.state.time, source })?;
        if problem.moves_bodies() {
            return Err(StepError::NoMatrix { time: self.state.time });
        }
        let grid = self.setup.grid;
        let scale = kick / grid.spacing();
        let start = problem.cells.iter().map(|&cell| self.state.pressure.at(cell) * scale).collect();
        let LiquidState { liquid, velocity, .. } = copy.state;
        Ok(PressureStage { grid, geometry: copy.geometry, liquid, velocity, problem, kick, start })
    }
}

/// A pressure problem with the velocities and walls that it comes from: what solvers and splittings
/// can be compared on.
pub struct PressureStage<const D: usize> {
    pub(crate) grid: Grid<D>,
    pub(crate) geometry: Geometry<D>,
    pub(crate) liquid: CellField<f64, D>,
    pub(crate) velocity: FaceField<f64, D>,
    pub(crate) problem: PressureProblem<D>,
    pub(crate) kick: f64,
    pub(crate) start: Vec<f64>,
}

impl<const D: usize> PressureStage<D> {
    /// Where the problem lies.
    pub fn grid(&self) -> &Grid<D> {
        &self.grid
    }

    /// The problem alone.
    pub fn rows(&self) -> &FieldRows<D> {
        self.problem.rows()
    }

    /// The scaled pressure of the step before, one number a row.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Carries out a splitting; returns its account and the scaled pressure.
    pub fn split(&self, name: SplittingName, params: &SplittingParams) -> Result<(SolveReport, Vec<f64>), SolveError> {
        let setting = Setting {
            grid: &self.grid,
            geometry: &self.geometry,
            liquid: &self.liquid,
            velocity: &self.velocity,
            problem: &self.problem,
            kick: self.kick,
        };
        match splitting::solve(&setting, name, params) {
            Ok(solved) => Ok((solved.report, solved.q)),
            Err(PressureError::Problem(error)) => Err(error.into()),
            Err(PressureError::Solve(error)) => Err(error),
        }
    }
}
