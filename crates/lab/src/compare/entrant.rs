//! Who takes part in a comparison: a method, and the machine it runs on.

use std::fmt;

use unstick::gpu::{Backend, Gpu, GpuError, GpuSolver, Placement, Times};
use unstick::mlcp::{Mlcp, MlcpSolver, PressureMethod, SolveError, SolveReport, SolverOptions};

use super::Velocities;
use crate::LabError;

/// A method on a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entrant {
    /// What is done.
    pub method: PressureMethod,
    /// Where.
    machine: Machine,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Machine {
    Processor,
    Device(Gpu),
    /// The device for problems on a grid, else the processor.
    Either(Gpu),
}

impl From<PressureMethod> for Entrant {
    fn from(method: PressureMethod) -> Self {
        Self { method, machine: Machine::Processor }
    }
}

impl Entrant {
    /// Every method on every machine asked for. Methods that the GPU does not have are left out there, and named
    /// beside the others; if it has none of them, or if there is none, that is refused.
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

    /// A method where a backend has it.
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

    /// The same once the problem is known: `auto` takes the device for problems on a grid.
    pub fn on(self, problem: &Mlcp) -> Self {
        let machine = match self.machine {
            Machine::Either(gpu) if problem.operator().pressure().is_some() => Machine::Device(gpu),
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

    /// Whether its walls pull, whatever the problem asks for.
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

/// An entrant at work.
pub enum PreparedSolver {
    /// Built anew for every solve, so that nothing is carried over from the one before.
    Processor(PressureMethod),
    /// With its kernels compiled and its memory taken, before any clock is read.
    Device(Box<GpuSolver>),
}

impl PreparedSolver {
    /// Prepares an entrant for a problem; a device solves it once from there.
    pub fn new(entrant: Entrant, options: &SolverOptions, problem: &Mlcp, start: &[f64]) -> Result<Self, SolveError> {
        match (entrant.on(problem).machine, entrant.method) {
            (Machine::Device(gpu), PressureMethod::Solver(name)) => {
                let mut solver = gpu.solver(&name, options.clone())?;
                let _ = solver.solve(problem, &mut start.to_vec())?;
                Ok(Self::Device(Box::new(solver)))
            }
            _ => Ok(Self::Processor(entrant.method)),
        }
    }

    /// One solve from x; splittings begin at zero.
    pub fn solve(
        &mut self,
        options: &SolverOptions,
        problem: &Mlcp,
        velocities: Option<&dyn Velocities>,
        x: &mut [f64],
    ) -> Result<SolveReport, SolveError> {
        match (self, velocities) {
            (Self::Device(solver), _) => solver.solve(problem, x),
            (Self::Processor(PressureMethod::Solver(name)), _) => name.build(options).solve(problem, x),
            (Self::Processor(PressureMethod::Splitting(name)), Some(velocities)) => {
                let (report, q) = velocities.split(*name)?;
                x.copy_from_slice(&q);
                Ok(report)
            }
            (Self::Processor(PressureMethod::Splitting(name)), None) => {
                Err(SolveError::NeedsVelocity { splitting: name.splitting().name() })
            }
        }
    }

    /// Where the time of the last solve went, if it was on a device.
    pub fn times(&self) -> Option<Times> {
        match self {
            Self::Processor(_) => None,
            Self::Device(solver) => Some(solver.times()),
        }
    }
}
