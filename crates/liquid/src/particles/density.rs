//! Particles → density at cell centres.

use unstick_grid::{CellField, Grid};
use unstick_parallel::{self as parallel, simd::vectorised};

use super::Particles;
use super::hats::{NO_AXIS, across, hats, rows_around};
use super::tiles::{Tile, add_by_tiles};
use crate::cells::fill_by_number;
use crate::solids::Geometry;
use crate::surface::TOO_CLOSED;

/// Density of the particles relative to full cells, at cell centres.
pub(crate) fn measure<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    particles: &Particles<D>,
    starts: &[u32],
    per_cell: usize,
    density: &mut CellField<f64, D>,
) {
    let shape = grid.cells();
    parallel::for_each(density.values_mut(), |density| density.fill(0.0));
    add_by_tiles(grid, starts, [shape], [density.values_mut()], |first, tile| {
        vectorised(
            #[inline(always)]
            || {
                // The last number says how many rows of cells lie around one.
                if D == 3 {
                    add_to_density::<D, 9>(grid, &particles.position, starts, first, tile);
                } else {
                    add_to_density::<D, 3>(grid, &particles.position, starts, first, tile);
                }
            },
        );
    });
    let share = 1.0 / per_cell as f64;
    let space = geometry.space.values();
    fill_by_number(density, |cell, value| *value *= share / space[cell].max(TOO_CLOSED));
}

/// Adds the particles of a row of cells to the cells around them. Beyond the border of the grid the liquid is mirrored: the
/// outer half of a border cell is all its own.
#[inline(always)]
fn add_to_density<const D: usize, const ROWS: usize>(
    grid: &Grid<D>,
    position: &[[f64; D]],
    starts: &[u32],
    first: [usize; D],
    tile: &mut Tile<'_, f64, D, 1>,
) {
    let rows = rows_around::<D, NO_AXIS, ROWS>(grid.cells(), first);
    let starts = &starts[grid.index(first)..][..=grid.cells()[0]];
    tile.with_rows(
        0,
        rows,
        #[inline(always)]
        |rows| {
            let mut cell = first.map(|place| place as f64);
            for x in 0..starts.len() - 1 {
                let points = &position[starts[x] as usize..starts[x + 1] as usize];
                if points.is_empty() {
                    continue;
                }
                cell[0] = x as f64;
                // The sums of a cell stay in registers, of which each has room for four.
                let mut sums = [[0.0; 4]; ROWS];
                for &point in points {
                    let hats = hats::<D, NO_AXIS>(grid, point, cell);
                    let [before, own, behind] = hats[0];
                    let along = [before, own, behind, 0.0];
                    for row in 0..ROWS {
                        let weight = across::<D, NO_AXIS>(&hats, row);
                        for lane in 0..4 {
                            sums[row][lane] += weight * along[lane];
                        }
                    }
                }
                for row in 0..ROWS {
                    add_to_cells(rows[row], x, sums[row]);
                }
            }
        },
    );
}

/// Adds the sums of a cell to the cells of a row: of the cell before, the cell itself and the one behind. The fourth is zero.
#[inline(always)]
fn add_to_cells(row: &mut [f64], x: usize, sums: [f64; 4]) {
    let first = x.wrapping_sub(1);
    match row.get_mut(first..first.wrapping_add(4)) {
        Some(cells) => cells.iter_mut().zip(sums).for_each(|(cell, sum)| *cell += sum),
        // At the border, beyond which nothing counts.
        None => {
            for (number, sum) in sums[..3].iter().enumerate() {
                if let Some(cell) = row.get_mut(first.wrapping_add(number)) {
                    *cell += sum;
                }
            }
        }
    }
}
