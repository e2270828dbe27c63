//! The projection: builds the pressure problem of a step, has it solved, and takes its gradient off the
//! velocities of liquid and bodies.

use unstick_mlcp::clock::Instant;

use crate::error::StepError;
use crate::pressure::{PressureError, PressureProblem, Solved, Sources};
use crate::report::Stage;
use crate::setup::Unconverged;
use crate::splitting::{self, Setting};
use crate::state::LiquidState;
use crate::step::{Method, Simulation};
use crate::volume;

impl<const D: usize> Simulation<D> {
    /// The complementarity problem.
    pub(crate) fn project_pressure(&mut self, kick: f64) -> Result<Solved<D>, StepError> {
        let start = Instant::now();
        let time = self.state.time;
        let grid = self.setup.grid;
        let problem = self.pressure_problem(kick).map_err(|source| StepError::Problem { time, source })?;
        let scale = kick / grid.spacing();
        let guess = |cell| self.state.pressure.at(cell) * scale;
        // A device knows nothing of bodies.
        let device = self.device.as_mut().filter(|_| self.bodies.is_none());
        let on_device = device.map(|device| problem.solve(&mut **device, guess));
        let failure = on_device.as_ref().and_then(|result| result.as_ref().err()).map(PressureError::to_string);
        let solved = match (on_device, &mut self.solver) {
            (Some(Ok(solved)), _) if solved.report.converged() => Ok(solved),
            (_, Method::Solver(solver)) => problem.solve(&mut **solver, guess),
            (_, Method::Splitting(name)) => {
                let (geometry, LiquidState { liquid, velocity, .. }) = (&self.geometry, &self.state);
                let setting = Setting { grid: &grid, geometry, liquid, velocity, problem: &problem, kick };
                splitting::solve(&setting, *name, &self.setup.pressure.splitting)
            }
        };
        if failure.is_some() {
            self.device = None;
            self.device_failure = failure;
        }
        let solved = solved.map_err(|error| match error {
            PressureError::Problem(source) => StepError::Problem { time, source },
            PressureError::Solve(source) => StepError::Solve { time, source },
        })?;
        if !solved.report.converged() && self.setup.pressure.on_unconverged != Unconverged::Accept {
            return Err(StepError::Unconverged {
                time,
                solver: solved.report.solver().into(),
                outcome: solved.report.outcome(),
                residual: solved.report.reached(),
                target: solved.report.target(),
            });
        }
        let Self { state, geometry, known, bodies, .. } = self;
        if let Some(bodies) = bodies {
            bodies.push(&problem.pushes(&solved.q), kick);
            geometry.carry_bodies(&grid, Some(bodies.immersed()));
        }
        problem.update_velocity(&grid, geometry, &state.liquid, &solved.q, &mut state.velocity, known);
        for &(axis, face, velocity) in &solved.leaving {
            *state.velocity[axis].at_mut(face) = velocity;
            *known[axis].at_mut(face) = true;
        }
        state.pressure.values_mut().fill(0.0);
        state.separated.values_mut().fill(false);
        for ((&cell, q), active) in problem.cells.iter().zip(&solved.q).zip(&solved.active) {
            *state.pressure.at_mut(cell) = q / scale;
            *state.separated.at_mut(cell) = *active;
        }
        self.clock.0[Stage::Pressure as usize] += start.elapsed();
        Ok(solved)
    }

    pub(crate) fn pressure_problem(&mut self, kick: f64) -> Result<PressureProblem<D>, unstick_mlcp::ProblemError> {
        let grid = self.setup.grid;
        let correct = self.setup.volume_correction;
        let divergence = correct.then(|| {
            volume::correction(&self.setup, &self.geometry, &self.density, &self.starts, &mut self.state, kick)
        });
        let sources = Sources { divergence, control: self.setup.control, density: self.setup.density };
        PressureProblem::new(&grid, &self.geometry, &self.state.liquid, &self.state.velocity, &sources)
    }
}
