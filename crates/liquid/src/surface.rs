//! Particles → liquid distance, by way of their density.
//!
//! Every particle spreads its share of a full cell over the cell centres around it with linear
//! weights. Divided by what would be there if all open space were full, this is 1 inside, 0 outside
//! and ½ at the surface, wherever the particles happen to lie in their cells; half a space of
//! liquid gives 1 − ½(1 − d/h)² at depth d, which is inverted for the distance. Unlike a union of
//! balls, the surface is not blown up by a radius, and a single particle of spray makes no liquid.

use unstick_grid::{CellField, Grid};
use unstick_mlcp::fields::Window;
use unstick_parallel::{self as parallel, simd::vectorised};

use crate::air::AirState;
use crate::cells::{fill_by_number, for_each_beside, lines_within, multi_index, strides};
use crate::particles::Particles;
use crate::particles::hats::{NO_AXIS, across, hats, rows_around};
use crate::particles::tiles::{Tile, add_by_tiles};
use crate::solids::Geometry;

/// Below this part of open space around a cell centre the density says nothing.
pub(crate) const TOO_CLOSED: f64 = 0.1;

/// Gaps have at most as many cells as a block of so many along each axis.
const LARGEST_GAP: usize = 4;

/// Films thinner than this part of a cell are single particles.
pub(crate) const THINNEST: f64 = 0.02;

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

/// Distance to the liquid at the centres of the cells `near` from the density, exact for plane surfaces within a cell
/// of them, and extended into solids so that the surface meets walls at a right angle.
pub(crate) fn track<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    density: &CellField<f64, D>,
    liquid: &mut CellField<f64, D>,
    near: Window<D>,
) {
    let (shape, spacing) = (grid.cells(), grid.spacing());
    let (space, density) = (geometry.space.values(), density.values());
    let values = liquid.values_mut();
    parallel::for_each((0..values.len(), values), |(range, values)| {
        for (first, part) in lines_within(near, shape, range) {
            let (values, here) = (&mut values[part.clone()], first..first + part.len());
            vectorised(
                #[inline(always)]
                || {
                    for (value, &density) in values.iter_mut().zip(&density[here.clone()]) {
                        *value = distance_of(density, spacing);
                    }
                },
            );
            let mut place = multi_index(shape, first);
            for (number, (value, &space_here)) in here.clone().zip(values.iter_mut().zip(&space[here])) {
                if space_here <= TOO_CLOSED {
                    *value = spacing;
                    for_each_beside(shape, place, number, |other| {
                        if space[other] > TOO_CLOSED {
                            *value = value.min(distance_of(density[other], spacing));
                        }
                    });
                }
                place[0] += 1;
            }
        }
    });
}

/// Distance to a plane surface from a density.
#[inline(always)]
fn distance_of(density: f64, spacing: f64) -> f64 {
    let density = density.clamp(0.0, 1.0);
    let is_inside = density > 0.5;
    let root = (2.0 * if is_inside { 1.0 - density } else { density }).sqrt();
    -spacing * if is_inside { 1.0 - root } else { root - 1.0 }
}

/// A cell that has dried although it was under pressure, as a search for gaps sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dried {
    /// Its number in the whole grid.
    pub cell: u64,
    /// A bit for each side behind whose open face another such cell lies; one more if other air does, or nothing.
    pub sides: u64,
}

/// The bit of a [`Dried`] cell beside which there is air that has not just come.
const BESIDE_AIR: u64 = 1 << 8;

/// Lists the cells that have dried since `before`, although they were under `pressure`: more than that of the thinnest
/// air. Only cells that `is_meant` are listed.
pub(crate) fn dried_cells<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    (before, pressure, air): (&CellField<f64, D>, &CellField<f64, D>, &AirState),
    liquid: &CellField<f64, D>,
    is_meant: impl Fn([usize; D]) -> bool + Sync,
) -> Vec<Dried> {
    let (is, was, pressure) = (liquid.values(), before.values(), pressure.values());
    let has_dried = |index: usize| is[index] >= 0.0 && was[index] < 0.0 && pressure[index] > air.least_pressure(index);
    let (whole, first) = (grid.whole(), grid.first());
    let look = |index: usize| {
        let cell = multi_index(grid.cells(), index);
        let mut sides = 0;
        for side in 0..2 * D {
            let (axis, is_upper) = (side / 2, side % 2 == 1);
            let mut face = cell;
            face[axis] += usize::from(is_upper);
            if geometry.open[axis].at(face) > 0.0 {
                sides |= match grid.neighbour(cell, axis, is_upper).map(|other| grid.index(other)) {
                    Some(other) if is[other] < 0.0 => 0,
                    Some(other) if has_dried(other) => 1 << side,
                    _ => BESIDE_AIR,
                };
            }
        }
        let in_whole = std::array::from_fn(|axis| first[axis] + cell[axis]);
        is_meant(cell).then(|| Dried { cell: whole.index(in_whole) as u64, sides })
    };
    parallel::list(0..grid.len(), |range| range.filter(|&index| has_dried(index)).filter_map(look).collect())
}

/// The gaps among cells that have dried: the cells of the whole grid that are to be wet.
///
/// Air comes into liquid from outside, where a wall has let go, or where liquid is torn. Anywhere else a cell that dries
/// has too few particles by chance. As air it would have no pressure, and all liquid around would rush in at once. As
/// liquid it keeps its volume, and the density of the particles is made good by displacement.
///
/// A gap is closed: no open face leads to other air. It has as many cells as a block of [`LARGEST_GAP`] along each axis
/// at most.
pub(crate) fn gaps<const D: usize>(grid: &Grid<D>, dried: &mut [Dried]) -> Vec<u64> {
    dried.sort_unstable();
    let stride = strides(grid.whole().cells());
    let (mut is_seen, mut found) = (vec![false; dried.len()], Vec::new());
    for first in 0..dried.len() {
        if std::mem::replace(&mut is_seen[first], true) {
            continue;
        }
        let (mut part, mut next, mut is_beside_air) = (vec![first], 0, false);
        while let Some(&number) = part.get(next) {
            next += 1;
            let Dried { cell, sides } = dried[number];
            is_beside_air |= sides & BESIDE_AIR != 0;
            for side in (0..2 * D).filter(|side| sides >> side & 1 == 1) {
                let step = stride[side / 2] as u64;
                let other = if side % 2 == 1 { cell + step } else { cell - step };
                let Ok(other) = dried.binary_search_by_key(&other, |dried| dried.cell) else { continue };
                if !std::mem::replace(&mut is_seen[other], true) {
                    part.push(other);
                }
            }
        }
        if !is_beside_air && part.len() <= LARGEST_GAP.pow(D as u32) {
            found.extend(part.into_iter().map(|number| dried[number].cell));
        }
    }
    found
}

/// Fills gaps: cells of the whole grid, of which there may be a part alone.
pub(crate) fn fill_gaps<const D: usize>(grid: &Grid<D>, gaps: &[u64], liquid: &mut CellField<f64, D>) {
    let (whole, first) = (grid.whole().cells(), grid.first());
    for &cell in gaps {
        let place = multi_index(whole, cell as usize);
        let here = std::array::from_fn(|axis| place[axis].wrapping_sub(first[axis]));
        if (0..D).all(|axis| here[axis] < grid.cells()[axis]) {
            *liquid.at_mut(here) = -0.5 * grid.spacing();
        }
    }
}

/// The surface as it is shown: with films on solids that are thinner than half a cell, and without gaps at walls.
///
/// A cell whose centre lies above a film is dry for the pressure. What its particles and those that count in the solid
/// beside it fill, spread over the wall, is a film of some thickness d: the distance to the solid less d is the distance
/// to its surface. Closed cells continue the liquid beside them; what linear weights put there depends on how particles
/// lie at the wall.
pub(crate) fn show<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    density: &CellField<f64, D>,
    liquid: &CellField<f64, D>,
) -> CellField<f64, D> {
    let is_closed = |cell: [usize; D]| geometry.cell_open.at(cell) == 0.0;
    let content = |cell: [usize; D]| density.at(cell) * geometry.space.at(cell).max(TOO_CLOSED);
    // Thickness of the film in an open cell; none where there is no wall or no film.
    let film = |cell: [usize; D]| {
        // A cell without a solid near has no closed cell beside it.
        if liquid.at(cell) < 0.0 || geometry.space.at(cell) >= 1.0 || !grid.neighbours(cell).any(is_closed) {
            return None;
        }
        let in_solids: f64 = grid.neighbours(cell).filter(|&other| is_closed(other)).map(content).sum();
        let thickness = (content(cell) + in_solids) * grid.spacing();
        (thickness > THINNEST * grid.spacing()).then_some(thickness)
    };
    let above = |cell: [usize; D], film: f64| geometry.distance(grid, grid.centre(cell)) - film;
    let mut shown = liquid.copied();
    let (open, space, strides) = (geometry.cell_open.values(), geometry.space.values(), strides(grid.cells()));
    let of_cell = |cell: [usize; D], number: usize| {
        let own = liquid.values()[number];
        if open[number] > 0.0 {
            let has_no_film = own < 0.0 || space[number] >= 1.0; // most cells
            return if has_no_film { own } else { film(cell).map_or(own, |film| own.min(above(cell, film))) };
        }
        // Most closed cells have no open one beside them. At the border this looks at more cells than those.
        let is_open = |other: usize| open[other.min(open.len() - 1)] > 0.0;
        if !strides.iter().any(|stride| is_open(number.saturating_sub(*stride)) || is_open(number + stride)) {
            return grid.spacing();
        }
        let mut continued = grid.spacing();
        for_each_beside(grid.cells(), cell, number, |other| {
            if open[other] > 0.0 {
                let film = film(multi_index(grid.cells(), other));
                continued = continued.min(film.map_or(liquid.values()[other], |film| above(cell, film)));
            }
        });
        continued
    };
    let values = shown.values_mut();
    parallel::for_each((0..values.len(), values), |(range, values)| {
        for (first, part) in Window::whole(grid.cells()).lines(grid.cells(), range) {
            let mut cell = multi_index(grid.cells(), first);
            for (number, value) in (first..).zip(&mut values[part]) {
                *value = of_cell(cell, number);
                cell[0] += 1;
            }
        }
    });
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Setup, Simulation, Solid};
    use unstick_grid::SignedDistance;

    #[test]
    fn cells_that_dry_among_wet_ones_are_filled_and_air_is_not() {
        let grid = Grid::<2>::unit(8).unwrap();
        let tank = Simulation::new(Setup::new(grid), &SignedDistance::cuboid([0.0; 2], [1.0, 0.75])).unwrap();
        let (before, mut pressure) = (tank.state().liquid.clone(), CellField::filled(grid.cells(), 1.0));
        let with_dry = |cells: &[[usize; 2]]| {
            let mut liquid = before.clone();
            cells.iter().for_each(|&cell| *liquid.at_mut(cell) = 0.1);
            liquid
        };
        let fill = |before: &CellField<f64, 2>, pressure: &CellField<f64, 2>, liquid: &mut CellField<f64, 2>| {
            let air = AirState::default();
            let mut dried = dried_cells(&grid, tank.geometry(), (before, pressure, &air), liquid, |_| true);
            fill_gaps(&grid, &gaps(&grid, &mut dried), liquid);
        };
        let is_wet = |liquid: &CellField<f64, 2>, cells: &[[usize; 2]]| cells.iter().all(|&cell| liquid.at(cell) < 0.0);
        let chance = [[0, 0], [1, 0], [4, 2], [4, 3], [5, 3]];
        let mut liquid = with_dry(&chance);
        fill(&before, &pressure, &mut liquid);
        assert!(is_wet(&liquid, &chance) && grid.iter().all(|cell| (cell[1] < 6) == (liquid.at(cell) < 0.0)));
        // A hole from above, one that was there before, and one at a wall that has let go.
        let (pit, bubble, cavity) = ([[3, 4], [3, 5]], [[6, 1], [6, 2]], [[0, 2]]);
        let mut holed = before.clone();
        bubble[..1].iter().for_each(|&cell| *holed.at_mut(cell) = 0.1);
        *pressure.at_mut(cavity[0]) = 0.0;
        let mut liquid = with_dry(&[&pit[..], &bubble, &cavity].concat());
        let unfilled = liquid.clone();
        fill(&holed, &pressure, &mut liquid);
        assert_eq!(liquid, unfilled);
    }

    /// Half a cell of liquid on a solid floor, one layer of particles: dry for the pressure, and shown.
    #[test]
    fn a_film_on_a_solid_is_shown_with_its_volume() {
        let grid = Grid::<2>::unit(16).unwrap();
        let mut setup = Setup::new(grid);
        setup.solids.push(Solid::still(SignedDistance::half_space([0.0, 0.25], [0.0, 1.0])));
        let film = SignedDistance::cuboid([0.0, 0.25], [1.0, 0.25 + 0.5 / 16.0]);
        let simulation = Simulation::new(setup, &film).unwrap();
        assert!(simulation.state().liquid.at([5, 4]) >= 0.0, "{}", simulation.state().liquid.at([5, 4]));
        // The corners at the two sides of so small a tank count for an eighth of a cell more.
        assert!((0.98..1.12).contains(&(simulation.surface_volume() * 32.0)), "{}", simulation.surface_volume() * 32.0);
        let shown = simulation.surface();
        assert!(shown.at([5, 3]) < 0.0 && (shown.at([5, 4]) - shown.at([5, 3]) - grid.spacing()).abs() < 1e-9);
        assert_eq!(shown.at([5, 9]), grid.spacing(), "above it is dry");
    }

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
