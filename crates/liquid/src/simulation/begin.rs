//! How a simulation begins: with shapes full of liquid, or from a state.

use std::borrow::Cow;
use std::sync::Arc;

use unstick_grid::{CellField, FaceField, SignedDistance, by_dimension};
use unstick_mlcp::{Convergence, PressureMethod};

use super::Simulation;
use super::guard::Guard;
use super::report::StageTimes;
use crate::distribution::Distribution;
use crate::error::SetupError;
use crate::particles::exchange::fill_shape;
use crate::pressure::PressureSolver;
use crate::setup::Setup;
use crate::share::Share;
use crate::solids::{Bodies, Geometry, StillSolids};
use crate::state::LiquidState;
use crate::viscosity::Pool;

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
        Self::begin(Start { setup, bodies, from: Beginning::Liquids(liquids.to_vec()) })
    }

    fn fill(
        setup: Setup<D>,
        liquids: &[(SignedDistance<D>, [f64; D])],
        bodies: Option<Box<dyn Bodies<D>>>,
    ) -> Result<Self, SetupError> {
        setup.check()?;
        let mut state = LiquidState::empty(&setup.grid);
        let walls = Walls::at(&setup, 0.0);
        let mut geometry = Cow::Borrowed(&walls.geometry);
        if let Some(bodies) = &bodies {
            geometry.to_mut().immerse(&setup.grid, bodies.immersed());
            state.bodies = bodies.store();
            state.met.bodies.clone_from(&state.bodies);
        }
        for (number, (shape, velocity)) in liquids.iter().enumerate() {
            // Where shapes overlap, the first one fills.
            let is_taken = |point| liquids[..number].iter().any(|(earlier, _)| earlier.at(point) < 0.0);
            fill_shape(&setup, &geometry, shape, *velocity, is_taken, &mut state.particles);
        }
        if state.particles.is_empty() && !setup.emitters.iter().any(|emitter| emitter.velocity.is_some()) {
            return Err(SetupError::NoLiquid);
        }
        drop(geometry);
        let mut simulation = Self::restore(setup, state, bodies, Some(walls))?;
        simulation.track_surface();
        Ok(simulation)
    }

    /// The part of one of many ranks, of a state with the particles of its box alone.
    pub(crate) fn on_rank(setup: Setup<D>, state: LiquidState<D>, share: Arc<Share<D>>) -> Result<Self, SetupError> {
        let mut part = Self::resume(setup, state)?;
        part.solver = PressureSolver::on_rank(&part.setup.pressure, &share);
        part.distribution = Distribution::new(&part.setup, Some(share.clone()));
        part.starts = share.know_beside(&part.setup.grid, &mut part.state.particles, &mut part.spare);
        let fastest = share.largest(part.fastest_here());
        part.fastest_of_all = Some(fastest);
        part.guard = Guard::new(&part.setup, fastest);
        part.share = Some(share);
        Ok(part)
    }

    /// Resumes from a state. The result is the same, bit for bit, as without the interruption.
    pub fn resume(setup: Setup<D>, state: LiquidState<D>) -> Result<Self, SetupError> {
        Self::resume_with_bodies(setup, state, None)
    }

    /// The same with bodies. Their places and velocities come from the state.
    pub fn resume_with_bodies(
        setup: Setup<D>,
        state: LiquidState<D>,
        bodies: Option<Box<dyn Bodies<D>>>,
    ) -> Result<Self, SetupError> {
        Self::begin(Start { setup, bodies, from: Beginning::State(Box::new(state)) })
    }

    fn begin(start: Start<D>) -> Result<Self, SetupError> {
        by_dimension(&mut Some(start), (), begin_in_plane, begin_in_space)
    }

    fn restore(
        setup: Setup<D>,
        state: LiquidState<D>,
        mut bodies: Option<Box<dyn Bodies<D>>>,
        walls: Option<Walls<D>>,
    ) -> Result<Self, SetupError> {
        setup.check()?;
        if let (Some(_), PressureMethod::Splitting(name)) = (&bodies, setup.pressure.solver) {
            return Err(SetupError::NoBodies(name.splitting().name()));
        }
        let grid = setup.grid;
        // The solids are those that the last step has met: what is shown of a state is what was shown before it was stored.
        let Walls { still: still_solids, mut geometry } = walls.unwrap_or_else(|| Walls::at(&setup, state.met.time));
        let still_walls = (bodies.is_some() && !setup.has_motion()).then(|| geometry.clone());
        let fits = match &mut bodies {
            Some(bodies) => {
                let has_met = bodies.load(state.met.time, &state.met.bodies);
                if has_met {
                    geometry.immerse(&grid, bodies.immersed());
                }
                has_met && bodies.load(state.time, &state.bodies)
            }
            None => state.bodies.is_empty(),
        };
        if !fits {
            return Err(SetupError::OtherBodies(state.bodies.len()));
        }
        let vented = setup.air.vented(&grid);
        let no_velocity: FaceField<f64, D> = std::array::from_fn(|axis| state.velocity[axis].copied());
        let mut simulation = Self {
            solver: PressureSolver::of(&setup.pressure),
            distribution: Distribution::new(&setup, None),
            guard: Guard::new(&setup, 0.0),
            still_solids: setup.has_motion().then_some(still_solids),
            setup,
            state,
            is_between_steps: true,
            geometry,
            geometry_version: 0,
            bodies,
            still_walls,
            device: None,
            device_failure: None,
            starts: Vec::new(),
            known: std::array::from_fn(|axis| CellField::filled(grid.faces(axis), false)),
            liquid_before: CellField::filled(grid.cells(), 0.0),
            reached: std::array::from_fn(|axis| CellField::filled(grid.faces(axis), false)),
            gathered: std::array::from_fn(|axis| no_velocity[axis].copied()),
            carrying: no_velocity,
            scaled_pressure: CellField::filled(grid.cells(), 0.0),
            arrived: std::array::from_fn(|_| Vec::new()),
            spare: Vec::new(),
            surface_energy: 0.0,
            adhesion: None,
            vented,
            touching: Vec::new(),
            share: None,
            fastest_of_all: None,
            times: StageTimes::default(),
            pool: Pool::default(),
            load: None,
            viscosity: Convergence::default(),
            coupling: Convergence::default(),
        };
        simulation.sort_particles();
        simulation.guard = Guard::new(&simulation.setup, simulation.fastest());
        Ok(simulation)
    }
}

/// The solids at one moment, without bodies.
struct Walls<const D: usize> {
    still: StillSolids<D>,
    geometry: Geometry<D>,
}

impl<const D: usize> Walls<D> {
    fn at(setup: &Setup<D>, time: f64) -> Self {
        let still = StillSolids::of(setup);
        let geometry = Geometry::around(&still, setup, time);
        Self { still, geometry }
    }
}

/// All that a simulation begins with.
struct Start<const D: usize> {
    setup: Setup<D>,
    bodies: Option<Box<dyn Bodies<D>>>,
    from: Beginning<D>,
}

enum Beginning<const D: usize> {
    Liquids(Vec<(SignedDistance<D>, [f64; D])>),
    State(Box<LiquidState<D>>),
}

impl<const D: usize> Start<D> {
    fn simulation(self) -> Result<Simulation<D>, SetupError> {
        match self.from {
            Beginning::Liquids(liquids) => Simulation::fill(self.setup, &liquids, self.bodies),
            Beginning::State(state) => Simulation::restore(self.setup, *state, self.bodies, None),
        }
    }
}

#[inline(never)]
fn begin_in_plane(start: &mut Option<Start<2>>, (): ()) -> Result<Simulation<2>, SetupError> {
    start.take().map_or(Err(SetupError::NoLiquid), Start::simulation)
}

#[inline(never)]
fn begin_in_space(start: &mut Option<Start<3>>, (): ()) -> Result<Simulation<3>, SetupError> {
    start.take().map_or(Err(SetupError::NoLiquid), Start::simulation)
}

#[cfg(test)]
mod tests {
    use unstick_grid::Grid;

    use super::*;
    use crate::Solid;

    #[test]
    fn liquid_inside_of_solids_is_no_liquid() {
        let ball = SignedDistance::sphere([0.5; 2], 0.2);
        let mut setup = Setup::new(Grid::<2>::unit(8).unwrap());
        setup.solids.push(Solid::still(ball.clone().dilated(0.1)));
        assert_eq!(Simulation::new(setup, &ball).err(), Some(SetupError::NoLiquid));
    }

    #[test]
    fn each_shape_has_its_velocity_and_is_filled_once() {
        let setup = Setup::new(Grid::<2>::unit(8).unwrap());
        let low = (SignedDistance::cuboid([0.0; 2], [1.0, 0.25]), [1.0, 0.0]);
        let all = (SignedDistance::cuboid([0.0; 2], [1.0, 0.5]), [0.0, 2.0]);
        let state = Simulation::with_liquids(setup, &[low, all]).unwrap().state;
        let expected = |[_, y]: [f64; 2]| if y < 0.25 { [1.0, 0.0] } else { [0.0, 2.0] };
        assert!(state.particles.position.iter().zip(&state.particles.velocity).all(|(at, v)| expected(*at) == *v));
        assert_eq!(state.particles.len(), 4 * 32);
    }

    #[test]
    fn a_state_with_bodies_needs_them() {
        let setup = Setup::new(Grid::<2>::unit(8).unwrap());
        let mut state = LiquidState::empty(&setup.grid);
        state.bodies = vec![0.0; 6];
        assert_eq!(Simulation::resume(setup, state).err(), Some(SetupError::OtherBodies(6)));
    }
}
