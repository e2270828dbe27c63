//! The discrete Helmholtz operator of one lattice, applied.

use rayon::prelude::*;

use crate::line::Line;
use crate::tensor::{index_of, row_place};

/// Rows that one task works on.
const ROWS: usize = 16;

/// Calls `kernel` with the multi-index of every row (its place along axis 0 is zero) and the row of `out`.
pub(crate) fn for_each_row<const D: usize>(
    shape: [usize; D],
    out: &mut [f64],
    kernel: impl Fn([usize; D], &mut [f64]) + Sync,
) {
    out.par_chunks_mut(ROWS * shape[0]).enumerate().for_each(|(chunk, out)| {
        for (row, out) in out.chunks_exact_mut(shape[0]).enumerate() {
            kernel(row_place(shape, chunk * ROWS + row), out);
        }
    });
}

/// `out` ← (shift M + scale K) x, integrated over control volumes; zero in rows without equation.
pub(crate) fn apply<const D: usize>(lines: &[Line; D], shift: f64, scale: f64, x: &[f64], out: &mut [f64]) {
    let shape: [usize; D] = std::array::from_fn(|axis| lines[axis].len());
    let first = &lines[0];
    let last = shape[0] - 1;
    for_each_row(shape, out, |place, out| {
        if (1..D).any(|axis| !lines[axis].is_free[place[axis]]) {
            out.fill(0.0);
            return;
        }
        let row = |place| &x[index_of(shape, place)..][..shape[0]];
        let here = row(place);
        let area: f64 = (1..D).map(|axis| lines[axis].mass[place[axis]]).product();
        let across = |axis: usize| area / lines[axis].mass[place[axis]];
        let centre =
            (1..D).fold(shift * area, |sum, axis| sum + scale * lines[axis].diagonal[place[axis]] * across(axis));
        let along = scale * area;
        let entry = |i: usize, before: f64, after: f64| {
            let along_axis = first.diagonal[i] * here[i] - first.lower[i] * before - first.upper[i] * after;
            centre * first.mass[i] * here[i] + along * along_axis
        };
        for i in 1..last {
            out[i] = entry(i, here[i - 1], here[i + 1]);
        }
        out[0] = entry(0, here[first.before(0)], here[first.after(0)]);
        out[last] = entry(last, here[first.before(last)], here[first.after(last)]);
        for axis in 1..D {
            let line = &lines[axis];
            let at = place[axis];
            let beside = |other: usize| {
                let mut place = place;
                place[axis] = other;
                row(place)
            };
            let (before, after) = (beside(line.before(at)), beside(line.after(at)));
            let (lower, upper) = (scale * line.lower[at] * across(axis), scale * line.upper[at] * across(axis));
            for i in 0..=last {
                out[i] -= first.mass[i] * (lower * before[i] + upper * after[i]);
            }
        }
        for end in [0, last] {
            if !first.is_free[end] {
                out[end] = 0.0;
            }
        }
    });
}

/// The same at one place.
pub(crate) fn at<const D: usize>(lines: &[Line; D], shift: f64, scale: f64, x: &[f64], place: [usize; D]) -> f64 {
    let shape: [usize; D] = std::array::from_fn(|axis| lines[axis].len());
    let volume: f64 = (0..D).map(|axis| lines[axis].mass[place[axis]]).product();
    let value = |place| x[index_of(shape, place)];
    let here = value(place);
    (0..D).fold(shift * volume * here, |sum, axis| {
        let (line, at) = (&lines[axis], place[axis]);
        let beside = |other: usize| {
            let mut place = place;
            place[axis] = other;
            value(place)
        };
        let along = line.diagonal[at] * here
            - line.lower[at] * beside(line.before(at))
            - line.upper[at] * beside(line.after(at));
        sum + scale * volume / line.mass[at] * along
    })
}

/// `out` ← the diagonal of the operator; 1 in rows without equation.
pub(crate) fn diagonal<const D: usize>(lines: &[Line; D], shift: f64, scale: f64, out: &mut [f64]) {
    let shape: [usize; D] = std::array::from_fn(|axis| lines[axis].len());
    for_each_row(shape, out, |place, out| {
        for (i, out) in out.iter_mut().enumerate() {
            let mut place = place;
            place[0] = i;
            if (0..D).any(|axis| !lines[axis].is_free[place[axis]]) {
                *out = 1.0;
                continue;
            }
            let volume: f64 = (0..D).map(|axis| lines[axis].mass[place[axis]]).product();
            let sum: f64 = (0..D).map(|axis| lines[axis].diagonal[place[axis]] / lines[axis].mass[place[axis]]).sum();
            *out = volume * (shift + scale * sum);
        }
    });
}
