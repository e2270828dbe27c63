//! Problems and solvers: one call, or a solver that is kept.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use unstick_gpu::{Backend, Placement};
use unstick_mlcp::{CsrMatrix, Mlcp, MlcpSolver, ProblemError, SolveReport, SolverName, Start, Stop, Tolerance};
use unstick_problems::{GridInfo, GridMisfit, lower_bounds, wall_mask};

use crate::arrays::slice;
use crate::error::Exception;
use crate::operator::Products;
use crate::watch::watched;

/// Shape, cell of each row, spacing, origin.
pub type GridParts<'py> = (Vec<usize>, PyReadonlyArray1<'py, i64>, f64, Vec<f64>);

/// A grid, which must fit that many rows.
pub fn grid_info(parts: Option<GridParts>, rows: usize) -> Result<Option<GridInfo>, Exception> {
    let Some((shape, cells, spacing, origin)) = parts else { return Ok(None) };
    // What is negative is no cell of any grid.
    let cells = slice(&cells, "the array of cells")?.iter().map(|&cell| usize::try_from(cell).unwrap_or(usize::MAX));
    let grid = GridInfo::new(shape, spacing, origin, cells.collect());
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
pub struct Plan {
    pub name: SolverName,
    pub stop: Stop,
    start: Start,
    pub placement: Placement,
    is_checked: bool,
}

impl How {
    pub fn plan(&self) -> Result<Plan, Exception> {
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
            Some(gpu) if gpu.takes(&self.name, problem) => Ok(Box::new(gpu.solver(&self.name, self.stop)?)),
            _ => Ok(self.name.build(&self.stop)),
        }
    }

    fn check(&self, matrix: &CsrMatrix) -> Result<(), Exception> {
        if self.is_checked {
            matrix.check_symmetric_positive().map_err(ProblemError::Matrix)?;
        }
        Ok(())
    }
}

/// The arrays of a matrix, in place.
struct GivenMatrix<'py> {
    values: PyReadonlyArray1<'py, f64>,
    columns: PyReadonlyArray1<'py, u32>,
    starts: PyReadonlyArray1<'py, u32>,
}

impl GivenMatrix<'_> {
    fn parts(&self) -> Result<MatrixParts<'_>, Exception> {
        Ok(MatrixParts {
            starts: slice(&self.starts, "the array of row starts")?,
            columns: slice(&self.columns, "the array of columns")?,
            values: slice(&self.values, "the array of values")?,
        })
    }
}

/// The same as Rust sees them.
struct MatrixParts<'a> {
    starts: &'a [u32],
    columns: &'a [u32],
    values: &'a [f64],
}

/// The arrays of one right-hand side.
struct GivenSides<'py> {
    b: PyReadonlyArray1<'py, f64>,
    wall: Option<PyReadonlyArray1<'py, f64>>,
    lower: Option<PyReadonlyArray1<'py, f64>>,
    x0: Option<PyReadonlyArray1<'py, f64>>,
}

/// The same as Rust sees them, and the iterate.
struct Sides<'a> {
    b: &'a [f64],
    wall: Option<&'a [f64]>,
    lower: Option<&'a [f64]>,
    x: Vec<f64>,
}

impl GivenSides<'_> {
    fn sides(&self, rows: usize) -> Result<Sides<'_>, Exception> {
        Ok(Sides {
            b: slice(&self.b, "b")?,
            wall: self.wall.as_ref().map(|wall| slice(wall, "the wall mask")).transpose()?,
            lower: self.lower.as_ref().map(|lower| slice(lower, "the lower bound")).transpose()?,
            x: match &self.x0 {
                Some(x0) => slice(x0, "the iterate")?.to_vec(),
                None => vec![0.0; rows],
            },
        })
    }
}

/// An answer and the account of it.
struct Solved {
    x: Vec<f64>,
    report: SolveReport,
}

impl Sides<'_> {
    /// Solves a problem whose right-hand side and bounds are replaced by these.
    fn solve(mut self, problem: &Mlcp, start: &Start, solver: &mut dyn MlcpSolver) -> Result<Solved, Exception> {
        let lower = bounds(self.wall, self.lower, problem.size())?;
        let problem = problem.with_b(self.b)?.with_lower(&lower)?;
        problem.check_iterate(&self.x)?;
        start.prepare(&problem, &mut self.x)?;
        let report = solver.solve(&problem, &mut self.x)?;
        Ok(Solved { x: self.x, report })
    }

    /// The same for a matrix that is known by its products. What its function raises is the error.
    fn solve_by_products(self, products: Products, plan: &Plan) -> Result<Solved, Exception> {
        let problem = Mlcp::new(&products, vec![0.0; products.nearby.rows()])?;
        let mut solver = plan.name.build(&plan.stop);
        let solved = self.solve(&problem, &plan.start, &mut *solver);
        products.take_raised().map_or(solved, |raised| Err(raised.into()))
    }
}

/// The problem of a matrix without a right-hand side, on its grid where that fits.
fn posed<'m>(matrix: &'m CsrMatrix, grid: Option<&GridInfo>) -> Result<(Mlcp<'m>, Option<GridMisfit>), Exception> {
    let zeros = vec![0.0; matrix.rows()];
    Ok(match grid.map(|grid| (grid.lattice_of(matrix), grid)) {
        Some((Some(lattice), _)) => (Mlcp::on_lattice(lattice, matrix, zeros)?, None),
        Some((None, grid)) => (Mlcp::new(matrix, zeros)?, grid.misfit(matrix)),
        None => (Mlcp::new(matrix, zeros)?, None),
    })
}

/// Solves; returns the answer, the active rows and the account. Where a function gives the products, the matrix is one
/// that is close to what it multiplies by.
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
    grid: Option<GridParts<'py>>,
    how: How,
    callback: Option<Py<PyAny>>,
    product: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let plan = how.plan()?;
    let (given, sides) = (GivenMatrix { values, columns, starts }, GivenSides { b, wall, lower, x0 });
    let MatrixParts { starts, columns, values } = given.parts()?;
    let rows = starts.len().saturating_sub(1);
    let (grid, sides) = (grid_info(grid, rows)?, sides.sides(rows)?);
    let solved = watched(py, callback, || {
        let matrix = CsrMatrix::from_raw(starts, columns, values).map_err(ProblemError::Matrix)?;
        plan.check(&matrix)?;
        if let Some(function) = product {
            return Ok((sides.solve_by_products(Products::new(function, matrix), &plan)?, None));
        }
        let (problem, misfit) = posed(&matrix, grid.as_ref())?;
        let mut solver = plan.solver(&problem)?;
        Ok::<_, Exception>((sides.solve(&problem, &plan.start, &mut *solver)?, misfit))
    })?;
    let (solved, misfit) = solved?;
    account(py, solved, misfit)
}

/// A matrix and a solver that keeps what it prepares for it.
#[pyclass(frozen)]
pub struct Prepared {
    misfit: Option<GridMisfit>,
    plan: Plan,
    state: Mutex<State>,
}

struct State {
    problem: Mlcp<'static>,
    solver: Box<dyn MlcpSolver>,
}

#[pymethods]
impl Prepared {
    #[new]
    fn new(
        py: Python<'_>,
        values: PyReadonlyArray1<'_, f64>,
        columns: PyReadonlyArray1<'_, u32>,
        starts: PyReadonlyArray1<'_, u32>,
        grid: Option<GridParts<'_>>,
        how: How,
    ) -> PyResult<Self> {
        let plan = how.plan()?;
        let given = GivenMatrix { values, columns, starts };
        let MatrixParts { starts, columns, values } = given.parts()?;
        let grid = grid_info(grid, starts.len().saturating_sub(1))?;
        let prepared = py.detach(|| {
            let matrix = CsrMatrix::from_raw(starts, columns, values).map_err(ProblemError::Matrix)?;
            plan.check(&matrix)?;
            let matrix = matrix.into_owned();
            let zeros = vec![0.0; matrix.rows()];
            let misfit = grid.as_ref().and_then(|grid| grid.misfit(&matrix));
            let problem = match grid {
                Some(grid) => unstick_problems::Problem::on_grid(grid, matrix, zeros)?.into_mlcp(),
                None => Mlcp::new(matrix, zeros)?,
            };
            let solver = plan.solver(&problem)?;
            Ok::<_, Exception>((misfit, State { problem, solver }))
        });
        let (misfit, state) = prepared?;
        Ok(Self { misfit, plan, state: Mutex::new(state) })
    }

    /// Solves for one right-hand side.
    fn solve<'py>(
        &self,
        py: Python<'py>,
        b: PyReadonlyArray1<'py, f64>,
        wall: Option<PyReadonlyArray1<'py, f64>>,
        lower: Option<PyReadonlyArray1<'py, f64>>,
        x0: Option<PyReadonlyArray1<'py, f64>>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let given = GivenSides { b, wall, lower, x0 };
        let sides = given.sides(given.b.as_slice().map_or(0, <[f64]>::len))?;
        let solved = watched(py, callback, || {
            // A solve that was interrupted leaves nothing that the next one cannot begin with.
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let State { problem, solver } = &mut *state;
            sides.solve(problem, &self.plan.start, &mut **solver)
        })?;
        account(py, solved?, self.misfit)
    }
}

fn account(py: Python<'_>, solved: Solved, misfit: Option<GridMisfit>) -> PyResult<Bound<'_, PyDict>> {
    let Solved { x, report } = solved;
    let mut active = vec![false; x.len()];
    report.let_go().iter().for_each(|&row| active[row as usize] = true);
    let account = facts(py, &report)?;
    account.set_item("x", x.into_pyarray(py))?;
    account.set_item("active", active.into_pyarray(py))?;
    account.set_item("misfit", misfit.map(|misfit| misfit.to_string()))?;
    Ok(account)
}

/// What a report says.
pub fn facts<'py>(py: Python<'py>, report: &SolveReport) -> PyResult<Bound<'py, PyDict>> {
    let account = PyDict::new(py);
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
