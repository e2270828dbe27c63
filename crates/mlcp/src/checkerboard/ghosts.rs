//! Cells of other ranks beside the own ones of a level: what is known of them.
//!
//! Every own cell at the border of the box is a ghost of the rank beyond it. A ghost has slots for its values, a parent, and
//! the marks that decide about the couplings of own cells. It has no row.

use super::level::{Level, NONE};
use crate::pressure::lines::SIDES;

impl<const D: usize> Level<D> {
    /// Fills the ghosts of a vector of both colours.
    pub fn fill(&self, x: &mut [f32]) {
        x.chunks_mut(self.slots).for_each(|colour| self.halo.fill(colour));
    }

    /// Which ghosts may be pinned.
    pub(super) fn fill_bounded(&mut self) {
        let Self { halo, bounded, slots, .. } = self;
        bounded.chunks_mut(*slots).for_each(|colour| halo.fill_flags(colour));
    }

    /// Notes which ghosts of a coarse level are made of steady cells. Others get an empty list of children.
    pub(super) fn fill_families(&mut self) {
        if !self.halo.is_shared() {
            return;
        }
        let nothing = self.children.len() as u32;
        self.children.push(0);
        for colour in 0..2 {
            let families = &mut self.families[colour * self.slots..][..self.slots];
            let mut is_steady: Vec<bool> = families.iter().map(|&family| family == NONE).collect();
            self.halo.fill_flags(&mut is_steady);
            for ghost in (self.end..self.slots - 1).filter(|&ghost| !is_steady[ghost]) {
                families[ghost] = nothing;
            }
        }
    }

    /// Finds the parent of every ghost. Its rank tells which line of the coarse column it is in.
    pub(super) fn find_parents_of_ghosts(&mut self, coarse: &Self) {
        if !self.halo.is_shared() {
            return;
        }
        let mut lines = vec![NONE; 2 * self.slots];
        for slot in self.halo.border() {
            for cell in [slot, self.slots + slot] {
                if self.parents[cell] != NONE {
                    let line = coarse.line_at(coarse.split(self.parents[cell] as usize).1);
                    let column = coarse.lines.lines[line].column as usize;
                    lines[cell] = (line - coarse.lines.range(column).start) as u32;
                }
            }
        }
        lines.chunks_mut(self.slots).for_each(|colour| self.halo.fill(colour));
        let mut parents = std::mem::take(&mut self.parents);
        for side in 0..SIDES.len() {
            let (columns, coarse_columns) = (self.lines.frame.beside(side), coarse.lines.frame.beside(side));
            for column in columns.clone() {
                let above = coarse.lines.of(coarse_columns.start + (column - columns.start) / 2);
                for line in self.lines.of(column) {
                    for place in line.from..line.end() {
                        let cell = self.cell_at(line, place);
                        if lines[cell] != NONE {
                            parents[cell] = coarse.cell_at(&above[lines[cell] as usize], place / 2) as u32;
                        }
                    }
                }
            }
        }
        self.parents = parents;
    }

    /// Ghosts that are pinned while `pinned`, given for own cells, says otherwise of their ranks, or the reverse.
    pub(super) fn changed_ghosts(&self, pinned: &mut [bool]) -> Vec<(u32, bool)> {
        pinned.chunks_mut(self.slots).for_each(|colour| self.halo.fill_flags(colour));
        let changed = |&ghost: &usize| self.is_free(ghost) == pinned[ghost];
        self.ghosts().filter(changed).map(|ghost| (ghost as u32, pinned[ghost])).collect()
    }

    /// All ghosts, ascending.
    pub(super) fn ghosts(&self) -> impl Iterator<Item = usize> + '_ {
        [0, self.slots].into_iter().flat_map(|first| first + self.end..first + self.slots - 1)
    }
}
