//! Velocity beyond the liquid and into solids.

use std::ops::Range;

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fields::Window;
use unstick_parallel as parallel;

use super::interpolate::interpolate_velocity;
use crate::cells::{fill_by_number, multi_index, strides};
use crate::particles::cell_of;
use crate::solids::Geometry;

/// Carries the known values of every component outwards, one layer of faces after another, as the mean of their known
/// neighbours; marks what has become known.
pub(crate) fn extrapolate<const D: usize>(
    velocity: &mut FaceField<f64, D>,
    known: &mut FaceField<bool, D>,
    layers: usize,
) {
    for (values, known) in velocity.iter_mut().zip(known) {
        for _ in 0..layers {
            add_layer(values, known);
        }
    }
}

fn add_layer<const D: usize>(values: &mut CellField<f64, D>, known: &mut CellField<bool, D>) {
    let shape = values.shape();
    let strides = strides(shape);
    let layer = beside_known(shape, known.values());
    // Values first, marks after: all of a layer sees the same known faces.
    let mean = |index: usize| {
        let (place, values, known) = (multi_index(shape, index), values.values(), known.values());
        let (mut sum, mut count) = (0.0, 0.0);
        for axis in 0..D {
            let below = (place[axis] > 0).then(|| index - strides[axis]);
            let above = (place[axis] + 1 < shape[axis]).then(|| index + strides[axis]);
            for next in [below, above].into_iter().flatten().filter(|&next| known[next]) {
                sum += values[next];
                count += 1.0;
            }
        }
        sum / count
    };
    let means =
        parallel::list_scattered(layer.as_slice(), |layer| layer.iter().map(|&index| mean(index as usize)).collect());
    parallel::for_each_at(&layer, 0, values.values_mut(), |number, value| *value = means[number]);
    parallel::for_each_at(&layer, 0, known.values_mut(), |_, known| *known = true);
}

/// The places beside known ones that are not known themselves, ascending.
fn beside_known<const D: usize>(shape: [usize; D], known: &[bool]) -> Vec<u32> {
    let strides = strides(shape);
    let in_range = |range: Range<usize>| {
        let (mut found, mut is_beside) = (Vec::new(), Vec::new());
        for (first, part) in Window::whole(shape).lines(shape, range) {
            let (place, length) = (multi_index(shape, first), part.len());
            is_beside.clear();
            is_beside.resize(length, false);
            let mut look = |skip: usize, from: usize, count: usize| {
                let others = &known[from..from + count];
                is_beside[skip..].iter_mut().zip(others).for_each(|(is_beside, other)| *is_beside |= other);
            };
            for axis in 1..D {
                if place[axis] > 0 {
                    look(0, first - strides[axis], length);
                }
                if place[axis] + 1 < shape[axis] {
                    look(0, first + strides[axis], length);
                }
            }
            let (skip, last) = (usize::from(place[0] == 0), usize::from(place[0] + length == shape[0]));
            look(skip, first + skip - 1, length - skip);
            look(0, first + 1, length - last);
            let unknown = is_beside.iter().zip(&known[first..first + length]).enumerate();
            let wanted = unknown.filter(|(_, (is_beside, known))| **is_beside && !**known);
            found.extend(wanted.map(|(along, _)| (first + along) as u32));
        }
        found
    };
    parallel::list(0..known.len(), in_range)
}

/// Keeps the velocity inside solids from leading deeper into them.
///
/// At a separating wall only the inward part is removed. To remove the outward part as well, which is usual, would glue
/// the liquid to the wall again. A wall that pulls glues it where `is_held` says so of a cell. `free` is a copy of the
/// velocity.
pub(crate) fn constrain<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    free: &FaceField<f64, D>,
    velocity: &mut FaceField<f64, D>,
    known: &FaceField<bool, D>,
    is_held: impl Fn([usize; D]) -> bool + Sync,
) {
    // The cell on the liquid's side of the wall.
    let beside = |point: [f64; D], normal: [f64; D]| {
        let way = 0.5 * grid.spacing() - geometry.distance(grid, point);
        cell_of(grid, std::array::from_fn(|axis| point[axis] + way * normal[axis]))
    };
    for axis in 0..D {
        let (open, known) = (geometry.open[axis].values(), known[axis].values());
        fill_by_number(&mut velocity[axis], |face, value| {
            if open[face] > 0.0 || !known[face] {
                return;
            }
            let point = grid.face_centre(axis, multi_index(grid.faces(axis), face));
            let normal = geometry.normal(grid, point);
            let own = interpolate_velocity(grid, free, point);
            let of_solid: [f64; D] = match &geometry.solid_velocity {
                Some(field) => interpolate_velocity(grid, field, point),
                None => [0.0; D],
            };
            let outward: f64 = (0..D).map(|other| (own[other] - of_solid[other]) * normal[other]).sum();
            let cell = cell_of(grid, point);
            let is_glued = || !geometry.separating.at(cell) || is_held(beside(point, normal));
            if outward < 0.0 || is_glued() {
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
        (0..2).for_each(|_| add_layer(&mut values, &mut known));
        assert_eq!(values.at([4, 2]), 3.0);
        assert_eq!(values.at([1, 1]), 3.0);
        assert!(!known.at([0, 0]) && values.at([0, 0]) == 0.0);
    }
}
