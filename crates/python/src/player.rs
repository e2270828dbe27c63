//! A simulation that is computed frame by frame.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use unstick_scene::draw::PictureStyle;
use unstick_scene::run::{AnyRunScene, Finished, RunError, RunFolder, RunRequest, Session};
use unstick_scene::{SceneFile, either};

use crate::error::Exception;
use crate::frame::Frame;
use crate::wait::interruptibly;

/// A run folder to be written.
pub struct Folder {
    pub path: PathBuf,
    /// Go on with what is in it.
    pub resume: bool,
    /// Replace what is in it.
    pub force: bool,
}

/// Movie, report, and what did not go as it should have.
type FilesAndNotes = (Option<PathBuf>, PathBuf, Vec<String>);

/// A simulation at work, in the plane or in space, with or without a folder.
#[pyclass(frozen, module = "unstick._unstick")]
pub struct Player {
    session: Mutex<Session>,
    style: PictureStyle,
    /// Raised when somebody who watches the run folder asks for the end.
    is_to_stop: Arc<AtomicBool>,
}

impl Player {
    /// Checks everything and builds the simulation.
    pub fn start(file: &SceneFile, memory: Option<u64>, folder: Option<Folder>) -> Result<Self, RunError> {
        let style = either!(AnyRunScene::of(file, None)?, scene => scene.style);
        let (resume, force) = folder.as_ref().map_or((false, false), |folder| (folder.resume, folder.force));
        let folder = folder.map(|folder| RunFolder::new(folder.path));
        let request = RunRequest { folder, resume, force, memory, machine: machine(), ..RunRequest::new(file.clone()) };
        let is_to_stop = Arc::<AtomicBool>::default();
        let session = Mutex::new(Session::open(request, is_to_stop.clone())?);
        Ok(Self { session, style, is_to_stop })
    }

    /// Work that panicked has left its state behind; the next step will tell.
    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Player {
    /// The last complete frame.
    #[getter]
    fn number(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().number())
    }

    /// What there is to see now. Its data files are written.
    fn show(&self, py: Python<'_>) -> PyResult<Frame> {
        py.detach(|| {
            let mut session = self.lock();
            session.finish_files()?;
            Ok(Frame::of(&mut session, &self.style))
        })
        .map_err(|error: RunError| Exception::from(error).into())
    }

    /// Computes the next frame. Ctrl-C is heeded after every step, and nothing of the frame is lost.
    fn advance(&self, py: Python<'_>) -> PyResult<Frame> {
        interruptibly(py, |stop| self.lock().advance(stop))?.map_err(Exception::from)?;
        if self.is_to_stop.load(Ordering::Relaxed) {
            py.detach(|| self.lock().checkpoint()).map_err(Exception::from)?;
            return Err(PyKeyboardInterrupt::new_err(
                "whoever watches the run asked it to stop; a checkpoint is written",
            ));
        }
        self.show(py)
    }

    /// Writes movie and report of a run folder; returns their paths and what did not go as it should have.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<FilesAndNotes>> {
        let finish = || {
            let mut session = self.lock();
            let mut notes = session.take_notes();
            session.finish().map(|finished| {
                finished.map(|Finished { movie, report, notes: more, .. }| {
                    notes.extend(more);
                    (movie, report, notes)
                })
            })
        };
        Ok(py.detach(finish).map_err(Exception::from)?)
    }
}

/// What `run.json` says of the machine.
fn machine() -> serde_json::Value {
    serde_json::json!({
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "from": "python",
    })
}
