//! Tables that grow line by line. The first cell of a line is the step.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::RunError;
use unstick_files::write_atomic;

/// A table on disk, up to date after every frame.
#[derive(Debug)]
pub(super) struct CsvTable {
    path: PathBuf,
    file: File,
    /// Lines that are not on disk yet.
    pub lines: String,
}

impl CsvTable {
    /// Begins a table.
    pub fn create(path: &Path, header: &str) -> Result<Self, RunError> {
        write_atomic(path, format!("{header}\n").as_bytes()).map_err(RunError::file(path))?;
        Self::open(path)
    }

    /// Continues after a step. Lines of later steps, and a line that was cut short, are dropped.
    pub fn resume(path: &Path, header: &str, step: u64) -> Result<Self, RunError> {
        let text = std::fs::read_to_string(path).map_err(RunError::file(path))?;
        let mut kept = format!("{header}\n");
        let is_kept = |line: &str| {
            line.split(',').next().and_then(|cell| cell.parse().ok()).is_some_and(|found: u64| found <= step)
        };
        for line in text.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n') && is_kept(line)) {
            kept.push_str(line);
        }
        write_atomic(path, kept.as_bytes()).map_err(RunError::file(path))?;
        Self::open(path)
    }

    fn open(path: &Path) -> Result<Self, RunError> {
        let file = OpenOptions::new().append(true).open(path).map_err(RunError::file(path))?;
        Ok(Self { path: path.to_owned(), file, lines: String::new() })
    }

    /// Writes the new lines to the disk.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.file.write_all(self.lines.as_bytes()).map_err(RunError::file(&self.path))?;
        self.lines.clear();
        Ok(())
    }
}
