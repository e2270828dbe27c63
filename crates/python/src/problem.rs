//! Problem folders.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use unstick_mlcp::{CsrMatrix, ProblemError};
use unstick_problems::{GridInfo, Problem};

use crate::arrays::slice;
use crate::error::Exception;
use crate::solve::{GridParts, bounds, grid_info};

/// Reads a problem folder: the arrays of its files.
#[pyfunction]
pub fn load_problem(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let read = py.detach(|| Problem::read(&folder)).map_err(Exception::from)?;
    let matrix = read.matrix();
    let problem = PyDict::new(py);
    problem.set_item("indptr", matrix.starts().to_vec().into_pyarray(py))?;
    problem.set_item("indices", matrix.columns().to_vec().into_pyarray(py))?;
    problem.set_item("data", matrix.values().to_vec().into_pyarray(py))?;
    problem.set_item("b", read.mlcp().b().to_vec().into_pyarray(py))?;
    problem.set_item("lower", read.mlcp().lower().to_vec().into_pyarray(py))?;
    problem.set_item("x", read.start().map(|start| start.to_vec().into_pyarray(py)))?;
    let parts = |grid: &GridInfo| {
        let cells: Vec<i64> = grid.cells.iter().map(|&cell| cell as i64).collect();
        (grid.shape.clone(), cells.into_pyarray(py), grid.spacing, grid.origin.clone())
    };
    problem.set_item("grid", read.grid().map(parts))?;
    Ok(problem)
}

/// Writes a new problem folder, all of it or nothing.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // one per array; `python/unstick/_problem.py` is what people call
pub fn save_problem(
    py: Python<'_>,
    folder: PathBuf,
    values: PyReadonlyArray1<'_, f64>,
    columns: PyReadonlyArray1<'_, u32>,
    starts: PyReadonlyArray1<'_, u32>,
    b: PyReadonlyArray1<'_, f64>,
    wall: Option<PyReadonlyArray1<'_, f64>>,
    lower: Option<PyReadonlyArray1<'_, f64>>,
    x: Option<PyReadonlyArray1<'_, f64>>,
    grid: Option<GridParts<'_>>,
) -> PyResult<()> {
    let values = slice(&values, "the array of values")?;
    let columns = slice(&columns, "the array of columns")?;
    let starts = slice(&starts, "the array of row starts")?;
    let matrix =
        CsrMatrix::from_raw(starts, columns, values).map_err(|error| Exception::from(ProblemError::from(error)))?;
    let wall = wall.as_ref().map(|wall| slice(wall, "the wall mask")).transpose()?;
    let lower = lower.as_ref().map(|lower| slice(lower, "the lower bound")).transpose()?;
    let (lower, grid) = (bounds(wall, lower, matrix.rows())?, grid_info(grid, matrix.rows())?);
    let (matrix, b) = (matrix.into_owned(), slice(&b, "b")?.to_vec());
    let start = x.as_ref().map(|x| slice(x, "the iterate").map(<[f64]>::to_vec)).transpose()?;
    let problem = || {
        let problem = match grid {
            Some(grid) => Problem::on_grid(grid, matrix, b)?,
            None => Problem::new(matrix, b)?,
        };
        let problem = problem.with_lower(lower)?;
        match start {
            Some(start) => problem.with_start(start),
            None => Ok(problem),
        }
    };
    py.detach(|| problem().map_err(Exception::from)?.write(&folder).map_err(Exception::from))?;
    Ok(())
}
