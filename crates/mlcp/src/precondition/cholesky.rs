//! Incomplete Cholesky factorisation without fill (`ic0`) and its modified form (`mic0`).
//!
//! S ≈ (I + L) D (I + L)ᵀ with L on the pattern of S. What elimination would add outside the
//! pattern is dropped (`ic0`) or moved to the diagonal with weight τ (`mic0`), which preserves row
//! sums and with them smooth functions: iterations grow with the square root of what they were.
//!
//! Rows are kept in the order of their [levels](Levels), so that elimination and substitution run on all threads. Which
//! entries there are is found once for a matrix. Pinned rows keep theirs, with the value zero.

use std::ops::Range;

use unstick_parallel as parallel;

use super::Preconditioner;
use super::levels::Levels;
use crate::csr::CsrMatrix;
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::parameter::parameters;

parameters! {
    /// Parameters of `ic0`.
    pub struct Ic0Params {
        /// A pivot below this part of the diagonal is replaced by the diagonal.
        safety: f64 = 0.25, 0.0..=1.0;
    }
}

parameters! {
    /// Parameters of `mic0`.
    pub struct Mic0Params {
        /// Part of the dropped fill that goes to the diagonal. The default is the usual value of fluid codes; 1 can
        /// make pivots vanish.
        tuning: f64 = 0.97, 0.0..=1.0;
        /// A pivot below this part of the diagonal is replaced by the diagonal.
        safety: f64 = 0.25, 0.0..=1.0;
    }
}

/// The factors, kept from rebuild to rebuild. Rows and columns are known by their places in the order of levels.
#[derive(Debug)]
pub struct IncompleteCholesky {
    params: Mic0Params,
    part: &'static str,
    pattern: Pattern,
    /// Entries of Lᵀ, and of L in the order of its own rows.
    upper: Vec<f64>,
    lower: Vec<f64>,
    /// D⁻¹.
    inverse_pivots: Vec<f64>,
    work: Vec<f64>,
}

/// Which entries the triangles of a matrix have.
#[derive(Debug, Default)]
struct Pattern {
    levels: Levels,
    /// Rows of the upper triangle, and their columns in the order of the matrix.
    starts: Vec<u32>,
    columns: Vec<u32>,
    /// Rows of the lower triangle: for each entry its column, and where it is in the upper triangle.
    lower_starts: Vec<u32>,
    mirrored: Vec<[u32; 2]>,
}

impl Pattern {
    fn of(matrix: &CsrMatrix) -> Self {
        let levels = Levels::of(matrix);
        let upper = |row: u32| matrix.row(row as usize).map(|(column, _)| column as u32).filter(move |&at| at > row);
        let (mut starts, mut columns) = (vec![0], Vec::with_capacity(matrix.entries() / 2));
        let mut lower_starts = vec![0; matrix.rows() + 1];
        for &row in &levels.rows {
            columns.extend(upper(row).map(|column| levels.places[column as usize]));
            starts.push(columns.len() as u32);
        }
        columns.iter().for_each(|&column| lower_starts[column as usize + 1] += 1);
        (1..lower_starts.len()).for_each(|row| lower_starts[row] += lower_starts[row - 1]);
        // In the order of the matrix, so that a row adds its terms in that order.
        let (mut next, mut mirrored) = (lower_starts.clone(), vec![[0; 2]; columns.len()]);
        for &place in &levels.places {
            for entry in starts[place as usize]..starts[place as usize + 1] {
                let at = &mut next[columns[entry as usize] as usize];
                mirrored[*at as usize] = [place, entry];
                *at += 1;
            }
        }
        Self { levels, starts, columns, lower_starts, mirrored }
    }

    fn upper(&self, place: usize) -> Range<usize> {
        self.starts[place] as usize..self.starts[place + 1] as usize
    }

    fn lower(&self, place: usize) -> Range<usize> {
        self.lower_starts[place] as usize..self.lower_starts[place + 1] as usize
    }

    /// Writes the entries of a system; false if it has others than these.
    fn read(&self, matrix: &CsrMatrix, system: &Subsystem, upper: &mut Vec<f64>) -> bool {
        if self.levels.rows.len() != matrix.rows() {
            return false;
        }
        parallel::resize(upper, self.columns.len(), 0.0);
        let read = |Rows { places, upper, .. }: Rows| {
            let (first, mut fits) = (self.upper(places.start).start, true);
            for place in places {
                let row = self.levels.rows[place] as usize;
                let mut entries = self.upper(place);
                for (column, value) in matrix.row(row).filter(|&(column, _)| column > row) {
                    let Some(entry) = entries.next() else { return false };
                    fits &= self.columns[entry] == self.levels.places[column];
                    let is_free = system.is_free(row) && system.is_free(column);
                    upper[entry - first] = if is_free { system.entry(row, column, value) } else { 0.0 };
                }
                fits &= entries.is_empty();
            }
            fits
        };
        let all = Rows { places: 0..matrix.rows(), upper, pivots: &mut [] };
        self.fold(all, &read)
    }

    /// Whether `kernel` holds for all rows, from all threads.
    fn fold(&self, rows: Rows, kernel: &(impl Fn(Rows) -> bool + Sync)) -> bool {
        if rows.places.len() <= ROWS_AT_ONCE {
            return kernel(rows);
        }
        let Rows { places, upper, pivots } = rows;
        let middle = (places.start + places.end) / 2;
        let entry = self.upper(middle).start - self.upper(places.start).start;
        let (upper, upper_behind) = upper.split_at_mut(entry);
        let (pivots, pivots_behind) = pivots.split_at_mut(pivots.len().min(middle - places.start));
        let before = Rows { places: places.start..middle, upper, pivots };
        let behind = Rows { places: middle..places.end, upper: upper_behind, pivots: pivots_behind };
        let (one, other) = parallel::join(|| self.fold(before, kernel), || self.fold(behind, kernel));
        one && other
    }
}

/// Rows that a thread takes at once.
const ROWS_AT_ONCE: usize = 256;

/// Consecutive rows: the entries of the upper triangle and the pivots that belong to them.
struct Rows<'v> {
    places: Range<usize>,
    upper: &'v mut [f64],
    pivots: &'v mut [f64],
}

impl IncompleteCholesky {
    /// `ic0`: the modified form with nothing moved to the diagonal.
    pub fn plain(params: Ic0Params) -> Self {
        Self::named("ic0", Mic0Params { tuning: 0.0, safety: params.safety })
    }

    /// `mic0`.
    pub fn modified(params: Mic0Params) -> Self {
        Self::named("mic0", params)
    }

    fn named(part: &'static str, params: Mic0Params) -> Self {
        let (pattern, upper, lower) = (Pattern::default(), Vec::new(), Vec::new());
        Self { params, part, pattern, upper, lower, inverse_pivots: Vec::new(), work: Vec::new() }
    }

    /// Entries of both triangles: what one application reads.
    pub fn entries(&self) -> usize {
        self.lower.len() + self.upper.len()
    }

    /// Eliminates level by level. `upper` holds entries of S right of the diagonal and ends as Lᵀ.
    fn eliminate(&mut self, system: &Subsystem) {
        let Self { pattern, upper, inverse_pivots, params, .. } = self;
        parallel::resize(inverse_pivots, system.size(), 0.0);
        for level in pattern.levels.ranges() {
            let first = pattern.upper(level.start).start;
            let (upper_before, rest) = upper.split_at_mut(first);
            let own = &mut rest[..pattern.upper(level.end - 1).end - first];
            let (pivots_before, rest) = inverse_pivots.split_at_mut(level.start);
            let rows = Rows { pivots: &mut rest[..level.len()], places: level, upper: own };
            pattern.fold(rows, &|Rows { places, upper, pivots }| {
                let first = pattern.upper(places.start).start;
                for (place, pivot) in places.zip(pivots) {
                    let own = pattern.upper(place);
                    let own = own.start - first..own.end - first;
                    let full = system.diagonal(pattern.levels.rows[place] as usize);
                    let found =
                        pattern.eliminate_row(params, place, full, &mut upper[own], (upper_before, pivots_before));
                    *pivot = 1.0 / if found < params.safety * full { full } else { found };
                }
                true
            });
        }
        let pivots = inverse_pivots.as_slice();
        pattern.fold(Rows { places: 0..pivots.len(), upper, pivots: &mut [] }, &|Rows { places, upper, .. }| {
            let first = pattern.upper(places.start).start;
            for place in places {
                pattern.upper(place).for_each(|entry| upper[entry - first] *= pivots[place]);
            }
            true
        });
    }
}

impl Pattern {
    /// Subtracts from a row what the rows before it leave there; returns its pivot. Their entries are still those of D Lᵀ.
    fn eliminate_row(
        &self,
        params: &Mic0Params,
        place: usize,
        diagonal: f64,
        own: &mut [f64],
        (upper, inverse_pivots): (&[f64], &[f64]),
    ) -> f64 {
        let mut pivot = diagonal;
        let columns = &self.columns[self.upper(place)];
        for &[before, mirrored] in &self.mirrored[self.lower(place)] {
            let factor = upper[mirrored as usize] * inverse_pivots[before as usize]; // L_place,before
            if factor == 0.0 {
                continue;
            }
            for entry in self.upper(before as usize) {
                let (other, fill) = (self.columns[entry], factor * upper[entry]);
                if other as usize == place {
                    pivot -= fill;
                } else if let Some(at) = columns.iter().position(|&column| column == other) {
                    own[at] -= fill;
                } else if !self.couples(other as usize, place) {
                    pivot -= params.tuning * fill;
                }
            }
        }
        pivot
    }

    /// Whether the upper triangle has an entry.
    fn couples(&self, row: usize, column: usize) -> bool {
        self.columns[self.upper(row)].contains(&(column as u32))
    }
}

impl Preconditioner for IncompleteCholesky {
    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        let matrix = system.matrix(self.part)?;
        if !self.pattern.read(matrix, system, &mut self.upper) {
            self.pattern = Pattern::of(matrix);
            self.pattern.read(matrix, system, &mut self.upper);
        }
        self.eliminate(system);
        let Self { pattern, upper, lower, .. } = self;
        parallel::resize(lower, upper.len(), 0.0);
        parallel::for_each((lower.as_mut_slice(), pattern.mirrored.as_slice()), |(lower, mirrored)| {
            lower.iter_mut().zip(mirrored).for_each(|(value, [_, entry])| *value = upper[*entry as usize]);
        });
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let Self { pattern, upper, lower, inverse_pivots, work, .. } = self;
        let Pattern { levels, columns, mirrored, .. } = &*pattern;
        parallel::resize(work, r.len(), 0.0);
        parallel::for_each((levels.rows.as_slice(), work.as_mut_slice()), |(rows, work)| {
            rows.iter().zip(work).for_each(|(&row, value)| *value = r[row as usize]);
        });
        levels.forward(work, |place, mut value, before| {
            let entries = pattern.lower(place);
            for (&[column, _], l) in mirrored[entries.clone()].iter().zip(&lower[entries]) {
                value -= l * before[column as usize];
            }
            value
        });
        levels.backward(work, |place, value, behind, first| {
            let (entries, mut value) = (pattern.upper(place), value * inverse_pivots[place]);
            for (&column, u) in columns[entries.clone()].iter().zip(&upper[entries]).rev() {
                value -= u * behind[column as usize - first];
            }
            value
        });
        parallel::for_each((levels.places.as_slice(), z), |(places, z)| {
            places.iter().zip(z).for_each(|(&place, z)| *z = work[place as usize]);
        });
    }
}
