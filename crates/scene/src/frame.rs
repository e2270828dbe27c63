//! One moment of a simulation, as pictures and files show it.

use unstick_grid::{CellField, Grid};
use unstick_liquid::Simulation;

/// What there is to see at one moment.
#[derive(Clone, Debug)]
pub struct Frame<const D: usize> {
    /// The lattice.
    pub grid: Grid<D>,
    /// Number of the frame, from 0.
    pub number: usize,
    /// Time in seconds.
    pub time: f64,
    /// Distance to the liquid at cell centres, negative inside.
    pub liquid: CellField<f64, D>,
    /// Distance to the solids at the nodes (one more than cells along each axis), negative inside.
    pub solid: CellField<f64, D>,
    /// Where the particles are.
    pub positions: Vec<[f64; D]>,
    /// How fast each of them is.
    pub speeds: Vec<f64>,
    /// Pressure in every cell, in pascals; zero outside the liquid.
    pub pressure: CellField<f64, D>,
    /// Cells whose wall has let go.
    pub separated: Vec<[usize; D]>,
}

impl<const D: usize> Frame<D> {
    /// What a simulation shows now.
    pub fn of(simulation: &Simulation<D>, number: usize) -> Self {
        let (setup, state) = (simulation.setup(), simulation.state());
        let speed = |velocity: &[f64; D]| velocity.iter().map(|value| value * value).sum::<f64>().sqrt();
        let mut pressure = state.pressure.clone();
        pressure.values_mut().iter_mut().for_each(|value| *value *= setup.density);
        Self {
            grid: setup.grid,
            number,
            time: state.time,
            liquid: state.liquid.clone(),
            solid: simulation.geometry().solid.clone(),
            positions: state.particles.position.clone(),
            speeds: state.particles.velocity.iter().map(speed).collect(),
            pressure,
            separated: setup.grid.iter().filter(|&cell| state.separated.at(cell)).collect(),
        }
    }

    /// Distance to what is liquid and neither solid nor beyond the border at the centre of a cell, negative inside.
    pub fn inside(&self, cell: [usize; D]) -> f64 {
        let corners = 1usize << D;
        let corner = |number: usize| std::array::from_fn(|axis| cell[axis] + (number >> axis & 1));
        let solid = (0..corners).map(|number| self.solid.at(corner(number))).sum::<f64>() / corners as f64;
        let cells = self.grid.cells();
        let layers = (0..D).map(|axis| cell[axis].min(cells[axis] - 1 - cell[axis])).min().unwrap_or(0);
        let border = (layers as f64 + 0.5) * self.grid.spacing();
        self.liquid.at(cell).max(-solid).max(-border)
    }
}
