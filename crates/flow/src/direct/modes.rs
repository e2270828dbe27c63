//! The modes of one axis, and values turned into them.

use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut, SymmetricEigen};
use rayon::prelude::*;

use crate::line::Line;

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
    pub fn new(line: &Line) -> Self {
        let length = line.len();
        let mut matrix = DMatrix::zeros(length, length);
        let couple = |i: usize, j: usize| 1.0 / (line.mass[i] * line.mass[j]).sqrt();
        for i in (0..length).filter(|&i| line.is_free[i]) {
            matrix[(i, i)] = line.diagonal[i] * couple(i, i);
            for (j, weight) in [(line.before(i), line.lower[i]), (line.after(i), line.upper[i])] {
                if line.is_free[j] && weight != 0.0 {
                    matrix[(i, j)] -= weight * couple(i, j);
                }
            }
        }
        let eigen = SymmetricEigen::new(matrix);
        let largest = eigen.eigenvalues.max();
        // The constant of a line without known values has the eigenvalue zero, and is given it.
        let eigenvalues = eigen.eigenvalues.iter().map(|&value| if value < 1e-12 * largest { 0.0 } else { value });
        let eigenvalues = eigenvalues.collect();
        let mut back = eigen.eigenvectors;
        for (i, mut row) in back.row_iter_mut().enumerate() {
            row /= line.mass[i].sqrt();
        }
        Self { eigenvalues, forward: back.transpose(), back }
    }

    /// `out` ← the values `x` as modes along an axis, or the other way; `inner` values lie between neighbours.
    pub fn apply(&self, is_back: bool, inner: usize, x: &[f64], out: &mut [f64]) {
        let length = self.eigenvalues.len();
        if inner == 1 {
            let matrix = if is_back { &self.back } else { &self.forward };
            let lines = x.par_chunks(BATCH * length).zip(out.par_chunks_mut(BATCH * length));
            lines.for_each(|(x, out)| {
                let count = x.len() / length;
                let x = DMatrixView::from_slice(x, length, count);
                DMatrixViewMut::from_slice(out, length, count).gemm(1.0, matrix, &x, 0.0);
            });
            return;
        }
        // Columns of a plane are mixed: out = X V or X V^T.
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
