//! Where the neighbours of coarse cells are stored, and the pieces that follow from it.

use std::ops::Range;

use super::level::{Extra, INSIDE, Level, NONE, Piece};
use crate::pressure::lines::Line;

/// The neighbour slots across one face.
#[derive(Clone)]
struct Side {
    offset: i32,
    /// Slots of the neighbouring line that hold two cells.
    full: Range<u32>,
}

/// What is known of a slot before its piece is.
struct Plan<const D: usize> {
    sides: [[Option<Side>; 2]; D],
    extras: [Vec<Extra>; 2],
    is_inside: bool,
}

/// Groups the slots of a coarse level into pieces.
pub(super) fn plan<const D: usize>(fine: &Level<D>, coarse: &mut Level<D>) {
    let mut pieces: Vec<Piece<D>> = Vec::new();
    let mut tangles = Vec::new();
    let mut family = Vec::new();
    for line in &coarse.lines.lines {
        let is_odd = coarse.is_odd(line.column);
        let mut sides: [[Option<Side>; 2]; D] = std::array::from_fn(|_| [None, None]);
        let begin = pieces.len();
        for slot in line.base..line.base + Level::<D>::slots_of(line) {
            let last = pieces[begin..].last_mut();
            if let Some(piece) = last.filter(|piece| piece.block == INSIDE)
                && goes_on(coarse, line, slot, &sides)
            {
                piece.length += 1;
                continue;
            }
            let plan = plan_slot(fine, coarse, line, slot, &mut family);
            let is_tangled = plan.extras.iter().any(|extras| !extras.is_empty());
            if let Some(piece) = pieces[begin..].last_mut()
                && !is_tangled
                && piece.tangle == NONE
                && (piece.block == INSIDE) == plan.is_inside
                && let Some(merged) = merge(&sides, &plan.sides, piece.first..slot + 1, coarse.slots as u32)
            {
                sides = merged;
                piece.length += 1;
                piece.offsets = offsets_of(&sides);
                continue;
            }
            let mut tangle = NONE;
            if is_tangled {
                tangle = tangles.len() as u32;
                tangles.push(plan.extras);
            }
            let block = if plan.is_inside { INSIDE } else { 0 };
            pieces.push(Piece { first: slot, length: 1, offsets: offsets_of(&plan.sides), block, tangle, is_odd });
            sides = plan.sides;
        }
    }
    coarse.tangles = tangles;
    coarse.steady = steady_slots(coarse, &pieces);
    coarse.pieces = pieces;
}

/// Whether the slots of a line that hold two cells include this one.
fn full_slots<const D: usize>(line: &Line) -> Range<u32> {
    let end = line.base + Level::<D>::slots_of(line);
    line.base + line.from % 2..end - line.end() % 2
}

/// Whether an inner slot and all its neighbours follow the ones before them: where all blocks
/// consist of steady cells there is one coarse cell each, in the same line as before.
fn goes_on<const D: usize>(coarse: &Level<D>, line: &Line, slot: u32, sides: &[[Option<Side>; 2]; D]) -> bool {
    let is_steady = |slot: u32| {
        let slot = slot as usize;
        coarse.families[slot] == NONE && coarse.families[slot + coarse.slots] == NONE
    };
    let full = full_slots::<D>(line);
    full.contains(&slot)
        && is_steady(slot)
        && full.contains(&(slot + 1)) // its last cell has a neighbour in the next slot
        && is_steady(slot + 1)
        && sides[1..].iter().flatten().all(|side| {
            side.as_ref().is_some_and(|side| {
                let slot = slot.wrapping_add_signed(side.offset);
                side.full.contains(&slot) && is_steady(slot)
            })
        })
}

/// Looks the neighbours of both cells of a slot up.
fn plan_slot<const D: usize>(
    fine: &Level<D>,
    coarse: &Level<D>,
    line: &Line,
    slot: u32,
    family: &mut Vec<u32>,
) -> Plan<D> {
    let mut plan = Plan { sides: std::array::from_fn(|_| [None, None]), extras: [vec![], vec![]], is_inside: true };
    let full = full_slots::<D>(line);
    let mut faces = 0;
    for colour in 0..2 {
        let cell = slot as usize + colour * coarse.slots;
        let other = (1 - colour) * coarse.slots;
        let is_second = coarse.is_odd(line.column) != (colour == 1);
        plan.is_inside &= full.contains(&slot) && coarse.families[cell] == NONE;
        coarse.children_of(fine, cell, family);
        let mut seen: Vec<(usize, usize, usize)> = Vec::with_capacity(2 * D);
        for &child in &*family {
            fine.couplings(child as usize, |coupling| {
                let parent = fine.parents[coupling.cell] as usize;
                let (axis, side) = (coupling.axis, coupling.side);
                if parent == cell || seen.contains(&(axis, side, parent)) {
                    return;
                }
                seen.push((axis, side, parent));
                let neighbour = (parent - other) as u32;
                let expected = if axis == 0 {
                    let in_pair = (side == 1) != is_second;
                    let place = if in_pair { slot } else { slot.wrapping_add_signed(2 * side as i32 - 1) };
                    let slots = line.base..line.base + Level::<D>::slots_of(line);
                    slots.contains(&place).then_some(place)
                } else {
                    let found = plan.sides[axis][side].get_or_insert_with(|| Side {
                        offset: neighbour as i32 - slot as i32,
                        full: full_slots::<D>(coarse.line_of(neighbour as usize)),
                    });
                    Some(slot.wrapping_add_signed(found.offset))
                };
                if expected == Some(neighbour) {
                    faces += 1;
                } else {
                    let (axis, side) = (axis as u8, side as u8);
                    plan.extras[colour].push(Extra { slot: neighbour, coupling: 0.0, axis, side });
                }
            });
        }
    }
    let is_tangled = plan.extras.iter().any(|extras| !extras.is_empty());
    plan.is_inside &= faces == 4 * D && !is_tangled;
    plan
}

fn offsets_of<const D: usize>(sides: &[[Option<Side>; 2]; D]) -> [[i32; 2]; D] {
    std::array::from_fn(|axis| std::array::from_fn(|side| sides[axis][side].as_ref().map_or(0, |found| found.offset)))
}

/// Sides that serve both, if no side contradicts another and no offset leads out of storage.
fn merge<const D: usize>(
    one: &[[Option<Side>; 2]; D],
    other: &[[Option<Side>; 2]; D],
    slots: Range<u32>,
    size: u32,
) -> Option<[[Option<Side>; 2]; D]> {
    let mut merged = one.clone();
    for (one, other) in merged.iter_mut().flatten().zip(other.iter().flatten()) {
        match (&one, other) {
            (Some(one), Some(other)) if one.offset != other.offset => return None,
            (_, Some(other)) => *one = Some(other.clone()),
            _ => {}
        }
        if let Some(side) = one {
            let (first, end) = (slots.start as i64 + side.offset as i64, slots.end as i64 + side.offset as i64);
            if first < 0 || end > size as i64 {
                return None;
            }
        }
    }
    Some(merged)
}

/// Slots of inner cells none of whose neighbours may be pinned.
fn steady_slots<const D: usize>(coarse: &Level<D>, pieces: &[Piece<D>]) -> Vec<bool> {
    let mut steady = vec![false; coarse.slots];
    for piece in pieces.iter().filter(|piece| piece.block == INSIDE) {
        steady[piece.first as usize..piece.end()].fill(true);
    }
    for piece in pieces {
        for slot in (piece.first as usize..piece.end()).filter(|&slot| coarse.has_bounded(slot)) {
            steady[slot - 1] = false;
            steady[slot + 1] = false;
            let beside = piece.offsets.iter().flatten().map(|&offset| slot.wrapping_add_signed(offset as isize));
            beside.for_each(|slot| steady[slot] = false);
            if piece.tangle != NONE {
                let extras = coarse.tangles[piece.tangle as usize].iter().flatten();
                extras.for_each(|extra| steady[extra.slot as usize] = false);
            }
        }
    }
    steady
}
