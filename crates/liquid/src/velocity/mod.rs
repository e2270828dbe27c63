//! Velocity at faces: between them, beyond the liquid, and carried by itself.

mod extrapolate;
mod interpolate;

pub use interpolate::{interpolate_cells, interpolate_velocity};

pub(crate) use extrapolate::{Spray, carry_outwards, constrain, extrapolate, faces_near};
pub(crate) use interpolate::{
    FaceReader, GROUP, Group, by_axis, by_point, gradient_of_nodes, in_faces, interpolate_nodes, locate,
};

use unstick_grid::{FaceField, Grid};

use crate::cells::fill;
use crate::particles::trace::follow;

/// Gives every face the velocity of the liquid that arrives there.
pub(crate) fn advect<const D: usize>(
    grid: &Grid<D>,
    before: &FaceField<f64, D>,
    dt: f64,
    after: &mut FaceField<f64, D>,
) {
    let before = FaceReader::new(grid, before);
    for axis in 0..D {
        fill(&mut after[axis], |face, value| {
            let [origin] = follow(&before, [grid.face_centre(axis, face)], -dt);
            let [found] = by_point(before.at(by_axis([origin])));
            *value = found[axis];
        });
    }
}
