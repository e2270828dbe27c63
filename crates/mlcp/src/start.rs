//! Starting iterates.

use std::fmt;
use std::str::FromStr;

use unstick_parallel as parallel;

use crate::error::SolveError;
use crate::interrupt;
use crate::problem::Mlcp;
use crate::scale::Scale;
use crate::solvers::LineSearch;
use crate::solvers::newton::{merit, project_step};
use crate::solvers::psor::Sweeps;

/// A starting iterate [Andersen2017b, sec. 7].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// q = 0.
    #[default]
    Zero,
    /// The values that the caller left in q.
    Given,
    /// Zero, then this many sweeps of projected Gauss–Seidel.
    Psor(usize),
    /// Zero, then this many steps of non-smooth gradient descent on ½ HᵀH.
    Gradient(usize),
}

impl Start {
    /// Brings `q` to the starting iterate.
    ///
    /// ```
    /// use unstick_mlcp::{CsrMatrix, Mlcp, Start};
    /// let matrix = CsrMatrix::from_triplets(1, [(0, 0, 2.0)])?;
    /// let problem = Mlcp::new(matrix, &[-3.0])?.with_walls(&[true])?;
    /// let mut q = [7.0];
    /// Start::Psor(1).prepare(&problem, &mut q)?;
    /// assert_eq!(q, [1.5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepare(self, problem: &Mlcp, q: &mut [f64]) -> Result<(), SolveError> {
        problem.check_iterate(q)?;
        if self != Self::Given {
            q.fill(0.0);
        }
        let Some(scale) = Scale::of(problem, problem.residual_at_zero()) else { return self.improve(problem, q) };
        let mut start = scale.start(q);
        self.improve(&scale.problem(problem), &mut start)?;
        scale.finish(&start, q);
        Ok(())
    }

    fn improve(self, problem: &Mlcp, q: &mut [f64]) -> Result<(), SolveError> {
        match self {
            Self::Zero | Self::Given => {}
            Self::Psor(count) => Sweeps::gauss_seidel(problem, count, q)?,
            Self::Gradient(count) => descend(problem, q, count)?,
        }
        Ok(())
    }
}

/// Steps against ∇θ = Aᵀ(a ⊗ H) + f ⊗ H with a projected Armijo search.
fn descend(problem: &Mlcp, q: &mut [f64], count: usize) -> Result<(), SolveError> {
    let vector = || vec![0.0; q.len()];
    let (mut r, mut masked, mut direction) = (vector(), vector(), vector());
    let (mut trial, mut trial_r) = (vector(), vector());
    problem.residual(q, &mut r);
    for _ in 0..count {
        if interrupt::is_interrupted() {
            return Err(SolveError::Interrupted);
        }
        let selects_residual = |row: usize| r[row] < q[row] - problem.lower()[row];
        parallel::for_each((0..r.len(), masked.as_mut_slice()), |(rows, masked)| {
            rows.zip(masked).for_each(|(row, value)| *value = if selects_residual(row) { r[row] } else { 0.0 });
        });
        problem.operator().apply(&masked, &mut direction);
        parallel::for_each((0..r.len(), direction.as_mut_slice()), |(rows, direction)| {
            for (row, direction) in rows.zip(direction) {
                let of_bound = if selects_residual(row) { 0.0 } else { q[row] - problem.lower()[row] };
                *direction = -(*direction + of_bound);
            }
        });
        let slope = -unstick_parallel::vector::dot(&direction, &direction);
        let step = LineSearch::default().search(merit(problem, q, &r), slope, |step| {
            project_step(problem, q, step, &direction, &mut trial);
            problem.residual(&trial, &mut trial_r);
            merit(problem, &trial, &trial_r)
        });
        if step.is_none() {
            return Ok(()); // at a kink of the merit function, where this method ends
        }
        q.copy_from_slice(&trial);
        r.copy_from_slice(&trial_r);
    }
    Ok(())
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => write!(f, "zero"),
            Self::Given => write!(f, "given"),
            Self::Psor(count) => write!(f, "psor:{count}"),
            Self::Gradient(count) => write!(f, "gradient:{count}"),
        }
    }
}

/// Steps of a starting iterate at most: what takes more is a solve, which says how far it has come.
const MOST_STEPS: usize = 1_000_000;

/// Text that is not a starting iterate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a starting iterate: expected `zero`, `given`, `psor:K` or `gradient:K` with a number K of steps, at most \
     {MOST_STEPS}"
)]
pub struct ParseStartError(String);

impl FromStr for Start {
    type Err = ParseStartError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseStartError(text.into());
        let steps = |count: &str| count.parse().ok().filter(|&count| count <= MOST_STEPS).ok_or_else(error);
        match text.split_once(':') {
            None if text == "zero" => Ok(Self::Zero),
            None if text == "given" => Ok(Self::Given),
            Some(("psor", count)) => Ok(Self::Psor(steps(count)?)),
            Some(("gradient", count)) => Ok(Self::Gradient(steps(count)?)),
            _ => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::CsrMatrix;

    #[test]
    fn every_start_is_read_back_from_its_text() {
        for start in [Start::Zero, Start::Given, Start::Psor(10), Start::Gradient(3)] {
            assert_eq!(start.to_string().parse(), Ok(start));
        }
        assert!("psor:x".parse::<Start>().is_err() && "".parse::<Start>().is_err());
        let endless = "psor:99999999999".parse::<Start>().unwrap_err().to_string();
        assert!(endless.ends_with("at most 1000000"), "{endless}");
    }

    #[test]
    fn a_start_can_be_interrupted() {
        let matrix = CsrMatrix::from_triplets(1, [(0, 0, 2.0)]).unwrap();
        let problem = Mlcp::new(matrix, vec![-1.0]).unwrap();
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        for start in [Start::Psor(usize::MAX), Start::Gradient(usize::MAX)] {
            let result = interrupt::interruptible(&flag, || start.prepare(&problem, &mut [0.0]));
            assert_eq!(result, Err(SolveError::Interrupted), "{start}");
        }
    }

    #[test]
    fn both_methods_lower_the_residual() {
        let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)]).unwrap();
        let problem = Mlcp::new(matrix, vec![-1.0, -2.0]).unwrap().with_walls(&[true, false]).unwrap();
        for start in [Start::Psor(5), Start::Gradient(5)] {
            let (mut q, mut r) = ([0.0; 2], [0.0; 2]);
            start.prepare(&problem, &mut q).unwrap();
            problem.residual(&q, &mut r);
            assert!(problem.natural_residual(&q, &r) < 0.5 * problem.residual_at_zero(), "{start}");
        }
    }
}
