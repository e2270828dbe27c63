//! Contact by springs and dampers: the discrete element method.

use std::f64::consts::PI;

use super::system::ContactSystem;
use super::{Contact, find_contacts};
use crate::body::RigidBody;
use crate::contact::Container;

/// Substeps of one swing of the stiffest spring.
const STEPS_PER_SWING: f64 = 40.0;

/// The longest step that resolves a swing of the lightest body on a spring.
pub(crate) fn longest_step<const D: usize>(bodies: &[RigidBody<D>], stiffness: f64) -> f64 {
    let lightest = bodies.iter().map(RigidBody::mass).fold(f64::INFINITY, f64::min);
    PI * (lightest / stiffness).sqrt() / STEPS_PER_SWING
}

/// Applies springs between overlapping bodies for a time. Returns contacts and the number of pairs.
pub(crate) fn springs<const D: usize>(
    bodies: &mut [RigidBody<D>],
    container: &Container<D>,
    time: f64,
    dt: f64,
    stiffness: f64,
) -> (Vec<Contact<D>>, usize) {
    let (contacts, pairs) = find_contacts(bodies, container, time, &vec![0.0; bodies.len()]);
    let mut system = ContactSystem::new(bodies, contacts);
    let tangents = system.tangents(bodies);
    let ContactSystem { contacts, normal, twists, .. } = &mut system;
    // All forces are computed from the velocities before any of them acts.
    let before = twists.clone();
    for (index, (contact, row)) in contacts.iter().zip(normal.iter()).enumerate() {
        let mass = 1.0 / row.diagonal;
        // The damping that gives a free collision its restitution.
        let logarithm = contact.restitution.max(1e-3).ln();
        let ratio = -logarithm / (PI * PI + logarithm * logarithm).sqrt();
        let damping = 2.0 * ratio * (stiffness * mass).sqrt();
        let force = (-stiffness * contact.gap - damping * row.velocity(&before)).max(0.0);
        row.push(dt * force, twists);
        for row in tangents[index].iter().flatten() {
            let sliding = row.velocity(&before);
            let limit = contact.friction * force;
            row.push(dt * (-damping * sliding).clamp(-limit, limit), twists);
        }
    }
    system.write_back(bodies);
    (system.contacts, pairs)
}
