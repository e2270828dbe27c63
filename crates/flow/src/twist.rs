//! The velocity of a rigid body.

use nalgebra::Vector6;
use unstick_grid::vector::{minus, plus, times};

/// Velocity of the centre of mass and angular velocity. In the plane only the last angular part is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist<const D: usize> {
    /// Velocity of the centre of mass.
    pub linear: [f64; D],
    /// Radians per second about each axis.
    pub angular: [f64; 3],
}

impl<const D: usize> Twist<D> {
    /// A body at rest.
    pub fn zero() -> Self {
        Self { linear: [0.0; D], angular: [0.0; 3] }
    }

    /// Translation alone.
    pub fn translation(linear: [f64; D]) -> Self {
        Self { linear, angular: [0.0; 3] }
    }

    /// The sum of both.
    pub fn plus(&self, other: &Self) -> Self {
        Self { linear: plus(self.linear, other.linear), angular: plus(self.angular, other.angular) }
    }

    /// The difference to another.
    pub fn minus(&self, other: &Self) -> Self {
        Self { linear: minus(self.linear, other.linear), angular: minus(self.angular, other.angular) }
    }

    /// This plus so many times another.
    pub fn ahead(&self, times_of: f64, other: &Self) -> Self {
        Self {
            linear: plus(self.linear, times(times_of, other.linear)),
            angular: plus(self.angular, times(times_of, other.angular)),
        }
    }

    /// Velocity of a point of the body at `offset` from the centre of mass.
    pub fn velocity(&self, offset: [f64; D]) -> [f64; D] {
        let twist = self.to_vector();
        std::array::from_fn(|axis| basis(axis, offset).dot(&twist))
    }

    pub(crate) fn to_vector(self) -> Vector6<f64> {
        let mut vector = Vector6::zeros();
        (0..D).for_each(|axis| vector[axis] = self.linear[axis]);
        (0..3).for_each(|axis| vector[3 + axis] = self.angular[axis]);
        vector
    }

    pub(crate) fn from_vector(vector: &Vector6<f64>) -> Self {
        Self { linear: std::array::from_fn(|axis| vector[axis]), angular: std::array::from_fn(|axis| vector[3 + axis]) }
    }
}

/// Its product with a twist is one component of the velocity at an offset: (e, r × e).
#[inline]
pub(crate) fn basis<const D: usize>(component: usize, offset: [f64; D]) -> Vector6<f64> {
    let [x, y] = [offset[0], offset[1]];
    let z = if D == 3 { offset[D - 1] } else { 0.0 };
    match component {
        0 => Vector6::new(1.0, 0.0, 0.0, 0.0, z, -y),
        1 => Vector6::new(0.0, 1.0, 0.0, -z, 0.0, x),
        _ => Vector6::new(0.0, 0.0, 1.0, y, -x, 0.0),
    }
}

/// The parts of a twist that exist in D dimensions.
#[inline]
pub(crate) fn exists<const D: usize>(part: usize) -> bool {
    D == 3 || matches!(part, 0 | 1 | 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_moves_with_the_centre_and_around_it() {
        let twist = Twist { linear: [1.0, 2.0, 3.0], angular: [0.0, 0.0, 2.0] };
        assert_eq!(twist.velocity([1.0, 0.0, 0.0]), [1.0, 4.0, 3.0]);
        let about_x = Twist { linear: [0.0; 3], angular: [1.0, 0.0, 0.0] };
        assert_eq!(about_x.velocity([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
        let flat = Twist { linear: [0.0; 2], angular: [0.0, 0.0, 3.0] };
        assert_eq!(flat.velocity([0.0, 1.0]), [-3.0, 0.0]);
    }
}
