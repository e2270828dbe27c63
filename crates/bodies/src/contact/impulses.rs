//! Contact by impulses, pair by pair: one sweep, or many.

use unstick_flow::Twist;
use unstick_grid::vector::length;
use unstick_mlcp::{Convergence, Outcome};

use super::Contact;
use super::system::{ContactSystem, Row};
use crate::body::RigidBody;

/// The least opening velocity of a contact after the impulse.
///
/// Bodies that bounce separate at a part of their approach velocity. Others may close their gap within the step.
fn least_opening<const D: usize>(contact: &Contact<D>, approach: f64, dt: f64, threshold: f64) -> f64 {
    let closing = -contact.gap.max(0.0) / dt;
    let bounces = contact.restitution > 0.0 && approach < -threshold && approach < closing;
    if bounces { -contact.restitution * approach } else { closing }
}

/// The same for all contacts of bodies that approach with these velocities.
pub(crate) fn least_openings<const D: usize>(
    system: &ContactSystem<D>,
    approach: &[Twist<D>],
    dt: f64,
    threshold: f64,
) -> Vec<f64> {
    let openings = system.contacts.iter().zip(system.normal.iter().map(|row| row.velocity(approach)));
    openings.map(|(contact, opening)| least_opening(contact, opening, dt, threshold)).collect()
}

/// Every contact once, in their order: −(1 + e) v_n / A_ii \[Turek2012, p. 60\].
pub(crate) fn pairwise<const D: usize>(system: &mut ContactSystem<D>, dt: f64, threshold: f64) -> Convergence {
    let ContactSystem { contacts, normal, twists, .. } = system;
    let push = |(contact, row): (&Contact<D>, &Row<D>)| {
        let opening = row.velocity(twists);
        let wanted = least_opening(contact, opening, dt, threshold);
        let impulse = ((wanted - opening) / row.diagonal).max(0.0);
        row.push(impulse, twists);
        impulse
    };
    let impulses: Vec<f64> = contacts.iter().zip(normal.iter()).map(push).collect();
    system.hold(&impulses, &[], &[]);
    Convergence::direct(1)
}

/// Impulses with friction, contact after contact, until none changes a velocity by more than
/// `tolerance`: the sum of a contact's normal impulses never pulls, the sum of its tangential ones stays
/// within Coulomb's cone \[Turek2012, p. 50; Guendelman2003\].
pub(crate) fn sequential<const D: usize>(
    system: &mut ContactSystem<D>,
    bodies: &[RigidBody<D>],
    wanted: &[f64],
    sweeps: usize,
    tolerance: f64,
) -> Convergence {
    let tangents = system.tangents(bodies);
    let ContactSystem { contacts, normal, twists, .. } = system;
    let mut along = vec![0.0; contacts.len()];
    let mut across = vec![[0.0; 2]; contacts.len()];
    let mut ended = Convergence::new(Outcome::IterationLimit, sweeps, 0.0, tolerance);
    for sweep in 0..sweeps {
        let mut change = 0.0f64;
        for (index, row) in normal.iter().enumerate() {
            let step = (wanted[index] - row.velocity(twists)) / row.diagonal;
            let sum = (along[index] + step).max(0.0);
            let applied = sum - along[index];
            row.push(applied, twists);
            along[index] = sum;
            change = change.max((applied * row.diagonal).abs());
            let limit = contacts[index].friction * sum;
            change = change.max(rub(&tangents[index], limit, &mut across[index], twists));
        }
        let outcome = if change <= tolerance { Outcome::Converged } else { Outcome::IterationLimit };
        ended = Convergence::new(outcome, sweep + 1, change, tolerance);
        if ended.converged() {
            break;
        }
    }
    system.hold(&along, &across, &tangents);
    ended
}

/// One step of friction at a contact: reduces the sliding as far as Coulomb's cone allows. Returns the largest change
/// of a velocity.
pub(super) fn rub<const D: usize>(
    rows: &[Option<Row<D>>; 2],
    limit: f64,
    sums: &mut [f64; 2],
    twists: &mut [Twist<D>],
) -> f64 {
    let mut wished = *sums;
    for (row, wish) in rows.iter().zip(&mut wished) {
        let Some(row) = row else { continue };
        *wish -= row.velocity(twists) / row.diagonal;
    }
    let size = length(wished);
    if size > limit {
        wished = wished.map(|value| value * limit / size);
    }
    let mut change = 0.0f64;
    for ((row, wish), sum) in rows.iter().zip(wished).zip(sums) {
        let Some(row) = row else { continue };
        let applied = wish - *sum;
        row.push(applied, twists);
        *sum = wish;
        change = change.max((applied * row.diagonal).abs());
    }
    change
}
