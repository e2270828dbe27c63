//! The pressure equation of a liquid on a staggered grid with cut cells.
//!
//! Per liquid cell, with V the open fraction of a face and θ the distance to the free surface in
//! cells [Lai2021, eqs. (3.34)–(3.40)], in the scaled pressure q = Δt p/(ρ h):
//!
//! ```text
//!     Σ_liquid V (q − q_n) + Σ_air (V/θ) q + Σ ± V u = r
//! ```

use unstick_grid::{CellField, FaceField, Grid};

use super::GenerateError;
use crate::csr::CsrMatrix;
use crate::io::{GridInfo, ProblemFolder};

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
    pub liquid: &'s dyn Fn([f64; D]) -> f64,
    /// Intermediate velocity across a face.
    pub velocity: &'s dyn Fn(usize, [f64; D]) -> f64,
    /// Whether the walls of a cell separate; sealed walls make no complementary rows.
    pub separates: &'s dyn Fn([f64; D]) -> bool,
}

/// Marks a cell without an unknown.
const NO_ROW: u32 = u32::MAX;

impl<const D: usize> Setting<'_, D> {
    /// Writes the problem out.
    pub fn discretise(&self) -> Result<ProblemFolder, GenerateError> {
        let cells: Vec<[usize; D]> = self.grid.iter().filter(|&cell| self.is_liquid(cell)).collect();
        let mut row_of = CellField::from_fn(&self.grid, |_| NO_ROW);
        for (row, &cell) in cells.iter().enumerate() {
            *row_of.at_mut(cell) = row as u32;
        }
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
        let mut diagonal = 0.0;
        for (axis, upwards, open) in self.openings(cell) {
            let neighbour = self.grid.neighbour(cell, axis, upwards);
            let row = neighbour.map_or(NO_ROW, |neighbour| row_of.at(neighbour));
            if row == NO_ROW {
                diagonal += open / self.theta(cell, axis, upwards);
            } else {
                diagonal += open;
                entries.push((row as usize, -open));
            }
        }
        entries.push((row_of.at(cell) as usize, diagonal));
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
