//! The page at the end of a run: movie, plots and totals in one file that needs no other.

mod page;
mod series;
mod totals;

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

/// A report that could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The file system refused.
    #[error("{path}: {source}")]
    File {
        /// The file in question.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A table whose rows differ in length.
    #[error("{path}, line {line}: expected {expected} columns as in the first line, found {found}")]
    Columns {
        /// The table.
        path: PathBuf,
        /// Line in the file, from 1.
        line: usize,
        /// Columns of the first line.
        expected: usize,
        /// Columns of this line.
        found: usize,
    },
}
