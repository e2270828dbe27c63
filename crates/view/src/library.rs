//! The runs that are served, and their files.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use unstick_scene::run::{RunRecord, RunState, Status, ask_to_stop};
use unstick_scene::sink::view::LAYERS;

use crate::error::ViewError;

/// File names of movies, the best format first.
const MOVIES: [&str; 2] = ["movie.mp4", "movie.png"];

/// The runs that are served, by number.
#[derive(Debug, Default)]
pub struct Library {
    runs: Vec<ServedRun>,
}

/// One run. The two runs of a comparison lie in one folder, which is the `root` of both.
#[derive(Debug)]
struct ServedRun {
    /// The folder that the user named, with links resolved. No file outside of it is served.
    root: PathBuf,
    /// The folder of the run.
    folder: PathBuf,
    /// `sealed` or `separating` in a comparison.
    label: Option<&'static str>,
    /// Name and path of each table of statistics.
    tables: Vec<(&'static str, PathBuf)>,
}

/// What a client can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// What does not change during the run.
    Scene,
    /// A layer, by its index in [`LAYERS`], and the number of a frame.
    Layer(usize, usize),
    /// The picture of a frame.
    Picture(usize),
    /// A table of statistics.
    Table(usize),
    /// The movie.
    Movie,
}

impl Library {
    /// Reads the folders and refuses those that are not run folders.
    pub fn open(folders: &[PathBuf]) -> Result<Self, ViewError> {
        let mut runs = Vec::new();
        for folder in folders {
            let refuse = |reason: String| ViewError::NoRun { folder: folder.clone(), reason };
            let root = folder.canonicalize().map_err(|error| refuse(error.to_string()))?;
            if !root.join("run.json").is_file() {
                return Err(refuse("it holds no run.json".into()));
            }
            let record = RunRecord::read(&root).map_err(|error| refuse(error.to_string()))?;
            runs.extend(ServedRun::of(&root, &record));
        }
        Ok(Self { runs })
    }

    /// All runs and what they hold now, for the page.
    pub fn describe(&self) -> Value {
        Value::Array(self.runs.iter().enumerate().map(|(id, run)| run.describe(id)).collect())
    }

    /// A file of a run and its type; none if it does not exist or lies outside of the folder.
    pub fn open_item(&self, run: usize, item: Item) -> Option<(File, &'static str)> {
        let run = self.runs.get(run)?;
        let (path, kind) = run.path(item)?;
        let path = path.canonicalize().ok().filter(|path| path.starts_with(&run.root) && path.is_file())?;
        Some((File::open(path).ok()?, kind))
    }

    /// Asks a run to write a checkpoint and stop. Returns the reason if it cannot be asked.
    pub fn stop(&self, run: usize) -> Result<(), String> {
        let run = self.runs.get(run).ok_or("there is no such run")?;
        match Status::read(&run.root) {
            Some(Status { state: RunState::Running, .. }) => ask_to_stop(&run.root).map_err(|error| error.to_string()),
            _ => Err("this run is not going".into()),
        }
    }
}

impl ServedRun {
    /// The runs of a folder. A comparison gives its two runs if they left files for the viewer, else one run that
    /// shows the pictures of both.
    fn of(root: &Path, record: &RunRecord) -> Vec<Self> {
        let one = |folder: PathBuf, label, tables| Self { root: root.to_owned(), folder, label, tables };
        if record.compare.is_none() {
            return vec![one(root.to_owned(), None, vec![("", root.join("stats.csv"))])];
        }
        let members = ["sealed", "separating"].map(|label| (label, root.join(label)));
        if members.iter().all(|(_, folder)| folder.join("view/scene.gz").is_file()) {
            let member = |(label, folder): (_, PathBuf)| {
                let table = (label, folder.join("stats.csv"));
                one(folder, Some(label), vec![table])
            };
            return members.into_iter().map(member).collect();
        }
        let tables = members.map(|(label, folder)| (label, folder.join("stats.csv"))).to_vec();
        vec![one(root.to_owned(), None, tables)]
    }

    /// The path and type of a file.
    fn path(&self, item: Item) -> Option<(PathBuf, &'static str)> {
        let view = self.folder.join("view");
        Some(match item {
            Item::Scene => (view.join("scene.gz"), "application/octet-stream"),
            Item::Layer(layer, frame) => {
                (view.join(LAYERS.get(layer)?).join(format!("{frame:04}.gz")), "application/octet-stream")
            }
            Item::Picture(frame) => (self.root.join(format!("frames/{frame:04}.png")), "image/png"),
            Item::Table(table) => (self.tables.get(table)?.1.clone(), "text/csv; charset=utf-8"),
            Item::Movie => {
                let name = self.movie()?;
                (self.root.join(name), if name.ends_with("mp4") { "video/mp4" } else { "image/png" })
            }
        })
    }

    fn movie(&self) -> Option<&'static str> {
        MOVIES.into_iter().find(|name| self.root.join(name).is_file())
    }

    fn describe(&self, id: usize) -> Value {
        let problem = |reason: String| json!({ "id": id, "problem": reason, "label": self.label });
        let record = match RunRecord::read(&self.folder) {
            Ok(record) => record,
            Err(_) if !self.folder.join("run.json").exists() => return problem("The run is no longer there.".into()),
            Err(error) => return problem(format!("The run cannot be read: {error}")),
        };
        let layer = |name: &str| ranges(&self.folder.join("view").join(name), "gz");
        let size = |path: &PathBuf| path.metadata().map_or(0, |data| data.len());
        json!({
            "id": id,
            "folder": self.root.file_name().map(|name| name.to_string_lossy()),
            "label": self.label,
            "title": record.title,
            "scene": record.scene,
            "walls": record.walls,
            "cells": record.cells,
            "frames": record.frames,
            "frame_seconds": record.frame_seconds,
            "particles": layer("particles"),
            "surface": layer("surface"),
            "pictures": ranges(&self.root.join("frames"), "png"),
            "tables": self.tables.iter().map(|(label, path)| json!({ "label": label, "bytes": size(path) })).collect::<Vec<_>>(),
            "movie": self.movie(),
            "status": Status::read(&self.root),
        })
    }
}

/// The numbers of the files `NNNN.extension` as ranges. Both ends belong to a range.
fn ranges(folder: &Path, extension: &str) -> Vec<[usize; 2]> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let number = |name: &str| name.strip_suffix(extension)?.strip_suffix('.')?.parse::<usize>().ok();
    let numbers: BTreeSet<usize> =
        entries.filter_map(|entry| number(entry.ok()?.file_name().to_str().unwrap_or_default())).collect();
    let mut ranges: Vec<[usize; 2]> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => ranges.push([number, number]),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_files_are_listed_as_ranges() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["0000.gz", "0001.gz", "0003.gz", "10000.gz", "0004.png", "x.gz", ".0005.gz", "0006gz"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(ranges(folder.path(), "gz"), [[0, 1], [3, 3], [10000, 10000]]);
        assert_eq!(ranges(folder.path(), "png"), [[4, 4]]);
        assert!(ranges(&folder.path().join("none"), "gz").is_empty());
    }

    #[test]
    fn a_run_has_a_path_for_every_item_it_can_hold() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let run = ServedRun {
            folder: root.join("sealed"),
            label: Some("sealed"),
            tables: vec![("sealed", root.join("sealed/stats.csv"))],
            root: root.clone(),
        };
        assert_eq!(run.path(Item::Layer(0, 7)).unwrap().0, root.join("sealed/view/particles/0007.gz"));
        assert_eq!(run.path(Item::Picture(12)).unwrap(), (root.join("frames/0012.png"), "image/png"));
        assert!(run.path(Item::Layer(9, 0)).is_none() && run.path(Item::Table(1)).is_none());
        assert!(run.path(Item::Movie).is_none(), "there is no movie yet");
        std::fs::write(root.join("movie.png"), "").unwrap();
        assert_eq!(run.path(Item::Movie).unwrap(), (root.join("movie.png"), "image/png"));
        std::fs::write(root.join("movie.mp4"), "").unwrap();
        assert_eq!(run.path(Item::Movie).unwrap().1, "video/mp4");
    }

    #[test]
    fn a_library_without_runs_serves_nothing() {
        let library = Library::default();
        assert!(library.open_item(0, Item::Scene).is_none());
        assert_eq!(library.stop(0).unwrap_err(), "there is no such run");
        assert_eq!(library.describe(), json!([]));
    }
}
