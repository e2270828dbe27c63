//! The finest level, from the pressure matrix.

use std::ops::Range;

use unstick_parallel::{self as parallel, refill};

use super::couple::Found;
use super::level::{Cut, LANES, Level, Part, Piece};
use crate::pressure::lines::{Line, Lines};
use crate::pressure::{INSIDE, PressureOperator};
use crate::ranks::{Halo, Share};

/// Slots whose neighbours lie at fixed offsets.
struct Stretch<const D: usize> {
    first: u32,
    length: u32,
    offsets: [[i32; 2]; D],
    line: usize,
}

/// Calls `visit` with every stretch of some lines of pairs. They are found again for every loop: a list of them would be
/// the largest temporary memory of all.
fn for_each_stretch<const D: usize>(
    pairs: &Lines,
    lines: Range<usize>,
    slots: usize,
    mut visit: impl FnMut(Stretch<D>),
) {
    for index in lines {
        let line = &pairs.lines[index];
        pairs.stretches::<D>(line, slots, |from, until, offsets| {
            visit(Stretch { first: line.base + from - line.from, length: until - from, offsets, line: index });
        });
    }
}

impl<const D: usize> Level<D> {
    /// Becomes the finest level: lays the rows of a matrix out, scaled to inner couplings of 1. Those with a finite
    /// bound may be pinned later.
    pub fn lay_out(&mut self, operator: &PressureOperator<D>, lower: &[f64], share: Option<&Share>) {
        let rows = &operator.lines;
        let mut slots = 1;
        let place = |line: &Line| {
            let line = Line { base: slots, ..*line };
            slots += Self::slots_of(&line);
            line
        };
        self.lines.rebuild(rows.frame, |lines| lines.extend(rows.lines.iter().map(place)));
        self.halo = share.map_or_else(Halo::default, |share| Halo::new(share, &self.lines, Self::slots_of));
        self.begin(operator.shape(), slots as usize + 1, 1.0);
        let pairs = self.pairs();
        let mut is_inside = std::mem::take(&mut self.steady);
        self.classify(operator, lower, &mut is_inside);
        self.fill_bounded();
        let found = self.chunks.map(1..self.end, |lines, _, _| {
            let mut found = Found::default();
            for_each_stretch(&pairs, lines, self.slots, |stretch| {
                let is_odd = self.is_odd(self.lines.lines[stretch.line].column);
                let mut first = stretch.first;
                let slots = first as usize..(first + stretch.length) as usize;
                for group in is_inside[slots].chunk_by(|a, b| a == b) {
                    let length = group.len() as u32;
                    if group[0] && length as usize >= LANES {
                        found.pieces.extend(Piece { first, length, offsets: stretch.offsets, is_odd }.parts());
                    } else {
                        (first..first + length).for_each(|slot| self.push_cut(operator, &stretch, slot, &mut found));
                    }
                    first += length;
                }
            });
            found
        });
        self.take(found);
        let inside = &is_inside;
        let mut steady = parallel::filled(self.slots, false);
        self.over_spans(&mut steady, |span, steady| {
            for_each_stretch::<D>(&pairs, span.lines, self.slots, |stretch| {
                for slot in stretch.first as usize..(stretch.first + stretch.length) as usize {
                    steady[slot - span.slots.start] = inside[slot] && self.is_steady(slot, &stretch.offsets);
                }
            });
        });
        self.steady = steady;
    }

    /// The lines, with a pair of cells as one unknown.
    fn pairs(&self) -> Lines {
        let pair_of = |line: &Line| Line { from: line.from / 2, length: Self::slots_of(line), ..*line };
        let mut pairs = Lines::default();
        pairs.rebuild(self.lines.frame, |pairs| pairs.extend(self.lines.lines.iter().map(pair_of)));
        pairs
    }

    /// Finds out whether both cells of each slot are inner ones; marks bounded cells.
    fn classify(&mut self, operator: &PressureOperator<D>, lower: &[f64], is_inside: &mut Vec<bool>) {
        refill(is_inside, self.slots, false);
        let (slots, end) = (self.slots, self.end);
        let mut bounded = std::mem::take(&mut self.bounded);
        let (red, black) = bounded.split_at_mut(slots);
        let lanes = (&mut red[1..end], &mut black[1..end], &mut is_inside[1..end]);
        self.chunks.for_each(lanes, |lines, place, (red, black, is_inside)| {
            let mut bounded = Part { red, black, place, slots };
            let first = operator.lines.own().get(lines.start).map_or(0, |line| operator.stretch_of(line.base));
            let mut stretches = operator.stretches[first..].iter();
            for index in lines {
                let (line, rows) = (&self.lines.lines[index], &operator.lines.lines[index]);
                let (mut row, end) = (rows.base, rows.base + rows.length);
                let mut inner = 0; // of the two cells of a slot
                while row < end {
                    let Some(stretch) = stretches.next() else { break };
                    for row in stretch.first..stretch.first + stretch.length {
                        let at = rows.from + row - rows.base;
                        let is_wall = lower[row as usize] > f64::NEG_INFINITY;
                        if is_wall {
                            *bounded.at(self.cell_at(line, at)) = true;
                        }
                        let is_inner = (stretch.coefficients == INSIDE && !is_wall) as u8;
                        inner = if at % 2 == 0 { is_inner } else { inner + is_inner };
                        if at % 2 == 1 {
                            is_inside[Self::slot_of(line, at / 2) as usize - place] = inner == 2;
                        }
                    }
                    row += stretch.length;
                }
            }
        });
        self.bounded = bounded;
    }

    /// Appends both cells of a slot.
    fn push_cut(&self, operator: &PressureOperator<D>, stretch: &Stretch<D>, slot: u32, found: &mut Found<D>) {
        let line = &self.lines.lines[stretch.line];
        let rows = &operator.lines.lines[stretch.line];
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
                cut.inverse = 1.0 / cut.diagonal;
                for axis in 0..D {
                    for side in 0..2 {
                        let is_pair = axis == 0 && (side == 1) != second;
                        let offset = match axis {
                            0 if is_pair => 0,
                            0 => 2 * side as i32 - 1,
                            _ => stretch.offsets[axis][side],
                        };
                        if stencil.towards[axis][side] != 0.0 {
                            cut.at[axis][side] = slot.wrapping_add_signed(offset);
                            cut.couplings[axis][side] = (scale * stencil.towards[axis][side]) as f32;
                        }
                    }
                }
            }
            found.cuts[colour].push(cut);
        }
    }
}
