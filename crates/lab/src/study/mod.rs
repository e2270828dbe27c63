//! Published tables and figures, measured again.
//!
//! A [`Study`] is data: what is [measured](Experiment), how it is [shown](View), what was published, and
//! what the source [claims](Claim). The files in `crates/lab/studies` hold all of them; `bodies` holds the code of
//! measurements that need their own.
//! [`measure`] makes the measurements that the [`store`] lacks, [`result`] turns them into tables, plots and
//! judgements, and [`present`] writes those.

mod bodies;
mod experiment;
mod judge;
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

use std::sync::LazyLock;

use serde::Deserialize;
use toml::Value;
use unstick::mlcp::nearest;

use crate::LabError;
pub use experiment::{
    Effort, Entrant, Experiment, FlowCase, Flows, Numbers, Parameters, Problems, Runs, Setting, Steps, Target, Trials,
};
pub use quantity::Quantity;
pub use scope::{ByScope, Scope};
pub use view::{Check, Claim, Show, View};

/// A table or figure of the literature.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// On the command line, such as `lai-6.1`.
    pub name: String,
    /// Key in `docs/references.bib` and place in it, such as `Lai2021, table 6.1`.
    pub source: String,
    /// What it is about, in a line.
    pub title: String,
    /// What the source did, and what differs here. Words between backticks are code.
    pub about: String,
    /// What is measured.
    pub experiment: Experiment,
    /// What is shown.
    #[serde(default)]
    pub views: Vec<View>,
    /// Minutes that it takes on two cores if nothing is measured yet.
    pub minutes: ByScope<f64>,
}

/// The last column of every table.
pub const BEST: &str = "best";

static CATALOGUE: LazyLock<Vec<Study>> = LazyLock::new(|| {
    let sources = [
        include_str!("../../studies/lai.toml"),
        include_str!("../../studies/andersen.toml"),
        include_str!("../../studies/eckert.toml"),
        include_str!("../../studies/viscous.toml"),
        include_str!("../../studies/bodies.toml"),
    ];
    sources.into_iter().flat_map(|text| read(text).expect("the studies of this program can be read")).collect()
});

/// The studies of a file. A text `$name` stands for what the file has of that name in `[shared]`.
fn read(text: &str) -> Result<Vec<Study>, toml::de::Error> {
    #[derive(Deserialize)]
    struct File {
        study: Vec<Study>,
    }
    let mut file: toml::Table = text.parse()?;
    let shared = file.remove("shared").unwrap_or(Value::Boolean(false));
    file.iter_mut().for_each(|(_, value)| expand(value, &shared));
    file.try_into().map(|File { study }| study)
}

fn expand(value: &mut Value, shared: &Value) {
    match value {
        Value::String(text) => {
            if let Some(meant) = text.strip_prefix('$').map(|name| shared[name].clone()) {
                *value = meant;
                expand(value, shared);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| expand(value, shared)),
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| expand(value, shared)),
        _ => {}
    }
}

/// All studies, source by source.
pub fn all() -> impl Iterator<Item = &'static Study> {
    CATALOGUE.iter()
}

/// Studies by name, each once, in the order of the catalogue. `all` stands for all studies, the first word
/// of a name for all studies of a source.
pub fn find(names: &[String]) -> Result<Vec<&'static Study>, LabError> {
    let is_meant = |name: &str, study: &Study| {
        name == "all" || study.name == name || study.name.split_once('-').is_some_and(|(source, _)| source == name)
    };
    for name in names {
        if !all().any(|study| is_meant(name, study)) {
            let nearest = nearest(name, all().map(|study| study.name.as_str()).chain(["all"]));
            return Err(LabError::UnknownStudy { name: name.clone(), nearest });
        }
    }
    Ok(all().filter(|study| names.iter().any(|name| is_meant(name, study))).collect())
}

#[cfg(test)]
mod tests;
