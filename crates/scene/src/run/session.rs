//! The runs of a folder, driven together: one, or two that are compared and shown side by side.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use unstick_gpu::Placement;

use super::compare::Variant;
use super::finish::{Finished, finish};
use super::group::{BuiltGroup, Group};
use super::shared::SharedBy;
use super::stepper::{AnyRunScene, DeviceWork, StepRecord, Value};
use super::{Comparison, Progress, RunError, RunFolder, RunRecord, RunState, StatusWriter};
use crate::dimension::PlaneOrSpace;
use crate::either;
use crate::file::{SceneError, SceneFile};
use crate::frame::Frame;

/// What is to be run, and where.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The scene, with everything set.
    pub file: SceneFile,
    /// What to compare it with. To resume, none means what was compared before.
    pub compare: Option<Comparison>,
    /// The run folder; none to write nothing.
    pub folder: Option<RunFolder>,
    /// Go on with what is in the folder.
    pub resume: bool,
    /// Replace an older run in the folder.
    pub force: bool,
    /// Bytes of memory that are free, where that is known.
    pub memory: Option<u64>,
    /// What the machine is, for `run.json`.
    pub machine: serde_json::Value,
    /// The ranks that share the run; none if one process runs it.
    pub shared_by: Option<SharedBy>,
}

/// What there is to see of a run, in the plane or in space.
pub type AnyFrame = PlaneOrSpace<Arc<Frame<2>>, Arc<Frame<3>>>;

/// The runs of a request: frames are computed one by one, pictures and the status are kept up to date.
///
/// ```
/// use std::sync::Arc;
/// use unstick_scene::SceneFile;
/// use unstick_scene::run::{RunRequest, Session};
///
/// let mut file = SceneFile::find("dam-break")?;
/// file.set("grid.cells=[24,24]")?;
/// file.set("time.frames=2")?;
/// let stop = Arc::default();
/// let mut session = Session::open(RunRequest::new(file), Arc::clone(&stop))?;
/// session.run(&stop, |frame, _notes| println!("frame {frame} is there"))?;
/// assert_eq!(session.number(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session {
    runs: PlaneOrSpace<Group<2>, Group<3>>,
    folder: Option<RunFolder>,
    record: RunRecord,
    placement: Placement,
    work_of_device: DeviceWork,
    warnings: Vec<String>,
    notes: Vec<String>,
    status: Option<StatusWriter>,
}

impl RunRequest {
    /// Runs a scene without a folder.
    pub fn new(file: SceneFile) -> Self {
        let (machine, shared_by) = (serde_json::Value::Null, None);
        Self { file, compare: None, folder: None, resume: false, force: false, memory: None, machine, shared_by }
    }

    /// The scene of one of the runs.
    pub(super) fn scene_of(&self, variant: &Variant) -> Result<AnyRunScene, SceneError> {
        match &self.shared_by {
            None => variant.scene(),
            Some(by) => AnyRunScene::shared(&variant.file, by),
        }
    }

    /// What is compared: what is asked for, or what the run that is resumed has compared.
    fn comparison(&self) -> Result<Option<Comparison>, RunError> {
        let Some(folder) = self.folder.as_ref().filter(|_| self.resume) else { return Ok(self.compare.clone()) };
        let before = RunRecord::read(folder)?.compare;
        match &self.compare {
            Some(asked) if before.as_ref() != Some(asked) => {
                let folder = folder.path().to_owned();
                Err(RunError::OtherComparison { folder, asked: asked.clone(), before })
            }
            _ => Ok(before),
        }
    }
}

impl Session {
    /// Refuses what cannot be done, then builds all simulations, then writes the first files. `stop` is raised when
    /// somebody who watches the folder asks for it.
    pub fn open(request: RunRequest, stop: Arc<AtomicBool>) -> Result<Self, RunError> {
        Self::open_after(request, stop, || ())
    }

    /// The same. `before_writing` is called when the scene is read and, unless a run is resumed, all simulations are built.
    /// Until then a process may end at any moment and leaves nothing behind.
    pub fn open_after(
        request: RunRequest,
        stop: Arc<AtomicBool>,
        before_writing: impl FnOnce(),
    ) -> Result<Self, RunError> {
        let scene = request.scene_of(&Variant::only(request.file.clone()))?;
        let compare = request.comparison()?;
        if let Some(folder) = request.folder.as_ref().filter(|_| !request.resume) {
            folder.check(request.force)?;
        }
        let variants = match &compare {
            None => vec![Variant::only(request.file.clone())],
            Some(comparison) => comparison.variants(&request.file)?.into(),
        };
        let mut record = RunRecord::of(&request.file, &scene, request.machine.clone());
        record.compare = compare;
        let placement = either!(&scene, scene => scene.physics.placement())?;
        if let Some(machine) = record.machine.as_object_mut() {
            machine.insert("pressure_on".into(), placement.to_string().into());
        }
        let work_of_device = either!(&scene, scene => scene.physics.work_of_device());
        let warnings = either!(&scene, scene => scene.warnings.clone());
        let mut notes = Vec::new();
        let runs = match scene {
            AnyRunScene::Plane(scene) => {
                let built = BuiltGroup::of(&request, &scene, &variants, AnyRunScene::plane)?;
                before_writing();
                PlaneOrSpace::Plane(built.open(&request, &record, &variants, &mut notes)?)
            }
            AnyRunScene::Space(scene) => {
                let built = BuiltGroup::of(&request, &scene, &variants, AnyRunScene::space)?;
                before_writing();
                PlaneOrSpace::Space(built.open(&request, &record, &variants, &mut notes)?)
            }
        };
        let number = either!(&runs, runs => runs.number());
        let begin = |folder: &RunFolder| StatusWriter::begin(folder, number, record.frames, stop);
        let status = request.folder.as_ref().map(begin).transpose()?;
        Ok(Self { runs, folder: request.folder, record, placement, work_of_device, warnings, notes, status })
    }

    /// The last frame that all runs have completed.
    pub fn number(&self) -> usize {
        either!(&self.runs, runs => runs.number())
    }

    /// The last frame there will be.
    pub fn frames(&self) -> usize {
        self.record.frames
    }

    /// Whether all frames are there.
    pub fn is_finished(&self) -> bool {
        self.number() >= self.frames()
    }

    /// What was run.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Where the pressure is solved for.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// What a user should know before it runs.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What did not go as it should have since this was last asked, though nothing is lost.
    pub fn take_notes(&mut self) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.notes);
        let failures = either!(&mut self.runs, runs => runs.take_device_failures());
        notes.extend(failures.into_iter().map(|reason| format!("{reason}; the processor goes on")));
        notes
    }

    /// What is going to happen, in a line.
    pub fn headline(&self) -> String {
        let cells = self.record.cells.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
        let bodies = match either!(&self.runs, runs => runs.bodies()) {
            0 => String::new(),
            1 => ", one body".into(),
            count => format!(", {count} bodies"),
        };
        let beside = match either!(&self.runs, runs => runs.labels()) {
            [one, other] => format!(", {one} and {other} side by side"),
            _ => String::new(),
        };
        let pressure = match &self.placement {
            Placement::Cpu(None) => String::new(),
            Placement::Gpu(_) => format!(", {} on {}", self.work_of_device, self.placement),
            placement => format!(", pressure on {placement}"),
        };
        format!("{}: {cells} cells{bodies}, {} frames{beside}{pressure}", self.record.title, self.record.frames)
    }

    /// Computes the next frame. A run that is ahead of another waits for it.
    pub fn advance(&mut self, stop: &AtomicBool) -> Result<Progress, RunError> {
        let progress = either!(&mut self.runs, runs => runs.advance(stop))?;
        self.status.as_ref().map_or(Ok(()), |status| status.reached(self.number()))?;
        Ok(progress)
    }

    /// Computes frames until all are there or `stop` is raised. `reached` gets the number of each frame and what did not
    /// go as it should have. An error ends the run; what there is up to there is made into a movie and a report first.
    pub fn run(&mut self, stop: &AtomicBool, mut reached: impl FnMut(usize, Vec<String>)) -> Result<(), RunError> {
        while !self.is_finished() {
            match self.advance(stop) {
                Ok(progress) => {
                    let notes = self.take_notes();
                    reached(self.number(), notes);
                    if progress == Progress::Interrupted {
                        break;
                    }
                }
                Err(error) => {
                    let _ = self.end(RunState::Failed); // the error matters more than the pictures
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Joins the pictures to a movie, writes the report and leaves the folder to others; none without a folder.
    pub fn finish(&mut self) -> Result<Option<Finished>, RunError> {
        self.end(if self.is_finished() { RunState::Finished } else { RunState::Stopped })
    }

    fn end(&mut self, state: RunState) -> Result<Option<Finished>, RunError> {
        let drawn = either!(&mut self.runs, runs => runs.finish_frames());
        let Some(folder) = &self.folder else { return Ok(None) };
        let members = either!(&mut self.runs, runs => runs.members());
        let finished = finish(folder, &self.record, &self.placement, &members);
        if let Some(status) = self.status.take() {
            status.end(state, self.number())?;
        }
        either!(&mut self.runs, runs => runs.leave_folder());
        drawn?;
        finished.map(Some)
    }

    /// Writes checkpoints of all runs.
    pub fn checkpoint(&mut self) -> Result<(), RunError> {
        either!(&mut self.runs, runs => runs.checkpoint())
    }

    /// Waits until the data files of all frames up to now are written. Otherwise the next frame is computed meanwhile.
    pub fn finish_files(&mut self) -> Result<(), RunError> {
        either!(&mut self.runs, runs => runs.finish_files())
    }

    /// What there is to see now, of the first run.
    pub fn frame(&mut self) -> AnyFrame {
        match &mut self.runs {
            PlaneOrSpace::Plane(runs) => PlaneOrSpace::Plane(runs.frame()),
            PlaneOrSpace::Space(runs) => PlaneOrSpace::Space(runs.frame()),
        }
    }

    /// The steps of the first run since the frame before, and the names of their values.
    pub fn steps(&self) -> (Vec<String>, &[StepRecord]) {
        either!(&self.runs, runs => runs.steps())
    }

    /// What can be said of the first run before its first step.
    pub fn summary(&self) -> Vec<(&'static str, Value)> {
        either!(&self.runs, runs => runs.summary())
    }
}
