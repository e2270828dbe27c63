//! The finest level, from the pressure matrix.

use super::level::{Cut, LANES, Level, Piece};
use crate::pressure::lines::{Line, Lines};
use crate::pressure::{self, PressureOperator};

/// Slots whose neighbours lie at fixed offsets.
struct Stretch<const D: usize> {
    first: u32,
    length: u32,
    offsets: [[i32; 2]; D],
    line: usize,
}

impl<const D: usize> Stretch<D> {
    fn slots(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.length) as usize
    }
}

/// Calls `visit` with every stretch of the lines of pairs. They are found again for every loop: a list of them would be
/// the largest temporary memory of all.
fn for_each_stretch<const D: usize>(pairs: &Lines, slots: usize, mut visit: impl FnMut(Stretch<D>)) {
    for (index, line) in pairs.lines.iter().enumerate() {
        pairs.stretches::<D>(line, slots, |from, until, offsets| {
            visit(Stretch { first: line.base + from - line.from, length: until - from, offsets, line: index });
        });
    }
}

impl<const D: usize> Level<D> {
    /// Becomes the finest level: lays the rows of a matrix out, scaled to inner couplings of 1. Those with a finite
    /// bound may be pinned later.
    pub fn lay_out(&mut self, operator: &PressureOperator<D>, lower: &[f64]) {
        let rows = &operator.lines;
        let mut slots = 1;
        let place = |line: &Line| {
            let line = Line { base: slots, ..*line };
            slots += Self::slots_of(&line);
            line
        };
        self.lines.rebuild(rows.columns, |lines| lines.extend(rows.lines.iter().map(place)));
        self.begin(operator.shape(), slots as usize + 1, 1.0);
        let pairs = self.pairs();
        let is_inside = classify(self, operator, lower, &pairs);
        for_each_stretch(&pairs, self.slots, |stretch| {
            let is_odd = self.is_odd(self.lines.lines[stretch.line].column);
            let mut first = stretch.first;
            for group in is_inside[stretch.slots()].chunk_by(|a, b| a == b) {
                let length = group.len() as u32;
                if group[0] {
                    self.pieces.extend(Piece { first, length, offsets: stretch.offsets, is_odd }.parts());
                } else {
                    (first..first + length).for_each(|slot| self.push_cut(operator, &stretch, slot));
                }
                first += length;
            }
        });
        self.index();
    }

    /// The lines, with a pair of cells as one unknown.
    fn pairs(&self) -> Lines {
        let pair_of = |line: &Line| Line { from: line.from / 2, length: Self::slots_of(line), ..*line };
        let mut pairs = Lines::default();
        pairs.rebuild(self.lines.columns, |pairs| pairs.extend(self.lines.lines.iter().map(pair_of)));
        pairs
    }

    /// Appends both cells of a slot.
    fn push_cut(&mut self, operator: &PressureOperator<D>, stretch: &Stretch<D>, slot: u32) {
        let line = self.lines.lines[stretch.line];
        let rows = operator.lines.lines[stretch.line];
        let pair = slot - line.base + line.from / 2;
        let is_odd = self.is_odd(line.column);
        for second in [false, true] {
            let colour = (second != is_odd) as usize;
            let place = 2 * pair + second as u32;
            let mut cut = Cut::alone(slot);
            if line.from <= place && place < line.end() {
                let row = rows.base + place - rows.from;
                let stencil = operator.stencil(&operator.stretches[operator.stretch_of(row)], row);
                let scale = 1.0 / operator.unit();
                cut.diagonal = (scale * stencil.diagonal) as f32;
                cut.inverse = (1.0 / (scale * stencil.diagonal)) as f32;
                for axis in 0..D {
                    for side in 0..2 {
                        let is_pair = axis == 0 && (side == 1) != second;
                        let offset = match axis {
                            0 => {
                                if is_pair {
                                    0
                                } else {
                                    2 * side as i32 - 1
                                }
                            }
                            _ => stretch.offsets[axis][side],
                        };
                        if stencil.towards[axis][side] != 0.0 {
                            cut.at[axis][side] = slot.wrapping_add_signed(offset);
                            cut.couplings[axis][side] = (scale * stencil.towards[axis][side]) as f32;
                        }
                    }
                }
            }
            self.cuts[colour].push(cut);
        }
    }
}

/// Whether both cells of each slot are inner ones; marks bounded cells and steady slots.
fn classify<const D: usize>(
    level: &mut Level<D>,
    operator: &PressureOperator<D>,
    lower: &[f64],
    pairs: &Lines,
) -> Vec<bool> {
    let mut inner = vec![0u8; level.slots];
    let mut rest = operator.stretches.iter();
    for (line, rows) in level.lines.lines.iter().zip(&operator.lines.lines) {
        let is_odd = level.is_odd(line.column);
        let mut row = rows.base;
        while row < rows.base + rows.length {
            let Some(stretch) = rest.next() else { break };
            let is_inside = stretch.coefficients == pressure::INSIDE;
            for row in stretch.first..stretch.first + stretch.length {
                let place = rows.from + row - rows.base;
                let slot = Level::<D>::slot_of(line, place / 2) as usize;
                let is_wall = lower[row as usize] > f64::NEG_INFINITY;
                if is_wall {
                    level.bounded[slot + if (place % 2 == 1) != is_odd { level.slots } else { 0 }] = true;
                }
                inner[slot] += (is_inside && !is_wall) as u8;
            }
            row += stretch.length;
        }
    }
    let mut is_inside: Vec<bool> = inner.into_iter().map(|count| count == 2).collect();
    level.steady.clone_from(&is_inside);
    for_each_stretch::<D>(pairs, level.slots, |stretch| {
        for slot in stretch.slots() {
            let beside = stretch.offsets.iter().flatten();
            level.unsettle(slot, beside.map(|&offset| slot.wrapping_add_signed(offset as isize)));
        }
        for group in is_inside[stretch.slots()].chunk_by_mut(|a, b| a == b).filter(|group| group.len() < LANES) {
            group.fill(false);
        }
    });
    is_inside
}
