//! The projection: has the pressure problem of a step solved, by a device that takes fields or from its rows, and
//! takes the gradient of the pressure off the velocities of liquid and bodies.

use unstick_grid::CellField;
use unstick_mlcp::{ProblemError, SolveReport, Unconverged};
use unstick_parallel as parallel;
use unstick_parallel::clock::Instant;

use crate::error::StepError;
use crate::pressure::{PressureError, PressureProblem, Sources};
use crate::report::Stage;
use crate::splitting::{self, Setting};
use crate::state::LiquidState;
use crate::step::{Method, Simulation};
use crate::update::update_velocity;
use crate::volume;

/// What a projection has to say of itself; the pressure is in the state.
pub(crate) struct Projection<const D: usize> {
    /// The solver's account.
    pub report: SolveReport,
    /// Largest |r| on equation rows.
    pub divergence: f64,
    /// Largest violation of the wall conditions.
    pub complementarity: f64,
    /// Rows.
    pub unknowns: usize,
    /// Velocities at which liquid leaves closed faces, where a method knows them: axis, face, velocity.
    leaving: Vec<(usize, [usize; D], f64)>,
}

impl<const D: usize> Simulation<D> {
    /// The complementarity problem.
    pub(crate) fn project_pressure(&mut self, kick: f64) -> Result<Projection<D>, StepError> {
        let start = Instant::now();
        let grid = self.setup.grid;
        let scale = kick / grid.spacing();
        let sources = self.sources(kick);
        let projection = match self.project_on_device(&sources, scale) {
            Some(projection) => projection,
            None => self.project_rows(&sources, kick)?,
        };
        let Self { state, geometry, known, scaled_pressure, .. } = self;
        let LiquidState { liquid, velocity, pressure, .. } = state;
        update_velocity(&grid, &geometry.open, liquid, scaled_pressure, velocity, known);
        for &(axis, face, velocity) in &projection.leaving {
            *state.velocity[axis].at_mut(face) = velocity;
            *known[axis].at_mut(face) = true;
        }
        parallel::for_each((scaled_pressure.values(), pressure.values_mut()), |(q, pressure)| {
            q.iter().zip(pressure).for_each(|(q, pressure)| *pressure = q / scale);
        });
        self.divergence = sources.divergence;
        self.clock.0[Stage::Pressure as usize] += start.elapsed();
        Ok(projection)
    }

    /// From fields, where a device solves and knows nothing of bodies; none if it does not, or falls short.
    fn project_on_device(&mut self, sources: &Sources<D>, scale: f64) -> Option<Projection<D>> {
        let Self { setup, state, geometry, placed, scaled_pressure, device, bodies, .. } = self;
        let device = device.as_mut().filter(|_| bodies.is_none())?;
        let LiquidState { liquid, velocity, pressure, separated, .. } = state;
        let q = scaled_pressure.values_mut();
        parallel::for_each((pressure.values(), &mut *q), |(pressure, q)| {
            pressure.iter().zip(q).for_each(|(pressure, q)| *q = pressure * scale);
        });
        let fields = sources.fields(&setup.grid, geometry, *placed, liquid, velocity);
        match device.solve_fields(&fields, q, separated.values_mut()) {
            Ok(report) => report.solve.converged().then(|| Projection {
                divergence: report.divergence,
                complementarity: report.complementarity,
                unknowns: report.unknowns,
                report: report.solve,
                leaving: Vec::new(),
            }),
            Err(error) => {
                self.device = None;
                self.device_failure = Some(error.to_string());
                None
            }
        }
    }

    /// From rows, with bodies and splittings.
    fn project_rows(&mut self, sources: &Sources<D>, kick: f64) -> Result<Projection<D>, StepError> {
        let (time, grid) = (self.state.time, self.setup.grid);
        let refused = |source| StepError::Problem { time, source };
        let problem = self.pressure_problem(sources).map_err(refused)?;
        let Self { setup, state, geometry, solver, bodies, scaled_pressure, .. } = self;
        let LiquidState { liquid, velocity, pressure, separated, .. } = state;
        let scale = kick / grid.spacing();
        let solved = match solver {
            Method::Solver(solver) => problem.solve(&mut **solver, |cell| pressure.at(cell) * scale),
            Method::Splitting(name) => {
                let setting = Setting { grid: &grid, geometry, liquid, velocity, problem: &problem, kick };
                splitting::solve(&setting, *name, &setup.pressure.splitting)
            }
        };
        let solved = solved.map_err(|error| match error {
            PressureError::Problem(source) => refused(source),
            PressureError::Solve(source) => StepError::Solve { time, source },
        })?;
        if !solved.report.converged() && setup.pressure.on_unconverged != Unconverged::Accept {
            return Err(StepError::Unconverged {
                time,
                solver: solved.report.solver().into(),
                outcome: solved.report.outcome(),
                residual: solved.report.reached(),
                target: solved.report.target(),
            });
        }
        if let Some(bodies) = bodies {
            bodies.push(&problem.pushes(&solved.q), kick);
            geometry.carry_bodies(&grid, Some(bodies.immersed()));
        }
        scaled_pressure.values_mut().fill(0.0);
        separated.values_mut().fill(false);
        for ((&cell, q), active) in problem.cells.iter().zip(&solved.q).zip(&solved.active) {
            *scaled_pressure.at_mut(cell) = *q;
            *separated.at_mut(cell) = *active;
        }
        Ok(Projection {
            report: solved.report,
            divergence: solved.divergence,
            complementarity: solved.complementarity,
            unknowns: solved.q.len(),
            leaving: solved.leaving,
        })
    }

    /// What the right-hand side is made of beside the velocity; the volume's debt is booked on the way.
    pub(crate) fn sources(&mut self, kick: f64) -> Sources<D> {
        let Self { setup, geometry, density, starts, state, .. } = self;
        let divergence = setup.volume_correction.then(|| {
            let kept = self.divergence.take();
            let mut divergence = kept.unwrap_or_else(|| CellField::filled(setup.grid.cells(), 0.0));
            volume::correction(setup, geometry, density, starts, state, kick, &mut divergence);
            divergence
        });
        Sources { divergence, flow: geometry.wall_flow(), control: setup.control }
    }

    pub(crate) fn pressure_problem(&self, sources: &Sources<D>) -> Result<PressureProblem<D>, ProblemError> {
        let Self { setup, state, geometry, placed, .. } = self;
        let fields = sources.fields(&setup.grid, geometry, *placed, &state.liquid, &state.velocity);
        PressureProblem::new(&setup.grid, geometry, &fields, setup.density)
    }
}
