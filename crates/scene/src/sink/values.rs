//! What a frame holds, as file formats want it.

use unstick_files::vdb::{self, Liquid};
use unstick_files::{Fields, Points, Surface};
use unstick_grid::vector::minus;
use unstick_grid::{CellField, Grid, sample, sample_nodes};
use unstick_liquid::interpolate_velocity;

use crate::frame::Frame;
use crate::output::VdbOptions;

/// The particles, or one of `thin`: always the same ones.
pub(super) fn points<const D: usize>(frame: &Frame<D>, thin: usize) -> Points<'_, D> {
    Points { time: frame.time, position: &frame.positions, velocity: &frame.velocities, id: &frame.ids, thin }
}

/// The fields of cells beside the velocity, in their order.
pub(super) const CELL_FIELDS: [&str; 3] = ["liquid", "pressure", "separated"];

/// The fields of nodes.
pub(super) const NODE_FIELDS: [&str; 1] = ["solid"];

/// Liquid distance, pressure, separated cells and velocity in the cells; solid distance at the nodes.
pub(super) fn fields<const D: usize>(frame: &Frame<D>) -> Fields<'_, D> {
    let single = |field: &CellField<f64, D>| field.values().iter().map(|&value| value as f32).collect();
    let separated = frame.separated_cells().values().iter().map(|&separated| f32::from(u8::from(separated))).collect();
    Fields {
        time: frame.time,
        grid: frame.grid,
        cells: CELL_FIELDS.into_iter().zip([single(&frame.liquid), single(&frame.pressure), separated]).collect(),
        velocity: &frame.velocity,
        nodes: NODE_FIELDS.into_iter().zip([&frame.solid]).collect(),
    }
}

/// Distance to what is liquid and not solid, at cell centres.
pub fn liquid_distance(frame: &Frame<3>) -> CellField<f64, 3> {
    sample(frame.grid.cells(), |cell| frame.inside(cell))
}

/// The boundary of what is liquid and not solid, closed where liquid meets the border. A viscous flow fills its box:
/// its surface is that of the bodies in it.
pub fn surface_of(frame: &Frame<3>) -> Surface {
    match &frame.flow {
        Some(_) => surface_of_bodies(frame),
        None => Surface::of_distance(&frame.grid, &liquid_distance(frame), frame.time),
    }
}

/// Cells across a body that is meshed. Surface nets lose about (h/R)² of a ball of radius R: 0.7 %.
const ACROSS_BODY: f64 = 24.0;

/// Cells for all bodies together. Many bodies get fewer cells each.
const CELLS_FOR_BODIES: f64 = 4e6;

/// The bodies, each on a lattice of its own: that of the flow may be as coarse as they are large.
fn surface_of_bodies(frame: &Frame<3>) -> Surface {
    let across = (CELLS_FOR_BODIES / frame.bodies.len() as f64).cbrt().min(ACROSS_BODY);
    let mut all = Surface { time: frame.time, ..Surface::default() };
    for body in &frame.bodies {
        let (lower, upper) = body.bounds();
        let size = minus(upper, lower);
        let spacing = (size.into_iter().fold(0.0, f64::max) / across).min(frame.grid.spacing());
        let cells = size.map(|length| (length / spacing).ceil() as usize + 2);
        if let Ok(around) = Grid::new(cells, spacing, lower.map(|place| place - spacing)) {
            let distance = sample_nodes(&around, |point| body.distance(point));
            all.append(Surface::of_nodes(&around, &distance, frame.time));
        }
    }
    all
}

/// The same with velocities.
pub fn surface(frame: &Frame<3>) -> Surface {
    surface_of(frame).with_velocity(|point| interpolate_velocity(&frame.grid, &frame.velocity, point))
}

/// The file of OpenVDB.
pub(super) fn vdb(frame: &Frame<3>, options: &VdbOptions) -> Vec<u8> {
    let liquid = Liquid {
        frame: frame.number,
        time: frame.time,
        grid: frame.grid,
        distance: &liquid_distance(frame),
        velocity: &frame.velocity,
        pressure: &frame.pressure,
    };
    vdb::liquid(&liquid, &options.grids, options.precision)
}
