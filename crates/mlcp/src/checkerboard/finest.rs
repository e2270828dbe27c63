//! The finest level, from the pressure matrix.

use super::level::{INSIDE, Level, NONE, Piece};
use super::pieces::finish;
use crate::pressure::lines::{Line, Lines};
use crate::pressure::{PressureOperator, Stencil};

impl<const D: usize> Level<D> {
    /// Lays the rows of a matrix out, scaled to inner couplings of 1; those with a finite bound may be
    /// pinned later.
    pub fn finest(operator: &PressureOperator<D>, lower: &[f64]) -> Self {
        let rows = operator.lines();
        let mut slots = 1;
        let lines: Vec<Line> = rows
            .lines
            .iter()
            .map(|line| {
                let line = Line { base: slots, ..*line };
                slots += Self::slots_of(&line);
                line
            })
            .collect();
        let slots = slots as usize + 1;
        let mut level = Self::empty(operator.shape(), Lines::new(rows.columns, lines), slots, 1.0);
        let stretches = level.stretches();
        let is_inside = classify(&mut level, operator, lower, &stretches);
        for &(first, length, offsets, column) in &stretches {
            let is_odd = level.is_odd(column);
            let mut place = first;
            for group in is_inside[first as usize..(first + length) as usize].chunk_by(|a, b| a == b) {
                let (first, length) = (place, group.len() as u32);
                place += length;
                let block = if group[0] { INSIDE } else { 0 };
                level.pieces.push(Piece { first, length, offsets, block, tangle: NONE, is_odd });
            }
        }
        finish(&mut level);
        fill(&mut level, operator);
        level
    }

    pub(super) fn empty(shape: [usize; 3], lines: Lines, slots: usize, unit: f32) -> Self {
        Self {
            shape,
            lines,
            slots,
            unit,
            pieces: Vec::new(),
            piece_of: Vec::new(),
            pieces_from: Vec::new(),
            chunks: Default::default(),
            coefficients: Vec::new(),
            tangles: Vec::new(),
            parents: Vec::new(),
            families: Vec::new(),
            children: Vec::new(),
            steady: Vec::new(),
            bounded: Vec::new(),
        }
    }

    /// (first slot, length, offsets, column) of all stretches of pairs.
    fn stretches(&self) -> Vec<(u32, u32, [[i32; 2]; D], u32)> {
        let pair_of = |line: &Line| Line { from: line.from / 2, length: Self::slots_of(line), ..*line };
        let pairs = Lines::new(self.lines.columns, self.lines.lines.iter().map(pair_of).collect());
        let mut stretches = Vec::new();
        for line in &pairs.lines {
            pairs.stretches::<D>(line, self.slots, |from, until, offsets| {
                stretches.push((line.base + from - line.from, until - from, offsets, line.column));
            });
        }
        stretches
    }
}

type StretchList<const D: usize> = [(u32, u32, [[i32; 2]; D], u32)];

/// Whether both cells of each slot are inner ones; marks bounded cells and steady slots.
fn classify<const D: usize>(
    level: &mut Level<D>,
    operator: &PressureOperator<D>,
    lower: &[f64],
    stretches: &StretchList<D>,
) -> Vec<bool> {
    let mut inner = vec![0u8; level.slots];
    level.bounded = vec![false; 2 * level.slots];
    let mut rest = operator.stretches().iter();
    for (line, rows) in level.lines.lines.iter().zip(&operator.lines().lines) {
        let mut row = rows.base;
        let is_odd = level.is_odd(line.column);
        while row < rows.base + rows.length {
            let Some(stretch) = rest.next() else { break };
            for row in stretch.first..stretch.first + stretch.length {
                let place = rows.from + row - rows.base;
                let slot = Level::<D>::slot_of(line, place / 2) as usize;
                let is_wall = lower[row as usize] > f64::NEG_INFINITY;
                if is_wall {
                    level.bounded[slot + if (place % 2 == 1) != is_odd { level.slots } else { 0 }] = true;
                }
                inner[slot] += (stretch.coefficients == crate::pressure::INSIDE && !is_wall) as u8;
            }
            row += stretch.length;
        }
    }
    let mut is_inside: Vec<bool> = inner.into_iter().map(|count| count == 2).collect();
    level.steady = is_inside.clone();
    for &(first, length, offsets, _) in stretches {
        let slots = first as usize..(first + length) as usize;
        for slot in slots.clone() {
            if !level.has_bounded(slot) {
                continue;
            }
            level.steady[slot - 1] = false;
            level.steady[slot + 1] = false;
            let beside = offsets.iter().flatten().map(|&offset| slot.wrapping_add_signed(offset as isize));
            beside.for_each(|slot| level.steady[slot] = false);
        }
        // A short inner stretch is cheaper as part of the pieces beside it.
        for group in is_inside[slots].chunk_by_mut(|a, b| a == b) {
            if group.len() < SHORTEST {
                group.fill(false);
            }
        }
    }
    is_inside
}

/// Slots below which an inner stretch is not worth a piece of its own.
const SHORTEST: usize = 8;

/// Writes the coefficients of all cut pieces.
fn fill<const D: usize>(level: &mut Level<D>, operator: &PressureOperator<D>) {
    let mut coefficients = std::mem::take(&mut level.coefficients);
    let stretches = operator.stretches();
    let mut next = 0;
    for (line, rows) in level.lines.lines.iter().zip(&operator.lines().lines) {
        let first = line.base as usize;
        let mut slot = first;
        while slot < first + Level::<D>::slots_of(line) as usize {
            let piece = level.piece_at(slot);
            slot = piece.end();
            if piece.block == INSIDE {
                continue;
            }
            for slot in piece.first..piece.first + piece.length {
                let pair = slot - line.base + line.from / 2;
                for second in [false, true] {
                    let place = 2 * pair + second as u32;
                    if place < line.from || place >= line.end() {
                        continue;
                    }
                    let row = rows.base + place - rows.from;
                    while stretches[next].first + stretches[next].length <= row {
                        next += 1;
                    }
                    let stencil = operator.stencil(&stretches[next], row);
                    let colour = (second != piece.is_odd) as usize;
                    write(
                        &mut coefficients,
                        piece,
                        colour,
                        (slot - piece.first) as usize,
                        &stencil,
                        1.0 / operator.unit(),
                    );
                }
            }
        }
    }
    level.coefficients = coefficients;
}

fn write<const D: usize>(
    coefficients: &mut [f32],
    piece: &Piece<D>,
    colour: usize,
    place: usize,
    stencil: &Stencil<D>,
    scale: f64,
) {
    let diagonal = scale * stencil.diagonal;
    coefficients[piece.array(colour, 0) + place] = diagonal as f32;
    coefficients[piece.array(colour, 1) + place] = (1.0 / diagonal) as f32;
    for axis in 0..D {
        for side in 0..2 {
            let array = piece.array_of(colour, axis, side);
            coefficients[piece.array(colour, array) + place] = (scale * stencil.towards[axis][side]) as f32;
        }
    }
}
