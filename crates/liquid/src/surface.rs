//! Particles → liquid distance, by way of their density.
//!
//! Every particle spreads its share of a full cell over the cell centres around it with linear
//! weights. Divided by what would be there if all open space were full, this is 1 inside, 0 outside
//! and ½ at the surface, wherever the particles happen to lie in their cells; half a space of
//! liquid gives 1 − ½(1 − d/h)² at depth d, which is inverted for the distance. Unlike a union of
//! balls, the surface is not blown up by a radius, and a single particle of spray makes no liquid.

use unstick_grid::{CellField, Grid};

use crate::cells::fill;
use crate::particles::Particles;
use crate::particles::gather::add_by_slabs;
use crate::solids::Geometry;

/// Below this part of open space around a cell centre the density says nothing.
pub(crate) const TOO_CLOSED: f64 = 0.1;

/// Density of the particles relative to full cells, at cell centres.
pub(crate) fn measure_density<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    particles: &Particles<D>,
    starts: &[u32],
    per_cell: usize,
    density: &mut CellField<f64, D>,
) {
    let shape = grid.cells();
    density.values_mut().fill(0.0);
    add_by_slabs(grid, starts, shape, density.values_mut(), |particle, base, piece| {
        let place = grid.in_cells(particles.position[particle]);
        // Beyond the border of the grid the liquid is mirrored: the outer half of a border cell is all its own.
        let (mut low, mut high, mut part) = ([0; D], [0; D], [0.0; D]);
        let mut stride = 1;
        for axis in 0..D {
            let beyond = (place[axis] - 0.5).clamp(0.0, (shape[axis] - 1) as f64);
            let cell = beyond as usize;
            part[axis] = beyond - cell as f64;
            low[axis] = cell * stride;
            high[axis] = (cell + 1).min(shape[axis] - 1) * stride;
            stride *= shape[axis];
        }
        for choice in 0..1usize << D {
            let (mut weight, mut index) = (1.0, 0);
            for axis in 0..D {
                let is_upper = choice >> axis & 1 == 1;
                weight *= if is_upper { part[axis] } else { 1.0 - part[axis] };
                index += if is_upper { high[axis] } else { low[axis] };
            }
            piece[index - base] += weight;
        }
    });
    let share = 1.0 / per_cell as f64;
    fill(density, |cell, value| *value *= share / geometry.space.at(cell).max(TOO_CLOSED));
}

/// Distance to the liquid at cell centres from the density, exact for plane surfaces within a cell
/// of them, and extended into solids so that the surface meets walls at a right angle.
pub(crate) fn track<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    density: &CellField<f64, D>,
    liquid: &mut CellField<f64, D>,
) {
    let spacing = grid.spacing();
    let of_density = |density: f64| {
        let density = density.clamp(0.0, 1.0);
        let depth = if density > 0.5 { 1.0 - (2.0 * (1.0 - density)).sqrt() } else { (2.0 * density).sqrt() - 1.0 };
        -spacing * depth
    };
    fill(liquid, |cell, value| {
        *value = if geometry.space.at(cell) > TOO_CLOSED {
            of_density(density.at(cell))
        } else {
            let neighbours = (0..2 * D).filter_map(|side| grid.neighbour(cell, side / 2, side % 2 == 1));
            let informed = neighbours.filter(|&other| geometry.space.at(other) > TOO_CLOSED);
            informed.map(|other| of_density(density.at(other))).fold(spacing, f64::min)
        };
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Setup, Simulation};
    use unstick_grid::SignedDistance;

    /// A tank filled to any height: the surface is found where it is.
    #[test]
    fn a_plane_surface_is_found_exactly() {
        for (height, tolerance) in [(0.5, 1e-9), (0.53125, 1e-9), (0.59375, 1e-9), (0.55, 0.3 / 16.0)] {
            let grid = Grid::<2>::unit(16).unwrap();
            let tank = SignedDistance::cuboid([0.0, 0.0], [1.0, height]);
            let simulation = Simulation::new(Setup::new(grid), &tank).unwrap();
            let liquid = &simulation.state().liquid;
            for cell in [[5, 7], [5, 8], [0, 8], [15, 8]] {
                let exact = grid.centre(cell)[1] - height;
                if exact.abs() < grid.spacing() {
                    assert!(
                        (liquid.at(cell) - exact).abs() < tolerance,
                        "{height} {cell:?}: {} for {exact}",
                        liquid.at(cell)
                    );
                }
            }
        }
    }
}
