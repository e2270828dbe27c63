//! A box of cells with a rim: cells, faces and edges of all kinds have the same numbers.
//!
//! Face i across an axis is the lower one of cell i. Edge i of two axes is the lower one of cell i along both. The rim
//! makes all neighbours of what counts places of the box, so that loops run through it without a look at borders.

use std::ops::Range;

use unstick_mlcp::fields::Window;
use unstick_parallel as parallel;

use crate::cells::{multi_index, strides};

/// Places of the rim below the cells, and above them: the upper faces of the last cells, and those of a coarse cell that
/// reaches beyond.
pub(super) const RIM: usize = 1;
const RIM_ABOVE: usize = 3;

/// Cells along an axis that a coarser box would have just as many of.
const SMALLEST: usize = 5;

/// Cells along each axis of the boxes of all levels, the finest first, for a box of this size.
pub fn viscous_boxes<const D: usize>(size: [usize; D]) -> Vec<[usize; D]> {
    let finest = Lattice::new(Window { first: [0; D], size });
    std::iter::successors(Some(finest), Lattice::coarse).map(|lattice| lattice.cells).collect()
}

/// The box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice<const D: usize> {
    /// The first cell on the grid.
    pub first: [usize; D],
    /// Cells along each axis.
    pub cells: [usize; D],
    /// Places along each axis.
    pub shape: [usize; D],
    pub strides: [usize; D],
}

impl<const D: usize> Lattice<D> {
    /// The box of these cells.
    pub fn new(window: Window<D>) -> Self {
        let shape = window.size.map(|count| count + RIM + RIM_ABOVE);
        Self { first: window.first, cells: window.size, shape, strides: strides(shape) }
    }

    /// The box of cells of twice the size, with one more layer of them on all sides; none if it would not be smaller.
    pub fn coarse(&self) -> Option<Self> {
        let size = self.cells.map(|count| count.div_ceil(2) + 2);
        (self.cells.iter().any(|&count| count > SMALLEST)).then(|| Self::new(Window { first: [0; D], size }))
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The places whose neighbours are all places: the others lie in the rim.
    pub fn inner(&self) -> Range<usize> {
        let reach: usize = self.strides.iter().sum();
        reach..self.len() - reach
    }

    /// The place of a cell of the box.
    pub fn index(&self, cell: [usize; D]) -> usize {
        (0..D).map(|axis| (cell[axis] + RIM) * self.strides[axis]).sum()
    }

    /// Calls `value` with every place, the rim included, and the cell of the grid that is nearest to it.
    pub fn fill_all<T: Send>(&self, values: &mut [T], value: impl Fn([usize; D], &mut T) + Sync) {
        parallel::for_each((0..values.len(), values), |(range, values)| {
            for (at, slot) in range.zip(values) {
                let place = multi_index(self.shape, at);
                value(std::array::from_fn(|axis| (place[axis] + self.first[axis]).saturating_sub(RIM)), slot);
            }
        });
    }

    /// Calls `value` with each cell that lies beside what `straddled` axes say: for faces one axis, for edges two.
    /// Places of the rim keep their value.
    pub fn fill<T: Send>(
        &self,
        values: &mut [T],
        straddled: [bool; D],
        value: impl Fn([usize; D], usize, &mut T) + Sync,
    ) {
        let last: [usize; D] = std::array::from_fn(|axis| self.cells[axis] + usize::from(straddled[axis]));
        parallel::for_each((0..values.len(), values), |(range, values)| {
            let mut place = multi_index(self.shape, range.start);
            for (at, slot) in range.zip(values) {
                if (0..D).all(|axis| (RIM..last[axis] + RIM).contains(&place[axis])) {
                    value(std::array::from_fn(|axis| place[axis] - RIM), at, slot);
                }
                for axis in 0..D {
                    place[axis] += 1;
                    if place[axis] < self.shape[axis] {
                        break;
                    }
                    place[axis] = 0;
                }
            }
        });
    }
}

/// The pairs of axes, each with its number.
pub(super) fn pairs<const D: usize>() -> impl Iterator<Item = (usize, [usize; 2])> {
    (0..D).flat_map(|one| (one + 1..D).map(move |other| [one, other])).enumerate()
}

/// The number of a pair of different axes.
pub(super) fn pair_of<const D: usize>(one: usize, other: usize) -> usize {
    let (low, high) = (one.min(other), one.max(other));
    if D == 2 { 0 } else { low + high - 1 }
}

/// Which axes a face or an edge straddles.
pub(super) fn straddling<const D: usize>(axes: &[usize]) -> [bool; D] {
    std::array::from_fn(|axis| axes.contains(&axis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_axes_have_their_numbers() {
        for (number, [one, other]) in pairs::<3>() {
            assert_eq!((pair_of::<3>(one, other), pair_of::<3>(other, one)), (number, number));
        }
        assert_eq!((pairs::<3>().count(), pairs::<2>().count(), pair_of::<2>(1, 0)), (3, 1, 0));
    }

    #[test]
    fn faces_reach_one_place_further_than_cells() {
        let lattice = Lattice::<2>::new(Window { first: [4, 7], size: [3, 2] });
        let count = |straddled| {
            let mut values = vec![0; lattice.len()];
            lattice.fill(&mut values, straddled, |_, _, value| *value = 1);
            values.iter().sum::<usize>()
        };
        assert_eq!((count([false; 2]), count([true, false]), count([true; 2])), (6, 8, 12));
    }
}
