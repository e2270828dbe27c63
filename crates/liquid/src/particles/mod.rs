//! Particles: a structure of arrays, sorted by cell. They carry the liquid.

pub(crate) mod exchange;
pub(crate) mod gather;
pub(crate) mod hats;
pub(crate) mod scatter;
pub(crate) mod sort;
pub(crate) mod tiles;
pub(crate) mod trace;

use std::ops::Range;

use unstick_grid::Grid;
use unstick_parallel as parallel;

use sort::Sorted;

/// Positions and what they carry. All arrays have the same length, `affine` may be empty.
///
/// Sorting moves particles to other places of the arrays. Their numbers go with them: who follows a particle looks for
/// its `id`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles<const D: usize> {
    /// Where they are.
    pub position: Vec<[f64; D]>,
    /// How they move.
    pub velocity: Vec<[f64; D]>,
    /// Derivatives of the velocity of component a along axis b at `[a][b]`; used by `apic` alone.
    pub affine: Vec<[[f64; D]; D]>,
    /// The number of each, from 0 in the order in which they came. It stays with its particle and is never given again.
    pub id: Vec<u64>,
    /// The number of the next one that comes.
    pub next_id: u64,
}

impl<const D: usize> Particles<D> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Adds one; it gets the next number, and its affine part is zero.
    pub fn push(&mut self, position: [f64; D], velocity: [f64; D]) {
        if !self.affine.is_empty() {
            self.affine.push([[0.0; D]; D]);
        }
        self.position.push(position);
        self.velocity.push(velocity);
        self.id.push(self.next_id);
        self.next_id += 1;
    }

    /// Adds many of one velocity.
    pub fn extend(&mut self, places: &[[f64; D]], velocity: [f64; D]) {
        let count = self.len() + places.len();
        let known = self.len();
        parallel::resize(&mut self.position, count, [0.0; D]);
        parallel::for_each((&mut self.position[known..], places), |(position, places)| {
            position.copy_from_slice(places)
        });
        parallel::resize(&mut self.velocity, count, velocity);
        if !self.affine.is_empty() {
            parallel::resize(&mut self.affine, count, [[0.0; D]; D]);
        }
        parallel::resize(&mut self.id, count, 0);
        let first = self.next_id;
        parallel::for_each((0..places.len(), &mut self.id[known..]), |(numbers, id)| {
            numbers.zip(id).for_each(|(number, id)| *id = first + number as u64);
        });
        self.next_id += places.len() as u64;
    }

    /// Adds others, with the numbers that they have.
    pub(crate) fn append(&mut self, other: Self) {
        self.position.extend(other.position);
        self.velocity.extend(other.velocity);
        self.affine.extend(other.affine);
        self.id.extend(other.id);
        self.next_id = other.next_id;
    }

    /// Keeps those that `keep` accepts by index, in their order.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let kept: Vec<u32> = (0..self.len() as u32).filter(|&index| keep(index as usize)).collect();
        self.reorder(&kept, &mut Vec::new());
    }

    /// Replaces the particles by those at `order`; `spare` lends and keeps the memory.
    pub(crate) fn reorder(&mut self, order: &[u32], spare: &mut Vec<[f64; D]>) {
        fn pick<T: Copy + Send + Sync>(values: &mut Vec<T>, order: &[u32], spare: &mut Vec<T>) {
            if let Some(&any) = values.first() {
                parallel::resize(spare, order.len(), any);
                parallel::for_each((order, spare.as_mut_slice()), |(order, places)| {
                    order.iter().zip(places).for_each(|(&index, place)| *place = values[index as usize]);
                });
                std::mem::swap(values, spare);
            }
        }
        pick(&mut self.position, order, spare);
        pick(&mut self.velocity, order, spare);
        pick(&mut self.affine, order, &mut Vec::new());
        pick(&mut self.id, order, &mut Vec::new());
    }

    /// The number of the cell of each.
    pub(crate) fn cells(&self, grid: &Grid<D>) -> Vec<u32> {
        let mut cells = parallel::filled(self.len(), 0);
        parallel::for_each((self.position.as_slice(), cells.as_mut_slice()), |(points, cells)| {
            points.iter().zip(cells).for_each(|(&point, cell)| *cell = cell_number(grid, point));
        });
        cells
    }

    /// Sorts by cell, keeping the order within each; returns where each cell starts, and the end.
    /// `spare` lends and keeps the memory.
    pub fn sort_by_cell(&mut self, grid: &Grid<D>, spare: &mut Vec<[f64; D]>) -> Vec<u32> {
        let layer = grid.len() / grid.cells()[D - 1];
        let Sorted { order, starts, is_known } = sort::by_cell(&self.cells(grid), grid.len(), layer);
        if !is_known {
            self.reorder(&order, spare);
        }
        starts
    }
}

/// The cell of a point, clamped to the grid.
#[inline(always)]
pub(crate) fn cell_of<const D: usize>(grid: &Grid<D>, point: [f64; D]) -> [usize; D] {
    let (place, mut cell) = (grid.in_cells(point), [0; D]);
    for axis in 0..D {
        cell[axis] = (place[axis].max(0.0) as usize).min(grid.cells()[axis] - 1);
    }
    cell
}

/// The particles of some ascending lines of cells along the first axis: `starts` says where those of each cell start, and
/// a line has `nx` cells.
pub(crate) fn of_lines(lines: &[usize], nx: usize, starts: &[u32]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for &line in lines {
        let own = starts[line * nx] as usize..starts[(line + 1) * nx] as usize;
        match ranges.last_mut() {
            Some(last) if last.end == own.start => last.end = own.end,
            _ => ranges.push(own),
        }
    }
    ranges
}

/// The number of that cell.
#[inline(always)]
pub(crate) fn cell_number<const D: usize>(grid: &Grid<D>, point: [f64; D]) -> u32 {
    grid.index(cell_of(grid, point)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn particles(positions: &[[f64; 2]]) -> Particles<2> {
        let mut particles = Particles::default();
        positions.iter().zip(0..).for_each(|(&position, number)| particles.push(position, [f64::from(number), 0.0]));
        particles
    }

    #[test]
    fn particles_are_sorted_by_cell_and_keep_their_order_within_it() {
        let grid = Grid::<2>::unit(2).unwrap();
        let mut particles = particles(&[[0.9, 0.9], [0.1, 0.2], [0.6, 0.1], [0.1, 0.1]]);
        let starts = particles.sort_by_cell(&grid, &mut Vec::new());
        assert_eq!(starts, [0, 2, 3, 3, 4]);
        assert_eq!(particles.position, [[0.1, 0.2], [0.1, 0.1], [0.6, 0.1], [0.9, 0.9]]);
        assert_eq!(particles.velocity.iter().map(|velocity| velocity[0]).collect::<Vec<_>>(), [1.0, 3.0, 2.0, 0.0]);
        assert_eq!((particles.id, particles.next_id), (vec![1, 3, 2, 0], 4));
    }

    #[test]
    fn points_beyond_the_grid_belong_to_its_border_cells() {
        let grid = Grid::<2>::unit(4).unwrap();
        assert_eq!((cell_of(&grid, [-1.0, 0.3]), cell_of(&grid, [0.5, 1.0])), ([0, 1], [2, 3]));
    }

    #[test]
    fn those_that_are_not_kept_are_gone() {
        let mut particles = particles(&[[0.1; 2], [0.2; 2], [0.3; 2]]);
        particles.affine = vec![[[1.0; 2]; 2]; 3];
        particles.retain(|index| index != 1);
        assert_eq!((&particles.position, particles.affine.len()), (&vec![[0.1; 2], [0.3; 2]], 2));
        particles.retain(|index| index == 0);
        particles.push([0.4; 2], [0.0; 2]);
        assert_eq!(particles.id, [0, 3], "a number that is gone does not come back");
    }
}
