//! Problem folders.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use unstick_mlcp::io::ProblemFolder;
use unstick_mlcp::{CsrMatrix, ProblemError};

use crate::arrays::slice;
use crate::error::Exception;
use crate::solve::{GridParts, bounds, grid_info};

/// Reads a problem folder: the arrays of its files.
#[pyfunction]
pub fn load_problem(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let ProblemFolder { matrix, b, lower, x, grid } =
        py.detach(|| ProblemFolder::read(&folder)).map_err(Exception::from)?;
    let indices = |indices: &[u32]| indices.iter().map(|&index| i64::from(index)).collect::<Vec<_>>();
    let problem = PyDict::new(py);
    problem.set_item("indptr", indices(matrix.starts()).into_pyarray(py))?;
    problem.set_item("indices", indices(matrix.columns()).into_pyarray(py))?;
    problem.set_item("data", matrix.values().to_vec().into_pyarray(py))?;
    problem.set_item("b", b.into_pyarray(py))?;
    problem.set_item("lower", lower.into_pyarray(py))?;
    problem.set_item("x", x.map(|x| x.into_pyarray(py)))?;
    problem.set_item("grid", grid.map(|grid| (grid.shape, grid.cells, grid.spacing, grid.origin)))?;
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
    grid: Option<GridParts>,
) -> PyResult<()> {
    let values = slice(&values, "the array of values")?;
    let columns = slice(&columns, "the array of columns")?;
    let starts = slice(&starts, "the array of row starts")?;
    let matrix =
        CsrMatrix::from_raw(starts, columns, values).map_err(|error| Exception::from(ProblemError::from(error)))?;
    let wall = wall.as_ref().map(|wall| slice(wall, "the wall mask")).transpose()?;
    let lower = lower.as_ref().map(|lower| slice(lower, "the lower bound")).transpose()?;
    let problem = ProblemFolder {
        lower: bounds(wall, lower, matrix.rows())?,
        grid: grid_info(grid, matrix.rows())?,
        matrix: matrix.into_owned(),
        b: slice(&b, "b")?.to_vec(),
        x: x.as_ref().map(|x| slice(x, "the iterate").map(<[f64]>::to_vec)).transpose()?,
    };
    py.detach(|| problem.write(&folder)).map_err(Exception::from)?;
    Ok(())
}
