//! What is made of the measurements of a study: tables, plots, pictures, sentences.

mod curves;

use std::path::PathBuf;

use super::judge::{Verdict, best, judge};
use super::measure::{Place, places};
use super::record::Record;
use super::store::Store;
use super::table::{Table, Texts};
use super::{Pace, Show, Study, Task, View};
use crate::present::chart::Chart;

/// A study with its numbers, ready to be shown.
pub struct Sheet {
    /// What it is of.
    pub study: &'static Study,
    /// Measurements that are there, and how many there should be.
    pub measured: [usize; 2],
    /// View by view.
    pub parts: Vec<Part>,
    /// What went wrong, and with whom.
    pub failures: Vec<String>,
    /// Why nothing was measured, if so.
    pub reason: Option<String>,
}

/// A view with its numbers.
pub struct Part {
    /// Heading.
    pub caption: String,
    /// The numbers.
    pub table: Option<Texts>,
    /// Curves.
    pub charts: Vec<Chart>,
    /// Caption and file, below the folder of the store.
    pub pictures: Vec<(String, PathBuf)>,
    /// Sentences on agreement.
    pub verdicts: Vec<Verdict>,
}

/// A measurement that is there.
type Observation<'r> = (Place, &'r Record);

impl Sheet {
    /// Makes what can be made of what the store holds.
    pub fn of(study: &'static Study, pace: Pace, store: &Store) -> Self {
        let places = places(study, pace);
        let count = places.len();
        let found = places.into_iter().filter_map(|place| store.get(&place.key).map(|record| (place, record)));
        let observations: Vec<Observation> = found.collect();
        let reason = match (&study.task, observations.len()) {
            (Task::Impossible(reason), _) => Some((*reason).to_string()),
            (_, 0) => Some(format!("not run here yet; `unstick study {}` does it", study.name)),
            _ => None,
        };
        // A study that cannot be done still shows what was published.
        let is_shown = !observations.is_empty() || matches!(study.task, Task::Impossible(_));
        let parts = study.views.iter().filter(|_| is_shown).map(|view| Part::of(view, &observations));
        Self {
            study,
            measured: [observations.len(), count],
            parts: parts.collect(),
            failures: failures(&observations),
            reason,
        }
    }

    /// Says why it cannot be carried out.
    pub fn refused(self, reason: &str) -> Self {
        Self { reason: Some(reason.into()), measured: [0, 0], ..self }
    }

    /// Whether nothing was measured although it could be: then there is no page to look at.
    pub fn is_waiting(&self) -> bool {
        self.measured[0] == 0 && self.measured[1] > 0
    }

    /// Claims that hold, and claims that were judged.
    pub fn score(&self) -> [usize; 2] {
        let judged = || self.parts.iter().flat_map(|part| &part.verdicts).filter_map(|verdict| verdict.holds);
        [judged().filter(|&holds| holds).count(), judged().count()]
    }
}

impl Part {
    fn of(view: &View, observations: &[Observation]) -> Self {
        let published = Table::published(view.published);
        let ours = match view.show {
            Show::Table(quantity) => Table::measured(observations, quantity),
            Show::Excess { quantity, base } => Table::measured(observations, quantity).excess_over(base),
            Show::Methods(quantities) => Table::methods(observations, quantities),
            Show::Convergence | Show::Quartiles => curves::counts(observations),
            Show::Histogram => curves::histogram(observations),
            Show::Numbers(columns) => Table::numbers(observations, columns),
            Show::Course(_) | Show::Gallery | Show::Residuals | Show::Curves { .. } => Table::default(),
        };
        let charts = match view.show {
            Show::Table(quantity) => vec![curves::over_rows(view.caption, quantity.name(), &published, &ours)],
            Show::Excess { .. } => vec![curves::over_rows(view.caption, "percent", &published, &ours)],
            Show::Methods(quantities) => curves::over_frames(view.caption, quantities, observations),
            Show::Gallery | Show::Numbers(_) => Vec::new(),
            Show::Convergence => curves::convergence(view.caption, observations),
            Show::Residuals => vec![curves::residuals(view.caption, observations)],
            Show::Quartiles => curves::quartiles(view.caption, observations),
            Show::Histogram => vec![curves::over_rows(view.caption, "solves", &published, &ours)],
            Show::Curves { of, across, up, published } => {
                vec![curves::of_flows(view.caption, of, [across, up], published, observations)]
            }
            Show::Course(quantity) => curves::courses(view.caption, quantity, observations),
        };
        let (theirs, judged) = match view.show {
            Show::Methods(_) | Show::Convergence | Show::Quartiles => (published.transposed(), ours.transposed()),
            _ => (published.clone(), ours.clone()),
        };
        let mut verdicts = judge(&theirs, &judged, view.claims);
        if matches!(view.show, Show::Table(quantity) if quantity.is_time()) {
            verdicts.extend(best(&ours));
        }
        let pictures = if matches!(view.show, Show::Gallery) { gallery(observations) } else { Vec::new() };
        let texts = Table::beside(&published, &ours);
        Self {
            caption: format!("{}{}", view.caption, machines(observations)),
            table: (!texts.rows.is_empty()).then_some(texts),
            charts,
            pictures,
            verdicts,
        }
    }
}

/// Who solved on the GPU and who on the processor, for captions; nothing where all was done by the processor.
fn machines(observations: &[Observation]) -> String {
    let mut sides = [Vec::new(), Vec::new()];
    for (place, record) in observations {
        if let Record::Solve(solve) = record {
            let who = format!("{} {}", place.column, place.row).trim_end().to_owned();
            let side = &mut sides[usize::from(solve.is_on_gpu)];
            if !side.contains(&who) {
                side.push(who);
            }
        }
    }
    match &sides {
        [_, on_gpu] if on_gpu.is_empty() => String::new(),
        [on_cpu, _] if on_cpu.is_empty() => ", on gpu".into(),
        [on_cpu, on_gpu] => format!(" (on gpu: {}; on cpu: {})", on_gpu.join(", "), on_cpu.join(", ")),
    }
}

/// Every picture, frame by frame.
fn gallery(observations: &[Observation]) -> Vec<(String, PathBuf)> {
    let mut pictures = Vec::new();
    for (place, record) in observations {
        if let Record::Run(run) = record {
            for (frame, path) in &run.pictures {
                let row = if place.row.is_empty() { String::new() } else { format!(", {}", place.row) };
                pictures.push((*frame, format!("{}{row}, frame {frame}", place.column), PathBuf::from(path)));
            }
        }
    }
    pictures.sort_by_key(|(frame, ..)| *frame); // settings stay in their order
    pictures.into_iter().map(|(_, caption, path)| (caption, path)).collect()
}

/// What went wrong, once for each solver or setting.
fn failures(observations: &[Observation]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (place, record) in observations {
        if let Some(error) = record.error() {
            let line = format!("{} {} on {}, {}: {error}", place.column, place.row, place.scene, place.size);
            let line = line.replace("  ", " ");
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}
