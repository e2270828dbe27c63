//! Makes the measurements of a study that are not there yet.

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
use super::{Effort, Pace, Study, Task};
use crate::source::{check_memory, resized};
use crate::{LabError, Progress};

/// What states and problems are simulated with, whoever solves them afterwards.
const SIMULATED_WITH: &str = "pressure.solver=best";

/// A method that misses its tolerance goes on, so that one can see where it leads.
const GOES_ON: &str = "pressure.on_unconverged=accept";

/// A measurement: what it is of, and where it stands in a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Scene of the catalogue.
    pub scene: &'static str,
    /// Cells along the longest axis.
    pub size: usize,
    /// The frame before the step; the last of a run.
    pub frame: usize,
    /// Row; empty where rows are sizes or scenes.
    pub row: &'static str,
    /// Column.
    pub column: &'static str,
    /// What it is kept under. Says everything that its numbers depend on.
    pub key: String,
}

/// All measurements of a study, in the order in which they are made.
pub fn places(study: &Study, pace: Pace) -> Vec<Place> {
    match &study.task {
        Task::Problems(task) => problems::places(task, pace),
        Task::Runs(task) => runs::places(task, pace),
        Task::Steps(task) => steps::places(task, pace),
        Task::Trials(task) => trials::places(task, pace),
        Task::Flows(task) => flows::places(task, pace),
        Task::Impossible(_) => Vec::new(),
    }
}

/// Minutes until all measurements of some studies are there. What several ask for is made once.
pub fn minutes(studies: &[&Study], pace: Pace, is_there: impl Fn(&str) -> bool) -> f64 {
    let mut counted = HashSet::new();
    let mut of_study = |study: &&Study| {
        let places = places(study, pace);
        let count = places.len().max(1) as f64;
        let missing = places.into_iter().filter(|place| !is_there(&place.key) && counted.insert(place.key.clone()));
        pace.of(&study.minutes) * missing.count() as f64 / count
    };
    studies.iter().map(&mut of_study).sum()
}

/// Refuses a study that cannot be carried out: a solver that is not there, a grid that does not fit, nothing to do
/// for a GPU that is asked alone.
pub fn check(study: &Study, pace: Pace, backend: Backend) -> Result<(), LabError> {
    match &study.task {
        Task::Problems(task) => problems::check(task, pace, backend),
        Task::Impossible(_) => Ok(()),
        _ if backend == Backend::Gpu => Err(GpuError::Unsupported("the study solves no problems by themselves").into()),
        Task::Runs(task) => runs::check(task, pace),
        Task::Steps(task) => steps::check(task, pace),
        Task::Trials(_) | Task::Flows(_) => Ok(()),
    }
}

/// Makes the measurements that the store does not hold, of those alone that have `only` in their key; each is kept as
/// soon as it is made.
pub fn measure(
    study: &Study,
    pace: Pace,
    only: Option<&str>,
    store: &mut Store,
    progress: &dyn Progress,
) -> Result<(), LabError> {
    let places = places(study, pace);
    let mut desk = Desk { progress, done: 0, only: only.unwrap_or_default(), store };
    let missing = places.iter().filter(|place| !desk.has(&place.key)).count();
    if missing > 0 {
        progress.begin_measurements(study.name, missing);
    }
    let outcome = match &study.task {
        Task::Problems(task) => problems::measure(task, pace, &mut desk),
        Task::Runs(task) => runs::measure(task, pace, &mut desk),
        Task::Steps(task) => steps::measure(task, pace, &mut desk),
        Task::Trials(task) => trials::measure(task, pace, &mut desk),
        Task::Flows(task) => flows::measure(task, pace, &mut desk),
        Task::Impossible(_) => Ok(()),
    };
    progress.end();
    outcome
}

/// Where measurements are made: the store, what is asked of it, and who watches.
struct Desk<'s> {
    store: &'s mut Store,
    /// Part of the keys of the measurements that are wanted.
    only: &'s str,
    progress: &'s dyn Progress,
    /// Measurements made so far.
    done: usize,
}

impl Desk<'_> {
    /// Whether a measurement is there, or not wanted.
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
fn scene_with<'s>(name: &str, size: usize, sets: impl IntoIterator<Item = &'s &'s str>) -> Result<AnyScene, LabError> {
    let mut file = SceneFile::find(name)?;
    sets.into_iter().try_for_each(|assignment| file.set(assignment))?;
    let scene = resized(&file, size)?;
    check_memory(&scene)?;
    Ok(scene)
}

/// Every scene on every grid.
fn grids<'s>(scenes: &'s [&'static str], effort: &'s Effort) -> impl Iterator<Item = (&'static str, usize)> + 's {
    scenes.iter().flat_map(|&scene| effort.sizes.iter().map(move |&size| (scene, size)))
}
