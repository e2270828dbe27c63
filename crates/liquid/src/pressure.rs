//! The pressure: a complementarity problem from geometry, surface and velocity, and what its
//! answer does to the velocity.
//!
//! Per liquid cell, in the scaled pressure q = Δt p/(ρ h) \[Lai2021, eqs. (3.34)–(3.45)\]:
//!
//! ```text
//!     Σ_liquid V (q − q_n) + Σ_air (V/θ) q + Σ ± (V u + (1 − V) u_solid) − h c = r
//! ```
//!
//! with c the divergence asked for by the volume correction. Rows at separating walls are
//! complementary, their b shifted by κ.

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::{
    CsrMatrix, Lattice, LinearOperator, LowRank, MatrixError, Mlcp, MlcpSolver, PressureOperator, ProblemError,
    SolveError, SolveReport, Stencil, parallel,
};

use crate::bodies::Push;
use crate::cells::fill;
use crate::geometry::Geometry;
use crate::immerse::BodyColumns;

/// The surface is kept this far from a cell centre, in cells; 1/θ would grow without bound.
const MIN_THETA: f64 = 0.01;

/// Marks a cell without an unknown.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// One pressure problem and its place on the grid.
pub(crate) struct PressureProblem<const D: usize> {
    /// Cell of each row.
    pub cells: Vec<[usize; D]>,
    row_of: CellField<u32, D>,
    operator: PressureOperator<D>,
    b: Vec<f64>,
    lower: Vec<f64>,
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
    /// κ, the least speed at which liquid leaves separating walls.
    pub control: f64,
    /// Density of the liquid.
    pub density: f64,
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
    pub fn new(
        grid: &Grid<D>,
        geometry: &Geometry<D>,
        liquid: &CellField<f64, D>,
        velocity: &FaceField<f64, D>,
        sources: &Sources<D>,
    ) -> Result<Self, ProblemError> {
        let is_row = |cell: [usize; D]| {
            liquid.at(cell) < 0.0 && faces_of(cell).any(|(axis, _, face)| geometry.open[axis].at(face) > 0.0)
        };
        let mut row_of = CellField::from_fn(grid, |_| NO_ROW);
        fill(&mut row_of, |cell, row| *row = if is_row(cell) { 0 } else { NO_ROW });
        let mut cells = Vec::new();
        for (cell, row) in grid.iter().zip(row_of.values_mut()).filter(|(_, row)| **row != NO_ROW) {
            *row = cells.len() as u32;
            cells.push(cell);
        }
        let indices = cells.iter().map(|&cell| grid.index(cell) as u32).collect();
        let lattice = Lattice::new(&grid.cells(), indices)
            .ok_or(MatrixError::TooLarge { rows: cells.len(), entries: grid.cells().iter().product() })?;
        let operator = PressureOperator::from_stencils(lattice, |row| {
            let cell = cells[row];
            let mut stencil = Stencil { diagonal: 0.0, towards: [[0.0; 2]; D] };
            for (axis, upwards, face) in faces_of(cell) {
                let open = geometry.open[axis].at(face);
                if open == 0.0 {
                    continue;
                }
                let other = grid.neighbour(cell, axis, upwards);
                match other.map_or(NO_ROW, |other| row_of.at(other)) {
                    NO_ROW => stencil.diagonal += open / theta(liquid, cell, other, grid.spacing()),
                    _ => {
                        stencil.diagonal += open;
                        stencil.towards[axis][upwards as usize] = open;
                    }
                }
            }
            stencil
        });
        let is_wall = |cell: [usize; D]| {
            geometry.separating.at(cell) && faces_of(cell).any(|(axis, _, face)| geometry.open[axis].at(face) < 1.0)
        };
        let lower = each(&cells, |_, cell| if is_wall(cell) { 0.0 } else { f64::NEG_INFINITY });
        let outflow = |cell: [usize; D]| {
            let through = |(axis, upwards, face): (usize, bool, [usize; D])| {
                let flow = geometry.open[axis].at(face) * velocity[axis].at(face) + geometry.wall_flow(axis, face);
                if upwards { flow } else { -flow }
            };
            faces_of(cell).map(through).sum::<f64>()
        };
        let control = |bound: f64| if bound > f64::NEG_INFINITY { sources.control } else { 0.0 };
        let mut b = each(&cells, |row, cell| outflow(cell) - control(lower[row]));
        if let Some(divergence) = &sources.divergence {
            // A pocket without air has nowhere to expand to.
            let mut has_air = vec![true; cells.len()];
            operator.singular_components().iter().flatten().for_each(|&row| has_air[row as usize] = false);
            let asked = |cell| grid.spacing() * divergence.at(cell) * geometry.cell_open.at(cell);
            parallel::for_each((b.as_mut_slice(), cells.as_slice(), has_air.as_slice()), |(b, cells, has_air)| {
                let rows = b.iter_mut().zip(cells).zip(has_air).filter(|(_, has_air)| **has_air);
                rows.for_each(|((b, &cell), _)| *b -= asked(cell));
            });
        }
        let row = |cell| Some(row_of.at(cell)).filter(|&row| row != NO_ROW);
        let bodies = geometry.body_columns(grid, sources.density, &row);
        bodies.add_outflow(&geometry.bodies, &mut b);
        let columns = bodies.columns(&geometry.bodies);
        Ok(Self { cells, row_of, operator, b, lower, bodies, columns })
    }

    /// The problem as solvers see it.
    pub fn problem(&self) -> Result<Mlcp<'_>, ProblemError> {
        if self.columns.is_empty() {
            return Mlcp::new(&self.operator, &self.b)?.with_lower(&self.lower);
        }
        Mlcp::new(LowRank::new(&self.operator, self.columns.clone()), &self.b)?.with_lower(&self.lower)
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
        self.operator.lattice()
    }

    /// A, assembled when first asked for.
    pub fn matrix(&self) -> &CsrMatrix<'static> {
        self.operator.matrix()
    }

    /// b.
    pub fn b(&self) -> &[f64] {
        &self.b
    }

    /// Lower bounds.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Solves from `guess` (a scaled pressure for every cell).
    pub fn solve(
        &self,
        solver: &mut dyn MlcpSolver,
        guess: impl Fn([usize; D]) -> f64 + Sync,
    ) -> Result<Solved<D>, PressureError> {
        let problem = self.problem().map_err(PressureError::Problem)?;
        let mut q = each(&self.cells, |_, cell| guess(cell));
        let report = solver.solve(&problem, &mut q).map_err(PressureError::Solve)?;
        Ok(self.judge(&problem, report, q))
    }

    /// What a pressure is worth, whatever method it comes from.
    pub fn judge(&self, problem: &Mlcp, report: SolveReport, q: Vec<f64>) -> Solved<D> {
        let mut r = vec![0.0; q.len()];
        problem.residual(&q, &mut r);
        let (mut divergence, mut complementarity) = (0.0f64, 0.0f64);
        let mut active = vec![false; q.len()];
        for row in 0..q.len() {
            if problem.is_wall(row) {
                let violation = (-q[row]).max(-r[row]).max(q[row].min(r[row]));
                complementarity = complementarity.max(violation);
                active[row] = problem.is_active(row, &q, &r);
            } else {
                divergence = divergence.max(r[row].abs());
            }
        }
        Solved { report, divergence, complementarity, q, active, leaving: Vec::new() }
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
        match (lower, upper) {
            (NO_ROW, NO_ROW) => None,
            (lower, NO_ROW) => Some(-q[lower as usize] / theta(liquid, below.unwrap_or(face), above, grid.spacing())),
            (NO_ROW, upper) => Some(q[upper as usize] / theta(liquid, above.unwrap_or(face), below, grid.spacing())),
            (lower, upper) => Some(q[upper as usize] - q[lower as usize]),
        }
    }

    /// u ← u − ∇q on every open face of the liquid; marks those faces as known and all others not.
    pub fn update_velocity(
        &self,
        grid: &Grid<D>,
        geometry: &Geometry<D>,
        liquid: &CellField<f64, D>,
        q: &[f64],
        velocity: &mut FaceField<f64, D>,
        known: &mut FaceField<bool, D>,
    ) {
        for axis in 0..D {
            fill(&mut known[axis], |face, known| {
                let (_, _, lower, upper) = self.beside(grid, axis, face);
                *known = geometry.open[axis].at(face) > 0.0 && (lower != NO_ROW || upper != NO_ROW);
            });
            fill(&mut velocity[axis], |face, velocity| {
                if geometry.open[axis].at(face) == 0.0 {
                    return;
                }
                *velocity -= self.gradient(grid, liquid, q, axis, face).unwrap_or(0.0);
            });
        }
    }
}

/// A number for every row, from all threads.
fn each<const D: usize>(cells: &[[usize; D]], number: impl Fn(usize, [usize; D]) -> f64 + Sync) -> Vec<f64> {
    let mut numbers = vec![0.0; cells.len()];
    parallel::for_each((0..cells.len(), numbers.as_mut_slice(), cells), |(rows, numbers, cells)| {
        rows.zip(numbers).zip(cells).for_each(|((row, place), &cell)| *place = number(row, cell));
    });
    numbers
}

/// Faces of a cell: (axis, upwards, face).
fn faces_of<const D: usize>(cell: [usize; D]) -> impl Iterator<Item = (usize, bool, [usize; D])> {
    (0..D).flat_map(move |axis| {
        let mut above = cell;
        above[axis] += 1;
        [(axis, false, cell), (axis, true, above)]
    })
}

/// Distance to the free surface towards an air cell, in cells \[Lai2021, eq. (3.34)\].
fn theta<const D: usize>(liquid: &CellField<f64, D>, cell: [usize; D], air: Option<[usize; D]>, spacing: f64) -> f64 {
    let inside = liquid.at(cell);
    let outside = air.map_or(inside + spacing, |air| liquid.at(air)).max(0.0);
    if inside >= 0.0 { 1.0 } else { (inside / (inside - outside)).clamp(MIN_THETA, 1.0) }
}

#[cfg(test)]
mod tests {
    use unstick_grid::SignedDistance;
    use unstick_mlcp::{SolverName, SolverOptions, Stop, Tolerance};

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
        let sources = Sources { divergence: None, control: 0.0, density: 1.0 };
        let problem = PressureProblem::new(&grid, &geometry, &liquid, &velocity, &sources).unwrap();
        let stop = Stop { tolerance: Tolerance::Relative(1e-10), max_cycles: None };
        let name: SolverName = "sticking+cg/mic0".parse().unwrap();
        let mut solver = name.build(&SolverOptions { stop, ..Default::default() });
        let solved = problem.solve(&mut *solver, |_| 0.0).unwrap_or_else(|_| panic!("no answer"));
        let difference: Vec<f64> =
            problem.cells.iter().zip(&solved.q).map(|(&cell, q)| q * h - p(grid.centre(cell))).collect();
        let has_surface = grid.iter().any(|cell| liquid.at(cell) >= 0.0);
        let mean = if has_surface { 0.0 } else { difference.iter().sum::<f64>() / difference.len() as f64 };
        let (mut inner, mut cut) = (0.0f64, 0.0f64);
        for (&cell, difference) in problem.cells.iter().zip(&difference) {
            let is_cut = faces_of(cell).any(|(axis, _, face)| geometry.open[axis].at(face) < 1.0)
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
