//! Parts of a problem that determine their answer only up to a constant.
//!
//! A connected component C with A 1_C = 0 is liquid without a free surface. Summing its rows gives
//! Σ r = Σ b, whatever q is:
//!
//! - without a separating wall r = 0 is needed, so Σ b must vanish (*pocket*);
//! - with one, r ≥ 0 is needed. Σ b < 0 has no answer, Σ b = 0 makes every row an equation (a
//!   pocket again, lifted until its walls push), Σ b > 0 is an ordinary problem whose answer has at
//!   least one active row (*loose*: an active-set method must never free all of them).
//!
//! Pockets are solved with b shifted to mean zero; the answer of least norm has mean zero. Often the
//! whole problem is one component, a closed tank. Then loops run over all rows without a list.

use unstick_parallel::exact::ExactSum;
use unstick_parallel::{self as parallel, vector};

use crate::csr::CsrMatrix;
use crate::operator::LinearOperator;
use crate::problem::Mlcp;
use crate::ranks::{Ranks, Reductions};
use crate::report::PocketReport;

/// Row sums up to this, relative to the diagonal, count as zero: rounding of an assembled matrix.
const ROUNDING: f64 = 1e-12;

/// A problem whose right-hand side has been made compatible.
pub(crate) struct Compatible<'a> {
    /// The problem to solve instead.
    pub problem: Mlcp<'a>,
    /// Components that must keep an active row.
    pub loose: Vec<Vec<u32>>,
    pockets: Vec<Pocket>,
}

struct Pocket {
    rows: Vec<u32>,
    report: PocketReport,
}

impl<'a> Compatible<'a> {
    /// Finds singular components and shifts b on pockets. An imbalance of up to half the residual
    /// `target` is tolerated: it leaves the other half for the solver.
    ///
    /// An operator without entries shows no components, so it is not changed.
    pub fn of(problem: &Mlcp<'a>, target: f64) -> Self {
        let singular = problem.operator().singular_components();
        let mut compatible = Self { problem: problem.clone(), loose: Vec::new(), pockets: Vec::new() };
        if singular.is_empty() {
            return compatible;
        }
        let ranks = problem.ranks();
        let [largest] = ranks.largest([vector::norm_max(problem.b())]);
        let rounding = f64::EPSILON * largest;
        let (mut b, mut lower) = (None, None);
        for rows in singular {
            let has_wall = problem.wall_rows() > 0 && rows.iter().any(|&row| problem.is_wall(row as usize));
            let [count, walls] = ranks.total([rows.len(), has_wall as usize]);
            let (imbalance, has_wall) = (sum(ranks, &rows, problem.b()) / count as f64, walls > 0);
            if has_wall && imbalance > 0.5 * target {
                compatible.loose.push(rows);
                continue;
            }
            if imbalance.abs() > rounding {
                shift(&rows, -imbalance, b.get_or_insert_with(|| problem.b().to_vec()));
            }
            if has_wall {
                let lower = lower.get_or_insert_with(|| problem.lower().to_vec());
                rows.iter().for_each(|&row| lower[row as usize] = f64::NEG_INFINITY);
            }
            let report = PocketReport {
                first_row: rows.iter().copied().min().unwrap_or(0) as usize,
                rows: count,
                imbalance,
                compatible: imbalance.abs() <= 0.5 * target,
            };
            compatible.pockets.push(Pocket { rows, report });
        }
        compatible.problem = problem.with_parts(b, lower);
        compatible
    }

    /// The target of the solver. The imbalance of compatible pockets comes on top of it.
    pub fn target(&self, target: f64) -> f64 {
        let compatible = self.pockets.iter().filter(|pocket| pocket.report.compatible);
        target - compatible.fold(0.0, |most, pocket| pocket.report.imbalance.abs().max(most))
    }

    /// Moves every pocket to its answer of least norm that respects the bounds of `problem`.
    pub fn settle(&self, problem: &Mlcp, q: &mut [f64]) {
        for pocket in &self.pockets {
            let mean = sum(problem.ranks(), &pocket.rows, q) / pocket.report.rows as f64;
            let below = |&row: &u32| problem.lower()[row as usize] - (q[row as usize] - mean);
            let [deepest] = problem.ranks().largest([pocket.rows.iter().map(below).fold(0.0, f64::max)]);
            shift(&pocket.rows, deepest - mean, q);
        }
    }

    /// Whether every pocket has an answer.
    pub fn is_solvable(&self) -> bool {
        self.pockets.iter().all(|pocket| pocket.report.compatible)
    }

    /// The pockets, for the report.
    pub fn into_reports(self) -> Vec<PocketReport> {
        self.pockets.into_iter().map(|pocket| pocket.report).collect()
    }
}

/// Sum of some rows, on all ranks.
fn sum(ranks: &dyn Ranks, rows: &[u32], values: &[f64]) -> f64 {
    let of_rows = |rows: &[u32]| rows.iter().map(|&row| values[row as usize]).collect::<ExactSum>();
    let mut total = parallel::fold(rows, &of_rows, &|mut one, other| {
        one.merge(&other);
        one
    });
    ranks.sum(total.words());
    total.value()
}

/// Adds to some rows.
fn shift(rows: &[u32], by: f64, values: &mut [f64]) {
    if rows.len() == values.len() {
        return parallel::for_each(values, |values| values.iter_mut().for_each(|value| *value += by));
    }
    rows.iter().for_each(|&row| values[row as usize] += by);
}

/// Sweeps that carry news of a hold from row to row, each way. Rows in the order of a grid need one or two.
const SWEEPS: usize = 6;

impl CsrMatrix<'_> {
    /// Rows of each connected component whose rows all sum to zero: liquid without air, whose
    /// pressure is known only up to a constant. They are looked for once.
    pub fn singular_components(&self) -> Vec<Vec<u32>> {
        self.closed.get_or_init(|| self.find_closed_components()).clone()
    }

    fn find_closed_components(&self) -> Vec<Vec<u32>> {
        let is_anchored = |row: usize| {
            let sum: f64 = self.row(row).map(|(_, value)| value).sum();
            sum.abs() > ROUNDING * self.diagonal()[row]
        };
        let mut held = vec![false; self.rows()];
        parallel::for_each((0..self.rows(), held.as_mut_slice()), |(rows, held)| {
            rows.zip(held).for_each(|(row, held)| *held = is_anchored(row));
        });
        self.spread(&mut held);
        // What is left is walked through: most often nothing.
        let mut components = Vec::new();
        let mut rows: Vec<u32> = Vec::new();
        let mut seen = held.clone();
        for first in 0..self.rows() {
            if std::mem::replace(&mut seen[first], true) {
                continue;
            }
            rows.clear();
            rows.push(first as u32);
            let (mut next, mut is_held) = (0, false);
            while next < rows.len() {
                let row = rows[next] as usize;
                next += 1;
                for (column, _) in self.row(row).filter(|&(_, value)| value != 0.0) {
                    is_held |= held[column];
                    if !std::mem::replace(&mut seen[column], true) {
                        rows.push(column as u32);
                    }
                }
            }
            if !is_held {
                components.push(rows.clone());
            }
        }
        components
    }

    /// Holds rows that are coupled with held ones, in sweeps up and down.
    fn spread(&self, held: &mut [bool]) {
        let size = self.rows();
        for sweep in 0..2 * SWEEPS {
            let mut changed = false;
            let mut visit = |row: usize| {
                if !held[row] && self.row(row).any(|(column, value)| value != 0.0 && held[column]) {
                    held[row] = true;
                    changed = true;
                }
            };
            match sweep % 2 {
                0 => (0..size).for_each(&mut visit),
                _ => (0..size).rev().for_each(&mut visit),
            }
            if !changed && sweep > 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows 0 and 1 are a closed pair, row 2 touches air.
    fn pair_and_single() -> CsrMatrix<'static> {
        let entries = [(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0), (2, 2, 2.0)];
        CsrMatrix::from_triplets(3, entries).unwrap()
    }

    #[test]
    fn a_closed_pair_is_found_and_balanced() {
        let problem = Mlcp::new(pair_and_single(), vec![1.0, -1.0 + 1e-9, 5.0]).unwrap();
        let compatible = Compatible::of(&problem, 1e-6);
        assert!(compatible.is_solvable());
        let b = compatible.problem.b();
        assert!((b[0] + b[1]).abs() < 1e-15 && b[2] == 5.0);
        let mut q = [7.0, 9.0, 0.0];
        compatible.settle(&problem, &mut q);
        assert_eq!(q, [-1.0, 1.0, 0.0]);
    }

    #[test]
    fn a_pocket_that_must_shrink_is_incompatible() {
        let problem = Mlcp::new(pair_and_single(), vec![-1.0, -1.0, 5.0]).unwrap();
        let compatible = Compatible::of(&problem, 1e-6);
        assert!(!compatible.is_solvable());
        assert_eq!(compatible.into_reports()[0].imbalance, -1.0);
    }

    #[test]
    fn with_a_wall_outflow_is_an_ordinary_problem_and_balance_is_lifted_to_the_bound() {
        let walls = [true, false, false];
        let outflow = Mlcp::new(pair_and_single(), vec![1.0, 1.0, 0.0]).unwrap().with_walls(&walls).unwrap();
        assert_eq!(Compatible::of(&outflow, 1e-6).loose, [vec![0, 1]]);
        let balanced = Mlcp::new(pair_and_single(), vec![1.0, -1.0, 0.0]).unwrap().with_walls(&walls).unwrap();
        let compatible = Compatible::of(&balanced, 1e-6);
        assert!(compatible.loose.is_empty());
        let mut q = [-0.5, 0.5, 0.0];
        compatible.settle(&balanced, &mut q);
        assert_eq!(q, [0.0, 1.0, 0.0]);
    }
}
