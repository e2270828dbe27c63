//! Problems given as fields, which the device assembles and solves.

use std::time::Instant;

use unstick_mlcp::device::{self, Reached, RemoteProblem};
use unstick_mlcp::fields::{FieldRows, FieldSolver, PressureFields, Window};
use unstick_mlcp::run::{Solvable, Trace};
use unstick_mlcp::{Mlcp, MlcpSolver, SolveError, SolveReport, SolverName};

use crate::arena::{Extras, ProblemShape, Source};
use crate::assemble::{FieldShape, extras_of};
use crate::catalogue::DeviceMethod;
use crate::error::GpuError;
use crate::layout::{AnswerTotals, DeviceFields, Pointer, Replace, RowTotals};
use crate::problem::{DeviceProblem, Times};
use crate::solver::GpuSolver;

impl<const D: usize> FieldSolver<D> for GpuSolver {
    fn solve_fields(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<SolveReport, SolveError> {
        if !matches!(D, 2 | 3) {
            return Err(GpuError::Unsupported("the GPU solves problems in two and three dimensions").into());
        }
        fields.check(q, active)?;
        let (name, solver, method, stop) = (self.name(), self.solver_name, self.method, self.stop);
        let (begin, cells) = (Instant::now(), fields.cells);
        let memory = self.problem(ProblemShape::of(&fields.cells), Source::Fields(extras_of(fields)))?;
        let window = Window::around_negative(fields.cells, fields.liquid);
        let is_sealed = matches!(method, DeviceMethod::Sticking(_));
        memory.upload_fields(fields, window, q, is_sealed)?;
        let uploaded = memory.wait()?;
        memory.assemble_matrix(window.count())?;
        let totals = memory.assemble_b(window.count())?;
        if totals.faults > 0.0 {
            let not_finite = SolveError::NotFinite { cycle: 0, residual: totals.reference };
            return Err(fields.first_fault(q).map_or(not_finite, SolveError::Problem));
        }
        let unheld = match totals.unheld > 0.0 {
            true => Some(unheld_rows(memory, fields, window)?),
            false => None,
        };
        let problem = unheld.as_ref().map(FieldRows::problem).transpose()?;
        let problem = if is_sealed { problem.map(|problem| problem.sealed()) } else { problem };
        let times = Times { upload: uploaded - begin, assembly: uploaded.elapsed(), ..Times::default() };
        let unheld = unheld.as_ref();
        let fields = Some(fields);
        let mut remote = FieldProblem { memory, method, solver, fields, window, totals, unheld, problem, times };
        let report = device::run_remote(name, &mut remote, &stop, method.max_cycles())?;
        let FieldProblem { memory, mut times, .. } = remote;
        let measured = Instant::now();
        memory.download_fields(cells, window, q, active)?;
        times.download = measured.elapsed();
        self.times = times;
        Ok(report)
    }
}

/// Problems whose fields are made on the device.
impl GpuSolver {
    /// Memory for problems on a grid of this shape.
    pub(crate) fn resident(&mut self, cells: &[usize], extras: Extras) -> Result<&mut DeviceProblem, GpuError> {
        self.problem(ProblemShape::of(cells), Source::Fields(extras))
    }

    /// Begins a problem; returns where its fields are described, for whoever writes them.
    pub(crate) fn begin_resident<const D: usize>(
        &mut self,
        mut shape: FieldShape<D>,
    ) -> Result<Pointer<DeviceFields>, GpuError> {
        shape.is_sealed |= matches!(self.method, DeviceMethod::Sticking(_));
        self.resident(&shape.cells, shape.extras)?.begin_fields(&shape)
    }

    /// Makes its matrix and the levels, once all its fields but the velocities and the divergence are written. This waits
    /// for nothing.
    pub(crate) fn prepare_resident<const D: usize>(
        &mut self,
        cells: [usize; D],
        window: Window<D>,
    ) -> Result<(), GpuError> {
        let method = self.method;
        let memory = self.resident(&cells, Extras::default())?; // it has begun with all that it needs
        memory.assemble_matrix(window.count())?;
        method.set_up(memory)
    }

    /// Solves it once all its fields are written, and leaves the answer there. None if liquid without air, or a number that
    /// is none, asks for the host's eyes, unless such liquid asks for nothing: then its iterate is left as it is.
    pub(crate) fn solve_resident<const D: usize>(
        &mut self,
        cells: [usize; D],
        window: Window<D>,
        leaves_unheld: bool,
    ) -> Result<Option<SolveReport>, SolveError> {
        let (name, solver, method, stop) = (self.name(), self.solver_name, self.method, self.stop);
        let begin = Instant::now();
        let memory = self.resident(&cells, Extras::default())?;
        let totals = memory.assemble_b(window.count())?;
        if totals.faults > 0.0 || (totals.unheld > 0.0 && !leaves_unheld) {
            return Ok(None);
        }
        let times = Times { assembly: begin.elapsed(), ..Times::default() };
        let (fields, unheld, problem) = (None, None, None);
        let mut remote = FieldProblem::<D> { memory, method, solver, fields, window, totals, unheld, problem, times };
        let report = device::run_remote(name, &mut remote, &stop, method.max_cycles())?;
        self.times = remote.times;
        Ok(Some(report))
    }
}

/// The rows of components without air, whose pressure is known only up to a constant. There are few of them as a rule,
/// and the processor handles them.
fn unheld_rows<const D: usize>(
    memory: &mut DeviceProblem,
    fields: &PressureFields<D>,
    window: Window<D>,
) -> Result<FieldRows<D>, SolveError> {
    let held = memory.held(window.count())?;
    let is_unheld = |cell| window.index_of(fields.cells, cell).is_some_and(|index| held[index] == 0);
    Ok(fields.rows_of(is_unheld)?)
}

/// A problem given as fields, in the memory of the device. The host has the rows without air, and the fields if it is
/// asked for such rows.
struct FieldProblem<'d, 'f, const D: usize> {
    memory: &'d mut DeviceProblem,
    method: DeviceMethod,
    solver: SolverName,
    fields: Option<&'f PressureFields<'f, D>>,
    window: Window<D>,
    totals: RowTotals,
    unheld: Option<&'f FieldRows<D>>,
    problem: Option<Mlcp<'f>>,
    times: Times,
}

impl<'f, const D: usize> RemoteProblem<'f> for FieldProblem<'_, 'f, D> {
    fn residual_at_zero(&mut self) -> Result<f64, SolveError> {
        if self.totals.reference == 0.0 {
            self.memory.clear_iterate()?;
        }
        Ok(self.totals.reference)
    }

    fn unheld(&self) -> Option<Mlcp<'f>> {
        self.problem.clone()
    }

    fn row_of(&self, unheld: usize) -> usize {
        let cell = self.unheld.map_or(0, |rows| rows.operator.lattice().cells()[unheld]);
        let is_row = |cell: usize| self.fields.is_some_and(|fields| fields.is_row(cell));
        (0..cell as usize).filter(|&before| is_row(before)).count()
    }

    fn iterate(&mut self, task: Option<Solvable<'_, 'f>>, trace: &mut Trace) -> Result<(), SolveError> {
        let (method, begin) = (self.method, Instant::now());
        let memory = &mut *self.memory;
        if let (Some(task), Some(rows), Some(problem)) = (task, self.unheld, &self.problem) {
            let lattice = rows.operator.lattice();
            memory.replace(Replace::B, lattice.cells(), task.problem.b())?;
            let opened = (0..problem.size()).filter(|&row| problem.is_wall(row) && !task.problem.is_wall(row));
            let opened: Vec<u32> = opened.map(|row| lattice.cells()[row]).collect();
            memory.replace(Replace::Walls, &opened, &vec![0.0; opened.len()])?;
            memory.wall_rows = self.totals.walls as usize - opened.len();
            memory.list_loose(task.loose, lattice)?;
            let reference = self.totals.held_reference.max(task.problem.residual_at_zero());
            memory.norm = reference.max(f64::MIN_POSITIVE);
        }
        // Without fields of the host the device has made its levels already.
        let ready = match self.fields {
            Some(_) => trace.set_up(|| method.set_up(memory).and_then(|()| memory.wait()))?,
            None => begin,
        };
        if !method.iterate(self.solver, memory, trace)? {
            trace.stall("the device made no progress");
        }
        self.times.setup = ready - begin;
        self.times.solve = ready.elapsed(); // the last residual has been waited for
        Ok(())
    }

    fn settle(&mut self, settle: &dyn Fn(&mut [f64])) -> Result<(), SolveError> {
        let Some(rows) = self.unheld else { return Ok(()) };
        let cells = rows.operator.lattice().cells();
        let mut q = vec![0.0; cells.len()];
        self.memory.download(cells, &mut q)?;
        settle(&mut q);
        self.memory.replace(Replace::Q, cells, &q)?;
        Ok(self.memory.replace(Replace::B, cells, &rows.b)?)
    }

    fn measure(&mut self) -> Result<Reached, SolveError> {
        let AnswerTotals { active, residual, divergence, complementarity } =
            self.memory.measure_answer(self.window.count())?;
        Ok(Reached {
            residual,
            divergence,
            complementarity,
            rows: self.totals.rows as usize,
            wall_rows: self.totals.walls as usize,
            active_rows: active as usize,
            let_go: Vec::new(), // marked in the fields
        })
    }
}
