//! Connected parts of the open space.

use std::collections::BTreeSet;

use unstick_grid::{CellField, Grid};

use crate::cells::strides;
use crate::solids::Geometry;

/// The parts of liquid and of air, each connected through open faces. They are numbered by their first cells, so that
/// nothing depends on threads.
pub(super) struct Parts {
    /// The part of every cell, from one; zero where no face is open.
    pub part_of: Vec<u32>,
    /// Whether each part is air.
    pub is_air: Vec<bool>,
    /// The closed space that each part lies in: a number that parts have in common which touch, or touch the same ones.
    pub space: Vec<u32>,
    /// Parts of liquid and the parts of air that they touch, from zero.
    pub touching: Vec<(u32, u32)>,
}

/// Sets that are joined, each with the least of its members as its name.
struct Sets(Vec<u32>);

impl Sets {
    fn name(&mut self, mut member: u32) -> u32 {
        while self.0[member as usize] != member {
            let next = self.0[self.0[member as usize] as usize];
            self.0[member as usize] = next;
            member = next;
        }
        member
    }

    fn join(&mut self, one: u32, other: u32) -> u32 {
        let (one, other) = (self.name(one), self.name(other));
        let (least, most) = (one.min(other), one.max(other));
        self.0[most as usize] = least;
        least
    }
}

impl Parts {
    /// The parts of a grid for a distance to the liquid.
    pub fn of<const D: usize>(grid: &Grid<D>, geometry: &Geometry<D>, liquid: &CellField<f64, D>) -> Self {
        let liquid = liquid.values();
        let mut sets = Sets(vec![0]); // the first stands for none
        let mut part_of = vec![0u32; grid.len()];
        let strides = strides(grid.cells());
        for (cell, place) in grid.iter().enumerate() {
            let is_wet = liquid[cell] < 0.0;
            let mut part = 0;
            for axis in 0..D {
                if place[axis] > 0 && geometry.open[axis].at(place) > 0.0 {
                    let before = cell - strides[axis];
                    if (liquid[before] < 0.0) == is_wet {
                        part = if part == 0 { part_of[before] } else { sets.join(part, part_of[before]) };
                    }
                }
            }
            if part == 0 && (0..D).flat_map(|axis| geometry.open_sides(place, axis)).any(|open| open > 0.0) {
                part = sets.0.len() as u32;
                sets.0.push(part);
            }
            part_of[cell] = part;
        }
        // Names without gaps, in the order of the first cells.
        let (mut number, mut is_air) = (vec![0u32; sets.0.len()], Vec::new());
        for (cell, part) in part_of.iter_mut().enumerate().filter(|(_, part)| **part > 0) {
            let name = sets.name(*part) as usize;
            if number[name] == 0 {
                is_air.push(liquid[cell] >= 0.0);
                number[name] = is_air.len() as u32;
            }
            *part = number[name];
        }
        let touching: Vec<(u32, u32)> = touching(grid, geometry, &part_of, &is_air, strides).into_iter().collect();
        let mut spaces = Sets((0..is_air.len() as u32).collect());
        for &(liquid, air) in &touching {
            spaces.join(liquid, air);
        }
        let space = (0..is_air.len() as u32).map(|part| spaces.name(part)).collect();
        Self { part_of, is_air, space, touching }
    }

    /// The number of parts.
    pub fn count(&self) -> usize {
        self.is_air.len()
    }
}

/// Pairs of liquid and air that touch through an open face.
fn touching<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    part_of: &[u32],
    is_air: &[bool],
    strides: [usize; D],
) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    let mut last = (0, 0);
    for (cell, place) in grid.iter().enumerate() {
        for axis in 0..D {
            if place[axis] == 0 || geometry.open[axis].at(place) == 0.0 {
                continue;
            }
            let (one, other) = (part_of[cell], part_of[cell - strides[axis]]);
            if one == other || (one, other) == last {
                continue;
            }
            last = (one, other);
            let (one, other) = (one - 1, other - 1);
            pairs.insert(if is_air[one as usize] { (other, one) } else { (one, other) });
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Setup, Solid};
    use unstick_grid::SignedDistance;

    /// Letters are liquid, dots are air; rows from above.
    fn parts_of(rows: &[&str], solids: Vec<SignedDistance<2>>) -> (Grid<2>, Parts) {
        let grid = Grid::new([rows[0].len(), rows.len()], 1.0, [0.0; 2]).unwrap();
        let mut setup = Setup::new(grid);
        setup.solids = solids.into_iter().map(Solid::still).collect();
        let at = |[x, y]: [usize; 2]| rows[rows.len() - 1 - y].as_bytes()[x];
        let liquid = CellField::from_fn(&grid, |cell| if at(cell) == b'.' { 0.5 } else { -0.5 });
        let parts = Parts::of(&grid, &Geometry::at(&setup, 0.0), &liquid);
        (grid, parts)
    }

    #[test]
    fn parts_are_connected_by_faces_and_not_by_corners() {
        let (grid, parts) = parts_of(&["......", "l...l.", "l.l.l.", "lll.ll"], Vec::new());
        assert_eq!(parts.is_air, [false, true, false]);
        let part = |cell| parts.part_of[grid.index(cell)];
        assert_eq!([part([0, 2]), part([2, 1]), part([3, 0]), part([4, 2]), part([5, 1])], [1, 1, 2, 3, 2]);
        assert_eq!(parts.count(), 3);
    }

    #[test]
    fn a_wall_parts_what_it_lies_between_and_closed_cells_are_no_part() {
        let wall = SignedDistance::cuboid([2.0, 0.0], [3.0, 3.0]);
        let (grid, parts) = parts_of(&[".....", "ll.ll", "ll.ll"], vec![wall]);
        let part = |cell| parts.part_of[grid.index(cell)];
        assert_eq!([part([0, 0]), part([2, 0]), part([3, 0]), part([0, 2]), part([4, 2])], [1, 0, 2, 3, 4]);
        assert_eq!(
            (parts.touching.as_slice(), parts.space.as_slice()),
            ([(0, 2), (1, 3)].as_slice(), [0, 1, 0, 1].as_slice())
        );
    }
}
