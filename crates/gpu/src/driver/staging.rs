//! Pinned host memory, which a device reads and writes directly. There are two halves: all threads fill or empty one
//! while the other is on its way.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, PinnedHostSlice, result};

use super::cuda::failed;
use super::{Fill, Take};
use crate::error::GpuError;
use crate::layout::Pointer;

/// Numbers of a half. Their copy takes much longer than its launch.
const PIECE: usize = 1 << 20;

struct Half {
    memory: PinnedHostSlice<f64>,
    /// The end of its last copy.
    event: CudaEvent,
}

impl Drop for Half {
    fn drop(&mut self) {
        // A device that does not answer any more does not read this memory either.
        let _ = self.event.synchronize();
    }
}

pub(super) struct Staging {
    halves: [Half; 2],
    /// The half whose turn is next.
    turn: usize,
}

impl Staging {
    pub fn new(context: &Arc<CudaContext>) -> Result<Self, GpuError> {
        let half = || {
            // SAFETY: this memory is written before it is read.
            let memory = unsafe { context.alloc_pinned_with_flags::<f64>(PIECE, 0) };
            Ok(Half {
                memory: memory.map_err(failed("pin host memory"))?,
                event: context.new_event(None).map_err(failed("make an event"))?,
            })
        };
        Ok(Self { halves: [half()?, half()?], turn: 0 })
    }

    /// Sends numbers to the device. The last copies may end after this returns.
    pub fn send(&mut self, stream: &CudaStream, at: Pointer<f64>, count: usize, fill: Fill) -> Result<(), GpuError> {
        for range in pieces(count) {
            let half = &mut self.halves[self.turn];
            half.event.synchronize().map_err(failed("receive data"))?;
            let memory = half.memory.as_mut_slice().map_err(failed("pin host memory"))?;
            let piece = &mut memory[..range.len()];
            fill(range.start, piece);
            // SAFETY: callers pass ranges inside the memory of `allocate`. The piece is not touched again before the
            // event, and `drop` waits for the event.
            let sent = unsafe { result::memcpy_htod_async(at.at(range.start).address(), piece, stream.cu_stream()) };
            sent.and_then(|()| half.event.record(stream)).map_err(failed("receive data"))?;
            self.turn ^= 1;
        }
        Ok(())
    }

    /// Receives numbers from the device, after all earlier launches.
    pub fn receive(&mut self, stream: &CudaStream, at: Pointer<f64>, count: usize, take: Take) -> Result<(), GpuError> {
        // The copy of a piece begins before the piece before it is taken.
        let mut under_way = None;
        for range in pieces(count).map(Some).chain([None]) {
            let next = match range {
                Some(range) => Some((self.begin_receiving(stream, at, range.clone())?, range)),
                None => None,
            };
            if let Some((half, range)) = std::mem::replace(&mut under_way, next) {
                let half: &mut Half = &mut self.halves[half];
                half.event.synchronize().map_err(failed("run kernels"))?;
                let memory = half.memory.as_slice().map_err(failed("pin host memory"))?;
                take(range.start, &memory[..range.len()]);
            }
        }
        Ok(())
    }

    /// Begins the copy of a piece; returns the half that it goes to.
    fn begin_receiving(
        &mut self,
        stream: &CudaStream,
        at: Pointer<f64>,
        range: Range<usize>,
    ) -> Result<usize, GpuError> {
        let turn = self.turn;
        let half = &mut self.halves[turn];
        half.event.synchronize().map_err(failed("send data"))?;
        let memory = half.memory.as_mut_slice().map_err(failed("pin host memory"))?;
        let piece = &mut memory[..range.len()];
        // SAFETY: as above.
        let begun = unsafe { result::memcpy_dtoh_async(piece, at.at(range.start).address(), stream.cu_stream()) };
        begun.and_then(|()| half.event.record(stream)).map_err(failed("send data"))?;
        self.turn ^= 1;
        Ok(turn)
    }
}

/// The pieces of a list of numbers, each of which fits into a half.
fn pieces(count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).step_by(PIECE).map(move |from| from..count.min(from + PIECE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_list_and_fit_into_a_half() {
        for count in [0, 1, PIECE, PIECE + 1, 3 * PIECE - 1] {
            let pieces: Vec<Range<usize>> = pieces(count).collect();
            assert!(pieces.iter().all(|piece| !piece.is_empty() && piece.len() <= PIECE));
            assert!(pieces.windows(2).all(|two| two[0].end == two[1].start));
            assert_eq!(pieces.last().map_or(0, |last| last.end), count);
        }
    }
}
