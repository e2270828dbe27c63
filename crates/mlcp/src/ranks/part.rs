//! The rows of one rank.

use std::sync::Arc;

use super::{Boxes, Ranks, Share};
use crate::error::{MatrixError, ProblemError};
use crate::lattice::Lattice;
use crate::pressure::{PressureOperator, Stencil};
use crate::ranks::agree;

impl<const D: usize> PressureOperator<D> {
    /// The rows in the box of a rank, of a matrix whose inner couplings are `unit` on all of them. `cells` are numbered as
    /// if the box were a grid of its own, and ascend. Couplings across its border lead to rows of other ranks. All ranks
    /// call this together.
    ///
    /// Sums, residuals and norms of problems with this operator are those of all ranks. `best` solves them.
    pub fn part(
        ranks: &Arc<dyn Ranks>,
        boxes: &Boxes,
        unit: f64,
        cells: Vec<u32>,
        stencil: impl Fn(usize) -> Stencil<D> + Sync,
    ) -> Result<Self, ProblemError> {
        let [y, z] = boxes.own(ranks.rank()).map(|own| own.len());
        let shape = [boxes.shape()[0], y, z];
        let too_large = MatrixError::TooLarge { rows: cells.len(), entries: shape.iter().product() };
        let lattice = Lattice::new(&shape[..D], cells).ok_or(ProblemError::from(too_large));
        let lattice = agree(&**ranks, lattice)?;
        let mut operator = Self::empty();
        let share = Share::new(ranks.clone(), boxes.clone());
        operator.rebuild_part(unit, lattice, Some(Arc::new(share)), |_, row| stencil(row));
        Ok(operator)
    }

    /// The part of a rank of rows that it has all, and the numbers of its rows among them.
    pub fn part_of(ranks: &Arc<dyn Ranks>, boxes: &Boxes, whole: &Self) -> Result<(Self, Vec<u32>), ProblemError> {
        let own = boxes.own(ranks.rank());
        let place = |row: u32| whole.lattice().place(row as usize);
        let is_own = |row: &u32| (0..2).all(|axis| own[axis].contains(&place(*row)[axis + 1]));
        let rows: Vec<u32> = (0..whole.diagonal.len() as u32).filter(is_own).collect();
        let local = |&row: &u32| {
            let [x, y, z] = place(row);
            (x + boxes.shape()[0] * (y - own[0].start + own[0].len() * (z - own[1].start))) as u32
        };
        let cells = rows.iter().map(local).collect();
        let stencil = |row: usize| whole.stencil(&whole.stretches[whole.stretch_of(rows[row])], rows[row]);
        let part = Self::part(ranks, boxes, whole.unit(), cells, stencil)?;
        Ok((part, rows))
    }
}
