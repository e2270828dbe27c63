//! `run.json`: what was run, by what, on what.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use unstick_files::{read_bounded, write_atomic};
use unstick_liquid::Wall;

use super::{AnyRunScene, Comparison, RunError, RunFolder, RunScene};
use crate::either;
use crate::file::{SceneError, SceneFile};

/// The most bytes of a record: the scene is in it, and its meshes and tables are not.
const LONGEST: u64 = 1 << 26;

/// What was run, by what, on what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRecord {
    /// Version of the program.
    pub unstick: String,
    /// Bare name of the scene.
    pub scene: String,
    /// For people.
    pub title: String,
    /// The scene as it was used, everything set included.
    pub toml: String,
    /// Where its meshes lie.
    pub folder: PathBuf,
    /// The kind of all walls, where the scene's own were overruled.
    pub walls: Option<Wall>,
    /// What is compared, if two runs are.
    #[serde(default)]
    pub compare: Option<Comparison>,
    /// What tells this run from the other one of a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Cells along each axis.
    pub cells: Vec<usize>,
    /// Edge length of a cell; zero if cells are stretched.
    #[serde(default)]
    pub spacing: f64,
    /// Lower corner of the lattice; empty if cells are stretched.
    #[serde(default)]
    pub origin: Vec<f64>,
    /// Frames after the first.
    pub frames: usize,
    /// Seconds from frame to frame.
    pub frame_seconds: f64,
    /// Seed of what is random.
    pub seed: u64,
    /// Threads that computed.
    pub threads: usize,
    /// What the machine is, as far as the caller knows.
    pub machine: serde_json::Value,
}

impl RunRecord {
    /// The record of a scene.
    pub fn of(file: &SceneFile, scene: &AnyRunScene, machine: serde_json::Value) -> Self {
        either!(scene, scene => Self::new(file, scene, machine))
    }

    fn new<const D: usize>(file: &SceneFile, scene: &RunScene<D>, machine: serde_json::Value) -> Self {
        let is_stretched = scene.style.flow.is_some();
        Self {
            unstick: env!("CARGO_PKG_VERSION").into(),
            scene: file.name().into(),
            title: scene.title.clone(),
            toml: file.to_toml(),
            folder: std::path::absolute(file.folder()).unwrap_or_else(|_| file.folder().into()),
            walls: None,
            compare: None,
            label: None,
            cells: scene.cells.clone(),
            spacing: if is_stretched { 0.0 } else { scene.grid.spacing() },
            origin: if is_stretched { Vec::new() } else { scene.grid.origin().to_vec() },
            frames: scene.frames,
            frame_seconds: scene.frame_seconds,
            seed: scene.seed,
            threads: rayon::current_num_threads(),
            machine,
        }
    }

    /// Writes it into a run folder.
    pub fn write(&self, folder: &RunFolder) -> Result<(), RunError> {
        let path = folder.record();
        let broken = |error: serde_json::Error| RunError::Record { path: path.clone(), reason: error.to_string() };
        let text = serde_json::to_string_pretty(self).map_err(broken)? + "\n";
        write_atomic(&path, text.as_bytes()).map_err(RunError::file(&path))
    }

    /// Reads the record of a run folder.
    pub fn read(folder: &RunFolder) -> Result<Self, RunError> {
        let path = folder.record();
        let text = match read_bounded(&path, LONGEST) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(RunError::NoRun(folder.path().to_owned()));
            }
            Err(error) => return Err(RunError::file(&path)(error)),
        };
        serde_json::from_slice(&text).map_err(|error| RunError::Record { path, reason: error.to_string() })
    }

    /// The scene as it was used.
    pub fn scene_file(&self, folder: &RunFolder) -> Result<SceneFile, SceneError> {
        let origin = folder.record().display().to_string();
        SceneFile::parse(&self.scene, &origin, &self.toml, &self.folder)
    }

    /// A hash of what decides how the liquid moves.
    pub(super) fn physics(&self, folder: &RunFolder) -> Result<[u8; 32], RunError> {
        let text = format!("{}\nwalls = {:?}\n", self.scene_file(folder)?.physics(), self.walls);
        Ok(*blake3::hash(text.as_bytes()).as_bytes())
    }
}
