//! Projected successive over-relaxation (`psor`).
//!
//! Solves one row at a time with its neighbours frozen and clamps it to its bound
//! [Lai2021, alg. 5]. Converges for symmetric positive definite A and 0 < ω < 2, but slowly. It is useful as a
//! smoother, for a starting iterate, and to check other methods.

use unstick_parallel as parallel;

use super::MlcpSolver;
use crate::csr::CsrMatrix;
use crate::error::SolveError;
use crate::interrupt;
use crate::lattice::Lattice;
use crate::operator::LinearOperator;
use crate::parameter::{Parameters, parameters};
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Trace, run};
use crate::stop::Stop;

parameters! {
    /// Parameters of [`Psor`].
    pub struct PsorParams {
        /// Over-relaxation ω; 1 is Gauss–Seidel. The default is good on grids of 32³ to 64³.
        relaxation: f64 = 1.8, 0.01..=1.99;
        /// Whether rows of one colour are relaxed at once, on all threads. Automatic does so on grids, where red and
        /// black rows are known, and relaxes one row after another elsewhere.
        colored: Option<bool> = None;
    }
}

/// The method.
#[derive(Clone, Debug, Default)]
pub struct Psor {
    /// Its parameters.
    pub params: PsorParams,
    /// When to stop. Default limit: 100 000 sweeps.
    pub stop: Stop,
}

impl MlcpSolver for Psor {
    fn name(&self) -> String {
        format!("psor{}", self.params.suffix())
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let PsorParams { relaxation, colored } = self.params;
        run(self.name(), problem, q, &self.stop, 100_000, |solvable, q, trace: &mut Trace| {
            let mut sweeps = trace.set_up(|| Sweeps::colored(solvable.problem, relaxation, colored))?;
            let mut r = vec![0.0; q.len()];
            loop {
                solvable.problem.residual(q, &mut r);
                if !trace.goes_on(solvable.problem.natural_residual(q, &r))? {
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
    /// Rows by colour, no two rows of a colour coupled; empty where rows follow one another.
    colors: Vec<Vec<u32>>,
    relaxed: Vec<f64>,
}

impl<'p> Sweeps<'p> {
    /// Relaxes `q` some times, one row after another and without over-relaxation.
    pub fn gauss_seidel(problem: &'p Mlcp, count: usize, q: &mut [f64]) -> Result<(), SolveError> {
        let mut sweeps = Self::colored(problem, 1.0, Some(false))?;
        for _ in 0..count {
            if interrupt::is_interrupted() {
                return Err(SolveError::Interrupted);
            }
            sweeps.sweep(q);
        }
        Ok(())
    }

    /// Colour by colour where that is asked for; by default where the rows lie on a grid.
    pub(super) fn colored(problem: &'p Mlcp, relaxation: f64, is_colored: Option<bool>) -> Result<Self, SolveError> {
        let matrix = problem.operator().csr().ok_or(SolveError::NeedsMatrix("psor"))?;
        let colors = match (is_colored, problem.operator().lattice()) {
            (None | Some(true), Some(lattice)) => red_black(lattice),
            (Some(true), None) => greedy(matrix),
            _ => Vec::new(),
        };
        let most = colors.iter().map(Vec::len).max();
        Ok(Self { problem, matrix, relaxation, colors, relaxed: vec![0.0; most.unwrap_or(0)] })
    }

    /// Relaxes every row once, colour by colour or in their order.
    pub fn sweep(&mut self, q: &mut [f64]) {
        let mut relaxed = std::mem::take(&mut self.relaxed);
        if self.colors.is_empty() {
            (0..q.len()).for_each(|row| q[row] = self.relax(row, q));
        }
        for rows in &self.colors {
            let target = &mut relaxed[..rows.len()];
            parallel::for_each((rows.as_slice(), &mut *target), |(rows, target)| {
                rows.iter().zip(target).for_each(|(&row, target)| *target = self.relax(row as usize, q));
            });
            rows.iter().zip(target).for_each(|(&row, value)| q[row as usize] = *value);
        }
        self.relaxed = relaxed;
    }

    /// The row's new value: its own equation solved, over-relaxed and clamped.
    #[inline]
    fn relax(&self, row: usize, q: &[f64]) -> f64 {
        let r = self.matrix.row_dot(row, q) + self.problem.b()[row];
        let step = -self.relaxation * r / self.matrix.diagonal()[row];
        (q[row] + step).max(self.problem.lower()[row])
    }
}

/// Rows by the parity of their cell on a grid.
fn red_black(lattice: &Lattice) -> Vec<Vec<u32>> {
    let mut colors = vec![Vec::new(), Vec::new()];
    for row in 0..lattice.cells().len() {
        colors[lattice.place(row).iter().sum::<usize>() % 2].push(row as u32);
    }
    colors
}

/// The first colour that no neighbour has, row after row. Finds red and black on grids.
fn greedy(matrix: &CsrMatrix) -> Vec<Vec<u32>> {
    let mut color_of = vec![usize::MAX; matrix.rows()];
    let mut colors: Vec<Vec<u32>> = Vec::new();
    let mut taken = Vec::new();
    for row in 0..matrix.rows() {
        taken.clear();
        taken.extend(matrix.row(row).filter(|&(_, value)| value != 0.0).map(|(column, _)| color_of[column]));
        let color = (0..).find(|color| !taken.contains(color)).unwrap_or(0);
        if color == colors.len() {
            colors.push(Vec::new());
        }
        colors[color].push(row as u32);
        color_of[row] = color;
    }
    colors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    /// A matrix that couples each row with those beside it.
    fn line(size: usize, diagonal: f64) -> CsrMatrix<'static> {
        let matrix = CsrMatrix::from_rows(size, |row, entries| {
            for column in row.saturating_sub(1)..(row + 2).min(size) {
                entries.push((column, if row == column { diagonal } else { -1.0 }));
            }
        });
        matrix.unwrap()
    }

    #[test]
    fn a_line_takes_two_colours() {
        let colors = greedy(&line(5, 2.0));
        assert_eq!(colors, red_black(&Lattice::new(&[5, 1], vec![0, 1, 2, 3, 4]).unwrap()));
        assert_eq!(colors, [vec![0, 2, 4], vec![1, 3]]);
    }

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
    fn colours_and_rows_in_their_order_lead_to_the_same_answer() {
        let size = 30;
        let b: Vec<f64> = (0..size).map(|row| (row as f64).sin()).collect();
        let problem = Mlcp::new(line(size, 2.1), b).unwrap().with_walls(&vec![true; size]).unwrap();
        let solve = |colored| {
            let params = PsorParams { relaxation: 1.0, colored };
            let mut q = vec![0.0; size];
            assert!(Psor { params, stop: Stop::relative(1e-10) }.solve(&problem, &mut q).unwrap().converged());
            q
        };
        let (ordered, colored) = (solve(Some(false)), solve(Some(true)));
        assert_ne!(ordered, colored, "colours change the order of the rows");
        assert!(ordered.iter().zip(&colored).all(|(one, other)| (one - other).abs() < 1e-8));
    }
}
