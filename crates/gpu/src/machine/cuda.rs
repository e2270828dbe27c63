//! A GPU of NVIDIA's, through its driver; kernels are compiled when the device is opened.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{
    CUdevice_attribute_enum, CUfunction_attribute_enum, CUgraphInstantiate_flags, CUstreamCaptureMode,
};
use cudarc::driver::{
    self, CudaContext, CudaFunction, CudaGraph, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError,
    LaunchConfig, PinnedHostSlice, PushKernelArg, result,
};
use cudarc::nvrtc::{self, CompileError, CompileOptions, Ptx};
use unstick_parallel::vector;

use super::staging::Staging;
use super::{Crew, Kernel, Machine, Recording, kernel_text};
use crate::error::GpuError;
use crate::layout::{Address, Args, MOST_BLOCKS, OWN_BYTES, PASSES, TINY_BYTES};

// SAFETY: plain numbers in the order and with the alignment of `struct Args` in `kernels/layout.cuh`.
unsafe impl DeviceRepr for Args {}

/// Bytes from which on the driver's own way from memory that it does not know is the slower one.
const WORTH_STAGING: usize = 1 << 16;

/// Bytes of the mailbox.
const MAILBOX: usize = 256;

/// Threads of a block that iterates with all others; `CREW_THREADS` of the kernels.
const CREW_THREADS: u32 = 512;

/// A device with the kernels of one dimension.
pub(crate) struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    functions: Vec<CudaFunction>,
    memory: Option<CudaSlice<u8>>,
    graphs: Vec<CudaGraph>,
    cluster: u32,
    crew: Crew,
    /// Where numbers arrive that the host waits for; memory that the device can write to directly.
    mailbox: PinnedHostSlice<u8>,
    staging: Staging,
}

// SAFETY: graphs and slices are handles that the driver allows to use from any one thread at a time, with the
// context bound to it; every method binds it first, and `&mut self` keeps threads apart.
unsafe impl Send for Cuda {}

/// What is missing for a device to be used; nothing if all is there.
pub(crate) fn check_libraries() -> Result<(), GpuError> {
    // SAFETY: these look for a library and load it, nothing else.
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

/// The kernels, compiled once for every kind of device and dimension.
fn compiled(options: CompileOptions) -> Result<Ptx, GpuError> {
    static KNOWN: Mutex<Vec<(Vec<String>, Ptx)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, compiled)) = known.iter().find(|(by, _)| *by == options.options) {
        return Ok(compiled.clone());
    }
    let by = options.options.clone();
    let compiled = nvrtc::compile_ptx_with_opts(kernel_text(), options).map_err(|error| GpuError::Compile {
        log: match error {
            CompileError::CompileError { log, .. } => log.to_string_lossy().into_owned(),
            other => format!("{other:?}"),
        },
    })?;
    known.push((by, compiled.clone()));
    Ok(compiled)
}

impl Cuda {
    /// Opens a device and compiles the kernels for it.
    pub fn open(ordinal: usize, dimension: usize) -> Result<Self, GpuError> {
        check_libraries()?;
        Self::check(ordinal)?;
        let context = CudaContext::new(ordinal).map_err(failed("open"))?;
        let (major, minor) = context.compute_capability().map_err(failed("tell its capability"))?;
        let cluster = if major >= 9 { 8 } else { 1 };
        let options = CompileOptions {
            options: vec![
                format!("--gpu-architecture=compute_{major}{minor}"),
                "--std=c++17".into(),
                "-default-device".into(),
                format!("-DDIM={dimension}"),
                format!("-DCLUSTER={cluster}"),
            ],
            ..CompileOptions::default()
        };
        let module = context.load_module(compiled(options)?).map_err(failed("load the kernels"))?;
        let functions = Kernel::ALL.iter().map(|kernel| module.load_function(kernel.name()));
        let functions: Vec<_> = functions.collect::<Result<_, _>>().map_err(failed("find a kernel"))?;
        let attribute = CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let crew = Self::crew_of(&context)?;
        let tiny = (Kernel::SmallCycle, Some(TINY_BYTES));
        let rooms = [Kernel::IterateRows, Kernel::IterateMoreRows].map(|kernel| (kernel, crew.room(kernel)));
        for (kernel, bytes) in [tiny].into_iter().chain(rooms) {
            let Some(bytes) = bytes else { continue };
            let lent = functions[kernel as usize].set_attribute(attribute, bytes as i32);
            lent.map_err(failed("lend a block its memory"))?;
        }
        let stream = context.new_stream().map_err(failed("open a stream"))?;
        // SAFETY: written by the device before it is read.
        let mailbox = unsafe { context.alloc_pinned::<u8>(MAILBOX) }.map_err(failed("lend host memory"))?;
        let staging = Staging::new(&context)?;
        Ok(Self { context, stream, functions, memory: None, graphs: Vec::new(), cluster, crew, mailbox, staging })
    }

    /// One block for each multiprocessor, with as much of its memory as there is use for.
    fn crew_of(context: &CudaContext) -> Result<Crew, GpuError> {
        use CUdevice_attribute_enum as Attribute;
        let tell = |attribute| context.attribute(attribute).map_err(failed("tell what it can do"));
        let can_wait = tell(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0;
        let blocks = tell(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32;
        let bytes = tell(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)? as u32;
        let passes = bytes / (OWN_BYTES * CREW_THREADS);
        Ok(Crew {
            blocks: if can_wait { blocks.min(MOST_BLOCKS) } else { 0 },
            threads: CREW_THREADS,
            passes: passes.min(PASSES),
        })
    }

    /// Whether there is a device of that number.
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
}

impl Machine for Cuda {
    fn allocate(&mut self, bytes: usize) -> Result<Address, GpuError> {
        self.bind()?;
        self.graphs.clear();
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
        // SAFETY: callers hand over ranges inside what `allocate` returned.
        unsafe { result::memset_d8_async(at, 0, bytes, self.stream.cu_stream()) }.map_err(failed("clear memory"))
    }

    fn write(&mut self, at: Address, bytes: &[u8]) -> Result<(), GpuError> {
        self.bind()?;
        if let (true, Ok(numbers)) = (bytes.len() >= WORTH_STAGING, bytemuck::try_cast_slice::<u8, f64>(bytes)) {
            let fill = |from: usize, piece: &mut [f64]| vector::copy(&numbers[from..from + piece.len()], piece);
            return self.staging.send(&self.stream, at, numbers.len(), &fill);
        }
        // SAFETY: as above; the copy has left `bytes` when the stream has been waited for.
        unsafe { result::memcpy_htod_async(at, bytes, self.stream.cu_stream()) }.map_err(failed("receive data"))?;
        self.stream.synchronize().map_err(failed("receive data"))
    }

    fn read(&mut self, at: Address, bytes: &mut [u8]) -> Result<(), GpuError> {
        self.bind()?;
        if bytes.len() <= MAILBOX {
            let mailbox = self.mailbox.as_mut_slice().map_err(failed("lend host memory"))?;
            let mailbox = &mut mailbox[..bytes.len()];
            // SAFETY: as above.
            unsafe { result::memcpy_dtoh_async(mailbox, at, self.stream.cu_stream()) }.map_err(failed("send data"))?;
            self.stream.synchronize().map_err(failed("run kernels"))?;
            bytes.copy_from_slice(mailbox);
            return Ok(());
        }
        // SAFETY: as above.
        unsafe { result::memcpy_dtoh_async(bytes, at, self.stream.cu_stream()) }.map_err(failed("send data"))?;
        self.stream.synchronize().map_err(failed("run kernels"))
    }

    fn send(&mut self, at: Address, count: usize, fill: &dyn Fn(usize, &mut [f64])) -> Result<(), GpuError> {
        self.bind()?;
        self.staging.send(&self.stream, at, count, fill)
    }

    fn receive(&mut self, at: Address, count: usize, take: &mut dyn FnMut(usize, &[f64])) -> Result<(), GpuError> {
        self.bind()?;
        self.staging.receive(&self.stream, at, count, take)
    }

    fn cluster(&self) -> u32 {
        self.cluster
    }

    fn crew(&self) -> Crew {
        self.crew
    }

    fn launch(&mut self, kernel: Kernel, blocks: u32, threads: u32, args: &Args) -> Result<(), GpuError> {
        let function = &self.functions[kernel as usize];
        let room = self.crew.room(kernel);
        let shared_mem_bytes = if kernel == Kernel::SmallCycle { TINY_BYTES } else { room.unwrap_or(0) };
        let shape = LaunchConfig { grid_dim: (blocks.max(1), 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes };
        let mut builder = self.stream.launch_builder(function);
        builder.arg(args);
        // SAFETY: every kernel takes one `Args`, whose addresses lie inside what `allocate` returned.
        let launched =
            unsafe { if room.is_some() { builder.launch_cooperative(shape) } else { builder.launch(shape) } };
        launched.map(drop).map_err(failed("launch a kernel"))
    }

    fn begin_recording(&mut self) -> Result<(), GpuError> {
        self.bind()?;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        self.stream.begin_capture(mode).map_err(failed("record launches"))
    }

    fn end_recording(&mut self) -> Result<Recording, GpuError> {
        let graph = self.stream.end_capture(CUgraphInstantiate_flags(0)).map_err(failed("record launches"))?;
        let nothing = || GpuError::Driver { action: "record launches", message: "nothing was recorded".into() };
        self.graphs.push(graph.ok_or_else(nothing)?);
        Ok(Recording(self.graphs.len() - 1))
    }

    fn replay(&mut self, recording: Recording) -> Result<(), GpuError> {
        self.bind()?;
        self.graphs[recording.0].launch().map_err(failed("replay launches"))
    }
}
