//! Why a command was refused or failed.

use std::fmt::Display;
use std::path::Path;

use unstick::gpu::GpuError;
use unstick::liquid::Wall;
use unstick::mlcp::ParseNameError;
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

/// What to do about a folder that is not empty and cannot be replaced.
pub const OTHER_FOLDER: &str = "name another folder with `--out`, or empty this one";

/// Help for users without a run folder.
pub const RUN_HELP: &str = "`unstick run` makes a run folder, by default in `out`";

/// What to do without a GPU.
const GPU_HELP: &str = "`--backend auto` uses the GPU where it can; `unstick doctor` shows what is there";

/// A command that was refused or that failed.
#[derive(Debug)]
pub struct CommandError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where it was written, and what was expected there.
    pub place: Option<(Place, String)>,
}

impl CommandError {
    /// An error with a message alone.
    pub fn new(message: impl Display) -> Self {
        Self { message: message.to_string(), help: None, place: None }
    }

    /// The same with what to do about it.
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// A tolerance that is zero, negative, infinite or NaN.
    pub fn tolerance(value: f64) -> Self {
        Self::new(format!("the tolerance is {value}, expected a positive number"))
            .with_help("1e-6 of the residual at zero is usual: `--tol 1e-6`")
    }

    /// A name that no solver has.
    fn solver(error: &ParseNameError) -> Self {
        let nearest = error.nearest().map(|nearest| format!("did you mean `{nearest}`?\n")).unwrap_or_default();
        Self::new(error).with_help(nearest + NAMES_HELP)
    }

    /// A name that no example has.
    pub fn example(error: ParseExampleError) -> Self {
        Self { help: error.nearest().map(|nearest| format!("did you mean `{nearest}`?")), ..Self::new(error) }
    }

    /// An example that cannot be generated with these arguments.
    pub fn generate(example: Example) -> impl FnOnce(GenerateError) -> Self {
        move |error| Self::new(format!("`{example}` cannot be generated: {error}"))
    }

    /// A problem folder that could not be read. The message has file, place and reason.
    pub fn reading(error: FileError, folder: &Path) -> Self {
        Self { help: (!folder.is_dir()).then(|| FOLDER_HELP.into()), ..Self::new(error) }
    }

    /// A file or folder that cannot be written.
    pub fn unwritable(path: &Path, reason: impl Display) -> Self {
        Self::new(format!("{} cannot be written: {reason}", path.display()))
    }
}

impl From<GpuError> for CommandError {
    fn from(error: GpuError) -> Self {
        Self::new(error).with_help(GPU_HELP)
    }
}

impl From<SceneError> for CommandError {
    fn from(error: SceneError) -> Self {
        Self { message: error.message, help: error.help, place: error.place.map(|place| (place, error.label)) }
    }
}

impl From<RunError> for CommandError {
    fn from(error: RunError) -> Self {
        let help = match &error {
            RunError::NotEmpty { holds_run: true, .. } => {
                "go on with `--resume`, replace the older run with `--force`, or name another folder with `--out`"
            }
            RunError::NotEmpty { holds_run: false, .. } => OTHER_FOLDER,
            RunError::NoRun(_) => RUN_HELP,
            RunError::Busy { .. } => {
                "wait until it ends, stop it with Ctrl-C or in the viewer, or name another folder with `--out`"
            }
            RunError::Foreign { .. } => OTHER_FOLDER,
            RunError::OtherScene(_) => "`--resume --out DIR` without a scene resumes the one that was run",
            RunError::NoCheckpoint { .. } => "`--force` instead of `--resume` begins the run again",
            RunError::NoWalls(_) => "compare one of its values: `--compare KEY=VALUE`",
            RunError::NothingToCompare(Comparison::Walls(Wall::Sealed)) => "try `--compare separating`",
            RunError::NothingToCompare(Comparison::Walls(Wall::Separating)) => "try `--compare sealed`",
            RunError::NothingToCompare(Comparison::Setting(_)) => "give it another value",
            RunError::OtherFrames => "compare a value that changes neither `grid` dimensions nor `time`",
            RunError::OtherComparison { .. } => "leave out `--compare`: what the run has compared is compared again",
            RunError::Device(_) => DEVICE_HELP,
            _ => {
                let help = error.unconverged_key().map(|key| {
                    format!(
                        "the scene decides what happens then: add `--set {key}=shorten-step` (or `accept`) and go on \
                         with `--resume`"
                    )
                });
                return match error {
                    RunError::Scene(error) => error.into(),
                    error => Self { help, ..Self::new(error) },
                };
            }
        };
        Self::new(error).with_help(help)
    }
}

impl From<LabError> for CommandError {
    fn from(error: LabError) -> Self {
        let help = match error {
            LabError::Solver(error) => return Self::solver(&error),
            LabError::Example(error) => return Self::example(error),
            LabError::Gpu(error) => return error.into(),
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
        Self { help, ..Self::new(error) }
    }
}
