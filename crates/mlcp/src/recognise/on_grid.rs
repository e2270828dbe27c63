//! Bare matrices on the grid that was found for them, rows in the order of their cells.

use unstick_parallel as parallel;

use super::{Found, FoundOperator};
use crate::csr::CsrMatrix;
use crate::error::SolveError;
use crate::pressure::AnyPressureOperator;
use crate::problem::Mlcp;
use crate::run::Solvable;

/// The grid of the last matrix, if one was found.
#[derive(Default)]
pub struct FoundGrid {
    fingerprint: Option<u64>,
    grid: Option<OnGrid>,
}

/// A matrix on its grid.
pub struct OnGrid {
    operator: FoundOperator,
    order: Option<Reordering>,
}

/// Rows that are not in the order of cells.
struct Reordering {
    /// Row of each cell.
    rows: Vec<u32>,
    /// Number of the cell of each row.
    numbers: Vec<u32>,
}

impl FoundGrid {
    /// The grid of a matrix with its fingerprint, if it has one.
    pub fn of(&mut self, matrix: &CsrMatrix, fingerprint: u64) -> Option<&OnGrid> {
        if self.fingerprint != Some(fingerprint) {
            self.grid = Found::of(matrix).map(|found| OnGrid {
                operator: found.operator(matrix),
                order: found.numbers().zip(found.order).map(|(numbers, rows)| Reordering { rows, numbers }),
            });
            self.fingerprint = Some(fingerprint);
        }
        self.grid.as_ref()
    }
}

impl OnGrid {
    /// Hands the problem over with its rows in the order of cells, and takes its answer back.
    pub fn solve<T>(
        &self,
        solvable: &Solvable,
        q: &mut [f64],
        solve: impl FnOnce(AnyPressureOperator, &Solvable, &mut [f64]) -> Result<T, SolveError>,
    ) -> Result<T, SolveError> {
        let operator = match &self.operator {
            FoundOperator::Plane(operator) => AnyPressureOperator::Plane(operator),
            FoundOperator::Space(operator) => AnyPressureOperator::Space(operator),
        };
        let Some(Reordering { rows, numbers }) = &self.order else {
            return solve(operator, solvable, q);
        };
        let problem = solvable.problem;
        let (b, lower) = (reordered(rows, problem.b()), reordered(rows, problem.lower()));
        let mut reordered_q = reordered(rows, q);
        let problem = match operator {
            AnyPressureOperator::Plane(operator) => Mlcp::with_bounds(operator, b, lower)?,
            AnyPressureOperator::Space(operator) => Mlcp::with_bounds(operator, b, lower)?,
        };
        let renumbered = |rows: &Vec<u32>| rows.iter().map(|&row| numbers[row as usize]).collect();
        let loose: Vec<Vec<u32>> = solvable.loose.iter().map(renumbered).collect();
        let answer = solve(operator, &Solvable { problem: &problem, loose: &loose }, &mut reordered_q)?;
        parallel::for_each((numbers.as_slice(), q), |(numbers, q)| {
            numbers.iter().zip(q).for_each(|(&number, q)| *q = reordered_q[number as usize]);
        });
        Ok(answer)
    }
}

/// Values in another order.
fn reordered(order: &[u32], values: &[f64]) -> Vec<f64> {
    let mut reordered = vec![0.0; values.len()];
    parallel::for_each((order, reordered.as_mut_slice()), |(order, reordered)| {
        order.iter().zip(reordered).for_each(|(&row, value)| *value = values[row as usize]);
    });
    reordered
}
