//! Results of a study: tables, plots, pictures and sentences, made from its measurements.

mod curves;

pub(super) use curves::columns;

use std::path::PathBuf;

use unstick::files::plot::Plot;

use super::judge::{Judgement, best, judge};
use super::measure::{Measurement, measurements};
use super::record::Record;
use super::store::Store;
use super::table::{Table, TextTable};
use super::{Experiment, Scope, Show, Study, View};

/// A study with its numbers, ready to be shown.
pub struct StudyResult {
    /// The study.
    pub study: &'static Study,
    /// How much of it is measured.
    pub completeness: Completeness,
    /// One section per view.
    pub sections: Vec<Section>,
    /// What failed, and for which solver or setting.
    pub failures: Vec<String>,
    /// Why nothing is measured, if so.
    pub reason: Option<String>,
}

/// Measurements of a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completeness {
    /// How many are there.
    pub found: usize,
    /// How many there should be.
    pub expected: usize,
}

/// Claims of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// How many hold.
    pub hold: usize,
    /// How many could be judged.
    pub judged: usize,
}

/// A view with its numbers.
pub struct Section {
    /// Heading.
    pub caption: String,
    /// The numbers.
    pub table: Option<TextTable>,
    /// Curves.
    pub charts: Vec<Plot>,
    /// Captions and files, relative to the folder of the store.
    pub pictures: Vec<(String, PathBuf)>,
    /// Sentences on agreement.
    pub judgements: Vec<Judgement>,
}

/// A measurement that is there.
type Observation<'r> = (Measurement, &'r Record);

impl StudyResult {
    /// The results that follow from what the store holds.
    pub fn of(study: &'static Study, scope: Scope, store: &Store) -> Self {
        let measurements = measurements(study, scope);
        let count = measurements.len();
        let found = measurements
            .into_iter()
            .filter_map(|measurement| store.get(&measurement.key).map(|record| (measurement, record)));
        let observations: Vec<Observation> = found.collect();
        let reason = match (&study.experiment, observations.len()) {
            (Experiment::Impossible(reason), _) => Some(reason.clone()),
            (_, 0) => Some(format!("not run here yet; `unstick study {}` does it", study.name)),
            _ => None,
        };
        // A study that cannot be measured still shows what was published.
        let is_shown = !observations.is_empty() || matches!(study.experiment, Experiment::Impossible(_));
        let sections = study.views.iter().filter(|_| is_shown).map(|view| Section::of(view, &observations));
        Self {
            study,
            completeness: Completeness { found: observations.len(), expected: count },
            sections: sections.collect(),
            failures: failures(&observations),
            reason,
        }
    }

    /// The same for a study that cannot be measured, with the reason.
    pub fn refused(self, reason: &str) -> Self {
        Self { reason: Some(reason.into()), completeness: Completeness::default(), ..self }
    }

    /// Whether nothing is measured yet although it could be. Then there is no page.
    pub fn is_waiting(&self) -> bool {
        self.completeness.found == 0 && self.completeness.expected > 0
    }

    /// How many claims hold.
    pub fn score(&self) -> Score {
        let judged =
            || self.sections.iter().flat_map(|section| &section.judgements).filter_map(|judgement| judgement.holds);
        Score { hold: judged().filter(|&holds| holds).count(), judged: judged().count() }
    }
}

impl Section {
    fn of(view: &View, observations: &[Observation]) -> Self {
        let published = Table::published(&view.published);
        let caption = view.caption.as_str();
        let ours = match &view.show {
            Show::Table(quantity) => Table::measured(observations, *quantity),
            Show::Sizes(quantity) => Table::measured_by_size(observations, *quantity),
            Show::Excess { quantity, base } => Table::measured(observations, *quantity).excess_over(base),
            Show::Methods(quantities) => Table::methods(observations, quantities),
            Show::Convergence | Show::Quartiles => curves::counts(observations),
            Show::Histogram => curves::histogram(observations),
            Show::Numbers(columns) => Table::numbers(observations, columns),
            Show::Course(_) | Show::Gallery | Show::Residuals | Show::Curves { .. } => Table::default(),
        };
        let charts = match &view.show {
            Show::Table(quantity) | Show::Sizes(quantity) => {
                vec![curves::over_rows(caption, quantity.name(), &published, &ours)]
            }
            Show::Excess { .. } => vec![curves::over_rows(caption, "percent", &published, &ours)],
            Show::Methods(quantities) => curves::over_frames(caption, quantities, observations),
            Show::Gallery | Show::Numbers(_) => Vec::new(),
            Show::Convergence => curves::convergence(caption, observations),
            Show::Residuals => vec![curves::residuals(caption, observations)],
            Show::Quartiles => curves::quartiles(caption, observations),
            Show::Histogram => vec![curves::over_rows(caption, "solves", &published, &ours)],
            Show::Curves { of, across, up } => vec![curves::of_flows(caption, of, [across, up], observations)],
            Show::Course(quantity) => curves::courses(caption, *quantity, observations),
        };
        let (theirs, judged) = match view.show {
            Show::Methods(_) | Show::Convergence | Show::Quartiles => (published.transposed(), ours.transposed()),
            _ => (published.clone(), ours.clone()),
        };
        let mut judgements = judge(&theirs, &judged, &view.claims);
        if matches!(view.show, Show::Table(quantity) if quantity.is_time()) {
            judgements.extend(best(&ours));
        }
        let pictures = if matches!(view.show, Show::Gallery) { gallery(observations) } else { Vec::new() };
        let texts = Table::beside(&published, &ours);
        Self {
            caption: format!("{}{}", view.caption, machines(observations)),
            table: (!texts.rows.is_empty()).then_some(texts),
            charts,
            pictures,
            judgements,
        }
    }
}

/// For captions: what ran on the GPU and what on the processor; empty if all ran on the processor.
fn machines(observations: &[Observation]) -> String {
    let mut sides = [Vec::new(), Vec::new()];
    for (measurement, record) in observations {
        if let Record::Solve(solve) = record {
            let who = format!("{} {}", measurement.column, measurement.row).trim_end().to_owned();
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
    for (measurement, record) in observations {
        if let Record::Run(run) = record {
            for (frame, path) in &run.pictures {
                let row = if measurement.row.is_empty() { String::new() } else { format!(", {}", measurement.row) };
                pictures.push((*frame, format!("{}{row}, frame {frame}", measurement.column), PathBuf::from(path)));
            }
        }
    }
    pictures.sort_by_key(|(frame, ..)| *frame); // settings stay in their order
    pictures.into_iter().map(|(_, caption, path)| (caption, path)).collect()
}

/// What failed, once for each solver or setting.
fn failures(observations: &[Observation]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (measurement, record) in observations {
        if let Some(error) = record.error() {
            let Measurement { column, row, scene, size, .. } = measurement;
            let line = format!("{column} {row} on {scene}, {size}: {error}").replace("  ", " ");
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}
