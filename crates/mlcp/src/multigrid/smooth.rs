//! Gauss–Seidel sweeps, plain and projected.

use unstick_parallel as parallel;

use super::sparse::SquareMatrix;

/// Which way a sweep runs. Post-smoothing runs against pre-smoothing, so that a cycle is symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sweep {
    Forward,
    Backward,
}

/// Relaxes every row once. `clamp` gets the row and its new value and returns the value to store.
///
/// With `red`, rows below it are coupled with rows from it on only: each of the two halves is relaxed
/// at once, on all threads. Without, rows follow one another.
pub(crate) fn sweep(
    matrix: &SquareMatrix,
    red: Option<usize>,
    way: Sweep,
    b: &[f64],
    x: &mut [f64],
    clamp: impl Fn(usize, f64) -> f64 + Sync,
) {
    let Some(red) = red else {
        let relax = |row: usize| x[row] = relaxed(matrix, row, b, x, &clamp);
        return match way {
            Sweep::Forward => (0..b.len()).for_each(relax),
            Sweep::Backward => (0..b.len()).rev().for_each(relax),
        };
    };
    for is_first in [true, false] {
        let (reds, blacks) = x.split_at_mut(red);
        match (way == Sweep::Forward) == is_first {
            true => relax_half(matrix, 0, b, reds, blacks, red, &clamp),
            false => relax_half(matrix, red, b, blacks, reds, 0, &clamp),
        }
    }
}

/// The new value of a row, all others given.
#[inline]
pub(crate) fn relaxed(
    matrix: &SquareMatrix,
    row: usize,
    b: &[f64],
    x: &[f64],
    clamp: &impl Fn(usize, f64) -> f64,
) -> f64 {
    clamp(row, matrix.inverse[row] * (b[row] - matrix.off.row_dot(row, x, 0)))
}

/// Relaxes the rows from `first` on, which are coupled with columns from `first_other` on.
fn relax_half(
    matrix: &SquareMatrix,
    first: usize,
    b: &[f64],
    own: &mut [f64],
    others: &[f64],
    first_other: usize,
    clamp: &(impl Fn(usize, f64) -> f64 + Sync),
) {
    parallel::for_each((0..own.len(), own), |(rows, own)| {
        for (row, x) in rows.zip(own) {
            let row = row + first;
            *x = clamp(row, matrix.inverse[row] * (b[row] - matrix.off.row_dot(row, others, first_other)));
        }
    });
}

/// No bound.
#[inline]
pub(crate) fn free(_: usize, value: f64) -> f64 {
    value
}
