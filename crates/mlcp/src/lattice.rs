//! Where the rows of a problem lie on a grid.

use std::ops::Range;

use unstick_parallel as parallel;

use crate::csr::CsrMatrix;

/// The cell of each row on a grid of two or three dimensions.
///
/// Rows and cells ascend together: cells are numbered x + nx (y + ny z), and a later row has a
/// later cell. This is what lets multigrid coarsen by geometry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    shape: Vec<usize>,
    cells: Vec<u32>,
}

impl Lattice {
    /// None unless the shape has two or three positive counts, fits 32 bits, and the cells ascend
    /// strictly within it.
    ///
    /// ```
    /// use unstick_mlcp::Lattice;
    /// let lattice = Lattice::new(&[3, 2], vec![0, 1, 4]).unwrap();
    /// assert_eq!(lattice.place(2), [1, 1, 0]);
    /// assert_eq!(Lattice::new(&[3, 2], vec![1, 0]), None);
    /// ```
    pub fn new(shape: &[usize], cells: Vec<u32>) -> Option<Self> {
        let is_shape = matches!(shape.len(), 2 | 3) && !shape.contains(&0);
        let size = shape.iter().try_fold(1usize, |size, &count| size.checked_mul(count))?;
        let fits = is_shape && size <= u32::MAX as usize && cells.last().is_none_or(|&last| (last as usize) < size);
        (fits && cells.is_sorted_by(|one, next| one < next)).then(|| Self { shape: shape.to_vec(), cells })
    }

    /// Cells along each axis; two or three numbers.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Number of axes.
    pub fn dimension(&self) -> usize {
        self.shape.len()
    }

    /// Cell of each row, ascending.
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// The list of cells, taken apart.
    pub(crate) fn into_cells(self) -> Vec<u32> {
        self.cells
    }

    /// Coordinates of the cell of a row; the third is zero in the plane.
    pub fn place(&self, row: usize) -> [usize; 3] {
        let cell = self.cells[row] as usize;
        let (nx, ny) = (self.shape[0], self.shape[1]);
        [cell % nx, cell / nx % ny, cell / (nx * ny)]
    }

    /// Whether a matrix couples each cell with nothing but its face neighbours.
    pub fn couples_neighbours_only(&self, matrix: &CsrMatrix) -> bool {
        matrix.rows() == self.cells.len() && self.first_coupling_beyond_neighbours(matrix).is_none()
    }

    /// Row and column of the first coupling that joins other cells than face neighbours.
    ///
    /// # Panics
    /// If the matrix has more rows than there are cells.
    pub fn first_coupling_beyond_neighbours(&self, matrix: &CsrMatrix) -> Option<(usize, usize)> {
        let strides = [1, self.shape[0], self.shape[0] * self.shape[1]];
        let first = |mut rows: Range<usize>| {
            rows.find_map(|row| {
                let place = self.place(row);
                let is_far = |&(column, value): &(usize, f64)| {
                    let step = self.cells[column] as i64 - self.cells[row] as i64;
                    let is_neighbour = |axis: usize| {
                        let other = place[axis] as i64 + step.signum();
                        step.unsigned_abs() as usize == strides[axis] && (0..self.shape[axis] as i64).contains(&other)
                    };
                    column != row && value != 0.0 && !(0..self.dimension()).any(is_neighbour)
                };
                matrix.row(row).find(is_far).map(|(column, _)| (row, column))
            })
        };
        parallel::fold(0..matrix.rows(), &first, &|one, other| one.or(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_do_not_reach_around_the_border() {
        let lattice = Lattice::new(&[2, 2], vec![0, 1, 2, 3]).unwrap();
        let coupling = |one: usize, other: usize| {
            let diagonal = (0..4).map(|row| (row, row, 1.0));
            let pair = [(one, other, -0.5), (other, one, -0.5)];
            CsrMatrix::from_triplets(4, diagonal.chain(pair)).unwrap()
        };
        assert!(lattice.couples_neighbours_only(&coupling(0, 1)));
        assert!(lattice.couples_neighbours_only(&coupling(1, 3)));
        assert!(!lattice.couples_neighbours_only(&coupling(1, 2)));
        assert!(!lattice.couples_neighbours_only(&coupling(0, 3)));
    }
}
