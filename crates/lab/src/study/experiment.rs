//! What a study measures.

use std::fmt;

use unstick::mlcp::Start;

use super::measure::FlowKind;
use super::{ByScope, Scope};

/// What is measured.
pub enum Experiment {
    /// Solvers on pressure problems from frames of a scene.
    Problems(Problems),
    /// A scene simulated once with each setting.
    Runs(Runs),
    /// One step from the same states with each setting.
    Steps(Steps),
    /// Measurements with their own code, one per row.
    Trials(Trials),
    /// Flows with known answers.
    Flows(Flows),
    /// Nothing, and why it cannot be measured here.
    Impossible(&'static str),
}

/// Solvers on pressure problems from frames of a scene.
pub struct Problems {
    /// Scenes of the catalogue.
    pub scenes: &'static [&'static str],
    /// Grids and frames. The problem is that of the step after the frame.
    pub efforts: ByScope<Effort>,
    /// The solvers.
    pub entrants: &'static [Entrant],
    /// What counts as solved.
    pub target: Target,
    /// Solves per solver; the median time counts.
    pub repetitions: usize,
}

/// A scene simulated once with each setting.
pub struct Runs {
    /// Scenes of the catalogue.
    pub scenes: &'static [&'static str],
    /// Grids, and frames to draw. The run ends with the last frame.
    pub efforts: ByScope<Effort>,
    /// What is changed in the scene.
    pub settings: &'static [Setting],
    /// Whether the frames are drawn.
    pub is_drawn: bool,
}

/// One step from the same states with each setting.
pub struct Steps {
    /// A scene of the catalogue, which gives the states.
    pub scene: &'static str,
    /// Grids, and frames after which the step is taken.
    pub efforts: ByScope<Effort>,
    /// What is changed in the scene for the step.
    pub settings: &'static [Setting],
    /// What the velocities are compared with.
    pub reference: &'static [&'static str],
}

/// Measurements with several numbers each.
pub struct Trials {
    /// What is measured.
    pub what: &'static str,
    /// Names of the rows.
    pub rows: ByScope<&'static [&'static str]>,
    /// Measures a row: numbers by the names of their columns, or why there are none.
    pub carry_out: fn(&str, Scope) -> Numbers,
}

/// Flows with known answers.
pub struct Flows {
    /// What is simulated.
    pub cases: &'static [FlowCase],
    /// Resolutions, with the names of their columns.
    pub efforts: ByScope<&'static [(usize, &'static str)]>,
}

/// A flow, and the row of its numbers in a table.
pub struct FlowCase {
    /// Its row; empty if rows are not cases.
    pub row: &'static str,
    /// What is simulated.
    pub flow: FlowKind,
}

/// Numbers by the names of their columns, or why there are none.
pub type Numbers = Result<Vec<(&'static str, f64)>, String>;

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Cells along the longest axis.
    pub sizes: &'static [usize],
    /// Ascending.
    pub frames: &'static [usize],
}

/// What counts as solved.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A fraction of the natural residual at zero.
    Relative(f64),
    /// The divergence in 1/s that \[Lai2021\] stops on; ours is a velocity, h times as large.
    PerSecond(f64),
}

/// A solver, and the place of its numbers in a table.
#[derive(Clone, Copy, Debug)]
pub struct Entrant {
    /// Its row; empty if rows are sizes or scenes.
    pub row: &'static str,
    /// Its column, by the name of the source.
    pub column: &'static str,
    /// By name.
    pub solver: &'static str,
    /// Its parameters.
    pub parameters: Parameters,
    /// Where it starts.
    pub start: Start,
    /// The finest grid that it solves on.
    pub finest: usize,
}

/// Parameters of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameters {
    /// Those that the name of the solver stands for.
    Default,
    /// Newton's method as in \[Andersen2017b, sec. 6\]: ten steps, ξ = 0.01 throughout, no rescue, 1000 inner
    /// iterations.
    PublishedNewton,
    /// The same with another ξ.
    InexactNewton(f64),
}

/// The text in the keys of measurements.
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("Ours"),
            Self::PublishedNewton => f.write_str("Published"),
            Self::InexactNewton(inexactness) => write!(f, "Inexact({inexactness:?})"),
        }
    }
}

/// A change of a scene, and the place of its numbers in a table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its row; empty if rows are sizes or scenes.
    pub row: &'static str,
    /// Its column, by the name of the source.
    pub column: &'static str,
    /// Changes as `--set` takes them.
    pub sets: &'static [&'static str],
}

impl Entrant {
    /// A solver in a column; rows are sizes; starts from zero.
    pub(super) const fn new(column: &'static str, solver: &'static str) -> Self {
        Self { row: "", column, solver, parameters: Parameters::Default, start: Start::Zero, finest: usize::MAX }
    }

    pub(super) const fn at(self, row: &'static str) -> Self {
        Self { row, ..self }
    }

    pub(super) const fn with(self, parameters: Parameters) -> Self {
        Self { parameters, ..self }
    }

    pub(super) const fn from(self, start: Start) -> Self {
        Self { start, ..self }
    }

    pub(super) const fn up_to(self, finest: usize) -> Self {
        Self { finest, ..self }
    }
}

impl Setting {
    pub(super) const fn new(column: &'static str, sets: &'static [&'static str]) -> Self {
        Self { row: "", column, sets }
    }

    pub(super) const fn at(self, row: &'static str) -> Self {
        Self { row, ..self }
    }
}
