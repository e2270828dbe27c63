//! Where bodies touch walls or each other: no cell is open there, and no particle finds its way in.

use std::collections::BTreeSet;

use unstick_grid::{CellField, Grid};

use super::geometry::Geometry;
use super::immerse::{cells_around, for_each_place};

/// Distance in cells from a node at which all sides must be solid for it to lie in a contact.
const NEAR: f64 = 0.05;

/// Open part of a cell that rounding may leave between solids that touch.
const TOUCHING: f64 = 1e-9;

/// Gaps of less than this part of a cell are closed. A wider one takes the more particles in as it opens, and a quarter
/// of a cell that lacks is not taken for a bubble.
const CLOSED_GAP: f64 = 0.25;

impl<const D: usize> Geometry<D> {
    /// Fills cells with liquid that a body cuts, where they lie in liquid and not in the air. A cut cell holds few
    /// particles or none, as it happens. Without any it would be a bubble: it would let the liquid in without resistance,
    /// and hold a body as a sucker does.
    pub(crate) fn fill_cut_cells(&self, grid: &Grid<D>, liquid: &mut CellField<f64, D>) {
        let mut dry = BTreeSet::new();
        for covered in &self.bodies {
            let (from, to) = cells_around(grid, &covered.body);
            for_each_place(from, to, |cell| {
                let open = |axis: usize| self.open_sides(cell, axis);
                let is_cut = (0..D).flat_map(open).any(|open| open < 1.0);
                if is_cut && liquid.at(cell) >= 0.0 && (0..D).flat_map(open).any(|open| open > 0.0) {
                    dry.insert(cell);
                }
            });
        }
        while let Some(first) = dry.pop_first() {
            // One pocket after another: all cells that are connected, and whether they meet liquid or air.
            let (mut pocket, mut front) = (BTreeSet::from([first]), vec![first]);
            let (mut meets_liquid, mut meets_air) = (false, false);
            while let Some(cell) = front.pop() {
                for side in 0..2 * D {
                    let (axis, is_above) = (side / 2, side % 2 == 1);
                    let (below, above) = sides(cell, axis);
                    let Some(other) = grid.neighbour(cell, axis, is_above) else { continue };
                    if self.open[axis].at(if is_above { above } else { below }) == 0.0 || pocket.contains(&other) {
                        continue;
                    }
                    if dry.remove(&other) {
                        pocket.insert(other);
                        front.push(other);
                    } else {
                        let is_liquid = liquid.at(other) < 0.0;
                        (meets_liquid, meets_air) = (meets_liquid || is_liquid, meets_air || !is_liquid);
                    }
                }
            }
            if meets_liquid && !meets_air {
                pocket.into_iter().for_each(|cell| *liquid.at_mut(cell) = -0.5 * grid.spacing());
            }
        }
    }

    /// Open parts of the two faces of a cell across an axis.
    pub(crate) fn open_sides(&self, cell: [usize; D], axis: usize) -> [f64; 2] {
        let (below, above) = sides(cell, axis);
        [self.open[axis].at(below), self.open[axis].at(above)]
    }

    /// Closes gaps that are too narrow for the grid. Films take their place.
    pub(super) fn close_gaps(&mut self, grid: &Grid<D>) {
        let mut gaps = BTreeSet::new();
        for covered in &self.bodies {
            let (from, to) = cells_around(grid, &covered.body);
            for_each_place(from, to, |cell| {
                let open = |axis: usize| self.open_sides(cell, axis);
                let is_thin = (0..D).flat_map(open).all(|open| open < CLOSED_GAP);
                let is_narrow = |axis: usize| open(axis).iter().sum::<f64>() < CLOSED_GAP;
                if is_thin && (TOUCHING..CLOSED_GAP).contains(&self.cell_open.at(cell)) && (0..D).any(is_narrow) {
                    gaps.insert(cell);
                }
            });
        }
        for cell in gaps {
            for axis in 0..D {
                let (below, above) = sides(cell, axis);
                *self.open[axis].at_mut(below) = 0.0;
                *self.open[axis].at_mut(above) = 0.0;
            }
        }
    }

    /// Makes contacts solid. Two solids that touch have the distance zero between them, where a particle would find
    /// its way in. There the distance becomes that to the rim of the contact.
    pub(super) fn seal(&mut self, grid: &Grid<D>) {
        let mut inner = BTreeSet::new();
        for covered in &self.bodies {
            let (from, to) = cells_around(grid, &covered.body);
            for_each_place(from, to.map(|place| place + 1), |node| {
                if self.solid.at(node) > -0.5 * grid.spacing() && self.is_buried(grid, node) {
                    inner.insert(node);
                }
            });
        }
        // From the rim inwards: as deep as the rim is far, and half a cell deeper with every cell.
        let mut front = inner.clone();
        while !front.is_empty() {
            let depth = |node: &[usize; D]| {
                let beside = (0..2 * D).filter_map(|side| neighbour(grid, *node, side));
                let outside = beside.filter(|other| !front.contains(other));
                let from = outside.map(|other| {
                    let is_inner = inner.contains(&other);
                    if is_inner { 0.5 * grid.spacing() - self.solid.at(other) } else { self.beyond(grid, other) }
                });
                from.fold(f64::INFINITY, f64::min)
            };
            let deep: Vec<([usize; D], f64)> = front.iter().map(|node| (*node, depth(node))).collect();
            let deep: Vec<_> = deep.into_iter().filter(|(_, depth)| depth.is_finite()).collect();
            if deep.is_empty() {
                break;
            }
            for (node, depth) in deep {
                front.remove(&node);
                *self.solid.at_mut(node) = -depth;
            }
        }
    }

    /// How far the rim of a contact is from the next node, seen from a node outside of the bodies; infinite inside.
    fn beyond(&self, grid: &Grid<D>, node: [usize; D]) -> f64 {
        let distance =
            self.bodies.iter().map(|covered| covered.body.shape.at(grid.node(node))).fold(f64::INFINITY, f64::min);
        if distance >= 0.0 { (grid.spacing() - distance).max(0.0) } else { f64::INFINITY }
    }

    /// Whether there is a solid on all sides of a node, close to it along the diagonals.
    fn is_buried(&self, grid: &Grid<D>, node: [usize; D]) -> bool {
        let (centre, near, end) = (grid.node(node), NEAR * grid.spacing(), grid.node(grid.cells()));
        (0..1usize << D).all(|corner| {
            let sign = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
            let point: [f64; D] = std::array::from_fn(|axis| centre[axis] + sign(axis) * near);
            let is_outside = (0..D).any(|axis| point[axis] < grid.origin()[axis] || point[axis] > end[axis]);
            let is_in_body = || self.bodies.iter().any(|covered| covered.body.shape.at(point) < 0.0);
            is_outside || self.distance(grid, point) < 0.0 || is_in_body()
        })
    }
}

/// The faces on both sides of a cell.
pub(super) fn sides<const D: usize>(cell: [usize; D], axis: usize) -> ([usize; D], [usize; D]) {
    let mut above = cell;
    above[axis] += 1;
    (cell, above)
}

/// The next node to a side.
fn neighbour<const D: usize>(grid: &Grid<D>, mut node: [usize; D], side: usize) -> Option<[usize; D]> {
    let axis = side / 2;
    let place = if side % 2 == 1 { Some(node[axis] + 1) } else { node[axis].checked_sub(1) };
    node[axis] = place.filter(|&place| place <= grid.cells()[axis])?;
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;
    use crate::solids::bodies::tests::cuboid;

    /// A box of four by two cells over the floor of eight by eight cells.
    fn above_the_floor(gap: f64) -> (Grid<2>, Geometry<2>) {
        let setup = Setup::new(Grid::<2>::unit(8).unwrap());
        let mut geometry = Geometry::at(&setup, 0.0);
        geometry.immerse(&setup.grid, vec![cuboid([0.25, 0.125 * gap], [0.75, 0.125 * gap + 0.25])]);
        (setup.grid, geometry)
    }

    #[test]
    fn gaps_are_closed_up_to_a_quarter_of_a_cell() {
        for (gap, is_open) in [(0.0, false), (0.2, false), (0.3, true)] {
            let (_, geometry) = above_the_floor(gap);
            assert_eq!(geometry.open[0].at([4, 0]) > 0.0, is_open, "{gap}");
        }
    }

    #[test]
    fn the_way_out_of_a_contact_leads_to_its_rim() {
        let (grid, geometry) = above_the_floor(0.0);
        assert!(geometry.distance(&grid, [0.5, 0.01]) < -0.02);
        let normal = geometry.normal(&grid, [0.35, 0.001]);
        assert!(normal[0] < -0.3, "{normal:?}");
        assert!(geometry.distance(&grid, [0.15, 0.05]) > 0.0);
    }

    #[test]
    fn cut_cells_without_particles_hold_liquid_unless_they_meet_the_air() {
        let (grid, geometry) = above_the_floor(0.5);
        let gap = [4, 0];
        let mut wet =
            CellField::from_fn(&grid, |cell| if (2..6).contains(&cell[0]) && cell[1] == 0 { 0.1 } else { -0.1 });
        geometry.fill_cut_cells(&grid, &mut wet);
        assert!(wet.at(gap) < 0.0);
        let mut dry = CellField::from_fn(&grid, |_| 0.1);
        geometry.fill_cut_cells(&grid, &mut dry);
        assert!(dry.at(gap) > 0.0);
    }
}
