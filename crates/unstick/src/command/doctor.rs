//! `unstick doctor`: what this machine offers.

use std::fmt::Write;

use serde::Serialize;

use unstick::mlcp::bandwidth;

use super::Verdict;
use crate::args::DoctorArgs;
use crate::error::CommandError;
use crate::machine::{self, GIBI, Memory};
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
}

/// Looks, measures and reports.
pub fn run(args: &DoctorArgs) -> Result<Verdict, CommandError> {
    let diagnosis = Diagnosis::of_this_machine()?;
    if args.json {
        let text = serde_json::to_string_pretty(&diagnosis).map_err(|error| CommandError::Stdout(error.to_string()))?;
        output::print(text)?;
    } else {
        output::print(diagnosis.text())?;
    }
    Ok(Verdict::Done)
}

impl Diagnosis {
    fn of_this_machine() -> Result<Self, CommandError> {
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
        text + &format!("  (copies of {copied} MiB, bytes read and written; large solves are bound by this)")
    }
}
