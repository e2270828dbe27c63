//! Files and folders that appear under their name complete, or not at all.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use crate::faults::{Point, pass};

/// Writes a file atomically: a reader of `path` sees the old content or all of the new content.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// The same for what matters only while its writer lives: nobody waits for the disk. After a power failure the content
/// may be lost.
pub fn write_fleeting(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.publish()
}

/// Reads a file that anybody may have put there. Refuses what is no ordinary file, which could take for ever, and what is
/// longer than `most` bytes.
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {most} bytes"))),
        false => Ok(bytes),
    }
}

/// Whether a file has the name of a temporary one.
pub fn is_leftover(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with(PREFIX)
}

/// Removes the temporary files that a process has left in a folder when it was killed. Only for who knows that nobody
/// else writes there. A folder that is not there has none.
pub fn remove_leftovers(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        if is_leftover(&entry.file_name()) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// A file that is written beside its target and gets its name at the end. Dropped without
/// [`commit`](Self::commit), it leaves nothing behind.
///
/// ```
/// use std::io::Write as _;
/// use unstick_files::AtomicFile;
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.txt");
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"complete")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"complete");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl AtomicFile {
    /// Opens a temporary file in the folder of `target`, with the permissions of an ordinary file.
    pub fn create(target: &Path) -> io::Result<Self> {
        Ok(Self { file: temporary(0o666).tempfile_in(folder_of(target))?, target: target.to_owned() })
    }

    /// Where the content is until then, for a program that writes it.
    pub fn temporary_path(&self) -> &Path {
        self.file.path()
    }

    /// Gives the file its name. The content reaches the disk before the name does, and both survive a power failure
    /// afterwards.
    pub fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        let target = self.target.clone();
        self.publish()?;
        sync_folder(folder_of(&target));
        pass(Point::Renamed, &target)
    }

    /// Gives the file its name, whatever has reached the disk.
    fn publish(self) -> io::Result<()> {
        pass(Point::Rename, &self.target)?;
        self.file.persist(&self.target).map(drop).map_err(|error| error.error)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        pass(Point::Write, &self.target)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A new folder that is filled beside its target and gets its name at the end. Dropped without
/// [`commit`](Self::commit), it leaves nothing behind.
///
/// ```
/// use unstick_files::{AtomicFolder, write_atomic};
///
/// # let parent = tempfile::tempdir()?;
/// let target = parent.path().join("results");
/// let folder = AtomicFolder::create(&target)?;
/// write_atomic(&folder.path().join("notes.txt"), b"complete")?;
/// assert!(!target.exists());
/// folder.commit()?;
/// assert_eq!(std::fs::read(target.join("notes.txt"))?, b"complete");
/// assert!(AtomicFolder::create(&target).is_err()); // it has content now
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFolder {
    folder: TempDir,
    target: PathBuf,
}

impl AtomicFolder {
    /// Makes a temporary folder beside `target`, and the folders above it. An empty folder may be there already; one
    /// with content is refused as [`DirectoryNotEmpty`](io::ErrorKind::DirectoryNotEmpty).
    pub fn create(target: &Path) -> io::Result<Self> {
        match fs::read_dir(target).map(|mut content| content.next().is_some()) {
            Ok(true) => return Err(io::ErrorKind::DirectoryNotEmpty.into()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::create_dir_all(folder_of(target))?,
        }
        Ok(Self { folder: temporary(0o777).tempdir_in(folder_of(target))?, target: target.to_owned() })
    }

    /// Where the content goes.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder its name. Refused if somebody else has made one with content meanwhile.
    pub fn commit(self) -> io::Result<()> {
        sync_folder(self.folder.path());
        fs::rename(self.folder.path(), &self.target)?;
        let _now_at_target = self.folder.keep();
        sync_folder(folder_of(&self.target));
        Ok(())
    }
}

/// How names of temporary files begin.
const PREFIX: &str = ".unstick-";

/// Temporary files are for their owner only; these get the permissions of what they become.
fn temporary(_mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(_mode));
    builder
}

/// The folder of a file; the current one for a bare name.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Some systems cannot open or sync a folder. The file is complete there too, so this is no error.
fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_replaces_its_predecessor_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for content in ["first", "second"] {
            write_atomic(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_not_committed_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomic(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_read_up_to_a_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_bounded(&path, 5).unwrap(), b"12345");
        assert_eq!(read_bounded(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_bounded(folder.path(), 5).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn leftovers_of_a_process_that_was_killed_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        std::mem::forget(AtomicFile::create(&folder.path().join("file")).unwrap());
        for name in ["file", ".hidden", "unstick-notes"] {
            fs::write(folder.path().join(name), "mine").unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
        remove_leftovers(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        remove_leftovers(&folder.path().join("nowhere")).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_committed_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = AtomicFolder::create(&parent.path().join("folder")).unwrap();
        fs::write(folder.path().join("half"), "of it").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_empty_folder_is_filled_and_a_full_one_refused() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("new/folder");
        fs::create_dir_all(&target).unwrap();
        let [first, second] = [(); 2].map(|()| AtomicFolder::create(&target).unwrap());
        for (folder, content) in [(&first, "first"), (&second, "second")] {
            fs::write(folder.path().join("file"), content).unwrap();
        }
        first.commit().unwrap();
        let refusals = [second.commit().unwrap_err(), AtomicFolder::create(&target).unwrap_err()];
        assert_eq!(refusals.map(|error| error.kind()), [io::ErrorKind::DirectoryNotEmpty; 2]);
        assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "first");
        assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn files_and_folders_get_the_usual_permissions() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let [atomic, plain] = ["atomic", "plain"].map(|name| parent.path().join(name));
        let folder = AtomicFolder::create(&atomic).unwrap();
        write_atomic(&folder.path().join("file"), b"").unwrap();
        folder.commit().unwrap();
        fs::create_dir(&plain).unwrap();
        fs::write(plain.join("file"), b"").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&atomic), mode(&plain));
        assert_eq!(mode(&atomic.join("file")), mode(&plain.join("file")));
    }
}
