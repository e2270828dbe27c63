//! Everything that leaves the process: text on the two streams, files that appear whole.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use unstick::files::write_atomic;

use crate::error::CommandError;

/// Prints a line, or several, to standard output. A reader that has gone away is no error.
pub fn print(text: impl Display) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandError::Stdout(error.to_string())),
        _ => Ok(()),
    }
}

/// Tells people something beside the result, on standard error; there is no one to tell if that fails.
pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A file that will be written, checked before the work begins.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
}

impl Destination {
    /// Refuses what could not be written later: a name with another extension, a folder, a place
    /// that does not exist or does not let us in.
    pub fn check(path: &Path, extension: &'static str) -> Result<Self, CommandError> {
        let refused = |reason: String| CommandError::Destination { path: path.to_owned(), reason };
        if path.extension().is_none_or(|found| !found.eq_ignore_ascii_case(extension)) {
            return Err(refused(format!("expected a name that ends in .{extension}")));
        }
        if path.is_dir() {
            return Err(refused("a folder has that name".into()));
        }
        let folder = folder_of(path);
        if !folder.is_dir() {
            return Err(refused(format!("there is no folder `{}`", folder.display())));
        }
        tempfile::tempfile_in(folder).map_err(|error| refused(error.to_string()))?;
        Ok(Self { path: path.to_owned() })
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file, complete or not at all.
    pub fn write(&self, content: &str) -> Result<(), CommandError> {
        let failed =
            |error: io::Error| CommandError::Destination { path: self.path.clone(), reason: error.to_string() };
        write_atomic(&self.path, content.as_bytes()).map_err(failed)
    }
}

/// The folder of a file; `.` for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_replaces_its_predecessor_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plot.svg");
        for content in ["first", "second"] {
            Destination::check(&path, "svg").unwrap().write(content).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn places_that_cannot_be_written_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let message = |name: &str| Destination::check(&folder.path().join(name), "svg").unwrap_err().to_string();
        assert!(message("plot.png").ends_with("expected a name that ends in .svg"));
        assert!(message("nowhere/plot.svg").contains("there is no folder"));
        std::fs::create_dir(folder.path().join("taken.svg")).unwrap();
        assert!(message("taken.svg").ends_with("a folder has that name"));
    }
}
