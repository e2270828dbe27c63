//! A simulation of which every rank has a part.

use std::sync::Arc;

use unstick_grid::{CellField, FaceField, SignedDistance};
use unstick_mlcp::ranks::Ranks;

use super::balance::BALANCED_EVERY;
use super::{Places, Share};
use crate::error::{SetupError, StepError};
use crate::particles::exchange::fill_shape;
use crate::particles::{Particles, cell_of};
use crate::setup::Setup;
use crate::simulation::Simulation;
use crate::simulation::report::StepReport;
use crate::solids::Geometry;
use crate::state::{LiquidState, MetSolids};

/// A simulation that many ranks share. All of them call the same functions in the same order, and the states have the bits
/// of a [`Simulation`].
///
/// ```
/// use unstick_grid::{Grid, SignedDistance};
/// use unstick_liquid::{Setup, SharedSimulation, Simulation};
/// use unstick_mlcp::ranks::team;
///
/// let (setup, column) = (Setup::new(Grid::<2>::unit(24)?), SignedDistance::cuboid([0.0; 2], [0.4, 0.6]));
/// let mut alone = Simulation::new(setup.clone(), &column)?;
/// alone.advance(0.005)?;
/// let states = team(2, 1, |ranks| {
///     let mut shared = SharedSimulation::new(setup.clone(), &[(column.clone(), [0.0; 2])], ranks).unwrap();
///     shared.advance(0.005).unwrap();
///     shared.gather()
/// });
/// assert!(states[0].as_ref() == Some(alone.state()) && states[1].is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SharedSimulation<const D: usize> {
    /// The part of this rank.
    pub(super) part: Simulation<D>,
    pub(super) share: Arc<Share<D>>,
    /// The setup of the whole.
    pub(super) setup: Setup<D>,
}

/// What there is to see, of the whole or of a box.
#[derive(Clone, Debug)]
pub struct WholeView<const D: usize> {
    /// Simulated seconds.
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Distance to the surface that pictures and meshes show.
    pub surface: CellField<f64, D>,
    /// Distance to the solids at the nodes.
    pub solid: CellField<f64, D>,
    /// The liquid, sorted by cell.
    pub particles: Particles<D>,
    /// Velocity across the faces.
    pub velocity: FaceField<f64, D>,
    /// Pressure in every cell divided by density.
    pub pressure: CellField<f64, D>,
    /// Cells whose wall has let go.
    pub separated: CellField<bool, D>,
}

impl<const D: usize> SharedSimulation<D> {
    /// Fills shapes with particles, each with a velocity of its own. Refuses what cannot be shared, on all ranks.
    pub fn new(
        setup: Setup<D>,
        liquids: &[(SignedDistance<D>, [f64; D])],
        ranks: Arc<dyn Ranks>,
    ) -> Result<Self, SetupError> {
        setup.check()?;
        let share = Arc::new(Share::new(&setup, ranks)?);
        let local = Setup { grid: share.grid(&setup.grid), ..setup.clone() };
        let mut state = LiquidState::empty(&local.grid);
        let geometry = Geometry::at(&local, 0.0);
        for (number, (shape, velocity)) in liquids.iter().enumerate() {
            let is_taken = |point| liquids[..number].iter().any(|(earlier, _)| earlier.at(point) < 0.0);
            let mut filled = Particles::default();
            fill_shape(&local, &geometry, shape, *velocity, is_taken, &mut filled);
            share.number_own(&local.grid, &mut filled, state.particles.next_id);
            state.particles.append(filled);
        }
        let emits = setup.emitters.iter().any(|emitter| emitter.velocity.is_some());
        if state.particles.next_id == 0 && !emits {
            return Err(SetupError::NoLiquid);
        }
        let mut part = Simulation::on_rank(local, state, share.clone())?;
        part.track_surface();
        let mut shared = Self { part, share, setup };
        shared.balance();
        Ok(shared)
    }

    /// Resumes from a state that the first rank has; others give none. It may come from a [`Simulation`] or from any number
    /// of ranks.
    pub fn resume(setup: Setup<D>, state: Option<LiquidState<D>>, ranks: Arc<dyn Ranks>) -> Result<Self, SetupError> {
        setup.check()?;
        let share = Arc::new(Share::new(&setup, ranks)?);
        let [bodies] = share.tell([state.as_ref().map_or(0, |state| state.bodies.len() as i64)]);
        if bodies > 0 {
            return Err(SetupError::OtherBodies(bodies as usize));
        }
        let local = Setup { grid: share.grid(&setup.grid), ..setup.clone() };
        let state = share.hand_out_state(&local, state);
        let part = Simulation::on_rank(local, state, share.clone())?;
        let mut shared = Self { part, share, setup };
        shared.balance();
        Ok(shared)
    }

    /// One step, of length `dt` or of less where the setup shortens steps. The report is that of the whole, but for the times.
    pub fn advance(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let report = self.part.advance(dt)?;
        if self.step().is_multiple_of(BALANCED_EVERY) {
            self.balance();
        }
        Ok(report)
    }

    /// Length of the next step towards `time`; none if it is reached. Ranks need not agree about it: they know the same.
    pub fn next_step(&self, time: f64) -> Option<f64> {
        self.part.next_step(time)
    }

    /// The speed of the fastest particle of all ranks.
    pub fn fastest(&self) -> f64 {
        self.part.fastest()
    }

    /// All that does not change, of the whole.
    pub fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        self.part.state.time
    }

    /// Steps taken.
    pub fn step(&self) -> u64 {
        self.part.state.step
    }

    /// Refuses a state that nothing can go on from, on all ranks.
    pub fn check_state(&self) -> Result<(), StepError> {
        self.share.agree(self.time(), self.part.check_state())
    }

    /// How many particles all ranks have.
    pub fn particles(&self) -> usize {
        let nx = self.part.setup.grid.cells()[0];
        let of_line = |line: usize| self.part.starts[(line + 1) * nx] - self.part.starts[line * nx];
        self.share.total(self.share.own_lines().into_iter().map(|line| of_line(line) as usize).sum())
    }

    /// Volume of the liquid: the space that the particles of all ranks fill.
    pub fn volume(&self) -> f64 {
        self.part.volume()
    }

    /// Volume inside of the surface.
    pub fn surface_volume(&self) -> f64 {
        self.part.surface_volume()
    }

    /// The whole state on the first rank, as a [`Simulation`] would have it.
    pub fn gather(&self) -> Option<LiquidState<D>> {
        let (share, state) = (&self.share, &self.part.state);
        let cells = |field: &CellField<f64, D>| share.gather(Places::CELLS, field.values());
        let (pressure, liquid, density) = (cells(&state.pressure), cells(&state.liquid), cells(&state.density));
        let separated = share.gather(Places::CELLS, state.separated.values());
        let velocity = share.gather_faces(&state.velocity);
        let particles = share.gather_particles(&self.part.setup.grid, &self.part.starts, &state.particles);
        let &LiquidState { time, step, last_step, .. } = state;
        let (air, bodies, met) = (state.air.clone(), state.bodies.clone(), state.met.clone());
        Some(LiquidState {
            time,
            step,
            last_step,
            particles: particles?,
            velocity: velocity?,
            pressure: pressure?,
            liquid: liquid?,
            separated: separated?,
            density: density?,
            air,
            bodies,
            met,
        })
    }

    /// What there is to see now, on the first rank.
    pub fn view(&self) -> Option<WholeView<D>> {
        let (share, state) = (&self.share, &self.part.state);
        let surface = share.gather(Places::CELLS, self.part.surface().values());
        let solid = share.gather(Places::NODES, self.part.geometry.solid.values());
        let pressure = share.gather(Places::CELLS, state.pressure.values());
        let (separated, velocity) =
            (share.gather(Places::CELLS, state.separated.values()), share.gather_faces(&state.velocity));
        let particles = share.gather_particles(&self.part.setup.grid, &self.part.starts, &state.particles);
        Some(WholeView {
            time: state.time,
            step: state.step,
            surface: surface?,
            solid: solid?,
            particles: particles?,
            velocity: velocity?,
            pressure: pressure?,
            separated: separated?,
        })
    }
}

impl<const D: usize> Share<D> {
    /// Keeps the particles of the box, which are given in the order of their cells, and numbers those of all ranks from
    /// `first` on.
    fn number_own(&self, grid: &unstick_grid::Grid<D>, particles: &mut Particles<D>, first: u64) {
        let (whole, lines) = (grid.whole(), self.own_lines());
        let is_own: Vec<bool> = particles.position.iter().map(|&point| self.is_own(cell_of(&whole, point))).collect();
        particles.retain(|index| is_own[index]);
        let line_of = |&point: &[f64; D]| grid.index(cell_of(grid, point)) / grid.cells()[0];
        let mut counts = vec![0; grid.len() / grid.cells()[0]];
        particles.position.iter().for_each(|point| counts[line_of(point)] += 1);
        let (numbers, all) = self.first_numbers(&lines.iter().map(|&line| counts[line]).collect::<Vec<_>>());
        let mut next = vec![0; counts.len()];
        lines.iter().zip(numbers).for_each(|(&line, number)| next[line] = first + number);
        for (id, point) in particles.id.iter_mut().zip(&particles.position) {
            let next = &mut next[line_of(point)];
            (*id, *next) = (*next, *next + 1);
        }
        particles.next_id = first + all;
    }

    /// Gives every rank its part of a state that the first one has.
    fn hand_out_state(&self, local: &Setup<D>, whole: Option<LiquidState<D>>) -> LiquidState<D> {
        let mut state = LiquidState::empty(&local.grid);
        let numbers = whole.as_ref().map_or([0; 5], |whole| {
            let [time, last_step, met] =
                [whole.time, whole.last_step, whole.met.time].map(|time| time.to_bits() as i64);
            [time, last_step, met, whole.step as i64, whole.particles.next_id as i64]
        });
        let [time, last_step, met, step, next_id] = self.tell(numbers);
        let seconds = |bits: i64| f64::from_bits(bits as u64);
        (state.time, state.last_step, state.step) = (seconds(time), seconds(last_step), step as u64);
        state.met = MetSolids { time: seconds(met), bodies: Vec::new() };
        let field = |of: fn(&LiquidState<D>) -> &CellField<f64, D>, values: &mut CellField<f64, D>| {
            self.hand_out(Places::CELLS, whole.as_ref().map(of), values.values_mut());
        };
        field(|state| &state.pressure, &mut state.pressure);
        field(|state| &state.liquid, &mut state.liquid);
        field(|state| &state.density, &mut state.density);
        self.hand_out(Places::CELLS, whole.as_ref().map(|whole| &whole.separated), state.separated.values_mut());
        for axis in 0..D {
            let faces = whole.as_ref().map(|whole| &whole.velocity[axis]);
            self.hand_out(Places::faces(axis), faces, state.velocity[axis].values_mut());
        }
        state.particles = self.hand_out_particles(&local.grid.whole(), whole.map(|whole| whole.particles));
        state.particles.next_id = next_id as u64;
        state
    }
}
