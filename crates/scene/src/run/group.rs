//! Runs of one dimension that go on together, with pictures side by side.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::compare::Variant;
use super::finish::Member;
use super::pictures::Pictures;
use super::session::{AnyFrame, RunRequest};
use super::stepper::{RunScene, StepRecord, Value};
use super::{Progress, Run, RunError, RunFolder, RunRecord};
use crate::dimension::{Dim, Dimension};
use crate::frame::Frame;

/// Runs of either dimension.
pub(super) trait Runs: Send {
    /// The last frame that all have completed.
    fn number(&self) -> usize;
    /// Computes the next frame of all.
    fn advance(&mut self, stop: &AtomicBool) -> Result<Progress, RunError>;
    /// Waits for the last picture.
    fn finish_pictures(&mut self) -> Result<(), RunError>;
    /// Writes checkpoints of all.
    fn checkpoint(&self) -> Result<(), RunError>;
    /// What the report says of each.
    fn members(&self) -> Vec<Member<'_>>;
    /// What tells them apart; one empty label for a single one.
    fn labels(&self) -> &[String];
    /// Bodies of the first.
    fn bodies(&self) -> usize;
    /// Why the processor goes on alone, said once.
    fn take_device_failures(&mut self) -> Vec<String>;
    /// What there is to see of the first.
    fn frame(&mut self) -> AnyFrame;
    /// Steps of the first since the frame before, and the names of their values.
    fn steps(&self) -> (Vec<String>, &[StepRecord]);
    /// What can be said of the first before its first step.
    fn summary(&self) -> Vec<(&'static str, Value)>;
}

/// Runs that go on together: one, or two that are compared.
pub(super) struct Group<const D: usize> {
    runs: Vec<Run<D>>,
    labels: Vec<String>,
    /// None if none are asked for.
    pictures: Option<Pictures>,
}

impl<const D: usize> Group<D>
where
    Dim<D>: Dimension<D>,
{
    /// Begins or resumes all runs of a request; says what they had to fall back from.
    pub fn open(
        request: &RunRequest,
        record: &RunRecord,
        base: &RunScene<D>,
        variants: Vec<Variant>,
        scenes: Vec<RunScene<D>>,
    ) -> Result<(Self, Vec<String>), RunError> {
        let labels: Vec<String> = variants.iter().map(|variant| variant.label.clone()).collect();
        let Some(folder) = &request.folder else {
            let runs = scenes.into_iter().map(Run::begin).collect::<Result<_, _>>()?;
            return Ok((Self { runs, labels, pictures: None }, Vec::new()));
        };
        let mut places = variants.iter().map(|variant| Place::new(folder, record, variant));
        let (runs, notes) = match request.resume {
            true => {
                let resumed = resume(places, scenes)?;
                record.write(folder)?;
                resumed
            }
            false => {
                // All simulations are built before anything is written.
                let begun = scenes.into_iter().map(Run::begin).collect::<Result<Vec<_>, _>>()?;
                folder.prepare(request.force)?;
                record.write(folder)?;
                let write = |run: Run<D>| places.next().map(|place| place.begin(run));
                (begun.into_iter().filter_map(write).collect::<Result<_, _>>()?, Vec::new())
            }
        };
        let style = base.output.frames.then(|| base.style.clone());
        let pictures = style.map(|style| Pictures::create(folder, style, labels.clone())).transpose()?;
        let mut group = Self { runs, labels, pictures };
        if request.resume {
            folder.forget_frames_after(group.runs.iter().map(Run::number).max().unwrap_or(0))?;
        }
        group.draw()?;
        Ok((group, notes))
    }

    /// Draws the frame that all runs are at, unless its picture is there. Where one run is ahead of another nothing is
    /// drawn: that picture was drawn before they were interrupted.
    fn draw(&mut self) -> Result<(), RunError> {
        let number = self.number_of_all();
        let is_there = self.runs.iter().all(|run| run.number() == number && run.is_at_frame());
        match self.pictures.as_mut().filter(|pictures| is_there && !pictures.has(number)) {
            Some(pictures) => pictures.draw(self.runs.iter_mut().map(Run::frame).collect()),
            None => Ok(()),
        }
    }

    fn number_of_all(&self) -> usize {
        self.runs.iter().map(Run::number).min().unwrap_or(0)
    }
}

/// Where a run lies, and what is written of it there.
struct Place {
    folder: RunFolder,
    record: RunRecord,
}

impl Place {
    fn new(root: &RunFolder, record: &RunRecord, variant: &Variant) -> Self {
        let Some(name) = variant.folder else { return Self { folder: root.clone(), record: record.clone() } };
        let (toml, label) = (variant.file.to_toml(), Some(variant.label.clone()));
        let record = RunRecord { toml, walls: variant.walls, compare: None, label, ..record.clone() };
        Self { folder: root.member(name), record }
    }

    fn begin<const D: usize>(&self, run: Run<D>) -> Result<Run<D>, RunError>
    where
        Dim<D>: Dimension<D>,
    {
        self.folder.create()?;
        run.write_to(&self.folder, &self.record)
    }
}

fn resume<const D: usize>(
    places: impl Iterator<Item = Place>,
    scenes: Vec<RunScene<D>>,
) -> Result<(Vec<Run<D>>, Vec<String>), RunError>
where
    Dim<D>: Dimension<D>,
{
    let (mut runs, mut notes) = (Vec::new(), Vec::new());
    for (place, scene) in places.zip(scenes) {
        let (run, damaged) = Run::resume(scene, &place.folder, &place.record)?;
        let fallback = |reason: String| format!("{reason}; resuming from frame {} instead", run.number());
        notes.extend(damaged.into_iter().map(fallback));
        runs.push(run);
    }
    Ok((runs, notes))
}

impl<const D: usize> Runs for Group<D>
where
    Dim<D>: Dimension<D>,
    AnyFrame: From<Arc<Frame<D>>>,
{
    fn number(&self) -> usize {
        self.number_of_all()
    }

    fn advance(&mut self, stop: &AtomicBool) -> Result<Progress, RunError> {
        let target = self.number_of_all() + 1;
        let behind: Vec<_> = self.runs.iter_mut().filter(|run| run.number() < target).collect();
        let progress = std::thread::scope(|scope| {
            let threads: Vec<_> = behind.into_iter().map(|run| scope.spawn(|| run.advance(stop))).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            let outcomes = joined.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            outcomes.collect::<Vec<Result<Progress, RunError>>>()
        });
        let drawn = self.draw();
        let is_interrupted = progress
            .into_iter()
            .try_fold(false, |before, progress| Ok::<_, RunError>(before | (progress? == Progress::Interrupted)))?;
        drawn?;
        Ok(if is_interrupted { Progress::Interrupted } else { Progress::Frame })
    }

    fn finish_pictures(&mut self) -> Result<(), RunError> {
        self.pictures.as_mut().map_or(Ok(()), Pictures::wait)
    }

    fn checkpoint(&self) -> Result<(), RunError> {
        self.runs.iter().try_for_each(Run::checkpoint)
    }

    fn members(&self) -> Vec<Member<'_>> {
        let each = self.runs.iter().zip(&self.labels);
        let members = each.filter_map(|(run, label)| {
            Some(Member {
                label,
                folder: run.folder()?,
                output: &run.scene().output,
                facts: &run.scene().facts,
                bodies: run.scene().bodies.iter().map(|body| body.name()).collect(),
                reached: run.number(),
                unconverged: run.unconverged(),
            })
        });
        members.collect()
    }

    fn labels(&self) -> &[String] {
        &self.labels
    }

    fn bodies(&self) -> usize {
        self.runs.first().map_or(0, |run| run.scene().bodies.len())
    }

    fn take_device_failures(&mut self) -> Vec<String> {
        self.runs.iter_mut().filter_map(Run::take_device_failure).collect()
    }

    fn frame(&mut self) -> AnyFrame {
        self.runs[0].frame().into()
    }

    fn steps(&self) -> (Vec<String>, &[StepRecord]) {
        (self.runs[0].stepper().columns(), self.runs[0].steps())
    }

    fn summary(&self) -> Vec<(&'static str, Value)> {
        self.runs[0].stepper().summary()
    }
}
