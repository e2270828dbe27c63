//! The pressure equation discretised on coarse levels, in the spirit of Chentanez and Müller \[Lai2021, sec. 5.3.1\].
//!
//! Between two cells of size 2h the gradient is taken over twice the distance and the flow runs
//! through the mean opening of 2^{D−1} finer faces: half the sum of the finer couplings. A cell is
//! liquid where any finer one is. Air at a distance θ from a fine centre is a conductance s = 1/θ; it
//! is half a fine cell further from the coarse centre, so that it becomes 1/(θ + ½) = s/(1 + s/2).

use super::sparse::{Sparse, SquareMatrix};

/// Part of the diagonals of its rows below which a cell does not count.
const WEIGHTLESS: f64 = 1e-6;

/// Replaces the diagonal of a coarse matrix, whose couplings are halved sums, by those couplings and
/// what leads to air. `unit` is the coupling of two cells whose face is open, on the fine level.
pub(crate) fn set_diagonal(
    fine: &SquareMatrix,
    weights: &[f64],
    members: &Sparse,
    unit: f64,
    coarse: &mut SquareMatrix,
    due: impl Fn(usize) -> bool,
) {
    let weight = |row: usize| if weights.is_empty() { 1.0 } else { weights[row] };
    let to_air = |row: usize| {
        let sum: f64 = fine.row(row).map(|(column, value)| weight(column) * value).sum();
        let conductance = weight(row) * sum;
        let rounding = 1e-12 * fine.diagonal[row];
        if conductance > rounding { conductance / (1.0 + 0.5 * conductance / unit) } else { 0.0 }
    };
    for row in (0..coarse.rows()).filter(|&row| due(row)) {
        let couplings: f64 = coarse.off.row(row).map(|(_, value)| value.abs()).sum();
        let diagonal = couplings + members.row(row).map(|(fine, _)| to_air(fine)).sum::<f64>();
        // Rows behind stiff springs have almost no weight, and so have cells that consist of such rows.
        let expected: f64 = members.row(row).map(|(row, _)| fine.diagonal[row]).sum();
        let diagonal = if diagonal > WEIGHTLESS * expected { diagonal } else { 0.0 };
        coarse.diagonal[row] = diagonal;
        coarse.inverse[row] = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
    }
}
