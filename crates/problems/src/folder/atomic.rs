//! Files and folders that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use crate::error::FileError;

/// Fills a temporary file beside `path` and gives it its name at the end, replacing any file there.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), FileError> {
    let fill_then_name = || {
        let file = with_permissions(0o666).tempfile_in(parent_of(path))?;
        let mut writer = BufWriter::with_capacity(1 << 18, file.as_file());
        fill(&mut writer)?;
        // The name must not reach the disk before the content does.
        writer.into_inner()?.sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    fill_then_name().map_err(FileError::io(path))
}

/// Fills a temporary folder beside `folder` and gives it its name at the end.
///
/// Creates the folders above; an empty folder may be there already, one with content is refused
/// before anything is written.
pub(super) fn write_new_folder(
    folder: &Path,
    fill: impl FnOnce(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let exists = || FileError::Exists { path: folder.to_owned() };
    match fs::read_dir(folder).map(|mut content| content.next().is_some()) {
        Ok(true) => return Err(exists()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(FileError::io(folder)(error)),
        _ => {}
    }
    let parent = parent_of(folder);
    fs::create_dir_all(parent).map_err(FileError::io(parent))?;
    let temporary = with_permissions(0o777).tempdir_in(parent).map_err(FileError::io(folder))?;
    fill(temporary.path())?;
    match fs::rename(temporary.path(), folder) {
        Ok(()) => {
            let _lives_on = temporary.keep();
            Ok(())
        }
        // Somebody else was faster.
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Err(exists()),
        Err(error) => Err(FileError::io(folder)(error)),
    }
}

/// The folder above; the current one for a bare name.
fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != "" => parent,
        _ => Path::new("."),
    }
}

/// Temporary files are for their owner only; what they become should be readable as others are.
fn with_permissions(_mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(_mode));
    builder
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_file(&path, |writer| writer.write_all(b"old")).unwrap();
        let failure = write_file(&path, |writer| {
            writer.write_all(b"new")?;
            Err(io::Error::other("the disk is full"))
        });
        assert_eq!(failure.unwrap_err().to_string(), format!("{}: the disk is full", path.display()));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_folder_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("folder");
        let failure = write_new_folder(&folder, |inside| {
            fs::write(inside.join("half"), "a problem").unwrap();
            Err(FileError::io(inside)(io::Error::other("the disk is full")))
        });
        assert!(failure.is_err());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_empty_folder_is_filled_and_a_full_one_refused() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("new/folder");
        fs::create_dir_all(&folder).unwrap();
        write_new_folder(&folder, |inside| fs::write(inside.join("file"), "first").map_err(FileError::io(inside)))
            .unwrap();
        let refusal = write_new_folder(&folder, |_| panic!("nothing may be written")).unwrap_err();
        let expected = "exists already and is not empty; remove it or name another folder";
        assert_eq!(refusal.to_string(), format!("{} {expected}", folder.display()));
        assert_eq!(fs::read_to_string(folder.join("file")).unwrap(), "first");
    }

    #[cfg(unix)]
    #[test]
    fn files_and_folders_get_the_usual_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let parent = tempfile::tempdir().unwrap();
        let (folder, plain) = (parent.path().join("folder"), parent.path().join("plain"));
        write_new_folder(&folder, |inside| write_file(&inside.join("file"), |_| Ok(()))).unwrap();
        fs::create_dir(&plain).unwrap();
        fs::write(plain.join("file"), "").unwrap();
        assert_eq!(mode(&folder), mode(&plain));
        assert_eq!(mode(&folder.join("file")), mode(&plain.join("file")));
    }
}
