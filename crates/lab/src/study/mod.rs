//! Published tables and figures, measured again.
//!
//! A [`Study`] is data: what is [measured](Experiment), how it is [shown](View), what was published, and
//! what the source [claims](Claim). The folders `lai`, `andersen`, `eckert` and `viscous` hold nothing else;
//! `bodies` also holds the code that measures.
//! [`measure`] makes the measurements that the [`store`] lacks, [`result`] turns them into tables, plots and
//! judgements, and [`present`] writes those.

mod andersen;
mod bodies;
mod eckert;
mod experiment;
mod judge;
mod lai;
pub mod lock;
pub mod measure;
pub mod present;
mod quantity;
pub mod record;
pub mod result;
mod scope;
pub mod store;
mod table;
mod view;
mod viscous;

use unstick::mlcp::nearest;

use crate::LabError;
pub use experiment::{
    Effort, Entrant, Experiment, FlowCase, Flows, Numbers, Parameters, Problems, Runs, Setting, Steps, Target, Trials,
};
pub use quantity::Quantity;
pub use scope::{ByScope, Scope};
pub use view::{Check, Claim, Show, View};

/// A table or figure of the literature.
pub struct Study {
    /// On the command line, such as `lai-6.1`.
    pub name: &'static str,
    /// Key in `docs/references.bib` and place in it, such as `Lai2021, table 6.1`.
    pub source: &'static str,
    /// What it is about, in a line.
    pub title: &'static str,
    /// What the source did, and what differs here. Words between backticks are code.
    pub about: &'static str,
    /// What is measured.
    pub experiment: Experiment,
    /// What is shown.
    pub views: &'static [View],
    /// Minutes that it takes on two cores if nothing is measured yet.
    pub minutes: ByScope<f64>,
}

/// The hundred frames that \[Lai2021\] averages over.
static EVERY_FRAME: [usize; 100] = {
    let mut frames = [0; 100];
    let mut index = 0;
    while index < frames.len() {
        frames[index] = index + 1;
        index += 1;
    }
    frames
};

/// The last column of every table.
pub const BEST: &str = "best";

/// All studies, source by source.
pub fn all() -> impl Iterator<Item = &'static Study> {
    [lai::ALL, andersen::ALL, eckert::ALL, viscous::ALL, bodies::ALL].into_iter().flatten().copied().flatten()
}

/// Studies by name, each once, in the order of the catalogue. `all` stands for all studies, the first word
/// of a name for all studies of a source.
pub fn find(names: &[String]) -> Result<Vec<&'static Study>, LabError> {
    let is_meant = |name: &str, study: &Study| {
        name == "all" || name == study.name || study.name.split_once('-').is_some_and(|(source, _)| source == name)
    };
    for name in names {
        if !all().any(|study| is_meant(name, study)) {
            let nearest = nearest(name, all().map(|study| study.name).chain(["all"]));
            return Err(LabError::UnknownStudy { name: name.clone(), nearest });
        }
    }
    Ok(all().filter(|study| names.iter().any(|name| is_meant(name, study))).collect())
}

#[cfg(test)]
mod tests;
