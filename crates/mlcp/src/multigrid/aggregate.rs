//! Coarsening without a lattice: smoothed aggregation.
//!
//! Rows that are strongly coupled are gathered around a root into aggregates, each of which becomes
//! an unknown. Interpolation is constant on an aggregate and smoothed once by damped Jacobi: P = (I − ω D⁻¹ A) P₀.
//! Smoothing is what keeps the number of cycles from
//! growing with the problem. For M-matrices P has no negative entries.

use super::sites::NONE;
use super::sparse::{Sparse, SquareMatrix};

/// Couplings count as strong from this part of √(a_ii a_jj) on, half of it on every further level:
/// rows have more and weaker couplings there. The values of the literature.
const STRENGTH: f64 = 0.08;

/// Aggregate of every row; NONE for rows without strong couplings, which relaxing solves.
fn aggregates(matrix: &SquareMatrix, level: usize) -> (Vec<u32>, usize) {
    let rows = matrix.rows();
    let strength = STRENGTH * 0.5f64.powi(level as i32);
    let is_strong = |row: usize, column: usize, value: f64| {
        value != 0.0 && value * value >= strength * strength * matrix.diagonal[row] * matrix.diagonal[column]
    };
    let strong = |row: usize| {
        matrix.off.row(row).filter(move |&(column, value)| is_strong(row, column, value)).map(|(column, _)| column)
    };
    let mut aggregate = vec![NONE; rows];
    let mut count = 0;
    // Roots: rows none of whose neighbours is taken.
    for row in 0..rows {
        let mut around = strong(row).peekable();
        let is_root = aggregate[row] == NONE && around.peek().is_some() && around.all(|other| aggregate[other] == NONE);
        if is_root {
            aggregate[row] = count;
            strong(row).for_each(|other| aggregate[other] = count);
            count += 1;
        }
    }
    // Rows beside an aggregate join the one they are coupled with most.
    let roots = aggregate.clone();
    for row in (0..rows).filter(|&row| roots[row] == NONE) {
        let beside = matrix.off.row(row).filter(|&(other, value)| roots[other] != NONE && is_strong(row, other, value));
        let most = beside.max_by(|one, other| one.1.abs().total_cmp(&other.1.abs()));
        aggregate[row] = most.map_or(NONE, |(other, _)| roots[other]);
    }
    // The remaining rows form new aggregates.
    for row in 0..rows {
        if aggregate[row] == NONE && strong(row).next().is_some() {
            aggregate[row] = count;
            strong(row).for_each(|other| {
                if aggregate[other] == NONE {
                    aggregate[other] = count;
                }
            });
            count += 1;
        }
    }
    (aggregate, count as usize)
}

/// P from below a `level`, or None where nothing can be gathered.
pub(crate) fn interpolation(matrix: &SquareMatrix, level: usize) -> Option<Sparse> {
    let (aggregate, count) = aggregates(matrix, level);
    if count == 0 {
        return None;
    }
    let damping = 4.0 / 3.0 / scaled_norm(matrix);
    let mut p = Sparse::new(count);
    let mut place_of = vec![usize::MAX; count];
    for row in 0..matrix.rows() {
        let start = p.columns.len();
        let step = damping * matrix.inverse[row];
        for (other, value) in matrix.row(row) {
            let part = if other == row { 1.0 } else { 0.0 } - step * value;
            let target = aggregate[other];
            if target != NONE && part != 0.0 {
                p.add(start, &mut place_of, target, part);
            }
        }
        p.end_row();
    }
    Some(p)
}

/// An upper bound of the largest eigenvalue of D⁻¹ A.
fn scaled_norm(matrix: &SquareMatrix) -> f64 {
    let row_sum = |row: usize| matrix.inverse[row] * matrix.row(row).map(|(_, value)| value.abs()).sum::<f64>();
    (0..matrix.rows()).map(row_sum).fold(1.0, f64::max)
}
