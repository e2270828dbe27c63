//! How far a run is, for those who watch, and how they ask it to stop.
//!
//! ```text
//!     status.json   after every frame: state, frame, seconds left
//!     live.lock     locked by the process that writes; the system frees it however that process ends
//!     stop          whoever makes this file asks for a checkpoint and the end
//! ```

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use unstick_files::{FileLock, read_bounded, write_fleeting};

use super::{RunError, RunFolder};

/// How often a run looks for a request to stop.
const INTERVAL: Duration = Duration::from_millis(200);

/// The most bytes of a status.
const LONGEST: u64 = 1 << 16;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Computing.
    Running,
    /// All frames are there.
    Finished,
    /// Asked to stop; can be resumed.
    Stopped,
    /// Ended by an error, or with its process.
    Failed,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStatus {
    /// What it is doing.
    pub state: RunState,
    /// The last complete frame.
    pub frame: usize,
    /// The last frame it will have.
    pub frames: usize,
    /// Estimated from the frames since it was begun or resumed.
    pub seconds_left: Option<f64>,
}

impl RunStatus {
    /// The status of a run folder; none if it is not known. A run whose process is gone has failed.
    pub fn read(folder: &RunFolder) -> Option<Self> {
        let mut status: Self = serde_json::from_slice(&read_bounded(&folder.status(), LONGEST).ok()?).ok()?;
        if status.state == RunState::Running && !is_live(folder) {
            (status.state, status.seconds_left) = (RunState::Failed, None);
        }
        Some(status)
    }
}

/// Whether a process writes into a folder.
pub fn is_live(folder: &RunFolder) -> bool {
    FileLock::is_held(&folder.lock())
}

/// Asks the process that computes in a folder to write a checkpoint and stop.
pub fn ask_to_stop(folder: &RunFolder) -> Result<(), RunError> {
    let path = folder.stop_request();
    // An empty file is complete from the start. Temporary files in the folder belong to its process alone.
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(RunError::file(&path)(error)),
        _ => Ok(()),
    }
}

/// Keeps the status of a run up to date, for as long as it lives. Whoever has [claimed](RunFolder::claim) the folder has
/// one.
#[derive(Debug)]
pub struct StatusWriter {
    folder: RunFolder,
    frames: usize,
    first: usize,
    begun: Instant,
    is_over: Arc<AtomicBool>,
}

impl StatusWriter {
    /// Says from now on that the run is going, and raises `stop` when somebody asks for it.
    pub fn begin(folder: &RunFolder, frame: usize, frames: usize, stop: Arc<AtomicBool>) -> Result<Self, RunError> {
        let request = folder.stop_request();
        let _ = std::fs::remove_file(&request); // of an earlier run
        let is_over = Arc::new(AtomicBool::new(false));
        let writer =
            Self { folder: folder.clone(), frames, first: frame, begun: Instant::now(), is_over: is_over.clone() };
        writer.write(RunState::Running, frame)?;
        std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                if std::fs::remove_file(&request).is_ok() {
                    stop.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(INTERVAL);
            }
        });
        Ok(writer)
    }

    /// A frame is complete.
    pub fn reached(&self, frame: usize) -> Result<(), RunError> {
        self.write(RunState::Running, frame)
    }

    /// The run is over.
    pub fn end(self, state: RunState, frame: usize) -> Result<(), RunError> {
        self.write(state, frame)
    }

    fn write(&self, state: RunState, frame: usize) -> Result<(), RunError> {
        let done = frame.saturating_sub(self.first);
        let left = self.frames.saturating_sub(frame) as f64;
        let estimate =
            (state == RunState::Running && done > 0).then(|| self.begun.elapsed().as_secs_f64() / done as f64 * left);
        let status = RunStatus { state, frame, frames: self.frames, seconds_left: estimate };
        let path = self.folder.status();
        let text = serde_json::json!(status).to_string() + "\n";
        write_fleeting(&path, text.as_bytes()).map_err(RunError::file(&path))
    }
}

impl Drop for StatusWriter {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_live_until_its_writer_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(place.path());
        assert_eq!((is_live(&folder), RunStatus::read(&folder)), (false, None));
        let claim = folder.claim().unwrap();
        let writer = StatusWriter::begin(&folder, 0, 4, Arc::default()).unwrap();
        writer.reached(1).unwrap();
        let status = RunStatus::read(&folder).unwrap();
        assert_eq!((status.state, status.frame, status.frames), (RunState::Running, 1, 4));
        assert!(status.seconds_left.is_some());
        drop((writer, claim)); // as when the process dies
        assert_eq!(RunStatus::read(&folder).unwrap().state, RunState::Failed);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_the_status_holds_nobody_up() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(place.path());
        for path in [folder.status(), folder.record(), folder.lock()] {
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        }
        assert_eq!((RunStatus::read(&folder), is_live(&folder)), (None, false));
        assert!(crate::run::RunRecord::read(&folder).is_err());
    }

    #[test]
    fn a_request_to_stop_is_heard() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(place.path());
        ask_to_stop(&folder).unwrap(); // too early: that was meant for another run
        let stop = Arc::new(AtomicBool::new(false));
        let writer = StatusWriter::begin(&folder, 0, 4, stop.clone()).unwrap();
        assert!(!stop.load(Ordering::Relaxed));
        ask_to_stop(&folder).unwrap();
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        writer.end(RunState::Stopped, 1).unwrap();
        assert_eq!(RunStatus::read(&folder).unwrap().state, RunState::Stopped);
        assert!(!folder.stop_request().exists());
    }
}
