//! Particles add to a lattice on every thread, in an order that does not depend on the number of threads.
//!
//! The lattice is cut into slabs of layers along the last axis. Particles of a slab reach at most
//! one layer beyond it. All even slabs run at once, then all odd ones. No two slabs that run at once write to the same
//! place, and every place receives its terms in the same order.

use rayon::prelude::*;
use unstick_grid::Grid;

/// Layers of cells in a slab. Half a slab must cover the reach of a particle.
const SLAB: usize = 4;

/// Calls `add(particle, base, piece)` for every particle; `piece` is a part of `values`, a lattice of
/// `shape`, that starts at place `base` and holds all that the particle may reach.
pub(crate) fn add<T: Send, const D: usize>(
    grid: &Grid<D>,
    starts: &[u32],
    shape: [usize; D],
    values: &mut [T],
    add: impl Fn(usize, usize, &mut [T]) + Sync,
) {
    let layer: usize = shape[..D - 1].iter().product();
    let cell_layer: usize = grid.cells()[..D - 1].iter().product();
    let layers = grid.cells()[D - 1];
    for odd in [0, 1] {
        // Piece k starts half a slab before slab 2k + odd; the first of the even ones at the border.
        let start_of = |piece: usize| ((2 * piece + odd) * SLAB).saturating_sub(SLAB / 2).min(shape[D - 1]);
        let count = layers.div_ceil(SLAB).saturating_sub(odd).div_ceil(2);
        let mut pieces = Vec::with_capacity(count);
        let mut rest = &mut values[start_of(0) * layer..];
        for piece in 0..count {
            let length = (start_of(piece + 1) - start_of(piece)) * layer;
            let (own, after) = std::mem::take(&mut rest).split_at_mut(length);
            pieces.push((piece, own));
            rest = after;
        }
        pieces.into_par_iter().for_each(|(piece, own)| {
            let first = ((2 * piece + odd) * SLAB).min(layers);
            let last = (first + SLAB).min(layers);
            for particle in starts[first * cell_layer] as usize..starts[last * cell_layer] as usize {
                add(particle, start_of(piece) * layer, own);
            }
        });
    }
}
