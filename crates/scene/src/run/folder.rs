//! A run folder: which file lies where.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use unstick_files::{FileCount, Series};

use super::RunError;
use crate::sink::view::LAYERS;

/// The folder of a run, which knows the name of every file in it.
///
/// ```text
///     run.json                    what was run                      record
///     stats.csv, bodies.csv       a line per step                   stats, bodies
///     frames/NNNN.png             pictures                          pictures
///     movie.png, movie.mp4        all of them                       movies
///     report.html                 the page at the end               report
///     particles/NNNN.ext, …       data files                        data
///     view/                       what the viewer shows             view_scene, view_layer
///     checkpoint/, states/        states to resume from             checkpoint, states
///     status.json, live.lock      how far it is                     status, lock
///     stop                        asks it to stop                   stop_request
///     sealed/, separating/        the two runs of a comparison      member
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

/// A kind of data files; each has a folder of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataKind {
    /// Particles.
    Particles,
    /// Surface meshes.
    Surface,
    /// Fields.
    Volume,
}

impl DataKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Particles, Self::Surface, Self::Volume];

    /// The name of its folder, and of its key in `[output]`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Particles => "particles",
            Self::Surface => "surface",
            Self::Volume => "volume",
        }
    }
}

/// Folders of the two runs of a comparison, by what is compared.
pub(super) const OF_WALLS: [&str; 2] = ["sealed", "separating"];
pub(super) const OF_SETTINGS: [&str; 2] = ["original", "changed"];

impl RunFolder {
    /// The folder at a path, which need not be there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was run.
    pub fn record(&self) -> PathBuf {
        self.path.join("run.json")
    }

    /// A line per step.
    pub fn stats(&self) -> PathBuf {
        self.path.join("stats.csv")
    }

    /// A line per step and body.
    pub fn bodies(&self) -> PathBuf {
        self.path.join("bodies.csv")
    }

    /// The page at the end.
    pub fn report(&self) -> PathBuf {
        self.path.join("report.html")
    }

    /// The pictures.
    pub fn pictures(&self) -> Series {
        Series { folder: self.path.join("frames"), extension: "png" }
    }

    /// The picture of a frame.
    pub fn picture(&self, number: usize) -> PathBuf {
        self.pictures().path(number)
    }

    /// The movie as animated PNG.
    pub fn movie_png(&self) -> PathBuf {
        self.path.join("movie.png")
    }

    /// The movie as MP4.
    pub fn movie_mp4(&self) -> PathBuf {
        self.path.join("movie.mp4")
    }

    /// The movie that is best to look at, of those that are there.
    pub fn movie(&self) -> Option<PathBuf> {
        [self.movie_mp4(), self.movie_png()].into_iter().find(|movie| movie.is_file())
    }

    /// Data files of a kind and format.
    pub fn data(&self, kind: DataKind, extension: &'static str) -> Series {
        Series { folder: self.path.join(kind.name()), extension }
    }

    /// The file that lists data files of a kind for ParaView.
    pub fn pvd(&self, kind: DataKind) -> PathBuf {
        self.path.join(format!("{}.pvd", kind.name()))
    }

    /// The stage that joins the layers of USD.
    pub fn usd_stage(&self) -> PathBuf {
        self.path.join("stage.usda")
    }

    /// States that are kept for good.
    pub fn states(&self) -> Series {
        Series { folder: self.path.join("states"), extension: "state" }
    }

    /// The folder of checkpoints.
    pub fn checkpoints(&self) -> PathBuf {
        self.path.join("checkpoint")
    }

    /// The checkpoint after a step.
    pub fn checkpoint(&self, step: u64) -> PathBuf {
        self.checkpoints().join(format!("{step:010}.checkpoint"))
    }

    /// What the viewer shows and does not change.
    pub fn view_scene(&self) -> PathBuf {
        self.path.join("view/scene.gz")
    }

    /// A layer of what the viewer shows: one of [`LAYERS`].
    pub fn view_layer(&self, layer: &str) -> Series {
        Series { folder: self.path.join("view").join(layer), extension: "gz" }
    }

    /// How far the run is.
    pub fn status(&self) -> PathBuf {
        self.path.join("status.json")
    }

    /// Locked by the process that computes.
    pub fn lock(&self) -> PathBuf {
        self.path.join("live.lock")
    }

    /// Whoever makes this file asks the run to stop.
    pub fn stop_request(&self) -> PathBuf {
        self.path.join("stop")
    }

    /// The folder of one of the runs of a comparison.
    pub fn member(&self, name: &str) -> Self {
        Self::new(self.path.join(name))
    }

    /// The data files, counted by folder and format.
    pub fn data_files(&self) -> Vec<FileCount> {
        let names: Vec<&str> = DataKind::ALL.into_iter().map(DataKind::name).chain(["states"]).collect();
        Series::count(&self.path, &names)
    }

    /// Refuses a folder that holds something; with `clear`, only if it is not that of an older run.
    pub fn check(&self, clear: bool) -> Result<(), RunError> {
        let is_full = match std::fs::read_dir(&self.path) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(RunError::file(&self.path)(error)),
        };
        let holds_run = self.record().is_file();
        match is_full && !(clear && holds_run) {
            true => Err(RunError::NotEmpty { folder: self.path.clone(), holds_run }),
            false => Ok(()),
        }
    }

    /// Makes the folder, checked as [`check`](Self::check) does, and removes what an older run has left.
    pub fn prepare(&self, clear: bool) -> Result<(), RunError> {
        self.check(clear)?;
        for path in self.contents() {
            let removed = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            match removed {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(RunError::file(&path)(error)),
                _ => {}
            }
        }
        self.create()
    }

    /// Makes the folder.
    pub(super) fn create(&self) -> Result<(), RunError> {
        std::fs::create_dir_all(&self.path).map_err(RunError::file(&self.path))
    }

    /// All that a run leaves. The record is the last: as long as it is there, the folder is known as that of a run.
    fn contents(&self) -> Vec<PathBuf> {
        let members = OF_WALLS.into_iter().chain(OF_SETTINGS).map(|name| self.path.join(name));
        let data = DataKind::ALL.into_iter().flat_map(|kind| [self.path.join(kind.name()), self.pvd(kind)]);
        let mut contents = vec![self.stats(), self.bodies(), self.report(), self.pictures().folder];
        contents.extend([self.movie_png(), self.movie_mp4(), self.usd_stage(), self.states().folder]);
        contents.extend([self.checkpoints(), self.path.join("view")]);
        contents.extend([self.status(), self.lock(), self.stop_request()]);
        contents.extend(data.chain(members));
        contents.push(self.record());
        contents
    }

    /// Removes pictures, states and the viewer's files after a frame: they will be written again.
    pub(super) fn forget_frames_after(&self, number: usize) -> Result<(), RunError> {
        let layers = LAYERS.map(|layer| self.view_layer(layer).folder);
        let folders = [self.pictures().folder, self.states().folder].into_iter().chain(layers);
        folders.into_iter().try_for_each(|folder| forget_after(&folder, number))
    }

    /// The same for data files of any format.
    pub(super) fn forget_data_after(&self, number: usize) -> Result<(), RunError> {
        DataKind::ALL.iter().try_for_each(|kind| forget_after(&self.path.join(kind.name()), number))
    }
}

fn forget_after(folder: &Path, number: usize) -> Result<(), RunError> {
    Series::remove_after(folder, number).map_err(RunError::file(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_run_is_cleared_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(place.path().join("run"));
        folder.prepare(false).unwrap();
        for path in [folder.record(), folder.stats(), folder.path().join("notes.txt")] {
            std::fs::write(path, "").unwrap();
        }
        std::fs::create_dir(folder.pictures().folder).unwrap();
        std::fs::write(folder.picture(3), "").unwrap();
        assert!(matches!(folder.prepare(false), Err(RunError::NotEmpty { holds_run: true, .. })));
        folder.prepare(true).unwrap();
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["notes.txt"]);
        assert!(matches!(folder.prepare(true), Err(RunError::NotEmpty { holds_run: false, .. })), "not that of a run");
    }

    #[test]
    fn frames_after_one_are_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(place.path());
        std::fs::create_dir(folder.pictures().folder).unwrap();
        (0..5).for_each(|number| std::fs::write(folder.picture(number), "").unwrap());
        folder.forget_frames_after(2).unwrap();
        assert_eq!(folder.pictures().numbers().unwrap(), [0, 1, 2]);
    }
}
