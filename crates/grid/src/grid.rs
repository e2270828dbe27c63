//! The lattice.

/// Cubic cells of equal size, counted along each axis. Axis 0 runs fastest in memory.
///
/// It may be a [part](Grid::part) of a larger one. Points have the same bits in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid<const D: usize> {
    cells: [usize; D],
    spacing: f64,
    inverse_spacing: f64,
    /// Lower corner of the whole.
    origin: [f64; D],
    /// Cells of the whole before this part: whole numbers, as points are counted.
    before: [f64; D],
    whole: [usize; D],
}

/// Why a lattice cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// An axis has no cells, or there are too many cells for the memory.
    #[error("a grid of {0:?} cells: expected at least one along each axis, and a product that fits in memory")]
    Cells(Vec<usize>),
    /// The spacing is not a positive number.
    #[error("a spacing of {0}: expected a positive number")]
    Spacing(f64),
}

impl<const D: usize> Grid<D> {
    /// A lattice of `cells` cells of edge length `spacing`, its lower corner at `origin`.
    pub fn new(cells: [usize; D], spacing: f64, origin: [f64; D]) -> Result<Self, GridError> {
        let count = cells.iter().try_fold(1usize, |product, &count| product.checked_mul(count));
        if count.is_none_or(|count| count == 0 || count > isize::MAX as usize / 64) {
            return Err(GridError::Cells(cells.to_vec()));
        }
        if !(spacing > 0.0 && spacing.is_finite()) {
            return Err(GridError::Spacing(spacing));
        }
        Ok(Self { cells, spacing, inverse_spacing: 1.0 / spacing, origin, before: [0.0; D], whole: cells })
    }

    /// Some of its cells, from `first` on: a lattice of its own, whose points have the bits that they have here. A place is
    /// computed in the whole and then counted from the first cell, which is exact.
    ///
    /// ```
    /// use unstick_grid::Grid;
    ///
    /// let whole = Grid::new([10, 10], 0.1, [0.3, 0.7])?;
    /// let part = whole.part([0, 4], [10, 3]);
    /// assert_eq!(part.centre([2, 1]), whole.centre([2, 5]));
    /// assert_eq!(part.bounds(), whole.bounds());
    /// # Ok::<(), unstick_grid::GridError>(())
    /// ```
    ///
    /// # Panics
    /// If there are no such cells.
    pub fn part(&self, first: [usize; D], cells: [usize; D]) -> Self {
        let is_inside = |axis: usize| cells[axis] > 0 && first[axis] + cells[axis] <= self.cells[axis];
        assert!((0..D).all(is_inside), "{cells:?} cells from {first:?} on, of {:?}", self.cells);
        let before = std::array::from_fn(|axis| self.before[axis] + first[axis] as f64);
        Self { cells, before, ..*self }
    }

    /// The lattice that this is a part of; itself if it is whole.
    pub fn whole(&self) -> Self {
        Self { cells: self.whole, before: [0.0; D], ..*self }
    }

    /// The first cell, counted in the whole.
    pub fn first(&self) -> [usize; D] {
        self.before.map(|count| count as usize)
    }

    /// Lower and upper corner of the whole.
    pub fn bounds(&self) -> ([f64; D], [f64; D]) {
        let whole = self.whole();
        (whole.origin, whole.node(whole.cells))
    }

    /// The unit square or cube in `size` cells along each axis.
    pub fn unit(size: usize) -> Result<Self, GridError> {
        Self::new([size; D], 1.0 / size as f64, [0.0; D])
    }

    /// Cells along each axis.
    pub fn cells(&self) -> [usize; D] {
        self.cells
    }

    /// Edge length of a cell.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// A point in units of cells from the first one.
    #[inline(always)]
    pub fn in_cells(&self, mut point: [f64; D]) -> [f64; D] {
        for axis in 0..D {
            point[axis] = self.in_cells_along(axis, point[axis]);
        }
        point
    }

    /// One coordinate of it.
    #[inline(always)]
    pub fn in_cells_along(&self, axis: usize, coordinate: f64) -> f64 {
        (coordinate - self.origin[axis]) * self.inverse_spacing - self.before[axis]
    }

    /// Lower corner of the whole.
    pub fn origin(&self) -> [f64; D] {
        self.origin
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.iter().product()
    }

    /// Always false: a lattice has at least one cell.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Number of faces across `axis`, along each axis.
    ///
    /// Face f lies between cell f − 1 and cell f along `axis`.
    pub fn faces(&self, axis: usize) -> [usize; D] {
        let mut faces = self.cells;
        faces[axis] += 1;
        faces
    }

    /// Index of a cell in memory.
    #[inline]
    pub fn index(&self, cell: [usize; D]) -> usize {
        linear_index(self.cells, cell)
    }

    /// All cells in memory order. Use it in set-up and tests; hot loops iterate over rows.
    pub fn iter(&self) -> impl Iterator<Item = [usize; D]> + use<D> {
        multi_indices(self.cells)
    }

    /// Centre of a cell.
    pub fn centre(&self, cell: [usize; D]) -> [f64; D] {
        let place = |axis: usize| self.before[axis] + cell[axis] as f64;
        std::array::from_fn(|axis| self.origin[axis] + (place(axis) + 0.5) * self.spacing)
    }

    /// Lower corner of a cell.
    pub fn node(&self, node: [usize; D]) -> [f64; D] {
        std::array::from_fn(|axis| self.origin[axis] + (self.before[axis] + node[axis] as f64) * self.spacing)
    }

    /// Centre of a face across `axis`.
    pub fn face_centre(&self, axis: usize, face: [usize; D]) -> [f64; D] {
        let mut centre = self.centre(face);
        centre[axis] -= 0.5 * self.spacing;
        centre
    }

    /// The neighbouring cell along `axis`, upwards or downwards; none beyond the border.
    #[inline]
    pub fn neighbour(&self, mut cell: [usize; D], axis: usize, upwards: bool) -> Option<[usize; D]> {
        cell[axis] = if upwards { cell[axis] + 1 } else { cell[axis].checked_sub(1)? };
        (cell[axis] < self.cells[axis]).then_some(cell)
    }

    /// The cells that share a face with a cell.
    pub fn neighbours(&self, cell: [usize; D]) -> impl Iterator<Item = [usize; D]> + use<D> {
        let grid = *self;
        (0..2 * D).filter_map(move |side| grid.neighbour(cell, side / 2, side % 2 == 1))
    }
}

/// Index in memory of a place on a lattice of any shape.
#[inline]
pub fn linear_index<const D: usize>(shape: [usize; D], place: [usize; D]) -> usize {
    debug_assert!((0..D).all(|axis| place[axis] < shape[axis]), "{place:?} lies outside {shape:?}");
    (0..D).rev().fold(0, |index, axis| index * shape[axis] + place[axis])
}

/// The place of the value at `index` in memory.
#[inline]
pub fn multi_index<const D: usize>(shape: [usize; D], mut index: usize) -> [usize; D] {
    std::array::from_fn(|axis| {
        let place = index % shape[axis];
        index /= shape[axis];
        place
    })
}

pub(crate) fn multi_indices<const D: usize>(shape: [usize; D]) -> impl Iterator<Item = [usize; D]> {
    let count = shape.iter().product();
    let mut next = [0; D];
    (0..count).map(move |_| {
        let current = next;
        for axis in 0..D {
            next[axis] += 1;
            if next[axis] < shape[axis] {
                break;
            }
            next[axis] = 0;
        }
        current
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_visited_in_memory_order() {
        let grid = Grid::new([3, 2, 2], 1.0, [0.0; 3]).unwrap();
        assert!(grid.iter().enumerate().all(|(place, cell)| grid.index(cell) == place));
        assert!(grid.iter().enumerate().all(|(place, cell)| multi_index(grid.cells(), place) == cell));
        assert_eq!(grid.iter().count(), grid.len());
    }

    #[test]
    fn neighbours_end_at_the_border() {
        let grid = Grid::<2>::unit(4).unwrap();
        assert_eq!(grid.neighbour([0, 1], 0, false), None);
        assert_eq!(grid.neighbour([3, 1], 0, true), None);
        assert_eq!(grid.neighbour([3, 1], 1, true), Some([3, 2]));
    }

    #[test]
    fn points_of_a_part_have_the_bits_of_the_whole() {
        let whole = Grid::<3>::new([9, 20, 33], 0.1 / 3.0, [0.1, -0.7, 1e-3]).unwrap();
        let part = whole.part([0, 8, 16], [9, 5, 11]);
        for cell in part.iter() {
            let there = [cell[0], cell[1] + 8, cell[2] + 16];
            assert_eq!(part.centre(cell), whole.centre(there));
            assert_eq!((part.node(cell), part.face_centre(2, cell)), (whole.node(there), whole.face_centre(2, there)));
            let point = part.centre(cell).map(|value| value + 0.0123);
            let (here, there) = (part.in_cells(point), whole.in_cells(point));
            assert_eq!(here.map(f64::fract), there.map(f64::fract));
            assert!((0..3).all(|axis| here[axis] + part.first()[axis] as f64 == there[axis]));
        }
        assert_eq!((part.whole(), part.first(), part.part([0, 1, 2], [1; 3]).first()), (whole, [0, 8, 16], [0, 9, 18]));
    }

    #[test]
    fn an_impossible_lattice_is_refused() {
        assert!(Grid::<2>::unit(0).is_err());
        assert!(Grid::<3>::unit(usize::MAX / 2).is_err());
        assert!(Grid::new([1, 1], f64::NAN, [0.0; 2]).is_err());
    }
}
