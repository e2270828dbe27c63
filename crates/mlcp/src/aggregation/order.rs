//! The order of rows inside the hierarchy: rows that are coupled lie near each other.

use std::collections::VecDeque;

use unstick_parallel::{
    self as parallel,
    binary::{exponent, mean_exponent},
    vector,
};

use super::chunks;
use crate::csr::CsrMatrix;
use crate::operator::LinearOperator;

/// Rows are reordered where a coupling spans more than this part of all rows, on average. Rows in random order span a
/// third, those of a cube a few percent.
const SCATTERED: f64 = 0.1;

/// The order of the rows; empty where it is that of the matrix.
#[derive(Default)]
pub(super) struct Order {
    /// Row of the matrix at each place.
    rows: Vec<u32>,
    /// Place of each row.
    places: Vec<u32>,
}

impl Order {
    pub fn of(matrix: &CsrMatrix) -> Self {
        let size = matrix.rows();
        let spans = parallel::sum(0..size, |rows| {
            let span = |row: usize| matrix.row(row).map(|(column, _)| row.abs_diff(column) as f64).sum::<f64>();
            rows.map(span).sum()
        });
        if size <= chunks::LENGTH || spans <= SCATTERED * size as f64 * matrix.entries() as f64 {
            return Self::default();
        }
        let rows = grown(matrix);
        let mut places = vec![0; size];
        rows.iter().enumerate().for_each(|(place, &row)| places[row as usize] = place as u32);
        Self { rows, places }
    }

    #[inline]
    pub fn row(&self, place: usize) -> usize {
        if self.rows.is_empty() { place } else { self.rows[place] as usize }
    }

    #[inline]
    pub fn place(&self, row: usize) -> usize {
        if self.places.is_empty() { row } else { self.places[row] as usize }
    }
}

/// Rows chunk by chunk. Each chunk grows around a row beside the chunks before it, so that it is compact: few couplings
/// leave it.
fn grown(matrix: &CsrMatrix) -> Vec<u32> {
    let size = matrix.rows();
    let mut rows = Vec::with_capacity(size);
    let mut is_taken = vec![false; size];
    let (mut seeds, mut next_seed) = (VecDeque::<u32>::new(), 0..size);
    let mut front = VecDeque::new();
    while rows.len() < size {
        if rows.len() % chunks::LENGTH == 0 {
            // What the last chunk has reached is where the next ones begin.
            seeds.extend(front.drain(..));
        }
        let row = match front.pop_front().or_else(|| seeds.pop_front()) {
            Some(row) => row as usize,
            None => next_seed.next().expect("rows that are left have numbers"),
        };
        if std::mem::replace(&mut is_taken[row], true) {
            continue;
        }
        rows.push(row as u32);
        front.extend(matrix.columns()[matrix.range(row)].iter().filter(|&&column| !is_taken[column as usize]));
    }
    rows
}

/// Single precision holds entries that are larger than the typical one by up to this power of two, and their squares.
const LARGEST: i32 = 60;

/// Beyond this power of two typical entries get lost beside the largest one.
const TOO_LARGE: i32 = 100;

/// The power of two near the typical entry of the diagonal: single precision holds entries relative to it.
pub fn unit(matrix: &CsrMatrix) -> f64 {
    let (typical, largest) = sizes(matrix);
    2f64.powi(typical.max(largest - LARGEST))
}

/// Whether single precision holds the matrix: no entry of its diagonal is out of all proportion.
pub fn fits_single_precision(matrix: &CsrMatrix) -> bool {
    let (typical, largest) = sizes(matrix);
    largest - typical <= TOO_LARGE
}

/// The exponents of the typical and of the largest entry of the diagonal.
fn sizes(matrix: &CsrMatrix) -> (i32, i32) {
    let diagonal = matrix.diagonal();
    (mean_exponent(diagonal), exponent(vector::norm_max(diagonal)))
}
