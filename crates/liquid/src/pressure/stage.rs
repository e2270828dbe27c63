//! The pressure problem of a step with all that it comes from, outside of its simulation.

use unstick_grid::{CellField, FaceField, Grid, by_dimension};
use unstick_mlcp::fields::FieldRows;
use unstick_mlcp::{SolveError, SolveReport, SplittingName};

use super::PressureRows;
use super::splitting::{self, SplittingInput, SplittingParams};
use crate::error::StepError;
use crate::simulation::Simulation;
use crate::solids::Geometry;

impl<const D: usize> Simulation<D> {
    /// The pressure problem that the next step of length `dt` would solve, with all that it comes from.
    pub fn stage(&self, dt: f64) -> Result<PressureStage<D>, StepError> {
        let mut copy = Self::resume_with_bodies(
            self.setup.clone(),
            self.state.clone(),
            self.bodies.as_ref().map(|bodies| bodies.boxed()),
        )
        .map_err(|error| StepError::Bodies { time: self.state.time, message: error.to_string() })?;
        by_dimension(&mut copy, dt, stage_in_plane, stage_in_space)
    }

    /// The stage of a copy of a simulation, which is of no use afterwards.
    fn become_stage(&mut self, dt: f64) -> Result<PressureStage<D>, StepError> {
        let kick = self.prepare_pressure(dt);
        self.viscosity = self.apply_viscosity(kick, dt)?;
        self.find_adhesion();
        let sources = self.pressure_sources(kick);
        let rows = self.pressure_rows(&sources, kick);
        let mut rows = rows.map_err(|source| StepError::Problem { time: self.state.time, source })?;
        rows.set_response(&self.expected_response(kick, dt)?);
        if !rows.is_sparse() {
            return Err(StepError::NoMatrix(self.state.time));
        }
        let grid = self.setup.grid;
        let scale = kick / grid.spacing();
        let start = rows.cells.iter().map(|&cell| self.state.pressure.at(cell) * scale).collect();
        let had_let_go = rows.cells.iter().map(|&cell| self.state.separated.at(cell)).collect();
        let (liquid, velocity) = (self.state.liquid.clone(), self.state.velocity.clone());
        Ok(PressureStage { grid, geometry: self.geometry.clone(), liquid, velocity, rows, kick, start, had_let_go })
    }
}

#[inline(never)]
fn stage_in_plane(simulation: &mut Simulation<2>, dt: f64) -> Result<PressureStage<2>, StepError> {
    simulation.become_stage(dt)
}

#[inline(never)]
fn stage_in_space(simulation: &mut Simulation<3>, dt: f64) -> Result<PressureStage<3>, StepError> {
    simulation.become_stage(dt)
}

/// A pressure problem with the velocities and walls that it comes from. Solvers and splittings can be compared on it.
pub struct PressureStage<const D: usize> {
    pub(crate) grid: Grid<D>,
    pub(crate) geometry: Geometry<D>,
    pub(crate) liquid: CellField<f64, D>,
    pub(crate) velocity: FaceField<f64, D>,
    pub(crate) rows: PressureRows<D>,
    pub(crate) kick: f64,
    pub(crate) start: Vec<f64>,
    pub(crate) had_let_go: Vec<bool>,
}

impl<const D: usize> PressureStage<D> {
    /// Where the problem lies.
    pub fn grid(&self) -> &Grid<D> {
        &self.grid
    }

    /// The problem alone.
    pub fn rows(&self) -> &FieldRows<D> {
        self.rows.rows()
    }

    /// The scaled pressure of the step before, one number a row.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Whether the wall of each row had let go in the step before.
    pub fn had_let_go(&self) -> &[bool] {
        &self.had_let_go
    }

    /// Seconds over which the pressure acts.
    pub fn seconds(&self) -> f64 {
        self.kick
    }

    /// Carries out a splitting; returns its account and the scaled pressure.
    pub fn split(&self, name: SplittingName, params: &SplittingParams) -> Result<(SolveReport, Vec<f64>), SolveError> {
        let Self { grid, geometry, liquid, velocity, rows, kick, .. } = self;
        let input = SplittingInput { grid, geometry, liquid, velocity, rows, kick: *kick };
        splitting::solve(&input, name, params).map(|answer| (answer.report, answer.q))
    }
}
