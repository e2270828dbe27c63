//! Numbered files in a folder: `0000.vdb`, `0001.vdb`, …

use std::path::{Path, PathBuf};

/// A numbered sequence of files, one per frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The folder.
    pub folder: PathBuf,
    /// The extension without the dot.
    pub extension: &'static str,
}

/// Number and total size of the files with one extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCount {
    /// The folder, relative to the root of the search.
    pub folder: String,
    /// The extension without the dot.
    pub extension: String,
    /// Number of files.
    pub files: usize,
    /// Total size in bytes.
    pub bytes: u64,
}

impl Series {
    /// The name of a frame's file.
    pub fn name(&self, number: usize) -> String {
        format!("{number:04}.{}", self.extension)
    }

    /// The path of a frame's file.
    pub fn path(&self, number: usize) -> PathBuf {
        self.folder.join(self.name(number))
    }

    /// The frames whose files exist, in ascending order. A folder that does not exist has none.
    pub fn numbers(&self) -> std::io::Result<Vec<usize>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            if path.extension().is_some_and(|end| end == self.extension)
                && entry.file_type().is_ok_and(|kind| !kind.is_dir())
                && let Some(number) = number_of(&path)
            {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The names as `printf` would write them, which is what `ffmpeg` reads.
    pub fn pattern(&self) -> String {
        format!("%04d.{}", self.extension)
    }

    /// Removes the files after a number; all of them if none is given.
    pub fn remove_after(&self, number: Option<usize>) -> std::io::Result<()> {
        let numbers = self.numbers()?.into_iter().filter(|&found| number.is_none_or(|number| found > number));
        numbers.map(|found| self.path(found)).try_for_each(std::fs::remove_file)
    }

    /// Counts the numbered files in the folders `names` of `root`, by folder and extension.
    pub fn count(root: &Path, names: &[&str]) -> Vec<FileCount> {
        let mut counts: Vec<FileCount> = Vec::new();
        for folder in names {
            let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
            for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
                let (Some(extension), Some(_)) = (path.extension(), number_of(&path)) else { continue };
                let extension = extension.to_string_lossy().into_owned();
                let bytes = path.metadata().map_or(0, |data| data.len());
                match counts.iter_mut().find(|count| count.folder == *folder && count.extension == extension) {
                    Some(count) => {
                        count.files += 1;
                        count.bytes += bytes;
                    }
                    None => counts.push(FileCount { folder: (*folder).to_owned(), extension, files: 1, bytes }),
                }
            }
        }
        counts.sort_by(|a, b| (&a.folder, &a.extension).cmp(&(&b.folder, &b.extension)));
        counts
    }
}

/// The number of a frame from the name of its file; none unless it is the name that [`Series::name`] gives.
fn number_of(path: &Path) -> Option<usize> {
    let stem = path.file_stem()?.to_str()?;
    stem.parse().ok().filter(|number: &usize| format!("{number:04}") == stem)
}

impl std::fmt::Display for FileCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { folder, extension, files, bytes } = self;
        let (unit, name) = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
            .into_iter()
            .find(|&(unit, _)| *bytes as f64 >= unit)
            .unwrap_or((1.0, "bytes"));
        let size = *bytes as f64 / unit;
        let digits = usize::from(unit > 1.0 && size < 100.0);
        write!(f, "{folder}: {files} .{extension}, {size:.digits$} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbered_files_with_the_extension_belong_to_a_series() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("volume");
        let series = Series { folder: folder.clone(), extension: "vdb" };
        assert_eq!(series.numbers().unwrap(), [0usize; 0]);
        std::fs::create_dir(&folder).unwrap();
        for name in
            ["0002.vdb", "0001.vdb", "10000.vdb", "0003.vti", "12.vdb", "00004.vdb", "x.vdb", ".unstick-0009.vdb"]
        {
            std::fs::write(folder.join(name), "123").unwrap();
        }
        assert_eq!(series.numbers().unwrap(), [1, 2, 10000]);
        let counts = Series::count(place.path(), &["particles", "volume"]);
        let lines: Vec<String> = counts.iter().map(FileCount::to_string).collect();
        assert_eq!(lines, ["volume: 3 .vdb, 9 bytes", "volume: 1 .vti, 3 bytes"]);
        let large = FileCount { bytes: 12_345_678, ..counts[0].clone() };
        assert_eq!(large.to_string(), "volume: 3 .vdb, 12.3 MB");
        std::fs::create_dir(folder.join("0005.vdb")).unwrap();
        series.remove_after(Some(1)).unwrap();
        assert_eq!(series.numbers().unwrap(), [1]);
        assert!(folder.join("00004.vdb").exists() && folder.join("0003.vti").exists());
    }
}
