//! What a simulation holds, as the files of the trade want it.

use unstick_files::vdb::{self, Liquid};
use unstick_files::{Fields, Points, Surface};
use unstick_grid::{CellField, sample_cells};
use unstick_liquid::sample_velocity;

use super::Shot;
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
pub fn liquid_distance(shot: &Shot<'_, 3>) -> CellField<f64, 3> {
    let (grid, geometry) = (shot.frame.grid, shot.simulation.geometry());
    let mut distance = sample_cells(&grid, |point| -geometry.distance(&grid, point));
    distance
        .values_mut()
        .iter_mut()
        .zip(shot.frame.liquid.values())
        .for_each(|(value, &liquid)| *value = value.max(liquid));
    distance
}

/// The boundary of what is liquid and not solid, closed where liquid meets the border, with velocities.
pub fn surface(shot: &Shot<'_, 3>) -> Surface {
    let (grid, velocity) = (shot.frame.grid, &shot.simulation.state().velocity);
    Surface::of_distance(&grid, &liquid_distance(shot), shot.frame.time)
        .with_velocity(|point| sample_velocity(&grid, velocity, point))
}

/// The file of OpenVDB.
pub(super) fn vdb(shot: &Shot<'_, 3>, options: &VdbOptions) -> Vec<u8> {
    let liquid = Liquid {
        frame: shot.frame.number,
        time: shot.frame.time,
        grid: shot.frame.grid,
        distance: &liquid_distance(shot),
        velocity: &shot.simulation.state().velocity,
        pressure: &shot.frame.pressure,
    };
    vdb::liquid(&liquid, &options.grids, options.precision)
}
