//! An NVIDIA GPU, through its driver. The kernels are compiled when the device is opened.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{
    CUdevice_attribute_enum as Attribute, CUfunction_attribute_enum, CUgraphInstantiate_flags, CUstreamCaptureMode,
};
use cudarc::driver::{
    self, CudaContext, CudaFunction, CudaGraph, CudaModule, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError,
    LaunchConfig, PinnedHostSlice, PushKernelArg, result,
};
use cudarc::nvrtc::{self, CompileError, CompileOptions, Ptx};
use unstick_parallel::vector;

use super::download::Downloads;
use super::kept::Kept;
use super::staging::Staging;
use super::{CooperativeGrid, Download, Driver, Fill, Kernel, Part, Recording, Take};
use crate::error::GpuError;
use crate::layout::{
    Address, Args, COOPERATIVE_BLOCKS, COOPERATIVE_THREADS, MOST_OWN_GROUPS, OWN_BYTES, Pointer, TINY_BYTES,
};
use crate::text::kernel_text;

// SAFETY: `Args` is plain data without padding. The kernels' compiler asserts that its `struct Args`, which has the same
// fields, has the same size.
unsafe impl DeviceRepr for Args {}

/// Copies of at least this many bytes go through the staging buffers: the driver copies slowly from memory that it has
/// not pinned.
const WORTH_STAGING: usize = 1 << 16;

/// Bytes of the buffer for small results.
const RESULT_BYTES: usize = 256;

/// A device with the kernels of one dimension.
pub(crate) struct CudaDriver {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    functions: Vec<CudaFunction>,
    memory: Option<CudaSlice<u8>>,
    graphs: Vec<CudaGraph>,
    multiprocessors: u32,
    cluster: u32,
    cooperative_grid: CooperativeGrid,
    /// Where small results arrive: host memory that the device writes directly.
    results: PinnedHostSlice<u8>,
    staging: Staging,
    /// Made when somebody asks for one.
    downloads: Option<Downloads>,
}

// SAFETY: the driver allows any one thread at a time to use these handles, with the context bound to it. Every method
// binds the context first, and `&mut self` keeps threads apart.
unsafe impl Send for CudaDriver {}

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
        let cluster = if major >= 9 { 8 } else { 1 };
        let options = vec![
            format!("--gpu-architecture=compute_{major}{minor}"),
            "--std=c++17".into(),
            "-default-device".into(),
            format!("-DDIM={dimension}"),
            format!("-DCLUSTER={cluster}"),
        ];
        let module = module(&context, ordinal, options)?;
        let functions = Kernel::ALL.iter().map(|kernel| module.load_function(kernel.name()));
        let functions: Vec<_> = functions.collect::<Result<_, _>>().map_err(failed("find a kernel"))?;
        let stream = context.new_stream().map_err(failed("open a stream"))?;
        // SAFETY: the device writes this memory before it is read.
        let results = unsafe { context.alloc_pinned::<u8>(RESULT_BYTES) }.map_err(failed("pin host memory"))?;
        let driver = Self {
            multiprocessors: attribute(&context, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            cooperative_grid: cooperative_grid(&context)?,
            staging: Staging::new(&context)?,
            downloads: None,
            memory: None,
            graphs: Vec::new(),
            context,
            stream,
            functions,
            cluster,
            results,
        };
        driver.reserve_block_memory()?;
        Ok(driver)
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
}

impl Driver for CudaDriver {
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
        // SAFETY: callers pass ranges inside the memory of `allocate`.
        unsafe { result::memset_d8_async(at, 0, bytes, self.stream.cu_stream()) }.map_err(failed("clear memory"))
    }

    fn write(&mut self, at: Address, bytes: &[u8]) -> Result<(), GpuError> {
        self.bind()?;
        if let (true, Ok(numbers)) = (bytes.len() >= WORTH_STAGING, bytemuck::try_cast_slice::<u8, f64>(bytes)) {
            let fill = |from: usize, piece: &mut [f64]| vector::copy(&numbers[from..from + piece.len()], piece);
            return self.staging.send(&self.stream, Pointer::new(at), numbers.len(), &fill);
        }
        // SAFETY: as above. The copy ends before `bytes` does, because the stream is waited for.
        unsafe { result::memcpy_htod_async(at, bytes, self.stream.cu_stream()) }.map_err(failed("receive data"))?;
        self.stream.synchronize().map_err(failed("receive data"))
    }

    fn read(&mut self, at: Address, bytes: &mut [u8]) -> Result<(), GpuError> {
        self.bind()?;
        if bytes.len() <= RESULT_BYTES {
            let results = self.results.as_mut_slice().map_err(failed("pin host memory"))?;
            let results = &mut results[..bytes.len()];
            // SAFETY: as above.
            unsafe { result::memcpy_dtoh_async(results, at, self.stream.cu_stream()) }.map_err(failed("send data"))?;
            self.stream.synchronize().map_err(failed("run kernels"))?;
            bytes.copy_from_slice(results);
            return Ok(());
        }
        // SAFETY: as above.
        unsafe { result::memcpy_dtoh_async(bytes, at, self.stream.cu_stream()) }.map_err(failed("send data"))?;
        self.stream.synchronize().map_err(failed("run kernels"))
    }

    fn send(&mut self, at: Pointer<f64>, count: usize, fill: Fill) -> Result<(), GpuError> {
        self.bind()?;
        self.staging.send(&self.stream, at, count, fill)
    }

    fn receive(&mut self, at: Pointer<f64>, count: usize, take: Take) -> Result<(), GpuError> {
        self.bind()?;
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
