//! Why a command was refused or failed.

use std::path::{Path, PathBuf};

use thiserror::Error;

use unstick::gpu::GpuError;
use unstick::liquid::Wall;
use unstick::mlcp::{ParseNameError, ParseStartError, SolveError};
use unstick::problems::{Example, FileError, GenerateError, ParseExampleError};
use unstick::scene::SceneError;
use unstick::scene::file::Place;
use unstick::scene::run::{Comparison, RunError};
use unstick_lab::LabError;

/// Help for users without a problem folder.
const FOLDER_HELP: &str = "`unstick generate sphere-half --size 32 --out tank` writes a problem folder to try";

/// How solver names are formed.
const NAMES_HELP: &str = "a solver is method+linear/preconditioner; parts that are left out are chosen for you: \
    `best`, `policy`, `policy+cg/mic0`, `mprgp/jacobi`\nparameters follow a part: `best:forcing=0.05`; `unstick solvers` lists them\n`all` runs one of each method";

/// What to do when a device has failed.
const DEVICE_HELP: &str = "resume with `--resume`; add `--backend cpu` for the processor, or `--backend auto`, which turns to \
    the processor whenever the GPU fails";

/// What to do without a GPU.
const GPU_HELP: &str = "`--backend auto` uses the GPU where it can; `unstick doctor` shows what is there";

/// A command that was refused or that failed.
#[derive(Debug, Error)]
pub enum CommandError {
    /// A solver that does not exist.
    #[error("{error}")]
    Solver {
        /// What was wrong with the name.
        error: ParseNameError,
        /// What to write instead.
        help: String,
    },
    /// There is no GPU, or it lacks what was requested.
    #[error("{error}")]
    Gpu {
        /// What is missing.
        error: GpuError,
    },
    /// A starting iterate that does not exist.
    #[error("{0}")]
    Start(ParseStartError),
    /// `--start given` without anything given.
    #[error("{} holds no x.npy to start from", folder.display())]
    NothingGiven {
        /// The problem folder.
        folder: PathBuf,
    },
    /// The starting iterate could not be computed.
    #[error("the starting iterate: {0}")]
    Prepare(SolveError),
    /// Zero, negative, infinite or NaN.
    #[error("the tolerance is {0}, expected a positive number")]
    Tolerance(f64),
    /// The thread pool could not be built.
    #[error("{threads} threads could not be started: {reason}")]
    Threads {
        /// The requested number.
        threads: u16,
        /// What the system said.
        reason: String,
    },
    /// An example that does not exist.
    #[error("{error}")]
    Example {
        /// What was wrong with the name.
        error: ParseExampleError,
        /// What to write instead.
        help: Option<String>,
    },
    /// An example that cannot be generated with these arguments.
    #[error("`{example}` cannot be generated: {error}")]
    Generate {
        /// Which one.
        example: Example,
        /// Why.
        error: GenerateError,
    },
    /// A problem folder that cannot be read or written.
    #[error("{message}")]
    File {
        /// The file, the place in it and what is wrong.
        message: String,
        /// What to do.
        help: Option<String>,
    },
    /// A file that cannot be written.
    #[error("{} cannot be written: {reason}", path.display())]
    Destination {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Standard output failed.
    #[error("standard output: {0}")]
    Stdout(String),
    /// A scene that is refused, with the place where it was written.
    #[error("{}", .0.message)]
    Scene(Box<SceneError>),
    /// Anything else, with a message.
    #[error("{message}")]
    Run {
        /// Why.
        message: String,
        /// What to do.
        help: Option<String>,
    },
}

impl CommandError {
    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Solver { help, .. } => Some(help),
            Self::Example { help, .. } | Self::File { help, .. } | Self::Run { help, .. } => help.as_deref(),
            Self::Scene(error) => error.help.as_deref(),
            Self::Gpu { .. } => Some(GPU_HELP),
            Self::NothingGiven { .. } => Some("leave out `--start given`, or write x.npy with `--write-x`"),
            Self::Tolerance(_) => Some("1e-6 of the residual at zero is usual: `--tol 1e-6`"),
            _ => None,
        }
    }

    /// Where it was written, and what was expected there.
    pub fn place(&self) -> Option<(&Place, &str)> {
        let Self::Scene(error) = self else { return None };
        Some((error.place.as_ref()?, &error.label))
    }

    /// A name that no solver has.
    pub fn solver(error: ParseNameError) -> Self {
        let help = match error.nearest() {
            Some(nearest) => format!("did you mean `{nearest}`?\n{NAMES_HELP}"),
            None => NAMES_HELP.into(),
        };
        Self::Solver { error, help }
    }

    /// A name that no example has.
    pub fn example(error: ParseExampleError) -> Self {
        let help = error.nearest().map(|nearest| format!("did you mean `{nearest}`?"));
        Self::Example { error, help }
    }

    /// A folder that could not be read. The message has file, place and reason.
    pub fn reading(error: FileError, folder: &Path) -> Self {
        let is_missing = !folder.is_dir();
        Self::File { message: error.to_string(), help: is_missing.then(|| FOLDER_HELP.into()) }
    }

    /// A file or folder that could not be written.
    pub fn writing(error: FileError) -> Self {
        Self::File { message: error.to_string(), help: None }
    }
}

impl From<SceneError> for CommandError {
    fn from(error: SceneError) -> Self {
        match error.place {
            Some(_) => Self::Scene(Box::new(error)),
            None => Self::Run { message: error.message, help: error.help },
        }
    }
}

impl From<RunError> for CommandError {
    fn from(error: RunError) -> Self {
        let help = match &error {
            RunError::NotEmpty { .. } => Some(
                "go on with `--resume`, replace an older run with `--force`, or name another folder with `--out`"
                    .into(),
            ),
            RunError::OtherScene { .. } => {
                Some("`--resume --out DIR` without a scene resumes the one that was run".into())
            }
            RunError::NoCheckpoint { .. } => Some("without `--resume` the run begins again".into()),
            RunError::NoWalls { .. } => Some("compare one of its values: `--compare KEY=VALUE`".into()),
            RunError::NothingToCompare { comparison } => Some(other_comparison(comparison)),
            RunError::OtherFrames => Some("compare a value that changes neither `grid` dimensions nor `time`".into()),
            RunError::OtherComparison { .. } => {
                Some("leave out `--compare`: what the run has compared is compared again".into())
            }
            RunError::Device { .. } => Some(DEVICE_HELP.into()),
            _ => error.unconverged_key().map(|key| {
                format!(
                    "the scene decides what happens then: add `--set {key}=shorten-step` (or `accept`) and go on \
                     with `--resume`"
                )
            }),
        };
        match error {
            RunError::Scene(error) => error.into(),
            error => Self::Run { message: error.to_string(), help },
        }
    }
}

/// What to compare instead.
fn other_comparison(comparison: &Comparison) -> String {
    match comparison {
        Comparison::Walls(Wall::Sealed) => "try `--compare separating`".into(),
        Comparison::Walls(Wall::Separating) => "try `--compare sealed`".into(),
        Comparison::Setting(_) => "give it another value".into(),
    }
}

impl From<LabError> for CommandError {
    fn from(error: LabError) -> Self {
        let help = match error {
            LabError::Solver(error) => return Self::solver(error),
            LabError::Example(error) => return Self::example(error),
            LabError::Gpu(error) => return Self::Gpu { error },
            LabError::Folder { folder, error } => return Self::reading(error, &folder),
            LabError::Scene(error) => return error.into(),
            LabError::Run(error) => return error.into(),
            LabError::UnknownProblem { ref nearest, .. } => Some(format!("did you mean `{nearest}`?")),
            LabError::UnknownStudy { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            LabError::UnknownStudy { nearest: None, .. } => Some("`unstick study` lists them all".into()),
            LabError::Memory { largest, .. } => Some(format!("about {largest} cells along the longest axis would fit")),
            LabError::Busy { .. } => Some("wait until it ends, or name another folder with `--out`".into()),
            LabError::OtherMachine { .. } | LabError::Measurements { .. } => {
                Some("`--fresh` discards it and measures everything again".into())
            }
            _ => None,
        };
        Self::Run { message: error.to_string(), help }
    }
}
