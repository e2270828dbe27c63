//! The couplings of a coarse level: Galerkin products PᵀAP/2 with piecewise constant P, and how they follow a new active
//! set.

use rayon::slice::ParallelSliceMut;
use unstick_parallel::{self as parallel, concatenate};

use super::cells::Coupling;
use super::cycle::Hierarchy;
use super::level::{Cut, Extra, LANES, Level, NONE, Piece};
use crate::pressure::lines::Line;

/// PᵀAP doubles the energy of smooth functions, because P is piecewise constant. This factor makes up for it.
const OVERCORRECTION: f32 = 0.5;

/// Differences up to this, relative to the diagonal, count as zero.
const ROUNDING: f32 = 4e-6;

/// Couplings of some lines of a level.
#[derive(Default)]
pub(super) struct Found<const D: usize> {
    pub pieces: Vec<Piece<D>>,
    pub cuts: [Vec<Cut<D>>; 2],
    pub extras: [Vec<Extra>; 2],
}

impl<const D: usize> Level<D> {
    /// Takes the couplings of all lines, in their order.
    pub(super) fn take(&mut self, found: Vec<Found<D>>) {
        let (mut pieces, mut cuts, mut extras) = (Vec::new(), [const { Vec::new() }; 2], [const { Vec::new() }; 2]);
        for part in found {
            pieces.push(part.pieces);
            cuts.iter_mut().zip(part.cuts).for_each(|(all, part)| all.push(part));
            extras.iter_mut().zip(part.extras).for_each(|(all, part)| all.push(part));
        }
        concatenate(&pieces, &mut self.pieces);
        for colour in 0..2 {
            concatenate(&cuts[colour], &mut self.cuts[colour]);
            concatenate(&extras[colour], &mut self.extras[colour]);
            // Ghosts have no row here. They are free until their rank pins them.
            let ghost = |slot| Cut { diagonal: 1.0, inverse: 1.0, ..Cut::alone(slot as u32) };
            self.cuts[colour].extend((self.end..self.slots - 1).map(ghost));
        }
        self.index();
    }
}

/// Finds the neighbours of every coarse cell and computes all couplings. Nothing may be pinned.
pub(super) fn couple<const D: usize>(fine: &Level<D>, coarse: &mut Level<D>) {
    let found = coarse.chunks.map(1..coarse.end, |lines, _, _| {
        let mut found = Found::default();
        let mut family = Vec::new();
        coarse.lines.lines[lines].iter().for_each(|line| found.couple_line(fine, coarse, line, &mut family));
        found
    });
    coarse.take(found);
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
    let place = coarse.place_in(line, slot, colour);
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

/// Computes the couplings of some coarse cells, which ascend, anew from those of their free children.
fn recompute<const D: usize>(fine: &Level<D>, coarse: &mut Level<D>, cells: &[u32]) {
    let mut cuts = std::mem::take(&mut coarse.cuts);
    let mut extras = std::mem::take(&mut coarse.extras);
    let (red, black) = cells.split_at(cells.partition_point(|&cell| (cell as usize) < coarse.slots));
    for (colour, cells) in [red, black].into_iter().enumerate() {
        // Nothing changes in cells that are made of steady ones.
        let cells = parallel::list_scattered(cells, |cells| {
            cells.iter().copied().filter(|&cell| coarse.families[cell as usize] != NONE).collect()
        });
        let places = coarse.cut_places(&cells, colour);
        parallel::for_each_at(&places, 0, &mut cuts[colour], |number, cut| {
            recompute_cut(fine, coarse, cells[number] as usize, cut);
        });
        let cell_of = |extra: &Extra| extra.own + (colour * coarse.slots) as u32;
        let places = parallel::list_scattered(0..extras[colour].len(), |places| {
            let is_affected = |&place: &usize| cells.binary_search(&cell_of(&extras[colour][place])).is_ok();
            places.filter(is_affected).map(|place| place as u32).collect()
        });
        parallel::for_each_at(&places, 0, &mut extras[colour], |_, extra| {
            recompute_extra(fine, coarse, cell_of(extra) as usize, extra);
        });
    }
    (coarse.cuts, coarse.extras) = (cuts, extras);
}

fn recompute_cut<const D: usize>(fine: &Level<D>, coarse: &Level<D>, cell: usize, cut: &mut Cut<D>) {
    let (colour, _) = coarse.split(cell);
    let other = (1 - colour) * coarse.slots;
    cut.couplings = [[0.0; 2]; D];
    accumulate(fine, cell, coarse.listed_children(cell), true, cut, |cut, coupling, parent| {
        if cut.at[coupling.axis][coupling.side] as usize == parent - other {
            cut.couplings[coupling.axis][coupling.side] += OVERCORRECTION * coupling.value;
        }
    });
}

fn recompute_extra<const D: usize>(fine: &Level<D>, coarse: &Level<D>, cell: usize, extra: &mut Extra) {
    let (colour, slot) = coarse.split(cell);
    let other = (1 - colour) * coarse.slots;
    extra.coupling = 0.0;
    let mut beside = Cut::alone(slot as u32); // has been computed already
    accumulate(fine, cell, coarse.listed_children(cell), true, &mut beside, |_, coupling, parent| {
        let found = (coupling.axis as u8, coupling.side as u8, (parent - other) as u32);
        if found == (extra.axis, extra.side, extra.slot) {
            extra.coupling += OVERCORRECTION * coupling.value;
        }
    });
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
pub(super) fn settle<const D: usize>(coarse: &mut Level<D>) {
    let mut steady = std::mem::take(&mut coarse.steady);
    parallel::refill(&mut steady, coarse.slots, false);
    coarse.over_spans(&mut steady, |span, steady| {
        for piece in coarse.pieces_in(&span) {
            for slot in piece.first as usize..piece.end() {
                steady[slot - span.slots.start] = coarse.is_steady(slot, &piece.offsets);
            }
        }
    });
    coarse.steady = steady;
}

impl<const D: usize> Hierarchy<D> {
    /// Pins cells of a level (true) or frees them (false) and updates all coarser levels around
    /// them. Only cells that may be pinned are accepted, in ascending order.
    pub fn pin(&mut self, level: usize, changes: &[(u32, bool)]) {
        if changes.is_empty() && self.gathered.is_none() {
            return;
        }
        self.levels[level].mark(changes);
        // A row counts in the couplings of its own parent and in those of its neighbours' parents.
        let mut affected = Vec::new();
        let fine = &self.levels[level];
        if level + 1 < self.levels.len() {
            affected = parallel::list_scattered(changes, |changes| {
                let mut parents = Vec::with_capacity(8 * changes.len());
                for &(cell, _) in changes {
                    parents.push(fine.parents[cell as usize]);
                    fine.couplings(cell as usize, |coupling| parents.push(fine.parents[coupling.cell]));
                    fine.cells_beside_ghost(cell as usize, |beside| parents.push(fine.parents[beside]));
                }
                parents.sort_unstable();
                parents.dedup();
                parents
            });
        }
        self.follow(level + 1, affected);
    }

    /// Computes anew cells of a level whose children have changed, and those of all coarser levels.
    pub(super) fn follow(&mut self, level: usize, mut affected: Vec<u32>) {
        for coarse in level..self.levels.len() {
            let [fine, coarse] = &mut self.levels[coarse - 1..=coarse] else { unreachable!("two levels") };
            affected.par_sort_unstable();
            affected = parallel::list(0..affected.len(), |places| {
                let distinct = places.filter(|&place| place == 0 || affected[place - 1] != affected[place]);
                // Other ranks see to their own.
                distinct.map(|place| affected[place]).filter(|&cell| coarse.is_own(cell as usize)).collect()
            });
            recompute(fine, coarse, &affected);
            if !coarse.parents.is_empty() {
                affected = parallel::list(affected.as_slice(), |cells| {
                    let mut parents: Vec<_> = cells.iter().map(|&cell| coarse.parents[cell as usize]).collect();
                    parents.dedup();
                    parents
                });
            }
        }
        self.settle_coarsest(&affected);
    }
}

impl<const D: usize> Level<D> {
    /// Notes which cells are pinned.
    fn mark(&mut self, changes: &[(u32, bool)]) {
        let slots = self.slots;
        let (red, black) = changes.split_at(changes.partition_point(|change| (change.0 as usize) < slots));
        for (colour, changes) in [red, black].into_iter().enumerate() {
            let cells: Vec<u32> = changes.iter().map(|change| change.0).collect();
            let places = self.cut_places(&cells, colour);
            parallel::for_each_at(&places, 0, &mut self.cuts[colour], |number, cut| {
                cut.inverse = if changes[number].1 { 0.0 } else { 1.0 / cut.diagonal };
            });
        }
    }

    /// Where cells of a colour are among its cut ones.
    fn cut_places(&self, cells: &[u32], colour: usize) -> Vec<u32> {
        parallel::list_scattered(cells, |cells| {
            cells.iter().map(|&cell| self.place_of[cell as usize - colour * self.slots]).collect()
        })
    }
}
