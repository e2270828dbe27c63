//! What the page draws: arrays of small numbers, as in the `view` folder of a run.

use unstick_liquid::{Simulation, interpolate_cells, interpolate_velocity};

/// Distances are stored up to this many cells, as in the `view` folder of a run.
const REACH: f64 = 2.0;

/// What the page draws.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Arrays in the order of [`Picture::NAMES`], as bytes.
    pub arrays: [Vec<u8>; 8],
    /// The speed of byte 255, in m/s.
    pub fastest: f64,
    /// The pressure of byte 255, in pascals.
    pub highest: f64,
}

impl Picture {
    /// The names of the arrays.
    ///
    /// Particles have positions (16 bits), speeds and pressures. Cells have distances to the liquid, speeds and
    /// pressures. Nodes have distances to the solids. `separated` lists cells whose wall has let go (16 bits).
    pub const NAMES: [&str; 8] =
        ["position", "particle_speed", "particle_pressure", "liquid", "speed", "pressure", "solid", "separated"];

    /// The picture of a simulation. `fastest` and `highest` are the speed and pressure of byte 255.
    pub fn of(simulation: &Simulation<2>, fastest: f64, highest: f64) -> Self {
        let (setup, state) = (simulation.setup(), simulation.state());
        let grid = setup.grid;
        let size = grid.cells().map(|count| count as f64 * grid.spacing());
        let position = |point: &[f64; 2]| {
            let fraction = |axis: usize| (point[axis] - grid.origin()[axis]) / size[axis];
            [fraction(0), fraction(1)].map(|fraction| (fraction * f64::from(u16::MAX)).round() as u16)
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
            words(particles.position.iter().flat_map(position)),
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

/// Fractions as bytes; fractions outside of [0, 1] are clamped.
fn bytes(fractions: impl Iterator<Item = f64>) -> Vec<u8> {
    fractions.map(|fraction| (fraction * 255.0).round() as u8).collect()
}

fn words(values: impl Iterator<Item = u16>) -> Vec<u8> {
    values.flat_map(u16::to_le_bytes).collect()
}
