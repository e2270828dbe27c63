//! A liquid in the memory of a device, and one step of it.

use std::time::{Duration, Instant};

use unstick_grid::{NotANumber, NumberPlace};
use unstick_liquid::{LiquidState, PressureSources, Rules, Setup, Simulation, Stage, StepError, StepReport, Transport};
use unstick_mlcp::fields::{FieldSolver, RowSolver, Window};
use unstick_mlcp::{Convergence, PressureMethod, SolveError, SolveReport, Stop, Unconverged};

use super::memory::{Counts, StepMemory};
use super::stages::{Moment, set_rules, set_step};
use crate::assemble::{FieldShape, wider};
use crate::error::GpuError;
use crate::layout::{DeviceFields, Pointer};
use crate::solver::{Gpu, GpuSolver};

/// Solves for displacements.
const DISPLACEMENT_SOLVER: &str = "sticking+cg/multigrid";

/// Blocks are two cells wide; lengths are in cells.
const BLOCK: f64 = 2.0;

/// Why there is no step.
pub(super) enum Failure {
    /// The device; the processor can take the step.
    Device(String),
    /// The liquid.
    Step(StepError),
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        Self::Device(error.to_string())
    }
}

/// A liquid in the memory of a device.
pub(super) struct DeviceLiquid<const D: usize> {
    memory: StepMemory,
    pressure: GpuSolver,
    displacement: GpuSolver,
    has_block_walls: bool,
    moment: Moment,
    /// Where the pressure problem is described.
    fields: Pointer<DeviceFields>,
    times: [Duration; 7],
}

impl<const D: usize> DeviceLiquid<D> {
    /// Puts a liquid on a device.
    pub fn new(gpu: Gpu, simulation: &Simulation<D>) -> Result<Self, GpuError> {
        let (setup, state, geometry) = (simulation.setup(), simulation.state(), simulation.geometry());
        let PressureMethod::Solver(name) = setup.pressure.solver else { return Err(super::SPLITTING) };
        let cells = setup.grid.cells();
        let counts = Counts::of(&setup.grid, state.particles.len(), setup.transport == Transport::Apic);
        let mut memory = StepMemory::new(gpu.driver(D)?, counts)?;
        let mut pressure = gpu.solver(&name, setup.pressure.stop())?;
        let sources = PressureSources::of(setup, geometry, state);
        let fields = sources.fields(&setup.grid, geometry, 0, &state.liquid, &state.velocity);
        pressure.resident(&cells)?.upload_walls(&fields, Window::whole(cells))?;
        let solver = DISPLACEMENT_SOLVER.parse().expect("a name of the catalogue");
        let mut displacement = gpu.solver(&solver, Stop::relative(Rules::NOW.displacement_tolerance))?;
        if setup.volume_correction {
            displacement.resident(&cells.map(|count| count.div_ceil(2)))?;
        }
        set_rules(&mut memory, setup);
        memory.send_walls(&setup.grid, geometry)?;
        memory.send_state(&setup.grid, state)?;
        memory.measure()?;
        let totals = memory.totals()?;
        memory.note_occupied(&totals);
        let moment = Moment::of(state);
        let (has_block_walls, times) = (false, Default::default());
        Ok(Self { memory, pressure, displacement, has_block_walls, moment, fields: Pointer::NULL, times })
    }

    /// Brings a state of the host up to date.
    ///
    /// Returns where the particles of each cell start, and the end.
    pub fn receive(&mut self, setup: &Setup<D>, state: &mut LiquidState<D>) -> Result<Vec<u32>, GpuError> {
        let starts = self.memory.receive_state(&setup.grid, state)?;
        (state.time, state.step, state.last_step) = (self.moment.time, self.moment.step, self.moment.last_step);
        Ok(starts)
    }

    /// Books the time since `start` once the device has done all it was asked to.
    fn book(&mut self, stage: Stage, start: Instant) -> Result<Instant, GpuError> {
        self.memory.totals()?;
        let now = Instant::now();
        self.times[stage as usize] += now - start;
        Ok(now)
    }

    /// One step.
    pub fn advance(&mut self, setup: &Setup<D>, host: &mut Simulation<D>, dt: f64) -> Result<StepReport, Failure> {
        self.times = Default::default();
        set_step(&mut self.memory, setup, &self.moment, dt);
        let start = Instant::now();
        self.memory.gather(setup, &self.moment)?;
        let start = self.book(Stage::Gather, start)?;
        let window = self.memory.track_surface(&setup.grid)?;
        let start = self.book(Stage::Surface, start)?;
        let solve = self.project_pressure(host, window)?;
        let start = self.book(Stage::Pressure, start)?;
        self.memory.extrapolate_velocity(setup)?;
        let start = self.book(Stage::Extrapolate, start)?;
        let density = self.even_out(setup)?;
        self.memory.move_particles(density.is_some())?;
        let start = self.book(Stage::Move, start)?;
        self.memory.measure()?;
        self.book(Stage::Surface, start)?;
        let Moment { time, step, .. } = self.moment;
        self.moment = Moment { time: time + dt, step: step + 1, last_step: dt };
        self.report(host, dt, &solve, density.unwrap_or_default())
    }

    /// Solves for the pressure where the fields are; by way of the host if liquid without air needs it.
    fn project_pressure(&mut self, host: &mut Simulation<D>, window: Window<D>) -> Result<SolveReport, Failure> {
        let (cells, time) = (host.setup().grid.cells(), self.moment.time);
        let has_divergence = host.setup().control != 0.0;
        let shape =
            FieldShape { cells, window, spacing: 1.0, control: 0.0, is_sealed: false, has_divergence, has_flow: false };
        self.fields = self.pressure.begin_resident(shape)?;
        let nodes = wider(window, cells).size.iter().map(|count| count + 1).product();
        self.memory.hand_over(self.fields, nodes)?;
        self.memory.totals()?; // the solver's launches do not wait for those of the step
        let solved = self.pressure.solve_resident(cells, window, false);
        let report = match solved.map_err(|error| failed(time, error))? {
            Some(report) if report.converged() => report,
            Some(report) if host.setup().pressure.on_unconverged == Unconverged::Accept => report,
            _ => self.solve_by_host(host)?,
        };
        self.memory.take_pressure(self.fields)?;
        Ok(report)
    }

    /// Hands the problem to the solver as the host sees it.
    fn solve_by_host(&mut self, host: &mut Simulation<D>) -> Result<SolveReport, Failure> {
        let (setup, time) = (host.setup(), self.moment.time);
        let mut state = LiquidState::empty(&setup.grid);
        self.memory.receive_problem(&setup.grid, &mut state)?;
        let scale = self.memory.args.liquid.pressure_scale;
        let mut q: Vec<f64> = state.pressure.values().iter().map(|pressure| scale * pressure).collect();
        let mut active = vec![false; q.len()];
        let sources = PressureSources::of(setup, host.geometry(), &state);
        let fields = sources.fields(&setup.grid, host.geometry(), 0, &state.liquid, &state.velocity);
        let report = self.pressure.solve_fields(&fields, &mut q, &mut active);
        let report = report.map_err(|error| failed(time, error))?;
        if report.converged() {
            return Ok(report);
        }
        // What the device falls short of the processor solves.
        let PressureMethod::Solver(name) = setup.pressure.solver else { return Err(super::SPLITTING.into()) };
        q.iter_mut().zip(state.pressure.values()).for_each(|(q, pressure)| *q = scale * pressure);
        let mut solver = RowSolver::new(name.build(&setup.pressure.stop()));
        let report = solver.solve_fields(&fields, &mut q, &mut active);
        let report = report.map_err(|error| failed(time, error))?;
        let report = setup.pressure.accept(time, report).map_err(Failure::Step)?;
        let window = Window::around_negative(fields.cells, fields.liquid);
        self.pressure.resident(&fields.cells)?.upload_answer(fields.cells, window, &q, &active)?;
        Ok(report)
    }

    /// Adds the displacement that evens out the density to what moves the particles; none if nothing is asked for.
    fn even_out(&mut self, setup: &Setup<D>) -> Result<Option<Convergence>, Failure> {
        if !setup.volume_correction {
            return Ok(None);
        }
        let cells = setup.grid.cells().map(|count| count.div_ceil(2));
        let window = Window::whole(cells);
        let shape = FieldShape {
            cells,
            window,
            spacing: BLOCK,
            control: 0.0,
            is_sealed: true,
            has_divergence: true,
            has_flow: false,
        };
        let fields = self.displacement.begin_resident(shape)?;
        if !self.has_block_walls {
            self.memory.place_block_walls(fields)?;
            self.has_block_walls = true;
        }
        if !self.memory.ask_for_growth(fields)? {
            return Ok(None);
        }
        let solved = self.displacement.solve_resident(cells, window, true);
        let report = solved.map_err(|error| failed(self.moment.time, error))?;
        let report = report.ok_or(Failure::Step(StepError::Solve {
            time: self.moment.time,
            source: SolveError::NotFinite { cycle: 0, residual: f64::NAN },
        }))?;
        self.memory.displace(fields)?;
        Ok(Some(Convergence::from(&report)))
    }

    fn report(
        &mut self,
        host: &mut Simulation<D>,
        dt: f64,
        solve: &SolveReport,
        density: Convergence,
    ) -> Result<StepReport, Failure> {
        let totals = self.memory.totals()?;
        self.memory.note_occupied(&totals);
        let (setup, Moment { time, step, .. }) = (host.setup(), self.moment);
        let cell = setup.grid.spacing().powi(D as i32);
        let mass = setup.density * cell / setup.particles_per_cell() as f64;
        let (kinetic, potential) = (0.5 * mass * totals.squares, -mass * totals.lift);
        if !(kinetic + potential).is_finite() {
            let value = kinetic + potential;
            let number = NotANumber { field: "energy", place: NumberPlace::Everything, value };
            return Err(Failure::Step(StepError::NotFinite { time, step, number }));
        }
        host.check_speed(time, dt, totals.fastest.sqrt(), kinetic).map_err(Failure::Step)?;
        Ok(StepReport {
            particles: self.memory.counts.particles,
            volume: totals.volume * cell,
            surface_volume: totals.surface_volume * cell,
            kinetic_energy: kinetic,
            potential_energy: potential,
            seconds: self.times,
            ..StepReport::of_solves(time, dt, solve, density, Convergence::default())
        })
    }

    /// The speed of the fastest particle at the end of the last step.
    pub fn fastest(&mut self) -> Result<f64, GpuError> {
        Ok(self.memory.totals()?.fastest.sqrt())
    }
}

/// A solve without an answer: the device has failed, or the problem is to blame.
fn failed(time: f64, error: SolveError) -> Failure {
    match error {
        SolveError::Machine(message) => Failure::Device(message),
        error => Failure::Step(StepError::of_solve(time, error)),
    }
}
