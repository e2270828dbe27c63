//! Pressure problems as fluid codes have them: fields on a staggered grid.
//!
//! Per liquid cell, in the scaled pressure q = Δt p/(ρ h) \[Lai2021, eqs. (3.34)–(3.45)\]:
//!
//! ```text
//!     Σ_liquid V (q − q_n) + Σ_air (V/θ) q + Σ ± (V u + w) − h c v = r
//! ```
//!
//! with V the open part of a face, w what moving walls carry across the rest of it, c the divergence
//! asked for and v the open part of the cell. Rows at separating walls are complementary, 0 ≤ q ⟂ r ≥ 0, their b
//! less κ. A [`FieldSolver`] takes the fields as they are: whether rows are ever made of them, and where, is its
//! own affair.

mod rows;
mod window;

pub use rows::{FieldRows, MIN_THETA, theta};
pub use window::Window;

use crate::error::{ProblemError, SolveError};
use crate::report::SolveReport;
use crate::solvers::MlcpSolver;

/// A pressure problem as fields. Values lie in memory with the first axis fastest; the faces across an axis are
/// one more along it than the cells.
///
/// ```
/// use unstick_mlcp::fields::{FieldSolver, PressureFields, WallFields};
/// use unstick_mlcp::{MlcpSolver, SolverName};
///
/// // Two by two cells in a closed box, the lower ones liquid, falling.
/// let (across, along) = ([0.0, 1.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
/// let walls = WallFields { version: 0, open: [&across, &along], separating: &[true; 4], cell_open: &[1.0; 4], flow: None };
/// let fields = PressureFields {
///     cells: [2, 2],
///     spacing: 0.5,
///     walls,
///     liquid: &[-0.25, -0.25, 0.25, 0.25],
///     velocity: [&[0.0; 6], &[0.0, 0.0, -1.0, -1.0, 0.0, 0.0]],
///     divergence: None,
///     control: 0.0,
/// };
/// let mut solver: Box<dyn MlcpSolver> = "best".parse::<SolverName>()?.build(&Default::default());
/// let (mut q, mut has_let_go) = ([0.0; 4], [false; 4]);
/// let report = solver.solve_fields(&fields, &mut q, &mut has_let_go)?;
/// assert!(report.solve.converged() && report.unknowns == 2);
/// assert!((q[0] - 0.5).abs() < 1e-6 && q[2] == 0.0); // carried by the floor: half a cell below the surface
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PressureFields<'a, const D: usize> {
    /// Cells along each axis.
    pub cells: [usize; D],
    /// Length of a cell.
    pub spacing: f64,
    /// The walls.
    pub walls: WallFields<'a, D>,
    /// Distance to the surface of the liquid at the centre of every cell, negative inside.
    pub liquid: &'a [f64],
    /// Velocity across every face, before the pressure acts.
    pub velocity: [&'a [f64]; D],
    /// Divergence asked for in every cell, in 1/s; liquid without air is not asked.
    pub divergence: Option<&'a [f64]>,
    /// κ, the least speed at which liquid leaves separating walls.
    pub control: f64,
}

/// What a pressure problem has to know of walls.
#[derive(Clone, Copy, Debug)]
pub struct WallFields<'a, const D: usize> {
    /// Another number whenever `open`, `separating` or `cell_open` is another: a device keeps them until then.
    pub version: u64,
    /// Open part of every face; exactly zero where it is closed.
    pub open: [&'a [f64]; D],
    /// Whether the wall of a cell may be left by the liquid.
    pub separating: &'a [bool],
    /// Open part of every cell.
    pub cell_open: &'a [f64],
    /// What moving walls carry across every face: the part they cover times their velocity.
    pub flow: Option<[&'a [f64]; D]>,
}

/// Solves pressure problems that are given as fields.
///
/// Every boxed [`MlcpSolver`] is one, which makes rows of them on the processor; a solver on a device may do better.
pub trait FieldSolver<const D: usize>: Send {
    /// Solves from `q`, a scaled pressure in every cell, which the answer replaces; it is zero where there is no
    /// unknown. `active` says afterwards where the liquid leaves its wall. After an error neither means anything.
    fn solve_fields(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<FieldReport, SolveError>;
}

/// What came of a problem that was given as fields.
#[derive(Clone, Debug)]
pub struct FieldReport {
    /// The solver's account.
    pub solve: SolveReport,
    /// Number of unknowns.
    pub unknowns: usize,
    /// Largest |r| on equation rows: the divergence left, in velocity units.
    pub divergence: f64,
    /// Largest violation of the wall conditions: −min(q, 0), −min(r, 0) or min(q, r).
    pub complementarity: f64,
}

impl<const D: usize> PressureFields<'_, D> {
    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.iter().product()
    }

    /// Faces across an axis.
    pub fn faces(&self, axis: usize) -> [usize; D] {
        std::array::from_fn(|other| self.cells[other] + (other == axis) as usize)
    }

    /// Every field must have the length that the grid asks for, and so must what comes with them.
    pub fn check(&self, q: &[f64], active: &[bool]) -> Result<(), ProblemError> {
        let (cells, walls) = (self.cell_count(), &self.walls);
        let of_cells = [
            ("the distance to the liquid", self.liquid.len()),
            ("the mask of separating walls", walls.separating.len()),
            ("the open part of cells", walls.cell_open.len()),
            ("the divergence", self.divergence.map_or(cells, <[f64]>::len)),
            ("the scaled pressure", q.len()),
            ("the mask of rows that have let go", active.len()),
        ];
        let of_faces = (0..D).flat_map(|axis| {
            let faces = self.faces(axis).iter().product();
            let flow = walls.flow.map_or(faces, |flow| flow[axis].len());
            let fields =
                [("the velocity", self.velocity[axis].len()), ("the open part of faces", walls.open[axis].len())];
            fields.into_iter().chain([("the flow of walls", flow)]).map(move |(what, found)| (what, found, faces))
        });
        let all = of_cells.into_iter().map(|(what, found)| (what, found, cells)).chain(of_faces);
        match all.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(ProblemError::FieldLength { what, expected, found }),
            None => Ok(()),
        }
    }

    /// The first value that is no finite number, for a solver that has met one in what it made of them.
    pub fn first_fault(&self, q: &[f64]) -> Option<ProblemError> {
        let faces =
            |what, fields: [&'_ [f64]; D]| (0..D).find_map(move |axis| fault(what, fields[axis], self.faces(axis)));
        let cells = |what, field| fault(what, field, self.cells);
        faces("the velocity", self.velocity)
            .or_else(|| faces("the open part of faces", self.walls.open))
            .or_else(|| cells("the open part of cells", self.walls.cell_open))
            .or_else(|| self.walls.flow.and_then(|flow| faces("the flow of walls", flow)))
            .or_else(|| self.divergence.and_then(|divergence| cells("the divergence", divergence)))
            .or_else(|| cells("the scaled pressure", q))
            .or_else(|| cells("the distance to the liquid", self.liquid))
    }
}

fn fault<const D: usize>(what: &'static str, field: &[f64], shape: [usize; D]) -> Option<ProblemError> {
    let index = field.iter().position(|value| !value.is_finite())?;
    let place = window::place_of(shape, index).to_vec();
    Some(ProblemError::FieldValue { what, place, value: field[index] })
}

impl<const D: usize> FieldSolver<D> for Box<dyn MlcpSolver> {
    fn solve_fields(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<FieldReport, SolveError> {
        fields.check(q, active)?;
        let rows = fields.rows()?;
        let problem = rows.problem()?;
        let cells = rows.operator.lattice().cells();
        let mut answer: Vec<f64> = cells.iter().map(|&cell| q[cell as usize]).collect();
        let solve = self.solve(&problem, &mut answer)?;
        let judged = problem.quality(&answer);
        q.fill(0.0);
        active.fill(false);
        for (row, &cell) in cells.iter().enumerate() {
            (q[cell as usize], active[cell as usize]) = (answer[row], judged.active[row]);
        }
        let (divergence, complementarity) = (judged.divergence, judged.complementarity);
        Ok(FieldReport { solve, unknowns: cells.len(), divergence, complementarity })
    }
}
