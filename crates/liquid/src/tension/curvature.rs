//! The curvature of a surface, from the part of liquid in every cell.
//!
//! Smoothed by a Gauss filter G, the parts have surfaces of equal value with the normal n = −g/|g| and the curvature
//! κ = div n, g the gradient. Four things make it good enough for particles:
//!
//! - Differences are taken of a coordinate x across the surface, not of the parts: Gauss has turned the step at the surface
//!   into the error integral, and the inverse of that is straight again.
//! - Surfaces of equal value are parallel to the surface, and their curvature is another one: dκ/dx = Σκᵢ², κᵢ the
//!   principal curvatures. This is taken off. Otherwise bumps that are too short for the filter would have a lower pressure
//!   than dents, and grow.
//! - The curvature is smoothed in its turn, along the surface. A force that is the slope of an energy E(G c) is G applied
//!   to the slope of E. Without that the force has no energy: drops that rest begin to swim.
//! - With κ(c) the curvature without a filter, T the smoothing along the surface, and both of the same width, the result is
//!
//!   ```text
//!       T (3 κ(G c) − κ(G² c) − T κ(G c))
//!   ```
//!
//!   in which the errors of second order of G and of T cancel. A wave with the wave number k on a plane keeps the part
//!   3g² − 2g³ of its curvature, g = exp(−k²σ²/2): long waves lose their fourth order only, short ones lose all.

use unstick_grid::CellField;

use super::smooth::{Kernel, blur};
use crate::cells::fill;

/// Variance of the parts of liquid across a surface before they are smoothed, in cells²: that of linear weights.
const OF_PARTS: f64 = 1.0 / 6.0;

/// Below this part of the gradient at a plane surface there is no surface to speak of.
const LEAST_GRADIENT: f64 = 0.25;

/// Parts of liquid with less than this weight are no longer near the surface.
const LEAST_WEIGHT: f64 = 1e-3;

/// The curvature of the surface and how much surface there is around, at every place.
pub(super) struct Curvature<const D: usize> {
    /// In 1/cell, times the weight.
    weighted: CellField<f64, D>,
    weight: CellField<f64, D>,
}

impl<const D: usize> Curvature<D> {
    /// That of parts of liquid which a filter of some width, in cells, has smoothed once.
    pub fn of(kernel: &Kernel, width: f64, once: &CellField<f64, D>) -> Self {
        let twice = blur(kernel, once);
        let [width_once, width_twice] = [1.0, 2.0].map(|times| (times * width * width + OF_PARTS).sqrt());
        let mut known = CellField::filled(once.shape(), None);
        fill(&mut known, |place, known| {
            if weight_of(once.at(place)) > LEAST_WEIGHT {
                let both = (curvature_at(width_once, once, place), curvature_at(width_twice, &twice, place));
                *known = both.0.zip(both.1);
            }
        });
        let weighted = |value: &(dyn Fn([usize; D], (f64, f64)) -> f64 + Sync)| {
            let mut field = CellField::filled(once.shape(), 0.0);
            fill(&mut field, |place, weighted| {
                if let Some(both) = known.at(place) {
                    *weighted = weight_of(once.at(place)) * value(place, both);
                }
            });
            blur(kernel, &field)
        };
        let weight = weighted(&|_, _| 1.0);
        let along = Self { weighted: weighted(&|_, (first, _)| first), weight };
        let weighted = weighted(&|place, (first, second)| 3.0 * first - second - along.at(place));
        Self { weighted, ..along }
    }

    /// At a place beside the surface, in 1/cell, at most 1 in size; zero where no curvature is resolved, as in spray.
    pub fn at(&self, place: [usize; D]) -> f64 {
        let weight = self.weight.at(place);
        if weight > 10.0 * LEAST_WEIGHT { (self.weighted.at(place) / weight).clamp(-1.0, 1.0) } else { 0.0 }
    }
}

/// How much a cell counts: most at the surface.
fn weight_of(part: f64) -> f64 {
    let part = part.clamp(0.0, 1.0);
    (4.0 * part * (1.0 - part)).powi(2)
}

/// The coordinate across a plane surface, in cells and positive inside, at which a Gauss filter of some width leaves a part
/// of liquid: Φ⁻¹, by the closed form of Winitzki for the inverse of the error function \[Winitzki2008\]. It needs to grow
/// evenly and nothing else.
fn coordinate(width: f64, part: f64) -> f64 {
    const A: f64 = 0.147;
    let value = 2.0 * part.clamp(1e-4, 1.0 - 1e-4) - 1.0;
    let log = (1.0 - value * value).ln();
    let half = 2.0 / (std::f64::consts::PI * A) + 0.5 * log;
    let inverse = ((half * half - log / A).sqrt() - half).max(0.0).sqrt().copysign(value);
    std::f64::consts::SQRT_2 * width * inverse
}

/// Curvature of the surface next to a place of a smoothed field, in 1/cell, positive where the liquid bulges. None where
/// there is no surface.
fn curvature_at<const D: usize>(width: f64, field: &CellField<f64, D>, place: [usize; D]) -> Option<f64> {
    let at = |steps: &[(usize, isize)]| {
        let mut other = place;
        for &(axis, step) in steps {
            other[axis] = other[axis].checked_add_signed(step).filter(|&index| index < field.shape()[axis])?;
        }
        Some(coordinate(width, field.at(other)))
    };
    let middle = at(&[])?;
    let (mut gradient, mut hessian) = ([0.0; D], [[0.0; D]; D]);
    for axis in 0..D {
        let (below, above) = (at(&[(axis, -1)])?, at(&[(axis, 1)])?);
        gradient[axis] = 0.5 * (above - below);
        hessian[axis][axis] = above - 2.0 * middle + below;
        for other in 0..axis {
            let corner = |one, two| at(&[(axis, one), (other, two)]);
            let mixed = 0.25 * (corner(1, 1)? - corner(1, -1)? - corner(-1, 1)? + corner(-1, -1)?);
            (hessian[axis][other], hessian[other][axis]) = (mixed, mixed);
        }
    }
    let size = gradient.iter().map(|value| value * value).sum::<f64>().sqrt();
    if size < LEAST_GRADIENT {
        return None;
    }
    // −PHP/|g|, P the projection on the tangent plane, has the principal curvatures and zero as its eigenvalues.
    let normal = gradient.map(|value| value / size);
    let along: [f64; D] = std::array::from_fn(|i| (0..D).map(|j| hessian[i][j] * normal[j]).sum());
    let across: f64 = (0..D).map(|i| normal[i] * along[i]).sum();
    let (mut sum, mut squares) = (0.0, 0.0);
    for i in 0..D {
        for j in 0..D {
            let part = hessian[i][j] - normal[i] * along[j] - along[i] * normal[j] + across * normal[i] * normal[j];
            squares += (part / size).powi(2);
            sum -= if i == j { part / size } else { 0.0 };
        }
    }
    Some((sum - squares * middle / size).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use unstick_grid::multi_index;

    use super::*;

    /// Parts of liquid by a distance.
    fn smoothed<const D: usize>(cells: usize, distance: impl Fn([f64; D]) -> f64) -> Curvature<D> {
        let part = |place: [usize; D]| {
            let away = 1.0 - distance(place.map(|index| index as f64)).abs().min(1.0);
            let is_inside = distance(place.map(|index| index as f64)) < 0.0;
            if is_inside { 1.0 - 0.5 * away * away } else { 0.5 * away * away }
        };
        let kernel = Kernel::of_width(1.5);
        let once = blur(&kernel, &CellField::of_shape([cells; D], part));
        Curvature::of(&kernel, 1.5, &once)
    }

    fn around<const D: usize>(centre: [f64; D], point: [f64; D]) -> f64 {
        (0..D).map(|axis| (point[axis] - centre[axis]).powi(2)).sum::<f64>().sqrt()
    }

    /// Mean and spread of κ R at all places within half a cell of the surface.
    fn measured<const D: usize>(cells: usize, radius: f64, centre: [f64; D], sign: f64) -> (f64, f64) {
        let curvature = smoothed::<D>(cells, |point| sign * (around(centre, point) - radius));
        let places = (0..cells.pow(D as u32)).map(|index| multi_index([cells; D], index));
        let near = places.filter(|place| (around(centre, place.map(|at| at as f64)) - radius).abs() < 0.5);
        let values: Vec<f64> = near.map(|place| sign * curvature.at(place) * radius).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let square = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        (mean, square.sqrt())
    }

    #[test]
    fn a_disc_a_hole_and_a_ball_have_their_curvature() {
        for sign in [1.0, -1.0] {
            let (mean, spread) = measured::<2>(60, 20.0, [30.3, 29.8], sign);
            assert!((mean - 1.0).abs() < 0.015 && spread < 0.02, "{sign}: {mean} ± {spread}");
        }
        let (mean, spread) = measured::<3>(34, 10.0, [17.2, 16.9, 17.4], 1.0);
        assert!((mean - 2.0).abs() < 0.06 && spread < 0.04, "{mean} ± {spread}");
    }

    #[test]
    fn a_plane_has_none_whatever_its_slope_and_neither_has_what_is_too_small_to_resolve() {
        for slope in [0.0f64, 0.1, 0.5, 1.0] {
            let curvature = smoothed::<2>(60, |[x, y]| (y - 30.2 - slope * (x - 30.0)) / slope.hypot(1.0));
            assert!(curvature.at([30, 30]).abs() < 1e-3, "{slope}: {}", curvature.at([30, 30]));
        }
        assert_eq!(smoothed::<3>(34, |point| around([17.0; 3], point) + 0.2).at([17; 3]), 0.0);
    }
}
