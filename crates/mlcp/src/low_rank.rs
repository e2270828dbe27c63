//! A matrix plus or less a term of low rank: A + U Uᵀ − V Vᵀ.

use std::sync::Arc;

use unstick_parallel::vector;

use crate::operator::LinearOperator;

/// A symmetric positive operator with symmetric terms of low rank added and taken off, never assembled.
///
/// Rigid bodies in a liquid add one: a column for every direction in which each can move. Unknowns that were eliminated
/// take one off: a column for each, as for the pressure of a bubble. The
/// eigenvalues of A⁻¹(A + U Uᵀ − V Vᵀ) are 1, except for one per column. So conjugate gradients with a
/// preconditioner of A take at most that many iterations more. Preconditioners read A
/// through [`nearby`](LinearOperator::nearby); parts that read entries of the sum (`psor`,
/// `fas`, `fmg`) refuse it.
///
/// ```
/// use unstick_mlcp::{CsrMatrix, LowRank, Mlcp, SolverName};
///
/// let a = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (1, 1, 2.0)])?;
/// let sum = LowRank::new(a, vec![vec![(0, 1.0), (1, 1.0)]]); // [[3, 1], [1, 3]]
/// let problem = Mlcp::new(sum, &[-4.0, -4.0])?;
/// let mut q = [0.0; 2];
/// let report = "sticking+cg/ic0".parse::<SolverName>()?.build(&Default::default()).solve(&problem, &mut q)?;
/// assert!(report.converged() && (q[0] - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LowRank<A> {
    base: A,
    /// U, then V.
    columns: Arc<[Vec<(u32, f64)>]>,
    /// How many columns U has.
    added: usize,
    diagonal: Vec<f64>,
}

impl<A: LinearOperator> LowRank<A> {
    /// Adds columns, each given by its (row, value) pairs.
    pub fn new(base: A, columns: Vec<Vec<(u32, f64)>>) -> Self {
        Self::with_eliminated(base, columns, Vec::new())
    }

    /// Adds columns and takes others off. What is left must be positive, as it is where unknowns of a positive operator were
    /// eliminated: V Vᵀ = G K⁻¹ Gᵀ for a block K of them that G couples with the rows.
    pub fn with_eliminated(base: A, added: Vec<Vec<(u32, f64)>>, eliminated: Vec<Vec<(u32, f64)>>) -> Self {
        let mut diagonal = base.diagonal().to_vec();
        for &(row, value) in added.iter().flatten() {
            diagonal[row as usize] += value * value;
        }
        for &(row, value) in eliminated.iter().flatten() {
            diagonal[row as usize] -= value * value;
        }
        let count = added.len();
        Self { base, columns: added.into_iter().chain(eliminated).collect(), added: count, diagonal }
    }

    /// Uᵀ x and Vᵀ x, one number a column.
    fn along<'x>(&'x self, x: &'x [f64]) -> impl Iterator<Item = (&'x [(u32, f64)], f64)> {
        self.columns.iter().map(|column| {
            let sum = column.iter().map(|&(row, value)| value * x[row as usize]).sum();
            (column.as_slice(), sum)
        })
    }

    /// y ← y + U Uᵀ x − V Vᵀ x; returns |Uᵀ x|² − |Vᵀ x|².
    fn add(&self, x: &[f64], y: &mut [f64]) -> f64 {
        let mut squared = 0.0;
        for (number, (column, sum)) in self.along(x).enumerate() {
            let signed = if number < self.added { sum } else { -sum };
            squared += signed * sum;
            column.iter().for_each(|&(row, value)| y[row as usize] += signed * value);
        }
        squared
    }
}

impl<A: LinearOperator> LinearOperator for LowRank<A> {
    fn size(&self) -> usize {
        self.base.size()
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.base.apply(x, y);
        self.add(x, y);
    }

    fn apply_dot(&self, x: &[f64], y: &mut [f64]) -> f64 {
        self.base.apply_dot(x, y) + self.add(x, y)
    }

    fn residual(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        self.base.residual(x, b, y);
        self.add(x, y);
    }

    fn nearby(&self) -> Option<&dyn LinearOperator> {
        Some(&self.base)
    }

    /// Parts that are closed in A and that no column holds either: it would have to push against a
    /// constant, as the surface of a body that lies in the part as a whole does not.
    fn singular_components(&self) -> Vec<Vec<u32>> {
        let mut components = self.base.singular_components();
        components.retain(|rows| {
            let mut constant = vec![0.0; self.size()];
            rows.iter().for_each(|&row| constant[row as usize] = 1.0);
            self.along(&constant).all(|(column, sum)| {
                let most = column.iter().fold(0.0, |most: f64, (_, value)| most.max(value.abs()));
                sum.abs() <= 1e-9 * most * vector::dot(&constant, &constant).sqrt()
            })
        });
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_problems::{self, Example, difference, generate};
    use crate::{CsrMatrix, Mlcp, Stop};

    #[test]
    fn every_method_that_needs_no_entries_solves_the_sum_as_its_assembled_matrix() {
        let generated = generate(Example::SphereHalf, 2, 16, 0);
        let size = generated.b.len();
        // Two smooth columns of a size that changes the answer.
        let column =
            |phase: f64| (0..size as u32).map(|row| (row, 0.3 * (0.2 * f64::from(row) + phase).sin())).collect();
        let columns: Vec<Vec<(u32, f64)>> = vec![column(0.0), column(1.0)];
        let mut entries: Vec<(usize, usize, f64)> = Vec::new();
        for row in 0..size {
            entries.extend(generated.matrix.row(row).map(|(other, value)| (row, other, value)));
            for column in &columns {
                entries.extend(column.iter().map(|&(other, value)| (row, other as usize, column[row].1 * value)));
            }
        }
        let assembled = CsrMatrix::from_triplets(size, entries).unwrap();
        let walls: Vec<bool> = generated.lower.iter().map(|bound| *bound == 0.0).collect();
        let solve = |problem: Mlcp, name: &str| {
            let (q, report) = test_problems::solve(name, &problem, Stop::relative(1e-9));
            assert!(report.converged(), "{name}");
            q
        };
        let expected = solve(Mlcp::new(&assembled, &generated.b).unwrap().with_walls(&walls).unwrap(), "psor");
        let base = generated.operator::<2>();
        for name in ["best", "policy+cg/mic0", "policy+cg/multigrid", "newton+cg/ic0", "mprgp"] {
            let sum = LowRank::new(&base, columns.clone());
            let found = solve(Mlcp::new(sum, &generated.b).unwrap().with_walls(&walls).unwrap(), name);
            let error = difference(&expected, &found);
            assert!(error < 1e-6, "{name}: {error}");
        }
    }

    /// One more unknown that holds many rows at once, as the air of a bubble does: the whole matrix with it has the answer
    /// of the one without.
    #[test]
    fn an_unknown_that_was_eliminated_leaves_the_answer_of_the_others() {
        let generated = generate(Example::SphereHalf, 2, 16, 0);
        let size = generated.b.len();
        let held: Vec<(u32, f64)> = (0..size as u32).step_by(7).map(|row| (row, 0.4)).collect();
        let hold: f64 = held.iter().map(|entry| entry.1).sum();
        // A with what the unknown adds to the diagonal, as rows that air holds have it.
        let added = held.iter().map(|&(row, value)| (row as usize, row as usize, value));
        let entries =
            (0..size).flat_map(|row| generated.matrix.row(row).map(move |(other, value)| (row, other, value)));
        let entries: Vec<_> = entries.chain(added).collect();
        let base = CsrMatrix::from_triplets(size, entries.clone()).unwrap();
        let coupling =
            held.iter().flat_map(|&(row, value)| [(row as usize, size, -value), (size, row as usize, -value)]);
        let whole = CsrMatrix::from_triplets(size + 1, entries.into_iter().chain(coupling).chain([(size, size, hold)]));
        let (whole, outflow) = (whole.unwrap(), 0.3);
        let walls: Vec<bool> = generated.lower.iter().map(|bound| *bound == 0.0).collect();
        let whole_b = [generated.b.as_slice(), &[outflow]].concat();
        let whole = Mlcp::new(&whole, &whole_b).unwrap().with_walls(&[walls.as_slice(), &[false]].concat()).unwrap();
        let (expected, _) = test_problems::solve("psor", &whole, Stop::relative(1e-10));
        let mut b = generated.b.clone();
        held.iter().for_each(|&(row, value)| b[row as usize] += value * outflow / hold);
        let column = held.iter().map(|&(row, value)| (row, value / hold.sqrt())).collect();
        let rest = LowRank::with_eliminated(&base, Vec::new(), vec![column]);
        let rest = Mlcp::new(rest, &b).unwrap().with_walls(&walls).unwrap();
        for name in ["best", "policy+cg/mic0", "mprgp"] {
            let (found, report) = test_problems::solve(name, &rest, Stop::relative(1e-9));
            let error = difference(&expected[..size], &found);
            assert!(report.converged() && error < 1e-6, "{name}: {error}");
        }
    }
}
