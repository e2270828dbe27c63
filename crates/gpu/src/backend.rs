//! Where a solver runs: the choice between the processor and a device.

use std::fmt;

use unstick_mlcp::SolverName;

use crate::error::GpuError;
use crate::solver::Gpu;

/// A wish: what is to solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The processor.
    #[default]
    Cpu,
    /// The GPU and nothing else.
    Gpu,
    /// The GPU where there is one that has the solver, else the processor.
    Auto,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// The processor, and why not the GPU where that would have been welcome.
    Cpu(Option<GpuError>),
    /// A device.
    Gpu(Gpu),
}

impl Backend {
    /// All of them, by name.
    pub const ALL: [(&'static str, Self); 3] = [("cpu", Self::Cpu), ("gpu", Self::Gpu), ("auto", Self::Auto)];

    /// Decides for a solver.
    ///
    /// ```
    /// use unstick_gpu::{Backend, Placement};
    /// let placement = Backend::Auto.place(&"psor".parse()?)?;
    /// assert!(matches!(placement, Placement::Cpu(Some(_)))); // no GPU, or none that has `psor`
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn place(self, name: &SolverName) -> Result<Placement, GpuError> {
        if self == Self::Cpu {
            return Ok(Placement::Cpu(None));
        }
        match Gpu::first().and_then(|gpu| gpu.solver(name, Default::default()).map(|_| gpu)) {
            Ok(gpu) => Ok(Placement::Gpu(gpu)),
            Err(reason) if self == Self::Auto => Ok(Placement::Cpu(Some(reason))),
            Err(error) => Err(error),
        }
    }

    /// The same for problems on a grid of so many cells. Kernels are compiled and memory is taken for a moment, so
    /// that what is missing shows before anything is begun.
    pub fn place_on(self, name: &SolverName, cells: &[usize]) -> Result<Placement, GpuError> {
        let placement = self.place(name)?;
        let Some(gpu) = placement.gpu() else { return Ok(placement) };
        match gpu.solver(name, Default::default())?.prepare(cells) {
            Err(reason) if self == Self::Auto => Ok(Placement::Cpu(Some(reason))),
            tried => tried.map(|()| placement),
        }
    }
}

impl Placement {
    /// The device, if it is one.
    pub fn gpu(&self) -> Option<Gpu> {
        match self {
            Self::Cpu(_) => None,
            Self::Gpu(gpu) => Some(*gpu),
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu(None) => f.write_str("cpu"),
            Self::Cpu(Some(reason)) => write!(f, "cpu ({reason})"),
            Self::Gpu(gpu) => write!(f, "gpu ({})", gpu.name().unwrap_or_else(|error| error.to_string())),
        }
    }
}
