//! Pieces into a level: room for coefficients, and the way from a slot to its piece.

use super::level::{INSIDE, LONGEST, Level, Piece};
use crate::parallel::Chunks;

/// Given all pieces in the order of their slots: cuts long ones, lays out the coefficients (all
/// zero) and the indices. A `block` other than `INSIDE` asks for room.
pub(super) fn finish<const D: usize>(level: &mut Level<D>) {
    if level.pieces.iter().any(|piece| piece.length as usize > LONGEST) {
        let parts = level.pieces.iter().flat_map(|piece| {
            (0..piece.length).step_by(LONGEST).map(|start| {
                let length = (piece.length - start).min(LONGEST as u32);
                Piece { first: piece.first + start, length, ..*piece }
            })
        });
        level.pieces = parts.collect();
    }
    let mut room = 0;
    level.piece_of = vec![0; level.slots];
    for (index, piece) in level.pieces.iter_mut().enumerate() {
        level.piece_of[piece.first as usize..piece.end()].fill(index as u32);
        if piece.block != INSIDE {
            piece.block = room as u32;
            room += 2 * Piece::<D>::ARRAYS * piece.length as usize;
        }
    }
    level.coefficients = vec![0.0; room];
    level.chunks = Chunks::new(1, level.pieces.iter().map(|piece| piece.length as usize));
    let columns = level.lines.columns[0] * level.lines.columns[1];
    level.pieces_from = (0..columns)
        .map(|column| match level.lines.lines.get(level.lines.range(column).start) {
            Some(line) => level.pieces.partition_point(|piece| piece.first < line.base) as u32,
            None => level.pieces.len() as u32,
        })
        .chain([level.pieces.len() as u32])
        .collect();
}
