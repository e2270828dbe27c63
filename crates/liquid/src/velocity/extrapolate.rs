//! Velocity beyond the liquid and into solids.

use rayon::prelude::*;
use unstick_grid::{CellField, FaceField, Grid};

use super::interpolate::interpolate_velocity;
use crate::cells::{fill, multi_index, strides};
use crate::particles::cell_of;
use crate::solids::Geometry;

/// Carries the known values of every component outwards.
pub(crate) fn extrapolate<const D: usize>(
    velocity: &mut FaceField<f64, D>,
    known: &mut FaceField<bool, D>,
    layers: usize,
) {
    velocity
        .par_iter_mut()
        .zip(known.par_iter_mut())
        .for_each(|(values, known)| extrapolate_one(values, known, layers));
}

/// Carries known values outwards, one layer of faces after another, as the mean of their known
/// neighbours; marks what has become known.
fn extrapolate_one<const D: usize>(values: &mut CellField<f64, D>, known: &mut CellField<bool, D>, layers: usize) {
    let shape = values.shape();
    let strides = strides(shape);
    let neighbours = |index: usize| {
        let place = multi_index(shape, index);
        (0..D).flat_map(move |axis| {
            let below = (place[axis] > 0).then(|| index - strides[axis]);
            let above = (place[axis] + 1 < shape[axis]).then(|| index + strides[axis]);
            [below, above]
        })
    };
    let (values, known) = (values.values_mut(), known.values_mut());
    // The first layer: unknown places beside known ones, found row by row without multi-indices.
    let mut queued = known.to_vec();
    let mut front: Vec<usize> = Vec::new();
    for (axis, &stride) in strides.iter().enumerate() {
        let length = shape[axis] * stride;
        for block in (0..known.len()).step_by(length) {
            for index in block..block + length - stride {
                let (one, other) = (known[index], known[index + stride]);
                if one != other {
                    let unknown = if one { index + stride } else { index };
                    if !std::mem::replace(&mut queued[unknown], true) {
                        front.push(unknown);
                    }
                }
            }
        }
    }
    for _ in 0..layers {
        // Values first, marks after: all of a layer sees the same known faces.
        for &index in &front {
            let (mut sum, mut count) = (0.0, 0.0);
            for next in neighbours(index).flatten().filter(|&next| known[next]) {
                sum += values[next];
                count += 1.0;
            }
            values[index] = sum / count;
        }
        front.iter().for_each(|&index| known[index] = true);
        let mut next_front = Vec::new();
        for &index in &front {
            next_front.extend(neighbours(index).flatten().filter(|&next| !std::mem::replace(&mut queued[next], true)));
        }
        front = next_front;
    }
}

/// Keeps the velocity inside solids from leading deeper into them.
///
/// At a separating wall only the inward part is removed. To remove the outward part as well, which is usual, would glue
/// the liquid to the wall again. `free` is a copy of the velocity.
pub(crate) fn constrain<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    free: &FaceField<f64, D>,
    velocity: &mut FaceField<f64, D>,
    known: &FaceField<bool, D>,
) {
    for axis in 0..D {
        fill(&mut velocity[axis], |face, value| {
            if geometry.open[axis].at(face) > 0.0 || !known[axis].at(face) {
                return;
            }
            let point = grid.face_centre(axis, face);
            let normal = geometry.normal(grid, point);
            let own = interpolate_velocity(grid, free, point);
            let of_solid: [f64; D] = match &geometry.solid_velocity {
                Some(field) => interpolate_velocity(grid, field, point),
                None => [0.0; D],
            };
            let outward: f64 = (0..D).map(|other| (own[other] - of_solid[other]) * normal[other]).sum();
            let cell = cell_of(grid, point);
            if outward < 0.0 || !geometry.separating.at(cell) {
                *value = own[axis] - outward * normal[axis];
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_spread_evenly() {
        let mut values = CellField::of_shape([5, 5], |place| if place == [2, 2] { 3.0 } else { 0.0 });
        let mut known = CellField::of_shape([5, 5], |place| place == [2, 2]);
        extrapolate_one(&mut values, &mut known, 2);
        assert_eq!(values.at([4, 2]), 3.0);
        assert_eq!(values.at([1, 1]), 3.0);
        assert!(!known.at([0, 0]) && values.at([0, 0]) == 0.0);
    }
}
