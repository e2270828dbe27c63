//! Movies: pictures one after another in a file that every browser plays (animated PNG), and,
//! where `ffmpeg` is installed, in one that every player plays.
//!
//! Frames go to disk as they come; memory holds one of them. The file appears under its name
//! when it is complete.

mod chunks;
mod error;
mod folder;
mod transcode;
mod writer;

pub use error::MovieError;
pub use folder::{frames_in, write_from_folder};
pub use transcode::transcode_with_ffmpeg;
pub use writer::{FrameRate, MovieWriter};
