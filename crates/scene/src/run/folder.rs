//! Run folders.

use std::io::ErrorKind;
use std::path::Path;

use unstick_files::{FileCount, Series};

use super::RunError;

/// Folders of numbered data files.
const DATA: [&str; 4] = ["particles", "surface", "volume", "states"];

/// The data files of a run folder, counted by folder and kind.
pub fn data_files(folder: &Path) -> Vec<FileCount> {
    Series::count(folder, &DATA)
}

/// What a run leaves in its folder, and `--force` removes.
const OURS: [&str; 22] = [
    "stats.csv",
    "frames",
    "particles",
    "surface",
    "volume",
    "states",
    "particles.pvd",
    "surface.pvd",
    "volume.pvd",
    "stage.usda",
    "bodies.csv",
    "checkpoint",
    "movie.png",
    "movie.mp4",
    "report.html",
    "separating",
    "sealed",
    "view",
    "status.json",
    "live.lock",
    "stop",
    "run.json",
];

/// Refuses a folder that holds something; with `clear`, only if it is not that of an older run.
pub fn check_folder(folder: &Path, clear: bool) -> Result<(), RunError> {
    let is_full = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(RunError::file(folder)(error)),
    };
    match is_full && !(clear && folder.join("run.json").is_file()) {
        true => Err(RunError::NotEmpty { folder: folder.to_owned() }),
        false => Ok(()),
    }
}

/// Makes a folder for a run, checked as [`check_folder`] does; clears it of the older run.
pub fn prepare_folder(folder: &Path, clear: bool) -> Result<(), RunError> {
    check_folder(folder, clear)?;
    for name in OURS {
        let path = folder.join(name);
        let removed = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(RunError::file(&path)(error)),
            _ => {}
        }
    }
    std::fs::create_dir_all(folder).map_err(RunError::file(folder))
}

/// Removes numbered files (`0012.png`) after a frame: they will be written again.
pub fn forget_frames_after(folder: &Path, frame: usize) -> Result<(), RunError> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse::<usize>().ok());
        if number.is_some_and(|number| number > frame) {
            std::fs::remove_file(&path).map_err(RunError::file(&path))?;
        }
    }
    Ok(())
}
