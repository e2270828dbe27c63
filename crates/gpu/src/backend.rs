//! The choice between the processor and a device.

use std::fmt;

use unstick_mlcp::SolverName;

use crate::error::GpuError;
use crate::solver::Gpu;

/// Where a solver should run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The processor.
    #[default]
    Cpu,
    /// The GPU and nothing else.
    Gpu,
    /// The GPU if there is one that has the solver, otherwise the processor.
    Auto,
}

/// Where a solver runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// The processor. If a GPU was possible, the reason why there is none.
    Cpu(Option<GpuError>),
    /// This device.
    Gpu(Gpu),
}

impl Backend {
    /// All choices, by name.
    pub const ALL: [(&'static str, Self); 3] = [("cpu", Self::Cpu), ("gpu", Self::Gpu), ("auto", Self::Auto)];

    /// Decides where a solver runs.
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

    /// The same for problems on a grid of this size. Kernels are compiled and memory is allocated for a moment, so that
    /// a failure shows before a run begins.
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
    /// The device, if there is one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_needs_no_reason() {
        let placement = Backend::Cpu.place(&"psor".parse().unwrap()).unwrap();
        assert_eq!((placement.to_string().as_str(), placement.gpu()), ("cpu", None));
    }

    #[test]
    fn a_solver_without_kernels_runs_on_the_processor_or_not_at_all() {
        let name = "psor".parse().unwrap();
        let placement = Backend::Auto.place_on(&name, &[8, 8]).unwrap();
        assert!(matches!(placement, Placement::Cpu(Some(_))));
        assert!(placement.to_string().starts_with("cpu ("));
        assert!(Backend::Gpu.place_on(&name, &[8, 8]).is_err());
    }

    #[test]
    fn names_are_those_of_the_command() {
        assert_eq!(Backend::ALL.map(|(name, _)| name), ["cpu", "gpu", "auto"]);
        assert_eq!(Backend::default(), Backend::Cpu);
    }
}
