//! Makes the missing measurements of a study.

mod balls;
mod flows;
mod problems;
mod runs;
mod steps;
mod trials;

use std::collections::HashSet;

use unstick::gpu::{Backend, GpuError};
use unstick::scene::{AnyScene, SceneFile};

pub use flows::FlowKind;

use super::record::Record;
use super::store::Store;
use super::{Effort, Experiment, Scope, Setting, Study};
use crate::source::{check_memory, resized};
use crate::{LabError, Progress};

/// The solver of simulations that provide states and problems.
const SIMULATED_WITH: &str = "pressure.solver=best";

/// A simulation continues when a solve misses its tolerance, so that the effect is visible.
const GOES_ON: &str = "pressure.on_unconverged=accept";

/// A measurement: what is measured, and its place in a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Scene of the catalogue.
    pub scene: String,
    /// Cells along the longest axis.
    pub size: usize,
    /// The frame before the step; the last of a run.
    pub frame: usize,
    /// Row; empty if rows are sizes or scenes.
    pub row: String,
    /// Column.
    pub column: String,
    /// Identifies it in the store. It contains everything that the numbers depend on.
    pub key: String,
}

impl Measurement {
    fn new(scene: &str, size: usize, frame: usize, [row, column]: [&str; 2], key: String) -> Self {
        Self { scene: scene.into(), size, frame, row: row.into(), column: column.into(), key }
    }
}

/// All measurements of a study, in the order in which they are made.
pub fn measurements(study: &Study, scope: Scope) -> Vec<Measurement> {
    match &study.experiment {
        Experiment::Problems(experiment) => problems::measurements(experiment, scope),
        Experiment::Runs(experiment) => runs::measurements(experiment, scope),
        Experiment::Steps(experiment) => steps::measurements(experiment, scope),
        Experiment::Trials(experiment) => trials::measurements(experiment, scope),
        Experiment::Flows(experiment) => flows::measurements(experiment, scope),
        Experiment::Impossible(_) => Vec::new(),
    }
}

/// Minutes to make all missing measurements of some studies. Shared measurements count once.
pub fn minutes(studies: &[&Study], scope: Scope, is_there: impl Fn(&str) -> bool) -> f64 {
    let mut counted = HashSet::new();
    let mut of_study = |study: &&Study| {
        let measurements = measurements(study, scope);
        let count = measurements.len().max(1) as f64;
        let missing = measurements
            .into_iter()
            .filter(|measurement| !is_there(&measurement.key) && counted.insert(measurement.key.clone()));
        study.minutes.of(scope) * missing.count() as f64 / count
    };
    studies.iter().map(&mut of_study).sum()
}

/// Refuses a study that cannot be measured: because of an unknown solver, a grid that does not fit in memory, or
/// nothing to do for a GPU alone.
pub fn check(study: &Study, scope: Scope, backend: Backend) -> Result<(), LabError> {
    match &study.experiment {
        Experiment::Problems(experiment) => problems::check(experiment, scope, backend),
        Experiment::Impossible(_) => Ok(()),
        _ if backend == Backend::Gpu => Err(GpuError::Unsupported("the study solves no problems by themselves").into()),
        Experiment::Runs(experiment) => runs::check(experiment, scope),
        Experiment::Steps(experiment) => steps::check(experiment, scope),
        Experiment::Trials(_) | Experiment::Flows(_) => Ok(()),
    }
}

/// Makes the measurements that the store lacks and stores each at once. With `only`, makes those with this text in
/// their key.
pub fn measure(
    study: &Study,
    scope: Scope,
    only: Option<&str>,
    store: &mut Store,
    progress: &dyn Progress,
) -> Result<(), LabError> {
    let measurements = measurements(study, scope);
    let mut session = Session { progress, done: 0, only: only.unwrap_or_default(), store };
    let missing = measurements.iter().filter(|measurement| !session.has(&measurement.key)).count();
    if missing > 0 {
        progress.begin_measurements(&study.name, missing);
    }
    let outcome = match &study.experiment {
        Experiment::Problems(experiment) => problems::measure(experiment, scope, &mut session),
        Experiment::Runs(experiment) => runs::measure(experiment, scope, &mut session),
        Experiment::Steps(experiment) => steps::measure(experiment, scope, &mut session),
        Experiment::Trials(experiment) => trials::measure(experiment, scope, &mut session),
        Experiment::Flows(experiment) => flows::measure(experiment, scope, &mut session),
        Experiment::Impossible(_) => Ok(()),
    };
    progress.end();
    outcome
}

/// A session of measurements: the store, what is wanted, and who watches.
struct Session<'s> {
    store: &'s mut Store,
    /// Text in the keys of the wanted measurements.
    only: &'s str,
    progress: &'s dyn Progress,
    /// Measurements made so far.
    done: usize,
}

impl Session<'_> {
    /// Whether a measurement is there or not wanted.
    fn has(&self, key: &str) -> bool {
        !key.contains(self.only) || self.store.get(key).is_some()
    }

    fn keep(&mut self, key: String, record: Record) -> Result<(), LabError> {
        self.store.put(key, record)?;
        self.done += 1;
        self.progress.reached(self.done);
        Ok(())
    }

    fn say(&self, text: String) {
        self.progress.activity(&text);
    }
}

/// A scene on a grid, with values changed.
fn scene_with<'s>(name: &str, size: usize, sets: impl IntoIterator<Item = &'s str>) -> Result<AnyScene, LabError> {
    let mut file = SceneFile::find(name)?;
    sets.into_iter().try_for_each(|assignment| file.set(assignment))?;
    let scene = resized(&file, size)?;
    check_memory(&scene)?;
    Ok(scene)
}

/// The same with a setting; it goes on when a solve misses its tolerance.
fn prepared(name: &str, size: usize, setting: &Setting) -> Result<AnyScene, LabError> {
    scene_with(name, size, [GOES_ON].into_iter().chain(setting.sets.iter().map(String::as_str)))
}

/// Every scene on every grid.
fn grids<'s>(scenes: &'s [String], effort: &'s Effort) -> impl Iterator<Item = (&'s str, usize)> {
    scenes.iter().flat_map(|scene| effort.sizes.iter().map(move |&size| (scene.as_str(), size)))
}
