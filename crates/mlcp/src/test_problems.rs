//! Generated problems for the tests inside this crate.
//!
//! `unstick-problems` depends on this crate as others see it, not as its own tests do. Problems therefore come over as
//! plain arrays.

pub(crate) use unstick_problems::Example;

use crate::{CsrMatrix, Lattice, Mlcp, PressureOperator, SolveReport, SolverName, Stop};

pub(crate) struct Generated {
    pub matrix: CsrMatrix<'static>,
    pub b: Vec<f64>,
    pub lower: Vec<f64>,
    pub lattice: Lattice,
}

/// An example, which must be one that can be made.
pub(crate) fn generate(example: Example, dimension: usize, size: usize, seed: u64) -> Generated {
    let problem = example.generate(dimension, size, seed).unwrap();
    let (matrix, grid) = (problem.matrix(), problem.grid().unwrap());
    let cells = grid.cells.iter().map(|&cell| cell as u32).collect();
    let (starts, columns, values) = (matrix.starts().to_vec(), matrix.columns().to_vec(), matrix.values().to_vec());
    Generated {
        matrix: CsrMatrix::from_raw(starts, columns, values).unwrap(),
        b: problem.mlcp().b().to_vec(),
        lower: problem.mlcp().lower().to_vec(),
        lattice: Lattice::new(&grid.shape, cells).unwrap(),
    }
}

/// Solves from zero; the answer and the report.
pub(crate) fn solve(name: &str, problem: &Mlcp, stop: Stop) -> (Vec<f64>, SolveReport) {
    let mut q = vec![0.0; problem.size()];
    let report = name.parse::<SolverName>().unwrap().build(&stop).solve(problem, &mut q).unwrap();
    (q, report)
}

/// The largest difference between two vectors.
pub(crate) fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// sin(speed · row) in every row.
pub(crate) fn wave(size: usize, speed: f64) -> Vec<f64> {
    (0..size).map(|row| (speed * row as f64).sin()).collect()
}

impl Generated {
    pub fn operator<const D: usize>(&self) -> PressureOperator<D> {
        PressureOperator::from_csr(self.lattice.clone(), &self.matrix)
    }

    pub fn problem(&self) -> Mlcp<'_> {
        let problem = Mlcp::on_lattice(self.lattice.clone(), &self.matrix, &self.b);
        problem.and_then(|problem| problem.with_lower(&self.lower)).unwrap()
    }
}
