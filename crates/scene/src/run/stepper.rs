//! What a run drives: a scene with a physics, and the simulation made of it.
//!
//! A new physics, or a new place to compute, implements two traits: [`Physics`] makes a simulation, [`Stepper`] is
//! one. Run folders, pictures, the viewer's files, data files, checkpoints, comparisons and the Python package then
//! work without further code.

use std::any::Any;
use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use postcard::Deserializer;
use postcard::de_flavors::io::io::IOReader;
use unstick_bodies::RigidBody;
use unstick_gpu::Placement;
use unstick_grid::{Grid, Motion};
use unstick_liquid::{Solid, Wall};

use super::RunError;
use super::edit::{Edit, refused};
use super::parts::Parts;
use crate::coming::ComingFrame;
use crate::dimension::PlaneOrSpace;
use crate::draw::PictureStyle;
use crate::file::{SceneError, SceneFile};
use crate::frame::Frame;
use crate::output::Output;
use crate::scene::AnyScene;
use crate::sink::PieceContent;
use crate::viscous::{AnyViscousScene, PathLines};

/// A simulation at one moment.
pub trait Stepper<const D: usize>: Send {
    /// Simulated seconds.
    fn time(&self) -> f64;

    /// Steps taken.
    fn step(&self) -> u64;

    /// Length of the next step on the way to a time; none when it is reached.
    fn next_step(&self, time: f64) -> Option<f64>;

    /// What bounds the length of the next step.
    fn bound(&self) -> StepBound;

    /// Takes a step. After an error the simulation is where it was before, or [`check_state`](Self::check_state) refuses
    /// where it is.
    fn advance(&mut self, length: f64) -> Result<StepRecord, RunError>;

    /// Changes the simulation between two steps. After an error it is as it was.
    fn edit(&mut self, _edit: Edit<D>) -> Result<(), RunError> {
        let expected = "one on the processor (`pressure.backend = \"cpu\"`)";
        Err(refused("the simulation", "one that cannot be changed from outside".into(), expected))
    }

    /// Refuses a state that must not be stored: nothing could go on from it.
    fn check_state(&self) -> Result<(), RunError>;

    /// What there is to see now.
    fn frame(&self, number: usize) -> Frame<D>;

    /// Begins to bring what there is to see now, so that steps can go on meanwhile.
    fn begin_frame(&self, number: usize) -> ComingFrame<D> {
        ComingFrame::there(Arc::new(self.frame(number)))
    }

    /// Writes the state, if [`check_state`](Self::check_state) lets it, from which [`Physics::resume`] goes on bit for bit.
    fn store(&self, to: &mut dyn Write) -> Result<(), StateError>;

    /// Stores the state in a folder in parts, if many processes share it: each of them writes its own. All are on disk when
    /// this returns. None where one process has the whole.
    fn store_parts(&self, _folder: &Path) -> Option<Result<Parts, RunError>> {
        None
    }

    /// Writes what there is to see now into a folder in pieces, where many processes share it: each of them writes its own.
    fn store_pieces(&self, _content: PieceContent, _folder: &Path) -> Result<Parts, RunError> {
        Err(refused("the simulation", "one that a single process has".into(), "one that many share"))
    }

    /// The state now, to be stored while steps go on; none where somebody has to wait for that. `may_copy` says whether
    /// there is memory for a copy of it.
    fn snapshot(&self, _may_copy: bool) -> Option<Box<dyn Snapshot>> {
        None
    }

    /// Names of the columns of `stats.csv`. The first is `step`.
    fn columns(&self) -> Vec<String>;

    /// What can be said before the first step: some of the columns, and their values.
    fn summary(&self) -> Vec<(&'static str, Value)>;

    /// Header of `bodies.csv`. The first column is `step`.
    fn body_columns(&self) -> String;

    /// Appends a line for each body to `bodies.csv`.
    fn write_bodies(&self, lines: &mut String);
}

/// A state that is stored while its simulation goes on.
pub trait Snapshot: Send {
    /// Writes what [`Stepper::store`] would have written at its moment.
    fn store(&self, to: &mut dyn Write) -> Result<(), StateError>;
}

/// What a device does for a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceWork {
    /// It solves for the pressure.
    Pressure,
    /// It takes whole steps.
    Steps,
}

impl fmt::Display for DeviceWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pressure => "pressure",
            Self::Steps => "steps",
        })
    }
}

/// What makes simulations of a scene.
pub trait Physics<const D: usize>: Send + Sync {
    /// The simulation at its beginning. It takes the memory that [`check_memory`](Self::check_memory) estimates.
    fn begin(&self) -> Result<Box<dyn Stepper<D>>, SceneError>;

    /// The simulation at a state that [`Stepper::store`] wrote.
    fn resume(&self, state: &mut dyn Read) -> Result<Box<dyn Stepper<D>>, StateError>;

    /// The simulation at a state that [`Stepper::store_parts`] wrote.
    fn resume_parts(&self, _folder: &Path, _parts: &Parts) -> Result<Box<dyn Stepper<D>>, StateError> {
        Err(StateError::OtherGrid)
    }

    /// Where the pressure is solved for. A device that the scene asks for and that is not there is refused.
    fn placement(&self) -> Result<Placement, SceneError>;

    /// What a device that was found does.
    fn work_of_device(&self) -> DeviceWork {
        DeviceWork::Pressure
    }

    /// Refuses a scene that takes more memory than is available, in bytes.
    fn check_memory(&self, available: u64) -> Result<(), SceneError>;
}

/// A scene that can be run: what the driver must know of it as values, and its physics.
#[derive(Clone)]
pub struct RunScene<const D: usize> {
    /// For people.
    pub title: String,
    /// One line on what happens.
    pub description: String,
    /// Frames after the first.
    pub frames: usize,
    /// Seconds from frame to frame.
    pub frame_seconds: f64,
    /// Cells along each axis.
    pub cells: Vec<usize>,
    /// The lattice of its frames.
    pub grid: Grid<D>,
    /// Seed of what is random.
    pub seed: u64,
    /// Solids.
    pub solids: Vec<Solid<D>>,
    /// Bodies as they begin.
    pub bodies: Vec<RigidBody<D>>,
    /// When `bodies.csv` gets lines.
    pub path_lines: PathLines,
    /// What is written.
    pub output: Output,
    /// Bytes that the viewer's files take in all, estimated before compression.
    pub view_bytes: f64,
    /// How pictures look.
    pub style: PictureStyle,
    /// The pressure at the bright end of the viewer's colours, in pascals.
    pub highest_pressure: f64,
    /// What the report says of the physics: names and values.
    pub facts: Vec<(String, String)>,
    /// What a user should know before it runs.
    pub warnings: Vec<String>,
    /// Whether many processes share its simulation. Then each of them writes its piece of what VTK reads.
    pub is_shared: bool,
    /// Whether there is memory for a copy of the state, to be stored while steps go on.
    pub may_copy: bool,
    /// Whether the run ends when the device that computes has failed.
    pub needs_device: bool,
    /// What makes simulations of it.
    pub physics: Arc<dyn Physics<D>>,
}

/// A scene that can be run, in the plane or in space.
pub type AnyRunScene = PlaneOrSpace<RunScene<2>, RunScene<3>>;

impl AnyRunScene {
    /// The scene of a file, with walls of one kind if one is named. A viscous flow has no such walls.
    pub fn of(file: &SceneFile, walls: Option<Wall>) -> Result<Self, SceneError> {
        if file.is_viscous() {
            return Ok(match file.viscous_scene()? {
                AnyViscousScene::Plane(scene) => Self::Plane(scene.into()),
                AnyViscousScene::Space(scene) => Self::Space(scene.into()),
            });
        }
        Ok(match file.scene()? {
            AnyScene::Plane(scene) => Self::Plane(scene.with_walls(walls).into()),
            AnyScene::Space(scene) => Self::Space(scene.with_walls(walls).into()),
        })
    }
}

/// More bytes than this, and a scene that does not ask for the viewer's files gets none.
const VIEW_LIMIT: f64 = (1u64 << 30) as f64;

impl<const D: usize> RunScene<D> {
    /// The same scene as one of space; none in the plane.
    pub fn in_space(&self) -> Option<&RunScene<3>> {
        (self as &dyn Any).downcast_ref()
    }

    /// Whether solids or bodies move.
    pub fn has_motion(&self) -> bool {
        !self.bodies.is_empty() || self.solids.iter().any(|solid| !matches!(solid.motion, Motion::Still))
    }

    /// Whether the viewer's files are written: if asked for, or if nothing is said and they stay small.
    pub fn is_viewed(&self) -> bool {
        self.output.view.unwrap_or(self.view_bytes < VIEW_LIMIT)
    }
}

/// What bounds the length of a step: nothing may cross more than some cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepBound {
    /// Speed of what is fastest, in m/s.
    pub speed: f64,
    /// Size of the smallest cell, in metres.
    pub cell: f64,
    /// Cells that may be crossed.
    pub cfl: f64,
}

impl fmt::Display for StepBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { speed, cell, cfl } = self;
        write!(f, "the fastest moves at {speed:.3e} m/s and may cross {cfl} cells of {cell:.3e} m")
    }
}

/// What a step says of itself.
#[derive(Clone, Debug, Default)]
pub struct StepRecord {
    /// Its line in `stats.csv`, in the order of [`Stepper::columns`].
    pub values: Vec<Value>,
    /// Whether every solve met its tolerance.
    pub converged: bool,
    /// Why a device failed that was to compute; the processor has finished the step and goes on.
    pub device_failure: Option<String>,
    /// Residual of the pressure at its start and after every cycle, where that is known.
    pub history: Vec<f64>,
}

/// A value of `stats.csv`.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// A number with all its digits.
    Number(f64),
    /// A number with an exponent: residuals and errors.
    Small(f64),
    /// Seconds on the clock.
    Seconds(f64),
    /// Yes or no.
    Bool(bool),
    /// A word.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Small(value) => write!(f, "{value:e}"),
            Self::Seconds(value) => write!(f, "{value:.6}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{value}"),
        }
    }
}

/// A state that cannot be stored or resumed from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The bytes are not a state.
    #[error("{0}")]
    Unreadable(postcard::Error),
    /// The state belongs to another grid or to other bodies.
    #[error("it does not fit the grid")]
    OtherGrid,
    /// A part of it cannot be read.
    #[error("{}: {reason}", path.display())]
    Part {
        /// Its file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Another rank cannot read its part.
    #[error("rank {rank}: {reason}")]
    Rank {
        /// Which.
        rank: usize,
        /// Its word.
        reason: String,
    },
    /// The scene is refused.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

impl From<postcard::Error> for StateError {
    fn from(error: postcard::Error) -> Self {
        match error {
            // What our own readers say of lists that are too short or too long.
            postcard::Error::SerdeDeCustom => Self::OtherGrid,
            error => Self::Unreadable(error),
        }
    }
}

/// Reads a state as [`Stepper::store`] writes it, without a second copy.
pub(super) fn read_state<T>(
    from: &mut dyn Read,
    read: impl for<'a> FnOnce(&mut Deserializer<'a, IOReader<'a, &'a mut dyn Read>>) -> Result<T, postcard::Error>,
) -> Result<T, StateError> {
    let mut scratch = [0; 16]; // for one number at a time
    Ok(read(&mut Deserializer::from_flavor(IOReader::new(from, &mut scratch)))?)
}
