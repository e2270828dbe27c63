//! Solvers by name, on a device.

use std::time::Instant;

use unstick_mlcp::device::{self, Patience};
use unstick_mlcp::run::{self, Trace};
use unstick_mlcp::solvers::policy::PolicyParams;
use unstick_mlcp::{
    AnyPressureOperator, LinearOperator, Mlcp, MlcpSolver, PressureOperator, SolveError, SolveReport, SolverName, Stop,
};

use crate::arena::Source;
use crate::catalogue::{self, Plan};
use crate::error::GpuError;
use crate::machine::{Cuda, Machine, check_libraries};
use crate::methods::{Newton, Policy, Sticking};
use crate::resident::{Resident, Times};

/// A device that solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Cuda(usize),
    /// The host, which is lost after so many problems.
    #[cfg(feature = "emulation")]
    Host(u64),
}

/// Where it is set, and the host can stand in for a device, it does: for tests of all that is built on devices. A
/// number says after how many problems it is lost.
#[cfg(feature = "emulation")]
const EMULATED: &str = "UNSTICK_EMULATED_GPU";

impl Gpu {
    /// The device of that number, once driver and compiler are found and the device answers.
    pub fn open(ordinal: usize) -> Result<Self, GpuError> {
        check_libraries()?;
        Cuda::check(ordinal)?;
        Ok(Self { place: Place::Cuda(ordinal) })
    }

    /// The first device there is.
    pub fn first() -> Result<Self, GpuError> {
        #[cfg(feature = "emulation")]
        if let Ok(problems) = std::env::var(EMULATED) {
            return Ok(Self { place: Place::Host(problems.parse().unwrap_or(u64::MAX)) });
        }
        Self::open(0)
    }

    /// The host in place of a device: exact, slow, for tests.
    #[cfg(feature = "emulation")]
    pub fn emulated() -> Self {
        Self { place: Place::Host(u64::MAX) }
    }

    /// What the device is called.
    pub fn name(self) -> Result<String, GpuError> {
        match self.place {
            Place::Cuda(ordinal) => Ok(Cuda::names()?.swap_remove(ordinal)),
            #[cfg(feature = "emulation")]
            Place::Host(_) => Ok("emulated".into()),
        }
    }

    /// What there is, in words: the names of all devices.
    pub fn status() -> Result<Vec<String>, GpuError> {
        check_libraries()?;
        Cuda::names()
    }

    /// Names of the solvers that run on a device.
    pub fn solvers() -> impl Iterator<Item = &'static str> {
        catalogue::names()
    }

    /// A solver of the catalogue on this device.
    pub fn solver(self, name: &SolverName, stop: Stop) -> Result<GpuSolver, GpuError> {
        let plan = Plan::of(name)?;
        Ok(GpuSolver { gpu: self, solver_name: *name, plan, stop, resident: None, times: Times::default() })
    }

    /// Cells along each axis on which a [probe](Self::probe) says something of large problems.
    pub fn probed_cells(self) -> usize {
        match self.place {
            Place::Cuda(_) => 256,
            #[cfg(feature = "emulation")]
            Place::Host(_) => 16,
        }
    }

    pub(crate) fn machine(self, dimension: usize) -> Result<Box<dyn Machine>, GpuError> {
        match self.place {
            Place::Cuda(ordinal) => Ok(Box::new(Cuda::open(ordinal, dimension)?)),
            #[cfg(feature = "emulation")]
            Place::Host(problems) => Ok(Box::new(crate::machine::Emulated::new(dimension, problems))),
        }
    }
}

/// A solver whose memory stays on the device from one problem to the next.
pub struct GpuSolver {
    gpu: Gpu,
    pub(crate) solver_name: SolverName,
    pub(crate) plan: Plan,
    pub(crate) stop: Stop,
    resident: Option<Resident>,
    pub(crate) times: Times,
}

impl GpuSolver {
    /// Where the time of the last solve went.
    pub fn times(&self) -> Times {
        self.times
    }

    /// Compiles the kernels and takes the memory for any problem on a grid of so many cells, rows or fields: what is
    /// missing shows now, and not in the first solve.
    pub fn prepare(&mut self, cells: &[usize]) -> Result<(), GpuError> {
        self.resident(cells, Source::Fields { has_flow: true }).map(drop)
    }

    /// Memory for a problem on such a grid.
    pub(crate) fn resident(&mut self, cells: &[usize], source: Source) -> Result<&mut Resident, GpuError> {
        let dimension = cells.len();
        let shape = [cells[0], cells[1], cells.get(2).copied().unwrap_or(1)];
        let kept = self.resident.take();
        let resident = match kept {
            Some(resident) if resident.suits(dimension, shape, source) => resident,
            other => {
                let machine = other.and_then(|resident| resident.into_machine(dimension));
                let machine = machine.map_or_else(|| self.gpu.machine(dimension), Ok)?;
                // The next problem of a simulation has a few rows more or less.
                let room = match source {
                    Source::Rows(rows) => Source::Rows((rows + rows / 4).min(shape.iter().product())),
                    fields => fields,
                };
                Resident::new(machine, dimension, shape, room, &self.plan.vectors())?
            }
        };
        Ok(self.resident.insert(resident))
    }

    fn solve_on<const D: usize>(
        &mut self,
        operator: &PressureOperator<D>,
        task: &run::Solvable,
        q: &mut [f64],
        trace: &mut Trace,
    ) -> Result<bool, SolveError> {
        let (plan, name) = (self.plan, self.solver_name);
        let begin = Instant::now();
        let mut times = Times::default();
        let resident = self.resident(operator.lattice().shape(), Source::Rows(operator.size()))?;
        resident.upload(operator, task.problem, task.loose, q)?;
        let uploaded = resident.wait()?;
        let ready = trace.set_up(|| plan.set_up(resident).and_then(|()| resident.wait()))?;
        let has_ended = plan.iterate(name, resident, trace)?;
        let solved = resident.wait()?;
        resident.download(operator.lattice().cells(), q)?;
        times.upload = uploaded - begin;
        times.setup = ready - uploaded;
        times.solve = solved - ready;
        times.download = solved.elapsed();
        self.times = times;
        Ok(has_ended)
    }

    /// Goes on with the solver of the processor from where the device has left off: rows that must be
    /// exchanged one by one are nothing for many threads.
    fn fall_back(&self, problem: &Mlcp, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
        let stop = Stop::absolute(trace.target()).with_max_cycles(self.stop.max_cycles);
        let report = self.solver_name.build(&stop).solve(problem, q)?;
        trace.remark("the device made no progress, the processor took over");
        trace.spend(report.inner_iterations());
        trace.end(report.outcome());
        trace.goes_on(report.residual()).map(drop)
    }
}

impl Plan {
    pub(crate) fn set_up(self, resident: &mut Resident) -> Result<(), GpuError> {
        match self {
            Self::Best => resident.set_up(),
            Self::Sticking(precondition) | Self::Policy(precondition) | Self::Newton(precondition) => {
                resident.set_up_rows(precondition)
            }
        }
    }

    /// Iterates until the solve has ended, with the parameters of the name; false if it makes no progress.
    pub(crate) fn iterate(
        self,
        name: SolverName,
        resident: &mut Resident,
        trace: &mut Trace,
    ) -> Result<bool, SolveError> {
        match self {
            Self::Best => device::iterate_best(&name.params(), resident, trace),
            Self::Sticking(precondition) => {
                device::iterate_sticking(&mut Sticking { resident, precondition }, trace).map(|()| true)
            }
            Self::Policy(precondition) => {
                let params: PolicyParams = name.params();
                let patience = Patience::new(params.patience);
                device::iterate_policy(&params, &mut Policy { resident, precondition, patience }, trace)
            }
            Self::Newton(precondition) => {
                let mut method = Newton { resident, precondition, moved: 0.0 };
                device::iterate_newton(&name.params(), &mut method, trace).map(|()| true)
            }
        }
    }
}

impl MlcpSolver for GpuSolver {
    fn name(&self) -> String {
        format!("{} on gpu", self.solver_name)
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let (stop, most) = (self.stop, self.plan.max_cycles());
        let sealed = matches!(self.plan, Plan::Sticking(_)).then(|| problem.sealed());
        let problem = sealed.as_ref().unwrap_or(problem);
        run::run(self.name(), problem, q, &stop, most, |task, q, trace: &mut Trace| {
            let has_ended = match task.problem.operator().pressure() {
                Some(AnyPressureOperator::Plane(operator)) => self.solve_on(operator, &task, q, trace)?,
                Some(AnyPressureOperator::Space(operator)) => self.solve_on(operator, &task, q, trace)?,
                None => return Err(GpuError::Unsupported("the GPU solves problems on a grid").into()),
            };
            if has_ended { Ok(()) } else { self.fall_back(task.problem, q, trace) }
        })
    }
}
