//! The matrix of a coarse level: A_H = s Pᵀ W A W P, with W the weights of the fine rows.
//!
//! The pattern is found once; values are filled in row by row, all of them or those that changed. A row is made in two
//! steps, Pᵀ W A and then that times W P: a fine unknown that several members of a coarse one are coupled with is
//! multiplied by its row of P once. Rows do not depend on each other, so they are shared between threads without
//! changing a bit.

use std::ops::Range;

use unstick_parallel as parallel;

use super::sparse::{Sparse, SquareMatrix};

/// A diagonal entry below this part of what it was added up from is rounding: the unknown stands for
/// a closed part of the liquid.
const ROUNDING: f64 = 1e-12;

/// Rows that a thread takes at once, at least; each piece clears one marker per coarse unknown.
const PIECE: usize = 2048;

/// A product that is computed as often as its factors change.
pub(crate) struct Product<'p> {
    pub fine: &'p SquareMatrix,
    /// W; empty for the identity.
    pub weights: &'p [f64],
    pub p: &'p Sparse,
    pub pt: &'p Sparse,
    /// s.
    pub scale: f64,
}

impl Product<'_> {
    /// A matrix of zeros where the product may have entries.
    pub fn pattern(&self) -> SquareMatrix {
        SquareMatrix::zeros(self.pattern_of(0..self.pt.rows(), self.piece()))
    }

    fn piece(&self) -> usize {
        PIECE.max(self.pt.rows() / 32)
    }

    fn pattern_of(&self, rows: Range<usize>, piece: usize) -> Sparse {
        if rows.len() > piece {
            let middle = rows.start + rows.len() / 2;
            let (mut left, right) = parallel::join(
                || self.pattern_of(rows.start..middle, piece),
                || self.pattern_of(middle..rows.end, piece),
            );
            left.append(right);
            return left;
        }
        let mut off = Sparse::new(self.p.width());
        let (mut seen_in, mut met_in) = (vec![u32::MAX; self.p.width()], vec![u32::MAX; self.p.rows()]);
        let mut columns = Vec::new();
        for coarse in rows {
            columns.clear();
            let is_new = |seen_in: &mut [u32], place: usize| {
                std::mem::replace(&mut seen_in[place], coarse as u32) != coarse as u32
            };
            is_new(&mut seen_in, coarse);
            for (fine, _) in self.pt.row(coarse) {
                for (other, _) in self.fine.row(fine).filter(|&(other, _)| is_new(&mut met_in, other)) {
                    let beside = self.p.columns[self.p.range(other)].iter();
                    columns.extend(beside.filter(|&&column| is_new(&mut seen_in, column as usize)));
                }
            }
            columns.sort_unstable();
            columns.iter().for_each(|&column| off.push(column, 0.0));
            off.end_row();
        }
        off
    }

    /// Fills the rows that `due` asks for.
    pub fn fill(&self, coarse: &mut SquareMatrix, due: &(impl Fn(usize) -> bool + Sync)) {
        let SquareMatrix { off, diagonal, inverse } = coarse;
        let piece = self.piece();
        let mut values = std::mem::take(&mut off.values);
        let target = Target { values: &mut values, diagonal, inverse };
        self.fill_rows(off, 0..off.rows(), piece, target, due);
        off.values = values;
    }

    fn fill_rows(
        &self,
        off: &Sparse,
        rows: Range<usize>,
        piece: usize,
        target: Target,
        due: &(impl Fn(usize) -> bool + Sync),
    ) {
        if rows.len() > piece {
            let middle = rows.start + rows.len() / 2;
            let (left, right) = target.cut(off, rows.start, middle);
            parallel::join(
                || self.fill_rows(off, rows.start..middle, piece, left, due),
                || self.fill_rows(off, middle..rows.end, piece, right, due),
            );
            return;
        }
        let Some(first) = rows.clone().find(|&row| due(row)) else { return };
        let begin = if rows.is_empty() { 0 } else { off.range(rows.start).start };
        let mut slot_of = vec![0u32; off.width()];
        let mut sums = SparseSums::new(self.p.rows());
        for row in (first..rows.end).filter(|&row| due(row)) {
            let range = off.range(row);
            for (slot, &column) in off.columns[range.clone()].iter().enumerate() {
                slot_of[column as usize] = slot as u32;
            }
            let values = &mut target.values[range.start - begin..range.end - begin];
            let diagonal = self.fill_row(row, &slot_of, &mut sums, values);
            target.diagonal[row - rows.start] = diagonal;
            target.inverse[row - rows.start] = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
        }
    }

    /// One row; returns its diagonal.
    fn fill_row(&self, row: usize, slot_of: &[u32], sums: &mut SparseSums, values: &mut [f64]) -> f64 {
        let weight = |fine: usize| if self.weights.is_empty() { 1.0 } else { self.weights[fine] };
        for (fine, from) in self.pt.row(row) {
            let from = self.scale * from * weight(fine);
            if from != 0.0 {
                self.fine.row(fine).for_each(|(other, value)| sums.add(other, from * value));
            }
        }
        values.fill(0.0);
        let (mut diagonal, mut size) = (0.0, 0.0);
        sums.drain(|other, sum, of_sizes| {
            let weight = weight(other);
            if weight == 0.0 {
                return;
            }
            for (column, to) in self.p.row(other) {
                let part = sum * weight * to;
                if column == row {
                    diagonal += part;
                    size += (of_sizes * weight * to).abs();
                } else {
                    values[slot_of[column] as usize] += part;
                }
            }
        });
        if diagonal > ROUNDING * size { diagonal } else { 0.0 }
    }
}

/// Sums for a few of many places, and what their parts add up to without signs.
struct SparseSums {
    sums: Vec<(f64, f64)>,
    is_listed: Vec<bool>,
    listed: Vec<u32>,
}

impl SparseSums {
    fn new(places: usize) -> Self {
        Self { sums: vec![(0.0, 0.0); places], is_listed: vec![false; places], listed: Vec::new() }
    }

    #[inline]
    fn add(&mut self, place: usize, part: f64) {
        if !std::mem::replace(&mut self.is_listed[place], true) {
            self.listed.push(place as u32);
        }
        let (sum, size) = &mut self.sums[place];
        *sum += part;
        *size += part.abs();
    }

    /// Hands over all sums, in the order in which they began, and is empty again.
    fn drain(&mut self, mut take: impl FnMut(usize, f64, f64)) {
        for place in self.listed.drain(..).map(|place| place as usize) {
            let (sum, size) = std::mem::take(&mut self.sums[place]);
            self.is_listed[place] = false;
            take(place, sum, size);
        }
    }
}

/// The values of some rows.
struct Target<'t> {
    values: &'t mut [f64],
    diagonal: &'t mut [f64],
    inverse: &'t mut [f64],
}

impl<'t> Target<'t> {
    fn cut(self, off: &Sparse, first: usize, middle: usize) -> (Self, Self) {
        let entries = off.range(middle).start - off.range(first).start;
        let values = self.values.split_at_mut(entries);
        let diagonal = self.diagonal.split_at_mut(middle - first);
        let inverse = self.inverse.split_at_mut(middle - first);
        (
            Self { values: values.0, diagonal: diagonal.0, inverse: inverse.0 },
            Self { values: values.1, diagonal: diagonal.1, inverse: inverse.1 },
        )
    }
}

/// Part of the diagonals of its rows below which a cell does not count.
const WEIGHTLESS: f64 = 1e-6;

/// The pressure equation discretised on coarse levels, in the spirit of Chentanez and Müller \[Lai2021, sec. 5.3.1\].
///
/// Between two cells of size 2h the gradient is taken over twice the distance and the flow runs
/// through the mean opening of 2^{D−1} finer faces: half the sum of the finer couplings. A cell is
/// liquid where any finer one is. Air at a distance θ from a fine centre is a conductance s = 1/θ; it
/// is half a fine cell further from the coarse centre, so that it becomes 1/(θ + ½) = s/(1 + s/2).
///
/// Replaces the diagonal of a coarse matrix, whose couplings are halved sums, by those couplings and
/// what leads to air. `unit` is the coupling of two cells whose face is open, on the fine level.
pub(super) fn set_diagonal(
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
