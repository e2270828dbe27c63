//! Scenes: text in, checked, changed key by key.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use unstick_scene::run::{AnyRunScene, RunScene};
use unstick_scene::{self as scenes, SceneError, either};

use crate::error::Exception;
use crate::player::{Folder, Player};
use crate::stepper::Stepper;

/// What errors call a value that was set, here as on the command line.
pub const SET: &str = "--set";

/// A scene as text with whatever was set, not yet understood.
#[pyclass(module = "unstick._unstick")]
#[derive(Clone)]
pub struct SceneFile {
    file: scenes::SceneFile,
}

#[pymethods]
impl SceneFile {
    /// A scene of the catalogue by its bare name, or a file by its path.
    #[staticmethod]
    fn find(name: &str) -> PyResult<Self> {
        Ok(Self { file: scenes::SceneFile::find(name).map_err(Exception::from)? })
    }

    /// A text; errors call it `origin`, meshes are looked for in `folder`.
    #[staticmethod]
    fn parse(name: &str, origin: &str, text: &str, folder: PathBuf) -> PyResult<Self> {
        Ok(Self { file: scenes::SceneFile::parse(name, origin, text, &folder).map_err(Exception::from)? })
    }

    /// Where meshes are looked for.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.file.folder().to_owned()
    }

    /// Builds a simulation that is stepped from outside, at its beginning or at a stored state.
    fn begin(&self, py: Python<'_>, memory: Option<u64>, state: Option<&[u8]>) -> PyResult<Stepper> {
        let file = &self.file;
        Ok(py.detach(|| Stepper::begin(file, memory, state))?)
    }

    fn copy(&self) -> Self {
        self.clone()
    }

    #[getter]
    fn name(&self) -> &str {
        self.file.name()
    }

    /// All of it as TOML, without comments.
    fn to_toml(&self) -> String {
        self.file.to_toml()
    }

    /// Changes one value, `key=value`, unless it is that value which is wrong. What else may be wrong is left
    /// to [`check`](Self::check): a change of several values leads through scenes that make no sense.
    fn set(&mut self, assignment: &str) -> PyResult<()> {
        let mut file = self.file.clone();
        file.set(assignment).map_err(Exception::from)?;
        if let Err(error) = AnyRunScene::of(&file, None)
            && is_about(&error, assignment)
        {
            return Err(Exception::from(error).into());
        }
        self.file = file;
        Ok(())
    }

    /// Checks everything; returns what can be said without running it.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        either!(AnyRunScene::of(&self.file, None).map_err(Exception::from)?, scene => facts(py, &scene))
    }

    /// Builds the simulation, which takes no more than `memory` bytes; writes a run folder where one is named.
    fn play(
        &self,
        py: Python<'_>,
        memory: Option<u64>,
        folder: Option<PathBuf>,
        resume: bool,
        force: bool,
    ) -> PyResult<Player> {
        let folder = folder.map(|path| Folder { path, resume, force });
        let file = &self.file;
        Ok(py.detach(|| Player::start(file, memory, folder)).map_err(Exception::from)?)
    }
}

fn facts<'py, const D: usize>(py: Python<'py>, scene: &RunScene<D>) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("dimension", D)?;
    facts.set_item("title", &scene.title)?;
    facts.set_item("description", &scene.description)?;
    facts.set_item("cells", &scene.cells)?;
    facts.set_item("spacing", scene.grid.spacing())?;
    facts.set_item("origin", scene.grid.origin().to_vec())?;
    facts.set_item("frames", scene.frames)?;
    facts.set_item("frame", scene.frame_seconds)?;
    Ok(facts)
}

fn is_about(error: &SceneError, assignment: &str) -> bool {
    error.place.as_ref().is_some_and(|place| place.source.name == SET && place.source.text == assignment)
}
