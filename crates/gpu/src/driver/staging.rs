//! Pinned host memory, which a device reads and writes directly. There are two halves: all threads fill or empty one
//! while the other is on its way.
#![allow(unsafe_code)]

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
    pub fn send(
        &mut self,
        stream: &CudaStream,
        at: Pointer<f64>,
        count: usize,
        fill: Fill,
    ) -> Result<(), GpuError> {
        for from in (0..count).step_by(PIECE) {
            let half = &mut self.halves[self.turn];
            half.event.synchronize().map_err(failed("receive data"))?;
            let memory = half.memory.as_mut_slice().map_err(failed("pin host memory"))?;
            let piece = &mut memory[..PIECE.min(count - from)];
            fill(from, piece);
            // SAFETY: callers pass ranges inside the memory of `allocate`. The piece is not touched again before the
            // event, and `drop` waits for the event.
            let sent = unsafe { result::memcpy_htod_async(at.at(from).address(), piece, stream.cu_stream()) };
            sent.and_then(|()| half.event.record(stream)).map_err(failed("receive data"))?;
            self.turn ^= 1;
        }
        Ok(())
    }

    /// Receives numbers from the device, after all earlier launches.
    pub fn receive(
        &mut self,
        stream: &CudaStream,
        at: Pointer<f64>,
        count: usize,
        take: Take,
    ) -> Result<(), GpuError> {
        let pieces = count.div_ceil(PIECE);
        // The copy of a piece begins before the piece before it is taken.
        for step in 0..=pieces {
            if step < pieces {
                let from = step * PIECE;
                let half = &mut self.halves[(self.turn + step) % 2];
                half.event.synchronize().map_err(failed("send data"))?;
                let memory = half.memory.as_mut_slice().map_err(failed("pin host memory"))?;
                let piece = &mut memory[..PIECE.min(count - from)];
                // SAFETY: as above.
                let begun = unsafe { result::memcpy_dtoh_async(piece, at.at(from).address(), stream.cu_stream()) };
                begun.and_then(|()| half.event.record(stream)).map_err(failed("send data"))?;
            }
            if let Some(step) = step.checked_sub(1) {
                let from = step * PIECE;
                let half = &mut self.halves[(self.turn + step) % 2];
                half.event.synchronize().map_err(failed("run kernels"))?;
                let memory = half.memory.as_slice().map_err(failed("pin host memory"))?;
                take(from, &memory[..PIECE.min(count - from)]);
            }
        }
        Ok(())
    }
}
