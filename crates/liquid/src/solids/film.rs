//! Films of liquid between solids that touch.
//!
//! Where a body lies on a wall or on another body, no cell between them is open, and the grid has no pressure there.
//! But no two surfaces fit so well that liquid does not creep between them: a box on the floor of a tank weighs less
//! than in the air. So the pressure of the liquid around a contact goes on into it. It is continued by Laplace's
//! equation along the contact: q_F = E q, with q as given at the rim. The force on a body is then ρ h^D (N + Eᵀ N_F)ᵀ q,
//! and the outflow by its motion (N + Eᵀ N_F) V: what a body leaves free as it lifts off is filled from the rim.
//! Air at the rim has the pressure zero, and so has a contact in the air.

use std::collections::BTreeMap;

use unstick_grid::Grid;
use unstick_grid::vector::times;

use super::geometry::Geometry;
use super::seal::sides;

/// What the velocities of a body carry out of a cell.
pub(super) type Outflow<const D: usize> = ([f64; D], [f64; 3]);

/// How well films conduct across, relative to along.
const ACROSS: f64 = 1e-6;

/// Part of the outflow that rounding may leave.
const ROUNDING: f64 = 1e-12;

/// The cells of all films, and their Laplacian.
pub(super) struct Films<const D: usize> {
    cells: BTreeMap<[usize; D], usize>,
    /// Conductance to other cells of films.
    links: Vec<Vec<(usize, f64)>>,
    /// Conductance to rows at the rim.
    rim: Vec<Vec<(u32, f64)>>,
    diagonal: Vec<f64>,
}

impl<const D: usize> Films<D> {
    /// The films among cells without a row, given the outflow of every body.
    pub fn new(
        grid: &Grid<D>,
        geometry: &Geometry<D>,
        outflows: &[BTreeMap<[usize; D], Outflow<D>>],
        row_of: &impl Fn([usize; D]) -> Option<u32>,
    ) -> Self {
        // Across each film: the outflow of the bodies beside it.
        let mut across: BTreeMap<[usize; D], [f64; D]> = BTreeMap::new();
        for (&cell, (linear, _)) in outflows.iter().flatten() {
            if row_of(cell).is_none() && is_between_solids(geometry, cell, linear) {
                let sum = across.entry(cell).or_insert([0.0; D]);
                (0..D).for_each(|axis| sum[axis] += linear[axis] * linear[axis]);
            }
        }
        let cells: BTreeMap<[usize; D], usize> = across.keys().copied().zip(0..).collect();
        let along = |cell: &[usize; D], axis: usize| {
            let square = across[cell];
            (1.0 - square[axis] / square.iter().sum::<f64>()).max(ACROSS)
        };
        let (mut links, mut rim) = (vec![Vec::new(); cells.len()], vec![Vec::new(); cells.len()]);
        let mut diagonal = vec![0.0; cells.len()];
        for (cell, &place) in &cells {
            for side in 0..2 * D {
                let Some(next) = grid.neighbour(*cell, side / 2, side % 2 == 1) else { continue };
                let conductance = along(cell, side / 2);
                if let Some(&other) = cells.get(&next) {
                    let mean = 0.5 * (conductance + along(&next, side / 2));
                    links[place].push((other, mean));
                    diagonal[place] += mean;
                } else if let Some(row) = row_of(next) {
                    rim[place].push((row, conductance));
                    diagonal[place] += conductance;
                } else if has_opening(geometry, next) {
                    diagonal[place] += conductance; // air
                }
            }
        }
        Self { cells, links, rim, diagonal }
    }

    /// Eᵀ N_F: what a body's outflow into films is at the rows of their rim.
    pub fn to_rim(&self, outflow: &BTreeMap<[usize; D], Outflow<D>>) -> Vec<(u32, [f64; D], [f64; 3])> {
        let mut entries = Vec::new();
        for axis in 0..D + 3 {
            let of_cell = |cell| outflow.get(cell).map_or(0.0, |(v, w)| if axis < D { v[axis] } else { w[axis - D] });
            let right: Vec<f64> = self.cells.keys().map(of_cell).collect();
            let Some(potential) = self.solve(&right) else { continue };
            let unit: [f64; 6] = std::array::from_fn(|other| f64::from(u8::from(other == axis)));
            let (linear, angular) = (std::array::from_fn(|k| unit[k]), std::array::from_fn(|k| unit[D + k]));
            for (rim, value) in self.rim.iter().zip(&potential) {
                let entry = |(row, conductance): &(u32, f64)| {
                    (*row, times(conductance * value, linear), times(conductance * value, angular))
                };
                entries.extend(rim.iter().map(entry));
            }
        }
        entries
    }

    /// The part of the rim that is wet, for every cell of a film: E 1.
    pub fn wet_parts(&self) -> BTreeMap<[usize; D], f64> {
        let right: Vec<f64> = self.rim.iter().map(|rim| rim.iter().map(|(_, conductance)| conductance).sum()).collect();
        let parts = self.solve(&right).unwrap_or_else(|| vec![0.0; right.len()]);
        self.cells.keys().copied().zip(parts).collect()
    }

    /// Solves with the Laplacian by conjugate gradients; none if there is nothing to solve. Films without a rim are left
    /// out: nothing says which pressure they have.
    fn solve(&self, right: &[f64]) -> Option<Vec<f64>> {
        let has_rim = self.has_rim();
        let mut residual: Vec<f64> = right.iter().zip(&has_rim).map(|(b, has)| if *has { *b } else { 0.0 }).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let scaled = |r: &[f64]| -> Vec<f64> { r.iter().zip(&self.diagonal).map(|(r, d)| r / d.max(ACROSS)).collect() };
        let mut direction = scaled(&residual);
        let mut size = dot(&residual, &direction);
        if size == 0.0 {
            return None;
        }
        let (mut answer, target) = (vec![0.0; right.len()], ROUNDING * ROUNDING * size);
        for _ in 0..4 * right.len() + 10 {
            let image: Vec<f64> = (0..right.len())
                .map(|place| {
                    let others: f64 = self.links[place].iter().map(|(other, c)| c * direction[*other]).sum();
                    self.diagonal[place] * direction[place] - others
                })
                .collect();
            let step = size / dot(&direction, &image);
            for place in 0..right.len() {
                answer[place] += step * direction[place];
                residual[place] -= step * image[place];
            }
            let next = scaled(&residual);
            let (last, now) = (size, dot(&residual, &next));
            if now <= target {
                break;
            }
            size = now;
            direction.iter_mut().zip(next).for_each(|(direction, next)| *direction = next + size / last * *direction);
        }
        Some(answer)
    }

    /// Whether liquid or air at a rim gives a cell its pressure.
    fn has_rim(&self) -> Vec<bool> {
        let linked: Vec<f64> = self.links.iter().map(|links| links.iter().map(|(_, c)| c).sum()).collect();
        let mut has: Vec<bool> =
            self.diagonal.iter().zip(linked).map(|(all, linked)| all - linked > 0.5 * ACROSS).collect();
        let mut front: Vec<usize> = (0..has.len()).filter(|&place| has[place]).collect();
        while let Some(place) = front.pop() {
            for &(other, _) in &self.links[place] {
                if !std::mem::replace(&mut has[other], true) {
                    front.push(other);
                }
            }
        }
        has
    }
}

/// Whether a cell has an open face.
fn has_opening<const D: usize>(geometry: &Geometry<D>, cell: [usize; D]) -> bool {
    (0..D).any(|axis| {
        let (below, above) = sides(cell, axis);
        geometry.open[axis].at(below) > 0.0 || geometry.open[axis].at(above) > 0.0
    })
}

/// Whether a cell that a body moves out of is closed on both sides along that motion: by the body, and by what it
/// touches.
fn is_between_solids<const D: usize>(geometry: &Geometry<D>, cell: [usize; D], outflow: &[f64; D]) -> bool {
    let is_closed = |axis: usize| {
        let (below, above) = sides(cell, axis);
        geometry.open[axis].at(below) == 0.0 && geometry.open[axis].at(above) == 0.0
    };
    let mut axes = (0..D).filter(|&axis| outflow[axis].abs() > ROUNDING);
    axes.any(is_closed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;
    use crate::solids::bodies::tests::cuboid;

    /// A box of four by two cells on the floor of eight by eight cells.
    fn on_the_floor() -> (Grid<2>, Geometry<2>) {
        let setup = Setup::new(Grid::<2>::unit(8).unwrap());
        let mut geometry = Geometry::at(&setup, 0.0);
        geometry.immerse(&setup.grid, vec![cuboid([0.25, 0.0], [0.75, 0.25])]);
        (setup.grid, geometry)
    }

    #[test]
    fn a_box_on_the_floor_of_a_tank_has_its_lift() {
        let (grid, geometry) = on_the_floor();
        let row = |cell: [usize; 2]| {
            let is_under = (3..5).contains(&cell[0]) && cell[1] == 0;
            (!is_under).then(|| grid.index(cell) as u32)
        };
        // Still liquid: q falls by one from a cell to the next, as gravity takes one from the velocity.
        let columns = geometry.body_columns(&grid, 1000.0, [0.0, -1.0], &row, &|_| None);
        let q: Vec<f64> = grid.iter().map(|[_, y]| 8.0 - y as f64).collect();
        let (impulse, turning) = columns.pushes(&q)[0];
        let displaced = 1000.0 * 0.5 * 0.25;
        assert!((impulse[1] / displaced - 1.0).abs() < 0.03, "{} for {displaced}", impulse[1]);
        assert!(impulse[0].abs() < 1e-9 && turning[2].abs() < 1e-9);
    }

    #[test]
    fn a_film_in_the_air_has_no_pressure_and_conducts_from_wet_to_dry() {
        let (grid, geometry) = on_the_floor();
        let outflow = |cell: [usize; 2]| (cell, ([0.0, 1.0], [0.0; 3]));
        let outflows = [[[3, 0], [4, 0]].map(outflow).into_iter().collect()];
        let dry = Films::new(&grid, &geometry, &outflows, &|_| None);
        assert!(dry.wet_parts().values().all(|part| *part == 0.0));
        let wet_on_the_left = Films::new(&grid, &geometry, &outflows, &|cell| (cell[0] < 3).then_some(0));
        let parts: Vec<f64> = wet_on_the_left.wet_parts().into_values().collect();
        assert!(parts.len() == 2 && parts[0] > parts[1] && parts[0] <= 1.0, "{parts:?}");
    }
}
