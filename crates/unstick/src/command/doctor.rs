//! `unstick doctor`: what this machine offers.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;

use super::Verdict;
use crate::args::DoctorArgs;
use crate::error::CommandError;
use crate::machine::{self, GIBI, Memory};
use crate::output;

/// Entries of the array that is copied: 64 MiB, more than caches hold.
const COPIED: usize = 8 << 20;

/// The best of this many copies counts.
const REPETITIONS: usize = 7;

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
    let diagnosis = Diagnosis::of_this_machine();
    if args.json {
        let text = serde_json::to_string_pretty(&diagnosis).map_err(|error| CommandError::Stdout(error.to_string()))?;
        output::print(text)?;
    } else {
        output::print(diagnosis.text())?;
    }
    Ok(Verdict::Done)
}

impl Diagnosis {
    fn of_this_machine() -> Self {
        let (one, all) = measure_copy_bandwidth();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
            processor: machine::processor(),
            threads_available: std::thread::available_parallelism().map_or(1, usize::from),
            threads: rayon::current_num_threads(),
            simd: machine::simd_features(),
            memory: Memory::of_this_machine(),
            copy_bandwidth_one_thread: one,
            copy_bandwidth_all_threads: all,
        }
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
        text + "  (copies of 64 MiB, bytes read and written; large solves are bound by this)"
    }
}

/// Bytes read and written per second by one thread and by all.
fn measure_copy_bandwidth() -> (f64, f64) {
    let source: Vec<f64> = (0..COPIED).map(|index| index as f64).collect();
    let mut target = vec![1.0; COPIED];
    let bytes = (2 * size_of_val(source.as_slice())) as f64;
    let one = best_of(|| target.copy_from_slice(black_box(&source)));
    let part = COPIED.div_ceil(4 * rayon::current_num_threads());
    let all = best_of(|| {
        let parts = target.par_chunks_mut(part).zip(black_box(&source).par_chunks(part));
        parts.for_each(|(target, source)| target.copy_from_slice(source));
    });
    black_box(&target);
    (bytes / one, bytes / all)
}

/// The shortest time of several, in seconds.
fn best_of(mut work: impl FnMut()) -> f64 {
    let times = (0..REPETITIONS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE)
}
