//! The projection: the pressure of a step, and what it does to the velocities of liquid and bodies.
//!
//! The simulation hands over fields, and the processor or a device solves. Three kinds of problem need rows: bodies add
//! a term of low rank to the operator, bubbles take one off, and splittings work on the closed parts of faces.

use unstick_grid::vector::length;
use unstick_mlcp::fields::FieldSolver;
use unstick_mlcp::{ProblemError, SolveReport};
use unstick_parallel as parallel;
use unstick_parallel::clock::Instant;
use unstick_parallel::vector;

use super::pull::Pull;
use super::splitting::{self, SplittingInput};
use super::update::update_velocity;
use super::wetting;
use super::{Enclosed, PressureRows, PressureSolver, PressureSources, RowAnswer};
use crate::cells::fill_by_number;
use crate::error::StepError;
use crate::share::{BEYOND, Places, cells_near};
use crate::simulation::Simulation;
use crate::simulation::report::Stage;
use crate::state::LiquidState;

/// What a projection reports; the pressure is in the state.
struct Projection<const D: usize> {
    /// The solver's account.
    report: SolveReport,
    /// Velocities at which liquid leaves closed faces, where a method knows them: axis, face, velocity.
    leaving: Vec<(usize, [usize; D], f64)>,
}

/// What a pressure does to bodies.
#[derive(Clone, Copy)]
enum Bodily {
    /// It moves them.
    Move,
    /// Nothing yet: it is only predicted.
    Stay,
}

impl<const D: usize> Simulation<D> {
    /// Solves for the pressure that would act without viscosity. Only the pressure and what has let go change; bodies stay as
    /// they are.
    pub(crate) fn predict_pressure(&mut self, kick: f64, dt: f64) -> Result<(), StepError> {
        let start = Instant::now();
        let scale = kick / self.setup.grid.spacing();
        self.find_adhesion();
        let sources = self.pressure_sources(kick);
        match (&self.solver, self.needs_rows()) {
            (PressureSolver::Solver(_), false) => self.solve_fields(&sources, scale)?,
            _ => self.solve_rows(&sources, kick, dt, Bodily::Stay)?,
        };
        self.keep_pressure(scale);
        self.times.add(Stage::Pressure, start.elapsed());
        Ok(())
    }

    /// The pressure of the state ← q.
    fn keep_pressure(&mut self, scale: f64) {
        let Self { state, scaled_pressure, .. } = self;
        parallel::for_each((scaled_pressure.values(), state.pressure.values_mut()), |(q, pressure)| {
            q.iter().zip(pressure).for_each(|(q, pressure)| *pressure = q / scale);
        });
    }

    /// Solves for the pressure of a step of length `dt`, which acts for a time of `kick`, and takes its gradient off the
    /// velocity.
    pub(crate) fn project_pressure(&mut self, kick: f64, dt: f64) -> Result<SolveReport, StepError> {
        let start = Instant::now();
        let grid = self.setup.grid;
        let scale = kick / grid.spacing();
        self.find_adhesion();
        let sources = self.pressure_sources(kick);
        let driven = sources.divergence.as_ref().map_or(0.0, |divergence| vector::norm_max(divergence.values()));
        let driven = self.share.as_ref().map_or(driven, |share| share.largest(driven));
        self.guard.explain(driven * grid.spacing());
        let Projection { report, leaving } = match (&self.solver, self.needs_rows()) {
            (PressureSolver::Solver(_), false) => self.solve_fields(&sources, scale)?,
            _ => self.solve_rows(&sources, kick, dt, Bodily::Move)?,
        };
        let Self { setup, state, geometry, known, scaled_pressure, share, .. } = self;
        if let Some(share) = share {
            let reach = setup.layers() + BEYOND + 1;
            share.fill_near(reach, &mut [(Places::CELLS, scaled_pressure.values_mut())]);
            share.fill(&mut [(Places::CELLS, state.separated.values_mut())]);
        }
        let LiquidState { liquid, velocity, .. } = state;
        let near = cells_near(share.as_deref(), setup.layers() + BEYOND, &grid);
        update_velocity(&grid, &geometry.open, liquid, scaled_pressure, velocity, known, near);
        for (axis, face, velocity) in leaving {
            *state.velocity[axis].at_mut(face) = velocity;
            *known[axis].at_mut(face) = true;
        }
        self.keep_pressure(scale);
        self.times.add(Stage::Pressure, start.elapsed());
        Ok(report)
    }

    /// From fields: on the device, if there is one, and on the processor where the device fails or falls short.
    fn solve_fields(&mut self, sources: &PressureSources<D>, scale: f64) -> Result<Projection<D>, StepError> {
        let Self { setup, state, geometry, geometry_version, scaled_pressure, solver, device, .. } = self;
        let LiquidState { time, liquid, velocity, pressure, separated, .. } = state;
        let fields = sources.fields(&setup.grid, geometry, *geometry_version, liquid, velocity);
        let mut solve = |solver: &mut dyn FieldSolver<D>| {
            parallel::for_each((pressure.values(), scaled_pressure.values_mut()), |(pressure, q)| {
                pressure.iter().zip(q).for_each(|(pressure, q)| *q = pressure * scale);
            });
            solver.solve_fields(&fields, scaled_pressure.values_mut(), separated.values_mut())
        };
        match device.as_mut().map(|device| solve(&mut **device)) {
            Some(Ok(report)) if report.converged() => return Ok(Projection { report, leaving: Vec::new() }),
            Some(Err(error)) => {
                *device = None;
                self.device_failure = Some(error.to_string());
            }
            _ => {}
        }
        let PressureSolver::Solver(solver) = solver else { unreachable!("splittings take rows") };
        let report = solve(&mut **solver).map_err(|error| StepError::of_solve(*time, error))?;
        let report = self.setup.pressure.accept(*time, report)?;
        Ok(Projection { report, leaving: Vec::new() })
    }

    /// From rows: with bodies, or by a splitting.
    fn solve_rows(
        &mut self,
        sources: &PressureSources<D>,
        kick: f64,
        dt: f64,
        bodily: Bodily,
    ) -> Result<Projection<D>, StepError> {
        let (time, grid) = (self.state.time, self.setup.grid);
        let mut rows = self.pressure_rows(sources, kick).map_err(|source| StepError::Problem { time, source })?;
        let Self { setup, state, geometry, solver, .. } = self;
        let LiquidState { liquid, velocity, pressure, .. } = state;
        let scale = kick / grid.spacing();
        let answer = match solver {
            PressureSolver::Solver(_) => {
                let start = rows.cells.iter().map(|&cell| pressure.at(cell) * scale).collect();
                match bodily {
                    Bodily::Move => self.solve_with_bodies(&mut rows, start, kick, dt)?,
                    Bodily::Stay => self.solve_beside_bodies(&mut rows, start, kick, dt)?,
                }
            }
            PressureSolver::Splitting(name) => {
                let input = SplittingInput { grid: &grid, geometry, liquid, velocity, rows: &rows, kick };
                let answer = splitting::solve(&input, *name, &setup.pressure.splitting);
                let answer = answer.map_err(|error| StepError::of_solve(time, error))?;
                RowAnswer { report: self.setup.pressure.accept(time, answer.report)?, ..answer }
            }
        };
        let RowAnswer { report, q, air, let_go, leaving } = answer;
        let Self { state, scaled_pressure, touching, .. } = self;
        scaled_pressure.values_mut().fill(0.0);
        state.separated.values_mut().fill(false);
        rows.cells.iter().zip(&q).for_each(|(&cell, q)| *scaled_pressure.at_mut(cell) = *q);
        let_go.iter().for_each(|&row| *state.separated.at_mut(rows.cells[row as usize]) = true);
        if !air.is_empty() {
            fill_by_number(scaled_pressure, |cell, q| {
                *q = rows.bubble_at(cell).map_or(*q, |bubble| air[bubble as usize]);
            });
            let pressures: Vec<f64> = air.iter().map(|q| q / scale).collect();
            state.air.keep_pressures(&pressures, touching);
        }
        Ok(Projection { report, leaving })
    }

    /// Whether rows are needed: bodies and bubbles add to them.
    fn needs_rows(&self) -> bool {
        self.bodies.is_some() || self.bubbles().next().is_some()
    }

    /// The terms of the problem beside the velocity, for a pressure that acts for a time of `kick`.
    pub(super) fn pressure_sources(&self, kick: f64) -> PressureSources<D> {
        let Self { setup, geometry, state, liquid_before, adhesion, .. } = self;
        let lower = adhesion
            .as_ref()
            .map(|adhesion| Pull { setup, geometry, state, liquid_before, adhesion }.least_scaled_pressure(kick));
        let lower = wetting::least_scaled_pressure(setup, geometry, kick, lower);
        PressureSources { lower, ..PressureSources::of(setup, geometry, state) }
    }

    /// The rows of the problem, for what needs them.
    pub(super) fn pressure_rows(
        &self,
        sources: &PressureSources<D>,
        kick: f64,
    ) -> Result<PressureRows<D>, ProblemError> {
        let Self { setup, state, geometry, geometry_version, touching, .. } = self;
        let fields = sources.fields(&setup.grid, geometry, *geometry_version, &state.liquid, &state.velocity);
        let fall = setup.gravity.at(state.time).map(|acceleration| kick * acceleration);
        let cell = length(setup.gravity.at(state.time)) * setup.grid.spacing();
        let enclosed = Enclosed { air: &state.air, touching, scale: kick / setup.grid.spacing(), cell };
        PressureRows::new(&setup.grid, geometry, &fields, (setup.density, fall), &enclosed)
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::{Grid, SignedDistance};
    use unstick_mlcp::Unconverged;

    use super::*;
    use crate::Setup;

    fn tank(solver: &str, tolerance: f64) -> Simulation<2> {
        let mut setup = Setup::new(Grid::new([2, 4], 0.25, [0.0; 2]).unwrap());
        (setup.pressure.solver, setup.pressure.tolerance) = (solver.parse().unwrap(), tolerance);
        Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [0.5, 0.5])).unwrap()
    }

    #[test]
    fn the_pressure_of_a_tank_at_rest_is_the_weight_above() {
        let mut tank = tank("best", 1e-13);
        let kick = tank.prepare_pressure(0.02);
        let report = tank.project_pressure(kick, 0.02).unwrap();
        assert_eq!((report.rows(), report.wall_rows(), report.active_rows()), (4, 4, 0));
        for (y, depth) in [(0, 0.375), (1, 0.125), (2, 0.0)] {
            assert!((tank.state.pressure.at([1, y]) - 9.81 * depth).abs() < 1e-9);
        }
        assert!((1..=2).all(|y| tank.state.velocity[1].at([0, y]).abs() < 1e-12));
    }

    #[test]
    fn an_answer_that_misses_its_tolerance_is_refused_unless_the_setup_accepts_it() {
        let mut tank = tank("best", 1e-300);
        let refused = tank.advance(0.01).unwrap_err();
        assert!(matches!(refused, StepError::Unconverged { time: 0.0, .. }), "{refused}");
        let mut setup = tank.setup.clone();
        setup.pressure.on_unconverged = Unconverged::Accept;
        let liquid = SignedDistance::cuboid([0.0; 2], [0.5, 0.5]);
        assert!(!Simulation::new(setup, &liquid).unwrap().advance(0.01).unwrap().converged);
    }
}
