//! `run.json`: what was run, by what, on what.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use unstick_liquid::Wall;

use super::RunError;
use crate::file::{SceneError, SceneFile};
use crate::scene::AnyScene;
use crate::viscous::AnyViscousScene;
use unstick_files::write_atomic;

/// The name of the file.
const NAME: &str = "run.json";

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
    /// The two kinds of walls that are compared, if they are.
    #[serde(default)]
    pub compare: Option<Wall>,
    /// Cells along each axis.
    pub cells: Vec<usize>,
    /// Edge length of a cell.
    #[serde(default)]
    pub spacing: f64,
    /// Lower corner of the lattice.
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
    pub fn of(file: &SceneFile, scene: &AnyScene, machine: serde_json::Value) -> Self {
        let (frames, frame_seconds, seed) = match scene {
            AnyScene::Plane(scene) => (scene.frames, scene.frame, scene.setup.seed),
            AnyScene::Space(scene) => (scene.frames, scene.frame, scene.setup.seed),
        };
        let (spacing, origin) = match scene {
            AnyScene::Plane(scene) => (scene.setup.grid.spacing(), scene.setup.grid.origin().to_vec()),
            AnyScene::Space(scene) => (scene.setup.grid.spacing(), scene.setup.grid.origin().to_vec()),
        };
        let (title, cells) = (scene.title(), scene.cells());
        Self { seed, spacing, origin, ..Self::new(file, title, cells, (frames, frame_seconds), machine) }
    }

    /// The record of a scene of viscous flow.
    pub fn of_viscous(file: &SceneFile, scene: &AnyViscousScene, machine: serde_json::Value) -> Self {
        Self::new(file, scene.title(), scene.cells(), scene.frames(), machine)
    }

    fn new(
        file: &SceneFile,
        title: &str,
        cells: Vec<usize>,
        (frames, frame_seconds): (usize, f64),
        machine: serde_json::Value,
    ) -> Self {
        Self {
            unstick: env!("CARGO_PKG_VERSION").into(),
            scene: file.name().into(),
            title: title.into(),
            toml: file.to_toml(),
            folder: std::path::absolute(file.folder()).unwrap_or_else(|_| file.folder().into()),
            walls: None,
            compare: None,
            cells,
            spacing: 0.0,
            origin: Vec::new(),
            frames,
            frame_seconds,
            seed: 0,
            threads: rayon::current_num_threads(),
            machine,
        }
    }

    /// Writes it into a run folder.
    pub fn write(&self, run: &Path) -> Result<(), RunError> {
        let path = run.join(NAME);
        let broken = |error: serde_json::Error| RunError::Record { path: path.clone(), reason: error.to_string() };
        let text = serde_json::to_string_pretty(self).map_err(broken)? + "\n";
        write_atomic(&path, text.as_bytes()).map_err(RunError::file(&path))
    }

    /// Reads that of a run folder.
    pub fn read(run: &Path) -> Result<Self, RunError> {
        let path = run.join(NAME);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(RunError::NoCheckpoint { folder: run.to_owned(), reasons: Vec::new() });
            }
            Err(error) => return Err(RunError::file(&path)(error)),
        };
        serde_json::from_str(&text).map_err(|error| RunError::Record { path, reason: error.to_string() })
    }

    /// The scene as it was used.
    pub fn scene_file(&self, run: &Path) -> Result<SceneFile, SceneError> {
        let origin = run.join(NAME).display().to_string();
        SceneFile::parse(&self.scene, &origin, &self.toml, &self.folder)
    }
}
