//! Runs of one dimension that go on together, with pictures side by side.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::background::Background;
use super::clock::Work;
use super::compare::Variant;
use super::finish::Member;
use super::session::RunRequest;
use super::stepper::{AnyRunScene, RunScene, StepRecord, Value};
use super::{FolderClaim, Progress, Run, RunError, RunFolder, RunRecord};
use crate::coming::ComingFrame;
use crate::draw::{PictureStyle, beside, draw};
use crate::frame::Frame;

/// Runs that go on together: one, or two that are compared.
pub(super) struct Group<const D: usize> {
    runs: Vec<Run<D>>,
    labels: Vec<String>,
    /// None if none are asked for.
    pictures: Option<Pictures>,
    /// The folder of all of them; a single run has claimed it itself.
    claim: Option<FolderClaim>,
}

/// All that there is of a group before anything is written.
pub(super) struct BuiltGroup<const D: usize> {
    runs: BuiltRuns<D>,
    /// How pictures look; none if none are asked for.
    style: Option<PictureStyle>,
}

enum BuiltRuns<const D: usize> {
    /// Simulations at their beginning.
    Begun(Vec<Run<D>>),
    /// Scenes that are resumed from what is in a folder.
    Resumed(Vec<RunScene<D>>),
}

impl<const D: usize> BuiltGroup<D> {
    /// Reads all scenes of a request and builds the simulations that begin.
    pub fn of(
        request: &RunRequest,
        base: &RunScene<D>,
        variants: &[Variant],
        of_dimension: fn(AnyRunScene) -> Option<RunScene<D>>,
    ) -> Result<Self, RunError> {
        let mut scenes = Vec::new();
        for variant in variants {
            let same = |own: &RunScene<D>| (own.frames, own.frame_seconds) == (base.frames, base.frame_seconds);
            let mut own = of_dimension(request.scene_of(variant)?).filter(same).ok_or(RunError::OtherFrames)?;
            if let Some(memory) = request.memory {
                let part = memory / variants.len() as u64;
                own.physics.check_memory(part)?;
                own.may_copy = own.physics.check_memory(part / 2).is_ok();
            }
            scenes.push(own);
        }
        let runs = match request.folder.is_some() && request.resume {
            true => BuiltRuns::Resumed(scenes),
            false => BuiltRuns::Begun(scenes.into_iter().map(Run::begin).collect::<Result<_, _>>()?),
        };
        Ok(Self { runs, style: base.output.frames.then(|| base.style.clone()) })
    }

    /// Writes the first files of all runs; notes what those that are resumed had to fall back from.
    pub fn open(
        self,
        request: &RunRequest,
        record: &RunRecord,
        variants: &[Variant],
        notes: &mut Vec<String>,
    ) -> Result<Group<D>, RunError> {
        let labels: Vec<String> = variants.iter().map(|variant| variant.label.clone()).collect();
        let (runs, folder) = match (self.runs, &request.folder) {
            (BuiltRuns::Begun(runs), None) => return Ok(Group { runs, labels, pictures: None, claim: None }),
            (_, None) => unreachable!("what is resumed is in a folder"),
            (runs, Some(folder)) => (runs, folder),
        };
        let places = variants.iter().map(|variant| variant.place(folder, record));
        let mut claim;
        let runs = match runs {
            BuiltRuns::Resumed(scenes) => {
                claim = Some(folder.claim()?);
                let resumed = places
                    .zip(scenes)
                    .map(|((place, record), scene)| resume(scene, claim_within(&mut claim, &place)?, &record, notes));
                let resumed = resumed.collect::<Result<Vec<_>, _>>()?;
                record.write(folder)?;
                folder.forget_frames_after(resumed.iter().map(Run::number).max().unwrap_or(0))?;
                resumed
            }
            BuiltRuns::Begun(begun) => {
                claim = Some(folder.prepare(request.force)?);
                record.write(folder)?;
                let write = |(run, (place, record)): (Run<D>, (RunFolder, RunRecord))| {
                    place.create()?;
                    run.write_to(claim_within(&mut claim, &place)?, &record)
                };
                begun.into_iter().zip(places).map(write).collect::<Result<_, _>>()?
            }
        };
        let pictures = self.style.map(|style| Pictures::create(folder, style, labels.clone())).transpose()?;
        let mut group = Group { runs, labels, pictures, claim };
        group.draw()?;
        Ok(group)
    }
}

impl<const D: usize> Group<D> {
    /// Draws the frame that all runs are at, unless its picture is there. Where one run is ahead of another nothing is
    /// drawn: that picture was drawn before they were interrupted.
    fn draw(&mut self) -> Result<(), RunError> {
        let number = self.number();
        let is_there = self.runs.iter().all(|run| run.number() == number && run.is_at_frame());
        match self.pictures.as_mut().filter(|pictures| is_there && !pictures.has(number)) {
            Some(pictures) => pictures.draw(number, self.runs.iter_mut().map(Run::coming).collect()),
            None => Ok(()),
        }
    }

    /// The last frame that all have completed.
    pub fn number(&self) -> usize {
        self.runs.iter().map(Run::number).min().unwrap_or(0)
    }

    /// Computes the next frame of all.
    pub fn advance(&mut self, stop: &AtomicBool) -> Result<Progress, RunError> {
        let target = self.number() + 1;
        let behind: Vec<_> = self.runs.iter_mut().filter(|run| run.number() < target).collect();
        let progress = std::thread::scope(|scope| {
            let threads: Vec<_> = behind.into_iter().map(|run| scope.spawn(|| run.compute(stop))).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            let outcomes = joined.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            outcomes.collect::<Vec<Result<Progress, RunError>>>()
        });
        let saved = self.timed(Self::draw).and_then(|()| self.write_checkpoints());
        let is_interrupted = progress
            .into_iter()
            .try_fold(false, |before, progress| Ok::<_, RunError>(before | (progress? == Progress::Interrupted)))?;
        saved?;
        Ok(if is_interrupted { Progress::Interrupted } else { Progress::Frame })
    }

    /// Writes the checkpoints that are due, after the files and pictures of all frames up to them: a run that is resumed
    /// goes on behind its checkpoint and would not draw them again. A state that can be taken is written beside the next
    /// frames. Files and pictures of this one have begun, so those of the frame before are on disk.
    fn write_checkpoints(&mut self) -> Result<(), RunError> {
        let drawn = self.pictures.as_ref().and_then(|pictures| pictures.begun);
        let is_behind = |run: &Run<D>| run.taken_frame().is_some_and(|taken| drawn.is_some_and(|drawn| drawn <= taken));
        if self.runs.iter().any(is_behind) {
            self.timed(Self::finish_pictures)?;
        }
        for run in &mut self.runs {
            if run.taken_frame().is_some_and(|taken| taken >= run.number()) {
                run.finish_files()?;
            }
            run.begin_taken_checkpoint()?;
            run.take_due_checkpoint()?;
        }
        if self.runs.iter().any(Run::is_checkpoint_due) {
            self.timed(Self::finish_pictures)?;
        }
        self.runs.iter_mut().try_for_each(Run::write_due_checkpoint)
    }

    /// Books the time that pictures take. Without them no checkpoint is written.
    fn timed(&mut self, draw: impl FnOnce(&mut Self) -> Result<(), RunError>) -> Result<(), RunError> {
        let start = Instant::now();
        let drawn = draw(self);
        for run in &mut self.runs {
            run.book(Work::Pictures, start.elapsed());
            if drawn.is_err() {
                run.forget_taken_checkpoint();
            }
        }
        drawn
    }

    /// Waits for the last picture.
    fn finish_pictures(&mut self) -> Result<(), RunError> {
        self.pictures.as_mut().map_or(Ok(()), |pictures| pictures.drawing.wait())
    }

    /// Waits for all that is still being drawn or written, checkpoints last.
    pub fn finish_frames(&mut self) -> Result<(), RunError> {
        let drawn = self.finish_pictures();
        drawn.and(self.finish_files())?;
        self.runs.iter_mut().map(Run::finish_checkpoints).fold(Ok(()), Result::and)
    }

    /// Waits for the data files of the frames up to now.
    pub fn finish_files(&mut self) -> Result<(), RunError> {
        self.runs.iter_mut().map(Run::finish_files).fold(Ok(()), Result::and)
    }

    /// Writes nothing more, so that others may write.
    pub fn leave_folder(&mut self) {
        self.runs.iter_mut().for_each(Run::leave_folder);
        self.claim = None;
    }

    /// Writes checkpoints of all.
    pub fn checkpoint(&mut self) -> Result<(), RunError> {
        self.finish_pictures()?;
        self.runs.iter_mut().try_for_each(Run::checkpoint)
    }

    /// What the report says of each.
    pub fn members(&mut self) -> Vec<Member<'_>> {
        let each = self.runs.iter_mut().zip(&self.labels);
        let members = each.filter_map(|(run, label)| {
            let unwritten = run.unwritten_seconds().collect();
            let run = &*run;
            Some(Member {
                label,
                unwritten,
                folder: run.folder()?,
                output: &run.scene().output,
                facts: &run.scene().facts,
                warnings: &run.scene().warnings,
                bodies: run.scene().bodies.iter().map(|body| body.name()).collect(),
                reached: run.number(),
                unconverged: run.unconverged(),
            })
        });
        members.collect()
    }

    /// What tells them apart; one empty label for a single one.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Bodies of the first.
    pub fn bodies(&self) -> usize {
        self.runs.first().map_or(0, |run| run.scene().bodies.len())
    }

    /// Why the processor goes on alone, said once.
    pub fn take_device_failures(&mut self) -> Vec<String> {
        self.runs.iter_mut().filter_map(Run::take_device_failure).collect()
    }

    /// What there is to see of the first.
    pub fn frame(&mut self) -> Arc<Frame<D>> {
        self.runs[0].frame()
    }

    /// Steps of the first since the frame before, and the names of their values.
    pub fn steps(&self) -> (Vec<String>, &[StepRecord]) {
        (self.runs[0].columns(), self.runs[0].steps())
    }

    /// What can be said of the first before its first step.
    pub fn summary(&self) -> Vec<(&'static str, Value)> {
        self.runs[0].stepper().summary()
    }
}

/// The claim of all runs if a single one has the folder for itself, else one of its own.
fn claim_within(all: &mut Option<FolderClaim>, place: &RunFolder) -> Result<FolderClaim, RunError> {
    match all.take_if(|claim| claim.folder() == place) {
        Some(claim) => Ok(claim),
        None => place.claim(),
    }
}

fn resume<const D: usize>(
    scene: RunScene<D>,
    claim: FolderClaim,
    record: &RunRecord,
    notes: &mut Vec<String>,
) -> Result<Run<D>, RunError> {
    let (run, damaged) = Run::resume(scene, claim, record)?;
    let fallback = |reason: String| format!("{reason}; resuming from frame {} instead", run.number());
    notes.extend(damaged.into_iter().map(fallback));
    Ok(run)
}

/// Draws frames on a thread of its own while the next one is computed: of one run, or of two side by side, into `frames/` of a folder.
struct Pictures {
    folder: RunFolder,
    style: PictureStyle,
    /// What to call each of the runs; one label for one run.
    captions: Vec<String>,
    drawing: Background,
    /// The frame that was begun last.
    begun: Option<usize>,
}

impl Pictures {
    fn create(folder: &RunFolder, style: PictureStyle, captions: Vec<String>) -> Result<Self, RunError> {
        let frames = folder.pictures().folder;
        std::fs::create_dir_all(&frames).map_err(RunError::file(&frames))?;
        Ok(Self { folder: folder.clone(), style, captions, drawing: Background::default(), begun: None })
    }

    /// Whether the picture of a frame is there.
    fn has(&self, number: usize) -> bool {
        self.folder.picture(number).is_file()
    }

    /// Begins to draw a frame, when the one before is done.
    fn draw<const D: usize>(&mut self, number: usize, frames: Vec<Arc<ComingFrame<D>>>) -> Result<(), RunError> {
        self.begun = Some(number);
        let (path, style, captions) = (self.folder.picture(number), self.style.clone(), self.captions.clone());
        self.drawing.begin(move || {
            let images = frames.iter().map(|coming| Ok(draw(&*coming.wait()?, &style)));
            let images = images.collect::<Result<Vec<_>, RunError>>()?;
            let captions: Vec<&str> = captions.iter().map(String::as_str).collect();
            match images.as_slice() {
                [one] => one.write_png(&path)?,
                several => beside(several, &captions).write_png(&path)?,
            }
            Ok(())
        })
    }
}
