//! Solvers of pressure problems that are given as fields.

use unstick_parallel as parallel;

use super::{FieldRows, PressureFields};
use crate::error::SolveError;
use crate::report::SolveReport;
use crate::solvers::MlcpSolver;

/// Solves pressure problems that are given as fields.
pub trait FieldSolver<const D: usize>: Send {
    /// Solves from `q`, a scaled pressure in every cell. The answer replaces it and is zero in cells without an
    /// unknown. `active` says afterwards where the liquid leaves its wall. After an error neither means anything.
    fn solve_fields(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<SolveReport, SolveError>;
}

/// A solver of rows, to which the processor brings fields. It keeps the memory of the rows.
pub struct RowSolver<const D: usize> {
    solver: Box<dyn MlcpSolver>,
    rows: FieldRows<D>,
    /// The scaled pressure of each row.
    q: Vec<f64>,
}

impl<const D: usize> RowSolver<D> {
    /// Hands fields to `solver` as rows.
    pub fn new(solver: Box<dyn MlcpSolver>) -> Self {
        Self { solver, rows: FieldRows::default(), q: Vec::new() }
    }

    /// The solver itself, for rows that fields alone do not give.
    pub fn solver(&mut self) -> &mut dyn MlcpSolver {
        &mut *self.solver
    }
}

impl<const D: usize> FieldSolver<D> for RowSolver<D> {
    fn solve_fields(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<SolveReport, SolveError> {
        fields.check(q, active)?;
        fields.write_rows(&mut self.rows, |_| true)?;
        let problem = self.rows.problem()?;
        let cells = self.rows.operator.lattice().cells();
        parallel::resize(&mut self.q, cells.len(), 0.0);
        parallel::for_each((cells, self.q.as_mut_slice()), |(cells, values)| {
            cells.iter().zip(values).for_each(|(&cell, value)| *value = q[cell as usize]);
        });
        let report = self.solver.solve(&problem, &mut self.q)?;
        parallel::for_each((&mut *q, &mut *active), |(q, active)| {
            q.fill(0.0);
            active.fill(false);
        });
        parallel::for_each_at(cells, 0, q, |row, q| *q = self.q[row]);
        report.let_go().iter().for_each(|&row| active[cells[row as usize] as usize] = true);
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::WallFields;
    use crate::name::SolverName;

    /// A closed box of one column, its lower cell liquid. The velocity across the face between the two is given.
    fn solve(solver: &mut RowSolver<2>, velocity: f64) -> (f64, bool) {
        let (across, along) = ([0.0; 4], [0.0, 1.0, 0.0]);
        let walls = WallFields {
            version: 0,
            open: [&across, &along],
            separating: &[true; 2],
            cell_open: &[1.0; 2],
            flow: None,
        };
        let velocities = [0.0, velocity, 0.0];
        let fields = PressureFields {
            cells: [1, 2],
            spacing: 1.0,
            walls,
            liquid: &[-0.5, 0.5],
            velocity: [&[0.0; 4], &velocities],
            divergence: None,
            control: 0.0,
            lower: None,
        };
        let (mut q, mut active) = ([0.0, 7.0], [true; 2]);
        let report = solver.solve_fields(&fields, &mut q, &mut active).unwrap();
        assert!(report.converged() && report.rows() == 1 && q[1] == 0.0 && !active[1]);
        (q[0], active[0])
    }

    #[test]
    fn liquid_that_falls_is_carried_and_liquid_that_rises_lets_go() {
        let mut solver = RowSolver::new("policy".parse::<SolverName>().unwrap().build(&Default::default()));
        assert_eq!(solve(&mut solver, -1.0), (0.5, false)); // θ = ½: q / θ = 1
        assert_eq!(solve(&mut solver, 1.0), (0.0, true));
    }
}
