//! What can go wrong with a picture.

use std::path::PathBuf;

/// A picture that could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The file system refused.
    #[error("{path}: {source}")]
    File {
        /// The file in question.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The picture could not be compressed.
    #[error("the picture could not be encoded: {0}")]
    Encode(#[from] png::EncodingError),
    /// The file is not a picture.
    #[error("{path}: {source}")]
    Decode {
        /// The file in question.
        path: PathBuf,
        /// What is wrong with it.
        source: png::DecodingError,
    },
    /// A picture of a kind that is not ours.
    #[error("{path}: expected a PNG of 8-bit red, green and blue, found {found}")]
    Kind {
        /// The file in question.
        path: PathBuf,
        /// The kind that was found.
        found: String,
    },
}
