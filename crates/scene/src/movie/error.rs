//! What can go wrong with a movie.

use std::path::PathBuf;

use crate::draw::DrawError;

/// A movie that could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MovieError {
    /// The file system refused.
    #[error("{path}: {source}")]
    File {
        /// The file in question.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A picture could not be compressed.
    #[error(transparent)]
    Picture(#[from] DrawError),
    /// A file that is not a whole PNG.
    #[error("frame {frame} is not a PNG: {reason}")]
    NotPng {
        /// Number of the frame, from 0.
        frame: usize,
        /// What was expected.
        reason: &'static str,
    },
    /// A picture that differs from the first one in size or kind.
    #[error("frame {frame} has {found}, the first one has {expected}")]
    Changed {
        /// Number of the frame, from 0.
        frame: usize,
        /// Size and kind of this frame.
        found: String,
        /// Size and kind of the first frame.
        expected: String,
    },
    /// More pictures or pixels than the format counts.
    #[error("the movie is too large for the format")]
    TooLarge,
    /// There is nothing to show.
    #[error("{path}: no frames")]
    Empty {
        /// The movie, or the folder without frames.
        path: PathBuf,
    },
    /// A frame rate that is not one.
    #[error("{0} frames per second: expected a number above 0.01 and at most 1000")]
    FrameRate(f64),
    /// `ffmpeg` is there but failed.
    #[error("ffmpeg could not write {path}: {message}")]
    Ffmpeg {
        /// The movie.
        path: PathBuf,
        /// The end of what it said.
        message: String,
    },
}
