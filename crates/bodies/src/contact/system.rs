//! The contacts at one time as a linear system: J, M⁻¹Jᵀ, J M⁻¹ Jᵀ.

use unstick_flow::Twist;
use unstick_grid::vector::{applied, dot, length, minus, times};
use unstick_mlcp::{CsrMatrix, MatrixError};

use super::Contact;
use crate::algebra::{lower, moment, turning};
use crate::body::RigidBody;

/// Compliance of a contact, as a part of its diagonal entry.
pub const COMPLIANCE: f64 = 1e-10;

/// Contacts with less than this part of the largest impulse carry no load.
const NO_LOAD: f64 = 1e-9;

/// Friction within this part of Coulomb's limit slides.
const SLIDING: f64 = 1e-6;

/// One direction at one contact: a row of J for each of the two bodies, and its column of M⁻¹Jᵀ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<const D: usize> {
    pub bodies: [Option<usize>; 2],
    pub jacobian: [Twist<D>; 2],
    response: [Twist<D>; 2],
    /// A_ii.
    pub diagonal: f64,
    /// Velocity of a wall along the direction.
    pub wall: f64,
}

/// All contacts at one time, with their action on the bodies.
pub struct ContactSystem<const D: usize> {
    /// The contacts.
    pub contacts: Vec<Contact<D>>,
    pub(crate) normal: Vec<Row<D>>,
    pub(crate) twists: Vec<Twist<D>>,
    /// Directions that contacts hold: the normals that push, and tangents that friction keeps from sliding.
    pub(crate) held: Vec<Row<D>>,
}

impl<const D: usize> Row<D> {
    pub fn new(bodies: &[RigidBody<D>], contact: &Contact<D>, direction: [f64; D]) -> Self {
        let sides = [Some(contact.first), contact.second];
        let mut row = Self {
            bodies: sides,
            jacobian: [Twist::zero(); 2],
            response: [Twist::zero(); 2],
            diagonal: 0.0,
            wall: dot(contact.wall_velocity, direction),
        };
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let Some(body) = sides[side].map(|index| &bodies[index]) else { continue };
            let direction = times(sign, direction);
            let arm = moment(minus(contact.point, body.position()), direction);
            row.jacobian[side] = Twist { linear: direction, angular: arm };
            row.response[side] =
                Twist { linear: times(body.inverse_mass(), direction), angular: applied(&body.inverse_inertia(), arm) };
            row.diagonal += product(&row.jacobian[side], &row.response[side]);
        }
        row
    }

    /// J v along the direction, relative to walls.
    #[inline]
    pub fn velocity(&self, twists: &[Twist<D>]) -> f64 {
        let of_side = |side: usize| self.bodies[side].map_or(0.0, |body| product(&self.jacobian[side], &twists[body]));
        of_side(0) + of_side(1) - self.wall
    }

    /// v ← v + M⁻¹ Jᵀ λ.
    #[inline]
    pub fn push(&self, impulse: f64, twists: &mut [Twist<D>]) {
        for side in 0..2 {
            let Some(body) = self.bodies[side] else { continue };
            twists[body] = twists[body].ahead(impulse, &self.response[side]);
        }
    }

    /// The change of this row's velocity by a unit impulse of the other row.
    fn coupling(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (mine, body) in self.bodies.iter().enumerate().filter_map(|(side, body)| Some((side, (*body)?))) {
            for theirs in (0..2).filter(|&side| other.bodies[side] == Some(body)) {
                sum += product(&self.jacobian[mine], &other.response[theirs]);
            }
        }
        sum
    }
}

#[inline]
fn product<const D: usize>(a: &Twist<D>, b: &Twist<D>) -> f64 {
    dot(a.linear, b.linear) + dot(a.angular, b.angular)
}

impl<const D: usize> ContactSystem<D> {
    /// The system of contacts between bodies as they are.
    pub fn new(bodies: &[RigidBody<D>], contacts: Vec<Contact<D>>) -> Self {
        let normal = contacts.iter().map(|contact| Row::new(bodies, contact, contact.normal)).collect();
        let twists = bodies.iter().map(RigidBody::twist).collect();
        Self { contacts, normal, twists, held: Vec::new() }
    }

    /// Notes which directions are held, given the impulses of all contacts along the normals and across them.
    pub(crate) fn hold(&mut self, along: &[f64], across: &[[f64; 2]], tangents: &[[Option<Row<D>>; 2]]) {
        let largest = along.iter().fold(0.0f64, |most, impulse| most.max(*impulse));
        self.held.clear();
        for (index, &impulse) in along.iter().enumerate() {
            if impulse <= NO_LOAD * largest {
                continue;
            }
            self.held.push(self.normal[index]);
            let limit = self.contacts[index].friction * impulse;
            if across.get(index).is_some_and(|across| length(*across) < (1.0 - SLIDING) * limit) {
                self.held.extend(tangents[index].iter().flatten());
            }
        }
    }

    /// Velocity at which each contact opens; negative where bodies approach.
    pub fn opening(&self) -> Vec<f64> {
        self.normal.iter().map(|row| row.velocity(&self.twists)).collect()
    }

    /// J M⁻¹ Jᵀ of the normals times a mass: dimensionless, so that impulses divided by that mass are
    /// velocities, as the right-hand side is.
    ///
    /// The diagonal is larger by [`COMPLIANCE`]. It is too small to show in any velocity, and it makes the matrix of
    /// redundant contacts, which would be singular, regular.
    pub fn matrix(&self, mass: f64) -> Result<CsrMatrix<'static>, MatrixError> {
        let mut of_body: Vec<Vec<u32>> = vec![Vec::new(); self.twists.len()];
        for (index, row) in self.normal.iter().enumerate() {
            row.bodies.iter().flatten().for_each(|&body| of_body[body].push(index as u32));
        }
        let none: &[u32] = &[];
        CsrMatrix::from_rows(self.normal.len(), |index, entries| {
            let row = &self.normal[index];
            let [mut left, mut right] = row.bodies.map(|body| body.map_or(none, |body| of_body[body].as_slice()));
            // Both lists ascend: merge them.
            while let Some(&next) = left.first().into_iter().chain(right.first()).min() {
                left = left.strip_prefix(&[next]).unwrap_or(left);
                right = right.strip_prefix(&[next]).unwrap_or(right);
                let other = next as usize;
                let stiffened = if other == index { 1.0 + COMPLIANCE } else { 1.0 };
                entries.push((other, stiffened * mass * row.coupling(&self.normal[other])));
            }
        })
    }

    /// The mass that makes the mean of the diagonal one.
    pub fn reference_mass(&self) -> f64 {
        let mean = self.normal.iter().map(|row| row.diagonal).sum::<f64>() / self.normal.len().max(1) as f64;
        if mean > 0.0 { 1.0 / mean } else { 1.0 }
    }

    /// Applies impulses along the normals.
    pub fn push_all(&mut self, impulses: impl Iterator<Item = f64>) {
        let Self { normal, twists, .. } = self;
        normal.iter().zip(impulses).for_each(|(row, impulse)| row.push(impulse, twists));
    }

    /// Unit vectors across each normal, for friction.
    pub(crate) fn tangents(&self, bodies: &[RigidBody<D>]) -> Vec<[Option<Row<D>>; 2]> {
        let of_contact = |contact: &Contact<D>| {
            if contact.friction == 0.0 {
                return [None, None];
            }
            let (one, two) = across(contact.normal);
            [Some(Row::new(bodies, contact, one)), two.map(|two| Row::new(bodies, contact, two))]
        };
        self.contacts.iter().map(of_contact).collect()
    }

    /// Writes the velocities back to the bodies.
    pub fn write_back(&self, bodies: &mut [RigidBody<D>]) {
        bodies.iter_mut().zip(&self.twists).for_each(|(body, twist)| body.set_twist(twist));
    }
}

/// A unit vector at right angles to a normal; in space a second one at right angles to both.
fn across<const D: usize>(normal: [f64; D]) -> ([f64; D], Option<[f64; D]>) {
    if D == 2 {
        return (turning([0.0, 0.0, 1.0], normal), None);
    }
    // Across the axis along which the normal is shortest.
    let least = (0..D).min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(0);
    let axis: [f64; D] = std::array::from_fn(|other| f64::from(u8::from(other == least)));
    let one: [f64; D] = lower(moment(normal, axis));
    let one = times(1.0 / length(one), one);
    (one, Some(lower(moment(normal, one))))
}
