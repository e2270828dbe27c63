//! The gradient of the pressure, taken off the velocity.

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fields::{Window, theta};
use unstick_parallel as parallel;

use crate::cells::{multi_index, strides};
use crate::velocity::faces_near;

/// A cell beside a face, if there is one: the distance to the liquid, and the scaled pressure, of its air where it is dry.
pub(crate) type Side = Option<(f64, f64)>;

/// ∇q across an open face; none where there is no liquid on either side. Liquid beside an open face always has an
/// unknown.
#[inline]
pub(crate) fn gradient(below: Side, above: Side, spacing: f64) -> Option<f64> {
    let distance = |side: Side| side.map(|(distance, _)| distance);
    let air = |side: Side| side.map_or(0.0, |(_, q)| q);
    match (below, above) {
        (Some((lower, below)), Some((upper, above))) if lower < 0.0 && upper < 0.0 => Some(above - below),
        (Some((inside, q)), _) if inside < 0.0 => Some((air(above) - q) / theta(inside, distance(above), spacing)),
        (_, Some((inside, q))) if inside < 0.0 => Some((q - air(below)) / theta(inside, distance(below), spacing)),
        _ => None,
    }
}

/// u ← u − ∇q on every open face of the liquid; marks those faces as known and all others not. The scaled pressure
/// is that of every cell. Only the faces of the cells `near` need it.
pub(crate) fn update_velocity<const D: usize>(
    grid: &Grid<D>,
    open: &FaceField<f64, D>,
    liquid: &CellField<f64, D>,
    q: &CellField<f64, D>,
    velocity: &mut FaceField<f64, D>,
    known: &mut FaceField<bool, D>,
    near: Window<D>,
) {
    let (cells, stride) = (grid.cells(), strides(grid.cells()));
    let nothing = Window { first: [0; D], size: [0; D] };
    let wet = Window::around_negative(cells, liquid.values());
    let side = |cell: usize| (liquid.values()[cell], q.values()[cell]);
    for axis in 0..D {
        let shape = grid.faces(axis);
        let whole = Window::whole(shape);
        let [wet, near] = [wet, near].map(|cells| faces_near(cells, axis, 0, shape));
        let window = wet.common(&near).unwrap_or(nothing);
        let lanes = (0..open[axis].values().len(), open[axis].values());
        let lanes = (lanes, (velocity[axis].values_mut(), known[axis].values_mut()));
        parallel::for_each(lanes, |((faces, open), (velocity, known))| {
            for (at, part) in whole.lines(shape, faces) {
                let place = multi_index(shape, at);
                let line: usize = (1..D).map(|axis| place[axis] * stride[axis]).sum();
                known[part.clone()].fill(false);
                for along in window.part_of_line(place, part.len()) {
                    let (face, x) = (part.start + along, place[0] + along);
                    if open[face] > 0.0 {
                        let (along, cell) = (if axis == 0 { x } else { place[axis] }, line + x);
                        let below = (along > 0).then(|| side(cell - stride[axis]));
                        let above = (along < cells[axis]).then(|| side(cell));
                        if let Some(gradient) = gradient(below, above, grid.spacing()) {
                            velocity[face] -= gradient;
                            known[face] = true;
                        }
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_reaches_to_the_surface_where_there_is_air() {
        let (deep, shallow, air) = (Some((-1.0, 4.0)), Some((-0.25, 1.0)), Some((0.75, 0.0)));
        assert_eq!(gradient(deep, shallow, 1.0), Some(-3.0));
        assert_eq!(gradient(shallow, air, 1.0), Some(-4.0)); // the surface is a quarter of a cell away
        assert_eq!(gradient(air, shallow, 1.0), Some(4.0));
        assert_eq!(gradient(shallow, Some((0.75, 3.0)), 1.0), Some(8.0)); // a bubble
        assert_eq!((gradient(air, None, 1.0), gradient(None, air, 1.0)), (None, None));
    }

    #[test]
    fn open_faces_of_the_liquid_are_updated_and_known_and_no_others() {
        let grid = Grid::<2>::unit(4).unwrap();
        let mut open: FaceField<f64, 2> = std::array::from_fn(|axis| CellField::filled(grid.faces(axis), 1.0));
        *open[0].at_mut([2, 1]) = 0.0;
        let liquid = CellField::from_fn(&grid, |cell| if cell == [1, 1] { -0.125 } else { 0.125 });
        let q = CellField::from_fn(&grid, |cell| if cell == [1, 1] { 1.0 } else { 0.0 });
        let mut velocity = std::array::from_fn(|axis| CellField::filled(grid.faces(axis), 0.0));
        let mut known = std::array::from_fn(|axis| CellField::filled(grid.faces(axis), true));
        update_velocity(&grid, &open, &liquid, &q, &mut velocity, &mut known, Window::whole(grid.cells()));
        assert_eq!((velocity[0].at([1, 1]), velocity[1].at([1, 1]), velocity[1].at([1, 2])), (-2.0, -2.0, 2.0));
        assert_eq!((velocity[0].at([2, 1]), known[0].at([2, 1])), (0.0, false), "closed");
        let count: usize = known.iter().map(|known| known.values().iter().filter(|known| **known).count()).sum();
        assert_eq!(count, 3);
    }
}
