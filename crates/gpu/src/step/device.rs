//! A liquid in the memory of a device, and one step of it.

use std::sync::Arc;
use std::time::Duration;

use bytemuck::Zeroable;
use unstick_grid::{CellField, Grid, NotANumber, NumberPlace};
use unstick_liquid::{
    LiquidState, PressureSources, Rules, Setup, Simulation, Stage, StepError, StepReport, Transport, Viscosity,
};
use unstick_mlcp::fields::{FieldSolver, RowSolver, Window};
use unstick_mlcp::{Convergence, PressureMethod, SolveError, SolveReport, Stop, Unconverged};

use super::exchange::{Emitters, sources_at};
use super::memory::{Counts, StepMemory};
use super::solids::MovingSolids;
use super::stages::{Moment, set_rules, set_step};
use super::tension::most_places;
use super::view::ComingView;
use super::walls::WallNumbers;
use crate::arena::Extras;
use crate::assemble::{FieldShape, wider};
use crate::driver::Point;
use crate::error::GpuError;
use crate::layout::{DeviceFaces, DeviceFields, Pointer, ShapePart, StepTotals};
use crate::solver::{Gpu, GpuSolver};
use crate::tally::Tally;

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
    /// The liquid, which is where it was before the step.
    Refused(StepError),
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
    /// When the walls were where the last step has met them.
    met: f64,
    /// The number of the next particle that comes.
    next_id: u64,
    solids: MovingSolids,
    walls: WallNumbers,
    /// Whether this step has taken a predicted pressure.
    is_predicted: bool,
    emitters: Emitters<D>,
    /// Parts of the shapes of both.
    parts: Vec<ShapePart>,
    /// Where the pressure problem is described.
    fields: Pointer<DeviceFields>,
    /// Where the projection of displacements is described.
    block_fields: Pointer<DeviceFields>,
    /// The stages of this step, each of which has ended with a mark.
    booked: Vec<Stage>,
    /// What the last step has come to.
    totals: StepTotals,
}

impl<const D: usize> DeviceLiquid<D> {
    /// Puts a liquid on a device.
    pub fn new(gpu: Gpu, simulation: &mut Simulation<D>) -> Result<Self, GpuError> {
        let mut parts = Vec::new();
        let emitters = Emitters::of(simulation, &mut parts)?;
        let (setup, state, geometry) = (simulation.setup(), simulation.state(), simulation.geometry());
        let PressureMethod::Solver(name) = setup.pressure.solver else { return Err(super::SPLITTING) };
        let (solids, walls) = (MovingSolids::of(setup, &mut parts), WallNumbers::of(setup));
        let extras = Extras { has_flow: solids.is_any(), has_lower: walls.pulls };
        let cells = setup.grid.cells();
        let counts = Counts {
            is_affine: setup.transport == Transport::Apic,
            has_motion: solids.is_any(),
            solids: solids.count(),
            emitters: emitters.count(),
            parts: parts.len(),
            sites: emitters.sites(),
            pulls: walls.pulls,
            has_controls: walls.has_controls,
            places: if setup.tension > 0.0 { most_places(&cells) } else { 0 },
            is_viscous: setup.has_stress(),
            has_law: !matches!(setup.viscosity, Viscosity::Newtonian(_)),
            has_drags: walls.drags,
            ..Counts::of(&setup.grid, state.particles.len())
        };
        let memory = StepMemory::new(gpu.driver(D)?, counts)?;
        let mut pressure = gpu.solver(&name, setup.pressure.stop())?.beside(&*memory.driver)?;
        let problem = pressure.resident(&cells, extras)?;
        if !solids.is_any() {
            let sources = PressureSources::of(setup, geometry, state);
            let fields = sources.fields(&setup.grid, geometry, 0, &state.liquid, &state.velocity);
            problem.upload_walls(&fields, Window::whole(cells))?;
        }
        let solver = DISPLACEMENT_SOLVER.parse().expect("a name of the catalogue");
        let mut displacement = gpu.solver(&solver, Stop::relative(Rules::NOW.displacement_tolerance))?;
        if setup.volume_correction {
            displacement.resident(&blocks_of(setup), Extras::default())?;
        }
        let (moment, met, next_id) = (Moment::of(state), state.met.time, state.particles.next_id);
        let (has_block_walls, fields, block_fields) = (false, Pointer::NULL, Pointer::NULL);
        let mut liquid = Self {
            memory,
            pressure,
            displacement,
            has_block_walls,
            moment,
            met,
            next_id,
            solids,
            walls,
            is_predicted: false,
            emitters,
            parts,
            fields,
            block_fields,
            booked: Vec::new(),
            totals: StepTotals::zeroed(),
        };
        let state = state.clone();
        liquid.send(simulation, &state)?;
        liquid.memory.measure()?;
        liquid.read_totals()?;
        Ok(liquid)
    }

    /// Fills memory that was allocated anew.
    fn send(&mut self, host: &mut Simulation<D>, state: &LiquidState<D>) -> Result<(), GpuError> {
        let Self { memory, solids, walls, emitters, parts, .. } = self;
        set_rules(memory, host.setup());
        memory.driver.write(memory.args.liquid.parts.address(), bytemuck::cast_slice(parts))?;
        emitters.send(memory, host.setup())?;
        match solids.is_any() {
            true => solids.place(memory, host, self.met)?,
            false => memory.send_walls(&host.setup().grid, host.geometry())?,
        }
        walls.send(memory, host.setup(), host.geometry(), self.met)?;
        memory.send_state(&host.setup().grid, state)
    }

    /// Sees to it that there is room for all particles that may enter in a step. The state goes by way of the host, where
    /// the same bits come back from.
    fn make_room(&mut self, host: &mut Simulation<D>) -> Result<(), GpuError> {
        let counts = self.memory.counts;
        let needed = counts.particles + counts.sites;
        if needed <= counts.capacity {
            return Ok(());
        }
        let mut state = LiquidState::empty(&host.setup().grid);
        self.receive(host.setup(), &mut state)?;
        self.memory.allocate(Counts { capacity: needed + needed / 2, ..counts })?;
        self.send(host, &state)?;
        self.memory.find_occupied()
    }

    /// Brings a state of the host up to date.
    ///
    /// Returns where the particles of each cell start, and the end.
    pub fn receive(&mut self, setup: &Setup<D>, state: &mut LiquidState<D>) -> Result<Vec<u32>, GpuError> {
        let starts = self.memory.receive_state(&setup.grid, state)?;
        (state.time, state.step, state.last_step) = (self.moment.time, self.moment.step, self.moment.last_step);
        (state.met.time, state.particles.next_id) = (self.met, self.next_id);
        Ok(starts)
    }

    /// Begins to bring what there is to see to the host; `still` are the distances of solids that do not move.
    pub fn begin_view(
        &mut self,
        grid: &Grid<D>,
        still: Option<Arc<CellField<f64, D>>>,
    ) -> Result<ComingView<D>, GpuError> {
        self.memory.begin_view(grid, (self.moment.time, self.moment.step), still)
    }

    /// Books all that the device is asked to do since the last stage for this one.
    fn book(&mut self, stage: Stage) -> Result<(), GpuError> {
        self.booked.push(stage);
        self.memory.driver.mark(self.booked.len())
    }

    /// How long the stages have taken.
    fn times(&mut self) -> Result<[Duration; Stage::ALL.len()], GpuError> {
        let mut times = [Duration::ZERO; Stage::ALL.len()];
        for (number, &stage) in self.booked.iter().enumerate() {
            times[stage as usize] += self.memory.driver.between(number, number + 1)?;
        }
        Ok(times)
    }

    /// Waits for what a step has come to.
    fn read_totals(&mut self) -> Result<(), GpuError> {
        self.totals = self.memory.totals()?;
        self.memory.note_occupied(&self.totals);
        Ok(())
    }

    /// What it has asked the device for so far.
    pub fn tally(&self) -> Tally {
        self.memory.driver.tally() + self.pressure.tally() + self.displacement.tally()
    }

    /// One step, of length `dt` or of less where the setup shortens steps.
    pub fn advance(&mut self, setup: &Setup<D>, host: &mut Simulation<D>, mut dt: f64) -> Result<StepReport, Failure> {
        self.make_room(host)?;
        self.booked.clear();
        self.memory.driver.mark(0)?;
        self.move_solids(host)?;
        self.book(Stage::Solids)?;
        let Self { memory, emitters, next_id, .. } = self;
        let geometry = host.geometry();
        emitters.work(memory, (setup, geometry), self.moment.time, next_id)?;
        self.book(Stage::Surface)?;
        let mut halvings = 0;
        loop {
            match self.try_advance(setup, host, dt) {
                Err(Failure::Step(error))
                    if error.is_unconverged() && setup.pressure.on_unconverged == Unconverged::ShortenStep =>
                {
                    if self.is_predicted {
                        self.memory.swap_pressures();
                    }
                    // What a step changes before its pressure is known is changed back at no cost, without a copy.
                    self.memory.forget_surface()?;
                    if halvings >= Unconverged::MAX_HALVINGS {
                        return Err(Failure::Refused(error));
                    }
                }
                outcome => return outcome,
            }
            halvings += 1;
            dt *= 0.5;
        }
    }

    /// A step after solids have moved and particles have come and gone.
    fn try_advance(&mut self, setup: &Setup<D>, host: &mut Simulation<D>, dt: f64) -> Result<StepReport, Failure> {
        let kick = self.moment.kick(dt);
        self.is_predicted = false;
        set_step(&mut self.memory, setup, &self.moment, dt);
        self.memory.gather(setup, &self.moment)?;
        let gathered = self.memory.args.liquid.gathered;
        self.prescribe(setup, DeviceFaces { known: [Pointer::NULL; 3], ..gathered })?;
        self.book(Stage::Gather)?;
        let window = self.memory.track_surface(&setup.grid)?;
        self.memory.find_tension(setup, kick, window)?;
        self.book(Stage::Surface)?;
        self.prepare_displacement(setup)?;
        let viscosity = self.apply_viscosity(host, kick, window)?;
        let solve = self.project_pressure(host, window)?;
        self.book(Stage::Pressure)?;
        let solved = self.memory.driver.point()?;
        if self.memory.has_stress() {
            // The pressure does not know of the nozzle that holds the liquid against the pull of a thread.
            let step = self.memory.args.liquid;
            self.prescribe(setup, DeviceFaces { value: step.carrying.value, known: step.gathered.known })?;
        }
        self.memory.extrapolate_velocity(setup)?;
        self.book(Stage::Extrapolate)?;
        let density = self.even_out(setup, &solved)?;
        self.memory.move_particles(density.is_some())?;
        self.book(Stage::Move)?;
        self.memory.measure()?;
        self.book(Stage::Surface)?;
        let Moment { time, step, .. } = self.moment;
        self.moment = Moment { time: time + dt, step: step + 1, last_step: dt };
        self.report(host, dt, &solve, (viscosity, density.unwrap_or_default()))
    }

    /// Brings walls to the start of the step, if any of them moves.
    fn move_solids(&mut self, host: &mut Simulation<D>) -> Result<(), GpuError> {
        if self.solids.is_any() {
            self.met = self.moment.time;
            self.solids.place(&mut self.memory, host, self.met)?;
            self.has_block_walls = false;
        }
        if self.walls.change() {
            if self.solids.is_any() {
                host.meet_solids(self.moment.time);
            }
            self.walls.send(&mut self.memory, host.setup(), host.geometry(), self.moment.time)?;
        }
        Ok(())
    }

    /// Gives the liquid inside of sources their velocity.
    fn prescribe(&mut self, setup: &Setup<D>, faces: DeviceFaces) -> Result<(), GpuError> {
        self.emitters.prescribe(&mut self.memory, setup, self.moment.time, faces)
    }

    /// Lets viscosity and the drag of walls act for a time of `kick`.
    fn apply_viscosity(
        &mut self,
        host: &mut Simulation<D>,
        kick: f64,
        window: Window<D>,
    ) -> Result<Convergence, Failure> {
        if !self.memory.has_stress() {
            return Ok(Convergence::default());
        }
        self.memory.apply_forces()?;
        if self.memory.counts.particles == 0 {
            return Ok(Convergence::default());
        }
        self.prescribe(host.setup(), self.memory.forced())?;
        let _only_predicted = self.solve_pressure(host, window)?;
        self.is_predicted = true;
        self.memory.predict_velocity(self.fields)?;
        self.book(Stage::Pressure)?;
        let (setup, time) = (host.setup(), self.moment.time);
        let sources = sources_at(setup, time);
        let convergence = self.memory.apply_stress(setup, &sources, kick, window)?;
        self.book(Stage::Viscosity)?;
        if convergence.converged() || setup.pressure.on_unconverged == Unconverged::Accept {
            return Ok(convergence);
        }
        Err(Failure::Step(StepError::ViscosityUnconverged { time, convergence }))
    }

    /// Solves for the pressure and takes its gradient off the velocity.
    fn project_pressure(&mut self, host: &mut Simulation<D>, window: Window<D>) -> Result<SolveReport, Failure> {
        let report = self.solve_pressure(host, window)?;
        self.memory.take_pressure(self.fields)?;
        Ok(report)
    }

    /// Solves for the pressure where the fields are; by way of the host if liquid without air needs it.
    fn solve_pressure(&mut self, host: &mut Simulation<D>, window: Window<D>) -> Result<SolveReport, Failure> {
        let (cells, time) = (host.setup().grid.cells(), self.moment.time);
        let has_divergence = host.setup().uniform_control() != Some(0.0);
        let extras = Extras { has_flow: self.solids.is_any(), has_lower: self.walls.pulls };
        let shape = FieldShape { cells, window, spacing: 1.0, control: 0.0, is_sealed: false, has_divergence, extras };
        self.fields = self.pressure.begin_resident(shape)?;
        if extras.has_flow {
            self.memory.hand_over_walls(self.fields)?;
        }
        let nodes = wider(window, cells).size.iter().map(|count| count + 1).product();
        self.memory.hand_over(self.fields, nodes)?;
        self.pressure.prepare_resident(cells, window)?;
        let solved = self.pressure.solve_resident(cells, window, false);
        match solved.map_err(|error| failed(time, error))? {
            Some(report) if report.converged() => Ok(report),
            Some(report) if host.setup().pressure.on_unconverged == Unconverged::Accept => Ok(report),
            _ => self.solve_by_host(host, window),
        }
    }

    /// Hands the problem to the solver as the host sees it.
    fn solve_by_host(&mut self, host: &mut Simulation<D>, window: Window<D>) -> Result<SolveReport, Failure> {
        let mut version = 0;
        if self.solids.is_any() {
            // The device has made its walls itself: those of the host are others by their number.
            version = self.moment.step + 1;
            host.meet_solids(self.met);
        }
        let (setup, time) = (host.setup(), self.moment.time);
        let mut state = LiquidState::empty(&setup.grid);
        state.time = time;
        self.memory.receive_problem(&setup.grid, &mut state)?;
        let problem = self.pressure.resident(&setup.grid.cells(), Extras::default())?;
        problem.download_velocity(window, &mut state.velocity)?;
        let scale = self.memory.args.liquid.pressure_scale;
        let mut q: Vec<f64> = state.pressure.values().iter().map(|pressure| scale * pressure).collect();
        let mut active = vec![false; q.len()];
        let mut sources = PressureSources::of(setup, host.geometry(), &state);
        if self.walls.pulls {
            let mut lower = CellField::filled(setup.grid.cells(), 0.0);
            problem.download_lower(window, &mut lower)?;
            sources.lower = Some(lower);
        }
        let fields = sources.fields(&setup.grid, host.geometry(), version, &state.liquid, &state.velocity);
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
        self.pressure.resident(&fields.cells, Extras::default())?.upload_answer(fields.cells, window, &q, &active)?;
        Ok(report)
    }

    /// Begins the projection of displacements: its matrix and its levels are made while the pressure is solved for, which
    /// they do not depend on.
    fn prepare_displacement(&mut self, setup: &Setup<D>) -> Result<(), GpuError> {
        if !setup.volume_correction {
            return Ok(());
        }
        let cells = blocks_of(setup);
        let window = Window::whole(cells);
        let shape = FieldShape {
            cells,
            window,
            spacing: BLOCK,
            control: 0.0,
            is_sealed: true,
            has_divergence: true,
            extras: Extras::default(),
        };
        let surface = self.memory.driver.point()?;
        self.block_fields = self.displacement.begin_resident(shape)?;
        let driver = &mut *self.displacement.resident(&cells, Extras::default())?.device.driver;
        driver.wait_for(&surface)?;
        self.memory.fill_blocks(driver, self.block_fields, self.has_block_walls)?;
        self.has_block_walls = true;
        self.displacement.prepare_resident(cells, window)
    }

    /// Adds the displacement that evens out the density to what moves the particles; none if nothing is asked for. How much
    /// blocks may grow depends on the pressure, which is there once the device has come to the point `solved`.
    fn even_out(&mut self, setup: &Setup<D>, solved: &Point) -> Result<Option<Convergence>, Failure> {
        if !setup.volume_correction {
            return Ok(None);
        }
        let (cells, fields) = (blocks_of(setup), self.block_fields);
        let driver = &mut *self.displacement.resident(&cells, Extras::default())?.device.driver;
        driver.wait_for(solved)?;
        self.memory.ask_for_growth(driver, fields)?;
        let solved = self.displacement.solve_resident(cells, Window::whole(cells), true);
        let report = solved.map_err(|error| failed(self.moment.time, error))?;
        let report = report.ok_or(Failure::Step(StepError::Solve {
            time: self.moment.time,
            source: SolveError::NotFinite { cycle: 0, residual: f64::NAN },
        }))?;
        if report.reference() == 0.0 {
            return Ok(None);
        }
        self.memory.displace(fields)?;
        Ok(Some(Convergence::from(&report)))
    }

    fn report(
        &mut self,
        host: &mut Simulation<D>,
        dt: f64,
        solve: &SolveReport,
        (viscosity, density): (Convergence, Convergence),
    ) -> Result<StepReport, Failure> {
        self.read_totals()?;
        let totals = self.totals;
        let (setup, Moment { time, step, .. }) = (host.setup(), self.moment);
        let cell = setup.grid.spacing().powi(D as i32);
        let mass = setup.density * cell / setup.particles_per_cell() as f64;
        let (kinetic, potential) = (0.5 * mass * totals.squares, -mass * totals.lift);
        let surface = setup.tension * totals.area * setup.grid.spacing().powi(D as i32 - 1);
        if !(kinetic + potential).is_finite() {
            let value = kinetic + potential;
            let number = NotANumber { field: "energy", place: NumberPlace::Everything, value };
            return Err(Failure::Step(StepError::NotFinite { time, step, number }));
        }
        host.check_speed(time, dt, totals.fastest.sqrt(), kinetic).map_err(Failure::Step)?;
        let solves = StepReport::of_solves(time, dt, solve, density, Convergence::default());
        Ok(StepReport {
            converged: solves.converged && viscosity.converged(),
            viscosity,
            particles: self.memory.counts.particles,
            volume: totals.volume * cell,
            surface_volume: totals.surface_volume * cell,
            kinetic_energy: kinetic,
            potential_energy: potential,
            surface_energy: surface,
            seconds: self.times()?,
            ..solves
        })
    }

    /// Changes when the pressure is good enough.
    #[cfg(all(test, feature = "emulation"))]
    pub fn set_stop(&mut self, stop: Stop) {
        self.pressure.stop = stop;
    }

    /// The speed of the fastest particle at the end of the last step.
    pub fn fastest(&self) -> f64 {
        self.totals.fastest.sqrt()
    }
}

/// Blocks along each axis.
fn blocks_of<const D: usize>(setup: &Setup<D>) -> [usize; D] {
    setup.grid.cells().map(|count| count.div_ceil(2))
}

/// A solve without an answer: the device has failed, or the problem is to blame.
fn failed(time: f64, error: SolveError) -> Failure {
    match error {
        SolveError::Machine(message) => Failure::Device(message),
        error => Failure::Step(StepError::of_solve(time, error)),
    }
}
