//! A box of cells around the liquid, which may reach beyond the border of the grid.

use unstick_grid::{CellField, Grid};
use unstick_mlcp::fields::Window;

/// Cells beyond the liquid for differences and weights.
pub(crate) const BESIDE: usize = 3;

/// Where a box of cells lies in a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<const D: usize> {
    /// The cell of the grid at the first place; beyond the border it is negative.
    first: [isize; D],
    shape: [usize; D],
}

/// Numbers at the cells of a box.
#[derive(Clone, Debug)]
pub(super) struct Patch<const D: usize> {
    frame: Frame<D>,
    pub values: CellField<f64, D>,
}

impl<const D: usize> Patch<D> {
    /// Zeros around a window of the cells of a grid, so many `beside` it, and `reach` beyond the border where that is as
    /// close.
    pub fn around(grid: &Grid<D>, window: Window<D>, beside: usize, reach: usize) -> Self {
        let margin = |distance: usize| (if distance < reach { distance + reach } else { beside }) as isize;
        let first: [isize; D] = std::array::from_fn(|axis| window.first[axis] as isize - margin(window.first[axis]));
        let shape = std::array::from_fn(|axis| {
            let end = window.first[axis] + window.size[axis];
            (end as isize + margin(grid.cells()[axis] - end) - first[axis]) as usize
        });
        Self { frame: Frame { first, shape }, values: CellField::filled(shape, 0.0) }
    }

    /// Where it lies.
    pub fn frame(&self) -> Frame<D> {
        self.frame
    }
}

impl<const D: usize> Frame<D> {
    /// The place of a cell of the grid, if the box has it.
    pub fn place(&self, cell: [usize; D]) -> Option<[usize; D]> {
        let mut place = [0; D];
        for axis in 0..D {
            let along = usize::try_from(cell[axis] as isize - self.first[axis]).ok();
            place[axis] = along.filter(|&along| along < self.shape[axis])?;
        }
        Some(place)
    }

    /// The cell at a place, which may lie beyond the border.
    pub fn cell(&self, place: [usize; D]) -> [isize; D] {
        std::array::from_fn(|axis| self.first[axis] + place[axis] as isize)
    }

    /// The place along an axis, in cells from the centre of the first one, of a coordinate in cells of the grid.
    pub fn along(&self, axis: usize, coordinate: f64) -> f64 {
        coordinate - 0.5 - self.first[axis] as f64
    }

    /// The cell at a place, or its mirror image where the place is beyond the border.
    pub fn mirrored_cell(&self, grid: &Grid<D>, place: [usize; D]) -> [usize; D] {
        std::array::from_fn(|axis| {
            let count = grid.cells()[axis] as isize;
            // The image of an image is where it was: the period is two grids.
            let index = (self.first[axis] + place[axis] as isize).rem_euclid(2 * count);
            (if index < count { index } else { 2 * count - 1 - index }) as usize
        })
    }
}
