//! Values of fields between the places where they are stored: bilinear in 2D, trilinear in 3D.
//!
//! Particles come in groups: `W` points at once, each step of the way for all of them, so that the vector unit works on
//! all. One point is a group of one, with the same bits.

use unstick_grid::{CellField, FaceField, Grid};

/// Points of a group: as many as a vector register has numbers on most machines.
pub(crate) const GROUP: usize = 4;

/// A number of a group: for each of its points.
type Of<const W: usize, T = f64> = [T; W];

/// 2⁵²: numbers from here on have no fraction, and the lower bits of their mantissa count.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// The number of the stored value below a place along one axis, and the part of the way to the next.
#[inline(always)]
fn split<const W: usize>(count: usize, place: Of<W>) -> (Of<W>, Of<W>) {
    let (last, most) = ((count - 1) as f64, count.saturating_sub(2) as f64);
    let (mut below, mut part) = ([0.0; W], [0.0; W]);
    for point in 0..W {
        let clamped = place[point].clamp(0.0, last);
        below[point] = clamped.floor().min(most);
        part[point] = clamped - below[point];
    }
    (below, part)
}

/// The corner of the cube of stored values around a point, and the part of the way through it.
#[inline(always)]
pub(crate) fn locate<const D: usize>(shape: [usize; D], place: [f64; D]) -> ([usize; D], [f64; D]) {
    let (mut corner, mut part) = ([0; D], [0.0; D]);
    for axis in 0..D {
        let ([below], [way]) = split(shape[axis], [place[axis]]);
        (corner[axis], part[axis]) = (below as usize, way);
    }
    (corner, part)
}

/// The field inside the cubes at `corner`.
#[inline(always)]
fn within<const D: usize, const W: usize>(field: &CellField<f64, D>, corner: [Of<W>; D], part: [Of<W>; D]) -> Of<W> {
    match field.shape()[0] {
        1 => within_lines::<D, W, 0>(field, corner, part),
        _ => within_lines::<D, W, 1>(field, corner, part),
    }
}

/// The same where the second value along the first axis is `STEP` behind the first: none where there is but one.
#[inline(always)]
fn within_lines<const D: usize, const W: usize, const STEP: usize>(
    field: &CellField<f64, D>,
    corner: [Of<W>; D],
    part: [Of<W>; D],
) -> Of<W> {
    let (shape, values) = (field.shape(), field.values());
    let (mut stride, mut steps) = (1, [0; D]);
    let mut starts = [WHOLE; W];
    for axis in 0..D {
        for point in 0..W {
            starts[point] += corner[axis][point] * stride as f64;
        }
        steps[axis] = if shape[axis] > 1 { stride as u32 } else { 0 };
        stride *= shape[axis];
    }
    // The corners of the cube in pairs along the first axis, which lie side by side in memory. Then one axis after the
    // other is interpolated away, the last one first.
    let mut pairs = [[[0.0; 2]; W]; 4];
    for point in 0..W {
        // Vector units convert no number to an integer, but they add.
        let start = starts[point].to_bits() as u32;
        for (choice, pair) in pairs.iter_mut().enumerate().take(1 << (D - 1)) {
            let mut line = start;
            for axis in 1..D {
                line = line.wrapping_add((choice >> (axis - 1) & 1) as u32 * steps[axis]);
            }
            let first = line as usize;
            let beside = &values[first..first + 1 + STEP]; // one check for both
            pair[point] = [beside[0], beside[STEP]];
        }
    }
    for axis in (1..D).rev() {
        let half = 1 << (axis - 1);
        for corner in 0..half {
            for point in 0..W {
                for side in 0..2 {
                    let (from, to) = (pairs[corner][point][side], pairs[corner + half][point][side]);
                    pairs[corner][point][side] = from + part[axis][point] * (to - from);
                }
            }
        }
    }
    let mut found = [0.0; W];
    for point in 0..W {
        let [from, to] = pairs[0][point];
        found[point] = from + part[0][point] * (to - from);
    }
    found
}

/// The field at a place in units of its own lattice; constant beyond its border.
#[inline(always)]
pub(crate) fn interpolate<const D: usize>(field: &CellField<f64, D>, place: [f64; D]) -> f64 {
    let (mut corner, mut part) = ([[0.0]; D], [[0.0]; D]);
    for axis in 0..D {
        (corner[axis], part[axis]) = split(field.shape()[axis], [place[axis]]);
    }
    within(field, corner, part)[0]
}

/// A cell-centred field at a point.
#[inline(always)]
pub fn interpolate_cells<const D: usize>(grid: &Grid<D>, field: &CellField<f64, D>, point: [f64; D]) -> f64 {
    interpolate(field, grid.in_cells(point).map(|place| place - 0.5))
}

/// A field stored at nodes at a point.
#[inline(always)]
pub(crate) fn interpolate_nodes<const D: usize>(grid: &Grid<D>, field: &CellField<f64, D>, point: [f64; D]) -> f64 {
    interpolate(field, grid.in_cells(point))
}

/// Gradient of a field stored at nodes, by differences over a tenth of a cell; not normalised.
#[inline(always)]
pub(crate) fn gradient_of_nodes<const D: usize>(
    grid: &Grid<D>,
    field: &CellField<f64, D>,
    point: [f64; D],
) -> [f64; D] {
    let reach = 0.1 * grid.spacing();
    let mut gradient = [0.0; D];
    for along in 0..D {
        let (mut below, mut above) = (point, point);
        below[along] -= reach;
        above[along] += reach;
        let places = [grid.in_cells(below), grid.in_cells(above)];
        let (mut corner, mut part) = ([[0.0; 2]; D], [[0.0; 2]; D]);
        for axis in 0..D {
            (corner[axis], part[axis]) = split(field.shape()[axis], [places[0][axis], places[1][axis]]);
        }
        let [below, above] = within(field, corner, part);
        gradient[along] = (above - below) / (2.0 * reach);
    }
    gradient
}

/// Where a point lies on the lattice of faces across `axis`.
#[inline(always)]
pub(crate) fn in_faces<const D: usize>(place: [f64; D], axis: usize) -> [f64; D] {
    let mut shifted = place;
    for other in 0..D {
        if other != axis {
            shifted[other] -= 0.5;
        }
    }
    shifted
}

/// A velocity stored at faces at a point.
#[inline(always)]
pub fn interpolate_velocity<const D: usize>(grid: &Grid<D>, velocity: &FaceField<f64, D>, point: [f64; D]) -> [f64; D] {
    let [found] = interpolate_velocities(grid, velocity, [point]);
    found
}

/// The same at the points of a group.
#[inline(always)]
pub(crate) fn interpolate_velocities<const D: usize, const W: usize>(
    grid: &Grid<D>,
    velocity: &FaceField<f64, D>,
    points: [[f64; D]; W],
) -> [[f64; D]; W] {
    // Along each axis a place is needed twice: among the faces across it, and among cell centres. Plain loops are
    // inlined, unlike closures that make arrays, and so they are compiled for the vector unit of the caller.
    let (mut among_faces, mut among_cells) = ([([0.0; W], [0.0; W]); D], [([0.0; W], [0.0; W]); D]);
    for axis in 0..D {
        let (mut place, mut shifted) = ([0.0; W], [0.0; W]);
        for point in 0..W {
            place[point] = grid.in_cells(points[point])[axis];
            shifted[point] = place[point] - 0.5;
        }
        among_faces[axis] = split(grid.cells()[axis] + 1, place);
        among_cells[axis] = split(grid.cells()[axis], shifted);
    }
    let mut found = [[0.0; D]; W];
    for component in 0..D {
        let (mut corner, mut part) = ([[0.0; W]; D], [[0.0; W]; D]);
        for axis in 0..D {
            (corner[axis], part[axis]) = if axis == component { among_faces[axis] } else { among_cells[axis] };
        }
        let values = within(&velocity[component], corner, part);
        for point in 0..W {
            found[point][component] = values[point];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_functions_are_reproduced() {
        let grid = Grid::<3>::unit(5).unwrap();
        let linear = |p: [f64; 3]| 1.0 + 2.0 * p[0] - 3.0 * p[1] + 0.5 * p[2];
        let cells = CellField::from_fn(&grid, |cell| linear(grid.centre(cell)));
        let faces: FaceField<f64, 3> = std::array::from_fn(|axis| {
            CellField::of_shape(grid.faces(axis), |face| linear(grid.face_centre(axis, face)))
        });
        let point = [0.33, 0.41, 0.62];
        assert!((interpolate_cells(&grid, &cells, point) - linear(point)).abs() < 1e-12);
        let velocity = interpolate_velocity(&grid, &faces, point);
        assert!(velocity.iter().all(|value| (value - linear(point)).abs() < 1e-12));
    }
}
