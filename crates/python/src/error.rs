//! Errors as exceptions of `unstick._errors`, with the text of the command line.

use pyo3::prelude::*;
use unstick_gpu::GpuError;
use unstick_mlcp::{ParseNameError, ParseStartError, ProblemError, SolveError};
use unstick_problems::FileError;
use unstick_scene::SceneError;
use unstick_scene::run::RunError;

use crate::scene::SET;

/// How solver names are put together.
const NAMES_HELP: &str = "a solver is method+linear/preconditioner, and what is left out is chosen for you: `best`, \
    `policy`, `policy+cg/mic0`, `mprgp/jacobi`; `unstick.solvers()` lists them";

/// An error that has become an exception.
pub struct Exception(PyErr);

impl Exception {
    /// An exception by the name of its class.
    pub fn new(class: &str, message: impl Into<String>, help: Option<String>) -> Self {
        let message = message.into();
        Self(Python::attach(|py| {
            let made = py.import("unstick._errors").and_then(|module| module.getattr(class)?.call1((message, help)));
            made.map_or_else(|error| error, PyErr::from_value)
        }))
    }
}

impl From<Exception> for PyErr {
    fn from(exception: Exception) -> Self {
        exception.0
    }
}

impl From<PyErr> for Exception {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<ParseNameError> for Exception {
    fn from(error: ParseNameError) -> Self {
        let nearest = error.nearest().map(|nearest| format!("did you mean `{nearest}`?\n")).unwrap_or_default();
        Self::new("SolverNameError", error.to_string(), Some(nearest + NAMES_HELP))
    }
}

impl From<ParseStartError> for Exception {
    fn from(error: ParseStartError) -> Self {
        Self::new("ProblemError", error.to_string(), None)
    }
}

impl From<ProblemError> for Exception {
    fn from(error: ProblemError) -> Self {
        Self::new("ProblemError", error.to_string(), None)
    }
}

impl From<GpuError> for Exception {
    fn from(error: GpuError) -> Self {
        let help = "`backend=\"auto\"` takes the GPU where it can";
        Self::new("SolveError", error.to_string(), Some(help.into()))
    }
}

impl From<SolveError> for Exception {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Problem(error) => error.into(),
            SolveError::Parameter { .. } => Self::new("ProblemError", error.to_string(), None),
            error => Self::new("SolveError", error.to_string(), None),
        }
    }
}

impl From<FileError> for Exception {
    fn from(error: FileError) -> Self {
        let class = match &error {
            FileError::Io { .. } | FileError::Exists { .. } => "FileError",
            _ => "ProblemError",
        };
        Self::new(class, error.to_string(), None)
    }
}

impl From<SceneError> for Exception {
    fn from(error: SceneError) -> Self {
        // What was set is known to whoever set it; a place in a file is worth naming.
        let is_set = error.place.as_ref().is_some_and(|place| place.source.name == SET);
        let message = if is_set { error.message.clone() } else { error.to_string() };
        Self::new("SceneError", message, error.help)
    }
}

impl From<RunError> for Exception {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Scene(error) => error.into(),
            RunError::NotEmpty { holds_run, .. } => {
                let help = match holds_run {
                    true => "go on with `resume=True`, replace the older run with `force=True`, or name another folder",
                    false => "name another folder, or empty this one",
                };
                Self::new("FileError", error.to_string(), Some(help.into()))
            }
            RunError::File { .. } | RunError::NoRun(_) => Self::new("FileError", error.to_string(), None),
            error => {
                let help = error.unconverged_key().map(|key| {
                    format!("the scene decides what happens then: `scene.{key} = \"shorten-step\"` (or `\"accept\"`)")
                });
                Self::new("RunError", error.to_string(), help)
            }
        }
    }
}
