//! Triangular systems on all threads.
//!
//! A row of a triangle waits for the rows that it names. Rows of the first level wait for none, those of the next level
//! for the first at most, and so on: rows of one level are computed at once. In the order of levels those that are
//! finished, those at work and those to come lie one behind the other. Every row adds its terms in the same order as if
//! rows followed one another, so the bits are the same.

use unstick_parallel as parallel;

use crate::csr::CsrMatrix;

/// Rows in the order of their levels.
#[derive(Debug, Default)]
pub(super) struct Levels {
    /// The row at each place.
    pub rows: Vec<u32>,
    /// The place of each row.
    pub places: Vec<u32>,
    /// Where each level starts, and the end.
    starts: Vec<usize>,
}

impl Levels {
    /// The levels of the lower triangle of a matrix.
    pub fn of(matrix: &CsrMatrix) -> Self {
        let mut level_of = vec![0u32; matrix.rows()];
        let mut starts = vec![0, 0];
        for row in 0..matrix.rows() {
            let before = matrix.row(row).filter(|&(column, _)| column < row);
            let level = before.map(|(column, _)| level_of[column] + 1).max().unwrap_or(0);
            level_of[row] = level;
            starts.resize(starts.len().max(level as usize + 2), 0);
            starts[level as usize + 1] += 1;
        }
        (1..starts.len()).for_each(|level| starts[level] += starts[level - 1]);
        let (mut next, mut rows, mut places) = (starts.clone(), vec![0; matrix.rows()], vec![0; matrix.rows()]);
        for (row, &level) in level_of.iter().enumerate() {
            let place = &mut next[level as usize];
            (rows[*place], places[row]) = (row as u32, *place as u32);
            *place += 1;
        }
        Self { rows, places, starts }
    }

    /// First place and end of every level.
    pub fn ranges(&self) -> impl DoubleEndedIterator<Item = std::ops::Range<usize>> {
        self.starts.windows(2).map(|level| level[0]..level[1])
    }

    /// Replaces value after value, from the first level to the last, by what `value` makes of its place, of itself and of
    /// all values of the levels before.
    pub fn forward(&self, values: &mut [f64], value: impl Fn(usize, f64, &[f64]) -> f64 + Sync) {
        for level in self.ranges() {
            let (before, rest) = values.split_at_mut(level.start);
            let own = &mut rest[..level.len()];
            parallel::for_each_scattered((level, own), |(places, own)| {
                places.zip(own).for_each(|(place, own)| *own = value(place, *own, before));
            });
        }
    }

    /// The same from the last level to the first, with all values of the levels behind and the place of the first of them.
    pub fn backward(&self, values: &mut [f64], value: impl Fn(usize, f64, &[f64], usize) -> f64 + Sync) {
        for level in self.ranges().rev() {
            let (rest, behind) = values.split_at_mut(level.end);
            let (own, first) = (&mut rest[level.start..], level.end);
            parallel::for_each_scattered((level, own), |(places, own)| {
                places.zip(own).for_each(|(place, own)| *own = value(place, *own, behind, first));
            });
        }
    }
}
