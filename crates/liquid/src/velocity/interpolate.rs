//! Values of fields between the places where they are stored: bilinear in 2D, trilinear in 3D.

use unstick_grid::{CellField, FaceField, Grid};

/// The stored value below a place along one axis, and the part of the way to the next.
#[inline(always)]
fn split(count: usize, place: f64) -> (usize, f64) {
    // Numbers of 32 bits: the way to and from longer ones takes many instructions.
    let count = count as u32;
    let clamped = place.clamp(0.0, f64::from(count - 1));
    let below = (clamped as u32).min(count.saturating_sub(2));
    (below as usize, clamped - f64::from(below))
}

/// The corner of the cube of stored values around a point, and the part of the way through it.
#[inline(always)]
pub(crate) fn locate<const D: usize>(shape: [usize; D], place: [f64; D]) -> ([usize; D], [f64; D]) {
    let mut corner = [0; D];
    let mut part = [0.0; D];
    for axis in 0..D {
        (corner[axis], part[axis]) = split(shape[axis], place[axis]);
    }
    (corner, part)
}

/// The field inside the cube at `corner`.
#[inline(always)]
fn within<const D: usize>(field: &CellField<f64, D>, corner: [usize; D], part: [f64; D]) -> f64 {
    let shape = field.shape();
    let mut stride = 1;
    let mut start = 0;
    let mut steps = [0; D];
    for axis in 0..D {
        start += corner[axis] * stride;
        steps[axis] = if shape[axis] > 1 { stride } else { 0 };
        stride *= shape[axis];
    }
    // The corners of the cube, then one axis after the other is interpolated away, the last one first: so corners that
    // are treated alike lie side by side.
    let reach: usize = steps.iter().sum();
    let values = &field.values()[start..=start + reach]; // one check instead of one per corner
    let mut cube = [0.0; 8];
    for (choice, value) in cube.iter_mut().enumerate().take(1 << D) {
        let mut index = 0;
        for axis in 0..D {
            index += (choice >> axis & 1) * steps[axis];
        }
        *value = values[index];
    }
    for axis in (0..D).rev() {
        let half = 1 << axis;
        for corner in 0..half {
            cube[corner] += part[axis] * (cube[corner + half] - cube[corner]);
        }
    }
    cube[0]
}

/// The field at a place in units of its own lattice; constant beyond its border.
#[inline(always)]
pub(crate) fn interpolate<const D: usize>(field: &CellField<f64, D>, place: [f64; D]) -> f64 {
    let (corner, part) = locate(field.shape(), place);
    within(field, corner, part)
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
pub(crate) fn gradient_of_nodes<const D: usize>(
    grid: &Grid<D>,
    field: &CellField<f64, D>,
    point: [f64; D],
) -> [f64; D] {
    let reach = 0.1 * grid.spacing();
    std::array::from_fn(|axis| {
        let (mut below, mut above) = (point, point);
        below[axis] -= reach;
        above[axis] += reach;
        (interpolate_nodes(grid, field, above) - interpolate_nodes(grid, field, below)) / (2.0 * reach)
    })
}

/// Where a point lies on the lattice of faces across `axis`.
#[inline(always)]
pub(crate) fn in_faces<const D: usize>(place: [f64; D], axis: usize) -> [f64; D] {
    let mut shifted = place;
    (0..D).filter(|&other| other != axis).for_each(|other| shifted[other] -= 0.5);
    shifted
}

/// A velocity stored at faces at a point.
#[inline(always)]
pub fn interpolate_velocity<const D: usize>(grid: &Grid<D>, velocity: &FaceField<f64, D>, point: [f64; D]) -> [f64; D] {
    // Along each axis a place is needed twice: among the faces across it, and among cell centres. Plain loops are
    // inlined, unlike closures that make arrays, and so they are compiled for the vector unit of the caller.
    let place = grid.in_cells(point);
    let (mut among_faces, mut among_cells) = ([(0, 0.0); D], [(0, 0.0); D]);
    for axis in 0..D {
        among_faces[axis] = split(grid.cells()[axis] + 1, place[axis]);
        among_cells[axis] = split(grid.cells()[axis], place[axis] - 0.5);
    }
    let mut found = [0.0; D];
    for component in 0..D {
        let (mut corner, mut part) = ([0; D], [0.0; D]);
        for axis in 0..D {
            (corner[axis], part[axis]) = if axis == component { among_faces[axis] } else { among_cells[axis] };
        }
        found[component] = within(&velocity[component], corner, part);
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
