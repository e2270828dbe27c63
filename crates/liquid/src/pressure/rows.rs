//! The pressure problem as rows, for what needs them: bodies add to the rows, and splittings work on them.

use unstick_grid::{CellField, Grid, sample};
use unstick_mlcp::fields::{FieldRows, PressureFields};
use unstick_mlcp::{CsrMatrix, Lattice, LowRank, Mlcp, MlcpSolver, ProblemError, SolveError, SolveReport};
use unstick_parallel as parallel;

use super::air_bounds::{AirBounds, Enclosed};
use super::bubbles::{BubbleRows, Column, Eliminated};
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
    /// b of bodies that do not move, with the rows of bubbles after those of the liquid.
    still: Vec<f64>,
    /// The outflow that bodies make in the cells, and the term that they add to the operator.
    bodies: BodyColumns<D>,
    columns: Vec<Column>,
    /// The rows of bubbles, and what is left of them in those of the liquid.
    bubbles: BubbleRows,
    eliminated: Eliminated,
    bounds: AirBounds,
}

/// An answer in rows.
pub(crate) struct RowAnswer<const D: usize> {
    /// The solver's account.
    pub report: SolveReport,
    /// The scaled pressure.
    pub q: Vec<f64>,
    /// The scaled pressure of the bubbles.
    pub air: Vec<f64>,
    /// Rows whose wall has let go.
    pub let_go: Vec<u32>,
    /// Velocities at which liquid leaves closed faces, where a method knows them: axis, face, velocity.
    pub leaving: Vec<(usize, [usize; D], f64)>,
}

impl<const D: usize> PressureRows<D> {
    /// The rows of `fields`, whose walls are those of `geometry`, with the bodies in a liquid of that density, to
    /// whose velocity gravity has added `fall`. [`Self::set_response`] must follow.
    pub fn new(
        grid: &Grid<D>,
        geometry: &Geometry<D>,
        fields: &PressureFields<D>,
        (density, fall): (f64, [f64; D]),
        enclosed: &Enclosed,
    ) -> Result<Self, ProblemError> {
        let rows = fields.rows()?;
        let mut row_of = sample(grid.cells(), |_| NO_ROW);
        let places = rows.operator.lattice().cells();
        parallel::for_each_at(places, 0, row_of.values_mut(), |row, value| *value = row as u32);
        let cells = parallel::list(places, |places| {
            places.iter().map(|&cell| multi_index(grid.cells(), cell as usize)).collect()
        });
        let row = |cell| Some(row_of.at(cell)).filter(|&row| row != NO_ROW);
        let bubbles =
            BubbleRows::new(grid, fields, enclosed.air.bubble_of(), &vec![0.0; enclosed.air.bubbles().count()], row);
        let air = |cell| bubbles.at(grid.index(cell)).map(|bubble| places.len() as u32 + bubble);
        let bodies = geometry.body_columns(grid, density, fall, &row, &air);
        let still = [rows.b.as_slice(), bubbles.outflow()].concat();
        let bounds = AirBounds::new(enclosed, bubbles.count(), places, &rows.lower);
        let (columns, eliminated) = Default::default();
        let mut all = Self { cells, row_of, rows, still, bodies, columns, bubbles, eliminated, bounds };
        all.bounds.write(&mut all.rows.lower);
        all.set_outflow(all.still.clone());
        Ok(all)
    }

    /// Lets the bodies answer the pressure in this way.
    pub fn set_response(&mut self, response: &Response<D>) {
        let mut outflow = self.still.clone();
        self.bodies.add_outflow(&response.under(self.bodies.lifts()), &mut outflow);
        self.columns = self.bodies.columns(response);
        self.set_outflow(outflow);
    }

    /// Takes b of liquid and bubbles, and eliminates the bubbles.
    fn set_outflow(&mut self, outflow: Vec<f64>) {
        let (liquid, air) = outflow.split_at(self.cells.len());
        self.rows.b.copy_from_slice(liquid);
        self.eliminated = self.bubbles.eliminate(air, &mut self.columns, &mut self.rows.b);
    }

    /// The problem as solvers see it.
    pub fn problem(&self) -> Result<Mlcp<'_>, ProblemError> {
        if self.is_sparse() {
            return self.rows.problem();
        }
        let FieldRows { operator, b, lower, .. } = &self.rows;
        let (added, eliminated) = (self.columns.clone(), self.eliminated.columns.clone());
        Mlcp::new(LowRank::with_eliminated(operator, added, eliminated), b)?.with_lower(lower)
    }

    /// Whether the rows couple neighbours alone: neither bodies nor bubbles join them.
    pub fn is_sparse(&self) -> bool {
        self.columns.is_empty() && self.eliminated.columns.is_empty()
    }

    /// The impulses of the pressure of liquid and bubbles on the bodies.
    pub fn pushes(&self, answer: &RowAnswer<D>) -> Vec<Push<D>> {
        self.bodies.pushes(&[answer.q.as_slice(), &answer.air].concat())
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

    /// Solves from a scaled pressure. Where the air of a bubble turns out thinner than its walls have taken it for, they
    /// hold at first, and then as far as this air lets them.
    pub fn solve(&mut self, solver: &mut dyn MlcpSolver, q: Vec<f64>) -> Result<RowAnswer<D>, SolveError> {
        let mut answer = self.solve_within_bounds(solver, q)?;
        if self.bounds.hold_where_thinner(&answer.air) {
            for _ in 0..2 {
                self.bounds.write(&mut self.rows.lower);
                answer = self.solve_within_bounds(solver, answer.q)?;
                self.bounds.take(&answer.air);
            }
        }
        Ok(answer)
    }

    fn solve_within_bounds(&self, solver: &mut dyn MlcpSolver, mut q: Vec<f64>) -> Result<RowAnswer<D>, SolveError> {
        let report = solver.solve(&self.problem()?, &mut q)?;
        let (air, let_go) = (self.eliminated.pressures(&q), report.let_go().to_vec());
        Ok(RowAnswer { report, q, air, let_go, leaving: Vec::new() })
    }

    /// The number of a cell's bubble, from zero.
    pub fn bubble_at(&self, cell: usize) -> Option<u32> {
        self.bubbles.at(cell)
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
