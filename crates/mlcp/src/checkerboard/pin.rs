//! A new active set: rows leave the hierarchy or come back.

use super::couple::recompute;
use super::cycle::Hierarchy;

impl<const D: usize> Hierarchy<D> {
    /// Pins cells of a level (true) or frees them (false) and updates all coarser levels around
    /// them. Only cells that may be pinned are accepted.
    pub fn pin(&mut self, level: usize, changes: impl Iterator<Item = (usize, bool)>) {
        let mut changed: Vec<u32> = Vec::new();
        let finest = &mut self.levels[level];
        for (cell, is_pinned) in changes {
            debug_assert!(finest.bounded[cell], "only cells at separating walls are pinned");
            let (colour, slot) = finest.split(cell);
            if let Some(index) = finest.cut_index(slot) {
                let cut = &mut finest.cuts[colour][index];
                cut.inverse = if is_pinned { 0.0 } else { 1.0 / cut.diagonal };
                changed.push(cell as u32);
            }
        }
        if changed.is_empty() {
            return;
        }
        // A row counts in the couplings of its own parent and in those of its neighbours' parents.
        let mut affected: Vec<u32> = Vec::new();
        let fine = &self.levels[level];
        if level + 1 < self.levels.len() {
            for &cell in &changed {
                affected.push(fine.parents[cell as usize]);
                fine.couplings(cell as usize, |coupling| affected.push(fine.parents[coupling.cell]));
            }
        }
        let mut family = Vec::new();
        for coarse in level + 1..self.levels.len() {
            affected.sort_unstable();
            affected.dedup();
            let (fine, rest) = self.levels[coarse - 1..].split_at_mut(1);
            affected.iter().for_each(|&cell| recompute(&fine[0], &mut rest[0], cell as usize, &mut family));
            if !rest[0].parents.is_empty() {
                affected.iter_mut().for_each(|cell| *cell = rest[0].parents[*cell as usize]);
            }
        }
        self.factorise();
    }
}
