//! The projection of displacements for many ranks: the first of them solves it. It has 2^D times fewer cells than the
//! pressure problem and is solved to two digits.

use std::sync::Arc;

use unstick_grid::{CellField, FaceField};
use unstick_mlcp::fields::{FieldSolver, PressureFields, RowSolver, WallFields};
use unstick_mlcp::{Convergence, Outcome, ProblemError, SolveError};
use unstick_parallel::vector;

use super::blocks::SIDE;
use crate::share::{Places, Share};

/// Ways in which a solve ends, by the numbers that ranks tell each other.
const OUTCOMES: [Outcome; 5] =
    [Outcome::Converged, Outcome::IterationLimit, Outcome::Stalled, Outcome::Incompatible, Outcome::Stopped];

/// The problem of all ranks.
pub(super) struct Gathered<const D: usize> {
    share: Arc<Share<D>>,
    /// The version of the geometry that the walls are of.
    version: Option<u64>,
    /// On the first rank.
    walls: Option<Walls<D>>,
}

/// What does not change with the liquid: open parts of faces and blocks, no velocity, and walls that hold.
struct Walls<const D: usize> {
    open: FaceField<f64, D>,
    cell_open: CellField<f64, D>,
    still: FaceField<f64, D>,
    separating: Vec<bool>,
    let_go: Vec<bool>,
}

impl<const D: usize> Gathered<D> {
    pub fn new(share: Arc<Share<D>>) -> Self {
        Self { share, version: None, walls: None }
    }

    /// Solves the problem of which each rank has a part; q is that of the part with its halo.
    pub fn solve(
        &mut self,
        fields: &PressureFields<D>,
        solver: &mut RowSolver<D>,
        q: &mut CellField<f64, D>,
    ) -> Result<Convergence, SolveError> {
        let (share, cells) = (&self.share, Places::CELLS.of_blocks(SIDE));
        if self.version != Some(fields.walls.version) {
            let open: [_; D] =
                std::array::from_fn(|axis| share.gather(Places::faces(axis).of_blocks(SIDE), fields.walls.open[axis]));
            let cell_open = share.gather(cells, fields.walls.cell_open);
            self.walls = cell_open.map(|cell_open| {
                let open = open.map(|field| field.expect("the first rank has all"));
                let still = std::array::from_fn(|axis| CellField::filled(open[axis].shape(), 0.0));
                let separating = vec![false; cell_open.values().len()];
                Walls { open, cell_open, still, let_go: separating.clone(), separating }
            });
            self.version = Some(fields.walls.version);
        }
        let liquid = share.gather(cells, fields.liquid);
        let growth = share.gather(cells, fields.divergence.expect("displacements are asked for as a divergence"));
        let mut solved = Ok(Convergence::default());
        let mut whole = None;
        if let (Some(known), Some(liquid), Some(growth)) = (&mut self.walls, liquid, growth) {
            let mut potential = CellField::filled(liquid.shape(), 0.0);
            if vector::norm_max(growth.values()) > 0.0 {
                let walls = WallFields {
                    version: fields.walls.version,
                    open: std::array::from_fn(|axis| known.open[axis].values()),
                    separating: &known.separating,
                    cell_open: known.cell_open.values(),
                    flow: None,
                };
                let all = PressureFields {
                    cells: liquid.shape(),
                    walls,
                    liquid: liquid.values(),
                    velocity: std::array::from_fn(|axis| known.still[axis].values()),
                    divergence: Some(growth.values()),
                    ..*fields
                };
                let report = solver.solve_fields(&all, potential.values_mut(), &mut known.let_go);
                solved = report.map(|report| Convergence::from(&report));
            }
            whole = Some(potential);
        }
        share.hand_out(cells, whole.as_ref(), q.values_mut());
        self.tell(solved)
    }

    /// How the solve of the first rank has ended, on all of them.
    fn tell(&self, solved: Result<Convergence, SolveError>) -> Result<Convergence, SolveError> {
        let words = match &solved {
            Err(_) => [-1, 0, 0, 0],
            Ok(found) => {
                let outcome = OUTCOMES.iter().position(|outcome| *outcome == found.outcome).unwrap_or(0);
                let [residual, tolerance] = [found.residual, found.tolerance].map(|number| number.to_bits() as i64);
                [outcome as i64, found.iterations as i64, residual, tolerance]
            }
        };
        let [outcome, iterations, residual, tolerance] = self.share.tell(words);
        match (OUTCOMES.get(outcome as usize), solved) {
            (_, Err(error)) => Err(error),
            (None, _) => Err(ProblemError::OtherRank.into()),
            (Some(&outcome), _) => {
                let [residual, tolerance] = [residual, tolerance].map(|bits| f64::from_bits(bits as u64));
                Ok(Convergence::new(outcome, iterations as usize, residual, tolerance))
            }
        }
    }
}
