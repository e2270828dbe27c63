//! The modes of one axis, and the transform of values into modes and back.

use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, SymmetricEigen};
use rayon::prelude::*;

use crate::axis_operator::AxisOperator;

/// Lines, or columns, that one matrix product works on: enough for the product to run from the cache.
const BATCH: usize = 64;

/// V with V^T M V = I and V^T K V = Λ.
pub(super) struct Modes {
    pub eigenvalues: Vec<f64>,
    /// V, and V^T.
    back: DMatrix<f64>,
    forward: DMatrix<f64>,
}

impl Modes {
    pub fn new(operator: &AxisOperator) -> Self {
        let length = operator.len();
        let mut matrix = DMatrix::zeros(length, length);
        let couple = |i: usize, j: usize| 1.0 / (operator.mass[i] * operator.mass[j]).sqrt();
        for i in (0..length).filter(|&i| operator.is_free[i]) {
            matrix[(i, i)] = operator.diagonal[i] * couple(i, i);
            for (j, weight) in [(operator.before(i), operator.lower[i]), (operator.after(i), operator.upper[i])] {
                if operator.is_free[j] && weight != 0.0 {
                    matrix[(i, j)] -= weight * couple(i, j);
                }
            }
        }
        let eigen = SymmetricEigen::new(matrix);
        let largest = eigen.eigenvalues.max();
        // Without known values the constant has the eigenvalue zero: rounding is removed.
        let eigenvalues = eigen.eigenvalues.iter().map(|&value| if value < 1e-12 * largest { 0.0 } else { value });
        let eigenvalues = eigenvalues.collect();
        let mut back = eigen.eigenvectors;
        for (i, mut row) in back.row_iter_mut().enumerate() {
            row /= operator.mass[i].sqrt();
        }
        Self { eigenvalues, forward: back.transpose(), back }
    }

    /// `out` ← the values `x` as modes along an axis, or back. Neighbours along the axis lie `inner` values apart.
    pub fn apply(&self, is_back: bool, inner: usize, x: &[f64], out: &mut [f64]) {
        let length = self.eigenvalues.len();
        if inner == 1 {
            let matrix = if is_back { &self.back } else { &self.forward };
            let operators = x.par_chunks(BATCH * length).zip(out.par_chunks_mut(BATCH * length));
            operators.for_each(|(x, out)| {
                let count = x.len() / length;
                let x = DMatrixView::from_slice(x, length, count);
                DMatrixViewMut::from_slice(out, length, count).gemm(1.0, matrix, &x, 0.0);
            });
            return;
        }
        // The transform acts on the columns of a plane: out = X V or X V^T.
        let matrix = if is_back { &self.forward } else { &self.back };
        let planes = x.par_chunks(inner * length).zip(out.par_chunks_mut(inner * length));
        planes.for_each(|(x, out)| {
            let x = DMatrixView::from_slice(x, inner, length);
            out.par_chunks_mut(inner * BATCH).enumerate().for_each(|(batch, out)| {
                let columns = out.len() / inner;
                let matrix = matrix.columns(batch * BATCH, columns);
                DMatrixViewMut::from_slice(out, inner, columns).gemm(1.0, &x, &matrix, 0.0);
            });
        });
    }
}
