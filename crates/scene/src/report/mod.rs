//! The page at the end of a run: movie, plots and totals in one file that needs no other.

mod bodies;
mod error;
mod page;
mod series;
mod totals;

pub use error::ReportError;
pub use page::{embed, render, write};
pub use series::RunSeries;

use std::path::PathBuf;

/// What a report tells.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    /// Heading.
    pub title: String,
    /// The scene as text; shown folded. Empty: left out.
    pub scene_toml: String,
    /// The movie: `.png`, `.apng`, `.gif` as a picture; `.mp4`, `.webm` as a video. It becomes part of the page.
    pub movie: Option<PathBuf>,
    /// One run, or several to compare: the same plots show all of them.
    pub runs: Vec<RunSeries>,
    /// Paths of a few bodies, as `RunSeries::read_bodies` gives them.
    pub bodies: Vec<RunSeries>,
    /// Further facts for the head of the page: name and value (machine, version, solver, seed …).
    pub facts: Vec<(String, String)>,
}
