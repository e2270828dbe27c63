//! Free motion: the Newton–Euler equations without forces. Forces act by [`RigidBody::kick`] between the steps.
//!
//! In the axes of the body the angular momentum Π obeys Π' = Π × I⁻¹Π: the gyroscopic term. The
//! implicit midpoint rule with ω = ½ I⁻¹(Π₀ + Π₁),
//!
//! ```text
//!     Π₁ = Π₀ + Δt ½(Π₀ + Π₁) × ω        R₁ = R₀ cay(Δt ω),   cay(w) = (1 − ½w×)⁻¹ (1 + ½w×)
//! ```
//!
//! keeps the energy, which is quadratic, and Π₁ = cay(−Δt ω) Π₀, so that R Π, the angular momentum in
//! space, stays as well, both to rounding and at any Δt \[Simo1991\]. The path itself is of second order.

use unstick_grid::vector::{Matrix, applied, cross, identity, matrix, minus, plus, product, times, transposed};
use unstick_grid::{Pose, Spin};

use crate::algebra::{crossing, inverse, lift_rotation};
use crate::body::RigidBody;
use crate::state::orthonormal;

impl<const D: usize> RigidBody<D> {
    /// Moves freely for a time.
    pub fn drift(&mut self, dt: f64) {
        if self.is_held() {
            return;
        }
        let rotation = if D == 2 || self.is_isotropic() { self.turned(dt) } else { self.tumbled(dt) };
        let place = plus(self.position(), times(dt, self.state.velocity));
        if let Some(pose) = Pose::from_parts(orthonormal(&rotation), place) {
            self.state.pose = pose;
        }
    }

    /// Moves by small displacements: the correction of positions.
    pub(crate) fn shift(&mut self, by: [f64; D], turn: [f64; 3]) {
        let rotation = product(&spin_of::<D>(turn), &self.state.pose.rotation());
        if let Some(pose) = Pose::from_parts(orthonormal(&rotation), plus(self.position(), by)) {
            self.state.pose = pose;
        }
    }

    /// Whether the inertia is a multiple of the identity: then the spin does not change.
    fn is_isotropic(&self) -> bool {
        let inertia = self.inertia_at_rest();
        let mean = (inertia[0][0] + inertia[1][1] + inertia[2][2]) / 3.0;
        (0..9).all(|k| (inertia[k / 3][k % 3] - if k / 3 == k % 3 { mean } else { 0.0 }).abs() <= 1e-14 * mean)
    }

    /// The orientation after a time of constant spin, exactly.
    fn turned(&self, dt: f64) -> Matrix<D> {
        product(&spin_of::<D>(times(dt, self.state.spin)), &self.state.pose.rotation())
    }

    /// The orientation after a time of free tumbling; changes the spin.
    fn tumbled(&mut self, dt: f64) -> Matrix<D> {
        let rotation = lift_rotation(&self.state.pose.rotation());
        let before = applied(self.inertia_at_rest(), applied(&transposed(&rotation), self.state.spin));
        let after = midpoint(self.inverse_inertia_at_rest(), before, dt);
        let spin = applied(self.inverse_inertia_at_rest(), times(0.5, plus(before, after)));
        let turned = product(&rotation, &cayley(times(dt, spin)));
        self.state.spin = applied(&turned, applied(self.inverse_inertia_at_rest(), after));
        matrix(|row, column| turned[row][column])
    }
}

/// exp of a rotation vector, in the plane or in space.
fn spin_of<const D: usize>(turn: [f64; 3]) -> Matrix<D> {
    let rotation = Pose::from_spin(&Spin::<3>::about_axis(turn)).rotation();
    matrix(|row, column| rotation[row][column])
}

/// (1 − ½w×)⁻¹ (1 + ½w×).
fn cayley(w: [f64; 3]) -> Matrix<3> {
    let (half, unit) = (crossing(times(0.5, w)), identity::<3>());
    let minus_half = matrix(|row, column| unit[row][column] - half[row][column]);
    let plus_half = matrix(|row, column| unit[row][column] + half[row][column]);
    product(&inverse(&minus_half), &plus_half)
}

/// Π₁ of the implicit midpoint rule, by Newton's method from Π₀.
fn midpoint(inverse_inertia: &Matrix<3>, before: [f64; 3], dt: f64) -> [f64; 3] {
    let mut after = before;
    let mut last = f64::INFINITY;
    for _ in 0..50 {
        let middle = times(0.5, plus(before, after));
        let spin = applied(inverse_inertia, middle);
        let defect = minus(minus(after, before), times(dt, cross(middle, spin)));
        // d(Π × I⁻¹Π) = −(I⁻¹Π)× dΠ + Π× I⁻¹ dΠ
        let through_spin = product(&crossing(middle), inverse_inertia);
        let (across, unit) = (crossing(spin), identity::<3>());
        let slope =
            matrix(|row, column| unit[row][column] - 0.5 * dt * (through_spin[row][column] - across[row][column]));
        let step = applied(&inverse(&slope), defect);
        after = minus(after, step);
        let size = step.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        if size == 0.0 || size >= last {
            break; // down to rounding
        }
        last = size;
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, Weight};
    use unstick_grid::vector::length;

    /// Spins close to its middle axis, the unstable one: it tumbles over and over.
    fn top() -> RigidBody<3> {
        let shape = Shape::Cuboid { half: [0.5, 1.0, 2.0] };
        let pose = Pose::from_axis_angle([1.0, 2.0, 0.5], 0.7);
        let body = RigidBody::new("top", shape, Weight::Density(2.0), pose).unwrap();
        let spin = pose.apply([0.01, 3.0, 0.02]);
        body.with_motion([0.0; 3], spin).unwrap()
    }

    #[test]
    fn a_tumbling_top_keeps_momentum_and_energy_to_rounding_at_any_step() {
        for dt in [0.001, 0.05, 0.3] {
            let mut body = top();
            let (energy, momentum) = (body.kinetic_energy(), body.angular_momentum());
            let mut least = f64::INFINITY;
            for _ in 0..2000 {
                body.drift(dt);
                let drift = length(minus(body.angular_momentum(), momentum)) / length(momentum);
                assert!((body.kinetic_energy() / energy - 1.0).abs() < 1e-12, "{dt}");
                assert!(drift < 1e-12, "{dt}: {drift}");
                least = least.min(applied(&transposed(&body.pose().rotation()), body.spin())[1]);
            }
            assert!(least < 0.0 || dt < 0.01, "it never turned over at {dt}");
        }
    }

    #[test]
    fn the_path_of_a_top_is_of_second_order() {
        let end = |steps: usize| {
            let mut body = top();
            (0..steps).for_each(|_| body.drift(4.0 / steps as f64));
            body.pose().rotation()
        };
        let fine = end(6400);
        let error = |steps: usize| {
            let coarse = end(steps);
            (0..9).map(|k| (coarse[k / 3][k % 3] - fine[k / 3][k % 3]).abs()).fold(0.0, f64::max)
        };
        let order = (error(200) / error(400)).log2();
        assert!((1.8..2.3).contains(&order), "{order}");
    }

    #[test]
    fn a_disc_turns_exactly() {
        let body = RigidBody::new("disc", Shape::Sphere { radius: 1.0 }, Weight::Mass(2.0), Pose::<2>::identity());
        let mut body = body.unwrap().with_motion([1.0, 0.0], [0.0, 0.0, 0.5]).unwrap();
        (0..10).for_each(|_| body.drift(0.1));
        let expected = Pose::from_angle(0.5).rotation();
        assert!((0..4).all(|k| (body.pose().rotation()[k / 2][k % 2] - expected[k / 2][k % 2]).abs() < 1e-14));
        assert!((body.position()[0] - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_state_survives_its_text_bit_for_bit() {
        let mut body = top();
        (0..100).for_each(|_| body.drift(0.01));
        let text = serde_json::to_string(body.state()).unwrap();
        let state: crate::BodyState<3> = serde_json::from_str(&text).unwrap();
        assert_eq!(&state, body.state());
        assert!(serde_json::from_str::<crate::BodyState<3>>("[1.0, 2.0]").is_err());
    }

    #[test]
    fn bounds_hold_all_of_a_turned_body() {
        let pose = Pose::from_axis_angle([1.0, 1.0, 0.0], 0.8).then(&Pose::from_translation([1.0, 2.0, 3.0]));
        let mesh = crate::Shape::mesh(&crate::meshes::cuboid([0.5, 1.0, 2.0])).unwrap().0;
        let of = |shape| RigidBody::new("a", shape, Weight::Mass(1.0), pose).unwrap().bounds();
        let (plain, meshed) = (of(Shape::Cuboid { half: [0.5, 1.0, 2.0] }), of(mesh));
        assert!(length(minus(plain.0, meshed.0)) < 1e-12 && length(minus(plain.1, meshed.1)) < 1e-12);
    }
}
