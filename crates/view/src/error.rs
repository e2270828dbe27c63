//! Errors of the viewer.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why the viewer cannot start, or cannot write its sandbox.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A folder is not a run folder.
    #[error("{} is no run folder: {reason}", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
        /// What is missing or wrong.
        reason: String,
    },
    /// Other machines could connect without a token.
    #[error("{0} can be reached from other machines, which takes a token")]
    NeedsToken(SocketAddr),
    /// The token is too short, too long, or does not fit into an address.
    #[error("the token has {0} letters, expected 16 to 128 letters, digits, `-`, `_` or `.`")]
    Token(usize),
    /// The address is in use, or is not one of this machine.
    #[error("{address}: {source}")]
    Bind {
        /// The address to listen at.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The program was built without the sandbox.
    #[error("this program was built without the sandbox: run viewer/build.sh in its source and build it again")]
    NoSandbox,
    /// A file is there already.
    #[error("{} is there already", .0.display())]
    Exists(PathBuf),
    /// A file could not be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}
