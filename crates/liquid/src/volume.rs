//! The volume of the liquid, as it is measured.
//!
//! Particles are the liquid. None comes or goes by itself, so their number times their share of a cell is the volume
//! that there should be. How tightly they lie can drift: two particles in one place fill the space of one. So the volume
//! that is measured is the space that they fill. It includes films thinner than a cell and leaves out what is crowded.

use std::ops::Range;

use unstick_grid::{CellField, Grid};
use unstick_mlcp::fields::Window;
use unstick_parallel as parallel;

use crate::cells::{fill, multi_index, strides};
use crate::setup::Setup;
use crate::solids::Geometry;

/// Deviations of the density up to this are noise of the particles' places.
const NOISE: f64 = 0.25;

/// Particles in blocks of two cells along each axis, and how many fill their open part.
struct Blocks<const D: usize> {
    present: CellField<f64, D>,
    room: CellField<f64, D>,
}

impl<const D: usize> Blocks<D> {
    fn count(setup: &Setup<D>, geometry: &Geometry<D>, starts: &[u32]) -> Self {
        let (cells, stride) = (setup.grid.cells(), strides(setup.grid.cells()));
        let full = setup.particles_per_cell() as f64;
        // The cells of a block: pieces of lines along the first axis, two in the plane, four in space.
        let pieces_of = |block: [usize; D]| {
            let along = 2 * block[0]..(2 * block[0] + 2).min(cells[0]);
            (0..1usize << (D - 1)).filter_map(move |choice| {
                let place = |axis: usize| 2 * block[axis] + (choice >> (axis - 1) & 1);
                let line: usize = (1..D).map(|axis| place(axis) * stride[axis]).sum();
                (1..D).all(|axis| place(axis) < cells[axis]).then(|| line + along.start..line + along.end)
            })
        };
        let mut present = CellField::filled(cells.map(|count| count.div_ceil(2)), 0.0);
        let mut room = present.clone();
        let particles = |piece: Range<usize>| f64::from(starts[piece.end] - starts[piece.start]);
        let open = geometry.cell_open.values();
        fill(&mut present, |block, present| *present = pieces_of(block).map(particles).sum());
        fill(&mut room, |block, room| *room = pieces_of(block).flatten().map(|cell| full * open[cell]).sum());
        Self { present, room }
    }

    /// Every block counts its particles, but no more than there is room for and the noise.
    fn volume(&self, setup: &Setup<D>) -> f64 {
        let filled = |(present, room): (&f64, &f64)| present.min((1.0 + NOISE) * room);
        let blocks = (self.present.values(), self.room.values());
        let sum = parallel::sum(blocks, |(present, room)| present.iter().zip(room).map(filled).sum());
        sum / setup.particles_per_cell() as f64 * setup.grid.spacing().powi(D as i32)
    }
}

/// The space that the particles fill.
pub(crate) fn measure<const D: usize>(setup: &Setup<D>, geometry: &Geometry<D>, starts: &[u32]) -> f64 {
    Blocks::count(setup, geometry, starts).volume(setup)
}

/// Volume inside the surface and outside of solids.
///
/// The cube between neighbouring cell centres counts by the part Σ(−φ)⁺/Σ|φ| of it that is inside,
/// exact for plane surfaces along the axes, times the part of it that is open.
pub(crate) fn measure_surface<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
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
    let sum = parallel::sum((0..solid.len(), solid), |(range, solid)| {
        let mut sum = 0.0;
        for (at, part) in Window::whole(shape).lines(shape, range) {
            let node = multi_index(shape, at);
            let within = near.part_of_line(node, part.len());
            if within.is_empty() {
                continue;
            }
            let corner =
                |place: usize, choice: usize, axis: usize| (place + choice).saturating_sub(1).min(cells[axis] - 1);
            // Where the lines of cells around this line of nodes start; two in the plane, four in space.
            let line = |choice: usize| -> usize {
                (1..D).map(|axis| corner(node[axis], choice >> (axis - 1) & 1, axis) * stride[axis]).sum()
            };
            let lines: [usize; 4] = std::array::from_fn(line);
            for (x, distance) in (node[0]..).zip(&solid[part]).skip(within.start).take(within.len()) {
                let open = (0.5 + distance / grid.spacing()).clamp(0.0, 1.0);
                if open == 0.0 {
                    continue;
                }
                let (mut inside, mut all) = (0.0, 0.0);
                let ends = [corner(x, 0, 0), corner(x, 1, 0)];
                for distance in lines[..1 << (D - 1)].iter().flat_map(|line| ends.map(|end| value(line + end))) {
                    inside += (-distance).max(0.0);
                    all += distance.abs();
                }
                if inside > 0.0 {
                    sum += open * inside / all;
                }
            }
        }
        sum
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
        let volume = measure(&setup, &Geometry::at(&setup, 0.0), &starts);
        assert!((volume - (1.0 + NOISE) * 4.0 / 36.0).abs() < 1e-12, "{volume}");
    }
}
