//! Sparse rows whose values change in place, and the matrix of a level made of them.

use std::ops::Range;

use unstick_parallel as parallel;

/// Rows of (column, value) pairs; need not be square.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    width: usize,
    starts: Vec<u32>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
}

impl Sparse {
    /// No rows yet, of `width` columns.
    pub fn new(width: usize) -> Self {
        Self { width, starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Removes all rows; keeps the memory.
    pub fn clear(&mut self, width: usize) {
        self.width = width;
        self.starts.truncate(1);
        self.columns.clear();
        self.values.clear();
    }

    pub fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// Adds to the entry of a column in the row that began at `start`. `place_of` holds the last place of each column.
    pub fn add(&mut self, start: usize, place_of: &mut [usize], column: u32, value: f64) {
        let known = &mut place_of[column as usize];
        if *known != usize::MAX && *known >= start {
            self.values[*known] += value;
        } else {
            *known = self.columns.len();
            self.push(column, value);
        }
    }

    pub fn end_row(&mut self) {
        self.starts.push(self.columns.len() as u32);
    }

    /// Adds the rows of another matrix below.
    pub fn append(&mut self, other: Self) {
        let end = self.columns.len() as u32;
        self.starts.extend(other.starts[1..].iter().map(|start| end + start));
        self.columns.extend(other.columns);
        self.values.extend(other.values);
    }

    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn width(&self) -> usize {
        self.width
    }

    #[inline]
    pub fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    #[inline]
    pub fn row(&self, row: usize) -> impl DoubleEndedIterator<Item = (usize, f64)> + Clone + '_ {
        let range = self.range(row);
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(&column, &value)| (column as usize, value))
    }

    /// Σ_j a_ij x_j with columns counted from `first`.
    #[inline]
    pub fn row_dot(&self, row: usize, x: &[f64], first: usize) -> f64 {
        let range = self.range(row);
        let entries = self.columns[range.clone()].iter().zip(&self.values[range]);
        entries.map(|(&column, value)| value * x[column as usize - first]).sum()
    }

    /// The rows in another order: row k of the answer is row `order[k]` of this.
    pub fn permuted(&self, order: &[u32]) -> Self {
        let mut permuted = Self::new(self.width);
        permuted.columns.reserve(self.columns.len());
        permuted.values.reserve(self.values.len());
        for &row in order {
            let range = self.range(row as usize);
            permuted.columns.extend_from_slice(&self.columns[range.clone()]);
            permuted.values.extend_from_slice(&self.values[range]);
            permuted.end_row();
        }
        permuted
    }

    pub fn transposed(&self) -> Self {
        let mut transposed = Self::new(0);
        self.transpose(&mut transposed);
        transposed
    }

    /// Writes the transpose over `into`; keeps its memory.
    pub fn transpose(&self, into: &mut Self) {
        into.clear(self.rows());
        into.starts.resize(self.width + 1, 0);
        self.columns.iter().for_each(|&column| into.starts[column as usize + 1] += 1);
        (0..self.width).for_each(|column| into.starts[column + 1] += into.starts[column]);
        into.columns.resize(self.columns.len(), 0);
        into.values.resize(self.values.len(), 0.0);
        for row in 0..self.rows() {
            for (column, value) in self.row(row) {
                let place = &mut into.starts[column];
                into.columns[*place as usize] = row as u32;
                into.values[*place as usize] = value;
                *place += 1;
            }
        }
        // Every start has become that of the next row: they move back by one.
        into.starts.copy_within(0..self.width, 1);
        into.starts[0] = 0;
    }

    /// y ← (I + L)⁻¹ r for a lower triangle L. Each row waits for the one before, so the loop keeps that chain short:
    /// it multiplies and subtracts, and does not divide.
    pub fn forward(&self, r: &[f64], y: &mut [f64]) {
        for row in 0..r.len() {
            let mut value = r[row];
            for (column, l) in self.row(row) {
                value -= l * y[column];
            }
            y[row] = value;
        }
    }

    /// z ← (I + U)⁻¹ (d ⊗ z) for an upper triangle U; returns rᵀ z.
    pub fn backward(&self, scale: &[f64], r: &[f64], z: &mut [f64]) -> f64 {
        let mut total = 0.0;
        for row in (0..z.len()).rev() {
            let mut value = z[row] * scale[row];
            for (column, u) in self.row(row).rev() {
                value -= u * z[column];
            }
            z[row] = value;
            total += r[row] * value;
        }
        total
    }
}

/// A square matrix, its diagonal apart.
///
/// Where the diagonal vanishes, its inverse is zero, so the unknown stays zero: on pinned rows, and on closed
/// parts that have shrunk to one unknown.
#[derive(Clone, Debug)]
pub(crate) struct SquareMatrix {
    pub off: Sparse,
    pub diagonal: Vec<f64>,
    pub inverse: Vec<f64>,
}

impl SquareMatrix {
    /// Zeros on a pattern.
    pub fn zeros(off: Sparse) -> Self {
        let rows = off.rows();
        Self { off, diagonal: vec![0.0; rows], inverse: vec![0.0; rows] }
    }

    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// All entries of a row, the diagonal first.
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        std::iter::once((row, self.diagonal[row])).chain(self.off.row(row))
    }

    /// r ← b − A x; zero where the diagonal vanishes, so that no residual is restricted that cannot be corrected.
    pub fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64]) {
        parallel::for_each((0..b.len(), r), |(rows, r)| {
            for (row, r) in rows.zip(r) {
                *r = if self.inverse[row] > 0.0 { b[row] - self.row_dot(row, x) } else { 0.0 };
            }
        });
    }

    /// Σ_j a_ij x_j.
    #[inline]
    pub fn row_dot(&self, row: usize, x: &[f64]) -> f64 {
        self.diagonal[row] * x[row] + self.off.row_dot(row, x, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_changes_nothing() {
        let mut lower = Sparse::new(3);
        lower.end_row();
        lower.push(0, 1.0);
        lower.end_row();
        lower.push(0, 2.0);
        lower.push(1, 3.0);
        lower.end_row();
        let (mut upper, mut again) = (Sparse::new(9), Sparse::new(0));
        lower.transpose(&mut upper);
        assert_eq!(upper.row(0).collect::<Vec<_>>(), [(1, 1.0), (2, 2.0)]);
        upper.transpose(&mut again);
        assert_eq!(format!("{again:?}"), format!("{lower:?}"));
    }
}
