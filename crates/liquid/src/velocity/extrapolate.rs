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
    add_layer_by(values, known, |_, values, means| means.of(|next| values[next]));
}

/// What particles bring to faces, and what a step adds to it before the pressure.
pub(crate) struct Spray<'a, const D: usize> {
    /// The velocity that was gathered.
    pub gathered: &'a FaceField<f64, D>,
    /// What forces have added to it.
    pub fall: [f64; D],
    /// Faces that particles have reached.
    pub reached: &'a FaceField<bool, D>,
}

/// Carries the velocity of the pressure solve out of the liquid by one layer of faces; marks them as known.
///
/// A face takes on the mean of its known neighbours. At one with particles this must not make momentum out of nothing, for
/// the liquid loses none: fast drops drove all spray along their way, and whole splashes gained energy. So such a face
/// becomes faster than it was only as far as the change goes that the pressure has made beside it. The outermost particles
/// of the liquid move with it and this change; spray that is slower only passes by; what is faster is slowed down.
pub(crate) fn carry_outwards<const D: usize>(
    velocity: &mut FaceField<f64, D>,
    known: &mut FaceField<bool, D>,
    open: &FaceField<f64, D>,
    spray: &Spray<D>,
) {
    for axis in 0..D {
        let (gathered, fall) = (spray.gathered[axis].values(), spray.fall[axis]);
        let (reached, open) = (spray.reached[axis].values(), open[axis].values());
        add_layer_by(&mut velocity[axis], &mut known[axis], |face, values, means| {
            let mean = means.of(|next| values[next]);
            if !reached[face] || open[face] == 0.0 {
                return mean;
            }
            let own = values[face];
            let pushed = own + means.of(|next| values[next] - (gathered[next] + fall));
            mean.max(pushed.min(-own.abs())).min(pushed.max(own.abs()))
        });
    }
}

/// Means over the known neighbours of a place.
struct Means<'a, const D: usize> {
    shape: [usize; D],
    known: &'a [bool],
    index: usize,
}

impl<const D: usize> Means<'_, D> {
    fn of(&self, value: impl Fn(usize) -> f64) -> f64 {
        let (place, strides) = (multi_index(self.shape, self.index), strides(self.shape));
        let (mut sum, mut count) = (0.0, 0.0);
        for axis in 0..D {
            let below = (place[axis] > 0).then(|| self.index - strides[axis]);
            let above = (place[axis] + 1 < self.shape[axis]).then(|| self.index + strides[axis]);
            for next in [below, above].into_iter().flatten().filter(|&next| self.known[next]) {
                sum += value(next);
                count += 1.0;
            }
        }
        sum / count
    }
}

/// Adds the places beside known ones. Each gets the value that `value` finds from its number, all values and the means
/// over its known neighbours.
fn add_layer_by<const D: usize>(
    values: &mut CellField<f64, D>,
    known: &mut CellField<bool, D>,
    value: impl Fn(usize, &[f64], Means<D>) -> f64 + Sync,
) {
    let shape = values.shape();
    let layer = beside_known(shape, known.values());
    // Values first, marks after: all of a layer sees the same known faces.
    let found = parallel::list_scattered(layer.as_slice(), |layer| {
        let of = |index: usize| value(index, values.values(), Means { shape, known: known.values(), index });
        layer.iter().map(|&index| of(index as usize)).collect()
    });
    parallel::for_each_at(&layer, 0, values.values_mut(), |number, value| *value = found[number]);
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
