//! The state of a body.

use serde::{Deserialize, Serialize};
use unstick_grid::Pose;
use unstick_grid::vector::{Matrix, matrix, product, transposed};

/// Place and velocity of a body: what a checkpoint stores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Vec<f64>", try_from = "Vec<f64>")]
pub struct BodyState<const D: usize> {
    /// Orientation, and the centre of mass as translation.
    pub pose: Pose<D>,
    /// Velocity of the centre of mass.
    pub velocity: [f64; D],
    /// Angular velocity; in the plane only the third component.
    pub spin: [f64; 3],
}

impl<const D: usize> BodyState<D> {
    /// At rest.
    pub fn at_rest(pose: Pose<D>) -> Self {
        Self { pose, velocity: [0.0; D], spin: [0.0; 3] }
    }
}

impl<const D: usize> From<BodyState<D>> for Vec<f64> {
    fn from(state: BodyState<D>) -> Self {
        let rotation = state.pose.rotation();
        let parts = [rotation.as_flattened(), &state.pose.translation(), &state.velocity, &state.spin];
        parts.concat()
    }
}

impl<const D: usize> TryFrom<Vec<f64>> for BodyState<D> {
    type Error = String;

    fn try_from(flat: Vec<f64>) -> Result<Self, String> {
        let expected = D * D + 2 * D + 3;
        if flat.len() != expected {
            return Err(format!("a body of {} numbers: expected {expected}", flat.len()));
        }
        let vector = |start: usize| std::array::from_fn(|axis| flat[start + axis]);
        let rotation = matrix(|row, column| flat[row * D + column]);
        let pose = Pose::from_parts(rotation, vector(D * D)).ok_or("the orientation of a body is no rotation")?;
        let spin = std::array::from_fn(|axis| flat[D * D + 2 * D + axis]);
        Ok(Self { pose, velocity: vector(D * D + D), spin })
    }
}

/// The rotation nearest to a matrix that is a rotation up to rounding: one Newton step, ½ R (3 − RᵀR).
pub(crate) fn orthonormal<const D: usize>(rotation: &Matrix<D>) -> Matrix<D> {
    let gram = product(&transposed(rotation), rotation);
    let factor = matrix(|row, column| 0.5 * (if row == column { 3.0 } else { 0.0 } - gram[row][column]));
    product(rotation, &factor)
}
