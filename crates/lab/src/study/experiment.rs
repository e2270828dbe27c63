//! What a study measures.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use unstick::mlcp::Start;

use super::ByScope;
use super::measure::FlowKind;

/// What is measured.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    Impossible(String),
}

/// Solvers on pressure problems from frames of a scene.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problems {
    /// Scenes of the catalogue.
    pub scenes: Vec<String>,
    /// Grids and frames. The problem is that of the step after the frame.
    pub efforts: ByScope<Effort>,
    /// The solvers.
    pub entrants: Vec<Entrant>,
    /// What counts as solved.
    pub target: Target,
    /// What is changed in the scenes, as `--set` takes it. Default nothing.
    #[serde(default)]
    pub sets: Vec<String>,
    /// Solves per solver; the median time counts. Default 1.
    #[serde(default = "once")]
    pub repetitions: usize,
}

/// A scene simulated once with each setting.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// Scenes of the catalogue.
    pub scenes: Vec<String>,
    /// Grids, and frames to draw. The run ends with the last frame.
    pub efforts: ByScope<Effort>,
    /// What is changed in the scene.
    #[serde(deserialize_with = "settings")]
    pub settings: Vec<Setting>,
    /// Whether the frames are drawn.
    #[serde(default)]
    pub is_drawn: bool,
}

/// One step from the same states with each setting.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// A scene of the catalogue, which gives the states.
    pub scene: String,
    /// Grids, and frames after which the step is taken.
    pub efforts: ByScope<Effort>,
    /// What is changed in the scene for the step.
    #[serde(deserialize_with = "settings")]
    pub settings: Vec<Setting>,
    /// What the velocities are compared with.
    pub reference: Setting,
}

/// Measurements with several numbers each.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trials {
    /// What is measured.
    pub what: String,
    /// Names of the rows.
    pub rows: ByScope<Vec<String>>,
}

/// Flows with known answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flows {
    /// What is simulated.
    pub cases: Vec<FlowCase>,
    /// Resolutions.
    pub cells: ByScope<Vec<usize>>,
}

/// A flow, and the row of its numbers in a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowCase {
    /// Its row; empty if rows are not cases.
    #[serde(default)]
    pub row: String,
    /// What is simulated.
    pub flow: FlowKind,
}

/// Numbers by the names of their columns, or why there are none.
pub type Numbers = Result<Vec<(&'static str, f64)>, String>;

/// How much is measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// Cells along the longest axis.
    pub sizes: Vec<usize>,
    /// Ascending.
    pub frames: Vec<usize>,
    /// Grids of this size and finer are measured at every tenth frame only: pressure problems. Default none.
    #[serde(default = "any_size")]
    pub every_tenth_from: usize,
}

impl Effort {
    /// The frames after which problems of a grid are solved.
    pub fn frames_of(&self, size: usize) -> impl Iterator<Item = usize> {
        let is_wanted = move |frame: &usize| size < self.every_tenth_from || frame.is_multiple_of(10);
        self.frames.iter().copied().filter(is_wanted)
    }
}

/// What counts as solved.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// A fraction of the natural residual at zero.
    Relative(f64),
    /// The divergence in 1/s that \[Lai2021\] stops on; ours is a velocity, h times as large.
    PerSecond(f64),
}

/// A solver, and the place of its numbers in a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// Its row; empty if rows are sizes or scenes.
    #[serde(default)]
    pub row: String,
    /// Its column, by the name of the source.
    pub column: String,
    /// By name.
    pub solver: String,
    /// Its parameters.
    #[serde(default)]
    pub parameters: Parameters,
    /// Where it starts. Default zero.
    #[serde(default, deserialize_with = "start")]
    pub start: Start,
    /// The finest grid that it solves on. Default any.
    #[serde(default = "any_size")]
    pub finest: usize,
}

/// Parameters of a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameters {
    /// Those that the name of the solver stands for.
    #[default]
    Default,
    /// Newton's method as in \[Andersen2017b, sec. 6\]: ten steps, ξ = 0.01 throughout, no rescue, 1000 inner
    /// iterations.
    PublishedNewton,
    /// The same with another ξ.
    InexactNewton(f64),
    /// FAS as printed, with pressures in the units of \[Lai2021\] for a liquid of this density: t = ρh²/Δt.
    ThesisUnits(f64),
}

/// The text in the keys of measurements.
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("Ours"),
            Self::PublishedNewton => f.write_str("Published"),
            Self::InexactNewton(inexactness) => write!(f, "Inexact({inexactness:?})"),
            Self::ThesisUnits(density) => write!(f, "Units({density:?})"),
        }
    }
}

/// A change of a scene, and the place of its numbers in a table.
#[derive(Debug, Deserialize)]
#[serde(from = "SettingLine")]
pub struct Setting {
    /// Its row; empty if rows are sizes or scenes.
    pub row: String,
    /// Its column, by the name of the source.
    pub column: String,
    /// Changes as `--set` takes them.
    pub sets: Vec<String>,
}

/// A setting as files write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct SettingLine {
    row: String,
    column: String,
    /// Whether all walls stick.
    sealed: bool,
    /// A splitting with its linear solver, a stopping rule, and thresholds for the linear solver and for itself.
    splitting: Option<[String; 4]>,
    /// The same with every pair of some thresholds: rows are those of the linear solver, columns its own.
    sweep: Option<Sweep>,
    sets: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sweep {
    solver: String,
    stop: String,
    inner: Vec<String>,
    outer: Vec<String>,
}

impl From<SettingLine> for Setting {
    fn from(line: SettingLine) -> Self {
        let mut sets = Vec::new();
        if line.sealed {
            sets.extend(["walls.border=sealed", "walls.solids=sealed"].map(String::from));
        }
        if let Some([solver, stop, inner, outer]) = line.splitting {
            sets.push(format!("pressure.solver={solver}"));
            let thresholds =
                [("stop", &stop), ("inner", &inner), ("outer", &outer), ("absolute", &outer), ("relative", &outer)];
            sets.extend(thresholds.map(|(name, value)| format!("pressure.splitting.{name}={value}")));
        }
        sets.extend(line.sets);
        Self { row: line.row, column: line.column, sets }
    }
}

fn settings<'de, D: Deserializer<'de>>(data: D) -> Result<Vec<Setting>, D::Error> {
    let mut settings = Vec::new();
    for mut line in Vec::<SettingLine>::deserialize(data)? {
        let Some(Sweep { solver, stop, inner, outer }) = line.sweep.take() else {
            settings.push(line.into());
            continue;
        };
        for (inner, outer) in inner.iter().flat_map(|inner| outer.iter().map(move |outer| (inner, outer))) {
            let (row, column) = (format!("{}, {inner}", line.row), outer.clone());
            let splitting = Some([&solver, &stop, inner, outer].map(String::clone));
            settings.push(SettingLine { row, column, splitting, ..SettingLine::default() }.into());
        }
    }
    Ok(settings)
}

fn start<'de, D: Deserializer<'de>>(data: D) -> Result<Start, D::Error> {
    String::deserialize(data)?.parse().map_err(D::Error::custom)
}

fn once() -> usize {
    1
}

fn any_size() -> usize {
    usize::MAX
}
