//! The coarsest level, solved by a dense factorisation A = L D Lᵀ.

use super::sparse::SquareMatrix;

/// A pivot below this part of the diagonal is rounding: its unknown is determined by the others up
/// to a constant, and is set to zero.
const ROUNDING: f64 = 1e-11;

/// L below the diagonal, row by row, and D⁻¹.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factors {
    lower: Vec<f64>,
    inverse_pivots: Vec<f64>,
}

impl Factors {
    /// Factorises a small matrix, positive semi-definite.
    pub fn of(matrix: &SquareMatrix) -> Self {
        let size = matrix.rows();
        let mut lower = vec![0.0; size * size];
        let mut inverse_pivots = vec![0.0; size];
        for row in 0..size {
            matrix.off.row(row).filter(|&(column, _)| column < row).for_each(|(column, value)| {
                lower[row * size + column] = value;
            });
            let mut pivot = matrix.diagonal[row];
            let (above, own) = lower.split_at_mut(row * size);
            for column in 0..row {
                // own[column] becomes L D; what was divided out is subtracted column by column.
                let known: f64 = own[..column].iter().zip(&above[column * size..]).map(|(a, b)| a * b).sum();
                own[column] -= known;
            }
            for column in 0..row {
                let scaled = own[column] * inverse_pivots[column];
                pivot -= own[column] * scaled;
                own[column] = scaled;
            }
            inverse_pivots[row] = if pivot > ROUNDING * matrix.diagonal[row] { 1.0 / pivot } else { 0.0 };
        }
        Self { lower, inverse_pivots }
    }

    /// x ← A⁻¹ b; zero where A is singular.
    pub fn solve(&self, b: &[f64], x: &mut [f64]) {
        let size = self.inverse_pivots.len();
        for row in 0..size {
            let known: f64 = self.lower[row * size..row * size + row].iter().zip(&*x).map(|(l, x)| l * x).sum();
            x[row] = b[row] - known;
        }
        for row in (0..size).rev() {
            x[row] *= self.inverse_pivots[row];
            for below in row + 1..size {
                x[row] -= self.lower[below * size + row] * x[below];
            }
            if self.inverse_pivots[row] == 0.0 {
                x[row] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sparse::Sparse;
    use super::*;

    /// A ring of five with couplings of one, `anchor` on its first unknown.
    fn ring(anchor: f64) -> SquareMatrix {
        let mut off = Sparse::new(5);
        for row in 0..5u32 {
            off.push((row + 1) % 5, -1.0);
            off.push((row + 4) % 5, -1.0);
            off.end_row();
        }
        let mut matrix = SquareMatrix::zeros(off);
        matrix.diagonal.fill(2.0);
        matrix.diagonal[0] += anchor;
        matrix
    }

    fn residual(matrix: &SquareMatrix, b: &[f64], x: &[f64]) -> f64 {
        (0..5).map(|row| (matrix.row_dot(row, x) - b[row]).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn an_anchored_ring_is_solved() {
        let (matrix, b, mut x) = (ring(1e-3), [1.0, 2.0, -3.0, 0.5, 0.1], [0.0; 5]);
        Factors::of(&matrix).solve(&b, &mut x);
        assert!(residual(&matrix, &b, &x) < 1e-9);
    }

    #[test]
    fn a_closed_ring_is_solved_where_it_can_be() {
        let (matrix, b, mut x) = (ring(0.0), [1.0, 2.0, -3.0, 0.5, -0.5], [0.0; 5]);
        Factors::of(&matrix).solve(&b, &mut x);
        assert!(residual(&matrix, &b, &x) < 1e-12 && x[4] == 0.0);
    }
}
