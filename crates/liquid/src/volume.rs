//! The volume of the liquid, as it is measured.
//!
//! Particles are the liquid. None comes or goes by itself, so their number times their share of a cell is the volume
//! that there should be. How tightly they lie can drift: two particles in one place fill the space of one. So the volume
//! that is measured is the space that they fill. It includes films thinner than a cell and leaves out what is crowded.

use unstick_grid::{CellField, Grid};
use unstick_mlcp::fields::Window;

use crate::cells::{multi_index, strides};
use crate::setup::Setup;
use crate::share::{Places, Share, lines_of, places_inside, sum_of_lines};
use crate::solids::Geometry;

/// Deviations of the density up to this are noise of the particles' places.
pub(crate) const NOISE: f64 = 0.25;

/// The space that the particles fill.
///
/// Every block of two cells along each axis counts its particles, but no more than there is room for and the noise.
pub(crate) fn measure<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    share: Option<&Share<D>>,
    starts: &[u32],
) -> f64 {
    let (cells, stride) = (setup.grid.cells(), strides(setup.grid.cells()));
    let (full, open) = (setup.particles_per_cell() as f64, geometry.cell_open.values());
    let blocks = cells.map(|count| count.div_ceil(2));
    // The cells of a block: pieces of lines along the first axis, two in the plane, four in space.
    let filled = |block: [usize; D]| {
        let along = 2 * block[0]..(2 * block[0] + 2).min(cells[0]);
        let (mut present, mut room) = (0, 0.0);
        for choice in 0..1usize << (D - 1) {
            let (mut line, mut is_inside) = (0, true);
            for axis in 1..D {
                let place = 2 * block[axis] + (choice >> (axis - 1) & 1);
                line += place * stride[axis];
                is_inside &= place < cells[axis];
            }
            if is_inside {
                present += starts[line + along.end] - starts[line + along.start];
                open[line + along.start..line + along.end].iter().for_each(|open| room += full * open);
            }
        }
        f64::from(present).min((1.0 + NOISE) * room)
    };
    let lines = lines_of(blocks, places_inside(share, Places::CELLS.of_blocks(2), blocks));
    let [sum] = sum_of_lines(share, &lines, |line| {
        let mut block = multi_index(blocks, line * blocks[0]);
        let of_line = (0..blocks[0]).map(|along| {
            block[0] = along;
            filled(block)
        });
        [of_line.sum()]
    });
    sum / full * setup.grid.spacing().powi(D as i32)
}

/// Volume inside the surface and outside of solids.
///
/// The cube between neighbouring cell centres counts by the part Σ(−φ)⁺/Σ|φ| of it that is inside,
/// exact for plane surfaces along the axes, times the part of it that is open.
pub(crate) fn measure_surface<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    share: Option<&Share<D>>,
    liquid: &CellField<f64, D>,
) -> f64 {
    let (cells, stride) = (grid.cells(), strides(grid.cells()));
    let solid = geometry.solid.values();
    let shape = geometry.solid.shape();
    let liquid = liquid.values();
    // In a closed cell the distance goes on behind the wall. At the wall itself it is less by the depth of the cell.
    let closed = geometry.cell_open.values();
    let value = |cell: usize| match closed[cell] == 0.0 && liquid[cell] < 0.0 {
        true => (liquid[cell] - geometry.distance(grid, grid.centre(multi_index(cells, cell)))).min(0.0),
        false => liquid[cell],
    };
    // Elsewhere nothing is inside.
    let near = (0..D).fold(Window::around_negative(cells, liquid), |near, axis| near.widened(axis, 0, 1, shape));
    let lines = lines_of(shape, places_inside(share, Places::NODES, shape));
    let [sum] = sum_of_lines(share, &lines, |line| {
        let (mut sum, mut depths) = (0.0, Vec::new());
        let part = line * shape[0]..(line + 1) * shape[0];
        let node = multi_index(shape, part.start);
        let within = near.part_of_line(node, part.len());
        if !within.is_empty() {
            // The lines of cells around this line of nodes, two in the plane, four in space: what each place adds.
            let (first, last) = (node[0] + within.start, node[0] + within.end);
            let (first_cell, end_cell) = (first.saturating_sub(1), last.min(cells[0]));
            depths.clear();
            depths.resize(end_cell - first_cell, [0.0; 2]);
            for choice in 0..1usize << (D - 1) {
                let mut line = first_cell;
                for axis in 1..D {
                    let place = (node[axis] + (choice >> (axis - 1) & 1)).saturating_sub(1);
                    line += place.min(cells[axis] - 1) * stride[axis];
                }
                for ([inside, all], cell) in depths.iter_mut().zip(line..) {
                    let distance = value(cell);
                    *inside += (-distance).max(0.0);
                    *all += distance.abs();
                }
            }
            for (x, distance) in (first..last).zip(&solid[part][within]) {
                let open = (0.5 + distance / grid.spacing()).clamp(0.0, 1.0);
                let [below, above] = [x.saturating_sub(1), x.min(cells[0] - 1)].map(|cell| depths[cell - first_cell]);
                let inside = below[0] + above[0];
                if inside > 0.0 {
                    sum += open * inside / (below[1] + above[1]);
                }
            }
        }
        [sum]
    });
    sum * grid.spacing().powi(D as i32)
}

#[cfg(test)]
mod tests {
    use unstick_grid::SignedDistance;

    use super::*;
    use crate::Simulation;

    fn tank(height: f64) -> Simulation<2> {
        let setup = Setup::new(Grid::<2>::unit(8).unwrap());
        Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0, height])).unwrap()
    }

    #[test]
    fn a_layer_of_liquid_adds_its_volume() {
        let [low, high] = [0.5, 0.75].map(tank);
        assert_eq!((low.volume(), high.volume()), (0.5, 0.75));
        assert!((high.surface_volume() - low.surface_volume() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn particles_in_one_place_fill_little_more_space_than_there_is() {
        let mut setup = Setup::new(Grid::<2>::unit(6).unwrap());
        setup.particles_per_axis = 1;
        // Forty particles in a block of four cells in the middle.
        let crowded = setup.grid.index([2, 2]);
        let starts: Vec<u32> = (0..=36).map(|cell| if cell <= crowded { 0 } else { 40 }).collect();
        let volume = measure(&setup, &Geometry::at(&setup, 0.0), None, &starts);
        assert!((volume - (1.0 + NOISE) * 4.0 / 36.0).abs() < 1e-12, "{volume}");
    }
}
