//! Memory of the host that a device reads and writes by itself. It comes in two halves, so that one is filled or
//! emptied, by all threads, while the other is on its way.
#![allow(unsafe_code)]

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, PinnedHostSlice, result};

use super::cuda::failed;
use crate::error::GpuError;
use crate::layout::Address;

/// Numbers of a half: long on their way compared with what it takes to begin.
const PIECE: usize = 1 << 20;

struct Half {
    memory: PinnedHostSlice<f64>,
    /// When it has arrived.
    event: CudaEvent,
}

impl Drop for Half {
    fn drop(&mut self) {
        // A device that no longer answers does not read any more either.
        let _ = self.event.synchronize();
    }
}

pub(super) struct Staging {
    halves: [Half; 2],
    /// The half that is next.
    turn: usize,
}

impl Staging {
    pub fn new(context: &Arc<CudaContext>) -> Result<Self, GpuError> {
        let half = || {
            // SAFETY: written before it is read.
            let memory = unsafe { context.alloc_pinned_with_flags::<f64>(PIECE, 0) };
            Ok(Half {
                memory: memory.map_err(failed("lend host memory"))?,
                event: context.new_event(None).map_err(failed("make an event"))?,
            })
        };
        Ok(Self { halves: [half()?, half()?], turn: 0 })
    }

    /// Sends numbers to an address, the last of them perhaps after this returns.
    pub fn send(
        &mut self,
        stream: &CudaStream,
        at: Address,
        count: usize,
        fill: &dyn Fn(usize, &mut [f64]),
    ) -> Result<(), GpuError> {
        for from in (0..count).step_by(PIECE) {
            let half = &mut self.halves[self.turn];
            half.event.synchronize().map_err(failed("receive data"))?;
            let memory = half.memory.as_mut_slice().map_err(failed("lend host memory"))?;
            let piece = &mut memory[..PIECE.min(count - from)];
            fill(from, piece);
            // SAFETY: callers hand over ranges inside what `allocate` returned; the memory is not touched again
            // before the event, and lives as long as the stream is used.
            let sent = unsafe { result::memcpy_htod_async(at + 8 * from as u64, piece, stream.cu_stream()) };
            sent.and_then(|()| half.event.record(stream)).map_err(failed("receive data"))?;
            self.turn ^= 1;
        }
        Ok(())
    }

    /// Receives numbers from an address, behind all that was launched before.
    pub fn receive(
        &mut self,
        stream: &CudaStream,
        at: Address,
        count: usize,
        take: &mut dyn FnMut(usize, &[f64]),
    ) -> Result<(), GpuError> {
        let pieces = count.div_ceil(PIECE);
        // One piece is always asked for ahead.
        for step in 0..=pieces {
            if step < pieces {
                let half = &mut self.halves[(self.turn + step) % 2];
                half.event.synchronize().map_err(failed("send data"))?;
                let memory = half.memory.as_mut_slice().map_err(failed("lend host memory"))?;
                let piece = &mut memory[..PIECE.min(count - step * PIECE)];
                // SAFETY: as above.
                let asked =
                    unsafe { result::memcpy_dtoh_async(piece, at + 8 * (step * PIECE) as u64, stream.cu_stream()) };
                asked.and_then(|()| half.event.record(stream)).map_err(failed("send data"))?;
            }
            if let Some(step) = step.checked_sub(1) {
                let half = &mut self.halves[(self.turn + step) % 2];
                half.event.synchronize().map_err(failed("run kernels"))?;
                let memory = half.memory.as_slice().map_err(failed("lend host memory"))?;
                take(step * PIECE, &memory[..PIECE.min(count - step * PIECE)]);
            }
        }
        Ok(())
    }
}
