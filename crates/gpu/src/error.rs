//! Errors of a device.

use unstick_mlcp::SolveError;

/// A device that is missing or has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// A library is not installed.
    #[error("{library} was not found: {needed}")]
    Library {
        /// Its name.
        library: &'static str,
        /// How to get it.
        needed: &'static str,
    },
    /// There is no device of that number.
    #[error("there is no GPU {ordinal}, the driver offers {count}")]
    NoDevice {
        /// The number asked for.
        ordinal: usize,
        /// The number of devices.
        count: usize,
    },
    /// The kernels do not compile: what the compiler says.
    #[error("the kernels do not compile on this device: {0}")]
    Compile(String),
    /// The device has too little memory.
    #[error("the GPU has no room for {needed} MiB ({free} MiB are free)")]
    Memory {
        /// MiB asked for.
        needed: usize,
        /// MiB that are free.
        free: usize,
    },
    /// The driver reports an error; the device may be lost.
    #[error("the GPU failed to {action}: {message}")]
    Driver {
        /// What it was asked to do.
        action: &'static str,
        /// What the driver says.
        message: String,
    },
    /// A solver that the device does not have.
    #[error("`{name}` does not run on the GPU, which has {known}")]
    Solver {
        /// The solver asked for.
        name: String,
        /// The solvers of the device.
        known: String,
    },
    /// A problem that the device cannot solve.
    #[error("{0}")]
    Unsupported(&'static str),
}

impl From<GpuError> for SolveError {
    fn from(error: GpuError) -> Self {
        Self::Machine(error.to_string())
    }
}
