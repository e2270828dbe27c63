//! What can go wrong, as values with data.

use crate::fft::NotABox;
use crate::multigrid::MultigridVariant;

/// Why a matrix cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// The three arrays contradict each other.
    #[error(
        "{starts} row starts, {columns} columns and {values} values do not make a matrix: expected starts to run from 0 to the number of entries, and as many columns as values"
    )]
    Layout {
        /// Length of the array of row starts.
        starts: usize,
        /// Length of the array of columns.
        columns: usize,
        /// Length of the array of values.
        values: usize,
    },
    /// Row starts do not ascend at this row.
    #[error("row {0} ends before it starts or beyond the last entry")]
    RowOrder(usize),
    /// Columns of a row are repeated or unsorted.
    #[error("row {row}: column {column} is repeated or out of order, expected strictly ascending columns")]
    ColumnOrder {
        /// The row.
        row: usize,
        /// The column found after a larger or equal one.
        column: usize,
    },
    /// An entry lies outside the square.
    #[error("row {row} has an entry in column {column}, the matrix has {rows} rows")]
    ColumnOutOfRange {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Rows of the matrix.
        rows: usize,
    },
    /// NaN or infinity.
    #[error("entry ({row}, {column}) is {value}, expected a finite number")]
    NotFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// More rows or entries than 32-bit indices can name.
    #[error("{rows} rows with {entries} entries exceed 32-bit indices")]
    TooLarge {
        /// Rows asked for.
        rows: usize,
        /// Entries asked for.
        entries: usize,
    },
    /// A_ij and A_ji differ.
    #[error("the matrix is not symmetric: entry ({row}, {column}) is {value}, entry ({column}, {row}) is {mirror}")]
    NotSymmetric {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// A_ij.
        value: f64,
        /// A_ji.
        mirror: f64,
    },
    /// A diagonal entry that is zero or negative.
    #[error("the diagonal of row {row} is {value}, expected a positive number")]
    Diagonal {
        /// The row.
        row: usize,
        /// A_ii.
        value: f64,
    },
}

/// Why a problem cannot be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The matrix itself is unusable.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// An array is too short or too long.
    #[error("{what} has {found} entries, the problem has {expected} rows")]
    Length {
        /// Which array.
        what: &'static str,
        /// Rows of the problem.
        expected: usize,
        /// Length of the array.
        found: usize,
    },
    /// NaN, or an infinity where none makes sense.
    #[error("{what} is {value} in row {row}, expected {expected}")]
    Value {
        /// Which array.
        what: &'static str,
        /// Row of the entry.
        row: usize,
        /// The entry.
        value: f64,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// Another rank has refused its part of the problem and says why.
    #[error("another rank has refused its part of the problem")]
    OtherRank,
    /// A grid without cells.
    #[error("the grid has {0:?} cells, expected at least one along each axis")]
    NoCells(Vec<usize>),
    /// A field is too short or too long for its grid.
    #[error("{what} has {found} values, the grid has {expected} places for them")]
    FieldLength {
        /// Which field.
        what: &'static str,
        /// Places of the grid.
        expected: usize,
        /// Length of the field.
        found: usize,
    },
    /// A field holds NaN or an infinity.
    #[error("{what} is {value} at {place:?}, expected a finite number")]
    FieldValue {
        /// Which field.
        what: &'static str,
        /// Where on the grid.
        place: Vec<usize>,
        /// The value.
        value: f64,
    },
}

/// Why a solve gave no answer. A solve that falls short of its tolerance returns a report instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The problem or the iterate is unusable.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A number is out of its range.
    #[error("{what} is {value}, expected {expected}")]
    Parameter {
        /// Which parameter.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// This part needs entries, and the operator has none to show.
    #[error(
        "`{0}` reads single matrix entries, the operator offers products only; use `none` or `jacobi` and a Krylov method, or hand over a CsrMatrix"
    )]
    NeedsMatrix(&'static str),
    /// This splitting was asked to solve a problem that comes without velocities.
    #[error("`{0}` works on the velocities of a step, which a problem by itself does not have")]
    NeedsVelocity(&'static str),
    /// `fft` was asked to solve a problem that is not a box.
    #[error("`fft` solves boxes of liquid only; here {0}")]
    NotABox(#[from] NotABox),
    /// It was interrupted: [`interruptible`](crate::interruptible).
    #[error("the solve was interrupted")]
    Interrupted,
    /// Many ranks share the problem, and this method works on one.
    #[error("`{0}` works on one rank; use `best`, which many ranks can share")]
    OneRank(String),
    /// The machine that holds the problem has failed.
    #[error("{0}")]
    Machine(String),
    /// This variant of multigrid, which works on a grid, was asked to solve a problem without one.
    #[error("`multigrid{0}` works on a grid, which the problem does not have; use `multigrid`")]
    NeedsGrid(MultigridVariant),
    /// The residual is NaN or infinite.
    #[error("the residual became {residual} in cycle {cycle}")]
    NotFinite {
        /// Cycle in which it happened.
        cycle: usize,
        /// NaN or an infinity.
        residual: f64,
    },
}
