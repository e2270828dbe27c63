//! What the liquid does to a body.

use nalgebra::Vector6;
use rayon::prelude::*;
use unstick_grid::{CellField, FaceField};

use super::{FlowBody, HeldFace, HeldFaces};
use crate::tensor::{TensorGrid, place_of};
use crate::twist::basis;

/// Force and torque about the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Force<const D: usize> {
    /// Force; in the plane, per depth.
    pub force: [f64; D],
    /// Torque; in the plane only the last part is used.
    pub torque: [f64; 3],
}

impl<const D: usize> Force<D> {
    pub(crate) fn from_vector(vector: &Vector6<f64>) -> Self {
        Self { force: std::array::from_fn(|axis| vector[axis]), torque: std::array::from_fn(|axis| vector[3 + axis]) }
    }
}

/// Momentum that each body takes from the liquid, divided by density: the defect of the momentum equation on the
/// faces that the body holds.
///
/// `residual` is the left of the momentum equation less its right, pressure included. The result contains what the
/// liquid inside takes; the caller accounts for that.
pub(crate) fn exchange<const D: usize>(
    held_faces: &HeldFaces<D>,
    velocity: &FaceField<f64, D>,
    residual: impl Fn(usize, [usize; D]) -> f64 + Sync,
    viscosity: impl Fn(&HeldFace<D>) -> f64 + Sync,
    twists: &[Vector6<f64>],
) -> Vec<Vector6<f64>> {
    let of_body = |body: usize| {
        let mut taken = Vector6::zeros();
        for held in &held_faces.inside[body] {
            taken -= held.basis * residual(held.component, held.place);
        }
        for held in &held_faces.cut[body] {
            let slip = velocity[held.component].values()[held.index] - held.basis.dot(&twists[body]);
            taken += held.basis * (viscosity(held) * held.drag * slip);
        }
        taken
    };
    (0..held_faces.inside.len()).into_par_iter().map(of_body).collect()
}

/// Force and torque as the volume integral −∫ σ·∇α over the cells that the surface cuts \[Turek2012\], divided by
/// density. α falls from 1 to 0 between one and three cells outside of the body, because differences of the velocity
/// nearer to it reach into the body. So the force is that on the body with a cell of liquid around it.
pub fn stress_force<const D: usize>(
    grid: &TensorGrid<D>,
    velocity: &FaceField<f64, D>,
    pressure: &CellField<f64, D>,
    viscosity: f64,
    body: &FlowBody<D>,
) -> Force<D> {
    let cells = grid.cells();
    let step = grid.axis(0).width(grid.axis(0).cell_at(body.centre[0]));
    let span: [[usize; 2]; D] = std::array::from_fn(|axis| {
        let reach = body.reach + 4.0 * step;
        let cell_at = |place: f64| grid.axis(axis).cell_at(place);
        [cell_at(body.centre[axis] - reach), (cell_at(body.centre[axis] + reach) + 1).min(cells[axis])]
    });
    let extents: [usize; D] = std::array::from_fn(|axis| span[axis][1] - span[axis][0]);
    let mut total = Vector6::zeros();
    for number in 0..extents.iter().product::<usize>() {
        let offset = place_of(extents, number);
        let cell: [usize; D] = std::array::from_fn(|axis| span[axis][0] + offset[axis]);
        let centre = grid.centre(cell);
        // −dα/dd of a cosine that falls from 1 to 0.
        let part = (body.shape.at(centre) / step - 1.0) / 2.0;
        if !(0.0..1.0).contains(&part) {
            continue;
        }
        let density = 0.5 * std::f64::consts::PI * (std::f64::consts::PI * part).sin() / (2.0 * step);
        let volume: f64 = (0..D).map(|axis| grid.axis(axis).width(cell[axis])).product();
        let normal = body.shape.gradient(centre, 0.1 * step);
        let gradient = velocity_gradient(grid, velocity, cell);
        let offset: [f64; D] = std::array::from_fn(|axis| centre[axis] - body.centre[axis]);
        for row in 0..D {
            let viscous: f64 =
                (0..D).map(|column| viscosity * (gradient[row][column] + gradient[column][row]) * normal[column]).sum();
            let traction = viscous - pressure.at(cell) * normal[row];
            total += basis(row, offset) * (traction * density * volume);
        }
    }
    Force::from_vector(&total)
}

/// ∂u_row/∂x_column at the centre of a cell, one-sided at the border of the domain.
pub(crate) fn velocity_gradient<const D: usize>(
    grid: &TensorGrid<D>,
    velocity: &FaceField<f64, D>,
    cell: [usize; D],
) -> [[f64; D]; D] {
    let cells = grid.cells();
    let at_centre = |component: usize, cell: [usize; D]| {
        let mut above = cell;
        above[component] += 1;
        0.5 * (velocity[component].at(cell) + velocity[component].at(above))
    };
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let widths = grid.axis(column);
            let (mut below, mut above) = (cell, cell);
            if row == column {
                above[row] += 1;
                return (velocity[row].at(above) - velocity[row].at(cell)) / widths.width(cell[row]);
            }
            below[column] = cell[column].saturating_sub(1);
            above[column] = (cell[column] + 1).min(cells[column] - 1);
            (at_centre(row, above) - at_centre(row, below))
                / (widths.centre(above[column]) - widths.centre(below[column]))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::even_square;

    #[test]
    fn a_constant_pressure_and_a_rigid_rotation_exert_no_force() {
        let discrete = even_square(32);
        let body = FlowBody::ball([0.5, 0.5], 0.2);
        let mut velocity = discrete.zero_faces();
        for component in 0..2 {
            let shape = velocity[component].shape();
            for (i, j) in (0..shape[1]).flat_map(|j| (0..shape[0]).map(move |i| (i, j))) {
                let at = discrete.grid.face_centre(component, [i, j]);
                *velocity[component].at_mut([i, j]) = if component == 0 { 0.5 - at[1] } else { at[0] - 0.5 };
            }
        }
        let pressure = CellField::of_shape(discrete.grid.cells(), |_| 3.0);
        let found = stress_force(&discrete.grid, &velocity, &pressure, 0.1, &body);
        assert!(found.force.iter().chain(&found.torque).all(|value| value.abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn a_linear_pressure_pushes_with_its_slope_times_the_volume() {
        let discrete = even_square(64);
        let body = FlowBody::ball([0.5, 0.5], 0.2);
        let pressure = CellField::of_shape(discrete.grid.cells(), |cell| discrete.grid.centre(cell)[0]);
        let found = stress_force(&discrete.grid, &discrete.zero_faces(), &pressure, 0.1, &body);
        // The volume is that of the body with the shell in which α falls, two cells on average.
        let expected = -super::super::ball_volume::<2>(0.2 + 2.0 / 64.0);
        assert!((found.force[0] / expected - 1.0).abs() < 0.01 && found.force[1].abs() < 1e-12, "{found:?} {expected}");
    }
}
