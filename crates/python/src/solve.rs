//! One problem, one solver.

use std::path::Path;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use unstick_gpu::{Backend, Placement};
use unstick_mlcp::{CsrMatrix, Mlcp, MlcpSolver, SolveReport, SolverName, Start, Stop, Tolerance, interruptible};
use unstick_problems::{GridInfo, lower_bounds, wall_mask};

use crate::arrays::slice;
use crate::error::Exception;
use crate::wait::interruptibly;

/// Shape, cell of each row, spacing, origin.
pub type GridParts = (Vec<usize>, Vec<usize>, f64, Vec<f64>);

/// A grid, which must fit that many rows.
pub fn grid_info(parts: Option<GridParts>, rows: usize) -> Result<Option<GridInfo>, Exception> {
    let Some((shape, cells, spacing, origin)) = parts else { return Ok(None) };
    let grid = GridInfo::new(shape, spacing, origin, cells);
    grid.check(rows, Path::new("grid"))?;
    Ok(Some(grid))
}

/// The bound of every row.
pub fn bounds(wall: Option<&[f64]>, bounds: Option<&[f64]>, rows: usize) -> Result<Vec<f64>, Exception> {
    let walls = match (wall, bounds) {
        (Some(wall), _) => wall_mask(wall, rows)?,
        (None, Some(bounds)) => bounds.iter().map(|&bound| bound > f64::NEG_INFINITY).collect(),
        (None, None) => vec![false; rows],
    };
    Ok(lower_bounds(&walls, bounds.map(<[f64]>::to_vec))?)
}

/// How to solve: the arguments that are no arrays.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct How {
    solver: String,
    tolerance: f64,
    absolute: bool,
    max_iterations: Option<usize>,
    start: String,
    backend: String,
    check: bool,
}

/// What was asked for, checked.
struct Plan {
    name: SolverName,
    stop: Stop,
    start: Start,
    placement: Placement,
    is_checked: bool,
}

impl How {
    fn plan(&self) -> Result<Plan, Exception> {
        let tolerance =
            if self.absolute { Tolerance::Absolute(self.tolerance) } else { Tolerance::Relative(self.tolerance) };
        tolerance.target(1.0)?;
        let name: SolverName = self.solver.trim().parse()?;
        let backend = Backend::ALL.iter().find(|(known, _)| *known == self.backend);
        let unknown = || {
            let message = format!("`{}` is no backend, expected `cpu`, `gpu` or `auto`", self.backend);
            Exception::new("ProblemError", message, None)
        };
        Ok(Plan {
            name,
            stop: Stop::from(tolerance).with_max_cycles(self.max_iterations),
            start: self.start.parse()?,
            placement: backend.ok_or_else(unknown)?.1.place(&name)?,
            is_checked: self.check,
        })
    }
}

impl Plan {
    fn solver(&self, problem: &Mlcp) -> Result<Box<dyn MlcpSolver>, Exception> {
        match self.placement.gpu() {
            Some(gpu) if problem.operator().pressure().is_some() => Ok(Box::new(gpu.solver(&self.name, self.stop)?)),
            _ => Ok(self.name.build(&self.stop)),
        }
    }

    /// What `unstick solve` does with a problem folder, without the folder.
    fn carry_out(&self, given: &Given, x: &mut [f64]) -> Result<(SolveReport, Vec<bool>), Exception> {
        let matrix = CsrMatrix::from_raw(given.starts, given.columns, given.values)
            .map_err(unstick_mlcp::ProblemError::Matrix)?;
        if self.is_checked {
            matrix.check_symmetric_positive().map_err(unstick_mlcp::ProblemError::Matrix)?;
        }
        let lower = bounds(given.wall, given.lower, matrix.rows())?;
        let problem = match given.grid.and_then(|grid| grid.lattice_of(&matrix)) {
            Some(lattice) => Mlcp::on_lattice(lattice, &matrix, given.b)?,
            None => Mlcp::new(&matrix, given.b)?,
        };
        let problem = problem.with_lower(&lower)?;
        problem.check_iterate(x)?;
        self.start.prepare(&problem, x)?;
        let report = self.solver(&problem)?.solve(&problem, x)?;
        let mut active = vec![false; x.len()];
        report.let_go().iter().for_each(|&row| active[row as usize] = true);
        Ok((report, active))
    }
}

/// The arrays, in place.
struct Given<'a> {
    values: &'a [f64],
    columns: &'a [u32],
    starts: &'a [u32],
    b: &'a [f64],
    wall: Option<&'a [f64]>,
    lower: Option<&'a [f64]>,
    grid: Option<&'a GridInfo>,
}

/// Solves; returns the answer, the active rows and the account.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // one per array; `python/unstick/_solve.py` is what people call
pub fn solve<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    columns: PyReadonlyArray1<'py, u32>,
    starts: PyReadonlyArray1<'py, u32>,
    b: PyReadonlyArray1<'py, f64>,
    wall: Option<PyReadonlyArray1<'py, f64>>,
    lower: Option<PyReadonlyArray1<'py, f64>>,
    x0: Option<PyReadonlyArray1<'py, f64>>,
    grid: Option<GridParts>,
    how: How,
) -> PyResult<Bound<'py, PyDict>> {
    let plan = how.plan()?;
    let starts = slice(&starts, "the array of row starts")?;
    let rows = starts.len().saturating_sub(1);
    let grid = grid_info(grid, rows)?;
    let given = Given {
        values: slice(&values, "the array of values")?,
        columns: slice(&columns, "the array of columns")?,
        starts,
        b: slice(&b, "b")?,
        wall: wall.as_ref().map(|wall| slice(wall, "the wall mask")).transpose()?,
        lower: lower.as_ref().map(|lower| slice(lower, "the lower bound")).transpose()?,
        grid: grid.as_ref(),
    };
    let mut x = match &x0 {
        Some(x0) => slice(x0, "the iterate")?.to_vec(),
        None => vec![0.0; rows],
    };
    let solved = interruptibly(py, |stop| interruptible(stop, || plan.carry_out(&given, &mut x)))?;
    let (report, active) = solved?;
    account(py, &report, x, active)
}

fn account<'py>(py: Python<'py>, report: &SolveReport, x: Vec<f64>, active: Vec<bool>) -> PyResult<Bound<'py, PyDict>> {
    let account = PyDict::new(py);
    account.set_item("x", x.into_pyarray(py))?;
    account.set_item("active", active.into_pyarray(py))?;
    account.set_item("solver", report.solver())?;
    account.set_item("outcome", report.outcome().to_string())?;
    account.set_item("remark", report.remark())?;
    account.set_item("residual", report.residual())?;
    account.set_item("relative_residual", report.relative_residual())?;
    account.set_item("target", report.target())?;
    account.set_item("history", report.history().to_vec().into_pyarray(py))?;
    account.set_item("work", report.work().iter().map(|&count| count as u64).collect::<Vec<_>>().into_pyarray(py))?;
    account.set_item("cycles", report.cycles())?;
    account.set_item("inner_iterations", report.inner_iterations())?;
    account.set_item("wall_rows", report.wall_rows())?;
    account.set_item("active_rows", report.active_rows())?;
    account.set_item("setup_time", report.setup_time().as_secs_f64())?;
    account.set_item("solve_time", report.solve_time().as_secs_f64())?;
    let pockets = report.pockets().iter().map(|pocket| {
        let entry = PyDict::new(py);
        entry.set_item("first_row", pocket.first_row)?;
        entry.set_item("rows", pocket.rows)?;
        entry.set_item("imbalance", pocket.imbalance)?;
        entry.set_item("compatible", pocket.compatible)?;
        Ok(entry)
    });
    account.set_item("pockets", pockets.collect::<PyResult<Vec<_>>>()?)?;
    Ok(account)
}
