//! The rows of a level as words of a message, and back.

use super::super::cells::extras_at;
use super::super::couple::{Found, settle};
use super::super::level::{Cut, Extra, Level, Piece};
use super::Place;
use crate::pressure::lines::{Frame, Line};

/// A cell as one number.
pub(super) fn pack((colour, slot): (usize, usize)) -> u32 {
    (2 * slot + colour) as u32
}

/// (colour, slot) of a cell.
pub(super) fn unpack(cell: u32) -> (usize, usize) {
    (cell as usize % 2, cell as usize / 2)
}

/// All own rows of a level.
pub(super) fn words<const D: usize>(level: &Level<D>) -> Vec<u32> {
    let mut words = vec![level.pieces.len() as u32];
    for piece in &level.pieces {
        words.extend([piece.first, piece.length, piece.is_odd as u32]);
        words.extend(piece.offsets.iter().flatten().map(|&offset| offset as u32));
    }
    for colour in 0..2 {
        let own = level.cuts[colour].partition_point(|cut| (cut.slot as usize) < level.end);
        words.push(own as u32);
        level.cuts[colour][..own].iter().for_each(|cut| write_cut(cut, &mut words));
        words.push(level.extras[colour].len() as u32);
        level.extras[colour].iter().for_each(|extra| write_extra(extra, &mut words));
    }
    words
}

/// The rows of some cells that are no inner ones.
pub(super) fn words_of<const D: usize>(level: &Level<D>, cells: &[u32]) -> Vec<u32> {
    let mut words = Vec::new();
    for &cell in cells {
        let (colour, slot) = level.split(cell as usize);
        let Some(index) = level.cut_index(slot) else { continue };
        words.push(colour as u32);
        write_cut(&level.cuts[colour][index], &mut words);
        let extras = level.extras_of(colour, slot);
        words.push(extras.len() as u32);
        words.extend(extras.iter().map(|extra| extra.coupling.to_bits()));
    }
    words
}

fn write_cut<const D: usize>(cut: &Cut<D>, words: &mut Vec<u32>) {
    words.extend([cut.slot, cut.diagonal.to_bits(), cut.inverse.to_bits()]);
    words.extend(cut.at.iter().flatten());
    words.extend(cut.couplings.iter().flatten().map(|value| value.to_bits()));
}

fn write_extra(extra: &Extra, words: &mut Vec<u32>) {
    words.extend([extra.own, extra.slot, extra.coupling.to_bits(), 2 * extra.axis as u32 + extra.side as u32]);
}

/// Reads what was written.
struct Words<'w>(std::slice::Iter<'w, u32>);

impl Words<'_> {
    /// The next word. Messages come from this same program: they are as long as they say.
    fn next(&mut self) -> u32 {
        self.0.next().copied().unwrap_or(0)
    }

    fn faces<const D: usize, T>(&mut self, read: impl Fn(u32) -> T) -> [[T; 2]; D] {
        std::array::from_fn(|_| std::array::from_fn(|_| read(self.next())))
    }

    fn cut<const D: usize>(&mut self, part: &Place) -> Cut<D> {
        let slot = part.slot(self.next());
        let [diagonal, inverse] = [0; 2].map(|_| f32::from_bits(self.next()));
        let at = self.faces(|slot| part.slot(slot));
        Cut { slot, at, couplings: self.faces(f32::from_bits), diagonal, inverse }
    }
}

impl<const D: usize> Level<D> {
    /// Becomes a level whose lines ranks have told; their rows are not known yet.
    pub(super) fn lay_out_lines<'l>(
        &mut self,
        shape: [usize; 3],
        unit: f32,
        parts: impl Iterator<Item = (&'l Frame, &'l Vec<[u32; 3]>)>,
    ) {
        let columns = [shape[1], shape[2]];
        let mut slots = 1;
        self.lines.rebuild(Frame::whole(columns), |lines| {
            for (frame, part) in parts {
                lines.extend(part.iter().map(|&[column, from, length]| {
                    let [y, z] = frame.place_in_grid(column as usize);
                    Line { column: (y + columns[0] * z) as u32, from, length, base: 0 }
                }));
            }
            lines.sort_by_key(|line| line.column); // those of a column stay in their order
            for line in lines {
                line.base = slots;
                slots += Self::slots_of(line);
            }
        });
        self.begin(shape, slots as usize + 1, unit);
    }

    /// Takes the rows of all ranks.
    pub(super) fn take_rows(&mut self, parts: &[Place], rows: &[Vec<u32>]) {
        let mut found = Found::default();
        for (part, words) in parts.iter().zip(rows) {
            let mut words = Words(words.iter());
            for _ in 0..words.next() {
                let [local, length, is_odd] = [0; 3].map(|_| words.next());
                let first = part.slot(local);
                let offsets = words.faces(|offset| match offset {
                    0 => 0,
                    _ => part.slot(local.wrapping_add(offset)) as i32 - first as i32,
                });
                found.pieces.push(Piece { first, length, offsets, is_odd: is_odd != 0 });
            }
            for colour in 0..2 {
                for _ in 0..words.next() {
                    found.cuts[colour].push(words.cut(part));
                }
                for _ in 0..words.next() {
                    let [own, slot] = [0; 2].map(|_| part.slot(words.next()));
                    let (coupling, face) = (f32::from_bits(words.next()), words.next());
                    found.extras[colour].push(Extra {
                        own,
                        slot,
                        coupling,
                        axis: face as u8 / 2,
                        side: face as u8 % 2,
                    });
                }
            }
        }
        found.pieces.sort_by_key(|piece| piece.first);
        found.cuts.iter_mut().for_each(|cuts| cuts.sort_by_key(|cut| cut.slot));
        found.extras.iter_mut().for_each(|extras| extras.sort_by_key(|extra| extra.own));
        self.take(vec![found]);
        settle(self);
    }

    /// Replaces rows by those that a rank has computed anew; lists their cells.
    pub(super) fn replace_rows(&mut self, part: &Place, words: &[u32], cells: &mut Vec<u32>) {
        let mut words = Words(words.iter());
        while !words.0.as_slice().is_empty() {
            let colour = words.next() as usize;
            let cut: Cut<D> = words.cut(part);
            let slot = cut.slot as usize;
            let count = words.next();
            let couplings: Vec<f32> = (0..count).map(|_| f32::from_bits(words.next())).collect();
            if let Some(index) = self.cut_index(slot) {
                self.cuts[colour][index] = cut;
            }
            let own = extras_at(&self.extras[colour], slot);
            self.extras[colour][own].iter_mut().zip(couplings).for_each(|(extra, coupling)| extra.coupling = coupling);
            cells.push((slot + colour * self.slots) as u32);
        }
    }
}
