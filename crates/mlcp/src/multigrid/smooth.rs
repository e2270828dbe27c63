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
    match (red, way) {
        (Some(red), Sweep::Forward) => {
            relax_red(matrix, red, b, x, &clamp);
            relax_black(matrix, red, b, x, &clamp);
        }
        (Some(red), Sweep::Backward) => {
            relax_black(matrix, red, b, x, &clamp);
            relax_red(matrix, red, b, x, &clamp);
        }
        (None, Sweep::Forward) => (0..x.len()).for_each(|row| x[row] = relaxed(matrix, row, b, x, &clamp)),
        (None, Sweep::Backward) => (0..x.len()).rev().for_each(|row| x[row] = relaxed(matrix, row, b, x, &clamp)),
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

fn relax_red(matrix: &SquareMatrix, red: usize, b: &[f64], x: &mut [f64], clamp: &(impl Fn(usize, f64) -> f64 + Sync)) {
    let (own, others) = x.split_at_mut(red);
    relax_half(matrix, 0, b, own, others, red, clamp);
}

fn relax_black(
    matrix: &SquareMatrix,
    red: usize,
    b: &[f64],
    x: &mut [f64],
    clamp: &(impl Fn(usize, f64) -> f64 + Sync),
) {
    let (others, own) = x.split_at_mut(red);
    relax_half(matrix, red, b, own, others, 0, clamp);
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
