//! The host in place of a device: the same kernel text, compiled by a C++ compiler.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};

use super::{Crew, Kernel, Machine, Recording};
use crate::error::GpuError;
use crate::layout::{Address, Args};

unsafe extern "C" {
    fn unstick_emulate_2(
        name: *const c_char,
        blocks: c_uint,
        threads: c_uint,
        args: *const c_void,
        size: usize,
    ) -> c_int;
    fn unstick_emulate_3(
        name: *const c_char,
        blocks: c_uint,
        threads: c_uint,
        args: *const c_void,
        size: usize,
    ) -> c_int;
}

struct Launch {
    kernel: Kernel,
    blocks: u32,
    threads: u32,
    args: Args,
}

/// Memory of the host, and what was recorded.
pub(crate) struct Emulated {
    dimension: usize,
    memory: Vec<u64>,
    recorded: Vec<Vec<Launch>>,
    is_recording: bool,
    /// Problems until it is lost; none once it is.
    left: Cell<Option<u64>>,
}

impl Emulated {
    /// Takes so many problems and is lost in the middle of the next.
    pub fn new(dimension: usize, problems: u64) -> Self {
        let left = Cell::new(Some(problems));
        Self { dimension, memory: Vec::new(), recorded: Vec::new(), is_recording: false, left }
    }

    fn run(&self, launch: &Launch) -> Result<(), GpuError> {
        let lost = || GpuError::Driver { action: "run a kernel", message: "the device is lost".into() };
        let left = self.left.get().ok_or_else(lost)?;
        if matches!(launch.kernel, Kernel::ScatterRows | Kernel::AssembleRows) {
            self.left.set(left.checked_sub(1)); // a problem begins
        }
        let name = CString::new(launch.kernel.name()).expect("names have no zeros");
        let emulate = if self.dimension == 2 { unstick_emulate_2 } else { unstick_emulate_3 };
        // SAFETY: `args` is a structure of the size that is checked on the other side, with addresses inside
        // `memory`, which outlives the call; kernels stay inside the arrays the addresses lead to.
        let is_known = unsafe {
            emulate(name.as_ptr(), launch.blocks, launch.threads, (&raw const launch.args).cast(), size_of::<Args>())
        };
        let message = || GpuError::Driver { action: "run a kernel", message: format!("no `{}`", launch.kernel.name()) };
        (is_known == 1).then_some(()).ok_or_else(message)
    }

    /// Where an address lies in memory.
    fn range(&self, at: Address, bytes: usize) -> std::ops::Range<usize> {
        let start = (at - self.memory.as_ptr() as u64) as usize;
        start..start + bytes
    }
}

impl Machine for Emulated {
    fn allocate(&mut self, bytes: usize) -> Result<Address, GpuError> {
        self.memory = vec![0; bytes.div_ceil(8) + 32];
        self.recorded.clear();
        Ok((self.memory.as_ptr() as u64).next_multiple_of(256))
    }

    fn zero(&mut self, at: Address, bytes: usize) -> Result<(), GpuError> {
        let range = self.range(at, bytes);
        bytemuck::cast_slice_mut::<u64, u8>(&mut self.memory)[range].fill(0);
        Ok(())
    }

    fn write(&mut self, at: Address, bytes: &[u8]) -> Result<(), GpuError> {
        let range = self.range(at, bytes.len());
        bytemuck::cast_slice_mut::<u64, u8>(&mut self.memory)[range].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, at: Address, bytes: &mut [u8]) -> Result<(), GpuError> {
        let range = self.range(at, bytes.len());
        bytes.copy_from_slice(&bytemuck::cast_slice::<u64, u8>(&self.memory)[range]);
        Ok(())
    }

    fn send(&mut self, at: Address, count: usize, fill: &dyn Fn(usize, &mut [f64])) -> Result<(), GpuError> {
        let range = self.range(at, 8 * count);
        fill(0, &mut bytemuck::cast_slice_mut::<u64, f64>(&mut self.memory)[range.start / 8..range.end / 8]);
        Ok(())
    }

    fn receive(&mut self, at: Address, count: usize, take: &mut dyn FnMut(usize, &[f64])) -> Result<(), GpuError> {
        let range = self.range(at, 8 * count);
        take(0, &bytemuck::cast_slice::<u64, f64>(&self.memory)[range.start / 8..range.end / 8]);
        Ok(())
    }

    fn cluster(&self) -> u32 {
        1
    }

    fn crew(&self) -> Crew {
        Crew { blocks: 3, threads: 128, passes: 2 }
    }

    fn launch(&mut self, kernel: Kernel, blocks: u32, threads: u32, args: &Args) -> Result<(), GpuError> {
        let launch = Launch { kernel, blocks, threads, args: *args };
        if !self.is_recording {
            return self.run(&launch);
        }
        self.recorded.last_mut().expect("a recording has begun").push(launch);
        Ok(())
    }

    fn begin_recording(&mut self) -> Result<(), GpuError> {
        self.recorded.push(Vec::new());
        self.is_recording = true;
        Ok(())
    }

    fn end_recording(&mut self) -> Result<Recording, GpuError> {
        self.is_recording = false;
        Ok(Recording(self.recorded.len() - 1))
    }

    fn replay(&mut self, recording: Recording) -> Result<(), GpuError> {
        self.recorded[recording.0].iter().try_for_each(|launch| self.run(launch))
    }
}
