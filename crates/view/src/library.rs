//! The runs that are shown, and the files they are made of.

use std::fs::File;
use std::path::PathBuf;

use serde_json::{Value, json};
use unstick_scene::run::{RunFolder, RunRecord, RunState, RunStatus, ask_to_stop};
use unstick_scene::sink::view::LAYERS;

use crate::error::ViewError;

/// The runs that are shown.
#[derive(Debug, Default)]
pub struct Library {
    runs: Vec<ShownRun>,
}

/// One run. The two of a comparison lie in one folder, which is the `root` of both.
#[derive(Debug)]
struct ShownRun {
    /// The folder that was named, without links: nothing outside of it is served.
    root: RunFolder,
    /// Where the run lies.
    folder: RunFolder,
    /// What tells it from the other run of a comparison.
    label: Option<String>,
    /// Its tables of statistics.
    tables: Vec<Table>,
}

/// A table of statistics.
#[derive(Debug)]
struct Table {
    label: String,
    path: PathBuf,
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
        let mut runs = Vec::new();
        for folder in folders {
            let refuse = |reason: String| ViewError::NoRun { folder: folder.clone(), reason };
            let root = RunFolder::new(folder.canonicalize().map_err(|error| refuse(error.to_string()))?);
            if !root.record().is_file() {
                return Err(refuse("it holds no run.json".into()));
            }
            let record = RunRecord::read(&root).map_err(|error| refuse(error.to_string()))?;
            runs.extend(ShownRun::of(&root, &record));
        }
        Ok(Self { runs })
    }

    /// What there is now, of all runs.
    pub fn state(&self) -> Value {
        Value::Array(self.runs.iter().enumerate().map(|(id, run)| run.state(id)).collect())
    }

    /// A file of a run with its type; none if it is not there, or leads out of the folder.
    pub fn open_item(&self, run: usize, item: Item) -> Option<(File, &'static str)> {
        let run = self.runs.get(run)?;
        let (path, kind) = run.place(item)?;
        let path = path.canonicalize().ok().filter(|path| path.starts_with(run.root.path()) && path.is_file())?;
        Some((File::open(path).ok()?, kind))
    }

    /// Asks a run to write a checkpoint and stop; the reason if that makes no sense.
    pub fn stop(&self, run: usize) -> Result<(), String> {
        let run = self.runs.get(run).ok_or("there is no such run")?;
        match RunStatus::read(&run.root) {
            Some(RunStatus { state: RunState::Running, .. }) => {
                ask_to_stop(&run.root).map_err(|error| error.to_string())
            }
            _ => Err("this run is not going".into()),
        }
    }
}

impl ShownRun {
    /// The runs of a folder: those of a comparison one by one if the viewer's files are there, else as the one
    /// that its pictures show.
    fn of(root: &RunFolder, record: &RunRecord) -> Vec<Self> {
        let table = |label: &str, folder: &RunFolder| Table { label: label.into(), path: folder.stats() };
        let one = |tables| Self { root: root.clone(), folder: root.clone(), label: None, tables };
        let Some(comparison) = &record.compare else { return vec![one(vec![table("", root)])] };
        let members = comparison.folders().map(|name| {
            let folder = root.member(name);
            let label = RunRecord::read(&folder).ok().and_then(|record| record.label);
            (label.unwrap_or_else(|| format!("{name} walls")), folder)
        });
        if members.iter().all(|(_, folder)| folder.view_scene().is_file()) {
            let run = |(label, folder): (String, RunFolder)| {
                let tables = vec![table(&label, &folder)];
                Self { root: root.clone(), folder, label: Some(label), tables }
            };
            return members.into_iter().map(run).collect();
        }
        vec![one(members.iter().map(|(label, folder)| table(label, folder)).collect())]
    }

    fn place(&self, item: Item) -> Option<(PathBuf, &'static str)> {
        Some(match item {
            Item::Scene => (self.folder.view_scene(), "application/octet-stream"),
            Item::Layer(layer, frame) => {
                (self.folder.view_layer(LAYERS.get(layer)?).path(frame), "application/octet-stream")
            }
            Item::Picture(frame) => (self.root.picture(frame), "image/png"),
            Item::Table(table) => (self.tables.get(table)?.path.clone(), "text/csv; charset=utf-8"),
            Item::Movie => {
                let movie = self.root.movie()?;
                let kind = if movie == self.root.movie_mp4() { "video/mp4" } else { "image/png" };
                (movie, kind)
            }
        })
    }

    fn state(&self, id: usize) -> Value {
        let problem = |reason: String| json!({ "id": id, "problem": reason, "label": self.label });
        let record = match RunRecord::read(&self.folder) {
            Ok(record) => record,
            Err(_) if !self.folder.record().exists() => return problem("The run is no longer there.".into()),
            Err(error) => return problem(format!("The run cannot be read: {error}")),
        };
        // The layers of a frame are written one after the other: only a frame that has them all can be shown.
        let layers = LAYERS.map(|layer| self.folder.view_layer(layer).numbers().unwrap_or_default());
        let whole: Vec<usize> = layers[0]
            .iter()
            .copied()
            .filter(|number| layers.iter().all(|layer| layer.binary_search(number).is_ok()))
            .collect();
        let pictures = self.root.pictures().numbers().unwrap_or_default();
        let size = |path: &PathBuf| path.metadata().map_or(0, |data| data.len());
        let name = |path: PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        json!({
            "id": id,
            "folder": name(self.root.path().to_owned()),
            "label": self.label,
            "title": record.title,
            "scene": record.scene,
            "walls": record.walls,
            "cells": record.cells,
            "frames": record.frames,
            "frame_seconds": record.frame_seconds,
            "whole": ranges(&whole),
            "pictures": ranges(&pictures),
            "tables": self.tables.iter().map(|table| json!({ "label": table.label, "bytes": size(&table.path) })).collect::<Vec<_>>(),
            "movie": self.root.movie().and_then(name),
            "status": RunStatus::read(&self.root),
        })
    }
}

/// Ascending numbers as ranges, both ends included.
fn ranges(numbers: &[usize]) -> Vec<[usize; 2]> {
    let mut ranges: Vec<[usize; 2]> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => ranges.push([number, number]),
        }
    }
    ranges
}
