//! One level of the hierarchy: which unknowns there are, and how they are coupled.

use crate::parallel::Chunks;
use crate::pressure::lines::{Line, Lines};

/// Marks a piece whose cells all have the couplings of an inner cell.
pub(super) const INSIDE: u32 = u32::MAX;

/// Marks what is not there.
pub(super) const NONE: u32 = u32::MAX;

/// Longest piece: what is computed for it stays in the first-level cache.
pub(super) const LONGEST: usize = 256;

/// Slots of one line one behind the other whose neighbours are so too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<const D: usize> {
    /// First slot.
    pub first: u32,
    pub length: u32,
    /// Where the slots of the neighbours across the faces of axes 1.. are, relative to the slot.
    pub offsets: [[i32; 2]; D],
    /// Where the coefficients begin, or `INSIDE`.
    pub block: u32,
    /// Index of further couplings, or `NONE`. Such a piece has one slot.
    pub tangle: u32,
    /// Whether the red cell of each slot is the second one, at 2k + 1.
    pub is_odd: bool,
}

impl<const D: usize> Piece<D> {
    /// Arrays of a colour in a block: diagonal, its inverse (zero where pinned or absent), and the
    /// couplings with the cell of the same slot, with the neighbour in the next slot, and across the
    /// faces of the other axes.
    pub const ARRAYS: usize = 2 + 2 * D;

    /// Whether the cell of a colour is the second one of its slot.
    pub fn is_second(&self, colour: usize) -> bool {
        self.is_odd != (colour == 1)
    }

    /// Where the neighbour along the first axis that is not in the same slot lies: −1 or 1.
    pub fn across(&self, colour: usize) -> isize {
        if self.is_second(colour) { 1 } else { -1 }
    }

    /// Where an array of a colour begins in the coefficients.
    pub fn array(&self, colour: usize, array: usize) -> usize {
        self.block as usize + (colour * Self::ARRAYS + array) * self.length as usize
    }

    /// The array that holds the coupling across a face.
    pub fn array_of(&self, colour: usize, axis: usize, side: usize) -> usize {
        match axis {
            0 if (side == 1) == self.is_second(colour) => 3,
            0 => 2,
            _ => 2 + 2 * axis + side,
        }
    }

    pub fn end(&self) -> usize {
        (self.first + self.length) as usize
    }
}

/// A coupling that does not fit the pattern: a thin wall has split the neighbouring coarse cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extra {
    /// Slot of the neighbour, in the other colour.
    pub slot: u32,
    pub coupling: f32,
    pub axis: u8,
    pub side: u8,
}

/// A level. A cell is known by its index in a vector of the level: slot for red cells,
/// `slots` + slot for black ones.
#[derive(Debug)]
pub(super) struct Level<const D: usize> {
    /// Cells along each axis.
    pub shape: [usize; 3],
    /// Lines of cells; their `base` is a slot. Ordered by column; on coarse levels lines of a
    /// column may lie side by side.
    pub lines: Lines,
    /// Slots, with an empty one in front and one behind.
    pub slots: usize,
    /// Coupling between two inner cells.
    pub unit: f32,
    pub pieces: Vec<Piece<D>>,
    /// Piece of each slot.
    pub piece_of: Vec<u32>,
    /// Pieces of each column begin here.
    pub pieces_from: Vec<u32>,
    pub chunks: Chunks,
    pub coefficients: Vec<f32>,
    /// Further couplings of the red and of the black cell of a piece.
    pub tangles: Vec<[Vec<Extra>; 2]>,
    /// Cell of the next coarser level that each cell belongs to; `NONE` for absent cells.
    pub parents: Vec<u32>,
    /// For cells of a coarse level that are not steady: where their children are listed.
    pub families: Vec<u32>,
    /// Children, list after list, each behind its length.
    pub children: Vec<u32>,
    /// Slots of inner cells whose neighbours may not be pinned: no choice of pinned rows changes the
    /// couplings of a coarse cell made of such cells alone.
    pub steady: Vec<bool>,
    /// Cells that may be pinned: those with a row at a separating wall.
    pub bounded: Vec<bool>,
}

/// A coupling, seen from one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupling {
    pub axis: usize,
    pub side: usize,
    pub cell: usize,
    pub value: f32,
}

impl<const D: usize> Level<D> {
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
        let [y, z] = self.lines.place(column);
        (y + z) % 2 == 1
    }

    /// The cell at a place of a line.
    pub fn cell_at(&self, line: &Line, place: u32) -> usize {
        let colour = (place % 2 == 1) != self.is_odd(line.column);
        Self::slot_of(line, place / 2) as usize + if colour { self.slots } else { 0 }
    }

    /// (colour, slot) of a cell.
    pub fn split(&self, cell: usize) -> (usize, usize) {
        if cell < self.slots { (0, cell) } else { (1, cell - self.slots) }
    }

    pub fn piece_at(&self, slot: usize) -> &Piece<D> {
        &self.pieces[self.piece_of[slot] as usize]
    }

    /// Diagonal of a cell.
    pub fn diagonal(&self, cell: usize) -> f32 {
        self.entry(cell, 0).unwrap_or(2.0 * D as f32 * self.unit)
    }

    /// Whether a cell takes part: it is there and not pinned.
    pub fn is_free(&self, cell: usize) -> bool {
        self.entry(cell, 1).is_none_or(|inverse| inverse != 0.0)
    }

    /// Place of an array entry of a cell among the coefficients, unless it is an inner cell.
    pub fn place_of(&self, cell: usize, array: usize) -> Option<usize> {
        let (colour, slot) = self.split(cell);
        let piece = self.piece_at(slot);
        (piece.block != INSIDE).then(|| piece.array(colour, array) + slot - piece.first as usize)
    }

    fn entry(&self, cell: usize, array: usize) -> Option<f32> {
        self.place_of(cell, array).map(|place| self.coefficients[place])
    }

    /// Calls `visit` with every coupling of a cell that is not zero.
    pub fn couplings(&self, cell: usize, mut visit: impl FnMut(Coupling)) {
        let (colour, slot) = self.split(cell);
        let piece = self.piece_at(slot);
        let other = if colour == 0 { self.slots } else { 0 };
        for axis in 0..D {
            for side in 0..2 {
                let array = piece.array_of(colour, axis, side);
                let value = match piece.block {
                    INSIDE => self.unit,
                    _ => self.coefficients[piece.array(colour, array) + slot - piece.first as usize],
                };
                if value != 0.0 {
                    let offset = match array {
                        2 => 0,
                        3 => piece.across(colour),
                        _ => piece.offsets[axis][side] as isize,
                    };
                    visit(Coupling { axis, side, cell: other + slot.wrapping_add_signed(offset), value });
                }
            }
        }
        if piece.tangle != NONE {
            for extra in self.tangles[piece.tangle as usize][colour].iter().filter(|extra| extra.coupling != 0.0) {
                let (axis, side) = (extra.axis as usize, extra.side as usize);
                visit(Coupling { axis, side, cell: other + extra.slot as usize, value: extra.coupling });
            }
        }
    }

    /// What holds a cell beside its neighbours: air, and walls that were pinned on a finer level.
    pub fn excess(&self, cell: usize) -> f32 {
        let (mut excess, diagonal) = (self.diagonal(cell), self.diagonal(cell));
        self.couplings(cell, |coupling| excess -= coupling.value);
        if excess.abs() < ROUNDING * diagonal { 0.0 } else { excess }
    }

    /// Line of cells that a slot belongs to.
    pub fn line_of(&self, slot: usize) -> &Line {
        &self.lines.lines[self.lines.lines.partition_point(|line| line.base as usize <= slot) - 1]
    }

    /// (column, place) of a cell, unless it is absent.
    pub fn locate(&self, cell: usize) -> Option<(u32, u32)> {
        let (colour, slot) = self.split(cell);
        let line = self.line_of(slot);
        let is_second = self.is_odd(line.column) != (colour == 1);
        let place = 2 * (slot as u32 - line.base + line.from / 2) + is_second as u32;
        (line.from <= place && place < line.end()).then_some((line.column, place))
    }

    /// Writes the children of a cell on the next finer level to `family`.
    pub fn children_of(&self, fine: &Self, cell: usize, family: &mut Vec<u32>) {
        family.clear();
        match self.families[cell] {
            // Steady children: no other cell lies in their block.
            NONE => {
                let Some((column, place)) = self.locate(cell) else { return };
                for line in fine.lines_below(self.lines.place(column)) {
                    let places = (2 * place..2 * place + 2).filter(|&at| line.from <= at && at < line.end());
                    family.extend(places.map(|at| fine.cell_at(line, at) as u32));
                }
            }
            start => {
                let (start, count) = (start as usize + 1, self.children[start as usize] as usize);
                family.extend_from_slice(&self.children[start..start + count]);
            }
        }
    }

    /// Whether a cell of a slot may be pinned.
    pub fn has_bounded(&self, slot: usize) -> bool {
        self.bounded[slot] || self.bounded[self.slots + slot]
    }

    /// Cells that may be pinned.
    pub fn bounded_cells(&self) -> Vec<u32> {
        (0..self.bounded.len() as u32).filter(|&cell| self.bounded[cell as usize]).collect()
    }

    /// Number of cells that are there.
    pub fn cells(&self) -> usize {
        self.lines.lines.iter().map(|line| line.length as usize).sum()
    }
}

/// Differences up to this, relative to the diagonal, count as zero.
const ROUNDING: f32 = 4e-6;
