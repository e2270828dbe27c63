//! What keeps a measurement from being made.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use unstick::gpu::GpuError;
use unstick::mlcp::{ParseNameError, ProblemError, SolveError};
use unstick::problems::{Example, FileError, GenerateError, ParseExampleError};
use unstick::scene::SceneError;
use unstick::scene::run::RunError;

use crate::machine::GIBI;

/// A measurement that cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabError {
    /// The name of a solver is wrong.
    #[error(transparent)]
    Solver(#[from] ParseNameError),
    /// There is no GPU, or it cannot do what was asked.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The name of an example is wrong.
    #[error(transparent)]
    Example(#[from] ParseExampleError),
    /// An example cannot be generated.
    #[error("`{example}` cannot be generated: {error}")]
    Generate {
        /// Which one.
        example: Example,
        /// Why.
        error: GenerateError,
    },
    /// A name that is neither a scene nor an example nor a folder.
    #[error("{message}")]
    UnknownProblem {
        /// What was looked for.
        message: String,
        /// The most similar name.
        nearest: String,
    },
    /// A problem folder cannot be read.
    #[error("{error}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The file, the place in it and what is wrong.
        error: FileError,
    },
    /// The parts of a problem do not fit together.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The starting iterate could not be computed.
    #[error("the starting iterate: {0}")]
    Prepare(SolveError),
    /// The thread pool could not be built.
    #[error("{threads} threads could not be started: {reason}")]
    Threads {
        /// How many were asked for.
        threads: u16,
        /// What the system said.
        reason: String,
    },
    /// A grid larger than the machine.
    #[error(
        "{cells} cells along the longest axis need about {:.0} GiB of memory, {:.1} GiB are available",
        needed / GIBI, available / GIBI
    )]
    Memory {
        /// Cells along the longest axis.
        cells: usize,
        /// Bytes that it takes.
        needed: f64,
        /// Bytes that are available.
        available: f64,
        /// Cells that would fit.
        largest: usize,
    },
    /// A scene is refused.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A simulation failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A study that does not exist.
    #[error("there is no study `{name}`")]
    UnknownStudy {
        /// What was asked for.
        name: String,
        /// The most similar name.
        nearest: Option<&'static str>,
    },
    /// Another process measures into the same folder.
    #[error(
        "another `unstick study`{} is at work in {}",
        process.as_ref().map(|id| format!(" (process {id})")).unwrap_or_default(), folder.display()
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
        /// The process, where it is known.
        process: Option<String>,
    },
    /// The folder holds measurements of another machine.
    #[error("{} was measured by {measured_by}, this is {this}", path.display())]
    OtherMachine {
        /// The file of measurements.
        path: PathBuf,
        /// Who measured it.
        measured_by: String,
        /// Who asks.
        this: String,
    },
    /// The file of measurements is damaged.
    #[error("{}: {reason}", path.display())]
    Measurements {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: {reason}", path.display())]
    Destination {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl LabError {
    /// For `map_err`: the file or folder that the system refused to write.
    pub(crate) fn writing(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::Destination { path: path.clone(), reason: error.to_string() }
    }
}
