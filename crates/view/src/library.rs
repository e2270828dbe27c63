//! The runs that are shown, and the files they are made of.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use unstick_scene::run::{RunRecord, RunState, Status, ask_to_stop};
use unstick_scene::sink::view::LAYERS;

use crate::error::ViewError;

/// Movies, best first.
const MOVIES: [&str; 2] = ["movie.mp4", "movie.png"];

/// The runs that are shown.
#[derive(Debug, Default)]
pub struct Library {
    shelves: Vec<Shelf>,
}

/// One run. The two of a comparison stand side by side in one folder, which is the `root` of both.
#[derive(Debug)]
struct Shelf {
    /// The folder that was named, without links: nothing outside of it is served.
    root: PathBuf,
    /// Where the run lies.
    folder: PathBuf,
    /// `sealed` or `separating` in a comparison.
    label: Option<&'static str>,
    /// What each of its tables of statistics is called, and where it lies.
    tables: Vec<(&'static str, PathBuf)>,
}

/// What can be asked for of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// What does not change.
    Scene,
    /// A layer of a frame, by its place in [`LAYERS`].
    Layer(usize, usize),
    /// A picture of a frame.
    Picture(usize),
    /// A table of statistics.
    Table(usize),
    /// The movie.
    Movie,
}

impl Library {
    /// Looks into the folders; refuses those that are not of runs.
    pub fn open(folders: &[PathBuf]) -> Result<Self, ViewError> {
        let mut shelves = Vec::new();
        for folder in folders {
            let refuse = |reason: String| ViewError::NoRun { folder: folder.clone(), reason };
            let root = folder.canonicalize().map_err(|error| refuse(error.to_string()))?;
            if !root.join("run.json").is_file() {
                return Err(refuse("it holds no run.json".into()));
            }
            let record = RunRecord::read(&root).map_err(|error| refuse(error.to_string()))?;
            shelves.extend(Shelf::of(&root, &record));
        }
        Ok(Self { shelves })
    }

    /// What there is now, of all runs.
    pub fn look(&self) -> Value {
        Value::Array(self.shelves.iter().enumerate().map(|(id, shelf)| shelf.look(id)).collect())
    }

    /// A file of a run with its type; none if it is not there, or leads out of the folder.
    pub fn open_item(&self, run: usize, item: Item) -> Option<(File, &'static str)> {
        let shelf = self.shelves.get(run)?;
        let (path, kind) = shelf.place(item)?;
        let path = path.canonicalize().ok().filter(|path| path.starts_with(&shelf.root) && path.is_file())?;
        Some((File::open(path).ok()?, kind))
    }

    /// Asks a run to write a checkpoint and stop; the reason if that makes no sense.
    pub fn stop(&self, run: usize) -> Result<(), String> {
        let shelf = self.shelves.get(run).ok_or("there is no such run")?;
        match Status::read(&shelf.root) {
            Some(Status { state: RunState::Running, .. }) => {
                ask_to_stop(&shelf.root).map_err(|error| error.to_string())
            }
            _ => Err("this run is not going".into()),
        }
    }
}

impl Shelf {
    /// The runs of a folder: those of a comparison one by one if the viewer's files are there, else as the one
    /// that its pictures show.
    fn of(root: &Path, record: &RunRecord) -> Vec<Self> {
        let one = |folder: PathBuf, label, tables| Self { root: root.to_owned(), folder, label, tables };
        if record.compare.is_none() {
            return vec![one(root.to_owned(), None, vec![("", root.join("stats.csv"))])];
        }
        let members = ["sealed", "separating"].map(|label| (label, root.join(label)));
        if members.iter().all(|(_, folder)| folder.join("view/scene.gz").is_file()) {
            let shelf = |(label, folder): (_, PathBuf)| {
                let table = (label, folder.join("stats.csv"));
                one(folder, Some(label), vec![table])
            };
            return members.into_iter().map(shelf).collect();
        }
        let tables = members.map(|(label, folder)| (label, folder.join("stats.csv"))).to_vec();
        vec![one(root.to_owned(), None, tables)]
    }

    fn place(&self, item: Item) -> Option<(PathBuf, &'static str)> {
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

    fn look(&self, id: usize) -> Value {
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

/// The numbers of the files `NNNN.extension` as ranges, both ends included.
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
