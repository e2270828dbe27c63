//! The host in place of a device. A C++ compiler has compiled the same kernels for it.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::time::{Duration, Instant};

use super::{CooperativeGrid, Download, Driver, Fill, Kernel, Part, Point, Recording, SMALL_WRITE, Take, room_of};
use crate::error::GpuError;
use crate::layout::{Address, Args, EMULATED_COOPERATIVE_THREADS, MOST_OWN_GROUPS, Pointer};
use crate::tally::Tally;

macro_rules! emulators {
    ($($name:ident),+) => {
        unsafe extern "C" {
            $(fn $name(name: *const c_char, blocks: c_uint, threads: c_uint, args: *const c_void, size: usize) -> c_int;)+
        }
    };
}

emulators!(unstick_emulate_2, unstick_emulate_3);

/// Those of an H200, so that sums over blocks have the same order as there.
const MULTIPROCESSORS: u32 = 132;

/// Few blocks, each in a thread of the host.
const COOPERATIVE_BLOCKS: u32 = 3;

struct Launch {
    kernel: Kernel,
    blocks: u32,
    threads: u32,
    args: Args,
}

/// Memory of the host and recorded launches.
pub(crate) struct EmulatedDriver {
    dimension: usize,
    memory: Vec<u64>,
    recorded: Vec<Vec<Launch>>,
    is_recording: bool,
    /// The problems that it solves before it is lost; none once it is.
    left: Cell<Option<u64>>,
    /// The same at the start.
    problems: u64,
    marks: Vec<Instant>,
    tally: Tally,
}

impl EmulatedDriver {
    /// Solves this many problems and is lost in the middle of the next.
    pub fn new(dimension: usize, problems: u64) -> Self {
        Self {
            dimension,
            memory: Vec::new(),
            recorded: Vec::new(),
            is_recording: false,
            left: Cell::new(Some(problems)),
            problems,
            marks: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// How many problems are left; an error once the device is lost.
    fn left(&self, action: &'static str) -> Result<u64, GpuError> {
        self.left.get().ok_or_else(|| GpuError::Driver { action, message: "the device is lost".into() })
    }

    fn run(&self, launch: &Launch) -> Result<(), GpuError> {
        let left = self.left("run a kernel")?;
        if matches!(launch.kernel, Kernel::ScatterRows | Kernel::AssembleRows | Kernel::RowsLift) {
            self.left.set(left.checked_sub(1)); // a problem begins
        }
        let name = CString::new(launch.kernel.name()).expect("names have no zeros");
        let emulate = if self.dimension == 2 { unstick_emulate_2 } else { unstick_emulate_3 };
        // SAFETY: the callee checks the size of `args`. Its addresses lie inside `memory`, which outlives the call, and
        // kernels stay inside the arrays at these addresses.
        let is_known = unsafe {
            emulate(name.as_ptr(), launch.blocks, launch.threads, (&raw const launch.args).cast(), size_of::<Args>())
        };
        let message = || GpuError::Driver { action: "run a kernel", message: format!("no `{}`", launch.kernel.name()) };
        (is_known == 1).then_some(()).ok_or_else(message)
    }

    /// The bytes of `memory` at an address.
    fn range(&self, at: Address, bytes: usize) -> std::ops::Range<usize> {
        let start = (at - self.memory.as_ptr() as u64) as usize;
        start..start + bytes
    }
}

/// A copy that has arrived, in numbers so that it is aligned.
struct Copied(Vec<u64>);

impl Download for Copied {
    fn wait(&mut self) -> Result<&[u8], GpuError> {
        Ok(bytemuck::cast_slice(&self.0))
    }
}

impl Driver for EmulatedDriver {
    fn allocate(&mut self, bytes: usize) -> Result<Address, GpuError> {
        self.tally.allocations += 1;
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
        self.tally.waits += (bytes.len() > SMALL_WRITE) as u64;
        let range = self.range(at, bytes.len());
        bytemuck::cast_slice_mut::<u64, u8>(&mut self.memory)[range].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, at: Address, bytes: &mut [u8]) -> Result<(), GpuError> {
        self.tally.waits += 1;
        let range = self.range(at, bytes.len());
        bytes.copy_from_slice(&bytemuck::cast_slice::<u64, u8>(&self.memory)[range]);
        Ok(())
    }

    fn send(&mut self, at: Pointer<f64>, count: usize, fill: Fill) -> Result<(), GpuError> {
        self.tally.waits += 1;
        let range = self.range(at.address(), 8 * count);
        fill(0, &mut bytemuck::cast_slice_mut::<u64, f64>(&mut self.memory)[range.start / 8..range.end / 8]);
        Ok(())
    }

    fn receive(&mut self, at: Pointer<f64>, count: usize, take: Take) -> Result<(), GpuError> {
        self.tally.waits += 1;
        let range = self.range(at.address(), 8 * count);
        take(0, &bytemuck::cast_slice::<u64, f64>(&self.memory)[range.start / 8..range.end / 8]);
        Ok(())
    }

    fn begin_download(&mut self, parts: &[Part]) -> Result<Box<dyn Download>, GpuError> {
        self.left("send data")?;
        let mut copy = vec![0u64; parts.iter().map(room_of).sum::<usize>() / size_of::<u64>()];
        let (bytes, mut to) = (bytemuck::cast_slice_mut::<u64, u8>(&mut copy), 0);
        for part in parts {
            let range = self.range(part.0, part.1);
            bytes[to..to + part.1].copy_from_slice(&bytemuck::cast_slice::<u64, u8>(&self.memory)[range]);
            to += room_of(part);
        }
        Ok(Box::new(Copied(copy)))
    }

    fn companion(&self) -> Result<Box<dyn Driver>, GpuError> {
        Ok(Box::new(Self::new(self.dimension, self.problems)))
    }

    fn point(&mut self) -> Result<Point, GpuError> {
        Ok(Point(None))
    }

    fn wait_for(&mut self, _: &Point) -> Result<(), GpuError> {
        Ok(())
    }

    fn mark(&mut self, number: usize) -> Result<(), GpuError> {
        self.marks.truncate(number);
        self.marks.resize(number + 1, Instant::now());
        Ok(())
    }

    fn between(&mut self, from: usize, to: usize) -> Result<Duration, GpuError> {
        Ok(self.marks[to] - self.marks[from])
    }

    fn tally(&self) -> Tally {
        self.tally
    }

    fn multiprocessors(&self) -> u32 {
        MULTIPROCESSORS
    }

    fn cluster(&self) -> u32 {
        1
    }

    fn cooperative_grid(&self) -> CooperativeGrid {
        let threads = EMULATED_COOPERATIVE_THREADS;
        CooperativeGrid { blocks: COOPERATIVE_BLOCKS, threads, groups: MOST_OWN_GROUPS }
    }

    fn launch(&mut self, kernel: Kernel, blocks: u32, threads: u32, args: &Args) -> Result<(), GpuError> {
        let launch = Launch { kernel, blocks, threads, args: *args };
        if !self.is_recording {
            self.tally.launches += 1;
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
        self.tally.replays += 1;
        self.tally.replayed += self.recorded[recording.0].len() as u64;
        self.recorded[recording.0].iter().try_for_each(|launch| self.run(launch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    #[test]
    fn memory_begins_with_zeros_and_keeps_what_is_written() {
        let mut driver = EmulatedDriver::new(2, 1);
        let start = driver.allocate(64).unwrap();
        assert_eq!(start % 256, 0);
        driver.write(start + 8, bytemuck::cast_slice(&[1.5f64, 2.5])).unwrap();
        let mut numbers = [f64::NAN; 4];
        driver.read(start, bytemuck::cast_slice_mut(&mut numbers)).unwrap();
        assert_eq!(numbers, [0.0, 1.5, 2.5, 0.0]);
        driver.zero(start + 8, 8).unwrap();
        driver
            .receive(Pointer::new(start), 3, &mut |from, piece| assert_eq!((from, piece), (0, &[0.0, 0.0, 2.5][..])))
            .unwrap();
    }

    #[test]
    fn a_download_keeps_what_was_there_when_it_began() {
        let mut driver = EmulatedDriver::new(2, 1);
        let start = driver.allocate(1024).unwrap();
        driver.write(start, &[1, 2, 3]).unwrap();
        driver.write(start + 512, &[4]).unwrap();
        let mut download = driver.begin_download(&[(start + 512, 1), (start + 1, 2)]).unwrap();
        driver.zero(start, 1024).unwrap();
        let bytes = download.wait().unwrap();
        assert_eq!((bytes[0], &bytes[256..258], bytes.len()), (4, &[2, 3][..], 512));
    }

    #[test]
    fn recorded_launches_run_when_they_are_replayed() {
        let mut driver = EmulatedDriver::new(3, 0);
        driver.begin_recording().unwrap();
        let args = Args::zeroed();
        driver.launch(Kernel::ScatterRows, 1, 1, &args).unwrap(); // takes the one problem before the device is lost
        driver.launch(Kernel::Nothing, 1, 1, &args).unwrap();
        let recording = driver.end_recording().unwrap();
        assert!(driver.replay(recording).unwrap_err().to_string().ends_with("the device is lost"));
    }
}
