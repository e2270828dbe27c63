//! A run folder: which file lies where.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use unstick_files::{FileCount, FileLock, LockError, Series, is_leftover, remove_leftovers};

use super::{RunError, RunRecord, checkpoint, parts};
use crate::output::{ParticleFormat, SurfaceFormat, VolumeFormat};
use crate::sink::remove_pieces;
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
///     status.json                 how far it is                     status
///     live.lock                   locked by whoever writes          claim
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

    /// How names of its files end, in all formats.
    fn extensions(self) -> Vec<&'static str> {
        match self {
            Self::Particles => {
                ParticleFormat::ALL.iter().map(|(_, format)| format.extension()).chain(["pvtp"]).collect()
            }
            Self::Surface => SurfaceFormat::ALL.iter().map(|(_, format)| format.extension()).collect(),
            Self::Volume => VolumeFormat::ALL.iter().map(|(_, format)| format.extension()).chain(["pvti"]).collect(),
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

    /// What does not change of the USD stage.
    pub(crate) fn usd_world(&self) -> PathBuf {
        self.path.join("surface/world.usda")
    }

    /// What may change of the USD stage.
    pub(crate) fn usd_manifest(&self) -> PathBuf {
        self.path.join("surface/manifest.usda")
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

    /// Refuses a folder that holds something; with `clear`, only if it is not that of an older run. A folder into which
    /// another process writes is refused in any case.
    pub fn check(&self, clear: bool) -> Result<(), RunError> {
        let names = match std::fs::read_dir(&self.path) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.file_name())),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(RunError::file(&self.path)(error)),
        };
        let lock = self.lock();
        if lock.exists() {
            drop(FolderClaim::take(self)?);
        }
        // What a process has left that was killed before it wrote anything.
        if names.into_iter().all(|name| lock.file_name() == Some(&name) || is_leftover(&name)) {
            return Ok(());
        }
        let holds_run = self.record().is_file();
        if !(clear && holds_run) {
            return Err(RunError::NotEmpty { folder: self.path.clone(), holds_run });
        }
        let foreign = |error: RunError| RunError::Foreign { folder: self.path.clone(), reason: error.to_string() };
        RunRecord::read(self).map(drop).map_err(foreign)
    }

    /// Makes the folder, checked as [`check`](Self::check) does, and removes what an older run has left. Files that no
    /// run writes stay.
    pub fn prepare(&self, clear: bool) -> Result<FolderClaim, RunError> {
        self.check(clear)?;
        self.create()?;
        let claim = self.claim()?;
        self.clear()?;
        Ok(claim)
    }

    /// Makes the folder.
    pub fn create(&self) -> Result<(), RunError> {
        std::fs::create_dir_all(&self.path).map_err(RunError::file(&self.path))
    }

    /// Claims the folder, which must be there, for this process: nobody else writes into it. Removes the temporary files
    /// of a process that was killed.
    pub fn claim(&self) -> Result<FolderClaim, RunError> {
        let claim = FolderClaim::take(self)?;
        let places = self.series().into_iter().map(|series| series.folder);
        let places = places.chain([self.path.clone(), self.checkpoints(), self.path.join("view")]);
        places.into_iter().try_for_each(|place| remove_leftovers(&place).map_err(RunError::file(&place)))?;
        Ok(claim)
    }

    /// All numbered files that a run writes, in all formats.
    fn series(&self) -> Vec<Series> {
        let layers = LAYERS.into_iter().map(|layer| self.view_layer(layer));
        self.data_series().chain(layers).chain([self.pictures(), self.states()]).collect()
    }

    /// Data files of all kinds and formats.
    fn data_series(&self) -> impl Iterator<Item = Series> {
        let of_kind = move |kind: DataKind| kind.extensions().into_iter().map(move |end| self.data(kind, end));
        DataKind::ALL.into_iter().flat_map(of_kind)
    }

    /// Removes all that a run has written. The record is the last: as long as it is there, the folder is known as that of
    /// a run.
    fn clear(&self) -> Result<(), RunError> {
        let members: Vec<Self> = OF_WALLS.into_iter().chain(OF_SETTINGS).map(|name| self.member(name)).collect();
        let members: Vec<Self> = members.into_iter().filter(|member| RunRecord::read(member).is_ok()).collect();
        let claims = members.iter().map(Self::claim).collect::<Result<Vec<_>, _>>()?;
        members.iter().try_for_each(Self::clear)?;
        drop(claims);
        for series in self.series() {
            series.remove_after(None).map_err(RunError::file(&series.folder))?;
        }
        let mut files = vec![self.stats(), self.bodies(), self.report(), self.movie_png(), self.movie_mp4()];
        files.extend([self.usd_stage(), self.usd_world(), self.usd_manifest(), self.view_scene()]);
        files.extend([self.status(), self.stop_request()]);
        files.extend(DataKind::ALL.map(|kind| self.pvd(kind)));
        files.extend(checkpoint::list(self)?);
        files.push(self.record());
        files.iter().try_for_each(|path| remove_if_there(path).map_err(RunError::file(path)))?;
        parts::remove_orphans(&self.checkpoints());
        self.data_series().for_each(|series| remove_pieces(&series.folder));
        let folders = self.series().into_iter().map(|series| series.folder);
        let folders = folders.chain([self.checkpoints(), self.path.join("view")]);
        for folder in folders.chain(members.into_iter().map(|member| member.path)) {
            let _ = std::fs::remove_dir(folder); // one that still holds something is not ours alone
        }
        Ok(())
    }

    /// Removes pictures, states and the viewer's files after a frame: they will be written again.
    pub(super) fn forget_frames_after(&self, number: usize) -> Result<(), RunError> {
        let layers = LAYERS.map(|layer| self.view_layer(layer));
        forget_after([self.pictures(), self.states()].into_iter().chain(layers), number)
    }

    /// The same for data files of any format.
    pub(super) fn forget_data_after(&self, number: usize) -> Result<(), RunError> {
        forget_after(self.data_series(), number)?;
        self.data_series().for_each(|series| remove_pieces(&series.folder));
        Ok(())
    }
}

fn forget_after(all: impl IntoIterator<Item = Series>, number: usize) -> Result<(), RunError> {
    all.into_iter().try_for_each(|series| series.remove_after(Some(number)).map_err(RunError::file(&series.folder)))
}

fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The right to write into a run folder, until it is dropped. A process that is killed loses it.
#[derive(Debug)]
pub struct FolderClaim {
    folder: RunFolder,
    _lock: FileLock,
}

impl FolderClaim {
    fn take(folder: &RunFolder) -> Result<Self, RunError> {
        let (path, place) = (folder.lock(), folder.path().to_owned());
        match FileLock::take(&path) {
            Ok(lock) => Ok(Self { folder: folder.clone(), _lock: lock }),
            Err(LockError::Busy { process }) => Err(RunError::Busy { folder: place, process }),
            Err(LockError::File(error)) => Err(RunError::file(&path)(error)),
            Err(other) => Err(RunError::file(&path)(std::io::Error::other(other))),
        }
    }

    /// What is claimed.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder that looks like that of a run with all outputs.
    fn full(path: &Path) -> RunFolder {
        let folder = RunFolder::new(path);
        let series = folder.series();
        series.iter().for_each(|series| fs::create_dir_all(&series.folder).unwrap());
        series.iter().for_each(|series| fs::write(series.path(3), "").unwrap());
        fs::create_dir_all(folder.checkpoints()).unwrap();
        let record = r#"{ "unstick": "0.1.0", "scene": "rest", "title": "A tank", "toml": "", "folder": "/", "cells": [8, 8],
            "frames": 3, "frame_seconds": 0.01, "seed": 0, "threads": 1, "machine": null }"#;
        for path in [folder.stats(), folder.view_scene(), folder.usd_world(), folder.checkpoint(7), folder.status()] {
            fs::write(path, "").unwrap();
        }
        fs::write(folder.record(), record).unwrap();
        folder
    }

    /// Paths of all files below a folder.
    fn files(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            match path.is_dir() {
                true => found.extend(files(&path).into_iter().map(|inner| format!("{name}/{inner}"))),
                false => found.push(name),
            }
        }
        found.sort();
        found
    }

    #[test]
    fn an_older_run_is_cleared_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let folder = full(&place.path().join("run"));
        full(&folder.path().join("sealed"));
        fs::create_dir(folder.path().join("original")).unwrap();
        let mine = ["frames/0003.blend", "frames/notes.txt", "notes.txt", "original/0001.png", "sealed/paper.pdf"];
        mine.iter().for_each(|name| fs::write(folder.path().join(name), "mine").unwrap());
        let leftovers = [".unstick-a1b2", "volume/.unstick-c3d4", "sealed/view/.unstick-e5f6"];
        leftovers.iter().for_each(|name| fs::write(folder.path().join(name), "half").unwrap());
        assert!(matches!(folder.prepare(false), Err(RunError::NotEmpty { holds_run: true, .. })));
        drop(folder.prepare(true).unwrap());
        assert_eq!(files(folder.path()), mine);
        assert!(!folder.checkpoints().exists() && !folder.path().join("view").exists());
        assert!(matches!(folder.prepare(true), Err(RunError::NotEmpty { holds_run: false, .. })), "not that of a run");
    }

    #[test]
    fn a_record_of_somebody_else_makes_no_run_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(place.path());
        fs::write(folder.record(), r#"{ "name": "a run of another program" }"#).unwrap();
        fs::write(folder.stats(), "theirs").unwrap();
        assert!(matches!(folder.prepare(true), Err(RunError::Foreign { .. })));
        assert_eq!(files(place.path()), ["run.json", "stats.csv"]);
    }

    #[test]
    fn a_folder_that_is_claimed_is_refused_until_it_is_free() {
        let place = tempfile::tempdir().unwrap();
        let folder = full(&place.path().join("run"));
        let before = files(folder.path());
        let claim = folder.claim().unwrap();
        for refused in [folder.prepare(true), folder.prepare(false), folder.claim()] {
            assert!(matches!(refused, Err(RunError::Busy { process: Some(_), .. })), "{refused:?}");
        }
        drop(claim);
        assert_eq!(files(folder.path()), before);
        // Nor is a comparison cleared while somebody goes on with one of its runs.
        let member = full(&folder.path().join("changed"));
        let claim = member.claim().unwrap();
        assert!(matches!(folder.prepare(true), Err(RunError::Busy { .. })));
        drop(claim);
        drop(folder.prepare(true).unwrap());
    }

    #[test]
    fn frames_after_one_are_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(place.path());
        fs::create_dir(folder.pictures().folder).unwrap();
        (0..5).for_each(|number| fs::write(folder.picture(number), "").unwrap());
        fs::write(folder.pictures().folder.join("0004.blend"), "mine").unwrap();
        folder.forget_frames_after(2).unwrap();
        assert_eq!(folder.pictures().numbers().unwrap(), [0, 1, 2]);
        assert!(folder.pictures().folder.join("0004.blend").exists());
    }
}
