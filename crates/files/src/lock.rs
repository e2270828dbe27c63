//! Locks between processes. The system frees a lock however its process ends: a file that was left behind holds nobody
//! up.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Somebody who only [asks](FileLock::is_held) holds the lock for a moment: a second look tells them from a holder.
const LOOKS: usize = 10;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// A lock that cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process has it.
    #[error("another process{} holds the lock", process.as_ref().map(|id| format!(" ({id})")).unwrap_or_default())]
    Busy {
        /// Its id, where that is known.
        process: Option<String>,
    },
    /// The file system refused.
    #[error(transparent)]
    File(#[from] io::Error),
}

/// The lock of a file, until it is dropped. The file holds the id of the process and goes with the lock.
///
/// ```
/// use unstick_files::FileLock;
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("live.lock");
/// let lock = FileLock::take(&path)?;
/// assert!(FileLock::is_held(&path) && FileLock::take(&path).is_err());
/// drop(lock);
/// assert!(!path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileLock {
    file: File,
    path: PathBuf,
}

impl FileLock {
    /// Takes the lock, or says who has it.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        let mut looks = 0;
        loop {
            let file = open(path)?;
            match file.try_lock() {
                // A file system without locks cannot tell of other processes.
                Ok(()) => {}
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(error.into()),
                Err(TryLockError::WouldBlock) if looks < LOOKS => {
                    looks += 1;
                    std::thread::sleep(BETWEEN_LOOKS);
                    continue;
                }
                Err(TryLockError::WouldBlock) => return Err(LockError::Busy { process: owner(file) }),
            }
            // Who had it may have removed the file between our opening and locking it: then another one counts.
            if is_at(&file, path) {
                let mut lock = Self { file, path: path.to_owned() };
                lock.file.set_len(0)?;
                writeln!(lock.file, "{}", std::process::id())?;
                return Ok(lock);
            }
        }
    }

    /// Whether somebody has the lock.
    pub fn is_held(path: &Path) -> bool {
        path.is_file()
            && File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path); // a file without a lock says the same
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    // To open a pipe could take for ever.
    if path.metadata().is_ok_and(|data| !data.is_file()) {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// The process that a lock belongs to, as it has written.
fn owner(file: File) -> Option<String> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned()).filter(|id| !id.is_empty())
}

/// Whether an open file is the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let same = |one: fs::Metadata, other: fs::Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
    file.metadata().and_then(|one| Ok(same(one, fs::metadata(path)?))).unwrap_or(false)
}

/// Elsewhere a file that is open keeps its name.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_until_it_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = FileLock::take(&path).unwrap();
        let refused = FileLock::take(&path).unwrap_err().to_string();
        assert!(refused.contains(&format!("({})", std::process::id())), "{refused}");
        drop(first);
        assert!(!path.exists());
        FileLock::take(&path).unwrap();
    }

    #[test]
    fn what_a_dead_process_left_behind_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "4194304\n").unwrap();
        assert!(!FileLock::is_held(&path));
        let _lock = FileLock::take(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{}\n", std::process::id()));
    }

    #[test]
    fn a_lock_whose_file_was_replaced_leaves_the_new_one_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = FileLock::take(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let _second = FileLock::take(&path).unwrap();
        drop(first);
        assert!(FileLock::is_held(&path));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_its_place_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(!FileLock::is_held(&path));
        assert!(matches!(FileLock::take(&path), Err(LockError::File(_))));
    }
}
