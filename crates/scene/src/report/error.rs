//! What can go wrong with a report.

use std::path::PathBuf;

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
