//! Why nothing can be shown.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A server that cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A folder that is not that of a run.
    #[error("{} is no run folder: {reason}", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
        /// What is missing or wrong.
        reason: String,
    },
    /// Other machines could come in without a token.
    #[error("{address} can be reached from other machines, which takes a token")]
    NeedsToken {
        /// What was to be bound to.
        address: SocketAddr,
    },
    /// A token that is too easy, or that does not fit into an address.
    #[error("the token has {found} letters, expected 16 to 128 letters, digits, `-`, `_` or `.`")]
    Token {
        /// Length of what was given.
        found: usize,
    },
    /// The address is taken, or not ours.
    #[error("{address}: {source}")]
    Bind {
        /// What was to be bound to.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// A file that could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
