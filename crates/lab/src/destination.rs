//! Output files whose place is checked before the work begins.

use std::path::{Path, PathBuf};

use unstick::files::write_atomic;

use crate::LabError;

/// A file to be written, whose place was checked.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
}

impl Destination {
    /// Refuses what could not be written later: a name with another extension, a folder, a missing or
    /// protected folder.
    pub fn check(path: &Path, extension: &'static str) -> Result<Self, LabError> {
        let refused = |reason: String| LabError::Destination { path: path.to_owned(), reason };
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
    pub fn write(&self, content: &str) -> Result<(), LabError> {
        write_atomic(&self.path, content.as_bytes()).map_err(LabError::writing(&self.path))
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
