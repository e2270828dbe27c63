//! An NVIDIA GPU, through its driver. The kernels are compiled when the device is opened.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cudarc::driver::sys::{
    CUdevice_attribute_enum as Attribute, CUevent_flags, CUfunction_attribute_enum, CUgraphInstantiate_flags,
    CUstreamCaptureMode,
};
use cudarc::driver::{
    self, CudaContext, CudaEvent, CudaFunction, CudaGraph, CudaModule, CudaSlice, CudaStream, DevicePtr, DeviceRepr,
    DriverError, LaunchConfig, PinnedHostSlice, PushKernelArg, result,
};
use cudarc::nvrtc::{self, CompileError, CompileOptions, Ptx};
use unstick_parallel::vector;

use super::download::Downloads;
use super::kept::Kept;
use super::staging::Staging;
use super::{CooperativeGrid, Download, Driver, Fill, Kernel, Part, Point, Recording, SMALL_WRITE, Take};
use crate::error::GpuError;
use crate::layout::{
    Address, Args, COOPERATIVE_BLOCKS, COOPERATIVE_THREADS, MOST_OWN_GROUPS, OWN_BYTES, Pointer, TINY_BYTES,
};
use crate::tally::Tally;
use crate::text::kernel_text;

// SAFETY: `Args` is plain data without padding. The kernels' compiler asserts that its `struct Args`, which has the same
// fields, has the same size.
unsafe impl DeviceRepr for Args {}

/// Copies of at least this many bytes go through the staging buffers: the driver copies slowly from memory that it has
/// not pinned.
const WORTH_STAGING: usize = 1 << 16;

/// Bytes of the buffer for small results.
const RESULT_BYTES: usize = 256;

/// Bytes of the buffer for small data that are on their way to the device.
const OUTBOX_BYTES: usize = 16 * SMALL_WRITE;

/// A device with the kernels of one dimension.
pub(crate) struct CudaDriver {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    functions: Vec<CudaFunction>,
    memory: Option<CudaSlice<u8>>,
    graphs: Vec<CudaGraph>,
    /// How many kernels each of them has.
    graph_sizes: Vec<u64>,
    /// Launches before the running recording.
    recording_since: u64,
    multiprocessors: u32,
    cluster: u32,
    cooperative_grid: CooperativeGrid,
    /// Where small results arrive: host memory that the device writes directly.
    results: PinnedHostSlice<u8>,
    /// Small data on their way: host memory that the device reads.
    outbox: PinnedHostSlice<u8>,
    /// Bytes of it in use. None is once the stream has been waited for.
    posted: usize,
    marks: Vec<CudaEvent>,
    tally: Tally,
    staging: Staging,
    /// Made when somebody asks for one.
    downloads: Option<Downloads>,
}

// SAFETY: the driver allows any one thread at a time to use these handles, with the context bound to it, and any number of
// threads to use a stream, which companions share. Every method binds the context first, and `&mut self` keeps threads apart.
unsafe impl Send for CudaDriver {}

impl Drop for CudaDriver {
    fn drop(&mut self) {
        // A device that does not answer any more does not read the outbox either.
        let _ = self.stream.synchronize();
    }
}

/// Fails if a library that every device needs is missing.
pub(crate) fn check_libraries() -> Result<(), GpuError> {
    // SAFETY: this only looks for a library and loads it.
    if !unsafe { driver::sys::is_culib_present() } {
        let needed = "install the NVIDIA driver";
        return Err(GpuError::Library { library: "libcuda", needed });
    }
    // SAFETY: as above.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        let needed = "install NVRTC, with the CUDA toolkit or as the Python package nvidia-cuda-nvrtc, and put it on the library path";
        return Err(GpuError::Library { library: "libnvrtc", needed });
    }
    Ok(())
}

pub(super) fn failed(action: &'static str) -> impl Fn(DriverError) -> GpuError {
    move |error| GpuError::Driver { action, message: error.to_string() }
}

/// The kernels of a device and a dimension, compiled and loaded once.
fn module(context: &Arc<CudaContext>, ordinal: usize, options: Vec<String>) -> Result<Arc<CudaModule>, GpuError> {
    type Key = (usize, Vec<String>);
    static KNOWN: Mutex<Vec<(Key, Arc<CudaModule>)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (ordinal, options);
    if let Some((_, module)) = known.iter().find(|(other, _)| *other == key) {
        return Ok(module.clone());
    }
    let load = |compiled| context.load_module(compiled).map_err(failed("load the kernels"));
    let mut way = key.1.clone();
    way.push(compiler_version());
    let kept = Kept::of(&kernel_text(), &way);
    let found = kept.as_ref().and_then(Kept::read).and_then(|compiled| load(Ptx::from_src(compiled)).ok());
    let module = match found {
        Some(module) => module,
        None => {
            let compiled = compile(&key.1)?;
            if let Some(kept) = kept {
                let _ = kept.write(&compiled.to_src()); // otherwise it is compiled again the next time
            }
            load(compiled)?
        }
    };
    known.push((key, module.clone()));
    Ok(module)
}

fn compile(options: &[String]) -> Result<Ptx, GpuError> {
    let options = CompileOptions { options: options.to_vec(), ..CompileOptions::default() };
    nvrtc::compile_ptx_with_opts(kernel_text(), options).map_err(|error| match error {
        CompileError::CompileError { log, .. } => GpuError::Compile(log.to_string_lossy().into_owned()),
        other => GpuError::Compile(format!("{other:?}")),
    })
}

fn compiler_version() -> String {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: this writes two numbers.
    let said = unsafe { nvrtc::sys::nvrtcVersion(&mut major, &mut minor) };
    format!("{said:?} {major}.{minor}")
}

fn attribute(context: &CudaContext, attribute: Attribute) -> Result<u32, GpuError> {
    Ok(context.attribute(attribute).map_err(failed("describe itself"))? as u32)
}

/// Blocks of a cluster on a device of that generation.
fn cluster_of(major: i32) -> u32 {
    if major >= 9 { 8 } else { 1 }
}

/// One block for each multiprocessor, with as much of its memory as the kernels can use.
fn cooperative_grid(context: &CudaContext) -> Result<CooperativeGrid, GpuError> {
    let can_wait = attribute(context, Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0;
    let blocks = attribute(context, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let bytes = attribute(context, Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
    Ok(CooperativeGrid {
        blocks: if can_wait { blocks.min(COOPERATIVE_BLOCKS) } else { 0 },
        threads: COOPERATIVE_THREADS,
        groups: (bytes / (OWN_BYTES * COOPERATIVE_THREADS)).min(MOST_OWN_GROUPS),
    })
}

impl CudaDriver {
    /// Opens a device and compiles the kernels for it.
    pub fn open(ordinal: usize, dimension: usize) -> Result<Self, GpuError> {
        check_libraries()?;
        Self::check(ordinal)?;
        let context = CudaContext::new(ordinal).map_err(failed("open"))?;
        let (major, minor) = context.compute_capability().map_err(failed("describe itself"))?;
        let options = vec![
            format!("--gpu-architecture=compute_{major}{minor}"),
            "--std=c++17".into(),
            "-default-device".into(),
            format!("-DDIM={dimension}"),
            format!("-DCLUSTER={}", cluster_of(major)),
        ];
        let module = module(&context, ordinal, options)?;
        let functions = Kernel::ALL.iter().map(|kernel| module.load_function(kernel.name()));
        let functions: Vec<_> = functions.collect::<Result<_, _>>().map_err(failed("find a kernel"))?;
        let stream = context.new_stream().map_err(failed("open a stream"))?;
        let driver = Self::beside(context, stream, functions)?;
        driver.reserve_block_memory()?;
        Ok(driver)
    }

    /// A driver whose work goes through a stream.
    fn beside(
        context: Arc<CudaContext>,
        stream: Arc<CudaStream>,
        functions: Vec<CudaFunction>,
    ) -> Result<Self, GpuError> {
        context.bind_to_thread().map_err(failed("bind to a thread"))?;
        let (major, _) = context.compute_capability().map_err(failed("describe itself"))?;
        // SAFETY: the device writes this memory before it is read. It is cached, since the host reads it.
        let results = unsafe { context.alloc_pinned_with_flags::<u8>(RESULT_BYTES, 0) };
        // SAFETY: the host writes this memory before the device reads it.
        let outbox = unsafe { context.alloc_pinned::<u8>(OUTBOX_BYTES) };
        Ok(Self {
            multiprocessors: attribute(&context, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            cooperative_grid: cooperative_grid(&context)?,
            staging: Staging::new(&context)?,
            downloads: None,
            memory: None,
            graphs: Vec::new(),
            graph_sizes: Vec::new(),
            recording_since: 0,
            cluster: cluster_of(major),
            results: results.map_err(failed("pin host memory"))?,
            outbox: outbox.map_err(failed("pin host memory"))?,
            posted: 0,
            marks: Vec::new(),
            tally: Tally::default(),
            context,
            stream,
            functions,
        })
    }

    /// Lets the kernels that need it have more block memory than usual.
    fn reserve_block_memory(&self) -> Result<(), GpuError> {
        let attribute = CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        for &kernel in [Kernel::SmallCycle].iter().chain(&CooperativeGrid::KERNELS) {
            let bytes = self.block_bytes(kernel) as i32;
            let reserved = self.functions[kernel as usize].set_attribute(attribute, bytes);
            reserved.map_err(failed("reserve block memory"))?;
        }
        Ok(())
    }

    /// Bytes of block memory that a launch of a kernel asks for.
    fn block_bytes(&self, kernel: Kernel) -> u32 {
        if kernel == Kernel::SmallCycle { TINY_BYTES } else { self.cooperative_grid.block_bytes(kernel).unwrap_or(0) }
    }

    /// Fails if there is no device of that number.
    pub fn check(ordinal: usize) -> Result<(), GpuError> {
        let count = CudaContext::device_count().map_err(failed("count devices"))? as usize;
        if ordinal < count { Ok(()) } else { Err(GpuError::NoDevice { ordinal, count }) }
    }

    /// Names of all devices.
    pub fn names() -> Result<Vec<String>, GpuError> {
        let count = CudaContext::device_count().map_err(failed("count devices"))? as usize;
        let name = |ordinal| CudaContext::new(ordinal)?.name();
        (0..count).map(|ordinal| name(ordinal).map_err(failed("tell its name"))).collect()
    }

    fn bind(&self) -> Result<(), GpuError> {
        self.context.bind_to_thread().map_err(failed("bind to a thread"))
    }

    /// Waits until the device has done all work so far.
    fn wait(&mut self, action: &'static str) -> Result<(), GpuError> {
        self.tally.waits += 1;
        self.stream.synchronize().map_err(failed(action))?;
        self.posted = 0;
        Ok(())
    }
}

impl Driver for CudaDriver {
    fn allocate(&mut self, bytes: usize) -> Result<Address, GpuError> {
        self.bind()?;
        self.tally.allocations += 1;
        (self.graphs, self.graph_sizes) = Default::default();
        self.memory = None;
        self.stream.synchronize().map_err(failed("finish its work"))?;
        let (free, _) = result::mem_get_info().map_err(failed("tell its free memory"))?;
        let memory = self.stream.alloc_zeros::<u8>(bytes);
        let memory = memory.map_err(|_| GpuError::Memory { needed: bytes >> 20, free: free >> 20 })?;
        let (address, _guard) = memory.device_ptr(&self.stream);
        drop(_guard);
        self.memory = Some(memory);
        Ok(address)
    }

    fn zero(&mut self, at: Address, bytes: usize) -> Result<(), GpuError> {
        self.bind()?;
        // SAFETY: callers pass ranges inside the memory of `allocate`.
        unsafe { result::memset_d8_async(at, 0, bytes, self.stream.cu_stream()) }.map_err(failed("clear memory"))
    }

    fn write(&mut self, at: Address, bytes: &[u8]) -> Result<(), GpuError> {
        self.bind()?;
        if let (true, Ok(numbers)) = (bytes.len() >= WORTH_STAGING, bytemuck::try_cast_slice::<u8, f64>(bytes)) {
            self.tally.waits += 1;
            let fill = |from: usize, piece: &mut [f64]| vector::copy(&numbers[from..from + piece.len()], piece);
            return self.staging.send(&self.stream, Pointer::new(at), numbers.len(), &fill);
        }
        if bytes.len() <= SMALL_WRITE {
            if self.posted + bytes.len() > OUTBOX_BYTES {
                self.wait("receive data")?;
            }
            let start = self.posted;
            self.posted = (start + bytes.len()).next_multiple_of(64);
            let outbox = self.outbox.as_mut_slice().map_err(failed("pin host memory"))?;
            let posted = &mut outbox[start..start + bytes.len()];
            posted.copy_from_slice(bytes);
            // SAFETY: callers pass ranges inside the memory of `allocate`. This part of the outbox is written again only
            // after the stream has been waited for, and lives as long as the driver, which waits when it is dropped.
            return unsafe { result::memcpy_htod_async(at, posted, self.stream.cu_stream()) }
                .map_err(failed("receive data"));
        }
        // SAFETY: as above. The copy ends before `bytes` does, because the stream is waited for.
        unsafe { result::memcpy_htod_async(at, bytes, self.stream.cu_stream()) }.map_err(failed("receive data"))?;
        self.wait("receive data")
    }

    fn read(&mut self, at: Address, bytes: &mut [u8]) -> Result<(), GpuError> {
        self.bind()?;
        if bytes.len() <= RESULT_BYTES {
            let results = self.results.as_mut_slice().map_err(failed("pin host memory"))?;
            let results = &mut results[..bytes.len()];
            // SAFETY: as above.
            unsafe { result::memcpy_dtoh_async(results, at, self.stream.cu_stream()) }.map_err(failed("send data"))?;
            self.wait("run kernels")?;
            let results = self.results.as_slice().map_err(failed("run kernels"))?;
            bytes.copy_from_slice(&results[..bytes.len()]);
            return Ok(());
        }
        // SAFETY: as above.
        unsafe { result::memcpy_dtoh_async(bytes, at, self.stream.cu_stream()) }.map_err(failed("send data"))?;
        self.wait("run kernels")
    }

    fn send(&mut self, at: Pointer<f64>, count: usize, fill: Fill) -> Result<(), GpuError> {
        self.bind()?;
        self.tally.waits += 1;
        self.staging.send(&self.stream, at, count, fill)
    }

    fn receive(&mut self, at: Pointer<f64>, count: usize, take: Take) -> Result<(), GpuError> {
        self.bind()?;
        self.tally.waits += 1;
        self.staging.receive(&self.stream, at, count, take)
    }

    fn begin_download(&mut self, parts: &[Part]) -> Result<Box<dyn Download>, GpuError> {
        self.bind()?;
        let downloads = match &mut self.downloads {
            Some(downloads) => downloads,
            none => none.insert(Downloads::new(&self.context)?),
        };
        Ok(Box::new(downloads.begin(&self.stream, parts)?))
    }

    fn companion(&self) -> Result<Box<dyn Driver>, GpuError> {
        Ok(Box::new(Self::beside(self.context.clone(), self.stream.clone(), self.functions.clone())?))
    }

    fn point(&mut self) -> Result<Point, GpuError> {
        Ok(Point(Some(self.stream.record_event(None).map_err(failed("make an event"))?)))
    }

    fn wait_for(&mut self, point: &Point) -> Result<(), GpuError> {
        point.0.as_ref().map_or(Ok(()), |event| self.stream.wait(event).map_err(failed("wait for other work")))
    }

    fn mark(&mut self, number: usize) -> Result<(), GpuError> {
        while self.marks.len() <= number {
            let event = self.context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
            self.marks.push(event.map_err(failed("make an event"))?);
        }
        self.marks[number].record(&self.stream).map_err(failed("note the time"))
    }

    fn between(&mut self, from: usize, to: usize) -> Result<Duration, GpuError> {
        let milliseconds = self.marks[from].elapsed_ms(&self.marks[to]).map_err(failed("tell the time"))?;
        Ok(Duration::from_secs_f32(1e-3 * milliseconds.max(0.0)))
    }

    fn tally(&self) -> Tally {
        self.tally
    }

    fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    fn cluster(&self) -> u32 {
        self.cluster
    }

    fn cooperative_grid(&self) -> CooperativeGrid {
        self.cooperative_grid
    }

    fn launch(&mut self, kernel: Kernel, blocks: u32, threads: u32, args: &Args) -> Result<(), GpuError> {
        self.tally.launches += 1;
        let function = &self.functions[kernel as usize];
        let shared_mem_bytes = self.block_bytes(kernel);
        let shape = LaunchConfig { grid_dim: (blocks.max(1), 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes };
        let is_cooperative = CooperativeGrid::KERNELS.contains(&kernel);
        let mut builder = self.stream.launch_builder(function);
        builder.arg(args);
        // SAFETY: every kernel takes one `Args`, whose addresses lie inside the memory of `allocate`.
        let launched =
            unsafe { if is_cooperative { builder.launch_cooperative(shape) } else { builder.launch(shape) } };
        launched.map(drop).map_err(failed("launch a kernel"))
    }

    fn begin_recording(&mut self) -> Result<(), GpuError> {
        self.bind()?;
        self.recording_since = self.tally.launches;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        self.stream.begin_capture(mode).map_err(failed("record launches"))
    }

    fn end_recording(&mut self) -> Result<Recording, GpuError> {
        let graph = self.stream.end_capture(CUgraphInstantiate_flags(0)).map_err(failed("record launches"))?;
        let nothing = || GpuError::Driver { action: "record launches", message: "nothing was recorded".into() };
        self.graphs.push(graph.ok_or_else(nothing)?);
        // They have not run yet.
        self.graph_sizes.push(self.tally.launches - self.recording_since);
        self.tally.launches = self.recording_since;
        Ok(Recording(self.graphs.len() - 1))
    }

    fn replay(&mut self, recording: Recording) -> Result<(), GpuError> {
        self.tally.replays += 1;
        self.tally.replayed += self.graph_sizes[recording.0];
        self.graphs[recording.0].launch().map_err(failed("replay launches"))
    }
}
