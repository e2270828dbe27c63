//! Properties of a matrix: symmetry, a positive diagonal, the M-matrix property.

use std::ops::Range;

use unstick_parallel as parallel;

use super::CsrMatrix;
use crate::error::MatrixError;
use crate::fingerprint::{self, mix};
use crate::operator::LinearOperator;

/// Rounding that an assembled symmetric matrix may show, relative to the larger diagonal entry.
const ROUNDING: f64 = 1e-12;

/// Why a matrix is not a (weakly diagonally dominant) M-matrix [Lai2021, appendix A].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MMatrixDefect {
    /// An off-diagonal entry is positive.
    #[error("entry ({row}, {column}) is positive: {value:e}")]
    PositiveOffDiagonal {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// The off-diagonal entries of a row outweigh its diagonal.
    #[error("row {row} sums to {sum:e}: its diagonal does not dominate")]
    NotDominant {
        /// The row.
        row: usize,
        /// A_ii + Σ_{j≠i} A_ij, negative.
        sum: f64,
    },
}

impl CsrMatrix<'_> {
    /// What was prepared for a matrix recognises it by this number. Costs about as much as a product.
    #[doc(hidden)]
    pub fn fingerprint(&self) -> u64 {
        let parts = [
            fingerprint::of(self.starts(), |&start| start as u64),
            fingerprint::of(self.columns(), |&column| column as u64),
            fingerprint::of(self.values(), |value| value.to_bits()),
        ];
        parts.into_iter().fold(self.rows() as u64, mix)
    }

    /// Every A_ij = A_ji up to rounding and every A_ii > 0, as all solvers assume.
    ///
    /// Costs about as much as a few products; done once when a matrix comes from outside.
    pub fn check_symmetric_positive(&self) -> Result<(), MatrixError> {
        // Where each entry behind the diagonal has a mirror, and there are as many before it, none is missing.
        let half = |rows: Range<usize>| {
            let (mut behind, mut before) = (0usize, 0usize);
            for row in rows {
                self.check_row(row, |column| column > row)?;
                let columns = &self.columns()[self.range(row)];
                let split = columns.partition_point(|&column| (column as usize) < row);
                let own = columns.get(split).is_some_and(|&column| column as usize == row) as usize;
                (before, behind) = (before + split, behind + columns.len() - split - own);
            }
            Ok((behind, before))
        };
        let add = |one: Result<(usize, usize), MatrixError>, next: Result<(usize, usize), MatrixError>| {
            let (one, next) = (one?, next?);
            Ok((one.0 + next.0, one.1 + next.1))
        };
        if parallel::fold(0..self.rows(), &half, &add).is_ok_and(|(behind, before)| behind == before) {
            return Ok(());
        }
        (0..self.rows()).try_for_each(|row| self.check_row(row, |_| true))
    }

    /// The diagonal of a row, and the mirrors of the entries in some columns.
    fn check_row(&self, row: usize, is_looked_at: impl Fn(usize) -> bool) -> Result<(), MatrixError> {
        let diagonal = self.diagonal()[row];
        if diagonal <= 0.0 {
            return Err(MatrixError::Diagonal { row, value: diagonal });
        }
        for (column, value) in self.row(row).filter(|&(column, _)| is_looked_at(column)) {
            let mirror = self.entry(column, row);
            let scale = diagonal.max(self.diagonal()[column]);
            if (value - mirror).abs() > ROUNDING * scale {
                return Err(MatrixError::NotSymmetric { row, column, value, mirror });
            }
        }
        Ok(())
    }

    /// The first reason why this is not an M-matrix, if there is one.
    ///
    /// On an M-matrix `policy` and `penalty` converge monotonically and incomplete factorisations
    /// cannot break down; otherwise they rely on their safeguards.
    pub fn m_matrix_defect(&self) -> Option<MMatrixDefect> {
        (0..self.rows()).find_map(|row| {
            let rounding = ROUNDING * self.diagonal()[row];
            let positive = self.row(row).find(|&(column, value)| column != row && value > rounding);
            if let Some((column, value)) = positive {
                return Some(MMatrixDefect::PositiveOffDiagonal { row, column, value });
            }
            let sum: f64 = self.row(row).map(|(_, value)| value).sum();
            (sum < -rounding).then_some(MMatrixDefect::NotDominant { row, sum })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asymmetry_and_bad_diagonals_are_named() {
        let skew = CsrMatrix::from_triplets(2, [(0, 0, 1.0), (0, 1, -0.5), (1, 1, 1.0)]).unwrap();
        let message = skew.check_symmetric_positive().unwrap_err().to_string();
        assert_eq!(message, "the matrix is not symmetric: entry (0, 1) is -0.5, entry (1, 0) is 0");
        let flat = CsrMatrix::from_triplets(2, [(0, 0, 1.0)]).unwrap();
        let message = flat.check_symmetric_positive().unwrap_err().to_string();
        assert_eq!(message, "the diagonal of row 1 is 0, expected a positive number");
    }

    #[test]
    fn the_m_matrix_property_is_recognised() {
        let laplacian = CsrMatrix::from_triplets(2, [(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)]).unwrap();
        assert_eq!(laplacian.m_matrix_defect(), None);
        let coupled = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 2.0)]).unwrap();
        assert!(matches!(
            coupled.m_matrix_defect(),
            Some(MMatrixDefect::PositiveOffDiagonal { row: 0, column: 1, .. })
        ));
    }
}
