//! Loops over pieces of unequal length.

use std::ops::Range;

use crate::tree::{self, Cut};
use crate::{Lanes, in_order, simd};

/// Entries of a chunk: a few microseconds of work for kernels that spend much time on each.
const CHUNK: usize = 128;

/// How much of all chunks a thread takes at once.
#[derive(Clone, Copy)]
struct Grain {
    /// Entries that one call of a kernel sees at least, about.
    call: usize,
    /// Below this many entries all stays on one thread.
    worth_sharing: usize,
}

/// Calls for all chunks at most: more would only be handed around.
const CALLS: usize = 128;

/// For kernels that stream through the entries: a call takes a microsecond at least.
const STREAMING: Grain = Grain { call: 2 * CHUNK, worth_sharing: 32 * CHUNK };

/// For kernels that spend much time on each entry.
const COSTLY: Grain = Grain { call: CHUNK, worth_sharing: 4 * CHUNK };

/// Pieces of unequal length (such as lines of a grid), grouped into chunks of about the same length.
///
/// As with blocks, the borders depend on the pieces only, never on threads.
#[derive(Clone, Debug, Default)]
pub struct Chunks {
    /// First piece of every chunk, and the end.
    pieces: Vec<u32>,
    /// Where that piece begins in storage, and the end.
    places: Vec<u32>,
}

impl Chunks {
    /// Groups pieces of the given `lengths`, which are stored one after the other from `first` on.
    pub fn new(first: usize, lengths: impl Iterator<Item = usize>) -> Self {
        let mut chunks = Self::default();
        chunks.rebuild(first, lengths);
        chunks
    }

    /// The same in the memory of these chunks.
    pub fn rebuild(&mut self, first: usize, lengths: impl Iterator<Item = usize>) {
        let Self { pieces, places } = self;
        pieces.clear();
        places.clear();
        pieces.push(0);
        places.push(first as u32);
        let (mut place, mut begin, mut count) = (first, first, 0);
        for length in lengths {
            place += length;
            count += 1;
            if place - begin >= CHUNK {
                pieces.push(count);
                places.push(place as u32);
                begin = place;
            }
        }
        if place > begin || pieces.len() == 1 {
            pieces.push(count);
            places.push(place as u32);
        }
    }

    /// Combines `kernel` over all chunks along a fixed tree. It sees the range of pieces, the place
    /// of the first in storage and the lanes from there on. Lanes span all of storage from `first`
    /// to the end.
    ///
    /// A kernel that is inlined is [vectorised](simd::vectorised()).
    pub fn fold<L: Lanes, S: Send>(
        &self,
        lanes: L,
        kernel: impl Fn(Range<usize>, usize, L) -> S + Sync,
        merge: impl Fn(S, S) -> S + Sync,
    ) -> S {
        self.fold_all(STREAMING, lanes, &kernel, &merge)
    }

    /// Calls `kernel` on every chunk.
    pub fn for_each<L: Lanes>(&self, lanes: L, kernel: impl Fn(Range<usize>, usize, L) + Sync) {
        self.fold(lanes, kernel, |(), ()| ());
    }

    /// The same for kernels that spend much time on each entry.
    pub fn for_each_costly<L: Lanes>(&self, lanes: L, kernel: impl Fn(Range<usize>, usize, L) + Sync) {
        self.fold_all(COSTLY, lanes, &kernel, &|(), ()| ());
    }

    /// What `kernel`, which may spend much time on each entry, gives for every chunk, in their order.
    pub fn map<L: Lanes, S: Send>(&self, lanes: L, kernel: impl Fn(Range<usize>, usize, L) -> S + Sync) -> Vec<S> {
        self.fold_all(COSTLY, lanes, &|pieces, place, lanes| vec![kernel(pieces, place, lanes)], &in_order)
    }

    fn fold_all<L: Lanes, S: Send>(
        &self,
        grain: Grain,
        lanes: L,
        kernel: &(impl Fn(Range<usize>, usize, L) -> S + Sync),
        merge: &(impl Fn(S, S) -> S + Sync),
    ) -> S {
        let chunks = self.pieces.len() - 1;
        let length = self.length(&(0..chunks));
        let call = grain.call.max(length / CALLS);
        let cut = |(range, lanes): (Range<usize>, L)| {
            if range.len() <= 1 || self.length(&range) <= call {
                return Cut::Whole((range, lanes));
            }
            let middle = (range.start + range.end) / 2;
            let (left, right) = lanes.cut(self.length(&(range.start..middle)));
            Cut::Halves((range.start..middle, left), (middle..range.end, right))
        };
        let work = |(Range { start, end }, lanes): (Range<usize>, L)| {
            let pieces = self.pieces[start] as usize..self.pieces[end] as usize;
            simd::vectorised(
                #[inline(always)]
                || kernel(pieces, self.places[start] as usize, lanes),
            )
        };
        tree::fold((0..chunks, lanes), tree::is_worth_sharing(length, grain.worth_sharing), &cut, &work, merge)
    }

    /// Entries of some chunks.
    fn length(&self, chunks: &Range<usize>) -> usize {
        (self.places[chunks.end] - self.places[chunks.start]) as usize
    }
}
