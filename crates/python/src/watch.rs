//! Work that Ctrl-C can end and that a function of Python may look at, cycle by cycle.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use unstick_mlcp::{Convergence, Cycle, Mlcp, SolveReport, Witness, interruptible, witnessed};

use crate::wait::interruptibly;

/// A function of Python that sees every cycle and ends the solve if it returns a true value.
struct Watcher {
    function: Py<PyAny>,
    /// What the function raised.
    raised: Mutex<Option<PyErr>>,
}

impl Witness for Watcher {
    fn saw(&self, _: &Mlcp, _: &[f64], _: &SolveReport) {}

    fn saw_system(&self, _: &'static str, _: &Convergence, _: f64) {}

    fn saw_cycle(&self, cycle: &Cycle) -> ControlFlow<()> {
        let facts = (cycle.number, cycle.residual, cycle.target, cycle.inner_iterations);
        let is_enough = Python::attach(|py| self.function.call1(py, facts).and_then(|answer| answer.is_truthy(py)));
        match is_enough {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(error) => {
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

/// Solves without the interpreter's lock. Ctrl-C and whatever `callback` raises end the solve and go their way.
pub fn watched<T: Send>(py: Python<'_>, callback: Option<Py<PyAny>>, solve: impl FnOnce() -> T + Send) -> PyResult<T> {
    let watcher = callback.map(|function| Arc::new(Watcher { function, raised: Mutex::new(None) }));
    let witness = watcher.clone();
    let solved = interruptibly(py, |stop| {
        interruptible(stop, || match witness {
            Some(witness) => witnessed(witness, solve),
            None => solve(),
        })
    })?;
    let raised = watcher.and_then(|watcher| watcher.raised.lock().unwrap_or_else(PoisonError::into_inner).take());
    raised.map_or(Ok(solved), Err)
}
