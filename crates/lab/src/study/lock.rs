//! A lock: one process at a time measures into a folder.
//!
//! The system releases the lock when the process ends in any way. A file that is left behind blocks
//! nobody.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use crate::LabError;

/// Name of the file.
const FILE: &str = "study.lock";

/// The exclusive right to measure into a folder, until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Locks a folder. Refused with the id of the process that holds it.
    pub fn take(folder: &Path) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        let failed = LabError::writing(&path);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(&failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut owner = String::new();
                let is_known = file.read_to_string(&mut owner).is_ok() && !owner.trim().is_empty();
                let process = is_known.then(|| owner.trim().to_owned());
                return Err(LabError::Busy { folder: folder.to_owned(), process });
            }
            // A file system without locks cannot tell of other processes.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(failed)?;
        Ok(Self { _file: file })
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

    #[test]
    fn what_a_dead_process_left_behind_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "4194304\n").unwrap();
        FolderLock::take(folder.path()).unwrap();
        let owner = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert_eq!(owner.trim(), std::process::id().to_string());
    }
}
