//! Fields: values on a lattice.

use crate::grid::{Grid, linear_index};

/// A value in every cell (or on every face across one axis) of a lattice.
#[derive(Clone, Debug, PartialEq)]
pub struct CellField<T, const D: usize> {
    shape: [usize; D],
    values: Vec<T>,
}

/// One field per axis, on the faces across that axis: velocities and open fractions of a staggered grid.
pub type FaceField<T, const D: usize> = [CellField<T, D>; D];

impl<T, const D: usize> CellField<T, D> {
    /// A field on the cells of `grid`, filled from their multi-indices.
    pub fn from_fn(grid: &Grid<D>, value: impl FnMut([usize; D]) -> T) -> Self {
        Self::of_shape(grid.cells(), value)
    }

    /// A field of any shape, filled from multi-indices.
    pub fn of_shape(shape: [usize; D], value: impl FnMut([usize; D]) -> T) -> Self {
        Self { shape, values: crate::grid::multi_indices(shape).map(value).collect() }
    }

    /// A field of any shape with the same value everywhere.
    pub fn filled(shape: [usize; D], value: T) -> Self
    where
        T: Clone,
    {
        Self { shape, values: vec![value; shape.iter().product()] }
    }

    /// The same field in memory of its own, which all threads write: a clone is written by one.
    pub fn copied(&self) -> Self
    where
        T: Copy + Send + Sync,
    {
        Self { shape: self.shape, values: unstick_parallel::copied(&self.values) }
    }

    /// Values along each axis.
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// All values, axis 0 fastest.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, mutable.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The lines along axis 0, for hot loops.
    pub fn rows(&self) -> impl Iterator<Item = &[T]> {
        self.values.chunks_exact(self.shape[0])
    }

    /// The value at a multi-index.
    #[inline]
    pub fn at(&self, place: [usize; D]) -> T
    where
        T: Copy,
    {
        self.values[linear_index(self.shape, place)]
    }

    /// The value at a multi-index, mutable.
    #[inline]
    pub fn at_mut(&mut self, place: [usize; D]) -> &mut T {
        &mut self.values[linear_index(self.shape, place)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_read_where_it_was_written() {
        let grid = Grid::new([3, 2], 1.0, [0.0; 2]).unwrap();
        let mut field = CellField::from_fn(&grid, |cell| cell[0] + 10 * cell[1]);
        assert_eq!(field.at([2, 1]), 12);
        *field.at_mut([2, 1]) = 7;
        assert_eq!(field.rows().collect::<Vec<_>>(), [[0, 1, 2], [10, 11, 7]]);
    }
}
