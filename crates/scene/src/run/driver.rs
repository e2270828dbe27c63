//! The loop of every run: step to the next frame, note each step, show the frame, write checkpoints.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::background::Background;
use super::checkpoint::{self, Header, Restored, TakenCheckpoint};
use super::clock::{self, RunClock, Work};
use super::stepper::{RunScene, StepRecord, Stepper, Value};
use super::table::CsvTable;
use super::{FolderClaim, RunError, RunFolder, RunRecord};
use crate::coming::ComingFrame;
use crate::frame::Frame;
use crate::sink::view::ViewSink;
use crate::sink::{FrameSink, PieceSink, data_sinks, piece_sinks};
use crate::viscous::PathLines;

/// The shortest step that a run goes on with, as a part of a frame.
const LEAST_PART: f64 = 1e-6;

/// How a frame has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is complete.
    Frame,
    /// Asked to stop in the middle. With a folder, a checkpoint is written.
    Interrupted,
}

/// Whether a checkpoint is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    No,
    /// While the next frame is computed, if its state can be taken.
    InPassing,
    /// Before anything else happens.
    Now,
}

/// A simulation that is computed frame by frame, with or without a folder.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use unstick_scene::SceneFile;
/// use unstick_scene::run::{AnyRunScene, Run};
///
/// let mut file = SceneFile::find("dam-break")?;
/// file.set("grid.cells=[24,24]")?;
/// let AnyRunScene::Plane(scene) = AnyRunScene::of(&file, None)? else { unreachable!("a scene of the plane") };
/// let mut run = Run::begin(scene)?;
/// run.advance(&AtomicBool::new(false))?;
/// assert_eq!(run.frame().number, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Run<const D: usize> {
    scene: RunScene<D>,
    stepper: Box<dyn Stepper<D>>,
    /// The last complete frame.
    number: usize,
    /// What there is to see now, made when it is first asked for.
    frame: Option<Arc<ComingFrame<D>>>,
    /// Steps since the frame before.
    steps: Vec<StepRecord>,
    /// The step that was just taken: its line waits for the time that its frame takes.
    open_step: Option<StepRecord>,
    clock: RunClock,
    /// Steps that fell short of a tolerance.
    unconverged: usize,
    /// Those that were added from outside: they see a frame before the next step.
    sinks: Sinks<D>,
    /// Those that write files, in the background.
    file_sinks: Arc<Mutex<Sinks<D>>>,
    /// Whether there are any.
    writes_files: bool,
    /// What many processes write in pieces.
    pieces: Vec<PieceSink>,
    writing: Background,
    storing: Background,
    /// The state of the frame before, once the files of that frame are on disk.
    taken: Option<TakenCheckpoint>,
    files: Option<RunFiles>,
    due: Due,
    device_failure: Option<String>,
}

type Sinks<const D: usize> = Vec<Box<dyn FrameSink<D> + Send>>;

/// What a run keeps up to date in its folder.
struct RunFiles {
    claim: FolderClaim,
    stats: CsvTable,
    /// Paths of the bodies, if there are any.
    bodies: Option<CsvTable>,
    physics: [u8; 32],
}

impl RunFiles {
    /// Brings the lines of the tables to disk.
    fn sync_tables(&self) -> Result<(), RunError> {
        self.stats.sync()?;
        self.bodies.as_ref().map_or(Ok(()), CsvTable::sync)
    }
}

impl<const D: usize> Run<D> {
    /// Begins without a folder.
    pub fn begin(scene: RunScene<D>) -> Result<Self, RunError> {
        let stepper = scene.physics.begin()?;
        Ok(Self::at(scene, stepper, 0))
    }

    /// Continues a simulation that is at a frame, without a folder.
    pub(super) fn at(scene: RunScene<D>, stepper: Box<dyn Stepper<D>>, number: usize) -> Self {
        Self {
            scene,
            stepper,
            number,
            frame: None,
            steps: Vec::new(),
            open_step: None,
            clock: RunClock::start(),
            unconverged: 0,
            sinks: Vec::new(),
            file_sinks: Arc::default(),
            writes_files: false,
            pieces: Vec::new(),
            writing: Background::default(),
            storing: Background::default(),
            taken: None,
            files: None,
            due: Due::No,
            device_failure: None,
        }
    }

    /// Writes a run into a folder from its first frame on; [`RunFolder::prepare`] makes one.
    pub fn write_to(mut self, claim: FolderClaim, record: &RunRecord) -> Result<Self, RunError> {
        let folder = claim.folder().clone();
        record.write(&folder)?;
        self.open_tables(claim, record.physics(&folder)?, None)?;
        self.add_file_sinks(&folder)?;
        let _ = self.show()?;
        Ok(self)
    }

    /// Resumes from the newest sound checkpoint; says what is wrong with newer ones.
    pub fn resume(scene: RunScene<D>, claim: FolderClaim, record: &RunRecord) -> Result<(Self, Vec<String>), RunError> {
        let folder = &claim.folder().clone();
        let physics = record.physics(folder)?;
        let Restored { frame: number, stepper, notes, .. } = checkpoint::read(folder, &scene, physics)?;
        if scene.frames < number {
            let folder = folder.path().to_owned();
            return Err(RunError::EndsEarlier { folder, reached: number, asked: scene.frames });
        }
        let step = stepper.step();
        let mut run = Self::at(scene, stepper, number);
        run.open_tables(claim, physics, Some(step))?;
        folder.forget_frames_after(number)?;
        checkpoint::remove_old(folder)?;
        record.write(folder)?;
        run.add_file_sinks(folder)?;
        Ok((run, notes))
    }

    /// Begins the tables, or continues them after a step.
    fn open_tables(&mut self, claim: FolderClaim, physics: [u8; 32], after: Option<u64>) -> Result<(), RunError> {
        let folder = claim.folder();
        let stats = CsvTable::open(&folder.stats(), &self.columns().join(","), after)?;
        let open_bodies = || CsvTable::open(&folder.bodies(), &self.stepper.body_columns(), after);
        let bodies = (!self.scene.bodies.is_empty()).then(open_bodies).transpose()?;
        self.unconverged = stats.fell_short;
        self.files = Some(RunFiles { stats, bodies, physics, claim });
        Ok(())
    }

    /// Gives a sink every frame from now on.
    pub fn add_sink(&mut self, sink: impl FrameSink<D> + Send + 'static) {
        self.sinks.push(Box::new(sink));
    }

    /// Adds the sinks that the scene asks for: data files and the viewer's files. Removes files of later frames, which
    /// a run that is resumed has left.
    fn add_file_sinks(&mut self, folder: &RunFolder) -> Result<(), RunError> {
        let data = data_sinks(&self.scene, folder);
        data.iter().try_for_each(|sink| sink.begin(self.number))?;
        self.pieces = piece_sinks(&self.scene, folder);
        self.pieces.iter().try_for_each(|sink| sink.begin(self.number))?;
        folder.forget_data_after(self.number)?; // in formats that were asked for before
        let mut sinks: Sinks<D> = data.into_iter().map(|sink| Box::new(sink) as _).collect();
        if self.scene.is_viewed() {
            let frame = self.frame();
            sinks.push(Box::new(ViewSink::create(folder, &self.scene, &frame)?));
        }
        self.writes_files = !sinks.is_empty();
        self.file_sinks = Arc::new(Mutex::new(sinks));
        Ok(())
    }

    /// Computes the next frame and writes its files. When asked to stop, it finishes the step and writes a checkpoint.
    pub fn advance(&mut self, stop: &AtomicBool) -> Result<Progress, RunError> {
        let outcome = self.compute(stop);
        self.finish_files()?;
        self.write_due_checkpoint()?;
        outcome
    }

    /// The same without the checkpoint, which promises that all files of the frames up to it are on disk. Files of the
    /// frame are still being written. Who draws pictures of the run waits for them, then calls
    /// [`Self::write_due_checkpoint`].
    pub(super) fn compute(&mut self, stop: &AtomicBool) -> Result<Progress, RunError> {
        self.due = Due::No; // where files cannot be written, none may follow
        if self.is_at_frame() {
            self.steps.clear();
        }
        let time = (self.number + 1) as f64 * self.scene.frame_seconds;
        while let Some(length) = self.stepper.next_step(time) {
            self.frame = None;
            self.close_step(); // what follows is the time of another
            let outcome = self.check_length(length, time);
            let outcome = outcome.and_then(|()| self.stepper.advance(length)).and_then(|record| self.note(record));
            let is_to_stop = stop.load(Ordering::Relaxed) && self.stepper.next_step(time).is_some();
            if outcome.is_err() || is_to_stop {
                self.flush()?;
                // A step that failed may have left its middle. Then the checkpoint before stays the newest.
                self.due = if self.stepper.check_state().is_ok() { Due::Now } else { Due::No };
                return outcome.map(|()| Progress::Interrupted);
            }
        }
        self.number += 1;
        if self.scene.path_lines == PathLines::Frame {
            self.note_bodies();
        }
        let is_to_stop = self.show()?.is_break() || stop.load(Ordering::Relaxed);
        self.flush()?;
        let every = self.scene.output.checkpoint_every;
        let is_in_turn = every > 0 && self.number.is_multiple_of(every);
        self.due = match is_to_stop || self.number >= self.scene.frames {
            true => Due::Now,
            false if is_in_turn => Due::InPassing,
            false => Due::No,
        };
        Ok(if is_to_stop { Progress::Interrupted } else { Progress::Frame })
    }

    /// Whether the frame that was computed last, or the step that ended it early, asks for a checkpoint.
    pub(super) fn is_checkpoint_due(&self) -> bool {
        self.due != Due::No
    }

    /// Writes the checkpoint that is due, if one is.
    pub(super) fn write_due_checkpoint(&mut self) -> Result<(), RunError> {
        match std::mem::replace(&mut self.due, Due::No) {
            Due::No => Ok(()),
            Due::InPassing | Due::Now => self.checkpoint(),
        }
    }

    /// Takes the state of a checkpoint that may be written in passing, if the simulation can go on meanwhile.
    pub(super) fn take_due_checkpoint(&mut self) -> Result<(), RunError> {
        let Some((files, header)) = self.files.as_ref().zip(self.header()).filter(|_| self.due == Due::InPassing)
        else {
            return Ok(());
        };
        let take = || TakenCheckpoint::of(files.claim.folder(), header, &*self.stepper, self.scene.may_copy);
        self.taken = self.clock.time(Work::Checkpoints, take)?;
        if self.taken.is_some() {
            self.due = Due::No;
        }
        Ok(())
    }

    /// The frame of the state that was taken and waits until the files of that frame are on disk.
    pub(super) fn taken_frame(&self) -> Option<usize> {
        self.taken.as_ref().map(TakenCheckpoint::frame)
    }

    /// Begins to write the state that was taken. For who knows that all files up to its frame are on disk.
    pub(super) fn begin_taken_checkpoint(&mut self) -> Result<(), RunError> {
        let Some((taken, files)) = self.taken.take().zip(self.files.as_ref()) else { return Ok(()) };
        let folder = files.claim.folder().clone();
        self.clock.time(Work::Checkpoints, || {
            files.sync_tables()?;
            self.storing.begin(move || taken.write(&folder))
        })
    }

    /// Waits until the states that were taken are written. For who knows that all files are on disk.
    pub(super) fn finish_checkpoints(&mut self) -> Result<(), RunError> {
        let begun = self.begin_taken_checkpoint();
        let stored = self.clock.time(Work::Checkpoints, || self.storing.wait());
        begun.and(stored)
    }

    /// Refuses steps of which a frame would take more than a million: they shrink without end.
    fn check_length(&self, length: f64, until: f64) -> Result<(), RunError> {
        let (time, frame_seconds) = (self.stepper.time(), self.scene.frame_seconds);
        let is_last = length >= 0.5 * (until - time);
        if is_last || length >= LEAST_PART * frame_seconds {
            return Ok(());
        }
        let (step, bound) = (self.stepper.step(), self.stepper.bound());
        Err(RunError::StepsShrink { time, step, length, frame_seconds, bound })
    }

    /// Notes a step that was just taken. A scene that needs its device ends when that has failed.
    fn note(&mut self, mut record: StepRecord) -> Result<(), RunError> {
        if self.scene.path_lines == PathLines::Step {
            self.note_bodies();
        }
        self.unconverged += usize::from(!record.converged);
        let device_failure = record.device_failure.take();
        self.open_step = Some(record);
        match device_failure {
            Some(reason) if self.scene.needs_device => Err(RunError::Device(reason)),
            Some(reason) => {
                self.device_failure = Some(reason);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Ends the line of the last step with the time that was spent beside it.
    fn close_step(&mut self) {
        let Some(mut record) = self.open_step.take() else { return };
        let seconds = |value: &Value| if let Value::Seconds(seconds) = value { *seconds } else { 0.0 };
        let in_step = record.values.iter().map(seconds).sum();
        record.values.extend(self.clock.take(in_step));
        if let Some(RunFiles { stats, .. }) = &mut self.files {
            let values: Vec<String> = record.values.iter().map(ToString::to_string).collect();
            stats.lines += &values.join(",");
            stats.lines.push('\n');
        }
        self.steps.push(record);
    }

    /// Books time that others have spent for the run.
    pub(super) fn book(&mut self, work: Work, time: Duration) {
        self.clock.book(work, time);
    }

    /// The time since the last line of `stats.csv`: columns and seconds.
    pub(super) fn unwritten_seconds(&mut self) -> impl Iterator<Item = (&'static str, f64)> {
        let seconds = |value: Value| if let Value::Seconds(seconds) = value { seconds } else { 0.0 };
        clock::COLUMNS.into_iter().zip(self.clock.take(0.0).map(seconds))
    }

    fn note_bodies(&mut self) {
        if let Some(RunFiles { bodies: Some(bodies), .. }) = &mut self.files {
            self.stepper.write_bodies(&mut bodies.lines);
        }
    }

    fn flush(&mut self) -> Result<(), RunError> {
        self.close_step();
        let Some(RunFiles { stats, bodies, .. }) = &mut self.files else { return Ok(()) };
        stats.flush()?;
        bodies.as_mut().map_or(Ok(()), CsvTable::flush)
    }

    /// Shows the frame to all sinks, and keeps its state if the scene asks for that.
    fn show(&mut self) -> Result<ControlFlow<()>, RunError> {
        if let Some((files, header)) = self.files.as_ref().zip(self.header())
            && self.scene.output.states.is_some_and(|schedule| schedule.takes(self.number))
        {
            let path = files.claim.folder().states().path(self.number);
            self.clock.time(Work::Checkpoints, || checkpoint::write_state(&path, &header, &*self.stepper))?;
        }
        let start = Instant::now();
        let (stepper, grid) = (&*self.stepper, &self.scene.grid);
        self.pieces.iter().try_for_each(|sink| sink.write(stepper, grid, self.number))?;
        if self.writes_files {
            let (sinks, coming) = (self.file_sinks.clone(), self.coming());
            let begun = self.writing.begin(move || receive(&mut lock(&sinks), &coming.wait()?).map(|_| ()));
            self.keep_promises(begun)?;
        }
        let mut flow = ControlFlow::Continue(());
        if !self.sinks.is_empty() {
            let frame = self.frame();
            flow = receive(&mut self.sinks, &frame)?;
        }
        self.clock.book(Work::Files, start.elapsed());
        Ok(flow)
    }

    /// Waits until all files of the frames up to now are written.
    pub(super) fn finish_files(&mut self) -> Result<(), RunError> {
        let written = self.clock.time(Work::Files, || self.writing.wait());
        self.keep_promises(written)
    }

    /// A checkpoint promises all files up to its frame: where one could not be written, the state that was taken is
    /// forgotten.
    fn keep_promises(&mut self, written: Result<(), RunError>) -> Result<(), RunError> {
        written.inspect_err(|_| self.forget_taken_checkpoint())
    }

    pub(super) fn forget_taken_checkpoint(&mut self) {
        self.taken = None;
    }

    /// Writes a checkpoint; does nothing without a folder. The files of its frame and the lines of the tables reach the
    /// disk before it does.
    pub fn checkpoint(&mut self) -> Result<(), RunError> {
        self.finish_files()?;
        self.taken = None; // this one is newer
        let Some((files, header)) = self.files.as_ref().zip(self.header()) else { return Ok(()) };
        self.clock.time(Work::Checkpoints, || {
            self.storing.wait()?;
            files.sync_tables()?;
            checkpoint::write(files.claim.folder(), &header, &*self.stepper)
        })
    }

    fn header(&self) -> Option<Header> {
        self.files.as_ref().map(|files| Header { frame: self.number as u64, physics: files.physics })
    }

    /// What there is to see now. It is made once and shared.
    pub fn frame(&mut self) -> Arc<Frame<D>> {
        self.coming().wait().unwrap_or_else(|_| {
            let frame = Arc::new(self.stepper.frame(self.number)); // that of the processor
            self.frame = Some(Arc::new(ComingFrame::there(frame.clone())));
            frame
        })
    }

    /// The same, which may still be on its way. It is made as soon as it arrives, although those who draw and write may be
    /// busy with the frame before.
    pub(super) fn coming(&mut self) -> Arc<ComingFrame<D>> {
        let begin = || {
            let coming = Arc::new(self.stepper.begin_frame(self.number));
            if !coming.is_there() {
                let ahead = coming.clone();
                std::thread::spawn(move || drop(ahead.wait()));
            }
            coming
        };
        self.frame.get_or_insert_with(begin).clone()
    }
}

impl<const D: usize> Run<D> {
    /// The last complete frame.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Whether the simulation is at that frame, not on its way to the next.
    pub fn is_at_frame(&self) -> bool {
        is_at(self.stepper.time(), self.number, self.scene.frame_seconds)
    }

    /// The scene.
    pub fn scene(&self) -> &RunScene<D> {
        &self.scene
    }

    /// The simulation.
    pub fn stepper(&self) -> &dyn Stepper<D> {
        &*self.stepper
    }

    /// Names of the values of a step: those of the simulation, and where the other time went.
    pub fn columns(&self) -> Vec<String> {
        self.stepper.columns().into_iter().chain(clock::COLUMNS.map(str::to_owned)).collect()
    }

    /// The steps since the frame before.
    pub fn steps(&self) -> &[StepRecord] {
        &self.steps
    }

    /// Steps that fell short of a tolerance, those before a run was resumed included.
    pub fn unconverged(&self) -> usize {
        self.unconverged
    }

    /// Writes nothing more, so that others may write.
    pub(super) fn leave_folder(&mut self) {
        self.files = None;
    }

    /// The folder, if there is one.
    pub fn folder(&self) -> Option<&RunFolder> {
        self.files.as_ref().map(|files| files.claim.folder())
    }

    /// Why the processor goes on alone, if the device has failed; said once.
    pub fn take_device_failure(&mut self) -> Option<String> {
        self.device_failure.take()
    }
}

/// Gives a frame to all sinks; `Break` if any asks for it.
fn receive<const D: usize>(sinks: &mut Sinks<D>, frame: &Arc<Frame<D>>) -> Result<ControlFlow<()>, RunError> {
    let mut flow = ControlFlow::Continue(());
    for sink in sinks {
        if sink.receive(frame)?.is_break() {
            flow = ControlFlow::Break(());
        }
    }
    Ok(flow)
}

/// The sinks, also after one of them has panicked: the run passes that panic on.
fn lock<const D: usize>(sinks: &Mutex<Sinks<D>>) -> std::sync::MutexGuard<'_, Sinks<D>> {
    sinks.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a time is that of a frame.
pub(super) fn is_at(time: f64, number: usize, frame_seconds: f64) -> bool {
    (time - number as f64 * frame_seconds).abs() < 1e-6 * frame_seconds
}
