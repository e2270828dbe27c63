//! Rows made of fields, on the processor.

use unstick_parallel as parallel;

use std::sync::Arc;

use super::PressureFields;
use super::window::{Window, place_of};
use crate::error::{MatrixError, ProblemError};
use crate::lattice::Lattice;
use crate::pressure::{PressureOperator, Stencil};
use crate::problem::Mlcp;
use crate::ranks::{Boxes, Ranks};

/// The surface is kept this far from a cell centre, in cells; 1/θ would grow without bound.
pub const MIN_THETA: f64 = 0.01;

/// The rows of a problem that was given as fields.
#[derive(Clone, Debug)]
pub struct FieldRows<const D: usize> {
    /// A, and where the rows lie.
    pub operator: PressureOperator<D>,
    /// b.
    pub b: Vec<f64>,
    /// Lower bounds: ℓ at separating walls, −∞ elsewhere.
    pub lower: Vec<f64>,
    /// First whether a cell has a row, then whether air holds a row.
    marks: Vec<bool>,
}

impl<const D: usize> Default for FieldRows<D> {
    fn default() -> Self {
        Self { operator: PressureOperator::empty(), b: Vec::new(), lower: Vec::new(), marks: Vec::new() }
    }
}

impl<const D: usize> FieldRows<D> {
    /// The problem as solvers see it.
    pub fn problem(&self) -> Result<Mlcp<'_>, ProblemError> {
        Mlcp::with_bounds(&self.operator, &self.b, &self.lower)
    }
}

/// A face of a cell: its place among the faces across an axis, and the cell on its other side, if there is one.
struct Face {
    axis: usize,
    upwards: bool,
    index: usize,
    other: Option<usize>,
}

impl<const D: usize> PressureFields<'_, D> {
    /// The rows of all liquid cells with an open face.
    pub fn rows(&self) -> Result<FieldRows<D>, ProblemError> {
        self.rows_of(|_| true)
    }

    /// The same for some cells, which must be coupled with no others.
    pub fn rows_of(&self, is_meant: impl Fn(usize) -> bool + Sync) -> Result<FieldRows<D>, ProblemError> {
        let mut rows = FieldRows::default();
        self.write_rows(&mut rows, is_meant)?;
        Ok(rows)
    }

    /// The same in the memory of earlier rows.
    pub(super) fn write_rows(
        &self,
        rows: &mut FieldRows<D>,
        is_meant: impl Fn(usize) -> bool + Sync,
    ) -> Result<(), ProblemError> {
        let FieldRows { operator, b, lower, marks } = rows;
        parallel::resize(marks, self.cell_count(), false);
        parallel::for_each((0..marks.len(), marks.as_mut_slice()), |(cells, is_row)| {
            cells.zip(is_row).for_each(|(cell, is_row)| *is_row = self.is_row(cell) && is_meant(cell));
        });
        let mut cells = operator.take_cells();
        parallel::list_to(&mut cells, (0..marks.len(), marks.as_slice()), |(cells, is_row)| {
            cells.zip(is_row).filter_map(|(cell, is_row)| is_row.then_some(cell as u32)).collect()
        });
        let too_large = MatrixError::TooLarge { rows: cells.len(), entries: self.cell_count() };
        let lattice = Lattice::new(&self.cells, cells).ok_or(too_large)?;
        operator.rebuild(1.0, lattice, |lattice, row| self.stencil(lattice.cells()[row] as usize));
        self.write_numbers(operator.lattice().cells(), operator, (b, lower, marks));
        Ok(())
    }

    /// The rows of one rank. The fields are those of its box with the cells around it, `inside` is the box. All ranks call
    /// this together.
    pub fn rows_of_rank(
        &self,
        ranks: &Arc<dyn Ranks>,
        boxes: &Boxes,
        inside: Window<D>,
    ) -> Result<FieldRows<D>, ProblemError> {
        let is_own = |cell: &u32| inside.index_of(self.cells, *cell as usize).is_some() && self.is_row(*cell as usize);
        let cells = parallel::list(0..self.cell_count(), |cells| {
            cells.map(|cell| cell as u32).filter(|cell| is_own(cell)).collect()
        });
        let own = cells.iter().filter_map(|&cell| inside.index_of(self.cells, cell as usize));
        let own = own.map(|cell| cell as u32).collect();
        let operator = PressureOperator::part(ranks, boxes, 1.0, own, |row| self.stencil(cells[row] as usize))?;
        let (mut b, mut lower, mut marks) = Default::default();
        self.write_numbers(&cells, &operator, (&mut b, &mut lower, &mut marks));
        Ok(FieldRows { operator, b, lower, marks })
    }

    /// Writes b and the bounds of the rows of some cells, and which of them air holds where that matters.
    fn write_numbers(
        &self,
        cells: &[u32],
        operator: &PressureOperator<D>,
        (b, lower, marks): (&mut Vec<f64>, &mut Vec<f64>, &mut Vec<bool>),
    ) {
        write(cells, lower, |_, cell| if self.is_wall(cell) { self.least(cell) } else { f64::NEG_INFINITY });
        let control = |bound: f64| if bound > f64::NEG_INFINITY { self.control } else { 0.0 };
        write(cells, b, |row, cell| self.outflow(cell) - control(lower[row]));
        if let Some(divergence) = self.divergence {
            // Liquid without air has nowhere to expand to.
            parallel::refill(marks, cells.len(), true);
            operator.unheld().iter().flatten().for_each(|&row| marks[row as usize] = false);
            let asked = |cell: usize| self.spacing * divergence[cell] * self.walls.cell_open[cell];
            parallel::for_each((b.as_mut_slice(), cells, marks.as_slice()), |(b, cells, has_air)| {
                let rows = b.iter_mut().zip(cells).zip(has_air).filter(|(_, has_air)| **has_air);
                rows.for_each(|((b, &cell), _)| *b -= asked(cell as usize));
            });
        }
    }

    /// Whether a cell has an unknown: liquid that an open face leads to.
    pub fn is_row(&self, cell: usize) -> bool {
        self.liquid[cell] < 0.0 && self.faces_of(cell).any(|face| self.open(&face) > 0.0)
    }

    /// Whether it is complementary.
    fn is_wall(&self, cell: usize) -> bool {
        self.walls.separating[cell] && self.faces_of(cell).any(|face| self.open(&face) < 1.0)
    }

    /// ℓ of a cell at a separating wall.
    fn least(&self, cell: usize) -> f64 {
        self.lower.map_or(0.0, |lower| lower[cell])
    }

    fn open(&self, face: &Face) -> f64 {
        self.walls.open[face.axis][face.index]
    }

    /// Liquid beyond an open face has a row of its own.
    fn stencil(&self, cell: usize) -> Stencil<D> {
        let mut stencil = Stencil { diagonal: 0.0, towards: [[0.0; 2]; D] };
        for face in self.faces_of(cell) {
            let open = self.open(&face);
            if open == 0.0 {
                continue;
            }
            match face.other {
                Some(other) if self.liquid[other] < 0.0 => {
                    stencil.diagonal += open;
                    stencil.towards[face.axis][face.upwards as usize] = open;
                }
                other => stencil.diagonal += open / self.theta(cell, other),
            }
        }
        stencil
    }

    fn theta(&self, cell: usize, air: Option<usize>) -> f64 {
        theta(self.liquid[cell], air.map(|air| self.liquid[air]), self.spacing)
    }

    /// What flows out of a cell before the pressure acts.
    fn outflow(&self, cell: usize) -> f64 {
        let through = |face: Face| {
            let carried = self.walls.flow.map_or(0.0, |flow| flow[face.axis][face.index]);
            let flow = self.open(&face) * self.velocity[face.axis][face.index] + carried;
            if face.upwards { flow } else { -flow }
        };
        self.faces_of(cell).map(through).sum()
    }

    fn faces_of(&self, cell: usize) -> impl Iterator<Item = Face> {
        let (cells, place) = (self.cells, place_of(self.cells, cell));
        let mut stride = 1;
        let along = std::array::from_fn::<_, D, _>(|axis| {
            // Lines of faces across the axis are longer by one.
            let outer: usize = (axis + 1..D).rev().fold(0, |at, outer| at * cells[outer] + place[outer]);
            let own = (stride, cell + outer * stride);
            stride *= cells[axis];
            own
        });
        (0..2 * D).map(move |side| {
            let (axis, upwards) = (side / 2, side % 2 == 1);
            let (stride, below) = along[axis];
            let other = match upwards {
                true => (place[axis] + 1 < cells[axis]).then(|| cell + stride),
                false => (place[axis] > 0).then(|| cell - stride),
            };
            Face { axis, upwards, index: if upwards { below + stride } else { below }, other }
        })
    }
}

/// Distance to the free surface from a liquid cell towards one of air, in cells, from their distances to the liquid;
/// beyond the border of the grid there is none to know \[Lai2021, eq. (3.34)\].
pub fn theta(inside: f64, outside: Option<f64>, spacing: f64) -> f64 {
    let outside = outside.unwrap_or(inside + spacing).max(0.0);
    if inside >= 0.0 { 1.0 } else { (inside / (inside - outside)).clamp(MIN_THETA, 1.0) }
}

/// Writes a number for every row, from all threads.
fn write(cells: &[u32], numbers: &mut Vec<f64>, number: impl Fn(usize, usize) -> f64 + Sync) {
    parallel::resize(numbers, cells.len(), 0.0);
    parallel::for_each((0..cells.len(), numbers.as_mut_slice(), cells), |(rows, numbers, cells)| {
        rows.zip(numbers).zip(cells).for_each(|((row, place), &cell)| *place = number(row, cell as usize));
    });
}
