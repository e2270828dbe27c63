//! Rigid motions: a rotation followed by a translation.

use crate::vector::{Matrix, applied, identity, length, matrix, minus, plus, product, times, transposed};

/// Position and orientation of a rigid shape: x ↦ R x + t with a rotation matrix R.
///
/// A pose keeps distances and angles, so a signed distance stays exact under it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<const D: usize> {
    rotation: Matrix<D>,
    translation: [f64; D],
}

/// A rotation, or a rate of rotation: an angle in the plane, an axis times an angle in space.
///
/// Stored as the antisymmetric matrix W whose product with an offset is the velocity of that offset. This works in two
/// and three dimensions. The rotation matrix is exp W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spin<const D: usize> {
    pub(crate) rate: Matrix<D>,
}

impl<const D: usize> Pose<D> {
    /// The identity.
    pub fn identity() -> Self {
        Self { rotation: identity(), translation: [0.0; D] }
    }

    /// A shift without rotation.
    pub fn from_translation(translation: [f64; D]) -> Self {
        Self { rotation: identity(), translation }
    }

    /// The rotation about the origin that a spin makes in unit time.
    pub fn from_spin(spin: &Spin<D>) -> Self {
        Self { rotation: spin.exponential(), translation: [0.0; D] }
    }

    /// A pose from its rotation matrix (by rows) and translation; none unless the matrix is a rotation to within 1e-9.
    pub fn from_parts(rotation: [[f64; D]; D], translation: [f64; D]) -> Option<Self> {
        let gram = product(&rotation, &transposed(&rotation));
        let unit = identity::<D>();
        let is_orthonormal = (0..D).all(|row| (0..D).all(|k| (gram[row][k] - unit[row][k]).abs() <= 1e-9));
        (is_orthonormal && determinant(&rotation) > 0.0 && translation.iter().all(|value| value.is_finite()))
            .then_some(Self { rotation, translation })
    }

    /// The rotation matrix, by rows.
    pub fn rotation(&self) -> [[f64; D]; D] {
        self.rotation
    }

    /// The image of the origin.
    pub fn translation(&self) -> [f64; D] {
        self.translation
    }

    /// The same motion about `pivot` instead of the origin.
    #[must_use]
    pub fn about(&self, pivot: [f64; D]) -> Self {
        let shift = minus(pivot, applied(&self.rotation, pivot));
        Self { rotation: self.rotation, translation: plus(self.translation, shift) }
    }

    /// First this pose, then the other.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        Self { rotation: product(&next.rotation, &self.rotation), translation: next.apply(self.translation) }
    }

    /// The inverse pose.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = transposed(&self.rotation);
        Self { rotation, translation: times(-1.0, applied(&rotation, self.translation)) }
    }

    /// The position of a point of the shape at rest.
    #[inline]
    pub fn apply(&self, point: [f64; D]) -> [f64; D] {
        plus(applied(&self.rotation, point), self.translation)
    }

    /// The point of the shape at rest that has this position.
    #[inline]
    pub fn apply_inverse(&self, point: [f64; D]) -> [f64; D] {
        let offset = minus(point, self.translation);
        std::array::from_fn(|row| (0..D).map(|k| self.rotation[k][row] * offset[k]).sum())
    }
}

impl Pose<2> {
    /// A counter-clockwise rotation about the origin, in radians.
    pub fn from_angle(angle: f64) -> Self {
        Self::from_spin(&Spin::in_plane(angle))
    }
}

impl Pose<3> {
    /// A right-handed rotation about an axis through the origin, in radians.
    ///
    /// The axis may have any length. A zero axis gives no rotation.
    pub fn from_axis_angle(axis: [f64; 3], angle: f64) -> Self {
        let size = length(axis);
        let per_length = if size > 0.0 { angle / size } else { 0.0 };
        Self::from_spin(&Spin::about_axis(times(per_length, axis)))
    }
}

impl<const D: usize> Spin<D> {
    /// No rotation.
    pub fn none() -> Self {
        Self { rate: [[0.0; D]; D] }
    }

    /// Right-handed about the direction of `axis`, by its length in radians (or radians per second). In the plane only
    /// the third component counts.
    pub fn about_axis([x, y, z]: [f64; 3]) -> Self {
        let rate = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
        Self { rate: matrix(|row, k| rate[row][k]) }
    }

    /// The angle in radians, or the rate in radians per second.
    pub fn size(&self) -> f64 {
        (0.5 * self.rate.as_flattened().iter().map(|entry| entry * entry).sum::<f64>()).sqrt()
    }

    /// This spin times a factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self { rate: self.rate.map(|row| times(factor, row)) }
    }

    /// Velocity of a point at `offset` from the pivot.
    pub fn velocity(&self, offset: [f64; D]) -> [f64; D] {
        applied(&self.rate, offset)
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.rate.as_flattened().iter().all(|entry| entry.is_finite())
    }

    /// exp W by the formula of Rodrigues, I + (sin θ / θ) W + ((1 − cos θ) / θ²) W².
    fn exponential(&self) -> Matrix<D> {
        let (angle, squared) = (self.size(), product(&self.rate, &self.rate));
        let (first, second) = (sine_ratio(angle), cosine_ratio(angle));
        let unit = identity::<D>();
        matrix(|row, k| unit[row][k] + first * self.rate[row][k] + second * squared[row][k])
    }
}

impl Spin<2> {
    /// Counter-clockwise, by radians (or radians per second).
    pub fn in_plane(angle: f64) -> Self {
        Self { rate: [[0.0, -angle], [angle, 0.0]] }
    }
}

/// sin θ / θ.
fn sine_ratio(angle: f64) -> f64 {
    if angle.abs() < 1e-4 { 1.0 - angle * angle / 6.0 } else { angle.sin() / angle }
}

/// (1 − cos θ) / θ², without cancellation.
pub(crate) fn cosine_ratio(angle: f64) -> f64 {
    0.5 * sine_ratio(0.5 * angle).powi(2)
}

fn determinant<const D: usize>(a: &Matrix<D>) -> f64 {
    match D {
        2 => a[0][0] * a[1][1] - a[0][1] * a[1][0],
        3 => (0..3)
            .map(|k| a[0][k] * (a[1][(k + 1) % 3] * a[2][(k + 2) % 3] - a[1][(k + 2) % 3] * a[2][(k + 1) % 3]))
            .sum(),
        _ => unreachable!("poses have two or three dimensions"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, TAU};

    fn assert_near<const D: usize>(a: [f64; D], b: [f64; D]) {
        assert!(length(minus(a, b)) < 1e-12, "{a:?} against {b:?}");
    }

    fn samples() -> impl Iterator<Item = Pose<3>> {
        (0..50).map(|k| {
            let k = f64::from(k);
            let axis = [(1.3 * k).sin(), (0.7 * k).cos(), 0.1 * k - 2.0];
            Pose::from_axis_angle(axis, 0.37 * k - 6.0).then(&Pose::from_translation([k, -0.5 * k, 3.0]))
        })
    }

    #[test]
    fn a_quarter_turn_takes_each_axis_to_the_next() {
        assert_near(Pose::from_angle(FRAC_PI_2).apply([1.0, 0.0]), [0.0, 1.0]);
        assert_near(Pose::from_angle(FRAC_PI_2).apply([0.0, 1.0]), [-1.0, 0.0]);
        let about_z = Pose::from_axis_angle([0.0, 0.0, 5.0], FRAC_PI_2);
        assert_near(about_z.apply([1.0, 0.0, 2.0]), [0.0, 1.0, 2.0]);
        let diagonal = Pose::from_axis_angle([1.0; 3], TAU / 3.0);
        assert_near(diagonal.apply([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn rotations_are_orthonormal() {
        for pose in samples() {
            let gram = product(&pose.rotation, &transposed(&pose.rotation));
            (0..3).for_each(|row| assert_near(gram[row], identity::<3>()[row]));
            assert!((determinant(&pose.rotation) - 1.0).abs() < 1e-12);
        }
        for tiny in [0.0, 1e-300, 1e-9, 9e-5, 1.1e-4] {
            let [[cosine, _], [sine, _]] = Pose::from_angle(tiny).rotation();
            assert!((cosine - tiny.cos()).abs() < 1e-15 && (sine - tiny.sin()).abs() < 1e-15);
        }
    }

    #[test]
    fn a_pose_and_its_inverse_cancel() {
        let point = [0.3, -1.2, 0.8];
        for pose in samples() {
            assert_near(pose.apply_inverse(pose.apply(point)), point);
            assert_near(pose.inverse().apply(point), pose.apply_inverse(point));
            assert_near(pose.then(&pose.inverse()).apply(point), point);
        }
    }

    #[test]
    fn poses_act_one_after_the_other() {
        let (first, second) = (Pose::from_angle(0.4).about([1.0, 2.0]), Pose::from_translation([3.0, 0.0]));
        let point = [0.7, -0.2];
        assert_near(first.then(&second).apply(point), second.apply(first.apply(point)));
        assert_near(first.apply([1.0, 2.0]), [1.0, 2.0]);
    }

    #[test]
    fn only_rotations_make_a_pose() {
        let pose = Pose::from_axis_angle([1.0, 2.0, -1.0], 0.8);
        assert_eq!(Pose::from_parts(pose.rotation(), pose.translation()), Some(pose));
        assert_eq!(Pose::from_parts([[1.0, 0.0], [0.0, -1.0]], [0.0; 2]), None, "a mirror");
        assert_eq!(Pose::from_parts([[2.0, 0.0], [0.0, 0.5]], [0.0; 2]), None, "a stretch");
        assert_eq!(Pose::from_parts([[f64::NAN; 2]; 2], [0.0; 2]), None);
    }
}
