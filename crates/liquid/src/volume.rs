//! The volume of the liquid, and how it is held.
//!
//! Particles are the liquid. None comes or goes by itself, so their number times their share of a cell is the volume
//! that there should be. How tightly they lie drifts: two particles in one place fill the space of one. So the volume
//! that is *measured* is the space that they fill. It includes films thinner than a cell and leaves out what is
//! crowded. The pressure problem asks for a divergence that holds the volume. It spreads crowded particles, draws
//! particles together where inner cells thin out, and has a small uniform part for what is missing in all and for a
//! surface that encloses more than it did.

use std::ops::Range;

use unstick_grid::{CellField, Grid};
use unstick_mlcp::fields::Window;
use unstick_parallel as parallel;

use crate::cells::{fill, multi_index, strides};
use crate::setup::Setup;
use crate::solids::Geometry;
use crate::state::LiquidState;
use crate::velocity::interpolate_nodes;

/// Deviations of the density up to this are noise of the particles' places.
const NOISE: f64 = 0.25;

/// Cells are spread from this excess on. It is below `NOISE`, so that crowded liquid is spread before it is lost.
const CROWDED: f64 = 0.2;

/// Steps within which a deviation is corrected.
const STEPS: f64 = 1.5;

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
        let sum: f64 = self.present.values().iter().zip(self.room.values()).map(filled).sum();
        sum / setup.particles_per_cell() as f64 * setup.grid.spacing().powi(D as i32)
    }

    /// Density of the block of a cell; none where there is no room for more than `least` particles.
    fn density(&self, cell: [usize; D], least: f64) -> f64 {
        let block = cell.map(|place| place / 2);
        if self.room.at(block) > least { self.present.at(block) / self.room.at(block) } else { 0.0 }
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
            // The lines of cells around this line of nodes; two in the plane, four in space.
            let line = |choice: usize| {
                let start: usize =
                    (1..D).map(|axis| corner(node[axis], choice >> (axis - 1) & 1, axis) * stride[axis]).sum();
                &liquid[start..start + cells[0]]
            };
            let lines: [&[f64]; 4] = std::array::from_fn(line);
            for (x, distance) in (node[0]..).zip(&solid[part]).skip(within.start).take(within.len()) {
                let open = (0.5 + distance / grid.spacing()).clamp(0.0, 1.0);
                if open == 0.0 {
                    continue;
                }
                let (mut inside, mut all) = (0.0, 0.0);
                let ends = [corner(x, 0, 0), corner(x, 1, 0)];
                for distance in lines[..1 << (D - 1)].iter().flat_map(|line| ends.map(|end| line[end])) {
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

/// The divergence of every cell, in 1/s, that brings density and volume back.
pub(crate) fn correction<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    density: &CellField<f64, D>,
    starts: &[u32],
    state: &mut LiquidState<D>,
    dt: f64,
    divergence: &mut CellField<f64, D>,
) {
    let grid = &setup.grid;
    let blocks = Blocks::count(setup, geometry, starts);
    let volume = blocks.volume(setup);
    let missing = if state.target_volume > 0.0 { (state.target_volume - volume) / state.target_volume } else { 0.0 };
    state.volume_debt = (0.98 * state.volume_debt + 0.02 * missing).clamp(-0.05, 0.05);
    // A surface that has been swollen for some time is drawn together. One that has lost films and spray is left
    // alone. (A surface that leaves a wall looks swollen for a moment.)
    let swollen = match state.target_surface {
        target if target > 0.0 => (measure_surface(grid, geometry, &state.liquid) / target - 1.0).max(0.0),
        _ => 0.0,
    };
    let uniform = ((missing + state.volume_debt) / (STEPS * dt)).clamp(-0.02 / dt, 0.02 / dt);
    state.swelling += 0.05 * (swollen - state.swelling);
    let drawn = (state.swelling / (STEPS * dt)).min(0.02 / dt);
    let liquid = &state.liquid;
    // Few particles in little room are crowded or missing by chance. A wall resists the divergence that follows; a
    // body would be shaken by it all the time.
    let has_bodies = !geometry.bodies.is_empty();
    let least_room = if has_bodies { 0.5 * (setup.particles_per_cell() << D) as f64 } else { 1.0 };
    let is_slit = |cell: [usize; D]| has_bodies && geometry.space.at(cell) < 0.75;
    fill(divergence, |cell, value| {
        if liquid.at(cell) >= 0.0 {
            *value = 0.0;
            return;
        }
        let is_inner = || {
            (0..2 * D)
                .all(|side| grid.neighbour(cell, side / 2, side % 2 == 1).is_none_or(|other| liquid.at(other) < 0.0))
        };
        // The number of particles in a film on a wall shows a crowd before the density at cell centres does.
        let excess = match is_slit(cell) {
            true => 0.0,
            false => density.at(cell).max(blocks.density(cell, least_room)) - 1.0,
        };
        let crowd = if excess > CROWDED {
            excess - CROWDED
        } else if excess < -NOISE && is_inner() && interpolate_nodes(grid, &geometry.solid, grid.centre(cell)) > 0.0 {
            excess + NOISE
        } else {
            0.0
        };
        // Drawn together only where neither wall nor surface is near.
        let drawn = if drawn > 0.0 && geometry.space.at(cell) >= 1.0 && is_inner() { drawn } else { 0.0 };
        *value = uniform - drawn + (crowd / (STEPS * dt)).clamp(-0.3 / dt, 0.3 / dt);
    });
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
    fn both_volumes_of_a_tank_are_exact() {
        for height in [0.5, 0.75, 1.0] {
            let tank = tank(height);
            assert!((tank.volume() - height).abs() < 1e-12 && (tank.surface_volume() - height).abs() < 1e-12);
        }
    }

    #[test]
    fn particles_in_one_place_fill_the_space_of_one() {
        let mut setup = Setup::new(Grid::<2>::unit(4).unwrap());
        setup.particles_per_axis = 1;
        // Forty particles in the block of four cells at the corner, which has room for four and a quarter more.
        let starts: Vec<u32> = (0..=16).map(|cell| if cell == 0 { 0 } else { 40 }).collect();
        let volume = measure(&setup, &Geometry::at(&setup, 0.0), &starts);
        let open = 4.0; // the border takes nothing from its cells
        assert!((volume - (1.0 + NOISE) * open / 16.0).abs() < 1e-12, "{volume}");
    }

    #[test]
    fn liquid_as_it_should_be_is_asked_for_no_divergence_and_missing_liquid_for_some() {
        let mut tank = tank(0.5);
        let grid = tank.setup.grid;
        let asked = |tank: &mut Simulation<2>| {
            let mut divergence = CellField::filled(grid.cells(), 7.0);
            let Simulation { setup, geometry, density, starts, state, .. } = tank;
            correction(setup, geometry, density, starts, state, 0.01, &mut divergence);
            divergence
        };
        assert!(asked(&mut tank).values().iter().all(|&value| value.abs() < 1e-9));
        tank.state.target_volume *= 1.01;
        let divergence = asked(&mut tank);
        let uniform = divergence.at([3, 1]);
        assert!(uniform > 0.0 && divergence.at([4, 0]) == uniform && divergence.at([4, 6]) == 0.0);
    }
}
