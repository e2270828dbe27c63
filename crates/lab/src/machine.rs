//! The machine that this runs on.

use std::fs;

use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;

use crate::LabError;

/// Bytes in a GiB.
pub const GIBI: f64 = (1u64 << 30) as f64;

/// Main memory.
#[derive(Debug, PartialEq, Serialize)]
pub struct Memory {
    /// All of it.
    pub total_bytes: u64,
    /// What is available without swapping.
    pub available_bytes: u64,
}

impl Memory {
    /// The memory of this machine, if the system tells.
    pub fn of_this_machine() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/meminfo").ok()?)
    }

    fn parse(meminfo: &str) -> Option<Self> {
        let bytes = |key: &str| -> Option<u64> {
            let rest = meminfo.lines().find_map(|line| line.strip_prefix(key))?;
            rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
        };
        Some(Self { total_bytes: bytes("MemTotal:")?, available_bytes: bytes("MemAvailable:")? })
    }
}

/// Refuses a grid that needs more memory than there is. Otherwise the system might kill the process later.
///
/// `cells` are those along the longest of `dimension` axes.
pub fn check_memory(cells: usize, dimension: usize, needed: f64) -> Result<(), LabError> {
    let Some(memory) = Memory::of_this_machine() else { return Ok(()) };
    let available = memory.available_bytes as f64;
    if needed <= available {
        return Ok(());
    }
    let largest = (cells as f64 * (available / needed).powf(1.0 / dimension as f64)) as usize;
    Err(LabError::Memory { cells, needed, available, largest })
}

/// A thread pool of its own.
pub fn thread_pool(threads: u16) -> Result<ThreadPool, LabError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.into()).build();
    pool.map_err(|error| LabError::Threads { threads, reason: error.to_string() })
}

/// The name of the processor, if the system tells.
pub fn processor() -> Option<String> {
    processor_name(&fs::read_to_string("/proc/cpuinfo").ok()?)
}

fn processor_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// Vector instructions that the processor has.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub fn simd_features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt),+) => { [$(($name, std::is_x86_feature_detected!($name))),+] };
    }
    let features = detected!("sse2", "sse4.2", "avx", "avx2", "fma", "avx512f", "avx512dq", "avx512vl");
    features.into_iter().filter_map(|(name, found)| found.then_some(name)).collect()
}

/// Vector instructions that the processor has.
#[cfg(target_arch = "aarch64")]
pub fn simd_features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($name:tt),+) => { [$(($name, std::arch::is_aarch64_feature_detected!($name))),+] };
    }
    detected!("neon", "sve", "sve2").into_iter().filter_map(|(name, found)| found.then_some(name)).collect()
}

/// Vector instructions that the processor has: unknown on this architecture.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
pub fn simd_features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_system_are_understood() {
        let meminfo = "MemTotal:        2048 kB\nMemFree:  1 kB\nMemAvailable:    1024 kB\n";
        assert_eq!(Memory::parse(meminfo), Some(Memory { total_bytes: 2 << 20, available_bytes: 1 << 20 }));
        assert_eq!(Memory::parse("nothing of the kind"), None);
        let cpuinfo = "processor : 0\nmodel name\t: A Processor @ 3 GHz\n";
        assert_eq!(processor_name(cpuinfo).as_deref(), Some("A Processor @ 3 GHz"));
    }
}
