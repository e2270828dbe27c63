//! Projected successive over-relaxation (`psor`).
//!
//! Solves one row at a time with its neighbours frozen and clamps it to its bound
//! [Lai2021, alg. 5]. Converges for symmetric positive definite A and 0 < ω < 2, slowly: its place
//! is as a smoother, a starting iterate and an oracle.

use std::sync::Arc;

use unstick_parallel as parallel;

use super::MlcpSolver;
use crate::coloring::Coloring;
use crate::csr::CsrMatrix;
use crate::error::SolveError;
use crate::operator::LinearOperator;
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Trace, run};
use crate::stop::Stop;

/// What a user may turn.
#[derive(Clone, Debug)]
pub struct PsorParams {
    /// Over-relaxation ω; 1 is Gauss–Seidel. Default 1.8: good on grids of 32³ to 64³.
    pub relaxation: f64,
    /// Rows that may be relaxed at once, on all threads. Default: none, one row after another.
    pub coloring: Option<Arc<Coloring>>,
    /// When to stop. Default limit: 100 000 sweeps.
    pub stop: Stop,
}

impl Default for PsorParams {
    fn default() -> Self {
        Self { relaxation: 1.8, coloring: None, stop: Stop::default() }
    }
}

/// The method.
#[derive(Clone, Debug, Default)]
pub struct Psor {
    /// What a user may turn.
    pub params: PsorParams,
}

impl MlcpSolver for Psor {
    fn name(&self) -> String {
        "psor".into()
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let PsorParams { relaxation, coloring, stop } = &self.params;
        run(self.name(), problem, q, stop, 100_000, |task, q, trace: &mut Trace| {
            let mut sweeps = trace.set_up(|| Sweeps::new(task.problem, *relaxation, coloring.clone()))?;
            let mut r = vec![0.0; q.len()];
            loop {
                task.problem.residual(q, &mut r);
                if !trace.goes_on(task.problem.natural_residual(q, &r))? {
                    return Ok(());
                }
                sweeps.sweep(q);
                trace.spend(1);
            }
        })
    }
}

/// Sweeps over a problem.
pub(crate) struct Sweeps<'p> {
    problem: &'p Mlcp<'p>,
    matrix: &'p CsrMatrix<'p>,
    relaxation: f64,
    coloring: Option<Arc<Coloring>>,
    relaxed: Vec<f64>,
}

impl<'p> Sweeps<'p> {
    pub fn new(problem: &'p Mlcp, relaxation: f64, coloring: Option<Arc<Coloring>>) -> Result<Self, SolveError> {
        let matrix = problem.operator().csr().ok_or(SolveError::NeedsMatrix { part: "psor" })?;
        if !(relaxation > 0.0 && relaxation < 2.0) {
            let (what, expected) = ("the over-relaxation", "a number between 0 and 2");
            return Err(SolveError::Parameter { what, value: relaxation, expected });
        }
        if coloring.as_ref().is_some_and(|coloring| !coloring.fits(matrix)) {
            return Err(SolveError::Coloring);
        }
        let most = coloring.iter().flat_map(|coloring| coloring.colors()).map(Vec::len).max();
        Ok(Self { problem, matrix, relaxation, coloring, relaxed: vec![0.0; most.unwrap_or(0)] })
    }

    /// Relaxes every row once, colour by colour or in their order.
    pub fn sweep(&mut self, q: &mut [f64]) {
        let Some(coloring) = self.coloring.clone() else {
            (0..q.len()).for_each(|row| q[row] = self.relax(row, q));
            return;
        };
        for rows in coloring.colors() {
            let mut relaxed = std::mem::take(&mut self.relaxed);
            let target = &mut relaxed[..rows.len()];
            parallel::for_each((rows.as_slice(), &mut *target), |(rows, target)| {
                rows.iter().zip(target).for_each(|(&row, target)| *target = self.relax(row as usize, q));
            });
            rows.iter().zip(target).for_each(|(&row, value)| q[row as usize] = *value);
            self.relaxed = relaxed;
        }
    }

    /// The row's new value: its own equation solved, over-relaxed and clamped.
    #[inline]
    fn relax(&self, row: usize, q: &[f64]) -> f64 {
        let r = self.matrix.row_dot(row, q) + self.problem.b()[row];
        let step = -self.relaxation * r / self.matrix.diagonal()[row];
        (q[row] + step).max(self.problem.lower()[row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    /// Two coupled rows; the free answer is (−1, 1), so the first wall row must let go.
    #[test]
    fn a_row_that_would_be_pulled_lets_go() {
        let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 2.0)]).unwrap();
        let problem = Mlcp::new(matrix, vec![1.0, -1.0]).unwrap().with_walls(&[true, false]).unwrap();
        let mut q = [0.0; 2];
        let report = Psor::default().solve(&problem, &mut q).unwrap();
        assert_eq!(report.outcome(), Outcome::Converged);
        assert!(q[0] == 0.0 && (q[1] - 0.5).abs() < 1e-6, "{q:?}");
    }

    #[test]
    fn an_over_relaxation_that_cannot_converge_is_refused() {
        let matrix = CsrMatrix::from_triplets(1, [(0, 0, 1.0)]).unwrap();
        let problem = Mlcp::new(matrix, vec![1.0]).unwrap();
        let mut psor = Psor { params: PsorParams { relaxation: 2.0, ..PsorParams::default() } };
        let error = psor.solve(&problem, &mut [0.0]).unwrap_err();
        assert_eq!(error.to_string(), "the over-relaxation is 2, expected a number between 0 and 2");
    }
}
