//! Bodies in a box of viscous liquid: the fictitious boundary method \[Turek2012\].
//!
//! Flow and bodies take the same steps:
//!
//! ```text
//!     films, contact   act on the velocities that the forces of the last step would lead to
//!     drift            bodies move by the mean of their extrapolated velocity; overlaps are pushed out
//!     flow             finds the velocities of liquid and bodies at the end of the step, coupled implicitly
//! ```
//!
//! Contacts come first so that the flow feels them: the floor then carries the weight of a body that lies on it, and
//! the liquid around it stays at rest. Contacts change velocities by a jump. The velocity of the step before and the
//! liquid inside jump along; otherwise the differences of second order in time would read the jump as an acceleration
//! and throw bodies back.

mod lubricate;
mod report;
mod state;

use std::time::Instant;

use unstick_flow::{Convergence, Flow, FlowBody, Force, Freedom, StepError, Twist, Unconverged};
use unstick_grid::vector::{length, lift, plus, times};
use unstick_grid::{NotANumber, NumberPlace, Pose, by_dimension};

use crate::body::RigidBody;
use crate::contact::{ContactModel, ContactReport, Container};
use crate::error::BodyError;
use crate::steering::Steering;
use crate::world::World;

pub use report::{SuspensionReport, SuspensionSeconds};
pub use state::SuspensionState;

/// A box of liquid with bodies in it.
///
/// ```
/// use unstick_bodies::{ContactModel, Container, RigidBody, Shape, Suspension, Weight};
/// use unstick_flow::{Axis, Flow, FlowSetup, TensorGrid};
/// use unstick_grid::Pose;
///
/// let axis = || Axis::uniform(0.0, 1.0, 24);
/// let flow = Flow::new(FlowSetup::new(TensorGrid::new([axis()?, axis()?]), 0.01))?;
/// let ball = Shape::Sphere { radius: 0.1 };
/// let ball = RigidBody::new("ball", ball, Weight::Density(2.0), Pose::from_translation([0.5, 0.2]))?;
/// let walls = Container::inside([0.0; 2], [1.0; 2]);
/// let mut scene = Suspension::new(flow, vec![ball], [0.0, -9.81]).with_contacts(walls, ContactModel::default())?;
/// for _ in 0..40 {
///     scene.advance(0.01)?;
/// }
/// let height = scene.bodies()[0].position()[1];
/// assert!(height > 0.0999 && height < 0.13, "{height}"); // it has sunk to the floor
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Suspension<const D: usize> {
    flow: Flow<D>,
    world: World<D>,
    /// How bodies move that are steered, and where they are at rest.
    steering: Vec<Option<(Steering<D>, Pose<D>)>>,
    has_films: bool,
    /// Velocities a step before.
    previous: Vec<Twist<D>>,
    /// Whether contacts or films have acted on each body in this step.
    touched: Vec<bool>,
    gravity: [f64; D],
    forces: Vec<Force<D>>,
    contact_forces: Vec<Force<D>>,
}

/// How films and contacts of a step were resolved.
struct ContactStep<const D: usize> {
    films: (usize, Convergence),
    report: ContactReport,
    /// Velocities at the end of the step, as far as they are known before it.
    moving: Vec<Twist<D>>,
}

impl<const D: usize> Suspension<D> {
    /// Bodies in liquid. Gravity acts on their excess mass over the liquid in their place. They touch neither walls nor
    /// each other.
    pub fn new(flow: Flow<D>, bodies: Vec<RigidBody<D>>, gravity: [f64; D]) -> Self {
        let (previous, none) =
            (bodies.iter().map(RigidBody::twist).collect(), Force { force: [0.0; D], torque: [0.0; 3] });
        let count = bodies.len();
        Self {
            flow,
            previous,
            gravity,
            world: World::unbounded(bodies),
            steering: vec![None; count],
            has_films: false,
            touched: vec![false; count],
            forces: vec![none; count],
            contact_forces: vec![none; count],
        }
    }

    /// The same with bodies that collide with each other and with walls, and with the films between them. Refuses bodies
    /// that overlap, reach into walls or share a name. Bodies that are held for ever may reach into walls.
    pub fn with_contacts(mut self, container: Container<D>, model: ContactModel) -> Result<Self, BodyError> {
        self.world = World::new(self.world.bodies().to_vec(), container, model)?;
        self.has_films = true;
        Ok(self)
    }

    /// The same with or without the resistance of films thinner than two cells.
    pub fn with_films(mut self, has_films: bool) -> Self {
        self.has_films = has_films;
        self
    }

    /// The same with steered bodies: one entry for each body.
    ///
    /// # Panics
    /// When there are not as many entries as bodies.
    pub fn with_steering(mut self, steering: Vec<Option<Steering<D>>>) -> Self {
        assert_eq!(steering.len(), self.bodies().len(), "steerings (left) and bodies (right)");
        let rest = |(steering, body): (Option<Steering<D>>, &RigidBody<D>)| Some((steering?, *body.pose()));
        self.steering = steering.into_iter().zip(self.world.bodies()).map(rest).collect();
        self.steer(self.flow.state().time);
        self.previous = self.bodies().iter().map(RigidBody::twist).collect();
        self
    }

    /// The liquid.
    pub fn flow(&self) -> &Flow<D> {
        &self.flow
    }

    /// The bodies.
    pub fn bodies(&self) -> &[RigidBody<D>] {
        self.world.bodies()
    }

    /// The bodies, to be changed between steps.
    pub fn bodies_mut(&mut self) -> &mut [RigidBody<D>] {
        self.world.bodies_mut()
    }

    /// Force of the liquid on each body in the last step, without buoyancy.
    pub fn forces(&self) -> &[Force<D>] {
        &self.forces
    }

    /// Mean force of contacts and films on each body in the last step.
    pub fn contact_forces(&self) -> &[Force<D>] {
        &self.contact_forces
    }

    /// What there is now; it *is* the checkpoint.
    pub fn state(&self) -> SuspensionState<D> {
        SuspensionState {
            flow: self.flow.state().clone(),
            bodies: self.bodies().iter().map(|body| *body.state()).collect(),
            previous: self.previous.clone(),
            forces: self.forces.clone(),
        }
    }

    /// Goes on from another state.
    ///
    /// # Panics
    /// When it is of another number of bodies.
    pub fn set_state(&mut self, state: SuspensionState<D>) {
        assert_eq!(state.bodies.len(), self.bodies().len(), "bodies of the state (left) and of the suspension (right)");
        self.world.bodies_mut().iter_mut().zip(state.bodies).for_each(|(body, state)| body.set_state(state));
        (self.previous, self.forces) = (state.previous, state.forces);
        self.world.set_time(state.flow.time);
        self.steer(state.flow.time);
        self.flow.set_state(state.flow);
        self.mark();
    }

    /// Momentum of everything: of the liquid outside of bodies and of the bodies.
    pub fn momentum(&self) -> [f64; D] {
        plus(self.flow.momentum(), self.world.momentum())
    }

    /// The longest step in which neither liquid nor bodies cross more than `cfl` cells; none if all is at rest.
    pub fn longest_step(&self, cfl: f64) -> Option<f64> {
        let speed = |body: &RigidBody<D>| length(body.velocity()) + length(body.spin()) * body.shape().reach();
        let fastest = self.bodies().iter().map(speed).fold(0.0, f64::max);
        let of_bodies = (fastest > 0.0).then(|| cfl * self.flow.setup().grid.finest() / fastest);
        self.flow.longest_step(cfl).into_iter().chain(of_bodies).reduce(f64::min)
    }

    /// Takes a step. Held bodies stay at their place, steered ones follow their steering. With
    /// [`ShortenStep`](Unconverged::ShortenStep) the step may be shorter than asked for: the report has its length.
    ///
    /// After an error the state is that of the middle of the step: continue from a copy of the state before. With
    /// `ShortenStep`, which keeps a copy, it is that of the start of the step.
    pub fn advance(&mut self, length: f64) -> Result<SuspensionReport<D>, StepError> {
        by_dimension(self, length, advance_in_plane, advance_in_space)
    }

    fn advance_or_shorten(&mut self, length: f64) -> Result<SuspensionReport<D>, StepError> {
        if self.flow.setup().solve.on_unconverged != Unconverged::ShortenStep {
            return self.try_advance(length);
        }
        let (backup, mut length) = (self.state(), length);
        for halving in 0.. {
            let error = match self.try_advance(length) {
                Ok(report) => return Ok(report),
                Err(error) => error,
            };
            self.set_state(backup.clone());
            if halving >= Unconverged::MAX_HALVINGS || !matches!(error, StepError::Unconverged { .. }) {
                return Err(error);
            }
            length *= 0.5;
        }
        unreachable!("the loop returns")
    }

    fn try_advance(&mut self, length: f64) -> Result<SuspensionReport<D>, StepError> {
        let start = Instant::now();
        self.check_finite()?;
        let (time, last) = (self.flow.state().time, self.flow.state().last_step);
        let unresolved = |error: BodyError| StepError::Contact { time, reason: error.to_string() };
        self.world.set_time(time);
        if self.flow.state().step == 0 {
            self.begin();
        }
        let ContactStep { films, report, moving } = self.collide(length).map_err(unresolved)?;
        let now: Vec<Twist<D>> = self.bodies().iter().map(RigidBody::twist).collect();
        let ahead = if last > 0.0 { 0.5 * length / last } else { 0.0 };
        for (number, body) in self.world.bodies_mut().iter_mut().enumerate() {
            let change = now[number].minus(&self.previous[number]);
            drift(body, &if self.touched[number] { moving[number] } else { now[number].ahead(ahead, &change) }, length);
        }
        self.steer(time + length);
        let mut contact = report;
        contact.set_separation(self.world.separate().map_err(unresolved)?);
        let seconds = start.elapsed().as_secs_f64();

        let mut seen: Vec<FlowBody<D>> = (0..now.len()).map(|body| self.immersed(body, &now[body])).collect();
        let flow = self.flow.advance(length, &mut seen)?;
        for ((body, seen), previous) in self.world.bodies_mut().iter_mut().zip(&seen).zip(&mut self.previous) {
            *previous = seen.previous;
            let mut state = *body.state();
            (state.velocity, state.spin) = (seen.twist.linear, seen.twist.angular);
            body.set_state(state);
        }
        self.forces.clone_from(&flow.forces);
        Ok(SuspensionReport::new(flow, contact, films, seconds))
    }

    /// Refuses a state with a number that is NaN or infinite. It must not be stored in place of an earlier one.
    pub fn check_finite(&self) -> Result<(), StepError> {
        self.flow.check_finite()?;
        self.flow.refuse(self.first_not_finite())
    }

    /// The first number of a body that is NaN or infinite.
    fn first_not_finite(&self) -> Option<NotANumber> {
        let of_bodies = |field, of: fn(&RigidBody<D>) -> [f64; 3]| {
            let rows: Vec<[f64; 3]> = self.bodies().iter().map(of).collect();
            NotANumber::in_rows(field, NumberPlace::Body, &rows)
        };
        of_bodies("position", |body| lift(body.position()))
            .or_else(|| of_bodies("velocity", |body| lift(body.velocity())))
            .or_else(|| of_bodies("spin", RigidBody::spin))
    }

    /// The liquid inside of bodies begins with their velocities.
    fn begin(&mut self) {
        let twists: Vec<Twist<D>> = self.bodies().iter().map(RigidBody::twist).collect();
        self.mark();
        self.flow.shift_inside(&twists);
    }

    /// Finds the faces that bodies hold where they are.
    fn mark(&mut self) {
        let seen: Vec<FlowBody<D>> = (0..self.previous.len()).map(|body| self.immersed(body, &Twist::zero())).collect();
        self.flow.mark(&seen);
    }

    /// Lets films and contacts act for a time, on the velocities at its end. The liquid inside the bodies follows.
    fn collide(&mut self, time: f64) -> Result<ContactStep<D>, BodyError> {
        let now: Vec<Twist<D>> = self.bodies().iter().map(RigidBody::twist).collect();
        // The same differences in time as those of the flow.
        let last = self.flow.state().last_step;
        let ratio = if last > 0.0 { time / last } else { 0.0 };
        let (change, reach) = (ratio * ratio / (1.0 + 2.0 * ratio), time * (1.0 + ratio) / (1.0 + 2.0 * ratio));
        let free = |body: usize| {
            let going_on = now[body].ahead(change, &now[body].minus(&self.previous[body]));
            if self.bodies()[body].is_held() { now[body] } else { going_on.ahead(reach, &self.acceleration(body)) }
        };
        let free: Vec<Twist<D>> = (0..now.len()).map(free).collect();
        let bodies = self.world.bodies_mut().iter_mut();
        bodies.zip(&free).for_each(|(body, free)| body.set_twist(free));
        let films =
            if self.has_films { lubricate::lubricate(&mut self.world, &self.flow, time) } else { Default::default() };
        let report = match *self.world.model() {
            ContactModel::Springs { stiffness } => self.world.bounce(time, stiffness),
            _ => self.world.collide(time)?,
        };
        let moving: Vec<Twist<D>> = self.bodies().iter().map(RigidBody::twist).collect();
        let changes: Vec<Twist<D>> = moving.iter().zip(&free).map(|(moving, free)| moving.minus(free)).collect();
        for (number, change) in changes.iter().enumerate() {
            let body = &mut self.world.bodies_mut()[number];
            self.contact_forces[number] = force_of(body, change, time);
            self.touched[number] = *change != Twist::zero();
            body.set_twist(&now[number].plus(change));
            self.previous[number] = self.previous[number].plus(change);
        }
        if self.touched.contains(&true) {
            self.flow.shift_inside(&changes);
        }
        Ok(ContactStep { films, report, moving })
    }

    /// Acceleration by gravity and the liquid. Only half of the liquid's force in the last step is counted. With all of
    /// it, contacts under heavy added mass or drag come to rest by a factor of 0.99 a step and chatter; with half, by 0.7.
    fn acceleration(&self, number: usize) -> Twist<D> {
        let (body, force) = (&self.bodies()[number], &self.forces[number]);
        let excess = body.mass() - self.flow.setup().density * body.volume();
        let pull = plus(times(0.5, force.force), times(excess, self.gravity));
        Twist {
            linear: times(body.inverse_mass(), pull),
            angular: unstick_grid::vector::applied(&body.inverse_inertia(), times(0.5, force.torque)),
        }
    }

    /// Moves steered bodies to their place at a time.
    fn steer(&mut self, time: f64) {
        for (body, steering) in self.world.bodies_mut().iter_mut().zip(&self.steering) {
            let Some((steering, rest)) = steering else { continue };
            let mut state = *body.state();
            state.pose = steering.pose(rest, time);
            let (velocity, spin) = steering.motion(state.pose.translation(), time);
            body.set_state(state);
            body.drive(velocity, spin);
        }
    }

    /// A body as the flow sees it, `now` its velocity at the beginning of the step.
    fn immersed(&self, number: usize, now: &Twist<D>) -> FlowBody<D> {
        let body = &self.bodies()[number];
        let excess = body.mass() - self.flow.setup().density * body.volume();
        let freedom = if body.is_held() {
            Freedom::Prescribed(body.twist())
        } else {
            Freedom::Free {
                mass: body.mass(),
                inertia: body.inertia(),
                force: times(excess, self.gravity),
                torque: [0.0; 3],
            }
        };
        FlowBody {
            shape: body.signed_distance(),
            centre: body.position(),
            reach: body.shape().reach(),
            volume: body.volume(),
            twist: *now,
            previous: self.previous[number],
            freedom,
        }
    }
}

/// The force that changes a body's velocity by so much in a time.
#[inline(never)]
fn advance_in_plane(suspension: &mut Suspension<2>, length: f64) -> Result<SuspensionReport<2>, StepError> {
    suspension.advance_or_shorten(length)
}

#[inline(never)]
fn advance_in_space(suspension: &mut Suspension<3>, length: f64) -> Result<SuspensionReport<3>, StepError> {
    suspension.advance_or_shorten(length)
}

fn force_of<const D: usize>(body: &RigidBody<D>, change: &Twist<D>, time: f64) -> Force<D> {
    let torque = unstick_grid::vector::applied(&body.inertia(), change.angular);
    Force { force: times(body.mass() / time, change.linear), torque: times(1.0 / time, torque) }
}

/// Moves a body over a step by another velocity than its own.
fn drift<const D: usize>(body: &mut RigidBody<D>, moving: &Twist<D>, length: f64) {
    let now = body.twist();
    body.set_twist(moving);
    body.drift(length);
    body.set_twist(&now);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, Weight};
    use unstick_flow::{Axis, FlowSetup, TensorGrid};
    use unstick_grid::Pose;

    fn ball(name: &str, density: f64, place: [f64; 2]) -> RigidBody<2> {
        let shape = Shape::Sphere { radius: 0.08 };
        RigidBody::new(name, shape, Weight::Density(density), Pose::from_translation(place)).unwrap()
    }

    #[test]
    fn heavy_bodies_sink_light_ones_rise_and_held_ones_stay() {
        let axis = || Axis::uniform(0.0, 1.0, 40).unwrap();
        let flow = Flow::new(FlowSetup::new(TensorGrid::new([axis(), axis()]), 0.01)).unwrap();
        let held = ball("held", 3.0, [0.8, 0.5]).held_until(10.0).unwrap();
        let bodies = vec![ball("heavy", 2.0, [0.2, 0.5]), ball("light", 0.5, [0.5, 0.5]), held];
        let mut scene = Suspension::new(flow, bodies, [0.0, -1.0]);
        scene.bodies_mut().iter_mut().for_each(|body| body.hold_at(0.0));
        for _ in 0..30 {
            scene.advance(0.01).unwrap();
        }
        let heights: Vec<f64> = scene.bodies().iter().map(|body| body.position()[1]).collect();
        assert!(heights[0] < 0.495 && heights[1] > 0.503 && heights[2] == 0.5, "{heights:?}");
        // What holds the held body takes up what the liquid does to it.
        assert!(scene.forces()[2].force[1].abs() > 0.0 && scene.bodies()[2].velocity() == [0.0; 2]);
    }

    #[test]
    fn a_body_whose_motion_is_no_number_is_named() {
        let axis = || Axis::uniform(0.0, 1.0, 16).unwrap();
        let flow = || Flow::new(FlowSetup::new(TensorGrid::new([axis(), axis()]), 0.01)).unwrap();
        for bad in [f64::NAN, f64::INFINITY] {
            let bodies = vec![ball("one", 2.0, [0.3, 0.5]), ball("two", 2.0, [0.7, 0.5])];
            let mut scene = Suspension::new(flow(), bodies, [0.0, -1.0]);
            scene.advance(0.01).unwrap();
            let mut state = *scene.bodies()[1].state();
            state.velocity[1] = bad;
            scene.bodies_mut()[1].set_state(state);
            let said = scene.advance(0.01).unwrap_err().to_string();
            assert!(said.contains(&format!("the velocity of body 1 is {bad}")), "{said}");
        }
    }

    #[test]
    fn a_ball_beside_a_wall_that_falls_is_set_spinning() {
        let flow = {
            let axis = |to: f64, cells| Axis::uniform(0.0, to, cells).unwrap();
            Flow::new(FlowSetup::new(TensorGrid::new([axis(1.0, 48), axis(1.0, 48)]), 0.02)).unwrap()
        };
        let mut scene = Suspension::new(flow, vec![ball("near", 3.0, [0.14, 0.7])], [0.0, -1.0]);
        for _ in 0..40 {
            scene.advance(0.01).unwrap();
        }
        // Liquid is dragged more on the side of the wall, so that side of the ball is held back: it rolls as on it.
        let spin = scene.bodies()[0].spin()[2];
        assert!(spin.abs() > 1e-3 && scene.bodies()[0].velocity()[1] < -0.05, "{spin}");
    }
}
