//! Velocity beyond the liquid and into solids.

use std::ops::Range;

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fields::Window;
use unstick_parallel::{self as parallel, simd::vectorised};

use super::interpolate::{FaceReader, GROUP, by_axis};
use crate::cells::{lines_within, multi_index, strides};
use crate::particles::cell_of;
use crate::solids::Geometry;

/// Carries the known values of every component outwards, one layer of faces after another, as the mean of their known
/// neighbours; marks what has become known. Only the faces of the cells `near` need the last layer.
pub(crate) fn extrapolate<const D: usize>(
    velocity: &mut FaceField<f64, D>,
    known: &mut FaceField<bool, D>,
    layers: usize,
    near: Window<D>,
) {
    for (axis, (values, known)) in velocity.iter_mut().zip(known).enumerate() {
        for behind in (0..layers).rev() {
            add_layer(values, known, faces_near(near, axis, behind, known.shape()));
        }
    }
}

/// The faces across an axis, in a lattice of `shape`, of the cells within `reach` of others.
pub(crate) fn faces_near<const D: usize>(cells: Window<D>, axis: usize, reach: usize, shape: [usize; D]) -> Window<D> {
    (0..D).fold(cells, |near, other| near.widened(other, reach, reach + usize::from(other == axis), shape))
}

fn add_layer<const D: usize>(values: &mut CellField<f64, D>, known: &mut CellField<bool, D>, meant: Window<D>) {
    add_layer_by(values, known, meant, |_, values, means| means.of(|next| values[next]));
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

/// Carries the velocity of the pressure solve out of the liquid by one layer of faces; marks them as known. Only the faces
/// of the cells `near` need it.
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
    near: Window<D>,
) {
    for axis in 0..D {
        let meant = faces_near(near, axis, 0, known[axis].shape());
        let (gathered, fall) = (spray.gathered[axis].values(), spray.fall[axis]);
        let (reached, open) = (spray.reached[axis].values(), open[axis].values());
        add_layer_by(&mut velocity[axis], &mut known[axis], meant, |face, values, means| {
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
    strides: [usize; D],
    known: &'a [bool],
    place: [usize; D],
    index: usize,
}

impl<const D: usize> Means<'_, D> {
    #[inline(always)]
    fn of(&self, value: impl Fn(usize) -> f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for axis in 0..D {
            let below = (self.place[axis] > 0).then(|| self.index - self.strides[axis]);
            let above = (self.place[axis] + 1 < self.shape[axis]).then(|| self.index + self.strides[axis]);
            for next in [below, above].into_iter().flatten().filter(|&next| self.known[next]) {
                sum += value(next);
                count += 1.0;
            }
        }
        sum / count
    }
}

/// Adds the places of a window beside known ones. Each gets the value that `value` finds from its number, all values and
/// the means over its known neighbours.
fn add_layer_by<const D: usize>(
    values: &mut CellField<f64, D>,
    known: &mut CellField<bool, D>,
    meant: Window<D>,
    value: impl Fn(usize, &[f64], Means<D>) -> f64 + Sync,
) {
    let shape = values.shape();
    let (before, marks) = (values.values(), known.values());
    // Values first, marks after: all of a layer sees the same known faces.
    let found = parallel::list(0..marks.len(), |range| {
        let (mut found, strides) = (Vec::new(), strides(shape));
        for_each_beside_known(shape, marks, (meant, range), |place, index| {
            let means = Means { shape, strides, known: marks, place, index };
            found.push((index as u32, value(index, before, means)));
        });
        found
    });
    let layer = put(&found, values);
    parallel::for_each_at(&layer, 0, known.values_mut(), |_, known| *known = true);
}

/// Writes values to ascending places, which it returns.
fn put<const D: usize>(found: &[(u32, f64)], values: &mut CellField<f64, D>) -> Vec<u32> {
    let places = parallel::list(found, |found| found.iter().map(|(place, _)| *place).collect());
    parallel::for_each_at(&places, 0, values.values_mut(), |number, value| *value = found[number].1);
    places
}

/// Calls `visit` with the places of a window and a range beside known ones that are not known themselves, ascending.
fn for_each_beside_known<const D: usize>(
    shape: [usize; D],
    known: &[bool],
    (meant, range): (Window<D>, Range<usize>),
    mut visit: impl FnMut([usize; D], usize),
) {
    let strides = strides(shape);
    let nothing = vec![false; shape[0]];
    // A part of a line with what is before and behind it, and which of its places are wanted: some more than it has.
    let mut own = vec![false; shape[0] + 2];
    let mut is_wanted = vec![0u8; shape[0].next_multiple_of(8)];
    for (first, part) in lines_within(meant, shape, range) {
        let (mut place, length) = (multi_index(shape, first), part.len());
        let mut beside = [[&nothing[..length]; 2]; 2];
        for axis in 1..D {
            if place[axis] > 0 {
                beside[axis - 1][0] = &known[first - strides[axis]..][..length];
            }
            if place[axis] + 1 < shape[axis] {
                beside[axis - 1][1] = &known[first + strides[axis]..][..length];
            }
        }
        own[0] = place[0] > 0 && known[first - 1];
        own[1..=length].copy_from_slice(&known[first..first + length]);
        own[length + 1] = place[0] + length < shape[0] && known[first + length];
        is_wanted[length..].fill(0);
        vectorised(
            #[inline(always)]
            || mark_beside(&mut is_wanted[..length], &own[..length + 2], beside),
        );
        // Most places are not wanted: eight of them are left out at once.
        let (begin, (eights, _)) = (place[0], is_wanted.as_chunks::<8>());
        for (number, eight) in eights.iter().enumerate().filter(|(_, eight)| u64::from_ne_bytes(**eight) != 0) {
            for (along, _) in (8 * number..).zip(eight).filter(|(_, is_wanted)| **is_wanted == 1) {
                place[0] = begin + along;
                visit(place, first + along);
            }
        }
    }
}

/// Marks the places of a line that are not known themselves, but one of their neighbours is: those in the line, which has
/// one place more at both ends, and in the lines `beside` it.
#[inline(always)]
fn mark_beside(is_wanted: &mut [u8], own: &[bool], beside: [[&[bool]; 2]; 2]) {
    let length = is_wanted.len();
    let (before, here, behind) = (&own[..length], &own[1..=length], &own[2..length + 2]);
    let [[low, high], [lower, upper]] = beside.map(|sides| sides.map(|side| &side[..length]));
    for place in 0..length {
        let along = before[place] | behind[place];
        let across = low[place] | high[place] | lower[place] | upper[place];
        is_wanted[place] = u8::from((along | across) & !here[place]);
    }
}

/// Keeps the velocity inside solids from leading deeper into them.
///
/// At a separating wall only the inward part is removed. To remove the outward part as well, which is usual, would glue
/// the liquid to the wall again. A wall that pulls glues it where `is_held` says so of a cell. Only the faces of the cells
/// `near` need it.
pub(crate) fn constrain<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    velocity: &mut FaceField<f64, D>,
    known: &FaceField<bool, D>,
    is_held: impl Fn([usize; D]) -> bool + Sync,
    near: Window<D>,
) {
    // The cell on the liquid's side of the wall.
    let beside = |point: [f64; D], normal: [f64; D]| {
        let way = 0.5 * grid.spacing() - geometry.distance(grid, point);
        cell_of(grid, std::array::from_fn(|axis| point[axis] + way * normal[axis]))
    };
    let is_glued = |point: [f64; D], normal: [f64; D]| {
        !geometry.separating.at(cell_of(grid, point)) || is_held(beside(point, normal))
    };
    let free = FaceReader::new(grid, velocity);
    let of_solid = geometry.solid_velocity.as_ref().map(|field| FaceReader::new(grid, field));
    let walls = Walls { grid, geometry, free, of_solid };
    // All components are read before any is written.
    let found: [Vec<(u32, f64)>; D] = std::array::from_fn(|axis| {
        let (shape, open, known) = (known[axis].shape(), geometry.open[axis].values(), known[axis].values());
        let meant = faces_near(near, axis, 0, shape);
        parallel::list(0..known.len(), |faces| {
            let meant = lines_within(meant, shape, faces).flat_map(|(at, part)| at..at + part.len());
            let closed: Vec<u32> =
                meant.filter(|&face| known[face] && open[face] <= 0.0).map(|face| face as u32).collect();
            let mut found = Vec::with_capacity(closed.len());
            vectorised(
                #[inline(always)]
                || {
                    let (groups, rest) = closed.as_chunks::<GROUP>();
                    for group in groups {
                        walls.constrain(axis, *group, &is_glued, &mut found);
                    }
                    for face in rest {
                        walls.constrain(axis, [*face], &is_glued, &mut found);
                    }
                },
            );
            found
        })
    });
    velocity.iter_mut().zip(&found).for_each(|(velocity, found)| _ = put(found, velocity));
}

/// What leads into walls, and what they leave.
struct Walls<'a, const D: usize> {
    grid: &'a Grid<D>,
    geometry: &'a Geometry<D>,
    free: FaceReader<'a, D>,
    /// The velocity of the walls, if any moves.
    of_solid: Option<FaceReader<'a, D>>,
}

impl<const D: usize> Walls<'_, D> {
    /// Appends what is left of the velocity across closed faces, where it changes.
    #[inline(always)]
    fn constrain<const W: usize>(
        &self,
        axis: usize,
        faces: [u32; W],
        is_glued: &impl Fn([f64; D], [f64; D]) -> bool,
        found: &mut Vec<(u32, f64)>,
    ) {
        let shape = self.grid.faces(axis);
        let mut points = [[0.0; D]; W];
        for number in 0..W {
            points[number] = self.grid.face_centre(axis, multi_index(shape, faces[number] as usize));
        }
        let group = by_axis(points);
        let (normals, own) = (self.geometry.normals(self.grid, group), self.free.at(group));
        let of_solid = if let Some(of_solid) = &self.of_solid { of_solid.at(group) } else { [[0.0; W]; D] };
        for number in 0..W {
            let (mut outward, mut normal) = (0.0, [0.0; D]);
            for other in 0..D {
                normal[other] = normals[other][number];
                outward += (own[other][number] - of_solid[other][number]) * normal[other];
            }
            if outward < 0.0 || is_glued(points[number], normal) {
                found.push((faces[number], own[axis][number] - outward * normal[axis]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_spread_evenly() {
        let mut values = CellField::of_shape([5, 5], |place| if place == [2, 2] { 3.0 } else { 0.0 });
        let mut known = CellField::of_shape([5, 5], |place| place == [2, 2]);
        (0..2).for_each(|_| add_layer(&mut values, &mut known, Window::whole([5, 5])));
        assert_eq!(values.at([4, 2]), 3.0);
        assert_eq!(values.at([1, 1]), 3.0);
        assert!(!known.at([0, 0]) && values.at([0, 0]) == 0.0);
    }
}
