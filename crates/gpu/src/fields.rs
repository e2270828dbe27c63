//! Problems given as fields, solved where they are made: on the device.

use std::time::Instant;

use unstick_mlcp::fields::{FieldRows, FieldSolver, PressureFields, Window};
use unstick_mlcp::run::{self, Reached, Remote, Task, Trace};
use unstick_mlcp::{Mlcp, MlcpSolver, SolveError, SolveReport};

use crate::arena::Source;
use crate::catalogue::Plan;
use crate::error::GpuError;
use crate::layout::{AnswerTotals, Replace, RowTotals};
use crate::resident::{Resident, Times};
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
        let (name, plan, stop) = (self.name(), self.plan, self.options.stop);
        let begin = Instant::now();
        let resident = self.resident(&fields.cells, Source::Fields { has_flow: fields.walls.flow.is_some() })?;
        let window = Window::around_negative(fields.cells, fields.liquid);
        let is_sealed = matches!(plan, Plan::Sticking(_));
        resident.upload_fields(fields, window, q, is_sealed)?;
        let uploaded = resident.wait()?;
        let totals = resident.assemble(window.count())?;
        if totals.faults > 0.0 {
            let not_finite = SolveError::NotFinite { cycle: 0, residual: totals.reference };
            return Err(fields.first_fault(q).map_or(not_finite, SolveError::Problem));
        }
        let unheld = match totals.unheld > 0.0 {
            true => Some(unheld_rows(resident, fields, window)?),
            false => None,
        };
        let problem = unheld.as_ref().map(FieldRows::problem).transpose()?;
        let problem = if is_sealed { problem.map(|problem| problem.sealed()) } else { problem };
        let times = Times { upload: uploaded - begin, assembly: uploaded.elapsed(), ..Times::default() };
        let mut remote = OnDevice { resident, plan, fields, window, totals, unheld: unheld.as_ref(), problem, times };
        let report = run::run_remote(name, &mut remote, &stop, plan.max_cycles())?;
        let OnDevice { resident, mut times, .. } = remote;
        let judged = Instant::now();
        resident.download_fields(fields.cells, window, q, active)?;
        times.download = judged.elapsed();
        self.times = times;
        Ok(report)
    }
}

/// The rows that no air holds: parts of the liquid whose pressure is known only up to a constant. They are seldom
/// many, and the processor takes care of them.
fn unheld_rows<const D: usize>(
    resident: &mut Resident,
    fields: &PressureFields<D>,
    window: Window<D>,
) -> Result<FieldRows<D>, SolveError> {
    let is_held = resident.marks(window.count())?;
    let is_meant = |cell| window.index_of(fields.cells, cell).is_some_and(|index| is_held[index] == 0);
    Ok(fields.rows_of(is_meant)?)
}

/// A problem on the device, and what the host has to know of it.
struct OnDevice<'d, 'f, const D: usize> {
    resident: &'d mut Resident,
    plan: Plan,
    fields: &'f PressureFields<'f, D>,
    window: Window<D>,
    totals: RowTotals,
    unheld: Option<&'f FieldRows<D>>,
    problem: Option<Mlcp<'f>>,
    times: Times,
}

impl<'f, const D: usize> Remote<'f> for OnDevice<'_, 'f, D> {
    fn residual_at_zero(&mut self) -> Result<f64, SolveError> {
        if self.totals.reference == 0.0 {
            self.resident.clear_iterate()?;
        }
        Ok(self.totals.reference)
    }

    fn unheld(&self) -> Option<Mlcp<'f>> {
        self.problem.clone()
    }

    fn row_of(&self, unheld: usize) -> usize {
        let cell = self.unheld.map_or(0, |rows| rows.operator.lattice().cells()[unheld]);
        (0..cell as usize).filter(|&before| self.fields.is_row(before)).count()
    }

    fn iterate(&mut self, task: Option<Task<'_, 'f>>, trace: &mut Trace) -> Result<(), SolveError> {
        let (plan, begin) = (self.plan, Instant::now());
        let resident = &mut *self.resident;
        if let (Some(task), Some(rows), Some(problem)) = (task, self.unheld, &self.problem) {
            let lattice = rows.operator.lattice();
            resident.replace(Replace::B, lattice.cells(), task.problem.b())?;
            let opened = (0..problem.size()).filter(|&row| problem.is_wall(row) && !task.problem.is_wall(row));
            let opened: Vec<u32> = opened.map(|row| lattice.cells()[row]).collect();
            resident.replace(Replace::Walls, &opened, &vec![0.0; opened.len()])?;
            resident.wall_rows = self.totals.walls as usize - opened.len();
            resident.list_loose(task.loose, lattice)?;
            let reference = self.totals.held_reference.max(task.problem.residual_at_zero());
            resident.norm = reference.max(f64::MIN_POSITIVE);
        }
        let ready = trace.set_up(|| plan.set_up(resident).and_then(|()| resident.wait()))?;
        if !plan.iterate(resident, trace)? {
            trace.stall("the device made no progress");
        }
        self.times.setup = ready - begin;
        self.times.solve = resident.wait()? - ready;
        Ok(())
    }

    fn settle(&mut self, settle: &dyn Fn(&mut [f64])) -> Result<(), SolveError> {
        let Some(rows) = self.unheld else { return Ok(()) };
        let cells = rows.operator.lattice().cells();
        let mut q = vec![0.0; cells.len()];
        self.resident.download(cells, &mut q)?;
        settle(&mut q);
        self.resident.replace(Replace::Q, cells, &q)?;
        Ok(self.resident.replace(Replace::B, cells, &rows.b)?)
    }

    fn measure(&mut self) -> Result<Reached, SolveError> {
        let AnswerTotals { active, residual, divergence, complementarity } =
            self.resident.judge(self.window.count())?;
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
