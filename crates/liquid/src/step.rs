//! The stepper.

use std::time::Duration;

use unstick_grid::{CellField, FaceField, SignedDistance};
use unstick_mlcp::fields::FieldSolver;
use unstick_mlcp::{MlcpSolver, PressureMethod, SplittingName, Unconverged};
use unstick_parallel::clock::Instant;
use unstick_parallel::vector;

use crate::bodies::Bodies;
use crate::error::{SetupError, StepError};
use crate::extrapolate::{constrain, extrapolate_all};
use crate::gather::gather;
use crate::geometry::Geometry;
use crate::report::{AdvanceReport, Stage, StepReport};
use crate::setup::{Setup, Transport};
use crate::state::LiquidState;
use crate::{reseed, scatter, seed, semi_lagrangian, surface, trace, volume};

/// A running simulation.
pub struct Simulation<const D: usize> {
    pub(crate) setup: Setup<D>,
    pub(crate) state: LiquidState<D>,
    pub(crate) geometry: Geometry<D>,
    /// How often the solids have been placed anew.
    pub(crate) placed: u64,
    /// Bodies that liquid moves, and the walls without them (if these do not move).
    pub(crate) bodies: Option<Box<dyn Bodies<D>>>,
    pub(crate) walls: Option<Geometry<D>>,
    pub(crate) solver: Method,
    /// What solves in its place while it can.
    pub(crate) device: Option<Box<dyn FieldSolver<D>>>,
    pub(crate) device_failure: Option<String>,
    /// Where each cell's particles start, for the particles as they are.
    pub(crate) starts: Vec<u32>,
    /// Velocity as gathered, before forces and pressure.
    gathered: FaceField<f64, D>,
    pub(crate) known: FaceField<bool, D>,
    /// Density of the particles relative to full cells.
    pub(crate) density: CellField<f64, D>,
    /// Memory for the divergence that is asked for.
    pub(crate) divergence: Option<CellField<f64, D>>,
    /// q of the last projection.
    pub(crate) scaled_pressure: CellField<f64, D>,
    /// Memory that every step needs anew: what arrives at faces, velocities, places.
    arrived: Vec<[f64; 2]>,
    free: FaceField<f64, D>,
    spare: Vec<[f64; D]>,
    pub(crate) clock: Clock,
}

/// What gives the pressure, ready to work.
pub(crate) enum Method {
    Solver(Box<dyn MlcpSolver>),
    Splitting(SplittingName),
}

/// Time spent in each stage.
#[derive(Clone, Copy, Default)]
pub(crate) struct Clock(pub(crate) [Duration; 6]);

impl Clock {
    fn time<T>(&mut self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0[stage as usize] += start.elapsed();
        result
    }
}

impl<const D: usize> Simulation<D> {
    /// Fills `liquid` with particles at rest.
    pub fn new(setup: Setup<D>, liquid: &SignedDistance<D>) -> Result<Self, SetupError> {
        Self::with_liquids(setup, &[(liquid.clone(), [0.0; D])])
    }

    /// Fills shapes with particles, each with a velocity of its own.
    pub fn with_liquids(setup: Setup<D>, liquids: &[(SignedDistance<D>, [f64; D])]) -> Result<Self, SetupError> {
        Self::with_bodies(setup, liquids, None)
    }

    /// The same with bodies that the liquid moves.
    pub fn with_bodies(
        setup: Setup<D>,
        liquids: &[(SignedDistance<D>, [f64; D])],
        bodies: Option<Box<dyn Bodies<D>>>,
    ) -> Result<Self, SetupError> {
        setup.check()?;
        let mut state = LiquidState::empty(&setup.grid);
        let mut geometry = Geometry::at(&setup, 0.0);
        if let Some(bodies) = &bodies {
            geometry.immerse(&setup.grid, bodies.immersed());
            state.bodies = bodies.store();
        }
        for (number, (shape, velocity)) in liquids.iter().enumerate() {
            // Where shapes overlap, the first one fills.
            let is_taken = |point| liquids[..number].iter().any(|(earlier, _)| earlier.at(point) < 0.0);
            seed::fill_shape(&setup, &geometry, shape, *velocity, is_taken, &mut state.particles);
        }
        if state.particles.is_empty() && !setup.emitters.iter().any(|emitter| emitter.velocity.is_some()) {
            return Err(SetupError::NoLiquid);
        }
        let mut simulation = Self::resume_with_bodies(setup, state, bodies)?;
        simulation.track_surface();
        simulation.state.target_volume = simulation.volume();
        simulation.state.target_surface = simulation.surface_volume();
        Ok(simulation)
    }

    /// Goes on from a state. The result is the same, bit for bit, as if it had never stopped.
    pub fn resume(setup: Setup<D>, state: LiquidState<D>) -> Result<Self, SetupError> {
        Self::resume_with_bodies(setup, state, None)
    }

    /// The same with bodies, which take their place and velocity from the state.
    pub fn resume_with_bodies(
        setup: Setup<D>,
        state: LiquidState<D>,
        mut bodies: Option<Box<dyn Bodies<D>>>,
    ) -> Result<Self, SetupError> {
        setup.check()?;
        if let (Some(_), PressureMethod::Splitting(name)) = (&bodies, setup.pressure.solver) {
            return Err(SetupError::NoBodies { splitting: name.splitting().name() });
        }
        let fits = match &mut bodies {
            Some(bodies) => bodies.load(state.time, &state.bodies),
            None => state.bodies.is_empty(),
        };
        if !fits {
            return Err(SetupError::OtherBodies { found: state.bodies.len() });
        }
        let grid = setup.grid;
        let mut geometry = Geometry::at(&setup, state.time);
        let walls = (bodies.is_some() && !setup.has_motion()).then(|| geometry.clone());
        if let Some(bodies) = &bodies {
            geometry.immerse(&grid, bodies.immersed());
        }
        let stop = setup.pressure.stop();
        let solver = match setup.pressure.solver {
            PressureMethod::Solver(name) => Method::Solver(name.build(&stop)),
            PressureMethod::Splitting(name) => Method::Splitting(name),
        };
        let known = std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| false));
        let gathered = state.velocity.clone();
        let density = CellField::from_fn(&grid, |_| 0.0);
        let scaled_pressure = density.clone();
        let free = gathered.clone();
        let (arrived, spare, clock) = (Vec::new(), Vec::new(), Clock::default());
        let starts = Vec::new();
        let mut simulation = Self {
            setup,
            state,
            geometry,
            placed: 0,
            bodies,
            walls,
            solver,
            device: None,
            device_failure: None,
            starts,
            gathered,
            known,
            density,
            divergence: None,
            scaled_pressure,
            arrived,
            free,
            spare,
            clock,
        };
        simulation.sort_particles();
        Ok(simulation)
    }

    /// From now on a solver that takes fields, on a device, stands in for the one that the setup names, which solves whatever the
    /// device falls short of, and everything once the device has [failed](StepReport::device_failure). So no step
    /// is lost with a device.
    pub fn solve_on(&mut self, device: Box<dyn FieldSolver<D>>) {
        self.device = Some(device);
    }

    fn sort_particles(&mut self) {
        self.starts = self.state.particles.sort_by_cell(&self.setup.grid, &mut self.spare);
    }

    /// What does not change.
    pub fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    /// What does.
    pub fn state(&self) -> &LiquidState<D> {
        &self.state
    }

    /// The bodies that the liquid moves.
    pub fn bodies(&self) -> Option<&dyn Bodies<D>> {
        self.bodies.as_deref()
    }

    /// The solids as the grid sees them now.
    pub fn geometry(&self) -> &Geometry<D> {
        &self.geometry
    }

    /// Volume inside the surface that pictures and meshes show, without films and spray that are too
    /// thin for it.
    pub fn surface_volume(&self) -> f64 {
        volume::measure_surface(&self.setup.grid, &self.geometry, &self.state.liquid)
    }

    /// Volume of the liquid now: the space that its particles fill.
    pub fn volume(&self) -> f64 {
        volume::measure(&self.setup, &self.geometry, &self.starts)
    }

    /// Takes as many steps as it needs to reach `time` exactly.
    pub fn advance_to(&mut self, time: f64) -> Result<AdvanceReport, StepError> {
        let mut report = AdvanceReport::default();
        while let Some(dt) = self.next_step(time) {
            report.steps.push(self.advance(dt)?);
        }
        Ok(report)
    }

    /// Length of the next step towards `time`; none if it is reached.
    ///
    /// What is left is divided into equal steps, so that the last is no sliver.
    pub fn next_step(&self, time: f64) -> Option<f64> {
        let left = time - self.state.time;
        if left <= 1e-12 * time.abs().max(1e-3) {
            return None;
        }
        let longest = self.longest_step().min(self.setup.max_step);
        Some(equal_part(left, left / longest * (1.0 - 1e-9)))
    }

    /// The step in which the fastest particle crosses `cfl` cells, gravity's pull included.
    fn longest_step(&self) -> f64 {
        let speed = |velocity: &[f64; D]| velocity.iter().map(|value| value * value).sum::<f64>();
        let of_particles = self.state.particles.velocity.iter().map(speed);
        let of_bodies = self.bodies.iter().flat_map(|bodies| bodies.immersed()).map(|body| speed(&body.velocity));
        let fastest = of_particles.chain(of_bodies).fold(0.0, f64::max).sqrt();
        let gravity = speed(&self.setup.gravity.at(self.state.time)).sqrt();
        let distance = self.setup.cfl * self.setup.grid.spacing();
        // distance = (v + g dt) dt
        if gravity > 0.0 {
            ((fastest * fastest + 4.0 * gravity * distance).sqrt() - fastest) / (2.0 * gravity)
        } else if fastest > 0.0 {
            distance / fastest
        } else {
            f64::INFINITY
        }
    }

    /// One step.
    ///
    /// After an error the simulation must not go on: the state is that of the middle of the step.
    /// With `shorten-step`, which keeps a copy, it is that of the start of the step.
    pub fn advance(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let shortens = self.setup.pressure.on_unconverged == Unconverged::ShortenStep;
        let backup = shortens.then(|| self.state.clone());
        let mut dt = dt;
        for halving in 0.. {
            match self.try_advance(dt) {
                Ok(report) => return Ok(report),
                Err(error) => {
                    if let Some(backup) = &backup {
                        self.state = backup.clone();
                        self.sort_particles();
                        if let Some(bodies) = &mut self.bodies {
                            bodies.load(self.state.time, &self.state.bodies);
                        }
                        self.place_solids();
                    }
                    if !shortens
                        || halving >= Unconverged::MAX_HALVINGS
                        || !matches!(error, StepError::Unconverged { .. })
                    {
                        return Err(error);
                    }
                    dt *= 0.5;
                }
            }
        }
        unreachable!("the loop returns")
    }

    fn try_advance(&mut self, dt: f64) -> Result<StepReport, StepError> {
        self.clock = Clock::default();
        // Velocity lives half a step behind position: forces act over half of the last step and
        // half of this one, which makes free fall exact.
        let kick = 0.5 * (self.state.last_step + dt);
        self.move_solids();
        self.exchange_particles();
        self.gather_velocity(dt);
        self.apply_forces(kick);
        self.track_surface();
        let projection = self.project_pressure(kick)?;
        self.extrapolate_velocity();
        self.scatter_velocity();
        self.move_particles(dt);
        let contacts = self.move_bodies(dt)?;
        self.state.time += dt;
        self.state.last_step = dt;
        self.state.step += 1;
        self.report(dt, projection, contacts)
    }

    /// Particles → faces (or, for `semi-lagrangian`, faces → faces).
    pub(crate) fn gather_velocity(&mut self, dt: f64) {
        let Self { setup, state, starts, gathered, known, arrived, clock, .. } = self;
        clock.time(Stage::Gather, || {
            if setup.transport == Transport::SemiLagrangian && state.step > 0 {
                let before = state.velocity.clone();
                semi_lagrangian::advect(&setup.grid, &before, 0.5 * (state.last_step + dt), &mut state.velocity);
            } else {
                gather(&setup.grid, &state.particles, starts, &mut state.velocity, known, arrived);
                extrapolate_all(&mut state.velocity, known, 2);
            }
            reseed::prescribe(setup, state.time, &mut state.velocity, known);
            copy_faces(&state.velocity, gathered);
        });
    }

    pub(crate) fn apply_forces(&mut self, kick: f64) {
        let gravity = self.setup.gravity.at(self.state.time);
        if let Some(bodies) = &mut self.bodies {
            bodies.accelerate(gravity, kick);
            self.geometry.carry_bodies(&self.setup.grid, Some(bodies.immersed()));
        }
        for axis in 0..D {
            let change = gravity[axis] * kick;
            if change != 0.0 {
                self.state.velocity[axis].values_mut().iter_mut().for_each(|value| *value += change);
            }
        }
    }

    /// Sources, drains and reseeding, each followed by sorting anew.
    pub(crate) fn exchange_particles(&mut self) {
        let Self { setup, state, starts, geometry, spare, clock, .. } = self;
        clock.time(Stage::Surface, || {
            if reseed::emit(setup, geometry, starts, state) {
                *starts = state.particles.sort_by_cell(&setup.grid, spare);
            }
            if setup.reseeding && state.step > 0 && reseed::reseed(setup, geometry, starts, state) {
                *starts = state.particles.sort_by_cell(&setup.grid, spare);
            }
        });
    }

    /// Particles → liquid distance.
    pub(crate) fn track_surface(&mut self) {
        let Self { setup, state, starts, geometry, clock, density, .. } = self;
        clock.time(Stage::Surface, || {
            let per_cell = setup.particles_per_cell();
            surface::measure_density(&setup.grid, geometry, &state.particles, starts, per_cell, density);
            surface::track(&setup.grid, geometry, density, &mut state.liquid);
        });
    }

    fn extrapolate_velocity(&mut self) {
        let Self { setup, state, geometry, known, free, clock, .. } = self;
        let layers = setup.cfl.ceil() as usize + 2;
        clock.time(Stage::Extrapolate, || {
            extrapolate_all(&mut state.velocity, known, layers);
            copy_faces(&state.velocity, free);
            constrain(&setup.grid, geometry, free, &mut state.velocity, known);
        });
    }

    /// Faces → particles.
    fn scatter_velocity(&mut self) {
        let Self { setup, state, gathered, clock, .. } = self;
        clock.time(Stage::Scatter, || {
            scatter::scatter(&setup.grid, setup.transport, gathered, &state.velocity, &mut state.particles);
        });
    }

    fn move_particles(&mut self, dt: f64) {
        let Self { setup, state, geometry, starts, spare, clock, .. } = self;
        clock.time(Stage::Move, || {
            trace::move_particles(setup, geometry, &state.velocity, state.time, dt, &mut state.particles);
            *starts = state.particles.sort_by_cell(&setup.grid, spare);
        });
    }
}

/// to ← from, without new memory.
fn copy_faces<const D: usize>(from: &FaceField<f64, D>, to: &mut FaceField<f64, D>) {
    for (from, to) in from.iter().zip(to) {
        vector::copy(from.values(), to.values_mut());
    }
}

/// The length of a step when what is left is divided into `steps` equal ones, rounded up to a whole number.
pub fn equal_part(left: f64, steps: f64) -> f64 {
    left / steps.ceil().max(1.0)
}
