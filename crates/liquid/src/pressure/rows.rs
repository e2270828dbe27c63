//! The pressure problem as rows, for what needs them: bodies add to the rows, and splittings work on them.

use unstick_grid::{CellField, Grid};
use unstick_mlcp::fields::{FieldRows, PressureFields};
use unstick_mlcp::{CsrMatrix, Lattice, LowRank, Mlcp, MlcpSolver, ProblemError, SolveError, SolveReport};

use super::update::{Side, gradient};
use crate::cells::multi_index;
use crate::solids::{BodyColumns, Geometry, Push, Response};

/// Marks a cell without an unknown.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// The rows of a pressure problem and their place on the grid.
pub(crate) struct PressureRows<const D: usize> {
    /// Cell of each row.
    pub cells: Vec<[usize; D]>,
    row_of: CellField<u32, D>,
    rows: FieldRows<D>,
    /// b of bodies that do not move.
    still: Vec<f64>,
    /// The outflow that bodies make in the cells, and the term that they add to the operator.
    bodies: BodyColumns<D>,
    columns: Vec<Vec<(u32, f64)>>,
}

/// An answer in rows.
pub(crate) struct RowAnswer<const D: usize> {
    /// The solver's account.
    pub report: SolveReport,
    /// The scaled pressure.
    pub q: Vec<f64>,
    /// Rows whose wall has let go.
    pub let_go: Vec<u32>,
    /// Velocities at which liquid leaves closed faces, where a method knows them: axis, face, velocity.
    pub leaving: Vec<(usize, [usize; D], f64)>,
}

impl<const D: usize> PressureRows<D> {
    /// The rows of `fields`, whose walls are those of `geometry`, with the bodies in a liquid of that density, to
    /// whose velocity gravity has added `fall`. They do not move before [`Self::set_response`].
    pub fn new(
        grid: &Grid<D>,
        geometry: &Geometry<D>,
        fields: &PressureFields<D>,
        density: f64,
        fall: [f64; D],
    ) -> Result<Self, ProblemError> {
        let rows = fields.rows()?;
        let mut row_of = CellField::from_fn(grid, |_| NO_ROW);
        let places = rows.operator.lattice().cells();
        places.iter().zip(0..).for_each(|(&cell, row)| row_of.values_mut()[cell as usize] = row);
        let cells = places.iter().map(|&cell| multi_index(grid.cells(), cell as usize)).collect();
        let row = |cell| Some(row_of.at(cell)).filter(|&row| row != NO_ROW);
        let bodies = geometry.body_columns(grid, density, fall, &row);
        let still = rows.b.clone();
        Ok(Self { cells, row_of, rows, still, bodies, columns: Vec::new() })
    }

    /// Lets the bodies answer the pressure in this way.
    pub fn set_response(&mut self, response: &Response<D>) {
        self.rows.b.copy_from_slice(&self.still);
        self.bodies.add_outflow(&response.under(self.bodies.lifts()), &mut self.rows.b);
        self.columns = self.bodies.columns(response);
    }

    /// The problem as solvers see it.
    pub fn problem(&self) -> Result<Mlcp<'_>, ProblemError> {
        if self.columns.is_empty() {
            return self.rows.problem();
        }
        let FieldRows { operator, b, lower, .. } = &self.rows;
        Mlcp::new(LowRank::new(operator, self.columns.clone()), b)?.with_lower(lower)
    }

    /// Whether bodies are moved by the pressure.
    pub fn moves_bodies(&self) -> bool {
        !self.columns.is_empty()
    }

    /// The impulses of the pressure on the bodies.
    pub fn pushes(&self, q: &[f64]) -> Vec<Push<D>> {
        self.bodies.pushes(q)
    }

    /// Where the rows lie.
    pub fn lattice(&self) -> &Lattice {
        self.rows.operator.lattice()
    }

    /// The rows, without the bodies' term of the operator.
    pub fn rows(&self) -> &FieldRows<D> {
        &self.rows
    }

    /// A, assembled when first asked for.
    pub fn matrix(&self) -> &CsrMatrix<'static> {
        self.rows.operator.matrix()
    }

    /// Solves from a scaled pressure.
    pub fn solve(&self, solver: &mut dyn MlcpSolver, mut q: Vec<f64>) -> Result<RowAnswer<D>, SolveError> {
        let report = solver.solve(&self.problem()?, &mut q)?;
        let let_go = report.let_go().to_vec();
        Ok(RowAnswer { report, q, let_go, leaving: Vec::new() })
    }

    /// Cells below and above a face, and their rows.
    pub fn beside(
        &self,
        grid: &Grid<D>,
        axis: usize,
        face: [usize; D],
    ) -> (Option<[usize; D]>, Option<[usize; D]>, u32, u32) {
        let mut below = face;
        let lower = face[axis].checked_sub(1).map(|place| {
            below[axis] = place;
            below
        });
        let upper = (face[axis] < grid.cells()[axis]).then_some(face);
        let row = |cell: Option<[usize; D]>| cell.map_or(NO_ROW, |cell| self.row_of.at(cell));
        (lower, upper, row(lower), row(upper))
    }

    /// ∇q across an open face; none where there is no liquid on either side.
    pub fn gradient(
        &self,
        grid: &Grid<D>,
        liquid: &CellField<f64, D>,
        q: &[f64],
        axis: usize,
        face: [usize; D],
    ) -> Option<f64> {
        let (below, above, lower, upper) = self.beside(grid, axis, face);
        let side = |cell: Option<[usize; D]>, row: u32| -> Side {
            cell.map(|cell| (liquid.at(cell), q.get(row as usize).copied().unwrap_or(0.0)))
        };
        gradient(side(below, lower), side(above, upper), grid.spacing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pressure::splitting::tests::in_a_box;

    #[test]
    fn faces_know_the_cells_and_rows_beside_them() {
        in_a_box(0.0, |input| {
            let beside = |axis, face| input.rows.beside(input.grid, axis, face);
            assert_eq!(beside(1, [0, 0]), (None, Some([0, 0]), NO_ROW, 0));
            assert_eq!(beside(1, [0, 1]), (Some([0, 0]), Some([0, 1]), 0, NO_ROW));
            assert_eq!(beside(0, [2, 0]), (Some([1, 0]), None, 1, NO_ROW));
            assert_eq!(input.rows.gradient(input.grid, input.liquid, &[3.0, 0.0], 1, [0, 1]), Some(-6.0)); // θ = ½
        });
    }
}
