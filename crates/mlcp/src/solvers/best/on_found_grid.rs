//! Bare matrices whose grid was found: the scheme on the checkerboard, rows in the order of their cells.

use unstick_parallel as parallel;

use super::on_checkerboard::{Memory, OnCheckerboard};
use super::{BestParams, iterate};
use crate::csr::CsrMatrix;
use crate::error::SolveError;
use crate::pressure::PressureOperator;
use crate::problem::Mlcp;
use crate::recognise::{Found, FoundOperator};
use crate::run::{Solvable, Trace};

/// What was found for the last matrix.
#[derive(Default)]
pub(super) struct FoundGrid {
    fingerprint: Option<u64>,
    grid: Option<OnGrid>,
}

/// A matrix on its grid.
pub(super) struct OnGrid {
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
    /// Runs the scheme; false if it makes no progress.
    pub fn solve(
        &self,
        params: &BestParams,
        (plane, space): (&mut Memory<2>, &mut Memory<3>),
        solvable: &Solvable,
        q: &mut [f64],
        trace: &mut Trace,
    ) -> Result<bool, SolveError> {
        match &self.operator {
            FoundOperator::Plane(operator) => self.solve_with(params, plane, operator, solvable, q, trace),
            FoundOperator::Space(operator) => self.solve_with(params, space, operator, solvable, q, trace),
        }
    }

    fn solve_with<const D: usize>(
        &self,
        params: &BestParams,
        memory: &mut Memory<D>,
        operator: &PressureOperator<D>,
        solvable: &Solvable,
        q: &mut [f64],
        trace: &mut Trace,
    ) -> Result<bool, SolveError> {
        let Some(Reordering { rows, numbers }) = &self.order else {
            return iterate(params, &mut OnCheckerboard::new(memory, operator, solvable, q, trace), trace);
        };
        let problem = solvable.problem;
        let (b, lower) = (reordered(rows, problem.b()), reordered(rows, problem.lower()));
        let mut reordered_q = reordered(rows, q);
        let problem = Mlcp::with_bounds(operator, b, lower)?;
        let renumbered = |rows: &Vec<u32>| rows.iter().map(|&row| numbers[row as usize]).collect();
        let loose: Vec<Vec<u32>> = solvable.loose.iter().map(renumbered).collect();
        let solvable = Solvable { problem: &problem, loose: &loose };
        let mut steps = OnCheckerboard::new(memory, operator, &solvable, &mut reordered_q, trace);
        let has_ended = iterate(params, &mut steps, trace)?;
        parallel::for_each((numbers.as_slice(), q), |(numbers, q)| {
            numbers.iter().zip(q).for_each(|(&number, q)| *q = reordered_q[number as usize]);
        });
        Ok(has_ended)
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
