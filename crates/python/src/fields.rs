//! Pressure problems that are given as fields.

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use unstick_mlcp::SolveReport;
use unstick_mlcp::fields::{FieldSolver, PressureFields, RowSolver, WallFields};

use crate::arrays::slice;
use crate::error::Exception;
use crate::solve::{How, Plan, facts};
use crate::watch::watched;

/// The arrays of a problem, x fastest; `python/unstick/_fields.py` makes them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct GivenFields<'py> {
    cells: Vec<usize>,
    spacing: f64,
    control: f64,
    liquid: PyReadonlyArray1<'py, f64>,
    velocity: Vec<PyReadonlyArray1<'py, f64>>,
    open: Vec<PyReadonlyArray1<'py, f64>>,
    separating: PyReadonlyArray1<'py, bool>,
    flow: Option<Vec<PyReadonlyArray1<'py, f64>>>,
    divergence: Option<PyReadonlyArray1<'py, f64>>,
    cell_open: PyReadonlyArray1<'py, f64>,
}

/// What was solved for, in every cell.
struct Solved {
    q: Vec<f64>,
    active: Vec<bool>,
    report: SolveReport,
}

/// Solves for the scaled pressure of every cell, from `q`.
#[pyfunction]
pub fn solve_fields<'py>(
    py: Python<'py>,
    fields: GivenFields<'py>,
    q: PyReadonlyArray1<'py, f64>,
    how: How,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let plan = how.plan()?;
    let q = slice(&q, "q")?.to_vec();
    let Solved { q, active, report } = match fields.cells[..] {
        [nx, ny] => fields.solve(py, [nx, ny], &plan, q, callback)?,
        [nx, ny, nz] => fields.solve(py, [nx, ny, nz], &plan, q, callback)?,
        _ => {
            let message = format!("the grid has {} axes, expected 2 or 3", fields.cells.len());
            return Err(Exception::new("ProblemError", message, None).into());
        }
    };
    let account = facts(py, &report)?;
    account.set_item("unknowns", report.rows())?;
    account.set_item("q", q.into_pyarray(py))?;
    account.set_item("active", active.into_pyarray(py))?;
    Ok(account)
}

impl GivenFields<'_> {
    fn solve<const D: usize>(
        &self,
        py: Python<'_>,
        cells: [usize; D],
        plan: &Plan,
        mut q: Vec<f64>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Solved> {
        let flow = self.flow.as_ref().map(|flow| each_axis(flow, "the flow of walls")).transpose()?;
        let walls = WallFields {
            version: 0,
            open: each_axis(&self.open, "the open part of faces")?,
            separating: slice(&self.separating, "the mask of separating walls")?,
            cell_open: slice(&self.cell_open, "the open part of cells")?,
            flow,
        };
        let fields = PressureFields {
            cells,
            spacing: self.spacing,
            walls,
            liquid: slice(&self.liquid, "the distance to the liquid")?,
            velocity: each_axis(&self.velocity, "the velocity")?,
            divergence: self.divergence.as_ref().map(|field| slice(field, "the divergence")).transpose()?,
            control: self.control,
            lower: None,
        };
        let mut active = vec![false; q.len()];
        let solved = watched(py, callback, || {
            let mut solver = plan.field_solver::<D>()?;
            let report = solver.solve_fields(&fields, &mut q, &mut active)?;
            Ok::<_, Exception>(report)
        })?;
        Ok(Solved { report: solved?, q, active })
    }
}

impl Plan {
    fn field_solver<const D: usize>(&self) -> Result<Box<dyn FieldSolver<D>>, Exception> {
        match self.placement.gpu() {
            Some(gpu) => Ok(Box::new(gpu.solver(&self.name, self.stop)?)),
            None => Ok(Box::new(RowSolver::new(self.name.build(&self.stop)))),
        }
    }
}

fn each_axis<'a, const D: usize>(
    fields: &'a [PyReadonlyArray1<'_, f64>],
    what: &str,
) -> Result<[&'a [f64]; D], Exception> {
    let found = fields.iter().map(|field| slice(field, what)).collect::<Result<Vec<_>, _>>()?;
    let wrong = || Exception::new("ProblemError", format!("{what} has {} axes, expected {D}", fields.len()), None);
    <[&[f64]; D]>::try_from(found).map_err(|_| wrong())
}
