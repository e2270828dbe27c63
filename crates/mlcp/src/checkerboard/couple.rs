//! The couplings of a coarse level: Galerkin products PᵀAP/2 with piecewise constant P, and how they follow a new active
//! set.

use super::cells::Coupling;
use super::cycle::Hierarchy;
use super::level::{Cut, Extra, LANES, Level, NONE, Piece, refill};
use crate::pressure::lines::Line;

/// PᵀAP doubles the energy of smooth functions, because P is piecewise constant. This factor makes up for it.
const OVERCORRECTION: f32 = 0.5;

/// Differences up to this, relative to the diagonal, count as zero.
const ROUNDING: f32 = 4e-6;

/// Couplings of some lines of a coarse level.
struct Found<const D: usize> {
    pieces: Vec<Piece<D>>,
    cuts: [Vec<Cut<D>>; 2],
    extras: [Vec<Extra>; 2],
}

/// Finds the neighbours of every coarse cell and computes all couplings. Nothing may be pinned.
pub(super) fn couple<const D: usize>(fine: &Level<D>, coarse: &mut Level<D>) {
    let found = coarse.chunks.map(1..coarse.slots - 1, |lines, _, _| {
        let mut found = Found { pieces: Vec::new(), cuts: [vec![], vec![]], extras: [vec![], vec![]] };
        let mut family = Vec::new();
        coarse.lines.lines[lines].iter().for_each(|line| found.couple_line(fine, coarse, line, &mut family));
        found
    });
    for found in found {
        coarse.pieces.extend(found.pieces);
        for colour in 0..2 {
            coarse.cuts[colour].extend_from_slice(&found.cuts[colour]);
            coarse.extras[colour].extend_from_slice(&found.extras[colour]);
        }
    }
    coarse.index();
    settle(coarse);
}

impl<const D: usize> Found<D> {
    fn couple_line(&mut self, fine: &Level<D>, coarse: &Level<D>, line: &Line, family: &mut Vec<u32>) {
        let is_odd = coarse.is_odd(line.column);
        let mut slot = line.base;
        while slot < line.base + Level::<D>::slots_of(line) {
            let cells = [0, 1].map(|colour| couple_cell(fine, coarse, line, slot, colour, family));
            let is_inside = is_full::<D>(line, slot) && cells.iter().all(|cell| is_inner(coarse, slot, cell));
            if let Some(offsets) = is_inside.then(|| offsets(slot, &cells)).flatten() {
                let length = inner_length(coarse, line, slot, &offsets);
                if length as usize >= LANES {
                    self.pieces.extend(Piece { first: slot, length, offsets, is_odd }.parts());
                    slot += length;
                    continue;
                }
            }
            for (colour, (cut, extras)) in cells.into_iter().enumerate() {
                self.cuts[colour].push(cut);
                self.extras[colour].extend(extras);
            }
            slot += 1;
        }
    }
}

/// Couplings of one cell, from its children, and those that do not fit its faces.
fn couple_cell<const D: usize>(
    fine: &Level<D>,
    coarse: &Level<D>,
    line: &Line,
    slot: u32,
    colour: usize,
    family: &mut Vec<u32>,
) -> (Cut<D>, Vec<Extra>) {
    let mut cut = Cut::alone(slot);
    let mut extras: Vec<Extra> = Vec::new();
    let place = place_of(coarse, line, slot, colour);
    if place < line.from || place >= line.end() {
        return (cut, extras);
    }
    coarse.children_of(fine, line, place, family);
    let own = slot as usize + colour * coarse.slots;
    let other = (1 - colour) * coarse.slots;
    accumulate(fine, own, family, false, &mut cut, |cut, coupling, parent| {
        let (neighbour, axis, side) = ((parent - other) as u32, coupling.axis, coupling.side);
        let value = OVERCORRECTION * coupling.value;
        if cut.couplings[axis][side] == 0.0 {
            cut.at[axis][side] = neighbour;
        }
        if cut.at[axis][side] == neighbour {
            cut.couplings[axis][side] += value;
        } else {
            let (axis, side) = (axis as u8, side as u8);
            let known = extras.iter_mut().find(|extra| (extra.axis, extra.side, extra.slot) == (axis, side, neighbour));
            match known {
                Some(extra) => extra.coupling += value,
                None => extras.push(Extra { own: slot, slot: neighbour, coupling: value, axis, side }),
            }
        }
    });
    (cut, extras)
}

/// Computes the couplings of a coarse cell anew from those of its free children.
fn recompute<const D: usize>(fine: &Level<D>, coarse: &mut Level<D>, cell: usize, family: &mut Vec<u32>) {
    let (colour, slot) = coarse.split(cell);
    let Some(index) = coarse.cut_index(slot) else { return };
    let line = coarse.line_of(slot);
    coarse.children_of(fine, line, place_of(coarse, line, slot as u32, colour), family);
    let own_extras = coarse.extras_of(colour, slot);
    let other = (1 - colour) * coarse.slots;
    let mut cut = coarse.cuts[colour][index];
    cut.couplings = [[0.0; 2]; D];
    let extras = &mut coarse.extras[colour][own_extras];
    extras.iter_mut().for_each(|extra| extra.coupling = 0.0);
    accumulate(fine, cell, family, true, &mut cut, |cut, coupling, parent| {
        let value = OVERCORRECTION * coupling.value;
        let neighbour = (parent - other) as u32;
        if cut.at[coupling.axis][coupling.side] == neighbour {
            cut.couplings[coupling.axis][coupling.side] += value;
        } else {
            let (axis, side) = (coupling.axis as u8, coupling.side as u8);
            let known = extras.iter_mut().find(|extra| (extra.axis, extra.side, extra.slot) == (axis, side, neighbour));
            if let Some(extra) = known {
                extra.coupling += value;
            }
        }
    });
    coarse.cuts[colour][index] = cut;
}

/// Where a cell is in its line.
fn place_of<const D: usize>(coarse: &Level<D>, line: &Line, slot: u32, colour: usize) -> u32 {
    let is_second = coarse.is_odd(line.column) != (colour == 1);
    2 * (slot - line.base + line.from / 2) + is_second as u32
}

/// Sums the rows of the free children of a coarse cell: the diagonal and its inverse are set, every
/// coupling that leads out of the cell is handed to `outwards` with the cell it leads to.
fn accumulate<const D: usize>(
    fine: &Level<D>,
    cell: usize,
    family: &[u32],
    is_anything_pinned: bool,
    cut: &mut Cut<D>,
    mut outwards: impl FnMut(&mut Cut<D>, &Coupling, usize),
) {
    let (mut diagonal, mut weight) = (0.0, 0.0);
    for child in family.iter().map(|&child| child as usize).filter(|&child| fine.is_free(child)) {
        let own = fine.diagonal(child);
        // The excess of the diagonal: air, and walls pinned on a finer level.
        let mut excess = own;
        fine.couplings(child, |coupling| {
            excess -= coupling.value;
            let parent = fine.parents[coupling.cell] as usize;
            if is_anything_pinned && !fine.is_free(coupling.cell) {
                diagonal += coupling.value;
            } else if parent != cell {
                diagonal += coupling.value;
                outwards(cut, &coupling, parent);
            }
        });
        weight += own;
        diagonal += if excess.abs() < ROUNDING * own { 0.0 } else { excess };
    }
    cut.diagonal = OVERCORRECTION * diagonal;
    cut.inverse = if cut.diagonal > 1e-6 * weight { 1.0 / cut.diagonal } else { 0.0 };
}

/// Whether a slot holds two cells.
fn is_full<const D: usize>(line: &Line, slot: u32) -> bool {
    let end = line.base + Level::<D>::slots_of(line);
    (line.base + line.from % 2..end - line.end() % 2).contains(&slot)
}

/// Whether both cells of a slot are made of steady ones.
fn is_steady<const D: usize>(coarse: &Level<D>, slot: u32) -> bool {
    let slot = slot as usize;
    coarse.families[slot] == NONE && coarse.families[slot + coarse.slots] == NONE
}

/// Whether a cell made of steady ones has one neighbour on each side.
fn is_inner<const D: usize>(coarse: &Level<D>, slot: u32, (cut, extras): &(Cut<D>, Vec<Extra>)) -> bool {
    is_steady(coarse, slot) && extras.is_empty() && cut.couplings.iter().flatten().all(|&value| value == coarse.unit)
}

/// Offsets that serve both cells of a slot, if the neighbours along the first axis are in its line.
fn offsets<const D: usize>(slot: u32, cells: &[(Cut<D>, Vec<Extra>); 2]) -> Option<[[i32; 2]; D]> {
    let [(red, _), (black, _)] = cells;
    let in_line = |cut: &Cut<D>| {
        cut.at[0].contains(&slot) && (cut.at[0].contains(&(slot + 1)) || cut.at[0].contains(&(slot - 1)))
    };
    let offsets = std::array::from_fn(|axis| match axis {
        0 => [0; 2],
        _ => red.at[axis].map(|at| at as i32 - slot as i32),
    });
    (in_line(red) && in_line(black) && red.at[1..] == black.at[1..]).then_some(offsets)
}

/// How far the neighbours of an inner slot stay side by side: where all blocks consist of steady
/// cells there is one coarse cell each, in the same line as before.
fn inner_length<const D: usize>(coarse: &Level<D>, line: &Line, slot: u32, offsets: &[[i32; 2]; D]) -> u32 {
    let beside: Vec<(i32, &Line)> = offsets[1..]
        .iter()
        .flatten()
        .map(|&offset| (offset, coarse.line_of(slot.wrapping_add_signed(offset) as usize)))
        .collect();
    let goes_on = |slot: u32| {
        is_full::<D>(line, slot)
            && is_full::<D>(line, slot + 1) // its last cell has a neighbour in the next slot
            && is_steady(coarse, slot)
            && is_steady(coarse, slot + 1)
            && beside.iter().all(|&(offset, line)| {
                let slot = slot.wrapping_add_signed(offset);
                is_full::<D>(line, slot) && is_steady(coarse, slot)
            })
    };
    let more = (slot + 1..).take_while(|&slot| goes_on(slot)).count();
    1 + more as u32
}

/// Marks the slots of inner cells none of whose neighbours may be pinned.
fn settle<const D: usize>(coarse: &mut Level<D>) {
    refill(&mut coarse.steady, coarse.slots, false);
    let pieces = std::mem::take(&mut coarse.pieces);
    let cuts = std::mem::take(&mut coarse.cuts);
    let extras = std::mem::take(&mut coarse.extras);
    for piece in &pieces {
        coarse.steady[piece.first as usize..piece.end()].fill(true);
    }
    for piece in &pieces {
        for slot in piece.first as usize..piece.end() {
            let beside = piece.offsets.iter().flatten();
            coarse.unsettle(slot, beside.map(|&offset| slot.wrapping_add_signed(offset as isize)));
        }
    }
    for cut in cuts.iter().flatten() {
        coarse.unsettle(cut.slot as usize, cut.at.iter().flatten().map(|&slot| slot as usize));
    }
    for extra in extras.iter().flatten() {
        coarse.unsettle(extra.own as usize, [extra.slot as usize].into_iter());
    }
    (coarse.pieces, coarse.cuts, coarse.extras) = (pieces, cuts, extras);
}

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
