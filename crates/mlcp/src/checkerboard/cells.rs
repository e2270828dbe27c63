//! The cells of a level: how they are coupled, and whose children they are.

use std::ops::Range;

use unstick_parallel as parallel;

use super::level::{Cut, Extra, IN_PIECE, Level, NONE};
use crate::pressure::lines::Line;

/// A coupling, seen from one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupling {
    pub axis: usize,
    pub side: usize,
    pub cell: usize,
    pub value: f32,
}

/// Where the further couplings of a slot are in the list of a colour.
pub(super) fn extras_at(extras: &[Extra], slot: usize) -> Range<usize> {
    if extras.is_empty() {
        return 0..0;
    }
    let first = extras.partition_point(|extra| (extra.own as usize) < slot);
    first..first + extras[first..].iter().take_while(|extra| extra.own as usize == slot).count()
}

impl<const D: usize> Level<D> {
    /// (colour, slot) of a cell.
    #[inline]
    pub fn split(&self, cell: usize) -> (usize, usize) {
        if cell < self.slots { (0, cell) } else { (1, cell - self.slots) }
    }

    /// Index of a cell among the cut ones of its colour, unless it is an inner one.
    #[inline]
    pub fn cut_index(&self, slot: usize) -> Option<usize> {
        let place = self.place_of[slot];
        (place & IN_PIECE == 0).then_some(place as usize)
    }

    #[inline]
    fn cut(&self, cell: usize) -> Option<&Cut<D>> {
        let (colour, slot) = self.split(cell);
        self.cut_index(slot).map(|index| &self.cuts[colour][index])
    }

    /// Diagonal of a cell.
    pub fn diagonal(&self, cell: usize) -> f32 {
        self.cut(cell).map_or(2.0 * D as f32 * self.unit, |cut| cut.diagonal)
    }

    /// Whether a cell takes part: it is there and not pinned.
    #[inline]
    pub fn is_free(&self, cell: usize) -> bool {
        self.cut(cell).is_none_or(|cut| cut.inverse != 0.0)
    }

    /// Further couplings of a cell.
    pub fn extras_of(&self, colour: usize, slot: usize) -> &[Extra] {
        let extras = &self.extras[colour];
        &extras[extras_at(extras, slot)]
    }

    /// Calls `visit` with every coupling of a cell that is not zero.
    #[inline]
    pub fn couplings(&self, cell: usize, mut visit: impl FnMut(Coupling)) {
        let (colour, slot) = self.split(cell);
        let other = if colour == 0 { self.slots } else { 0 };
        let place = self.place_of[slot];
        if place & IN_PIECE != 0 {
            let piece = &self.pieces[(place & !IN_PIECE) as usize];
            let across = piece.across(colour);
            for axis in 0..D {
                for side in 0..2 {
                    let offset = match axis {
                        0 if (side == 1) == (across == 1) => across,
                        0 => 0,
                        _ => piece.offsets[axis][side] as isize,
                    };
                    let cell = other + slot.wrapping_add_signed(offset);
                    visit(Coupling { axis, side, cell, value: self.unit });
                }
            }
            return;
        }
        let cut = &self.cuts[colour][place as usize];
        for axis in 0..D {
            for side in 0..2 {
                let value = cut.couplings[axis][side];
                if value != 0.0 {
                    visit(Coupling { axis, side, cell: other + cut.at[axis][side] as usize, value });
                }
            }
        }
        for extra in self.extras_of(colour, slot) {
            if extra.coupling != 0.0 {
                let (axis, side) = (extra.axis as usize, extra.side as usize);
                visit(Coupling { axis, side, cell: other + extra.slot as usize, value: extra.coupling });
            }
        }
    }

    /// Whether a cell is no ghost.
    #[inline]
    pub fn is_own(&self, cell: usize) -> bool {
        self.split(cell).1 < self.end
    }

    /// Where a cell is in the whole grid, in the order of rows: (z, y, x).
    pub fn place_of_cell(&self, cell: usize) -> [usize; 3] {
        let (colour, slot) = self.split(cell);
        let line = self.line_of(slot);
        let ([y, z], [first_y, first_z]) = (self.lines.place(line.column), self.lines.frame.first);
        [z + first_z, y + first_y, self.place_in(line, slot as u32, colour) as usize]
    }

    /// Calls `visit` with the own cells that a ghost may be coupled with, for none but ghosts.
    pub fn cells_beside_ghost(&self, cell: usize, mut visit: impl FnMut(usize)) {
        if self.is_own(cell) {
            return;
        }
        let (colour, slot) = self.split(cell);
        let ghost = self.line_of(slot);
        let place = self.place_in(ghost, slot as u32, colour);
        let beside = self.lines.of(self.lines.frame.across(ghost.column as usize));
        let covering = beside.iter().filter(|line| line.from <= place && place < line.end());
        covering.for_each(|line| visit(self.cell_at(line, place)));
    }

    /// Number of the line of cells that a slot belongs to.
    pub fn line_at(&self, slot: usize) -> usize {
        self.lines.lines.partition_point(|line| line.base as usize <= slot) - 1
    }

    /// Line of cells that a slot belongs to.
    pub fn line_of(&self, slot: usize) -> &Line {
        &self.lines.lines[self.line_at(slot)]
    }

    /// Where a cell is in its line.
    pub fn place_in(&self, line: &Line, slot: u32, colour: usize) -> u32 {
        let is_second = self.is_odd(line.column) != (colour == 1);
        2 * (slot - line.base + line.from / 2) + is_second as u32
    }

    /// Writes the children of a cell on the next finer level to `family`, given where the cell is.
    pub fn children_of(&self, fine: &Self, line: &Line, place: u32, family: &mut Vec<u32>) {
        family.clear();
        match self.families[self.cell_at(line, place)] {
            // Steady children: no other cell lies in their block.
            NONE => {
                for line in fine.lines_below(self.lines.place(line.column)) {
                    let places = (2 * place..2 * place + 2).filter(|&at| line.from <= at && at < line.end());
                    family.extend(places.map(|at| fine.cell_at(line, at) as u32));
                }
            }
            _ => family.extend_from_slice(self.listed_children(self.cell_at(line, place))),
        }
    }

    /// The children of a cell that is not made of steady ones.
    pub fn listed_children(&self, cell: usize) -> &[u32] {
        match self.families[cell] {
            NONE => &[],
            start => {
                let (start, count) = (start as usize + 1, self.children[start as usize] as usize);
                &self.children[start..start + count]
            }
        }
    }

    /// Whether a cell of a slot may be pinned.
    pub fn has_bounded(&self, slot: usize) -> bool {
        self.bounded[slot] || self.bounded[self.slots + slot]
    }

    /// Own cells that may be pinned, ascending. Nothing may be pinned. A cell that does not take part does not either when
    /// it is free.
    pub fn bounded_cells(&self) -> Vec<u32> {
        parallel::list(0..self.bounded.len(), |cells| {
            let bounded = cells.filter(|&cell| self.bounded[cell] && self.is_own(cell) && self.is_free(cell));
            bounded.map(|cell| cell as u32).collect()
        })
    }

    /// Whether a slot of inner cells has no neighbour that may be pinned, given where its neighbours are.
    pub fn is_steady(&self, slot: usize, offsets: &[[i32; 2]; D]) -> bool {
        let across = offsets[1..].iter().flatten().map(|&offset| offset as isize);
        !across.chain([-1, 1]).any(|offset| self.has_bounded(slot.wrapping_add_signed(offset)))
    }

    /// Number of cells that are there.
    pub fn cells(&self) -> usize {
        self.lines.own().iter().map(|line| line.length as usize).sum()
    }
}
