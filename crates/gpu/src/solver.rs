//! Solvers by name, on a device.

use std::time::{Duration, Instant};

use unstick_mlcp::device::{self, FoundGrid, Patience};
use unstick_mlcp::run::{self, Trace};
use unstick_mlcp::solvers::policy::PolicyParams;
use unstick_mlcp::{
    AnyPressureOperator, CsrMatrix, LinearOperator, Mlcp, MlcpSolver, PressureOperator, SolveError, SolveReport,
    SolverName, Stop,
};

use crate::aggregates::{Bare, RowsProblem};
use crate::arena::{Extras, ProblemShape, Source};
use crate::catalogue::{self, DeviceMethod};
use crate::driver::{CudaDriver, Driver, check_libraries};
use crate::error::GpuError;
use crate::methods::RowSteps;
use crate::problem::{DeviceProblem, Times};
use crate::tally::Tally;

/// A device that solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    target: Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// The GPU of that number.
    Cuda(usize),
    /// The host in place of a GPU. It is lost after this many problems.
    #[cfg(feature = "emulation")]
    Host(u64),
}

/// The environment variable with which the host stands in for a device, for tests of everything above this crate. A
/// number in it says after how many problems the device is lost.
#[cfg(feature = "emulation")]
const EMULATED: &str = "UNSTICK_EMULATED_GPU";

impl Gpu {
    /// The device of that number, if driver and compiler are installed and the device answers.
    pub fn open(ordinal: usize) -> Result<Self, GpuError> {
        check_libraries()?;
        CudaDriver::check(ordinal)?;
        Ok(Self { target: Target::Cuda(ordinal) })
    }

    /// The first device.
    pub fn first() -> Result<Self, GpuError> {
        #[cfg(feature = "emulation")]
        if let Ok(problems) = std::env::var(EMULATED) {
            return Ok(Self { target: Target::Host(problems.parse().unwrap_or(u64::MAX)) });
        }
        Self::open(0)
    }

    /// The host in place of a device, for tests: the same results, slowly.
    #[cfg(feature = "emulation")]
    pub fn emulated() -> Self {
        Self { target: Target::Host(u64::MAX) }
    }

    /// The name of the device.
    pub fn name(self) -> Result<String, GpuError> {
        match self.target {
            Target::Cuda(ordinal) => Ok(CudaDriver::names()?.swap_remove(ordinal)),
            #[cfg(feature = "emulation")]
            Target::Host(_) => Ok("emulated".into()),
        }
    }

    /// The names of all devices.
    pub fn status() -> Result<Vec<String>, GpuError> {
        check_libraries()?;
        CudaDriver::names()
    }

    /// Names of the solvers that run on a device.
    pub fn solvers() -> impl Iterator<Item = &'static str> {
        catalogue::names()
    }

    /// Whether a device can solve a problem by that solver: any solver of [`solvers`](Self::solvers) on a grid, `best` with
    /// any matrix.
    pub fn takes(self, name: &SolverName, problem: &Mlcp) -> bool {
        let operator = problem.operator();
        DeviceMethod::of(name).is_ok_and(|method| {
            operator.pressure().is_some()
                || method == DeviceMethod::Best && operator.nearby().is_none() && operator.csr().is_some()
        })
    }

    /// A solver of the catalogue on this device.
    pub fn solver(self, name: &SolverName, stop: Stop) -> Result<GpuSolver, GpuError> {
        let method = DeviceMethod::of(name)?;
        Ok(GpuSolver {
            gpu: self,
            solver_name: *name,
            method,
            stop,
            problem: None,
            driver: None,
            rows: None,
            found: FoundGrid::default(),
            times: Times::default(),
        })
    }

    /// Cells along each axis for a [probe](Self::probe) that tells something about large problems.
    pub fn probed_cells(self) -> usize {
        match self.target {
            Target::Cuda(_) => 256,
            #[cfg(feature = "emulation")]
            Target::Host(_) => 16,
        }
    }

    pub(crate) fn driver(self, dimension: usize) -> Result<Box<dyn Driver>, GpuError> {
        match self.target {
            Target::Cuda(ordinal) => Ok(Box::new(CudaDriver::open(ordinal, dimension)?)),
            #[cfg(feature = "emulation")]
            Target::Host(problems) => Ok(Box::new(crate::driver::EmulatedDriver::new(dimension, problems))),
        }
    }
}

/// A solver whose memory stays on the device from one problem to the next.
pub struct GpuSolver {
    gpu: Gpu,
    pub(crate) solver_name: SolverName,
    pub(crate) method: DeviceMethod,
    pub(crate) stop: Stop,
    problem: Option<DeviceProblem>,
    /// For the first problem.
    driver: Option<Box<dyn Driver>>,
    /// The last matrix without a grid.
    rows: Option<RowsProblem>,
    /// The grid of the last bare matrix.
    found: FoundGrid,
    pub(crate) times: Times,
}

impl GpuSolver {
    /// Where the time of the last solve went.
    pub fn times(&self) -> Times {
        self.times
    }

    /// Works in order with another driver of the same dimension.
    pub(crate) fn beside(mut self, driver: &dyn Driver) -> Result<Self, GpuError> {
        self.driver = Some(driver.companion()?);
        Ok(self)
    }

    /// What it has asked the device for so far.
    pub(crate) fn tally(&self) -> Tally {
        self.problem.as_ref().map_or_else(Tally::default, |problem| problem.device.driver.tally())
    }

    /// Compiles the kernels and allocates the memory for any problem on a grid of this size, so that a failure shows
    /// before the first solve.
    pub fn prepare(&mut self, cells: &[usize]) -> Result<(), GpuError> {
        self.problem(ProblemShape::of(cells), Source::Fields(Extras { has_flow: true, has_lower: true })).map(drop)
    }

    /// Memory for a problem of that shape: the memory of the last problem, if it has room.
    pub(crate) fn problem(&mut self, shape: ProblemShape, source: Source) -> Result<&mut DeviceProblem, GpuError> {
        let problem = match self.problem.take() {
            Some(problem) if problem.suits(shape, source) => problem,
            other => {
                let driver = other.and_then(|problem| problem.into_driver(shape.dimension)).or(self.driver.take());
                let driver = driver.map_or_else(|| self.gpu.driver(shape.dimension), Ok)?;
                // The next problem of a simulation may have a few rows more.
                let room = match source {
                    Source::Rows(rows) => Source::Rows((rows + rows / 4).min(shape.cells.iter().product())),
                    fields => fields,
                };
                DeviceProblem::new(driver, shape, room, &self.method.vectors())?
            }
        };
        Ok(self.problem.insert(problem))
    }

    fn solve_on(
        &mut self,
        operator: AnyPressureOperator,
        task: &run::Solvable,
        q: &mut [f64],
        trace: &mut Trace,
    ) -> Result<bool, SolveError> {
        match operator {
            AnyPressureOperator::Plane(operator) => self.solve_on_grid(operator, task, q, trace),
            AnyPressureOperator::Space(operator) => self.solve_on_grid(operator, task, q, trace),
        }
    }

    /// Solves on the grid of a bare matrix; where it has none, by aggregates of its rows.
    fn solve_bare(
        &mut self,
        matrix: &CsrMatrix,
        task: &run::Solvable,
        q: &mut [f64],
        trace: &mut Trace,
    ) -> Result<bool, SolveError> {
        let mut found = std::mem::take(&mut self.found);
        let fingerprint = trace.set_up(|| matrix.fingerprint());
        let solved = match trace.set_up(|| found.of(matrix, fingerprint)) {
            Some(grid) => {
                trace.remark("the rows lie on a grid, on which they were solved");
                grid.solve(task, q, |operator, task, q| self.solve_on(operator, task, q, trace))
            }
            None => self.solve_rows((matrix, fingerprint), task, q, trace),
        };
        self.found = found;
        solved
    }

    fn solve_rows(
        &mut self,
        bare: Bare,
        task: &run::Solvable,
        q: &mut [f64],
        trace: &mut Trace,
    ) -> Result<bool, SolveError> {
        if self.method != DeviceMethod::Best {
            return Err(GpuError::Unsupported(
                "these rows lie on no grid, where the GPU has no other solver than `best`",
            )
            .into());
        }
        let (begin, before, gpu) = (Instant::now(), self.rows.take(), self.gpu);
        let (problem, ready) = trace.set_up(|| {
            let mut problem = RowsProblem::prepare(before, bare, task.loose, || gpu.driver(3))?;
            let ready = problem.wait()?;
            Ok::<_, GpuError>((problem, ready))
        })?;
        let problem = self.rows.insert(problem);
        problem.begin(task, q)?;
        let uploaded = problem.wait()?;
        let has_ended = device::iterate_best(&self.solver_name.params(), problem, trace)?;
        let solved = problem.wait()?;
        problem.download(q)?;
        self.times = Times {
            upload: uploaded - ready,
            assembly: Duration::ZERO,
            setup: ready - begin,
            solve: solved - uploaded,
            download: solved.elapsed(),
        };
        Ok(has_ended)
    }

    fn solve_on_grid<const D: usize>(
        &mut self,
        operator: &PressureOperator<D>,
        task: &run::Solvable,
        q: &mut [f64],
        trace: &mut Trace,
    ) -> Result<bool, SolveError> {
        let (method, name) = (self.method, self.solver_name);
        let begin = Instant::now();
        let shape = ProblemShape::of(operator.lattice().shape());
        let problem = self.problem(shape, Source::Rows(operator.size()))?;
        problem.upload(operator, task.problem, task.loose, q)?;
        let uploaded = problem.wait()?;
        let ready = trace.set_up(|| method.set_up(problem).and_then(|()| problem.wait()))?;
        let has_ended = method.iterate(name, problem, trace)?;
        let solved = problem.wait()?;
        problem.download(operator.lattice().cells(), q)?;
        self.times = Times {
            upload: uploaded - begin,
            assembly: Duration::ZERO,
            setup: ready - uploaded,
            solve: solved - ready,
            download: solved.elapsed(),
        };
        Ok(has_ended)
    }

    /// Continues on the processor from the iterate of the device. Rows that must change one by one are no work for many
    /// threads.
    fn fall_back(&self, problem: &Mlcp, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
        let stop = Stop::absolute(trace.target()).with_max_cycles(self.stop.max_cycles);
        let report = self.solver_name.build(&stop).solve(problem, q)?;
        trace.remark("the device made no progress, the processor took over");
        trace.spend(report.inner_iterations());
        trace.end(report.outcome());
        trace.goes_on(report.residual()).map(drop)
    }
}

impl DeviceMethod {
    pub(crate) fn set_up(self, problem: &mut DeviceProblem) -> Result<(), GpuError> {
        match self {
            Self::Best => problem.set_up(),
            Self::Sticking(precondition) | Self::Policy(precondition) | Self::Newton(precondition) => {
                problem.set_up_rows(precondition)
            }
        }
    }

    /// Iterates until the solve has ended, with the parameters of the name; false if it makes no progress.
    pub(crate) fn iterate(
        self,
        name: SolverName,
        problem: &mut DeviceProblem,
        trace: &mut Trace,
    ) -> Result<bool, SolveError> {
        let (Self::Sticking(precondition) | Self::Policy(precondition) | Self::Newton(precondition)) = self else {
            return device::iterate_best(&name.params(), problem, trace);
        };
        let (max_iterations, patience) = (name.inner().max_iterations, Patience::new(0));
        let mut steps = RowSteps { problem, precondition, max_iterations, patience, moved: 0.0 };
        match self {
            Self::Newton(_) => device::iterate_newton(&name.params(), &mut steps, trace)?,
            Self::Policy(_) => {
                let params: PolicyParams = name.params();
                steps.patience = Patience::new(params.patience);
                return device::iterate_policy(&params, &mut steps, trace);
            }
            _ => device::iterate_sticking(&mut steps, trace)?,
        }
        Ok(true)
    }
}

impl MlcpSolver for GpuSolver {
    fn name(&self) -> String {
        format!("{} on gpu", self.solver_name)
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let (stop, most) = (self.stop, self.method.max_cycles());
        let sealed = matches!(self.method, DeviceMethod::Sticking(_)).then(|| problem.sealed());
        let problem = sealed.as_ref().unwrap_or(problem);
        run::run(self.name(), problem, q, &stop, most, |task, q, trace: &mut Trace| {
            let operator = task.problem.operator();
            let bare = operator.csr().filter(|_| operator.nearby().is_none());
            let has_ended = match (operator.pressure(), bare) {
                (Some(operator), _) => self.solve_on(operator, &task, q, trace)?,
                (None, Some(matrix)) => self.solve_bare(matrix, &task, q, trace)?,
                (None, None) => return Err(GpuError::Unsupported("the GPU solves problems given by a matrix").into()),
            };
            if has_ended { Ok(()) } else { self.fall_back(task.problem, q, trace) }
        })
    }
}

#[cfg(all(test, feature = "emulation"))]
mod tests {
    use super::*;
    use unstick_mlcp::Lattice;

    /// Two cells below a surface, the first of them at a separating wall.
    fn column(b: [f64; 2]) -> Mlcp<'static> {
        let matrix = CsrMatrix::from_triplets(2, vec![(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 3.0)]).unwrap();
        let lattice = Lattice::new(&[1, 2], vec![0, 1]).unwrap();
        Mlcp::on_lattice(lattice, &matrix, b.to_vec()).unwrap().with_walls(&[true, false]).unwrap()
    }

    #[test]
    fn a_device_that_is_lost_is_an_error() {
        let gpu = Gpu { target: Target::Host(1) };
        let mut solver = gpu.solver(&"best".parse().unwrap(), Default::default()).unwrap();
        let mut q = [0.0; 2];
        assert!(solver.solve(&column([-1.0, 0.0]), &mut q).unwrap().converged());
        assert!((q[0] - 1.5).abs() < 1e-5 && (q[1] - 0.5).abs() < 1e-5, "{q:?}");
        let error = solver.solve(&column([-1.0, 0.0]), &mut q).unwrap_err();
        assert!(error.to_string().contains("the device is lost"), "{error}");
    }

    #[test]
    fn memory_is_kept_while_problems_fit_into_it() {
        let mut solver = Gpu::emulated().solver(&"best".parse().unwrap(), Default::default()).unwrap();
        let mut start = |cells: &[usize], rows| {
            solver.problem(ProblemShape::of(cells), Source::Rows(rows)).unwrap().device.arena.row_buffer.capacity
        };
        assert_eq!(start(&[8, 8], 40), 50);
        assert_eq!(start(&[8, 8], 50), 50);
        assert_eq!(start(&[8, 8], 51), 63);
        assert_eq!(start(&[8, 9], 40), 50);
    }
}
