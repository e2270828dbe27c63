//! A run that is still going, for those who watch: how far it is, and the wish that it stop.
//!
//! ```text
//!     status.json   after every frame: state, frame, seconds left
//!     live.lock     locked by whoever computes: freed by the system when that process ends, however it does
//!     stop          whoever makes this file asks for a checkpoint and the end
//! ```

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::RunError;
use unstick_files::write_atomic;

const STATUS: &str = "status.json";
const LOCK: &str = "live.lock";
const STOP: &str = "stop";

/// How often the wish to stop is looked for.
const PATIENCE: Duration = Duration::from_millis(200);

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Computing.
    Running,
    /// All frames are there.
    Finished,
    /// Asked to stop; can be gone on with.
    Stopped,
    /// Ended by an error, or with its process.
    Failed,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// What it is doing.
    pub state: RunState,
    /// The last whole frame.
    pub frame: usize,
    /// The frame it ends with.
    pub frames: usize,
    /// Estimated from the frames since it was begun or gone on with.
    pub seconds_left: Option<f64>,
}

impl Status {
    /// That of a run folder; none if it is not known. A run whose process is gone has failed.
    pub fn read(folder: &Path) -> Option<Self> {
        let mut status: Self = serde_json::from_slice(&std::fs::read(folder.join(STATUS)).ok()?).ok()?;
        if status.state == RunState::Running && !is_live(folder) {
            (status.state, status.seconds_left) = (RunState::Failed, None);
        }
        Some(status)
    }
}

/// Whether a process computes in that folder.
pub fn is_live(folder: &Path) -> bool {
    File::open(folder.join(LOCK)).is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Asks whoever computes in that folder to write a checkpoint and stop.
pub fn ask_to_stop(folder: &Path) -> Result<(), RunError> {
    let path = folder.join(STOP);
    write_atomic(&path, b"").map_err(RunError::file(&path))
}

/// Says that a run is going, for as long as it is kept.
#[derive(Debug)]
pub struct Beacon {
    folder: PathBuf,
    _lock: File,
    frames: usize,
    begun_at: usize,
    begun: Instant,
    is_over: Arc<AtomicBool>,
}

impl Beacon {
    /// Says so from now on, and raises `stop` when somebody asks for it.
    pub fn light(folder: &Path, frame: usize, frames: usize, stop: Arc<AtomicBool>) -> Result<Self, RunError> {
        let path = folder.join(LOCK);
        let lock = File::create(&path).and_then(|file| file.lock().map(|()| file)).map_err(RunError::file(&path))?;
        let request = folder.join(STOP);
        let _ = std::fs::remove_file(&request); // of an earlier run
        let is_over = Arc::new(AtomicBool::new(false));
        let beacon = Self {
            folder: folder.to_owned(),
            _lock: lock,
            frames,
            begun_at: frame,
            begun: Instant::now(),
            is_over: is_over.clone(),
        };
        beacon.write(RunState::Running, frame)?;
        std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                if std::fs::remove_file(&request).is_ok() {
                    stop.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(PATIENCE);
            }
        });
        Ok(beacon)
    }

    /// That frame is there.
    pub fn reached(&self, frame: usize) -> Result<(), RunError> {
        self.write(RunState::Running, frame)
    }

    /// It is over.
    pub fn end(self, state: RunState, frame: usize) -> Result<(), RunError> {
        self.write(state, frame)
    }

    fn write(&self, state: RunState, frame: usize) -> Result<(), RunError> {
        let done = frame.saturating_sub(self.begun_at);
        let left = self.frames.saturating_sub(frame) as f64;
        let estimate =
            (state == RunState::Running && done > 0).then(|| self.begun.elapsed().as_secs_f64() / done as f64 * left);
        let status = Status { state, frame, frames: self.frames, seconds_left: estimate };
        let path = self.folder.join(STATUS);
        let text = serde_json::json!(status).to_string() + "\n";
        write_atomic(&path, text.as_bytes()).map_err(RunError::file(&path))
    }
}

impl Drop for Beacon {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = std::fs::remove_file(self.folder.join(LOCK)); // without a lock it says the same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_live_until_its_beacon_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!((is_live(folder.path()), Status::read(folder.path())), (false, None));
        let beacon = Beacon::light(folder.path(), 0, 4, Arc::default()).unwrap();
        beacon.reached(1).unwrap();
        let status = Status::read(folder.path()).unwrap();
        assert_eq!((status.state, status.frame, status.frames), (RunState::Running, 1, 4));
        assert!(status.seconds_left.is_some());
        drop(beacon); // as when the process dies
        assert_eq!(Status::read(folder.path()).unwrap().state, RunState::Failed);
    }

    #[test]
    fn whoever_asks_to_stop_is_heard() {
        let folder = tempfile::tempdir().unwrap();
        ask_to_stop(folder.path()).unwrap(); // too early: that was meant for another run
        let stop = Arc::new(AtomicBool::new(false));
        let beacon = Beacon::light(folder.path(), 0, 4, stop.clone()).unwrap();
        assert!(!stop.load(Ordering::Relaxed));
        ask_to_stop(folder.path()).unwrap();
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        beacon.end(RunState::Stopped, 1).unwrap();
        assert_eq!(Status::read(folder.path()).unwrap().state, RunState::Stopped);
        assert!(!folder.path().join(STOP).exists() && !folder.path().join(LOCK).exists());
    }
}
