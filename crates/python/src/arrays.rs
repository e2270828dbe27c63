//! Arrays across the border.

use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use unstick_grid::CellField;

use crate::error::Exception;

/// The numbers of an array, in place.
pub fn slice<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>, what: &str) -> Result<&'a [T], Exception> {
    let scattered = |_| Exception::new("ProblemError", format!("{what} does not lie in one piece"), None);
    array.as_slice().map_err(scattered)
}

/// One row per vector.
pub fn vectors<'py, T: Element + Copy, const D: usize>(
    py: Python<'py>,
    vectors: &[[T; D]],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let flat: Bound<'py, PyArray1<T>> = vectors.as_flattened().to_vec().into_pyarray(py);
    flat.reshape([vectors.len(), D])
}

/// A field as an array that is indexed `[x, y]` or `[x, y, z]`; x runs fastest in memory.
pub fn field<'py, T: Element + Copy, const D: usize>(
    py: Python<'py>,
    field: &CellField<T, D>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let flat: Bound<'py, PyArray1<T>> = field.values().to_vec().into_pyarray(py);
    flat.reshape_with_order(field.shape().to_vec(), numpy::npyffi::NPY_ORDER::NPY_FORTRANORDER)
}
