//! Matrices from triplets and from rows.

use unstick_parallel::binary::shift_all;

use super::CsrMatrix;
use crate::error::MatrixError;

impl CsrMatrix<'_> {
    /// All entries times 2^exponent.
    pub(crate) fn shifted(&self, exponent: i32) -> CsrMatrix<'static> {
        let mut shifted = self.clone().into_owned();
        shift_all(exponent, shifted.values.to_mut());
        shift_all(exponent, &mut shifted.diagonal);
        shifted
    }
}

impl CsrMatrix<'static> {
    /// Sorts (row, column, value) triplets into rows; entries of the same place are added up, in input order.
    ///
    /// ```
    /// use unstick_mlcp::CsrMatrix;
    /// let matrix = CsrMatrix::from_triplets(2, [(0, 0, 1.0), (1, 1, 2.0), (0, 0, 0.5)])?;
    /// assert_eq!(matrix.entry(0, 0), 1.5);
    /// # Ok::<(), unstick_mlcp::MatrixError>(())
    /// ```
    pub fn from_triplets(
        rows: usize,
        triplets: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Self, MatrixError> {
        let triplets: Vec<_> = triplets.into_iter().collect();
        if rows > u32::MAX as usize || triplets.len() > u32::MAX as usize {
            return Err(MatrixError::TooLarge { rows, entries: triplets.len() });
        }
        let mut counts = vec![0u32; rows + 1];
        for &(row, column, _) in &triplets {
            if row >= rows || column >= rows {
                return Err(MatrixError::ColumnOutOfRange { row, column, rows });
            }
            counts[row + 1] += 1;
        }
        for row in 0..rows {
            counts[row + 1] += counts[row];
        }
        let mut next = counts.clone();
        let mut loose = vec![(0u32, 0.0); triplets.len()];
        for (row, column, value) in triplets {
            loose[next[row] as usize] = (column as u32, value);
            next[row] += 1;
        }
        let mut starts = vec![0u32];
        let mut columns = Vec::with_capacity(loose.len());
        let mut values: Vec<f64> = Vec::with_capacity(loose.len());
        for window in counts.windows(2) {
            let row = &mut loose[window[0] as usize..window[1] as usize];
            row.sort_by_key(|&(column, _)| column);
            let row_start = columns.len();
            for &mut (column, value) in row {
                if columns.len() > row_start && columns.last() == Some(&column) {
                    *values.last_mut().expect("a column has a value") += value;
                } else {
                    columns.push(column);
                    values.push(value);
                }
            }
            starts.push(columns.len() as u32);
        }
        Self::from_raw(starts, columns, values)
    }

    /// Builds the matrix row by row: `fill` pushes the (column, value) pairs of a row, columns
    /// ascending. Needs no more memory than the matrix.
    pub fn from_rows(rows: usize, mut fill: impl FnMut(usize, &mut Vec<(usize, f64)>)) -> Result<Self, MatrixError> {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0u32);
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        let mut entries = Vec::new();
        for row in 0..rows {
            entries.clear();
            fill(row, &mut entries);
            columns.extend(entries.iter().map(|&(column, _)| column as u32));
            values.extend(entries.iter().map(|&(_, value)| value));
            let end = u32::try_from(columns.len());
            starts.push(end.map_err(|_| MatrixError::TooLarge { rows, entries: columns.len() })?);
        }
        Self::from_raw(starts, columns, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triplets_may_come_in_any_order() {
        let matrix = CsrMatrix::from_triplets(2, [(1, 1, 4.0), (0, 1, 2.0), (1, 0, 2.0), (0, 0, 1.0)]).unwrap();
        assert_eq!(matrix.columns(), [0, 1, 0, 1]);
        assert_eq!(matrix.values(), [1.0, 2.0, 2.0, 4.0]);
    }

    #[test]
    fn a_place_outside_the_matrix_is_refused() {
        assert!(CsrMatrix::from_triplets(2, [(2, 0, 1.0)]).is_err());
    }
}
