//! Pressure problems as fluid codes have them: fields on a staggered grid.
//!
//! Per liquid cell, in the scaled pressure q = Δt p/(ρ h) \[Lai2021, eqs. (3.34)–(3.45)\]:
//!
//! ```text
//!     Σ_liquid V (q − q_n) + Σ_air (V/θ) q + Σ ± (V u + w) − h c v = r
//! ```
//!
//! V is the open part of a face. w is what moving walls carry across the rest of it. c is the divergence that is asked
//! for, and v the open part of the cell. Rows at separating walls are complementary, 0 ≤ q − ℓ ⟂ r ≥ 0, and κ is
//! subtracted from their b. ℓ is zero unless the wall pulls. A [`FieldSolver`] takes the fields as they are. [`RowSolver`] makes rows of them on the
//! processor; a device makes its own.

mod rows;
mod solver;
mod window;

pub use rows::{FieldRows, MIN_THETA, theta};
pub use solver::{FieldSolver, RankPart, RowSolver};
pub use window::Window;

use crate::error::{ProblemError, SolveError};

/// A pressure problem as fields. The first axis is fastest in memory. Along an axis there is one face more than there
/// are cells.
///
/// ```
/// use unstick_mlcp::SolverName;
/// use unstick_mlcp::fields::{FieldSolver, PressureFields, RowSolver, WallFields};
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
///     lower: None,
/// };
/// let mut solver = RowSolver::new("best".parse::<SolverName>()?.build(&Default::default()));
/// let (mut q, mut has_let_go) = ([0.0; 4], [false; 4]);
/// let report = solver.solve_fields(&fields, &mut q, &mut has_let_go)?;
/// assert!(report.converged() && report.rows() == 2);
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
    /// Divergence that is asked for in every cell, in 1/s. Liquid that touches no air is left out.
    pub divergence: Option<&'a [f64]>,
    /// κ, the least speed at which liquid leaves separating walls.
    pub control: f64,
    /// ℓ, the least scaled pressure of every cell at a separating wall: how far the wall pulls before it lets go. Zero
    /// without it.
    pub lower: Option<&'a [f64]>,
}

/// The walls of a pressure problem.
#[derive(Clone, Copy, Debug)]
pub struct WallFields<'a, const D: usize> {
    /// Must change whenever `open`, `separating` or `cell_open` changes. A device keeps these fields until then.
    pub version: u64,
    /// Open part of every face; exactly zero where it is closed.
    pub open: [&'a [f64]; D],
    /// Whether the liquid may leave the wall of a cell.
    pub separating: &'a [bool],
    /// Open part of every cell; read only where a divergence is asked for.
    pub cell_open: &'a [f64],
    /// Flow that moving walls carry across every face: the part that they cover times their velocity.
    pub flow: Option<[&'a [f64]; D]>,
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

    /// Checks the grid and the length of every field, of `q` and of `active`.
    pub fn check(&self, q: &[f64], active: &[bool]) -> Result<(), ProblemError> {
        if self.cells.contains(&0) {
            return Err(ProblemError::NoCells(self.cells.to_vec()));
        }
        let (cells, walls) = (self.cell_count(), &self.walls);
        let of_cells = [
            ("the distance to the liquid", self.liquid.len()),
            ("the mask of separating walls", walls.separating.len()),
            ("the open part of cells", walls.cell_open.len()),
            ("the divergence", self.divergence.map_or(cells, <[f64]>::len)),
            ("the least scaled pressure", self.lower.map_or(cells, <[f64]>::len)),
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

    /// An error of a solver that has met a number that is not finite in the rows of these fields, as one of the field.
    fn blamed(&self, error: SolveError, q: &[f64]) -> SolveError {
        let is_of_number =
            matches!(error, SolveError::NotFinite { .. } | SolveError::Problem(ProblemError::Value { .. }));
        self.first_fault(q).filter(|_| is_of_number).map_or(error, SolveError::Problem)
    }

    /// The first value that is not finite, for a solver that has met such a number in its rows.
    pub fn first_fault(&self, q: &[f64]) -> Option<ProblemError> {
        let faces =
            |what, fields: [&'_ [f64]; D]| (0..D).find_map(move |axis| fault(what, fields[axis], self.faces(axis)));
        let cells = |what, field| fault(what, field, self.cells);
        faces("the velocity", self.velocity)
            .or_else(|| faces("the open part of faces", self.walls.open))
            .or_else(|| cells("the open part of cells", self.walls.cell_open))
            .or_else(|| self.walls.flow.and_then(|flow| faces("the flow of walls", flow)))
            .or_else(|| self.divergence.and_then(|divergence| cells("the divergence", divergence)))
            .or_else(|| self.lower.and_then(|lower| cells("the least scaled pressure", lower)))
            .or_else(|| cells("the scaled pressure", q))
            .or_else(|| cells("the distance to the liquid", self.liquid))
    }
}

fn fault<const D: usize>(what: &'static str, field: &[f64], shape: [usize; D]) -> Option<ProblemError> {
    let index = field.iter().position(|value| !value.is_finite())?;
    let place = window::place_of(shape, index).to_vec();
    Some(ProblemError::FieldValue { what, place, value: field[index] })
}
