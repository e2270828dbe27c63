//! What the page draws, as arrays of small numbers like those of a run's `view` folder.

use unstick_liquid::{Simulation, interpolate_cells, interpolate_velocity};

/// Distances are kept within so many cells, as in a run's `view` folder.
const REACH: f64 = 2.0;

/// What the page draws.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Arrays in the order of [`Picture::NAMES`], as bytes.
    pub arrays: [Vec<u8>; 8],
    /// What the largest byte of `speed` stands for, in m/s.
    pub fastest: f64,
    /// What the largest byte of `pressure` stands for, in pascals.
    pub highest: f64,
}

impl Picture {
    /// Positions of particles (16 bits), their speeds and pressures; distance to the liquid, speed and pressure of
    /// cells; distance to the solids at the nodes; cells whose wall has let go (16 bits).
    pub const NAMES: [&str; 8] =
        ["position", "particle_speed", "particle_pressure", "liquid", "speed", "pressure", "solid", "separated"];

    /// What there is to see of a simulation; bytes are relative to `fastest` and `highest`.
    pub fn of(simulation: &Simulation<2>, fastest: f64, highest: f64) -> Self {
        let (setup, state) = (simulation.setup(), simulation.state());
        let grid = setup.grid;
        let size = grid.cells().map(|count| count as f64 * grid.spacing());
        let place = |point: &[f64; 2]| {
            let part = |axis: usize| (point[axis] - grid.origin()[axis]) / size[axis];
            [part(0), part(1)].map(|part| (part * f64::from(u16::MAX)).round() as u16)
        };
        let particles = &state.particles;
        let speed = |[x, y]: [f64; 2]| x.hypot(y) / fastest;
        let pressure = |value: f64| value * setup.density / highest;
        let cell_speed = |cell| match state.liquid.at(cell) < grid.spacing() {
            true => speed(interpolate_velocity(&grid, &state.velocity, grid.centre(cell))),
            false => 0.0,
        };
        let distance = |value: &f64| 0.5 + 0.5 * value / (REACH * grid.spacing());
        let separated = grid.iter().filter(|&cell| state.separated.at(cell));
        let arrays = [
            words(particles.position.iter().flat_map(place)),
            bytes(particles.velocity.iter().map(|&velocity| speed(velocity))),
            bytes(particles.position.iter().map(|&point| pressure(interpolate_cells(&grid, &state.pressure, point)))),
            bytes(state.liquid.values().iter().map(distance)),
            bytes(grid.iter().map(cell_speed)),
            bytes(state.pressure.values().iter().map(|&value| pressure(value))),
            bytes(simulation.geometry().solid.values().iter().map(distance)),
            words(separated.flatten().map(|index| index as u16)),
        ];
        Self { arrays, fastest, highest }
    }
}

fn bytes(parts: impl Iterator<Item = f64>) -> Vec<u8> {
    parts.map(|part| (part * 255.0).round() as u8).collect()
}

fn words(values: impl Iterator<Item = u16>) -> Vec<u8> {
    values.flat_map(u16::to_le_bytes).collect()
}
