//! Solvers of pressure problems that are given as fields.

use std::sync::Arc;

use unstick_parallel as parallel;

use super::{FieldRows, PressureFields, Window};
use crate::error::SolveError;
use crate::ranks::{Boxes, Ranks};
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
    /// Where many ranks solve together: what this one has.
    part: Option<RankPart<D>>,
}

/// What one of many ranks has of a problem that is given as fields: those of its box, with some cells around it.
#[derive(Clone)]
pub struct RankPart<const D: usize> {
    /// All of them.
    pub ranks: Arc<dyn Ranks>,
    /// Their boxes.
    pub boxes: Boxes,
    /// The box of this one among the cells of its fields.
    pub inside: Window<D>,
}

impl<const D: usize> RowSolver<D> {
    /// Hands fields to `solver` as rows.
    pub fn new(solver: Box<dyn MlcpSolver>) -> Self {
        Self { solver, rows: FieldRows::default(), q: Vec::new(), part: None }
    }

    /// The same for one of many ranks, which solve together. Answers are written into the box of the rank.
    pub fn on_rank(solver: Box<dyn MlcpSolver>, part: RankPart<D>) -> Self {
        Self { part: Some(part), ..Self::new(solver) }
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
        // No row would show it: such a cell would count as air.
        let is_unknown = |distances: &[f64]| distances.iter().any(|distance| distance.is_nan()) as u8 as f64;
        if parallel::max(fields.liquid, is_unknown) > 0.0 {
            return Err(fields
                .first_fault(q)
                .map_or(SolveError::NotFinite { cycle: 0, residual: f64::NAN }, Into::into));
        }
        self.solve_rows(fields, q, active).map_err(|error| fields.blamed(error, q))
    }
}

impl<const D: usize> RowSolver<D> {
    /// The same for fields of the right length.
    fn solve_rows(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<SolveReport, SolveError> {
        let mut of_fields = Vec::new();
        match &self.part {
            None => fields.write_rows(&mut self.rows, |_| true)?,
            Some(RankPart { ranks, boxes, inside }) => {
                self.rows = fields.rows_of_rank(ranks, boxes, *inside)?;
                let of_box = self.rows.operator.lattice().cells();
                of_fields.extend(of_box.iter().map(|&cell| inside.cell_of(fields.cells, cell as usize) as u32));
            }
        }
        let problem = self.rows.problem()?;
        let cells = if self.part.is_some() { of_fields.as_slice() } else { self.rows.operator.lattice().cells() };
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
    fn a_number_that_is_none_is_named_with_its_field_and_place() {
        let mut solver = RowSolver::new("best".parse::<SolverName>().unwrap().build(&Default::default()));
        let mut refusal = |liquid: [f64; 2], velocity: [f64; 3], open: [f64; 3], start: f64| {
            let walls = WallFields {
                version: 0,
                open: [&[0.0; 4], &open],
                separating: &[true; 2],
                cell_open: &[1.0; 2],
                flow: None,
            };
            let (cells, velocity) = ([1, 2], [&[0.0; 4][..], &velocity]);
            let (divergence, lower) = (None, None);
            let fields = PressureFields {
                cells,
                spacing: 1.0,
                walls,
                liquid: &liquid,
                velocity,
                divergence,
                control: 0.0,
                lower,
            };
            solver.solve_fields(&fields, &mut [start, 0.0], &mut [false; 2]).unwrap_err().to_string()
        };
        let (liquid, velocity, open) = ([-0.5, 0.5], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]);
        let expected = |what: &str| format!("{what}, expected a finite number");
        assert_eq!(
            refusal([-0.5, f64::NAN], velocity, open, 0.0),
            expected("the distance to the liquid is NaN at [0, 1]")
        );
        assert_eq!(
            refusal([f64::NAN, 0.5], velocity, open, 0.0),
            expected("the distance to the liquid is NaN at [0, 0]")
        );
        assert_eq!(refusal(liquid, [0.0, f64::NAN, 0.0], open, 0.0), expected("the velocity is NaN at [0, 1]"));
        assert_eq!(
            refusal(liquid, velocity, [0.0, f64::INFINITY, 0.0], 0.0),
            expected("the open part of faces is inf at [0, 1]")
        );
        assert_eq!(refusal(liquid, velocity, open, f64::NAN), expected("the scaled pressure is NaN at [0, 0]"));
    }

    #[test]
    fn liquid_that_falls_is_carried_and_liquid_that_rises_lets_go() {
        let mut solver = RowSolver::new("policy".parse::<SolverName>().unwrap().build(&Default::default()));
        assert_eq!(solve(&mut solver, -1.0), (0.5, false)); // θ = ½: q / θ = 1
        assert_eq!(solve(&mut solver, 1.0), (0.0, true));
    }
}
