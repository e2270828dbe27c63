//! Copies of device memory that come to the host while the device works on.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, PinnedHostSlice, result};

use super::cuda::failed;
use super::{Download, Part, room_of};
use crate::error::GpuError;
use crate::layout::Address;

/// Rooms that are kept for the next downloads: one is on its way while another one is read.
const KEPT: usize = 2;

/// Memory for a download: on the device, where it is copied before anything changes, and page-locked on the host.
struct Room {
    on_device: CudaSlice<u8>,
    address: Address,
    on_host: PinnedHostSlice<u8>,
    /// The end of its last copy.
    event: CudaEvent,
}

impl Drop for Room {
    fn drop(&mut self) {
        // A device that does not answer any more does not write to this memory either.
        let _ = self.event.synchronize();
    }
}

impl Room {
    fn new(context: &Arc<CudaContext>, stream: &Arc<CudaStream>, bytes: usize) -> Result<Self, GpuError> {
        context.bind_to_thread().map_err(failed("bind to a thread"))?;
        let (free, _) = result::mem_get_info().map_err(failed("tell its free memory"))?;
        let on_device = stream.alloc_zeros::<u8>(bytes);
        let on_device = on_device.map_err(|_| GpuError::Memory { needed: bytes >> 20, free: free >> 20 })?;
        let (address, guard) = on_device.device_ptr(stream);
        drop(guard);
        // SAFETY: this memory is written before it is read.
        let on_host = unsafe { context.alloc_pinned_with_flags::<u8>(bytes, 0) }.map_err(failed("pin host memory"))?;
        let event = context.new_event(None).map_err(failed("make an event"))?;
        Ok(Self { on_device, address, on_host, event })
    }
}

/// What begins downloads.
pub(super) struct Downloads {
    context: Arc<CudaContext>,
    /// Copies to the host run here, beside the kernels.
    stream: Arc<CudaStream>,
    spare: Arc<Mutex<Vec<Room>>>,
}

impl Downloads {
    pub fn new(context: &Arc<CudaContext>) -> Result<Self, GpuError> {
        let stream = context.new_stream().map_err(failed("open a stream"))?;
        Ok(Self { context: context.clone(), stream, spare: Arc::default() })
    }

    /// Copies memory as it is after all earlier work of `stream`, then brings the copy to the host.
    pub fn begin(&mut self, stream: &Arc<CudaStream>, parts: &[Part]) -> Result<CudaDownload, GpuError> {
        let bytes = parts.iter().map(room_of).sum();
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut room = match spare {
            Some(room) if room.on_device.len() >= bytes => room,
            _ => Room::new(&self.context, stream, bytes + bytes / 8)?, // the next frame may have some particles more
        };
        let mut to = room.address;
        for part in parts {
            // SAFETY: callers pass ranges inside the memory of `allocate`. The room has as many bytes as all parts, and
            // no earlier copy of it is under way: whoever gave it back has waited for its event.
            let copied = unsafe { result::memcpy_dtod_async(to, part.0, part.1, stream.cu_stream()) };
            copied.map_err(failed("copy data"))?;
            to += room_of(part) as Address;
        }
        room.event.record(stream).map_err(failed("copy data"))?;
        self.stream.wait(&room.event).map_err(failed("copy data"))?;
        let on_host = &mut room.on_host.as_mut_slice().map_err(failed("pin host memory"))?[..bytes];
        // SAFETY: the host's half of the room is not touched before the event, and `drop` waits for the event.
        let sent = unsafe { result::memcpy_dtoh_async(on_host, room.address, self.stream.cu_stream()) };
        sent.and_then(|()| room.event.record(&self.stream)).map_err(failed("send data"))?;
        Ok(CudaDownload { room: Some(room), spare: self.spare.clone(), bytes })
    }
}

/// A copy on its way.
pub(super) struct CudaDownload {
    /// Some until it is given back.
    room: Option<Room>,
    spare: Arc<Mutex<Vec<Room>>>,
    bytes: usize,
}

// SAFETY: any one thread at a time may use the handles of a room. Every use binds the context to its thread first.
unsafe impl Send for CudaDownload {}

impl Download for CudaDownload {
    fn wait(&mut self) -> Result<&[u8], GpuError> {
        let Some(room) = &self.room else { return Ok(&[]) };
        room.event.synchronize().map_err(failed("send data"))?;
        Ok(&room.on_host.as_slice().map_err(failed("send data"))?[..self.bytes])
    }
}

impl Drop for CudaDownload {
    fn drop(&mut self) {
        let Some(room) = self.room.take() else { return };
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if room.event.synchronize().is_ok() && spare.len() < KEPT {
            spare.push(room);
        }
    }
}
