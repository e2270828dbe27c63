//! A matrix plus a term of low rank: A + U Uᵀ.

use std::sync::Arc;

use unstick_parallel::vector;

use crate::operator::LinearOperator;

/// A symmetric positive operator with a symmetric term of low rank added, never assembled.
///
/// Rigid bodies in a liquid make one: each adds a column for every direction in which it can move. The
/// eigenvalues of A⁻¹(A + U Uᵀ) are 1, except for one per column. So conjugate gradients with a
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
    columns: Arc<[Vec<(u32, f64)>]>,
    diagonal: Vec<f64>,
}

impl<A: LinearOperator> LowRank<A> {
    /// Adds columns, each given by its (row, value) pairs.
    pub fn new(base: A, columns: Vec<Vec<(u32, f64)>>) -> Self {
        let mut diagonal = base.diagonal().to_vec();
        for &(row, value) in columns.iter().flatten() {
            diagonal[row as usize] += value * value;
        }
        Self { base, columns: columns.into(), diagonal }
    }

    /// Uᵀ x, one number a column.
    fn along<'x>(&'x self, x: &'x [f64]) -> impl Iterator<Item = (&'x [(u32, f64)], f64)> {
        self.columns.iter().map(|column| {
            let sum = column.iter().map(|&(row, value)| value * x[row as usize]).sum();
            (column.as_slice(), sum)
        })
    }

    /// y ← y + U Uᵀ x; returns |Uᵀ x|².
    fn add(&self, x: &[f64], y: &mut [f64]) -> f64 {
        let mut squared = 0.0;
        for (column, sum) in self.along(x) {
            squared += sum * sum;
            column.iter().for_each(|&(row, value)| y[row as usize] += sum * value);
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
    use crate::{Mlcp, Stop};

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
        let assembled = crate::CsrMatrix::from_triplets(size, entries).unwrap();
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
}
