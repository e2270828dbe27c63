//! A simulation that is computed frame by frame.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use unstick_gpu::Placement;
use unstick_liquid::{Simulation, StepReport};
use unstick_scene::run::{self, Beacon, Finished, Progress, Run, RunError, RunRecord, RunState};
use unstick_scene::sink::{Look, PictureSink};
use unstick_scene::{AnyScene, Dim, Dimension, Scene, SceneFile};

use crate::error::Exception;
use crate::frame::{Frame, Moment, Outline};
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
    play: Mutex<Box<dyn Play>>,
}

impl Player {
    /// Checks everything and builds the simulation.
    pub fn start(file: &SceneFile, memory: Option<u64>, folder: Option<Folder>) -> Result<Self, RunError> {
        let scene = file.scene()?;
        let placement = scene.placement()?;
        let record = RunRecord::of(file, &scene, machine(&placement));
        let play = match scene {
            AnyScene::Plane(scene) => begin(scene, record, placement, memory, folder)?,
            AnyScene::Space(scene) => begin(scene, record, placement, memory, folder)?,
        };
        Ok(Self { play: Mutex::new(play) })
    }

    /// Work that panicked has left its state behind; the next step will tell.
    fn lock(&self) -> MutexGuard<'_, Box<dyn Play>> {
        self.play.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Player {
    /// The last whole frame.
    #[getter]
    fn number(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().number())
    }

    /// What there is to see now.
    fn show(&self, py: Python<'_>) -> Frame {
        py.detach(|| self.lock().show())
    }

    /// Computes the next frame; Ctrl-C is heeded after every step, and nothing of it is lost.
    fn advance(&self, py: Python<'_>) -> PyResult<Frame> {
        interruptibly(py, |stop| self.lock().advance(stop))?.map_err(Exception::from)?;
        if py.detach(|| self.lock().is_to_stop()).map_err(Exception::from)? {
            return Err(PyKeyboardInterrupt::new_err(
                "whoever watches the run asked it to stop; a checkpoint is written",
            ));
        }
        Ok(self.show(py))
    }

    /// Writes movie and report of a run folder; returns their paths and what did not go as it should have.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<FilesAndNotes>> {
        let finished = py.detach(|| self.lock().finish()).map_err(Exception::from)?;
        Ok(finished.map(|Finished { movie, report, notes, .. }| (movie, report, notes)))
    }
}

/// A simulation of either dimension.
trait Play: Send {
    fn number(&self) -> usize;
    fn show(&mut self) -> Frame;
    fn advance(&mut self, stop: &AtomicBool) -> Result<(), RunError>;
    /// Whether whoever watches has asked for the end; then a checkpoint is written.
    fn is_to_stop(&self) -> Result<bool, RunError>;
    fn finish(&mut self) -> Result<Option<Finished>, RunError>;
}

/// A simulation, and the steps since the last frame.
struct Playing<const D: usize> {
    stage: Stage<D>,
    look: Look,
    steps: Vec<StepReport>,
}

enum Stage<const D: usize> {
    Alone { scene: Box<Scene<D>>, simulation: Box<Simulation<D>>, frame: usize },
    InFolder { run: Box<Run<D>>, record: Box<RunRecord>, placement: Placement, seen: Seen },
}

/// What those who watch a run folder are told, and what they ask for.
struct Seen {
    /// None when the run is over.
    beacon: Option<Beacon>,
    is_to_stop: Arc<AtomicBool>,
}

fn begin<const D: usize>(
    scene: Scene<D>,
    record: RunRecord,
    placement: Placement,
    memory: Option<u64>,
    folder: Option<Folder>,
) -> Result<Box<dyn Play>, RunError>
where
    Dim<D>: Dimension<D>,
    Moment<D>: Outline,
{
    if let Some(available) = memory {
        scene.check_memory(available)?;
    }
    let look = Look::of(&scene);
    let stage = match folder {
        None => {
            let simulation = Box::new(scene.simulation()?);
            Stage::Alone { scene: Box::new(scene), simulation, frame: 0 }
        }
        Some(folder) => {
            let run = Box::new(open(scene, &record, &look, &folder)?);
            let is_to_stop = Arc::<AtomicBool>::default();
            let beacon = Beacon::light(&folder.path, run.frame(), run.scene().frames, is_to_stop.clone())?;
            let seen = Seen { beacon: Some(beacon), is_to_stop };
            Stage::InFolder { run, record: Box::new(record), placement, seen }
        }
    };
    Ok(Box::new(Playing { stage, look, steps: Vec::new() }))
}

/// A run in a folder, as `unstick run` begins or resumes it.
fn open<const D: usize>(scene: Scene<D>, record: &RunRecord, look: &Look, folder: &Folder) -> Result<Run<D>, RunError>
where
    Dim<D>: Dimension<D>,
{
    let mut run = if folder.resume {
        Run::resume(scene, record, &folder.path)?.0
    } else {
        run::check_folder(&folder.path, folder.force)?;
        let simulation = scene.simulation()?;
        run::prepare_folder(&folder.path, folder.force)?;
        Run::create(scene, simulation, record, &folder.path)?
    };
    run.add_data_sinks()?;
    if run.scene().output.frames {
        let pictures = folder.path.join("frames");
        std::fs::create_dir_all(&pictures).map_err(|source| RunError::File { path: pictures.clone(), source })?;
        run.add_sink(PictureSink { folder: pictures, look: look.clone() });
    }
    if run.frame() == 0 && run.is_at_frame() {
        let _ = run.show()?;
    }
    Ok(run)
}

impl<const D: usize> Play for Playing<D>
where
    Dim<D>: Dimension<D>,
    Moment<D>: Outline,
{
    fn number(&self) -> usize {
        match &self.stage {
            Stage::Alone { frame, .. } => *frame,
            Stage::InFolder { run, .. } => run.frame(),
        }
    }

    fn show(&mut self) -> Frame {
        let number = self.number();
        let simulation = match &self.stage {
            Stage::Alone { simulation, .. } => simulation,
            Stage::InFolder { run, .. } => run.simulation(),
        };
        Frame::new(Moment::of(simulation, number, &self.look), simulation, std::mem::take(&mut self.steps))
    }

    fn advance(&mut self, stop: &AtomicBool) -> Result<(), RunError> {
        let steps = &mut self.steps;
        match &mut self.stage {
            Stage::Alone { scene, simulation, frame } => {
                let target = (*frame + 1) as f64 * scene.frame;
                while let Some(dt) = simulation.next_step(target) {
                    if stop.load(Ordering::Relaxed) {
                        return Ok(()); // whoever raised the flag raises an exception too
                    }
                    steps.push(simulation.advance(dt)?);
                }
                *frame += 1;
                Ok(())
            }
            Stage::InFolder { run, seen, .. } => {
                let _: Progress = run.advance_with(stop, |report| steps.push(report.clone()))?;
                seen.beacon.as_ref().map_or(Ok(()), |beacon| beacon.reached(run.frame()))
            }
        }
    }

    fn is_to_stop(&self) -> Result<bool, RunError> {
        match &self.stage {
            Stage::InFolder { run, seen, .. } if seen.is_to_stop.load(Ordering::Relaxed) => {
                run.checkpoint().map(|()| true)
            }
            _ => Ok(false),
        }
    }

    fn finish(&mut self) -> Result<Option<Finished>, RunError> {
        let Stage::InFolder { run, record, placement, seen } = &mut self.stage else { return Ok(None) };
        let finished = run::finish(run.folder(), record, placement, &[("", &**run)])?;
        if let Some(beacon) = seen.beacon.take() {
            let is_whole = run.frame() >= run.scene().frames;
            beacon.end(if is_whole { RunState::Finished } else { RunState::Stopped }, run.frame())?;
        }
        Ok(Some(finished))
    }
}

/// What `run.json` says of the machine.
fn machine(placement: &Placement) -> serde_json::Value {
    serde_json::json!({
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "pressure_on": placement.to_string(),
        "from": "python",
    })
}
