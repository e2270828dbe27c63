//! What a frame holds, as file formats want it.

use unstick_files::vdb::{self, Liquid};
use unstick_files::{Fields, Points, Surface};
use unstick_grid::CellField;
use unstick_liquid::interpolate_velocity;

use crate::frame::Frame;
use crate::output::VdbOptions;

/// The particles, or one of `thin`.
pub(super) fn points<const D: usize>(frame: &Frame<D>, thin: usize) -> Points<'_, D> {
    Points { time: frame.time, position: &frame.positions, velocity: &frame.velocities, thin }
}

/// Liquid distance, pressure, separated cells and velocity in the cells; solid distance at the nodes.
pub(super) fn fields<const D: usize>(frame: &Frame<D>) -> Fields<'_, D> {
    let single = |field: &CellField<f64, D>| field.values().iter().map(|&value| value as f32).collect();
    let separated = frame.separated_cells().values().iter().map(|&separated| f32::from(u8::from(separated))).collect();
    Fields {
        time: frame.time,
        grid: frame.grid,
        cells: vec![("liquid", single(&frame.liquid)), ("pressure", single(&frame.pressure)), ("separated", separated)],
        velocity: &frame.velocity,
        nodes: vec![("solid", &frame.solid)],
    }
}

/// Distance to what is liquid and not solid, at cell centres.
pub fn liquid_distance(frame: &Frame<3>) -> CellField<f64, 3> {
    CellField::from_fn(&frame.grid, |cell| frame.inside(cell))
}

/// The boundary of what is liquid and not solid, closed where liquid meets the border. A viscous flow fills its box:
/// its surface is that of the bodies in it.
pub fn surface_of(frame: &Frame<3>) -> Surface {
    match &frame.flow {
        Some(_) => Surface::of_nodes(&frame.grid, &frame.solid, frame.time),
        None => Surface::of_distance(&frame.grid, &liquid_distance(frame), frame.time),
    }
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
