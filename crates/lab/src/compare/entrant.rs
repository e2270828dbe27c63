//! A participant of a comparison: a method and where it runs.

use std::fmt;

use unstick::gpu::{Backend, Gpu, GpuError, GpuSolver, Placement, Times};
use unstick::mlcp::{Mlcp, MlcpSolver, PressureMethod, SolveError, SolveReport, Stop};

use super::Velocities;
use crate::LabError;

/// A method, and where it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entrant {
    /// The method.
    pub method: PressureMethod,
    /// Where it runs.
    machine: Machine,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Machine {
    Processor,
    Device(Gpu),
    /// The device for problems on a grid, the processor for others.
    Either(Gpu),
}

impl From<PressureMethod> for Entrant {
    fn from(method: PressureMethod) -> Self {
        Self { method, machine: Machine::Processor }
    }
}

impl Entrant {
    /// Every method on every backend, and a note for each method that the GPU lacks. Refused if there is no GPU or
    /// it lacks all methods.
    pub fn all(methods: &[PressureMethod], backends: &[Backend]) -> Result<(Vec<Self>, Vec<String>), LabError> {
        let mut placed = Vec::new();
        for &backend in backends {
            let of_backend: Vec<_> = methods.iter().map(|&method| Self::place(method, backend)).collect();
            if let (Some(Err(error)), true) = (of_backend.first(), of_backend.iter().all(Result::is_err)) {
                return Err(LabError::Gpu(error.clone()));
            }
            placed.push(of_backend);
        }
        let (mut entrants, mut notes) = (Vec::new(), Vec::new());
        for (index, method) in methods.iter().enumerate() {
            for of_backend in &placed {
                match &of_backend[index] {
                    Ok(entrant) if !entrants.contains(entrant) => entrants.push(*entrant),
                    Ok(_) => {}
                    Err(reason) => notes.push(format!("{method} on gpu is left out: {reason}")),
                }
            }
        }
        Ok((entrants, notes))
    }

    /// A method on a backend, if the backend has it.
    pub fn place(method: PressureMethod, backend: Backend) -> Result<Self, GpuError> {
        let placement = match method {
            PressureMethod::Solver(name) => backend.place(&name)?,
            PressureMethod::Splitting(_) if backend == Backend::Gpu => {
                return Err(GpuError::Unsupported("splittings run on the processor"));
            }
            PressureMethod::Splitting(_) => Placement::Cpu(None),
        };
        let machine = match placement {
            Placement::Cpu(_) => Machine::Processor,
            Placement::Gpu(gpu) if backend == Backend::Auto => Machine::Either(gpu),
            Placement::Gpu(gpu) => Machine::Device(gpu),
        };
        Ok(Self { method, machine })
    }

    /// The same for a known problem: `auto` takes the device where it has the solver for it.
    pub fn on(self, problem: &Mlcp) -> Self {
        let takes = |gpu: Gpu| matches!(self.method, PressureMethod::Solver(name) if gpu.takes(&name, problem));
        let machine = match self.machine {
            Machine::Either(gpu) if takes(gpu) => Machine::Device(gpu),
            Machine::Either(_) => Machine::Processor,
            machine => machine,
        };
        Self { machine, ..self }
    }

    /// `cpu` or `gpu`.
    pub fn backend(self) -> &'static str {
        match self.machine {
            Machine::Processor => "cpu",
            Machine::Device(_) | Machine::Either(_) => "gpu",
        }
    }

    /// Whether it solves with walls that pull, whatever the problem says.
    pub fn is_sticking(self) -> bool {
        self.method.is_sticking()
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.machine {
            Machine::Processor => self.method.fmt(f),
            _ => f.pad(&format!("{} on gpu", self.method)),
        }
    }
}

/// An entrant, ready to solve a problem.
pub enum PreparedSolver {
    /// The solver is built again for every solve, so no solve profits from an earlier one.
    Processor(Box<PressureMethod>),
    /// The kernels are compiled and the memory is allocated before times are measured.
    Device(Box<GpuSolver>),
}

impl PreparedSolver {
    /// Prepares an entrant for a problem. A device solves it once to warm up.
    pub fn new(entrant: Entrant, stop: &Stop, problem: &Mlcp, start: &[f64]) -> Result<Self, SolveError> {
        match (entrant.on(problem).machine, entrant.method) {
            (Machine::Device(gpu), PressureMethod::Solver(name)) => {
                let mut solver = gpu.solver(&name, *stop)?;
                let _ = solver.solve(problem, &mut start.to_vec())?;
                Ok(Self::Device(Box::new(solver)))
            }
            _ => Ok(Self::Processor(Box::new(entrant.method))),
        }
    }

    /// Solves once, starting from x. Splittings start from zero.
    pub fn solve(
        &mut self,
        stop: &Stop,
        problem: &Mlcp,
        velocities: Option<&dyn Velocities>,
        x: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        let method = match self {
            Self::Device(solver) => return solver.solve(problem, x),
            Self::Processor(method) => **method,
        };
        match (method, velocities) {
            (PressureMethod::Solver(name), _) => name.build(stop).solve(problem, x),
            (PressureMethod::Splitting(name), Some(velocities)) => {
                let (report, q) = velocities.split(name)?;
                x.copy_from_slice(&q);
                Ok(report)
            }
            (PressureMethod::Splitting(name), None) => Err(SolveError::NeedsVelocity(name.splitting().name())),
        }
    }

    /// Times of the last solve on the device.
    pub fn times(&self) -> Option<Times> {
        match self {
            Self::Processor(_) => None,
            Self::Device(solver) => Some(solver.times()),
        }
    }
}
