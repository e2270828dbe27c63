//! A lock: one process at a time measures into a folder.

use std::path::Path;

use unstick::files::{FileLock, LockError};

use crate::LabError;

/// Name of the file.
const FILE: &str = "study.lock";

/// The exclusive right to measure into a folder, until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _lock: FileLock,
}

impl FolderLock {
    /// Locks a folder. Refused with the id of the process that holds it.
    pub fn take(folder: &Path) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        match FileLock::take(&path) {
            Ok(lock) => Ok(Self { _lock: lock }),
            Err(LockError::File(error)) => Err(LabError::writing(&path)(error)),
            Err(LockError::Busy { process }) => Err(LabError::Busy { folder: folder.to_owned(), process }),
            Err(other) => Err(LabError::writing(&path)(std::io::Error::other(other))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_by_one_until_it_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let first = FolderLock::take(folder.path()).unwrap();
        let refused = FolderLock::take(folder.path()).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(first);
        FolderLock::take(folder.path()).unwrap();
    }
}
