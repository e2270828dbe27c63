//! One level of the hierarchy: which unknowns there are, and how they are coupled.

use std::ops::Range;

use unstick_parallel::{self as parallel, Chunks, refill};

use crate::pressure::lines::{Line, Lines};
use crate::ranks::Halo;

/// Marks a missing entry.
pub(super) const NONE: u32 = u32::MAX;

/// Marks the place of a slot in a piece.
pub(super) const IN_PIECE: u32 = 1 << 31;

/// Longest piece: its values stay in the first-level cache.
pub(super) const LONGEST: usize = 256;

/// Slots that a loop takes at once; no piece has fewer.
pub(super) const LANES: usize = 8;

/// Consecutive slots of one line that hold inner cells: every coupling is the unit of the level, and the neighbours
/// are consecutive too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<const D: usize> {
    /// First slot.
    pub first: u32,
    pub length: u32,
    /// Slots of the neighbours across the faces of axes 1.., relative to the slot.
    pub offsets: [[i32; 2]; D],
    /// Whether the red cell of each slot is the second one, at 2k + 1.
    pub is_odd: bool,
}

impl<const D: usize> Piece<D> {
    /// Offset of the neighbour along the first axis that is not in the same slot: −1 or 1.
    pub fn across(&self, colour: usize) -> isize {
        if self.is_odd != (colour == 1) { 1 } else { -1 }
    }

    pub fn end(&self) -> usize {
        (self.first + self.length) as usize
    }

    /// Cuts a long piece into parts of about the same length.
    pub fn parts(self) -> impl Iterator<Item = Self> {
        let parts = self.length.div_ceil(LONGEST as u32);
        (0..parts).map(move |part| {
            let [first, end] = [part, part + 1].map(|part| self.first + part * self.length / parts);
            Self { first, length: end - first, ..self }
        })
    }
}

/// A cell that is cut, near a surface, at a separating wall, or absent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut<const D: usize> {
    pub slot: u32,
    /// Slots of the neighbours, in the other colour; its own where there is none.
    pub at: [[u32; 2]; D],
    pub couplings: [[f32; 2]; D],
    pub diagonal: f32,
    /// A_ii⁻¹, zero where the cell is pinned or absent.
    pub inverse: f32,
}

impl<const D: usize> Cut<D> {
    /// A cell without neighbours.
    pub fn alone(slot: u32) -> Self {
        Self { slot, at: [[slot; 2]; D], couplings: [[0.0; 2]; D], diagonal: 0.0, inverse: 0.0 }
    }

    /// Σ c_ij x_j over all neighbours.
    #[inline(always)]
    pub fn sum(&self, other: &[f32]) -> f32 {
        let mut sum = 0.0;
        for axis in 0..D {
            let ([below, above], [one, two]) = (self.at[axis], self.couplings[axis]);
            sum += one * other[below as usize] + two * other[above as usize];
        }
        sum
    }
}

/// A coupling of a cut cell that does not fit its faces: a thin wall has split the neighbouring
/// coarse cell, and there are two neighbours on one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extra {
    /// Slot of the cell.
    pub own: u32,
    /// Slot of the neighbour, in the other colour.
    pub slot: u32,
    pub coupling: f32,
    pub axis: u8,
    pub side: u8,
}

/// A level. A cell is known by its index in a vector of the level: slot for red cells,
/// `slots` + slot for black ones.
#[derive(Debug, Default)]
pub(super) struct Level<const D: usize> {
    /// Cells along each axis.
    pub shape: [usize; 3],
    /// Lines of cells; their `base` is a slot. Ordered by column; on coarse levels lines of a
    /// column may lie side by side.
    pub lines: Lines,
    /// Slots, with an empty one in front and one behind.
    pub slots: usize,
    /// Behind the last slot of its own. Those of ghosts follow, if other ranks hold parts of the level.
    pub end: usize,
    /// The ghosts.
    pub halo: Halo,
    /// Coupling between two inner cells.
    pub unit: f32,
    /// All other slots are cut.
    pub pieces: Vec<Piece<D>>,
    /// Red and black cells of the cut slots, in the order of their slots.
    pub cuts: [Vec<Cut<D>>; 2],
    /// Further couplings, in the order of their slots.
    pub extras: [Vec<Extra>; 2],
    /// Place of each slot in a piece or among the cut ones.
    pub place_of: Vec<u32>,
    /// First piece and first cut cell of each line, and the ends.
    pub pieces_from: Vec<u32>,
    pub cuts_from: Vec<u32>,
    /// Lines, for work on all slots.
    pub chunks: Chunks,
    /// Cell of the next coarser level that each cell belongs to; `NONE` for absent cells.
    pub parents: Vec<u32>,
    /// For cells of a coarse level that are not made of steady ones: where their children are listed.
    pub families: Vec<u32>,
    /// Children, list after list, each behind its length.
    pub children: Vec<u32>,
    /// Slots of inner cells none of whose neighbours may be pinned. A coarse cell made of such cells alone has the same
    /// couplings whatever is pinned.
    pub steady: Vec<bool>,
    /// Cells that may be pinned: those with a row at a separating wall.
    pub bounded: Vec<bool>,
}

/// The part of a vector of a level that lies in consecutive slots.
pub(super) struct Part<'v, T> {
    pub red: &'v mut [T],
    pub black: &'v mut [T],
    /// First slot.
    pub place: usize,
    /// Slots of the level.
    pub slots: usize,
}

impl<T> Part<'_, T> {
    #[inline(always)]
    pub fn at(&mut self, cell: usize) -> &mut T {
        if cell < self.slots {
            &mut self.red[cell - self.place]
        } else {
            &mut self.black[cell - self.slots - self.place]
        }
    }
}

/// Consecutive lines, and their slots.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub lines: Range<usize>,
    pub slots: Range<usize>,
}

impl<const D: usize> Level<D> {
    /// Begins a level whose lines are known: there are no couplings yet. Keeps the memory of what was there.
    pub fn begin(&mut self, shape: [usize; 3], slots: usize, unit: f32) {
        (self.shape, self.slots, self.unit) = (shape, slots, unit);
        self.end = self.lines.own().last().map_or(1, |line| (line.base + Self::slots_of(line)) as usize);
        self.chunks.rebuild(1, self.lines.own().iter().map(|line| Self::slots_of(line) as usize));
        self.parents.clear();
        self.families.clear();
        refill(&mut self.bounded, 2 * slots, false);
    }

    /// Notes where each slot is, once all pieces and cut cells are known.
    pub fn index(&mut self) {
        let mut pieces_from = std::mem::take(&mut self.pieces_from);
        let mut cuts_from = std::mem::take(&mut self.cuts_from);
        self.lines_begin(|slot| self.pieces.partition_point(|piece| piece.first < slot), &mut pieces_from);
        self.lines_begin(|slot| self.cuts[0].partition_point(|cut| cut.slot < slot), &mut cuts_from);
        (self.pieces_from, self.cuts_from) = (pieces_from, cuts_from);
        parallel::resize(&mut self.place_of, self.slots, 0);
        (self.place_of[0], self.place_of[self.slots - 1]) = (0, 0);
        let (pieces, cuts) = (&self.pieces, &self.cuts[0]);
        let (pieces_from, cuts_from) = (&self.pieces_from, &self.cuts_from);
        for (number, ghost) in (self.end..self.slots - 1).enumerate() {
            self.place_of[ghost] = (cuts.len() - (self.slots - 1 - self.end) + number) as u32;
        }
        self.chunks.for_each(&mut self.place_of[1..self.end], |lines, place, place_of| {
            for index in pieces_from[lines.start]..pieces_from[lines.end] {
                let piece = &pieces[index as usize];
                place_of[piece.first as usize - place..piece.end() - place].fill(index | IN_PIECE);
            }
            for index in cuts_from[lines.start]..cuts_from[lines.end] {
                place_of[cuts[index as usize].slot as usize - place] = index;
            }
        });
    }

    /// Notes where each line begins in a list ordered by slot, and the end: `count` says how many lie before a slot.
    fn lines_begin(&self, count: impl Fn(u32) -> usize + Sync, firsts: &mut Vec<u32>) {
        let lines = self.lines.lines.as_slice();
        parallel::resize(firsts, lines.len() + 1, 0);
        parallel::for_each_scattered((lines, &mut firsts[..lines.len()]), |(lines, firsts)| {
            lines.iter().zip(firsts).for_each(|(line, first)| *first = count(line.base) as u32);
        });
        firsts[lines.len()] = count(self.slots as u32) as u32;
    }

    /// Slot of the pair at place `pair` of a line of cells.
    pub fn slot_of(line: &Line, pair: u32) -> u32 {
        line.base + pair - line.from / 2
    }

    /// Slots that a line of cells takes.
    pub fn slots_of(line: &Line) -> u32 {
        (line.end() - 1) / 2 - line.from / 2 + 1
    }

    /// Whether red cells of a column are the second ones of their slots.
    pub fn is_odd(&self, column: u32) -> bool {
        let ([y, z], [first_y, first_z]) = (self.lines.place(column), self.lines.frame.first);
        y.wrapping_add(z).wrapping_add(first_y + first_z) % 2 == 1
    }

    /// The cell at a place of a line.
    pub fn cell_at(&self, line: &Line, place: u32) -> usize {
        let colour = (place % 2 == 1) != self.is_odd(line.column);
        Self::slot_of(line, place / 2) as usize + if colour { self.slots } else { 0 }
    }
}
