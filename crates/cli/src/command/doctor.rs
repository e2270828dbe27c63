//! `unstick doctor`: what this machine offers.

use std::fmt::Write;

use serde::Serialize;

use unstick::gpu::{Gpu, GpuError, Probe};
use unstick_lab::machine::{self, GIBI, Memory};
use unstick_parallel::bandwidth;

use super::Verdict;
use crate::args::DoctorArgs;
use crate::error::CommandError;
use crate::output;

#[derive(Debug, Serialize)]
struct Diagnosis {
    version: &'static str,
    system: &'static str,
    architecture: &'static str,
    processor: Option<String>,
    /// Threads that the system offers.
    threads_available: usize,
    /// Threads that solvers use.
    threads: usize,
    simd: Vec<&'static str>,
    memory: Option<Memory>,
    /// Bytes read and written per second.
    copy_bandwidth_one_thread: f64,
    copy_bandwidth_all_threads: f64,
    /// Names of the devices.
    gpus: Vec<String>,
    /// Why no GPU can be used.
    gpu_missing: Option<String>,
    /// Measurements of the first device.
    gpu_probe: Option<ProbeFacts>,
}

/// Measurements of a GPU.
#[derive(Debug, Serialize)]
struct ProbeFacts {
    /// Cells along each axis of the cube of liquid that was used.
    cells: usize,
    /// Bytes read and written per second.
    copy_bandwidth: f64,
    launch_seconds: f64,
    half_sweep_seconds: f64,
    /// Bandwidth of a half-sweep divided by that of a copy.
    half_sweep_share_of_copy: f64,
    cycle_seconds: f64,
    /// Time of a V(2,2)-cycle divided by the time of a copy of as many bytes.
    cycle_over_traffic_limit: f64,
}

/// Measures and prints.
pub fn run(args: &DoctorArgs) -> Result<Verdict, CommandError> {
    let diagnosis = Diagnosis::of_this_machine(args.bench)?;
    if args.json {
        output::print(serde_json::to_string(&diagnosis).map_err(CommandError::new)?)?;
    } else {
        output::print(diagnosis.text())?;
    }
    Ok(Verdict::Done)
}

impl Diagnosis {
    fn of_this_machine(with_probe: bool) -> Result<Self, CommandError> {
        let gpus = gpus();
        let gpu_probe = (with_probe && gpus.is_ok()).then(probe).transpose()?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            processor: machine::processor(),
            threads_available: std::thread::available_parallelism().map_or(1, usize::from),
            threads: rayon::current_num_threads(),
            simd: machine::simd_features(),
            memory: Memory::of_this_machine(),
            copy_bandwidth_one_thread: machine::thread_pool(1)?.install(bandwidth::copy),
            copy_bandwidth_all_threads: bandwidth::copy(),
            gpu_missing: gpus.as_ref().err().map(GpuError::to_string),
            gpus: gpus.unwrap_or_default(),
            gpu_probe,
        })
    }

    fn text(&self) -> String {
        let plural = |count: usize| if count == 1 { "thread" } else { "threads" };
        let mut text = format!("unstick {}\n", self.version);
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<18}{value}");
        };
        let processor = self.processor.as_deref().unwrap_or("unknown");
        line("processor", format!("{processor} ({}, {})", self.architecture, self.system));
        line("threads", format!("{} in use, {} offered by the system", self.threads, self.threads_available));
        line("SIMD", if self.simd.is_empty() { "none known".into() } else { self.simd.join(" ") });
        if let Some(memory) = &self.memory {
            let [total, available] = [memory.total_bytes, memory.available_bytes].map(|bytes| bytes as f64 / GIBI);
            line("memory", format!("{total:.1} GiB, {available:.1} GiB of it available"));
        }
        line("copy, 1 thread", format!("{:.1} GB/s", self.copy_bandwidth_one_thread / 1e9));
        let all = format!("copy, {} {}", self.threads, plural(self.threads));
        line(&all, format!("{:.1} GB/s", self.copy_bandwidth_all_threads / 1e9));
        let copied = bandwidth::COPIED_BYTES >> 20;
        let _ = writeln!(text, "  (copies of {copied} MiB, bytes read and written; large solves are bound by this)");
        let _ = match &self.gpu_missing {
            Some(missing) => write!(text, "  {:<18}none that can be used: {missing}", "GPU"),
            None => write!(text, "  {:<18}{}", "GPU", self.gpus.join(", ")),
        };
        self.gpu_probe.iter().for_each(|probe| text += &probe.text());
        text
    }
}

/// Names of all devices that can be used, at least one.
fn gpus() -> Result<Vec<String>, GpuError> {
    let first = Gpu::first()?;
    let mut names = Gpu::status().unwrap_or_default();
    if names.is_empty() {
        names.push(first.name()?);
    }
    Ok(names)
}

/// Measures the first device.
fn probe() -> Result<ProbeFacts, GpuError> {
    let gpu = Gpu::first()?;
    Ok(ProbeFacts::of(&gpu.probe(gpu.probed_cells())?))
}

impl ProbeFacts {
    fn of(probe: &Probe) -> Self {
        Self {
            cells: probe.cells,
            copy_bandwidth: probe.copy_bandwidth,
            launch_seconds: probe.launch,
            half_sweep_seconds: probe.half_sweep.seconds,
            half_sweep_share_of_copy: probe.sweep_share(),
            cycle_seconds: probe.cycle.seconds,
            cycle_over_traffic_limit: probe.cycle_ratio(),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            let _ = write!(text, "\n  {name:<18}{value}");
        };
        line("GPU copy", format!("{:.0} GB/s", self.copy_bandwidth / 1e9));
        line("GPU launch", format!("{:.1} µs from one to the next", 1e6 * self.launch_seconds));
        let share = 100.0 * self.half_sweep_share_of_copy;
        line("GPU half-sweep", format!("{:.1} µs, {share:.0} % of the copy", 1e6 * self.half_sweep_seconds));
        let ratio = self.cycle_over_traffic_limit;
        line(
            "GPU V(2,2)-cycle",
            format!("{:.3} ms, {ratio:.2} times the limit of its traffic", 1e3 * self.cycle_seconds),
        );
        text + &format!("\n  (a cube of liquid of {0} × {0} × {0} cells)", self.cells)
    }
}
