//! The couplings of a coarse level: Galerkin products PᵀAP/2 with piecewise constant P.

use super::level::{Extra, INSIDE, Level, NONE, Piece};
use super::pieces::finish;
use super::plan::plan;

/// What makes constants, whose energy PᵀAP doubles, a good coarse space for smooth functions.
const OVERCORRECTION: f32 = 0.5;

/// Finds the neighbours of every coarse cell, groups slots into pieces and computes all couplings.
pub(super) fn couple<const D: usize>(fine: &Level<D>, coarse: &mut Level<D>) {
    plan(fine, coarse);
    finish(coarse);
    let mut family = Vec::new();
    for piece in 0..coarse.pieces.len() {
        let Piece { first, length, block, .. } = coarse.pieces[piece];
        if block == INSIDE {
            continue;
        }
        for slot in first as usize..(first + length) as usize {
            for cell in [slot, slot + coarse.slots] {
                recompute(fine, coarse, cell, &mut family);
            }
        }
    }
}

/// Computes the couplings of a coarse cell anew from those of its free children.
pub(super) fn recompute<const D: usize>(fine: &Level<D>, coarse: &mut Level<D>, cell: usize, family: &mut Vec<u32>) {
    let (colour, slot) = coarse.split(cell);
    let piece = *coarse.piece_at(slot);
    let place = slot - piece.first as usize;
    for array in 0..Piece::<D>::ARRAYS {
        coarse.coefficients[piece.array(colour, array) + place] = 0.0;
    }
    let mut extras = Vec::new();
    if piece.tangle != NONE {
        extras = std::mem::take(&mut coarse.tangles[piece.tangle as usize][colour]);
        extras.iter_mut().for_each(|extra| extra.coupling = 0.0);
    }
    let other = if colour == 0 { coarse.slots } else { 0 };
    let (mut diagonal, mut weight) = (0.0, 0.0);
    coarse.children_of(fine, cell, family);
    let coefficients = &mut coarse.coefficients;
    for child in family.iter().map(|&child| child as usize).filter(|&child| fine.is_free(child)) {
        weight += fine.diagonal(child);
        diagonal += fine.excess(child);
        fine.couplings(child, |coupling| {
            let parent = fine.parents[coupling.cell] as usize;
            if !fine.is_free(coupling.cell) {
                diagonal += coupling.value;
            } else if parent != cell {
                diagonal += coupling.value;
                let value = OVERCORRECTION * coupling.value;
                let array = piece.array_of(colour, coupling.axis, coupling.side);
                let offset = match array {
                    2 => 0,
                    3 => piece.across(colour),
                    _ => piece.offsets[coupling.axis][coupling.side] as isize,
                };
                if parent == other + slot.wrapping_add_signed(offset) {
                    coefficients[piece.array(colour, array) + place] += value;
                } else if let Some(extra) = extras.iter_mut().find(|extra| extra.leads_to(&coupling, parent - other)) {
                    extra.coupling += value;
                }
            }
        });
    }
    diagonal *= OVERCORRECTION;
    let is_free = diagonal > 1e-6 * weight;
    coefficients[piece.array(colour, 0) + place] = diagonal;
    coefficients[piece.array(colour, 1) + place] = if is_free { 1.0 / diagonal } else { 0.0 };
    if piece.tangle != NONE {
        coarse.tangles[piece.tangle as usize][colour] = extras;
    }
}

impl Extra {
    fn leads_to(&self, coupling: &super::level::Coupling, slot: usize) -> bool {
        (self.axis as usize, self.side as usize, self.slot as usize) == (coupling.axis, coupling.side, slot)
    }
}
