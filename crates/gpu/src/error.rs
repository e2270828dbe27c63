//! What can go wrong on a device.

use unstick_mlcp::SolveError;

/// A device that is missing or has failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// A library is not installed.
    #[error("{library} was not found: {needed}")]
    Library {
        /// Which one.
        library: &'static str,
        /// What would bring it.
        needed: &'static str,
    },
    /// The driver offers no device of that number.
    #[error("there is no GPU {ordinal}, the driver offers {count}")]
    NoDevice {
        /// The one asked for.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// The kernels were not accepted.
    #[error("the kernels do not compile on this device: {log}")]
    Compile {
        /// What the compiler says.
        log: String,
    },
    /// Not enough memory.
    #[error("the GPU has no room for {needed} MiB ({free} MiB are free)")]
    Memory {
        /// MiB asked for.
        needed: usize,
        /// MiB there are.
        free: usize,
    },
    /// The driver reports an error; the device may be lost.
    #[error("the GPU failed while it was to {action}: {message}")]
    Driver {
        /// What it was doing.
        action: &'static str,
        /// What the driver says.
        message: String,
    },
    /// A solver that the device does not have.
    #[error("`{name}` does not run on the GPU, which has {known}")]
    Solver {
        /// The one asked for.
        name: String,
        /// Those that do.
        known: String,
    },
    /// A problem that the device cannot take.
    #[error("{0}")]
    Unsupported(&'static str),
}

impl From<GpuError> for SolveError {
    fn from(error: GpuError) -> Self {
        Self::Machine(error.to_string())
    }
}
