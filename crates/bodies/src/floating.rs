//! Floating bodies: a world of bodies coupled with a liquid that has a free surface.

use std::any::Any;

use unstick_flow::Twist;
use unstick_grid::vector::{applied, minus, times};
use unstick_liquid::{Bodies, Immersed, Push, Response, Setup};
use unstick_mlcp::Convergence;

use crate::algebra::lift;
use crate::body::RigidBody;
use crate::contact::{ContactModel, ContactReport, Container, mobility};
use crate::error::BodyError;
use crate::state::BodyState;
use crate::world::World;

/// Bodies that float, sink and bounce in a liquid.
///
/// ```
/// use unstick_bodies::{FloatingBodies, ContactModel, RigidBody, Shape, Weight};
/// use unstick_grid::{Grid, Pose, SignedDistance};
/// use unstick_liquid::{Setup, Simulation};
///
/// let setup = Setup::new(Grid::<2>::unit(32)?);
/// let ball = Shape::Sphere { radius: 0.1 };
/// let ball = RigidBody::new("ball", ball, Weight::Density(300.0), Pose::from_translation([0.5, 0.2]))?;
/// let bodies = FloatingBodies::new(vec![ball], &setup, ContactModel::default())?;
/// let water = SignedDistance::cuboid([0.0, 0.0], [1.0, 0.5]);
/// let mut simulation = Simulation::with_bodies(setup, &[(water, [0.0; 2])], Some(Box::new(bodies)))?;
/// simulation.advance_to(0.1)?;
/// let bodies = FloatingBodies::of(&simulation).unwrap();
/// assert!(bodies.world().bodies()[0].velocity()[1] > 0.1); // it rises
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FloatingBodies<const D: usize> {
    world: World<D>,
    /// Velocities after gravity, before liquid and contacts.
    free: Vec<Twist<D>>,
    forces: Vec<Forces<D>>,
    contact: ContactReport,
}

/// Mean forces on a body in the last step, in newton and newton metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forces<const D: usize> {
    /// By the pressure of the liquid.
    pub liquid: [f64; D],
    /// Its moment about the centre of mass.
    pub torque: [f64; 3],
    /// By contacts.
    pub contact: [f64; D],
}

impl<const D: usize> FloatingBodies<D> {
    /// Puts bodies into a simulation's container: the border of its grid and its solids.
    ///
    /// Refuses bodies that overlap, reach into walls or share a name.
    pub fn new(bodies: Vec<RigidBody<D>>, setup: &Setup<D>, model: ContactModel) -> Result<Self, BodyError> {
        Ok(Self::in_world(World::new(bodies, Self::container(setup), model)?))
    }

    /// The container of a simulation: the border of its grid and its solids.
    pub fn container(setup: &Setup<D>) -> Container<D> {
        let border = Container::of_grid(&setup.grid);
        setup.solids.iter().fold(border, |container, solid| container.with(&solid.shape, &solid.motion))
    }

    /// The same for a world of your own.
    pub fn in_world(world: World<D>) -> Self {
        let none = Forces { liquid: [0.0; D], torque: [0.0; 3], contact: [0.0; D] };
        let (forces, free) = (vec![none; world.bodies().len()], world.twists());
        Self { world, free, forces, contact: ContactReport::default() }
    }

    /// The bodies of a simulation; none if it has none of this kind.
    pub fn of(simulation: &unstick_liquid::Simulation<D>) -> Option<&Self> {
        simulation.bodies()?.as_any().downcast_ref()
    }

    /// The bodies and their container.
    pub fn world(&self) -> &World<D> {
        &self.world
    }

    /// Mean forces in the last step.
    pub fn forces(&self) -> &[Forces<D>] {
        &self.forces
    }

    /// How the contacts of the last step were resolved.
    pub fn contact(&self) -> &ContactReport {
        &self.contact
    }

    /// Sets how a body moves in numbers that [`Bodies::store`] gave.
    ///
    /// # Panics
    /// When they are those of fewer bodies.
    pub fn set_motion(stored: &mut [f64], number: usize, velocity: [f64; D], spin: [f64; 3]) {
        let motion = number * stored_length(D) + D * D + D;
        stored[motion..motion + D].copy_from_slice(&velocity);
        stored[motion + D..motion + D + 3].copy_from_slice(&spin);
    }

    /// Whether contacts are resolved together with the pressure. Springs act on overlaps, which arise as bodies move.
    fn meets_liquid(&self) -> bool {
        !matches!(self.world.model(), ContactModel::None | ContactModel::Springs { .. })
    }

    /// Velocities after gravity and pushes, as if there were no contacts.
    fn pushed(&self, pushes: &[Push<D>]) -> Vec<Twist<D>> {
        let of_body = |((body, free), (impulse, angular)): ((&RigidBody<D>, &Twist<D>), &Push<D>)| {
            let linear = times(body.inverse_mass(), *impulse);
            free.plus(&Twist { linear, angular: applied(&body.inverse_inertia(), *angular) })
        };
        self.world.bodies().iter().zip(&self.free).zip(pushes).map(of_body).collect()
    }
}

impl<const D: usize> Bodies<D> for FloatingBodies<D> {
    fn immersed(&self) -> Vec<Immersed<D>> {
        let of_body = |body: &RigidBody<D>| Immersed {
            shape: body.signed_distance(),
            bounds: body.bounds(),
            wall: body.surface().wall,
            adhesion: body.surface().adhesion,
            centre: body.position(),
            velocity: body.velocity(),
            spin: body.spin(),
            inverse_mass: body.inverse_mass(),
            inverse_inertia: body.inverse_inertia(),
        };
        self.world.bodies().iter().map(of_body).collect()
    }

    fn accelerate(&mut self, acceleration: [f64; D], dt: f64) {
        self.world.accelerate(acceleration, dt);
        self.free = self.world.twists();
    }

    fn expected_pushes(&self, dt: f64) -> Vec<Push<D>> {
        self.forces.iter().map(|forces| (times(dt, forces.liquid), times(dt, forces.torque))).collect()
    }

    fn respond(&self, pushes: &[Push<D>], dt: f64) -> Result<Response<D>, String> {
        let (mut velocities, mut held) = (self.pushed(pushes), Vec::new());
        if self.meets_liquid() {
            // A body bounces by its own speed. The liquid's push on a body that is being stopped is part of the collision.
            let (system, _) = self.world.resolve(&velocities, &self.free, dt).map_err(|error| error.to_string())?;
            (velocities, held) = (system.twists, system.held);
        }
        let unpushed = velocities.iter().map(|twist| (twist.linear, twist.angular)).collect();
        let mut response = Response { unpushed, columns: mobility(self.world.bodies(), &held) };
        // V₀ = V − W P
        let backwards: Vec<Push<D>> = pushes.iter().map(|push| (times(-1.0, push.0), times(-1.0, push.1))).collect();
        response.unpushed = response.under(&backwards);
        Ok(response)
    }

    fn push(&mut self, pushes: &[Push<D>], response: &Response<D>, kick: f64, dt: f64) -> Result<(), String> {
        let without_contacts = self.pushed(pushes);
        let moving = response.under(pushes).into_iter().map(|(linear, angular)| Twist { linear, angular });
        let mut moving: Vec<Twist<D>> = moving.collect();
        if self.meets_liquid() {
            let (system, report) = self.world.resolve(&moving, &self.free, dt).map_err(|error| error.to_string())?;
            (moving, self.contact) = (system.twists, report);
        }
        self.contact.impulses.clear();
        for (number, body) in self.world.bodies_mut().iter_mut().enumerate() {
            body.set_twist(&moving[number]);
            let change = minus(body.velocity(), without_contacts[number].linear);
            let contact = if body.is_held() { [0.0; D] } else { times(body.mass(), change) };
            self.contact.impulses.push(lift(contact));
            self.forces[number] = Forces {
                liquid: times(1.0 / kick, pushes[number].0),
                torque: times(1.0 / kick, pushes[number].1),
                contact: times(1.0 / kick, contact),
            };
        }
        Ok(())
    }

    fn advance(&mut self, dt: f64) -> Result<Convergence, String> {
        if self.meets_liquid() {
            self.contact.set_separation(self.world.drift(dt).map_err(|error| error.to_string())?);
        } else {
            self.contact = self.world.step(dt).map_err(|error| error.to_string())?;
            for (forces, impulse) in self.forces.iter_mut().zip(&self.contact.impulses) {
                forces.contact = std::array::from_fn(|axis| impulse[axis] / dt);
            }
        }
        Ok(self.contact.impulse_solve.and(self.contact.friction_solve).and(self.contact.position_solve))
    }

    fn store(&self) -> Vec<f64> {
        let of_body = |(body, forces): (&RigidBody<D>, &Forces<D>)| {
            let mut numbers = Vec::from(*body.state());
            // The next step expects the liquid to push as it does now.
            numbers.extend(forces.liquid);
            numbers.extend(forces.torque);
            numbers
        };
        self.world.bodies().iter().zip(&self.forces).flat_map(of_body).collect()
    }

    fn load(&mut self, time: f64, data: &[f64]) -> bool {
        let bodies = self.world.bodies_mut();
        let (of_state, length) = (state_length(D), stored_length(D));
        if data.len() != length * bodies.len() {
            return false;
        }
        for ((body, forces), numbers) in bodies.iter_mut().zip(&mut self.forces).zip(data.chunks(length)) {
            let Ok(state) = BodyState::try_from(numbers[..of_state].to_vec()) else { return false };
            body.set_state(state);
            forces.liquid = std::array::from_fn(|axis| numbers[of_state + axis]);
            forces.torque = std::array::from_fn(|axis| numbers[of_state + D + axis]);
        }
        self.world.set_time(time);
        true
    }

    fn boxed(&self) -> Box<dyn Bodies<D>> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Numbers of the state of a body: rotation, place, velocity and spin.
const fn state_length(dimension: usize) -> usize {
    dimension * dimension + 2 * dimension + 3
}

/// The same with the force and the torque of the liquid.
const fn stored_length(dimension: usize) -> usize {
    state_length(dimension) + dimension + 3
}
