//! Matrices that Python knows by their products alone.

use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use unstick_mlcp::{CsrMatrix, LinearOperator};

/// A function of Python that multiplies, and a matrix close to what it multiplies by.
pub struct Products<'m> {
    function: Py<PyAny>,
    pub nearby: CsrMatrix<'m>,
    /// What the function raised first.
    raised: Mutex<Option<PyErr>>,
}

impl<'m> Products<'m> {
    pub fn new(function: Py<PyAny>, nearby: CsrMatrix<'m>) -> Self {
        Self { function, nearby, raised: Mutex::new(None) }
    }

    fn call(&self, x: &[f64], y: &mut [f64]) -> PyResult<()> {
        Python::attach(|py| {
            let product = self.function.call1(py, (x.to_vec().into_pyarray(py),))?;
            let product: PyReadonlyArray1<f64> = product.bind(py).extract()?;
            y.copy_from_slice(product.as_slice()?);
            Ok(())
        })
    }

    /// What the function raised.
    pub fn take_raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl LinearOperator for Products<'_> {
    fn size(&self) -> usize {
        self.nearby.rows()
    }

    fn diagonal(&self) -> &[f64] {
        self.nearby.diagonal()
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        if let Err(error) = self.call(x, y) {
            // Numbers that are none end the solve; the exception is what its caller gets.
            y.fill(f64::NAN);
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn nearby(&self) -> Option<&dyn LinearOperator> {
        Some(&self.nearby)
    }
}
