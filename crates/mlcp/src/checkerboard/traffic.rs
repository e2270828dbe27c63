//! A model of the memory traffic: every array that a loop needs counts once.

use super::cycle::{Hierarchy, SWEEPS};
use super::level::{Cut, Level};

/// Bytes of one colour of a level, and of its cut cells.
struct Bytes {
    colour: u64,
    cuts: u64,
}

impl Bytes {
    fn of<const D: usize>(level: &Level<D>) -> Self {
        Self { colour: 4 * level.slots as u64, cuts: (level.cuts[0].len() * size_of::<Cut<D>>()) as u64 }
    }

    /// A half-sweep reads one colour and writes the other; the right-hand side comes on top.
    fn half_sweep(&self, has_b: bool) -> u64 {
        (2 + has_b as u64) * self.colour + self.cuts
    }
}

impl<const D: usize> Hierarchy<D> {
    /// Bytes that a V-cycle from the finest level moves.
    pub fn bytes_per_cycle(&self, is_reduced: bool) -> u64 {
        let last = self.levels.len() - 1;
        let level_bytes = |index: usize| {
            let bytes = Bytes::of(&self.levels[index]);
            let is_reduced = is_reduced && index == 0;
            let sweep = bytes.half_sweep(!is_reduced) + bytes.half_sweep(true);
            // The first half-sweep needs no other colour; on a reduced system there is one fewer.
            let first = bytes.colour + if is_reduced { bytes.half_sweep(false) } else { 0 };
            // Residual of red cells with their parents; correction of red cells with their parents.
            let transfers = (3 + !is_reduced as u64) * bytes.colour + bytes.cuts + 3 * bytes.colour;
            2 * SWEEPS as u64 * sweep - first + transfers
        };
        (0..last).map(level_bytes).sum()
    }

    /// Bytes that an iteration of conjugate gradients on the black cells moves, its cycle included.
    pub fn bytes_per_iteration(&self) -> u64 {
        let bytes = Bytes::of(&self.levels[0]);
        let (product, step) = (4 * bytes.colour + bytes.cuts, 10 * bytes.colour);
        self.bytes_per_cycle(true) + product + step
    }
}
