//! What can be wrong with files.

use std::io;
use std::path::{Path, PathBuf};

use unstick_mlcp::ProblemError;

/// A file that cannot be read or written, or does not hold what it should.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Text that is not what its format asks for.
    #[error("{}:{line}: expected {expected}, found {found}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What would have been accepted.
        expected: String,
        /// What stood there.
        found: String,
    },
    /// Binary data that is not what its format asks for.
    #[error("{}: expected {expected}, found {found}", path.display())]
    Data {
        /// The file.
        path: PathBuf,
        /// What would have been accepted.
        expected: String,
        /// What stood there.
        found: String,
    },
    /// Readable, but no part of a problem.
    #[error("{}: {source}", path.display())]
    Problem {
        /// The file.
        path: PathBuf,
        /// What is wrong with its content.
        source: ProblemError,
    },
    /// Writing would have replaced something.
    #[error("{} exists already and is not empty; remove it or name another folder", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
}

impl FileError {
    /// Blames a file or folder for what the system said.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// Blames a file for a problem that cannot be posed.
    pub(crate) fn problem(path: &Path) -> impl FnOnce(ProblemError) -> Self + '_ {
        move |source| Self::Problem { path: path.to_owned(), source }
    }
}
