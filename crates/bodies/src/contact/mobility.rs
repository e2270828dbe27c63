//! The mobility of bodies that keep their contacts.
//!
//! With M⁻¹ = L Lᵀ and J the directions that contacts hold, K = J L, the motions that change no contact are L z with
//! K z = 0. Let Z be an orthonormal basis of them. Then
//!
//! ```text
//!     W = M⁻¹ − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ J M⁻¹ = L Z Zᵀ Lᵀ
//! ```
//!
//! and the columns of L Z are what the liquid needs. Bodies that touch each other, directly or by others, share their
//! columns; all others have their own.

use unstick_grid::vector::{Matrix, dot};
use unstick_liquid::JointMotion;

use super::system::Row;
use crate::body::RigidBody;

/// A direction is held by others already if less than this part of it is new.
const DEPENDENT: f64 = 1e-7;

/// Columns c with W = Σ c cᵀ.
pub(crate) fn mobility<const D: usize>(bodies: &[RigidBody<D>], held: &[Row<D>]) -> Vec<JointMotion<D>> {
    let mut columns = Vec::new();
    for (members, rows) in clusters(bodies, held) {
        let factors: Vec<Factor> = members.iter().map(|&body| Factor::new(&bodies[body])).collect();
        let size = Factor::freedoms(D);
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for row in rows {
            let mut direction = vec![0.0; size * members.len()];
            for (body, twist) in row.bodies.iter().zip(&row.jacobian) {
                let Some(place) = body.and_then(|body| members.binary_search(&body).ok()) else { continue };
                for (freedom, value) in direction[size * place..][..size].iter_mut().enumerate() {
                    let (linear, angular) = factors[place].column::<D>(freedom);
                    *value += dot(twist.linear, linear) + dot(twist.angular, angular);
                }
            }
            extend(&mut basis, direction);
        }
        let rank = basis.len();
        complete(&mut basis, size * members.len());
        for direction in &basis[rank..] {
            let of_member = |(place, &body): (usize, &usize)| {
                let (mut velocity, mut spin) = ([0.0; D], [0.0; 3]);
                for (freedom, value) in direction[size * place..][..size].iter().enumerate() {
                    let (linear, angular) = factors[place].column::<D>(freedom);
                    (0..D).for_each(|axis| velocity[axis] += value * linear[axis]);
                    (0..3).for_each(|axis| spin[axis] += value * angular[axis]);
                }
                (body, velocity, spin)
            };
            let moves = |part: &(usize, [f64; D], [f64; 3])| part.1 != [0.0; D] || part.2 != [0.0; 3];
            columns.push(members.iter().enumerate().map(of_member).filter(moves).collect());
        }
    }
    columns
}

/// The bodies that can move, in groups that touch, each with the directions that are held in it.
fn clusters<'a, const D: usize>(bodies: &[RigidBody<D>], held: &'a [Row<D>]) -> Vec<(Vec<usize>, Vec<&'a Row<D>>)> {
    let moves = |body: usize| bodies[body].inverse_mass() > 0.0;
    let mut group: Vec<usize> = (0..bodies.len()).collect();
    let root = |group: &[usize], mut body: usize| {
        while group[body] != body {
            body = group[body];
        }
        body
    };
    for row in held {
        if let [Some(one), Some(two)] = row.bodies.map(|body| body.filter(|&body| moves(body))) {
            let (one, two) = (root(&group, one), root(&group, two));
            // The lowest number leads, so that the order does not depend on that of the contacts.
            group[one.max(two)] = one.min(two);
        }
    }
    let mut clusters: Vec<(Vec<usize>, Vec<&Row<D>>)> = vec![(Vec::new(), Vec::new()); bodies.len()];
    (0..bodies.len()).filter(|&body| moves(body)).for_each(|body| clusters[root(&group, body)].0.push(body));
    for row in held {
        if let Some(body) = row.bodies.iter().flatten().find(|&&body| moves(body)) {
            clusters[root(&group, *body)].1.push(row);
        }
    }
    clusters.retain(|(members, _)| !members.is_empty());
    clusters
}

/// L of one body: M⁻¹ = L Lᵀ.
struct Factor {
    slowness: f64,
    spin: Matrix<3>,
}

impl Factor {
    fn new<const D: usize>(body: &RigidBody<D>) -> Self {
        Self { slowness: body.inverse_mass().sqrt(), spin: cholesky(&body.inverse_inertia()) }
    }

    /// Columns of L.
    fn freedoms(dimension: usize) -> usize {
        if dimension == 2 { 3 } else { 6 }
    }

    /// A column of L: velocity and spin.
    fn column<const D: usize>(&self, freedom: usize) -> ([f64; D], [f64; 3]) {
        let mut linear = [0.0; D];
        if let Some(value) = linear.get_mut(freedom) {
            *value = self.slowness;
            return (linear, [0.0; 3]);
        }
        let about = if D == 2 { 2 } else { freedom - D };
        (linear, std::array::from_fn(|axis| self.spin[axis][about]))
    }
}

/// Adds what is new in a direction to an orthonormal basis, if there is enough of it.
fn extend(basis: &mut Vec<Vec<f64>>, mut direction: Vec<f64>) {
    let norm = |vector: &[f64]| vector.iter().map(|value| value * value).sum::<f64>().sqrt();
    let before = norm(&direction);
    // Twice, so that it is at right angles to rounding.
    for _ in 0..2 {
        for known in basis.iter() {
            let along: f64 = known.iter().zip(&direction).map(|(known, value)| known * value).sum();
            direction.iter_mut().zip(known).for_each(|(value, known)| *value -= along * known);
        }
    }
    let left = norm(&direction);
    if left > DEPENDENT * before {
        direction.iter_mut().for_each(|value| *value /= left);
        basis.push(direction);
    }
}

/// Completes an orthonormal basis by the axes that are farthest from it.
fn complete(basis: &mut Vec<Vec<f64>>, size: usize) {
    // The part of each axis that the basis does not contain yet, squared.
    let mut left = vec![1.0f64; size];
    for number in 0..size {
        if number == basis.len() {
            let farthest = (0..size).rev().max_by(|&a, &b| left[a].total_cmp(&left[b])).unwrap_or(0);
            let mut axis = vec![0.0; size];
            axis[farthest] = 1.0;
            extend(basis, axis);
        }
        left.iter_mut().zip(&basis[number]).for_each(|(left, value)| *left -= value * value);
    }
}

/// L with L Lᵀ = a, for a symmetric positive (semi-)definite matrix.
fn cholesky(a: &Matrix<3>) -> Matrix<3> {
    let mut factor = [[0.0; 3]; 3];
    for column in 0..3 {
        for row in column..3 {
            let done: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
            let rest = a[row][column] - done;
            factor[row][column] = match factor[column][column] {
                _ if row == column => rest.max(0.0).sqrt(),
                pivot if pivot > 0.0 => rest / pivot,
                _ => 0.0,
            };
        }
    }
    factor
}

#[cfg(test)]
mod tests {
    use unstick_grid::Pose;

    use super::*;
    use crate::contact::{Contact, ContactSystem, Container, find_contacts};
    use crate::{Shape, Weight};

    fn cuboid(place: [f64; 2]) -> RigidBody<2> {
        let shape = Shape::Cuboid { half: [0.2, 0.1] };
        RigidBody::new("box", shape, Weight::Mass(2.0), Pose::from_translation(place)).unwrap()
    }

    /// W P for an impulse and an angular impulse on every body.
    fn moved(columns: &[JointMotion<2>], pushes: &[([f64; 2], f64)]) -> Vec<([f64; 2], f64)> {
        let mut velocities = vec![([0.0; 2], 0.0); pushes.len()];
        for column in columns {
            let along: f64 = column.iter().map(|(body, v, w)| dot(*v, pushes[*body].0) + w[2] * pushes[*body].1).sum();
            for (body, v, w) in column {
                (0..2).for_each(|axis| velocities[*body].0[axis] += along * v[axis]);
                velocities[*body].1 += along * w[2];
            }
        }
        velocities
    }

    #[test]
    fn without_contacts_the_mobility_is_the_inverse_of_the_mass() {
        let body = cuboid([0.5, 0.5]);
        let columns = mobility(std::slice::from_ref(&body), &[]);
        assert_eq!(columns.len(), 3);
        let (velocity, spin) = moved(&columns, &[([2.0, -6.0], 1.0)])[0];
        assert!((velocity[0] - 1.0).abs() < 1e-14 && (velocity[1] + 3.0).abs() < 1e-14);
        assert!((spin - body.inverse_inertia()[2][2]).abs() < 1e-12);
    }

    #[test]
    fn a_stack_on_the_floor_slides_and_does_neither_sink_nor_turn() {
        let bodies = [cuboid([0.5, 0.1]), cuboid([0.5, 0.3])];
        let container = Container::inside([0.0; 2], [1.0; 2]);
        let (contacts, _): (Vec<Contact<2>>, _) = find_contacts(&bodies, &container, 0.0, &[1e-3; 2]);
        assert_eq!(contacts.len(), 4);
        let system = ContactSystem::new(&bodies, contacts);
        let columns = mobility(&bodies, &system.normal);
        assert_eq!(columns.len(), 2);
        let velocities = moved(&columns, &[([1.0, -5.0], 0.3), ([4.0, 7.0], -0.2)]);
        for ((velocity, spin), expected) in velocities.iter().zip([0.5, 2.0]) {
            assert!((velocity[0] - expected).abs() < 1e-12 && velocity[1].abs() < 1e-12 && spin.abs() < 1e-12);
        }
        // One corner of the lower box alone: it turns about it, and the upper box is free.
        let columns = mobility(&bodies, &system.normal[2..3]);
        assert_eq!(columns.len(), 5);
    }

    #[test]
    fn a_cholesky_factor_times_its_transpose_is_the_matrix() {
        let a = [[4.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 0.0]];
        let l = cholesky(&a);
        let entry = |i: usize, j: usize| (0..3).map(|k| l[i][k] * l[j][k]).sum::<f64>();
        assert!((0..9).all(|n| (entry(n / 3, n % 3) - a[n / 3][n % 3]).abs() < 1e-12));
    }
}
