//! The fraction of a cell that a plane cuts off.

use crate::vector::{dot, times};

/// Smallest component of a normal: the formula divides by their product.
const LEAST: f64 = 1e-4;

/// The fraction of the unit cube about the origin where n·x + distance < 0. The gradient n may have any length.
///
/// The result is exact: the volume of a cut corner is (Σ ± max(α − Σ n, 0)^D) / (D! Π n), summed over the corners of
/// the cube.
pub fn part_behind_plane<const D: usize>(gradient: [f64; D], distance: f64) -> f64 {
    let size: f64 = gradient.iter().map(|value| value.abs()).sum();
    if size <= 0.0 || !size.is_finite() {
        return if distance < 0.0 { 1.0 } else { 0.0 };
    }
    // Mirror the normal so that all components are positive, and scale it so that they add up to one.
    let normal = times(1.0 / size, gradient).map(|value| value.abs().max(LEAST));
    let sum: f64 = normal.iter().sum();
    let depth = (0.5 - distance / size) * sum;
    if depth <= 0.0 || depth >= sum {
        return if depth <= 0.0 { 0.0 } else { 1.0 };
    }
    let (mut total, mut product) = (0.0, 1.0);
    for (axis, value) in normal.iter().enumerate() {
        product *= value * (axis + 1) as f64;
    }
    for corner in 0..1usize << D {
        let chosen: [f64; D] = std::array::from_fn(|axis| f64::from(u8::from(corner >> axis & 1 == 1)));
        let reach = (depth - dot(chosen, normal)).max(0.0).powi(D as i32);
        total += if corner.count_ones() % 2 == 0 { reach } else { -reach };
    }
    (total / product).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_cut_off_the_exact_volume() {
        assert!((part_behind_plane([1.0, 0.0], 0.25) - 0.25).abs() < 1e-4);
        assert!((part_behind_plane([0.0, -3.0, 0.0], 0.6) - 0.3).abs() < 1e-4);
        assert!((part_behind_plane([1.0, 1.0], 0.5) - 0.125).abs() < 1e-12);
        assert!((part_behind_plane([1.0, -1.0, 1.0], 1.0) - 1.0 / 48.0).abs() < 1e-12);
        assert!((part_behind_plane([2.0, 1.0, 0.5], 0.0) - 0.5).abs() < 1e-12);
        assert_eq!((part_behind_plane([0.0; 2], -1.0), part_behind_plane([0.0; 2], 1.0)), (1.0, 0.0));
    }
}
