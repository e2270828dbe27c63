//! Factored approximate inverse (`ainv`, `ainv-static`, `ainv-lin`).
//!
//! S⁻¹ ≈ Z D⁻¹ Zᵀ with the columns of Z made conjugate to each other one after another (the
//! stabilised A-biconjugation of Benzi, Cullum and Tůma) and small entries dropped. Applying it
//! takes two sparse products and no substitution, which is why [Andersen2017b, sec. 6.1] used it
//! on a GPU, and why it runs in parallel here. S is scaled to unit diagonal first (their
//! "scaled" variant); the three ways of dropping are theirs too.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use unstick_parallel as parallel;

use super::Preconditioner;
use crate::csr::CsrMatrix;
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::multigrid::sparse::Sparse;
use crate::operator::LinearOperator;
use crate::parameter::parameters;

parameters! {
    /// Parameters of `ainv`.
    pub struct AinvParams {
        /// Smaller entries are dropped; the diagonal is 1.
        drop: f64 = 0.1, 0.0..=1.0;
    }
}

parameters! {
    /// Parameters of `ainv-static`.
    pub struct AinvStaticParams {
        /// Entries that a column keeps, the largest ones.
        entries: usize = 10, 0..=100000;
    }
}

parameters! {
    /// Parameters of `ainv-lin`.
    pub struct AinvLinParams {
        /// Entries that a column keeps beyond the number that the matrix has there.
        extra: usize = 4, 0..=100000;
    }
}

/// Which entries of a column of Z survive. The diagonal always does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dropping {
    /// Those of at least this size (`ainv`).
    Standard(f64),
    /// The largest ones, this many (`ainv-static`).
    Static(usize),
    /// The largest ones, as many as the matrix has left of the diagonal in that row and this many
    /// more, after Lin and Moré (`ainv-lin`).
    Lin(usize),
}

impl Dropping {
    fn part(self) -> &'static str {
        match self {
            Self::Standard(_) => "ainv",
            Self::Static(_) => "ainv-static",
            Self::Lin(_) => "ainv-lin",
        }
    }
}

/// A column of less energy (its diagonal has energy 1) is the constant of a closed component, which
/// no residual contains; any positive pivot will do.
const SINGULAR: f64 = 1e-10;

/// Corrections below this would be dropped in the end. Leaving them out at once keeps unfinished columns
/// short, which makes the set-up four times as fast.
const NEGLIGIBLE: f64 = 0.01;

/// Z, by columns and by rows, and D.
#[derive(Debug)]
pub struct ApproximateInverse {
    /// Which entries survive.
    pub dropping: Dropping,
    columns_of_z: Sparse,
    rows_of_z: Sparse,
    inverse_pivots: Vec<f64>,
    scale: Vec<f64>,
    conjugate: Vec<f64>,
}

impl ApproximateInverse {
    /// An inverse with the given dropping.
    pub fn new(dropping: Dropping) -> Self {
        Self {
            dropping,
            columns_of_z: Sparse::new(0),
            rows_of_z: Sparse::new(0),
            inverse_pivots: Vec::new(),
            scale: Vec::new(),
            conjugate: Vec::new(),
        }
    }

    fn survivors(&self, matrix: &CsrMatrix, row: usize, column: &mut Vec<(u32, f64)>) {
        let keep = match self.dropping {
            Dropping::Standard(size) => return column.retain(|&(_, value)| value.abs() >= size),
            Dropping::Static(keep) => keep,
            Dropping::Lin(extra) => extra + matrix.row(row).take_while(|&(column, _)| column < row).count(),
        };
        // Ties are broken by place, so that the choice is always the same.
        column.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        column.truncate(keep);
    }
}

/// An unfinished column of Z: a dense accumulator with a list of its entries, and the earlier columns
/// that it may still have to be made conjugate to.
struct Column {
    values: Vec<f64>,
    held: Vec<u32>,
    is_held: Vec<bool>,
    due: BinaryHeap<Reverse<u32>>,
    is_due: Vec<bool>,
}

impl Column {
    fn new(size: usize) -> Self {
        let flags = vec![false; size];
        Self {
            values: vec![0.0; size],
            held: Vec::new(),
            is_held: flags.clone(),
            due: BinaryHeap::new(),
            is_due: flags,
        }
    }

    /// Adds to an entry. A new one brings up the columns later than `after` that reach it.
    fn add(&mut self, row: u32, value: f64, after: Option<u32>, reaching: &[Vec<u32>]) {
        let place = row as usize;
        self.values[place] += value;
        if !self.is_held[place] {
            self.is_held[place] = true;
            self.held.push(row);
            for &column in reaching[place].iter().filter(|&&column| Some(column) > after) {
                if !self.is_due[column as usize] {
                    self.is_due[column as usize] = true;
                    self.due.push(Reverse(column));
                }
            }
        }
    }

    /// Takes out all entries but that of `diagonal` and empties the accumulator.
    fn take(&mut self, diagonal: u32) -> Vec<(u32, f64)> {
        let values = &self.values;
        let mut column: Vec<_> = self.held.iter().map(|&row| (row, values[row as usize])).collect();
        for row in self.held.drain(..) {
            self.values[row as usize] = 0.0;
            self.is_held[row as usize] = false;
        }
        column.retain(|&(row, value)| row != diagonal && value != 0.0);
        column
    }
}

impl Preconditioner for ApproximateInverse {
    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        let matrix = system.assemble(self.dropping.part())?;
        let size = matrix.rows();
        self.scale = matrix.diagonal().iter().map(|value| 1.0 / value.sqrt()).collect();
        self.inverse_pivots.clear();
        self.columns_of_z.clear(size);
        // Products S z_i by column, and for each row the columns i whose product reaches it.
        let mut products: Vec<Vec<(u32, f64)>> = Vec::with_capacity(size);
        let mut reaching: Vec<Vec<u32>> = vec![Vec::new(); size];
        let mut column = Column::new(size);
        let mut product = Column::new(size);
        for j in 0..size as u32 {
            column.add(j, 1.0, None, &reaching);
            while let Some(Reverse(i)) = column.due.pop() {
                column.is_due[i as usize] = false;
                let overlap: f64 = products[i as usize].iter().map(|&(row, v)| v * column.values[row as usize]).sum();
                let factor = -overlap * self.inverse_pivots[i as usize];
                if factor.abs() > NEGLIGIBLE {
                    column.add(i, factor, Some(i), &reaching);
                    for (row, z) in self.columns_of_z.row(i as usize) {
                        column.add(row as u32, factor * z, Some(i), &reaching);
                    }
                }
            }
            let mut kept = column.take(j);
            self.survivors(&matrix, j as usize, &mut kept);
            kept.sort_by_key(|&(row, _)| row);

            // d_j = z_jᵀ S z_j is positive whatever was dropped: the stabilised form.
            let mut energy = 0.0;
            for &(row, z) in kept.iter().chain([&(j, 1.0)]) {
                for (other, value) in matrix.row(row as usize) {
                    let scaled = value * self.scale[row as usize] * self.scale[other];
                    product.add(other as u32, scaled * z, Some(u32::MAX), &reaching);
                }
            }
            for &(row, z) in kept.iter().chain([&(j, 1.0)]) {
                energy += z * product.values[row as usize];
            }
            let mut entries = product.take(u32::MAX);
            entries.sort_by_key(|&(row, _)| row);
            entries.iter().for_each(|&(row, _)| reaching[row as usize].push(j));
            products.push(entries);
            self.inverse_pivots.push(if energy > SINGULAR { 1.0 / energy } else { 1.0 });
            kept.iter().for_each(|&(row, z)| self.columns_of_z.push(row, z));
            self.columns_of_z.end_row();
        }
        self.columns_of_z.transpose(&mut self.rows_of_z);
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let Self { columns_of_z, rows_of_z, inverse_pivots, scale, conjugate, .. } = self;
        conjugate.resize(r.len(), 0.0);
        parallel::for_each((0..r.len(), conjugate.as_mut_slice()), |(rows, conjugate)| {
            for (column, conjugate) in rows.zip(conjugate) {
                let sum: f64 = columns_of_z.row(column).map(|(row, z)| z * scale[row] * r[row]).sum();
                *conjugate = (sum + scale[column] * r[column]) * inverse_pivots[column];
            }
        });
        parallel::for_each((0..r.len(), z), |(rows, z)| {
            for (row, z) in rows.zip(z) {
                let sum: f64 = rows_of_z.row_dot(row, conjugate, 0);
                *z = (sum + conjugate[row]) * scale[row];
            }
        });
    }
}
