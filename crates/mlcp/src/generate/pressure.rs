//! The pressure equation of a liquid on a staggered grid with cut cells.
//!
//! Per liquid cell, with V the open fraction of a face and θ the distance to the free surface in
//! cells [Lai2021, eqs. (3.34)–(3.40)], in the scaled pressure q = Δt p/(ρ h):
//!
//! ```text
//!     Σ_liquid V (q − q_n) + Σ_air (V/θ) q + Σ ± V u = r
//! ```

use rayon::prelude::*;
use unstick_grid::{CellField, FaceField, Grid};

use super::GenerateError;
use crate::csr::CsrMatrix;
use crate::io::{GridInfo, ProblemFolder};
use crate::lattice::Lattice;
use crate::pressure::{PressureOperator, Stencil};
use crate::problem::Mlcp;

/// Openings below this count as closed: they carry no flow and spoil the conditioning.
const CLOSED: f64 = 1e-3;

/// The surface is kept this far from a cell centre, in cells; 1/θ would grow without bound.
const MIN_THETA: f64 = 0.01;

/// What a pressure problem is made of.
pub struct Setting<'s, const D: usize> {
    /// The lattice.
    pub grid: Grid<D>,
    /// Open fraction of every face. An open face on the border leads into air.
    pub open: FaceField<f64, D>,
    /// Distance to the liquid, negative inside, also beyond the walls.
    pub liquid: &'s (dyn Fn([f64; D]) -> f64 + Sync),
    /// Intermediate velocity across a face.
    pub velocity: &'s (dyn Fn(usize, [f64; D]) -> f64 + Sync),
    /// Whether the walls of a cell separate; sealed walls make no complementary rows.
    pub separates: &'s (dyn Fn([f64; D]) -> bool + Sync),
}

/// Marks a cell without an unknown.
const NO_ROW: u32 = u32::MAX;

impl<const D: usize> Setting<'_, D> {
    /// Writes the problem out.
    pub fn discretise(&self) -> Result<ProblemFolder, GenerateError> {
        let (cells, row_of) = self.number();
        let matrix = CsrMatrix::from_rows(cells.len(), |row, entries| self.fill_row(&row_of, cells[row], entries))?;
        let lower = cells.iter().map(|&cell| if self.is_wall_row(cell) { 0.0 } else { f64::NEG_INFINITY });
        let grid = GridInfo {
            shape: self.grid.cells().to_vec(),
            spacing: self.grid.spacing(),
            origin: self.grid.origin().to_vec(),
            cells: cells.iter().map(|&cell| self.grid.index(cell)).collect(),
        };
        Ok(ProblemFolder {
            matrix,
            b: cells.iter().map(|&cell| self.outflow(cell)).collect(),
            lower: lower.collect(),
            x: None,
            grid: Some(grid),
        })
    }

    /// The problem with its matrix in compact form.
    pub fn problem(&self) -> Result<Mlcp<'static>, GenerateError> {
        let (cells, row_of) = self.number();
        let places = cells.iter().map(|&cell| self.grid.index(cell) as u32).collect();
        let lattice = Lattice::new(&self.grid.cells(), places).expect("cells of a grid, in its order");
        let operator = PressureOperator::from_stencils(lattice, |row| self.stencil(&row_of, cells[row]));
        let b: Vec<f64> = cells.par_iter().map(|&cell| self.outflow(cell)).collect();
        let bound = |&cell: &[usize; D]| if self.is_wall_row(cell) { 0.0 } else { f64::NEG_INFINITY };
        let lower: Vec<f64> = cells.par_iter().map(bound).collect();
        Ok(Mlcp::new(operator, b)?.with_lower(lower)?)
    }

    /// The liquid cells, and the row of each cell.
    fn number(&self) -> (Vec<[usize; D]>, CellField<u32, D>) {
        let cells: Vec<[usize; D]> = self.grid.iter().filter(|&cell| self.is_liquid(cell)).collect();
        let mut row_of = CellField::from_fn(&self.grid, |_| NO_ROW);
        for (row, &cell) in cells.iter().enumerate() {
            *row_of.at_mut(cell) = row as u32;
        }
        (cells, row_of)
    }

    fn stencil(&self, row_of: &CellField<u32, D>, cell: [usize; D]) -> Stencil<D> {
        let mut stencil = Stencil { diagonal: 0.0, towards: [[0.0; 2]; D] };
        for (axis, upwards, open) in self.openings(cell) {
            let neighbour = self.grid.neighbour(cell, axis, upwards);
            if neighbour.is_none_or(|neighbour| row_of.at(neighbour) == NO_ROW) {
                stencil.diagonal += open / self.theta(cell, axis, upwards);
            } else {
                stencil.diagonal += open;
                stencil.towards[axis][upwards as usize] = open;
            }
        }
        stencil
    }

    /// V of the face of a cell, downwards or upwards.
    fn opening(&self, cell: [usize; D], axis: usize, upwards: bool) -> f64 {
        let mut face = cell;
        face[axis] += upwards as usize;
        let open = self.open[axis].at(face);
        if open < CLOSED { 0.0 } else { open }
    }

    /// All faces of a cell that are not closed: (axis, upwards, V).
    fn openings(&self, cell: [usize; D]) -> impl Iterator<Item = (usize, bool, f64)> {
        let faces = (0..D).flat_map(|axis| [(axis, false), (axis, true)]);
        faces.map(move |(axis, upwards)| (axis, upwards, self.opening(cell, axis, upwards))).filter(|face| face.2 > 0.0)
    }

    fn is_liquid(&self, cell: [usize; D]) -> bool {
        (self.liquid)(self.grid.centre(cell)) < 0.0 && self.openings(cell).next().is_some()
    }

    fn is_wall_row(&self, cell: [usize; D]) -> bool {
        let touches_solid = || {
            let faces = (0..D).flat_map(|axis| [(axis, false), (axis, true)]);
            faces.into_iter().any(|(axis, upwards)| self.opening(cell, axis, upwards) < 1.0)
        };
        (self.separates)(self.grid.centre(cell)) && touches_solid()
    }

    /// V u summed outwards over the faces: b.
    fn outflow(&self, cell: [usize; D]) -> f64 {
        let through = |(axis, upwards, open): (usize, bool, f64)| {
            let mut face = cell;
            face[axis] += upwards as usize;
            let flow = open * (self.velocity)(axis, self.grid.face_centre(axis, face));
            if upwards { flow } else { -flow }
        };
        self.openings(cell).map(through).sum()
    }

    /// Entries of a cell's row, columns ascending.
    fn fill_row(&self, row_of: &CellField<u32, D>, cell: [usize; D], entries: &mut Vec<(usize, f64)>) {
        let stencil = self.stencil(row_of, cell);
        entries.push((row_of.at(cell) as usize, stencil.diagonal));
        for (axis, upwards) in (0..D).flat_map(|axis| [(axis, false), (axis, true)]) {
            let open = stencil.towards[axis][upwards as usize];
            if let Some(neighbour) = self.grid.neighbour(cell, axis, upwards).filter(|_| open != 0.0) {
                entries.push((row_of.at(neighbour) as usize, -open));
            }
        }
        entries.sort_by_key(|&(column, _)| column);
    }

    /// Distance to the free surface towards an air cell, in cells [Lai2021, eq. (3.34)].
    fn theta(&self, cell: [usize; D], axis: usize, upwards: bool) -> f64 {
        let centre = self.grid.centre(cell);
        let mut beyond = centre;
        beyond[axis] += if upwards { self.grid.spacing() } else { -self.grid.spacing() };
        let (inside, outside) = ((self.liquid)(centre), (self.liquid)(beyond));
        (inside / (inside - outside)).clamp(MIN_THETA, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::LinearOperator;

    /// A column of liquid at rest under gravity: q grows linearly with depth and is exact, since the
    /// discretisation is exact for linear pressures.
    #[test]
    fn hydrostatic_pressure_is_exact() {
        let grid = Grid::<2>::unit(8).unwrap();
        let open = std::array::from_fn(|axis| {
            CellField::of_shape(grid.faces(axis), |face: [usize; 2]| {
                let on_border = face[axis] == 0 || face[axis] == 8;
                if on_border { 0.0 } else { 1.0 }
            })
        });
        let surface = 0.7;
        let setting = Setting {
            grid,
            open,
            liquid: &|point| point[1] - surface,
            velocity: &|axis, _| if axis == 1 { -1.0 } else { 0.0 },
            separates: &|_| true,
        };
        let folder = setting.discretise().unwrap();
        let mut q = vec![0.0; folder.b.len()];
        let mut solver = "policy".parse::<crate::SolverName>().unwrap().build(&Default::default());
        assert!(solver.solve(&folder.problem().unwrap(), &mut q).unwrap().converged());
        for (q, &cell) in q.iter().zip(&folder.grid.as_ref().unwrap().cells) {
            let depth = surface - ((cell / 8) as f64 + 0.5) / 8.0;
            assert!((q - 8.0 * depth).abs() < 1e-5, "{q} at depth {depth}");
        }
        assert!(folder.matrix.diagonal().iter().all(|&value| value > 0.0));
    }
}
