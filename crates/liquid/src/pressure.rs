//! The pressure: a complementarity problem from geometry, surface and velocity.
//!
//! The rows are those of [`PressureFields`]; bodies that the liquid moves add to them.

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fields::{FieldRows, PressureFields, WallFields};
use unstick_mlcp::{CsrMatrix, Lattice, LowRank, Mlcp, MlcpSolver, ProblemError, SolveError, SolveReport};

use crate::bodies::Push;
use crate::cells::multi_index;
use crate::geometry::Geometry;
use crate::immerse::BodyColumns;
use crate::update::{Side, gradient};

/// Marks a cell without an unknown.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// One pressure problem and its place on the grid.
pub(crate) struct PressureProblem<const D: usize> {
    /// Cell of each row.
    pub cells: Vec<[usize; D]>,
    row_of: CellField<u32, D>,
    rows: FieldRows<D>,
    /// What bodies carry out of the cells, and the term that they add to the operator.
    bodies: BodyColumns<D>,
    columns: Vec<Vec<(u32, f64)>>,
}

/// What the answer looks like.
pub(crate) struct Solved<const D: usize> {
    /// The solver's account.
    pub report: SolveReport,
    /// Largest |r| on equation rows.
    pub divergence: f64,
    /// Largest violation of the wall conditions.
    pub complementarity: f64,
    /// The scaled pressure.
    pub q: Vec<f64>,
    /// Whether the wall of each row has let go.
    pub active: Vec<bool>,
    /// Velocities at which liquid leaves closed faces, where a method knows them: axis, face, velocity.
    pub leaving: Vec<(usize, [usize; D], f64)>,
}

/// What the right-hand side is made of beside the velocity.
pub(crate) struct Sources<const D: usize> {
    /// Divergence asked for in each cell, in 1/s.
    pub divergence: Option<CellField<f64, D>>,
    /// What moving walls carry across the faces.
    pub flow: Option<FaceField<f64, D>>,
    /// κ, the least speed at which liquid leaves separating walls.
    pub control: f64,
}

impl<const D: usize> Sources<D> {
    /// The pressure problem as fields; `version` is that of the geometry.
    pub fn fields<'a>(
        &'a self,
        grid: &Grid<D>,
        geometry: &'a Geometry<D>,
        version: u64,
        liquid: &'a CellField<f64, D>,
        velocity: &'a FaceField<f64, D>,
    ) -> PressureFields<'a, D> {
        let walls = WallFields {
            version,
            open: values(&geometry.open),
            separating: geometry.separating.values(),
            cell_open: geometry.cell_open.values(),
            flow: self.flow.as_ref().map(values),
        };
        PressureFields {
            cells: grid.cells(),
            spacing: grid.spacing(),
            walls,
            liquid: liquid.values(),
            velocity: values(velocity),
            divergence: self.divergence.as_ref().map(CellField::values),
            control: self.control,
        }
    }
}

fn values<const D: usize>(faces: &FaceField<f64, D>) -> [&[f64]; D] {
    std::array::from_fn(|axis| faces[axis].values())
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PressureError {
    #[error(transparent)]
    Problem(ProblemError),
    #[error(transparent)]
    Solve(SolveError),
}

impl<const D: usize> PressureProblem<D> {
    /// The rows of `fields`, whose walls are those of `geometry`, with the bodies in a liquid of that density.
    pub fn new(
        grid: &Grid<D>,
        geometry: &Geometry<D>,
        fields: &PressureFields<D>,
        density: f64,
    ) -> Result<Self, ProblemError> {
        let mut rows = fields.rows()?;
        let mut row_of = CellField::from_fn(grid, |_| NO_ROW);
        let places = rows.operator.lattice().cells();
        places.iter().zip(0..).for_each(|(&cell, row)| row_of.values_mut()[cell as usize] = row);
        let cells = places.iter().map(|&cell| multi_index(grid.cells(), cell as usize)).collect();
        let row = |cell| Some(row_of.at(cell)).filter(|&row| row != NO_ROW);
        let bodies = geometry.body_columns(grid, density, &row);
        bodies.add_outflow(&geometry.bodies, &mut rows.b);
        let columns = bodies.columns(&geometry.bodies);
        Ok(Self { cells, row_of, rows, bodies, columns })
    }

    /// The problem as solvers see it.
    pub fn problem(&self) -> Result<Mlcp<'_>, ProblemError> {
        if self.columns.is_empty() {
            return self.rows.problem();
        }
        let FieldRows { operator, b, lower } = &self.rows;
        Mlcp::new(LowRank::new(operator, self.columns.clone()), b)?.with_lower(lower)
    }

    /// Whether bodies are moved by the pressure.
    pub fn moves_bodies(&self) -> bool {
        !self.columns.is_empty()
    }

    /// What the pressure does to each body.
    pub fn pushes(&self, q: &[f64]) -> Vec<Push<D>> {
        self.bodies.pushes(q)
    }

    /// Where the rows lie.
    pub fn lattice(&self) -> &Lattice {
        self.rows.operator.lattice()
    }

    /// A, assembled when first asked for.
    pub fn matrix(&self) -> &CsrMatrix<'static> {
        self.rows.operator.matrix()
    }

    /// b.
    pub fn b(&self) -> &[f64] {
        &self.rows.b
    }

    /// Lower bounds.
    pub fn lower(&self) -> &[f64] {
        &self.rows.lower
    }

    /// Solves from `guess` (a scaled pressure for every cell).
    pub fn solve(
        &self,
        solver: &mut dyn MlcpSolver,
        guess: impl Fn([usize; D]) -> f64,
    ) -> Result<Solved<D>, PressureError> {
        let problem = self.problem().map_err(PressureError::Problem)?;
        let mut q = self.cells.iter().map(|&cell| guess(cell)).collect::<Vec<_>>();
        let report = solver.solve(&problem, &mut q).map_err(PressureError::Solve)?;
        Ok(self.judge(&problem, report, q))
    }

    /// What a pressure is worth, whatever method it comes from.
    pub fn judge(&self, problem: &Mlcp, report: SolveReport, q: Vec<f64>) -> Solved<D> {
        let judged = problem.quality(&q);
        let (divergence, complementarity) = (judged.divergence, judged.complementarity);
        Solved { report, divergence, complementarity, q, active: judged.active, leaving: Vec::new() }
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
    use unstick_grid::SignedDistance;
    use unstick_mlcp::{SolverName, Stop};

    use super::*;
    use crate::{Setup, Solid};

    /// Solves for the pressure p of the velocity ∇p, which leaves no velocity at all, and returns
    /// the largest error of p (up to a constant if there is no surface) far from and at cut cells.
    fn errors<const D: usize>(
        size: usize,
        container: Option<SignedDistance<D>>,
        surface: &dyn Fn([f64; D]) -> f64,
        p: &dyn Fn([f64; D]) -> f64,
    ) -> (f64, f64) {
        let grid = Grid::<D>::unit(size).unwrap();
        let h = grid.spacing();
        let mut setup = Setup::new(grid);
        setup.solids.extend(container.map(|shape| Solid::still(shape.complement())));
        let geometry = Geometry::at(&setup, 0.0);
        let liquid = CellField::from_fn(&grid, |cell| surface(grid.centre(cell)));
        let velocity = std::array::from_fn(|axis| {
            CellField::of_shape(grid.faces(axis), |face| {
                let (mut below, mut above) = (grid.face_centre(axis, face), grid.face_centre(axis, face));
                below[axis] -= 1e-5;
                above[axis] += 1e-5;
                (p(above) - p(below)) / 2e-5
            })
        });
        let sources = Sources { divergence: None, flow: None, control: 0.0 };
        let fields = sources.fields(&grid, &geometry, 0, &liquid, &velocity);
        let problem = PressureProblem::new(&grid, &geometry, &fields, 1.0).unwrap();
        let stop = Stop::relative(1e-10);
        let name: SolverName = "sticking+cg/mic0".parse().unwrap();
        let mut solver = name.build(&stop);
        let solved = problem.solve(&mut *solver, |_| 0.0).unwrap_or_else(|_| panic!("no answer"));
        let difference: Vec<f64> =
            problem.cells.iter().zip(&solved.q).map(|(&cell, q)| q * h - p(grid.centre(cell))).collect();
        let has_surface = grid.iter().any(|cell| liquid.at(cell) >= 0.0);
        let mean = if has_surface { 0.0 } else { difference.iter().sum::<f64>() / difference.len() as f64 };
        let (mut inner, mut cut) = (0.0f64, 0.0f64);
        for (&cell, difference) in problem.cells.iter().zip(&difference) {
            let is_closed = |axis: usize, step: usize| {
                let mut face = cell;
                face[axis] += step;
                geometry.open[axis].at(face) < 1.0
            };
            let is_cut = (0..2 * D).any(|side| is_closed(side / 2, side % 2))
                || (0..2 * D).any(|side| {
                    grid.neighbour(cell, side / 2, side % 2 == 1).is_none_or(|other| liquid.at(other) >= 0.0)
                });
            let error = (difference - mean).abs();
            if is_cut { cut = cut.max(error) } else { inner = inner.max(error) }
        }
        (inner, cut)
    }

    fn converges<const D: usize>(
        size: usize,
        container: Option<SignedDistance<D>>,
        surface: &dyn Fn([f64; D]) -> f64,
        p: &dyn Fn([f64; D]) -> f64,
    ) {
        let coarse = errors(size, container.clone(), surface, p);
        // Two halvings at once: how the border happens to cut its cells makes single ones uneven.
        let fine = errors(4 * size, container, surface, p);
        assert!(coarse.0 > 11.0 * fine.0, "inside: {} then {}", coarse.0, fine.0);
        assert!(coarse.1 > 4.0 * fine.1, "at the border: {} then {}", coarse.1, fine.1);
    }

    #[test]
    fn pressure_is_of_second_order_inside_and_at_least_first_at_walls_and_surfaces() {
        let wave = |at: &[f64]| (3.0 * at[0]).sin() * (2.0 * at[1] + 0.3).cos();
        let squared = |at: &[f64]| at.iter().map(|x| (x - 0.5) * (x - 0.5)).sum::<f64>();
        // A closed round container: walls alone.
        converges::<2>(24, Some(SignedDistance::sphere([0.5; 2], 0.4)), &|_| -1.0, &|at| wave(&at));
        converges::<3>(12, Some(SignedDistance::sphere([0.5; 3], 0.4)), &|_| -1.0, &|at| wave(&at));
        // A drop in the air: a free surface alone, on which p vanishes.
        let drop2 = |at: [f64; 2]| squared(&at).sqrt() - 0.31;
        converges::<2>(24, None, &drop2, &|at| (0.31f64.powi(2) - squared(&at)) * (1.0 + at[0]));
        let drop3 = |at: [f64; 3]| squared(&at).sqrt() - 0.31;
        converges::<3>(16, None, &drop3, &|at| (0.31f64.powi(2) - squared(&at)) * (1.0 + at[0]));
    }
}
