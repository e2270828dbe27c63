//! What a simulation holds, as the files of the trade want it.

use unstick_files::vdb::{self, Liquid};
use unstick_files::{Fields, Points, Surface};
use unstick_grid::CellField;
use unstick_liquid::interpolate_velocity;

use super::Shot;
use crate::frame::Frame;
use crate::output::VdbOptions;

/// The particles, or one of `thin`.
pub(super) fn points<'a, const D: usize>(shot: &Shot<'a, D>, thin: usize) -> Points<'a, D> {
    let particles = &shot.simulation.state().particles;
    Points { time: shot.frame.time, position: &particles.position, velocity: &particles.velocity, thin }
}

/// Liquid distance, pressure, separated cells and velocity in the cells; solid distance at the nodes.
pub(super) fn fields<'a, const D: usize>(shot: &Shot<'a, D>) -> Fields<'a, D> {
    let (frame, state) = (shot.frame, shot.simulation.state());
    let single = |field: &CellField<f64, D>| field.values().iter().map(|&value| value as f32).collect();
    let separated = state.separated.values().iter().map(|&separated| f32::from(u8::from(separated))).collect();
    Fields {
        time: frame.time,
        grid: frame.grid,
        cells: vec![("liquid", single(&frame.liquid)), ("pressure", single(&frame.pressure)), ("separated", separated)],
        velocity: &state.velocity,
        nodes: vec![("solid", &frame.solid)],
    }
}

/// Distance to what is liquid and not solid, at cell centres.
pub fn liquid_distance(frame: &Frame<3>) -> CellField<f64, 3> {
    CellField::from_fn(&frame.grid, |cell| frame.inside(cell))
}

/// The boundary of what is liquid and not solid, closed where liquid meets the border.
pub fn surface_of(frame: &Frame<3>) -> Surface {
    Surface::of_distance(&frame.grid, &liquid_distance(frame), frame.time)
}

/// The same with velocities.
pub fn surface(shot: &Shot<'_, 3>) -> Surface {
    let velocity = &shot.simulation.state().velocity;
    surface_of(shot.frame).with_velocity(|point| interpolate_velocity(&shot.frame.grid, velocity, point))
}

/// The file of OpenVDB.
pub(super) fn vdb(shot: &Shot<'_, 3>, options: &VdbOptions) -> Vec<u8> {
    let liquid = Liquid {
        frame: shot.frame.number,
        time: shot.frame.time,
        grid: shot.frame.grid,
        distance: &liquid_distance(shot.frame),
        velocity: &shot.simulation.state().velocity,
        pressure: &shot.frame.pressure,
    };
    vdb::liquid(&liquid, &options.grids, options.precision)
}
