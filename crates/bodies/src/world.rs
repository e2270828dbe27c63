//! Bodies in a container: one step of contact and motion.

use unstick_flow::Twist;
use unstick_grid::by_dimension;
use unstick_grid::vector::{dot, length, minus, plus, times};
use unstick_mlcp::Convergence;

use crate::algebra::lift;
use crate::body::RigidBody;
use crate::contact::{
    Contact, ContactModel, ContactReport, ContactSystem, Container, Limits, Separation, find_contacts, least_openings,
    longest_spring_step, pairwise, push_apart, sequential, solve_lcp, springs,
};
use crate::error::BodyError;

/// Approaches slower than this do not bounce, in m/s: bodies at rest would tremble.
const BOUNCE_THRESHOLD: f64 = 0.02;

/// Overlap that is not corrected, as a part of the smallest body's reach.
const ALLOWANCE: f64 = 1e-3;

/// Bodies, their container, and how they collide.
///
/// ```
/// use unstick_bodies::{ContactModel, Container, RigidBody, Shape, Weight, World};
/// use unstick_grid::Pose;
///
/// let ball = Shape::Sphere { radius: 0.1 };
/// let body = RigidBody::new("ball", ball, Weight::Density(800.0), Pose::from_translation([0.5, 0.5]))?;
/// let mut world = World::new(vec![body], Container::inside([0.0; 2], [1.0; 2]), ContactModel::default())?;
/// for _ in 0..100 {
///     world.accelerate([0.0, -9.81], 0.01);
///     world.step(0.01)?;
/// }
/// assert!((world.bodies()[0].position()[1] - 0.1).abs() < 1e-6); // it lies on the floor
/// # Ok::<(), unstick_bodies::BodyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct World<const D: usize> {
    bodies: Vec<RigidBody<D>>,
    container: Container<D>,
    model: ContactModel,
    time: f64,
}

impl<const D: usize> World<D> {
    /// Refuses bodies that overlap, reach into walls or share a name.
    pub fn new(bodies: Vec<RigidBody<D>>, container: Container<D>, model: ContactModel) -> Result<Self, BodyError> {
        let mut world = Self { bodies, container, model, time: 0.0 };
        world.check()?;
        world.set_time(0.0);
        Ok(world)
    }

    /// Bodies that touch neither walls nor each other.
    pub(crate) fn unbounded(bodies: Vec<RigidBody<D>>) -> Self {
        let mut world = Self { bodies, container: Container::default(), model: ContactModel::None, time: 0.0 };
        world.set_time(0.0);
        world
    }

    fn check(&self) -> Result<(), BodyError> {
        let mut names: Vec<&str> = self.bodies.iter().map(RigidBody::name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(BodyError::SameName(pair[0].into()));
        }
        // Bodies that are released later count as free here. Bodies that are held for ever may reach into walls.
        let free: Vec<RigidBody<D>> = self
            .bodies
            .iter()
            .cloned()
            .map(|mut body| {
                body.hold_at(f64::INFINITY);
                body
            })
            .collect();
        let (contacts, _) = find_contacts(&free, &self.container, 0.0, &vec![0.0; free.len()]);
        let allowance = self.allowance();
        let deepest = contacts.iter().filter(|contact| -contact.gap > allowance).min_by(|a, b| a.gap.total_cmp(&b.gap));
        let Some(contact) = deepest else { return Ok(()) };
        let name = |index: usize| self.bodies[index].name().to_owned();
        let (first, depth, point) = (name(contact.first), -contact.gap, contact.point.to_vec());
        Err(match contact.second {
            Some(second) => BodyError::Overlap { first, second: name(second), depth, point },
            None => BodyError::Outside { body: first, depth, point },
        })
    }

    /// The bodies.
    pub fn bodies(&self) -> &[RigidBody<D>] {
        &self.bodies
    }

    /// The bodies, mutable.
    pub fn bodies_mut(&mut self) -> &mut [RigidBody<D>] {
        &mut self.bodies
    }

    /// The container.
    pub fn container(&self) -> &Container<D> {
        &self.container
    }

    /// How they collide.
    pub fn model(&self) -> &ContactModel {
        &self.model
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Sets the time, and holds or releases bodies accordingly.
    pub fn set_time(&mut self, time: f64) {
        self.time = time;
        self.bodies.iter_mut().for_each(|body| body.hold_at(time));
    }

    /// Overlap that is not corrected, in metres.
    pub fn allowance(&self) -> f64 {
        let least = self.bodies.iter().map(|body| body.shape().reach()).fold(f64::INFINITY, f64::min);
        if least.is_finite() { ALLOWANCE * least } else { 0.0 }
    }

    /// Applies gravity for a time.
    pub fn accelerate(&mut self, acceleration: [f64; D], dt: f64) {
        self.bodies.iter_mut().for_each(|body| body.accelerate(times(dt, acceleration)));
    }

    /// Sum of all momenta.
    pub fn momentum(&self) -> [f64; D] {
        self.bodies.iter().fold([0.0; D], |sum, body| plus(sum, body.momentum()))
    }

    /// Kinetic energy of all bodies, and their potential energy relative to the origin.
    pub fn energy(&self, gravity: [f64; D]) -> (f64, f64) {
        let kinetic = self.bodies().iter().map(RigidBody::kinetic_energy).sum();
        let weighed = self.bodies().iter().fold([0.0; D], |sum, body| plus(sum, times(body.mass(), body.position())));
        (kinetic, -dot(gravity, weighed))
    }

    /// The contacts that can close within `dt`, and the number of pairs that were examined.
    pub fn contacts(&self, dt: f64) -> (Vec<Contact<D>>, usize) {
        let twists = self.twists();
        self.contacts_at(&twists, &twists, dt)
    }

    /// The contacts that can close within `dt` at one of two velocities.
    fn contacts_at(&self, one: &[Twist<D>], two: &[Twist<D>], dt: f64) -> (Vec<Contact<D>>, usize) {
        let allowance = self.allowance();
        let margin = |(number, body): (usize, &RigidBody<D>)| {
            let speed = |twist: &Twist<D>| length(twist.linear) + length(twist.angular) * body.shape().reach();
            dt * speed(&one[number]).max(speed(&two[number])) + allowance
        };
        let margins: Vec<f64> = self.bodies.iter().enumerate().map(margin).collect();
        find_contacts(&self.bodies, &self.container, self.time, &margins)
    }

    /// Resolves contacts and moves the bodies. The velocities already contain the action of forces.
    pub fn step(&mut self, dt: f64) -> Result<ContactReport, BodyError> {
        by_dimension(self, dt, step_in_plane, step_in_space)
    }

    fn take_step(&mut self, dt: f64) -> Result<ContactReport, BodyError> {
        let before = self.velocities();
        let mut report = match self.model {
            ContactModel::Springs { stiffness } => self.swing(dt, stiffness),
            _ => {
                let report = self.collide(dt)?;
                self.bodies.iter_mut().for_each(|body| body.drift(dt));
                report
            }
        };
        report.impulses = self
            .bodies
            .iter()
            .zip(before)
            .map(|(body, before)| times(body.mass(), lift(minus(body.velocity(), before))))
            .collect();
        let time = self.time + dt;
        self.set_time(time);
        if !matches!(self.model, ContactModel::None | ContactModel::Springs { .. }) {
            report.set_separation(self.separate()?);
        }
        Ok(report)
    }

    fn velocities(&self) -> Vec<[f64; D]> {
        self.bodies.iter().map(RigidBody::velocity).collect()
    }

    /// Velocities and spins.
    pub(crate) fn twists(&self) -> Vec<Twist<D>> {
        self.bodies.iter().map(RigidBody::twist).collect()
    }

    /// Moves the bodies by velocities that close no contact, and pushes apart what overlaps.
    pub(crate) fn drift(&mut self, dt: f64) -> Result<Separation, BodyError> {
        self.bodies.iter_mut().for_each(|body| body.drift(dt));
        self.set_time(self.time + dt);
        self.separate()
    }

    /// Pushes overlapping bodies apart without a change of velocities.
    pub(crate) fn separate(&mut self) -> Result<Separation, BodyError> {
        match self.model {
            ContactModel::None | ContactModel::Springs { .. } => Ok(Separation::default()),
            _ => {
                let allowance = self.allowance();
                push_apart(&mut self.bodies, &self.container, self.time, allowance)
            }
        }
    }

    /// Changes the velocities by springs, with substeps over `dt`. Places stay as they are.
    pub(crate) fn bounce(&mut self, dt: f64, stiffness: f64) -> ContactReport {
        let before: Vec<_> = self.bodies.iter().map(|body| *body.state()).collect();
        let report = self.swing(dt, stiffness);
        for (body, before) in self.bodies.iter_mut().zip(before) {
            let after = *body.state();
            body.set_state(crate::state::BodyState { pose: before.pose, ..after });
        }
        report
    }

    /// Changes the velocities so that no contact closes within `dt`. Places stay as they are.
    pub fn collide(&mut self, dt: f64) -> Result<ContactReport, BodyError> {
        if self.model == ContactModel::None {
            return Ok(ContactReport::default());
        }
        let twists = self.twists();
        let (system, report) = self.resolve(&twists, &twists, dt)?;
        system.write_back(&mut self.bodies);
        Ok(report)
    }

    /// The contacts of bodies with these velocities, resolved so that none closes within `dt`. Bodies bounce as they
    /// `approach`. Nothing changes in the world.
    pub(crate) fn resolve(
        &self,
        twists: &[Twist<D>],
        approach: &[Twist<D>],
        dt: f64,
    ) -> Result<(ContactSystem<D>, ContactReport), BodyError> {
        let (contacts, pairs) = self.contacts_at(twists, approach, dt);
        let count = contacts.len();
        let mut system = ContactSystem::new(&self.bodies, contacts);
        system.twists.copy_from_slice(twists);
        let wanted = least_openings(&system, approach, dt, BOUNCE_THRESHOLD);
        let report = match &self.model {
            ContactModel::Pairwise => ContactReport::of_impulses(pairwise(&mut system, dt, BOUNCE_THRESHOLD)),
            ContactModel::Sequential { sweeps, tolerance } => {
                ContactReport::of_impulses(sequential(&mut system, &self.bodies, &wanted, *sweeps, *tolerance))
            }
            ContactModel::Lcp { solver, tolerance, cycles, rounds } => {
                let limits = Limits { tolerance: *tolerance, cycles: *cycles, rounds: *rounds };
                solve_lcp(&mut system, &self.bodies, &wanted, *solver, limits)?
            }
            ContactModel::None | ContactModel::Springs { .. } => ContactReport::default(),
        };
        Ok((system, ContactReport { pairs, contacts: count, ..report }))
    }

    /// Springs, with substeps that resolve their swings.
    fn swing(&mut self, dt: f64, stiffness: f64) -> ContactReport {
        let steps = (dt / longest_spring_step(&self.bodies, stiffness)).ceil().max(1.0);
        let mut report = ContactReport::of_impulses(Convergence::direct(steps as usize));
        for step in 0..steps as usize {
            let (short, time) = (dt / steps, self.time + step as f64 * dt / steps);
            let (contacts, pairs) = springs(&mut self.bodies, &self.container, time, short, stiffness);
            self.bodies.iter_mut().for_each(|body| body.drift(short));
            (report.pairs, report.contacts) = (pairs, contacts.len());
            report.deepest = contacts.iter().fold(0.0, |most, contact| most.max(-contact.gap));
        }
        report.deepest_before = report.deepest;
        report
    }
}
#[inline(never)]
fn step_in_plane(world: &mut World<2>, dt: f64) -> Result<ContactReport, BodyError> {
    world.take_step(dt)
}

#[inline(never)]
fn step_in_space(world: &mut World<3>, dt: f64) -> Result<ContactReport, BodyError> {
    world.take_step(dt)
}
