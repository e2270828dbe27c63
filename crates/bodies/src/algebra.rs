//! Rotation, with the same code in the plane and in space.
//!
//! Angular velocity, torque and inertia always have three components. Cross products of vectors in the
//! plane point along the third axis.

pub(crate) use unstick_grid::vector::lift;
use unstick_grid::vector::{Matrix, cross, dot};

/// The first D components of a vector of space.
#[inline]
pub(crate) fn lower<const D: usize>(a: [f64; 3]) -> [f64; D] {
    std::array::from_fn(|axis| a[axis])
}

/// The moment r × f.
#[inline]
pub(crate) fn moment<const D: usize>(arm: [f64; D], force: [f64; D]) -> [f64; 3] {
    cross(lift(arm), lift(force))
}

/// The velocity ω × r of an offset.
#[inline]
pub(crate) fn turning<const D: usize>(spin: [f64; 3], offset: [f64; D]) -> [f64; D] {
    lower(cross(spin, lift(offset)))
}

/// A rotation of the plane as one of space.
#[inline]
pub(crate) fn lift_rotation<const D: usize>(rotation: &Matrix<D>) -> Matrix<3> {
    unstick_grid::vector::matrix(|row, column| {
        if row < D && column < D { rotation[row][column] } else { f64::from(u8::from(row == column)) }
    })
}

/// The antisymmetric matrix of a × ·.
#[inline]
pub(crate) fn crossing([x, y, z]: [f64; 3]) -> Matrix<3> {
    [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
}

/// A⁻¹ by cofactors; its entries are not finite if A is singular.
pub(crate) fn inverse(a: &Matrix<3>) -> Matrix<3> {
    let columns = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])];
    let determinant = dot(a[0], columns[0]);
    unstick_grid::vector::matrix(|row, column| columns[column][row] / determinant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unstick_grid::vector::{identity, product};

    #[test]
    fn a_matrix_and_its_inverse_cancel() {
        let a = [[4.0, 1.0, -0.5], [1.0, 3.0, 0.25], [-0.5, 0.25, 2.0]];
        let unit = product(&a, &inverse(&a));
        let expected = identity::<3>();
        assert!((0..9).all(|k| (unit[k / 3][k % 3] - expected[k / 3][k % 3]).abs() < 1e-15));
    }

    #[test]
    fn the_plane_turns_about_the_third_axis() {
        assert_eq!(turning([0.0, 0.0, 2.0], [1.0, 0.0]), [0.0, 2.0]);
        assert_eq!(moment([1.0, 0.0], [0.0, 3.0]), [0.0, 0.0, 3.0]);
    }
}
