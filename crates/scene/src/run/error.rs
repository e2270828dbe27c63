//! What can end a run.

use std::io;
use std::path::{Path, PathBuf};

use unstick_liquid::StepError;

use super::Comparison;
use super::stepper::StepBound;
use crate::draw::DrawError;
use crate::file::SceneError;
use crate::movie::MovieError;
use crate::report::ReportError;

/// Why a run could not begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scene is refused.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A step of a viscous flow failed.
    #[error(transparent)]
    FlowStep(#[from] unstick_flow::StepError),
    /// Steps shrink without end.
    #[error(
        "at {time} s, after {step} steps, the next step would take {length:.1e} s, where a frame takes {frame_seconds} s: \
         {bound}"
    )]
    StepsShrink {
        /// Simulated time.
        time: f64,
        /// Steps taken.
        step: u64,
        /// Length of the next one.
        length: f64,
        /// Seconds from frame to frame.
        frame_seconds: f64,
        /// What bounds it.
        bound: StepBound,
    },
    /// A change from outside is refused.
    #[error("{what} is {found}, expected {expected}")]
    Edit {
        /// Of what.
        what: &'static str,
        /// What was asked for.
        found: String,
        /// What would be accepted.
        expected: String,
    },
    /// A step failed on one of many ranks, which says why.
    #[error("rank {rank}: {reason}")]
    Rank {
        /// Which.
        rank: usize,
        /// Its word.
        reason: String,
    },
    /// The device that solves for the pressure has failed.
    #[error("{0}; the processor has finished the step, and a checkpoint of it is written")]
    Device(String),
    /// A picture could not be written.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// The movie could not be made.
    #[error(transparent)]
    Movie(#[from] MovieError),
    /// The report could not be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder holds something already.
    #[error("{} exists already and is not empty{}", folder.display(), if *holds_run { "" } else { "; it holds no run" })]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
        /// Whether it is an older run, which can be replaced.
        holds_run: bool,
    },
    /// A folder without a run.
    #[error("{} is no run folder: {}", .0.display(), if .0.is_dir() { "it holds no run.json" } else { "there is no such folder" })]
    NoRun(PathBuf),
    /// Another process writes into the folder.
    #[error(
        "another process{} writes into {}",
        process.as_ref().map(|id| format!(" ({id})")).unwrap_or_default(), folder.display()
    )]
    Busy {
        /// The run folder.
        folder: PathBuf,
        /// The id of the process, where it is known.
        process: Option<String>,
    },
    /// The folder is that of another program.
    #[error("{} is not empty, and what it holds is not a run of this program: {reason}", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// Why its record is not one.
        reason: String,
    },
    /// A folder without a checkpoint that can be used.
    #[error("{} holds no checkpoint to resume from{}", folder.display(), reasons.iter().map(|reason| format!("; {reason}")).collect::<String>())]
    NoCheckpoint {
        /// The run folder.
        folder: PathBuf,
        /// What is wrong with those that are there.
        reasons: Vec<String>,
    },
    /// The checkpoint is of another scene.
    #[error("the run in {} is of another scene, or of this one with other values", .0.display())]
    OtherScene(PathBuf),
    /// Resumed with an end before what is there.
    #[error("the run in {} has reached frame {reached}, expected --frames of at least that, found {asked}", folder.display())]
    EndsEarlier {
        /// The run folder.
        folder: PathBuf,
        /// The frame of its checkpoint.
        reached: usize,
        /// The last frame asked for.
        asked: usize,
    },
    /// Walls are compared and the scene has none.
    #[error("`{0}` is a viscous flow: its walls neither seal nor separate")]
    NoWalls(String),
    /// The two runs of a comparison would be the same.
    #[error("{} already: there is nothing to compare", .0.statement())]
    NothingToCompare(Comparison),
    /// The two runs of a comparison would have other frames.
    #[error("runs that are compared have the same dimension and the same frames")]
    OtherFrames,
    /// Resumed with another comparison.
    #[error("the run in {} does not compare with `{asked}`", folder.display())]
    OtherComparison {
        /// The run folder.
        folder: PathBuf,
        /// What was asked for.
        asked: Comparison,
        /// What is compared in the folder.
        before: Option<Comparison>,
    },
    /// A run.json that cannot be read.
    #[error("{}: {reason}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl RunError {
    /// The key of the scene that says what happens when a solve falls short, where that has ended the run.
    pub fn unconverged_key(&self) -> Option<&'static str> {
        match self {
            Self::Step(StepError::Unconverged { .. }) => Some("pressure.on_unconverged"),
            Self::FlowStep(unstick_flow::StepError::Unconverged { .. }) => Some("flow.on_unconverged"),
            _ => None,
        }
    }

    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}
