//! What is stored of a measurement.

use serde::{Deserialize, Serialize};

/// A measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// A solver on a problem.
    Solve(Solve),
    /// A scene with a setting.
    Run(Course),
    /// One step with a setting.
    Step(Step),
    /// A trial.
    Trial(Trial),
    /// A flow with known answers.
    Flow(Findings),
}

/// A solver on a problem.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Solve {
    /// How it ended, in one or two words.
    pub outcome: String,
    /// Whether the tolerance was met, or the test of a published method that has its own.
    pub converged: bool,
    /// Rows of the problem.
    pub unknowns: usize,
    /// Complementary rows.
    pub wall_rows: usize,
    /// ‖H(0)‖∞.
    pub reference: f64,
    /// ‖H‖∞ at the start and after every cycle.
    pub history: Vec<f64>,
    /// Inner iterations spent by then.
    pub work: Vec<usize>,
    /// Seconds of set-up.
    pub setup: f64,
    /// Seconds of everything else.
    pub solve: f64,
    /// Whether a GPU solved it.
    #[serde(default)]
    pub is_on_gpu: bool,
}

/// A run of a scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// Volume at the start.
    pub volume: f64,
    /// Volume inside the surface at the start.
    pub surface_volume: f64,
    /// Kinetic and potential energy in the first step, in joules.
    #[serde(default)]
    pub energy: f64,
    /// Volume of balls around the particles at the start.
    #[serde(default)]
    pub ball_volume: f64,
    /// One entry per frame.
    pub frames: Vec<CourseFrame>,
    /// Steps whose pressure missed the tolerance.
    pub unconverged: usize,
    /// Why it ended early.
    pub error: Option<String>,
    /// Names of pictures below the folder.
    pub pictures: Vec<(usize, String)>,
}

/// A frame of a run. Numbers of steps are means over the steps of the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CourseFrame {
    /// Steps since the previous frame.
    pub steps: usize,
    /// Time.
    pub time: f64,
    /// Volume of the liquid.
    pub volume: f64,
    /// Volume inside the surface.
    pub surface_volume: f64,
    /// Volume of balls around the particles.
    #[serde(default)]
    pub ball_volume: f64,
    /// Cells whose wall has let go.
    pub separated: usize,
    /// Speed of the fastest particle.
    pub fastest: f64,
    /// Kinetic and potential energy in the last step, in joules.
    #[serde(default)]
    pub energy: f64,
    /// Outer iterations.
    pub cycles: f64,
    /// Inner iterations.
    pub iterations: f64,
    /// Seconds of the pressure.
    pub pressure_seconds: f64,
    /// Seconds of all stages.
    pub seconds: f64,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Outer iterations.
    pub cycles: f64,
    /// Inner iterations.
    pub iterations: f64,
    /// Seconds of the pressure.
    pub seconds: f64,
    /// Largest difference of a face velocity from the reference.
    pub difference: f64,
    /// Root mean square of the differences on faces that differ.
    #[serde(default)]
    pub spread: f64,
    /// The stopping residual at the start and after every outer iteration.
    #[serde(default)]
    pub history: Vec<f64>,
    /// Why it failed.
    pub error: Option<String>,
}

impl Step {
    /// How often the stopping residual grew.
    pub fn rises(&self) -> usize {
        self.history.windows(2).filter(|pair| pair[1] > pair[0]).count()
    }
}

/// Numbers by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The numbers.
    pub numbers: Vec<(String, f64)>,
    /// Why there are none.
    pub error: Option<String>,
}

impl Trial {
    /// The number with a name.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

/// Numbers and curves of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Numbers by name.
    pub values: Vec<(String, f64)>,
    /// Curves by name.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
    /// Seconds that it took.
    pub seconds: f64,
    /// Why it ended early.
    pub error: Option<String>,
}

impl Findings {
    /// The same with a number.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.values.push((name.into(), value));
        self
    }

    /// The same with a curve.
    pub fn drawing(mut self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        self.curves.push((name.into(), points));
        self
    }
}

impl Solve {
    /// Outer iterations.
    pub fn cycles(&self) -> usize {
        self.history.len().saturating_sub(1)
    }

    /// Inner iterations in all of them.
    pub fn inner_iterations(&self) -> usize {
        self.work.last().copied().unwrap_or(0)
    }
}

impl Course {
    /// Mean over all steps.
    pub fn mean(&self, value: impl Fn(&CourseFrame) -> f64) -> Option<f64> {
        let steps: usize = self.frames.iter().map(|frame| frame.steps).sum();
        let sum: f64 = self.frames.iter().map(|frame| frame.steps as f64 * value(frame)).sum();
        (steps > 0).then(|| sum / steps as f64)
    }
}

impl Record {
    /// Why it has no number, in one or two words.
    pub fn failure(&self) -> &str {
        match self {
            Self::Solve(solve) => &solve.outcome,
            Self::Run(_) | Self::Step(_) | Self::Trial(_) | Self::Flow(_) => "failed",
        }
    }

    /// What went wrong, in detail.
    pub fn error(&self) -> Option<String> {
        match self {
            Self::Solve(solve) => (!solve.converged).then(|| solve.outcome.clone()),
            Self::Run(run) => match (&run.error, run.unconverged) {
                (Some(error), _) => Some(error.clone()),
                (None, 0) => None,
                (None, count) => Some(format!("{count} steps missed the tolerance")),
            },
            Self::Step(step) => step.error.clone(),
            Self::Trial(trial) => trial.error.clone(),
            Self::Flow(findings) => findings.error.clone(),
        }
    }
}
