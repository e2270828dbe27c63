//! One level: a matrix in single precision, and the aggregates of its rows.

use std::ops::Range;

use super::chunks;
use super::columns::{Column, Columns};
use super::order::Order;
use crate::csr::CsrMatrix;
use crate::multigrid::sparse::{Sparse, SquareMatrix};
use crate::operator::LinearOperator;

/// No aggregate.
pub(super) const NONE: u32 = u32::MAX;

/// A row sum below this part of the diagonal is rounding.
const ROUNDING: f64 = 1e-12;

/// Couplings and excess of every row.
pub(super) struct Rows {
    /// Where each row begins, and the end.
    pub starts: Vec<u32>,
    /// Columns ascend in each row.
    pub columns: Columns,
    /// Entries beside the diagonal.
    pub off: Vec<f32>,
    /// Sum of each row, the diagonal included.
    pub excess: Vec<f32>,
}

/// A matrix, and the way to the next coarser one.
pub(super) struct Level {
    pub rows: Rows,
    /// Where the columns behind the diagonal begin in each row.
    pub behind: Vec<u32>,
    pub diagonal: Vec<f32>,
    /// What relaxing multiplies by: zero on pinned rows and where the diagonal vanishes.
    pub inverse: Vec<f32>,
    /// Where chunks begin, and the end.
    pub borders: Vec<u32>,
    /// The aggregates of the rows; none on the coarsest level.
    pub aggregates: Aggregates,
}

/// Which rows make a row of the next coarser level.
#[derive(Default)]
pub(super) struct Aggregates {
    /// Aggregate of each row; NONE where relaxing is enough.
    pub parents: Vec<u32>,
    /// Rows of all aggregates, one after the other, and where each begins.
    pub members: Vec<u32>,
    pub starts: Vec<u32>,
    /// The first aggregate of each chunk, and the end.
    pub borders: Vec<u32>,
}

impl Aggregates {
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn members(&self, aggregate: usize) -> &[u32] {
        &self.members[self.starts[aggregate] as usize..self.starts[aggregate + 1] as usize]
    }
}

/// The vectors of a level that a cycle works on.
#[derive(Default)]
pub(super) struct Vectors {
    pub x: Vec<f32>,
    pub b: Vec<f32>,
    /// x before a sweep, for the couplings between chunks.
    pub before: Vec<f32>,
    /// The first direction on a coarse level, and its product.
    pub direction: Vec<f32>,
    pub product: Vec<f32>,
}

impl Vectors {
    pub fn new(number: usize, level: &Level) -> Self {
        let rows = level.rows();
        // The finest level works in the memory of its problem.
        let coarse = || vec![0.0; if number == 0 { 0 } else { rows }];
        Self { x: coarse(), b: coarse(), before: vec![0.0; rows], direction: coarse(), product: coarse() }
    }
}

impl Rows {
    #[inline]
    pub fn range(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f32)> + Clone + '_ {
        let first = row / chunks::LENGTH * chunks::LENGTH;
        self.entries(row, self.range(row)).map(move |(column, value)| (column.row(first), value))
    }

    /// Some entries of a row.
    #[inline]
    pub fn entries(&self, row: usize, range: Range<usize>) -> impl Iterator<Item = (Column<'_>, f32)> + Clone {
        let columns = self.columns.at(row / chunks::LENGTH, range.clone());
        columns.zip(&self.off[range]).map(|(column, &value)| (column, value))
    }
}

impl Level {
    /// The rows of a matrix in `order`, divided by `unit`.
    pub fn finest(matrix: &CsrMatrix, order: &Order, unit: f64) -> Self {
        let size = matrix.rows();
        let mut starts = Vec::with_capacity(size + 1);
        starts.push(0u32);
        let mut end = 0;
        for place in 0..size {
            let row = order.row(place);
            let is_stored = matrix.columns()[matrix.range(row)].binary_search(&(row as u32)).is_ok();
            end += (matrix.range(row).len() - is_stored as usize) as u32;
            starts.push(end);
        }
        let (mut columns, mut off, mut excess) = (vec![0; end as usize], vec![0.0; end as usize], vec![0.0; size]);
        let borders = chunks::borders(size);
        let entry_borders: Vec<u32> = borders.iter().map(|&border| starts[border as usize]).collect();
        chunks::for_each_pair(
            &borders,
            &entry_borders,
            excess.as_mut_slice(),
            (columns.as_mut_slice(), off.as_mut_slice()),
            &|chunk, excess, (columns, off)| {
                let mut sorted: Vec<(u32, f32)> = Vec::new();
                let mut next = 0;
                for (place, excess) in (borders[chunk] as usize..).zip(excess) {
                    let row = order.row(place);
                    let mut sum = 0.0;
                    sorted.clear();
                    for (column, value) in matrix.row(row) {
                        sum += value;
                        if column != row {
                            sorted.push((order.place(column) as u32, (value / unit) as f32));
                        }
                    }
                    if sum.abs() > ROUNDING * matrix.diagonal()[row] {
                        *excess = (sum / unit) as f32;
                    }
                    if !sorted.is_sorted_by_key(|entry| entry.0) {
                        sorted.sort_unstable_by_key(|entry| entry.0);
                    }
                    for &(column, value) in &sorted {
                        (columns[next], off[next]) = (column, value);
                        next += 1;
                    }
                }
            },
        );
        let columns = Columns::of(&columns, &starts, &borders);
        Self::new(Rows { starts, columns, off, excess }, borders)
    }

    /// A level of some rows that has no aggregates yet.
    pub fn new(rows: Rows, borders: Vec<u32>) -> Self {
        let size = rows.excess.len();
        let mut level = Self {
            behind: vec![0; size],
            diagonal: vec![0.0; size],
            inverse: vec![0.0; size],
            aggregates: Aggregates::default(),
            rows,
            borders,
        };
        let (mut behind, mut diagonal, mut inverse) = (
            std::mem::take(&mut level.behind),
            std::mem::take(&mut level.diagonal),
            std::mem::take(&mut level.inverse),
        );
        let lanes = (behind.as_mut_slice(), diagonal.as_mut_slice(), inverse.as_mut_slice());
        chunks::for_each(&level.borders, lanes, &|chunk, (behind, diagonal, inverse)| {
            let first = level.borders[chunk] as usize;
            for place in 0..behind.len() {
                let row = first + place;
                let before = level.rows.row(row).take_while(|&(column, _)| column < row).count();
                behind[place] = level.rows.starts[row] + before as u32;
                diagonal[place] = level.diagonal_of(row);
                inverse[place] = level.inverse_of(row, diagonal[place]);
            }
        });
        Self { behind, diagonal, inverse, ..level }
    }

    pub fn rows(&self) -> usize {
        self.rows.excess.len()
    }

    /// The diagonal, from excess and couplings.
    pub fn diagonal_of(&self, row: usize) -> f32 {
        let off = self.rows.off[self.rows.range(row)].iter();
        off.fold(self.rows.excess[row], |sum, value| sum - value)
    }

    /// What relaxing multiplies by. Where most of a row lies in other chunks, whose values are old, it steps shorter.
    pub fn inverse_of(&self, row: usize, diagonal: f32) -> f32 {
        let entries = self.rows.entries(row, self.rows.range(row));
        let elsewhere: f32 = entries.filter(|(column, _)| !column.is_near()).map(|(_, value)| value.abs()).sum();
        let total = if elsewhere > 0.5 * diagonal { diagonal + elsewhere } else { diagonal };
        if total > 0.0 { 1.0 / total } else { 0.0 }
    }

    /// y ← A x, zero on pinned rows; returns xᵀ A x.
    pub fn product(&self, x: &[f32], y: &mut [f32]) -> f64 {
        let [total] = chunks::sum(&self.borders, (0..x.len(), y), &|chunk, (rows, y)| {
            let around = self.rows.columns.around(chunk, &x[rows.clone()], x);
            let mut total = 0.0;
            for (row, y) in rows.zip(y) {
                let entries = self.rows.entries(row, self.rows.range(row));
                let sum: f32 = entries.map(|(column, value)| value * column.of(&around, x)).sum();
                *y = if self.inverse[row] > 0.0 { self.diagonal[row] * x[row] + sum } else { 0.0 };
                total += (*y * x[row]) as f64;
            }
            [total]
        });
        total
    }

    /// The matrix of a small level, in which pinned rows are alone. Couplings are those before the diagonal, both ways:
    /// sums of single precision may differ in the last digit, and a closed part must be singular to the last one.
    pub fn in_double_precision(&self) -> SquareMatrix {
        let size = self.rows();
        let mut dense = vec![0.0; size * size];
        for row in 0..size {
            for (column, value) in self.rows.row(row).take_while(|&(column, _)| column < row) {
                dense[row * size + column] = value as f64;
                dense[column * size + row] = value as f64;
            }
        }
        let mut off = Sparse::new(size);
        let mut diagonal = Vec::with_capacity(size);
        for row in 0..size {
            let couplings = &dense[row * size..][..size];
            let is_coupled = |column: usize| self.inverse[column] > 0.0 && couplings[column] != 0.0;
            let columns = (0..size).filter(|&column| self.inverse[row] > 0.0 && is_coupled(column));
            columns.for_each(|column| off.push(column as u32, couplings[column]));
            off.end_row();
            diagonal.push(self.rows.excess[row] as f64 - couplings.iter().sum::<f64>());
        }
        SquareMatrix { inverse: Vec::new(), off, diagonal }
    }
}
