//! What an answer is worth: measured once, at the end of a solve.

use std::ops::Range;

use unstick_parallel::{self as parallel, larger};

use crate::error::SolveError;
use crate::pressure::AnyPressureOperator;
use crate::problem::{Mlcp, minimum_map};
use crate::ranks::{Ranks, Reductions};

/// What a solve has reached.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// ‖H‖∞ of the iterate.
    pub residual: f64,
    /// Largest |r| on equation rows.
    pub divergence: f64,
    /// Largest violation of the wall conditions: ℓ − q, −r or min(q − ℓ, r).
    pub complementarity: f64,
    /// Rows.
    pub rows: usize,
    /// Complementary rows.
    pub wall_rows: usize,
    /// Those of them that are held by their bound.
    pub active_rows: usize,
    /// The rows whose wall has let go, ascending; of rows that many ranks share, those of this rank.
    pub let_go: Vec<u32>,
}

impl Reached {
    /// Measures an answer. Of a [sealed](Mlcp::sealed) problem, divergence, complementarity and `let_go` are those of
    /// the walls that it was sealed with.
    pub(super) fn by(problem: &Mlcp, q: &[f64]) -> Self {
        let walls = problem.walls();
        let (operator, b, lower) = (problem.operator(), problem.b(), problem.lower());
        let diagonal = operator.diagonal();
        let judge = |reached: &mut Self, row: usize, r: f64| {
            let bound = lower[row];
            reached.rows += 1;
            reached.residual = larger(reached.residual, minimum_map(q[row] - bound, r).abs());
            if walls[row] == f64::NEG_INFINITY {
                reached.divergence = reached.divergence.max(r.abs());
                return;
            }
            let above = q[row] - walls[row];
            reached.complementarity = reached.complementarity.max((-above).max(-r).max(above.min(r)));
            // As in `Mlcp::is_active`, for bounds that may not be those of the problem.
            let has_let_go = diagonal[row] * above <= r;
            if has_let_go {
                reached.let_go.push(row as u32);
            }
            if bound > f64::NEG_INFINITY {
                reached.wall_rows += 1;
                reached.active_rows += has_let_go as usize;
            }
        };
        // Most rows are equations: they are judged together.
        let judge_all = |reached: &mut Self, rows: Range<usize>, r: &[f64]| {
            let (bounds, kinds) = (&lower[rows.clone()], &walls[rows.clone()]);
            let is_equation = |all: bool, bound: &f64| all & (*bound == f64::NEG_INFINITY);
            if !bounds.iter().chain(kinds).fold(true, is_equation) {
                return rows.zip(r).for_each(|(row, r)| judge(reached, row, *r));
            }
            let most = r.iter().fold(0, |most, r| r.abs().to_bits().max(most)); // NaN is above all
            reached.rows += r.len();
            reached.residual = larger(reached.residual, f64::from_bits(most));
            reached.divergence = reached.divergence.max(f64::from_bits(most));
        };
        let reached = match operator.pressure() {
            Some(AnyPressureOperator::Plane(operator)) => operator.fold_residuals(q, b, judge_all, Self::join),
            Some(AnyPressureOperator::Space(operator)) => operator.fold_residuals(q, b, judge_all, Self::join),
            None => {
                let (matrix, mut residual) = (operator.csr(), Vec::new());
                if matrix.is_none() {
                    parallel::resize(&mut residual, q.len(), 0.0);
                    problem.residual(q, &mut residual);
                }
                // A matrix gives its rows one by one, without a vector for all of them.
                let residual_of = |row: usize| match matrix {
                    Some(matrix) => matrix.row_dot(row, q) + b[row],
                    None => residual[row],
                };
                let of_rows = |rows: Range<usize>| {
                    let mut reached = Self::default();
                    rows.for_each(|row| judge(&mut reached, row, residual_of(row)));
                    reached
                };
                parallel::fold(0..q.len(), &of_rows, &Self::join)
            }
        };
        reached.on_all(problem.ranks())
    }

    /// What all ranks have reached together.
    fn on_all(self, ranks: &dyn Ranks) -> Self {
        let [residual, divergence, complementarity] =
            ranks.largest([self.residual, self.divergence, self.complementarity]);
        let [rows, wall_rows, active_rows] = ranks.total([self.rows, self.wall_rows, self.active_rows]);
        Self { residual, divergence, complementarity, rows, wall_rows, active_rows, let_go: self.let_go }
    }

    /// The same, or an error if the answer is none: a residual that is not finite.
    pub(super) fn checked(self, cycle: usize) -> Result<Self, SolveError> {
        let residual = self.residual;
        if residual.is_finite() { Ok(self) } else { Err(SolveError::NotFinite { cycle, residual }) }
    }

    /// The rows of `self`, then those of `next`.
    fn join(mut self, next: Self) -> Self {
        self.let_go.extend(next.let_go);
        Self {
            residual: larger(self.residual, next.residual),
            divergence: self.divergence.max(next.divergence),
            complementarity: self.complementarity.max(next.complementarity),
            rows: self.rows + next.rows,
            wall_rows: self.wall_rows + next.wall_rows,
            active_rows: self.active_rows + next.active_rows,
            let_go: self.let_go,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::CsrMatrix;

    fn identity(b: &[f64], lower: Vec<f64>) -> Mlcp<'_> {
        let matrix = CsrMatrix::from_triplets(b.len(), (0..b.len()).map(|row| (row, row, 1.0))).unwrap();
        Mlcp::new(matrix, b).unwrap().with_lower(lower).unwrap()
    }

    #[test]
    fn walls_are_measured_from_their_bound_and_not_from_zero() {
        // r = (3, 0.5, −0.25): the first row lies on its bound, the second above it, the third is an equation.
        let problem = identity(&[1.0, -2.0, -1.0], vec![2.0, 2.0, f64::NEG_INFINITY]);
        let reached = Reached::by(&problem, &[2.0, 2.5, 0.75]);
        assert_eq!((reached.divergence, reached.complementarity, reached.residual), (0.25, 0.5, 0.5));
        assert_eq!((reached.rows, reached.wall_rows, reached.active_rows), (3, 2, 2));
        assert_eq!(reached.let_go, [0, 1]);
        let below = Reached::by(&problem, &[1.0, 2.0, 1.0]);
        assert_eq!(below.complementarity, 1.0, "a row below its bound violates it by the distance");
    }

    #[test]
    fn bounds_that_are_ignored_show_in_the_complementarity_alone() {
        let problem = identity(&[2.0], vec![0.0]);
        let reached = Reached::by(&problem.sealed(), &[-2.0]);
        assert_eq!((reached.residual, reached.divergence, reached.complementarity), (0.0, 0.0, 2.0));
        assert_eq!((reached.wall_rows, reached.active_rows, reached.let_go), (0, 0, vec![0]));
    }

    #[test]
    fn rows_of_many_blocks_are_listed_in_their_order() {
        let b: Vec<f64> = (0..40_000).map(|row| if row % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let problem = identity(&b, vec![0.0; b.len()]);
        let q: Vec<f64> = b.iter().map(|b| (-b).max(0.0)).collect();
        let reached = Reached::by(&problem, &q);
        assert_eq!((reached.residual, reached.complementarity), (0.0, 0.0));
        let expected: Vec<u32> = (0..b.len() as u32).step_by(3).collect();
        assert_eq!(reached.let_go, expected);
    }
}
