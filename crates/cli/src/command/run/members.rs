//! The runs of a folder: one, or two that are compared and shown side by side.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use unstick::liquid::Wall;
use unstick::scene::draw::beside;
use unstick::scene::run::{Progress, Run, RunError, forget_frames_after, prepare_folder};
use unstick::scene::sink::Look;
use unstick::scene::{Dim, Dimension, Frame, Scene};

use super::plan::Plan;
use crate::error::CommandError;
use crate::output;

/// One run or two.
pub struct Members<const D: usize> {
    runs: Vec<Run<D>>,
    labels: Vec<&'static str>,
    /// Where pictures go; none if none are asked for.
    pictures: Option<(PathBuf, Look)>,
    /// The picture of the frame that is there has yet to be drawn.
    pending: bool,
}

/// Name of a run by its walls.
fn label(wall: Wall) -> &'static str {
    match wall {
        Wall::Sealed => "sealed",
        Wall::Separating => "separating",
    }
}

/// The runs of a plan: name (none for a single one) and walls that overrule those of the scene.
fn variants(plan: &Plan) -> Vec<(Option<&'static str>, Option<Wall>)> {
    match plan.compare {
        None => vec![(None, None)],
        Some(Wall::Sealed) => {
            vec![(Some(label(Wall::Sealed)), Some(Wall::Sealed)), (Some(label(Wall::Separating)), None)]
        }
        Some(wall) => vec![(Some(label(Wall::Sealed)), None), (Some(label(wall)), Some(wall))],
    }
}

impl<const D: usize> Members<D>
where
    Dim<D>: Dimension<D>,
{
    /// Builds all simulations, then makes the folder, then begins in it.
    pub fn begin(plan: &Plan, scene: Scene<D>) -> Result<Self, CommandError> {
        let mut built = Vec::new();
        for (name, walls) in variants(plan) {
            let scene = walls.map_or(scene.clone(), |wall| scene.clone().with_walls(wall));
            let simulation = scene.simulation()?;
            built.push((name, walls, scene, simulation));
        }
        prepare_folder(&plan.folder, plan.force)?;
        plan.record.write(&plan.folder)?;
        let (mut runs, mut labels) = (Vec::new(), Vec::new());
        for (name, walls, scene, simulation) in built {
            let folder = name.map_or(plan.folder.clone(), |name| plan.folder.join(name));
            std::fs::create_dir_all(&folder).map_err(|source| RunError::File { path: folder.clone(), source })?;
            let record = if name.is_some() { plan.record_with(walls) } else { plan.record.clone() };
            runs.push(Run::create(scene, simulation, &record, &folder)?);
            labels.push(name.unwrap_or(""));
        }
        let mut members = Self::new(plan, &scene, runs, labels)?;
        for run in &mut members.runs {
            let _ = run.show()?;
        }
        Ok(members)
    }

    /// Goes on with what is in the folder; says what it had to fall back from.
    pub fn resume(plan: &Plan, scene: Scene<D>) -> Result<(Self, Vec<String>), CommandError> {
        let (mut runs, mut labels, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (name, walls) in variants(plan) {
            let scene = walls.map_or(scene.clone(), |wall| scene.clone().with_walls(wall));
            let folder = name.map_or(plan.folder.clone(), |name| plan.folder.join(name));
            let record = if name.is_some() { plan.record_with(walls) } else { plan.record.clone() };
            let (run, damaged) = Run::resume(scene, &record, &folder)?;
            let fallback = |reason: String| format!("{reason}; going on from frame {} instead", run.frame());
            notes.extend(damaged.into_iter().map(fallback));
            runs.push(run);
            labels.push(name.unwrap_or(""));
        }
        plan.record.write(&plan.folder)?;
        let furthest = runs.iter().map(Run::frame).max().unwrap_or(0);
        forget_frames_after(&plan.folder.join("frames"), furthest)?;
        Ok((Self::new(plan, &scene, runs, labels)?, notes))
    }

    fn new(plan: &Plan, scene: &Scene<D>, runs: Vec<Run<D>>, labels: Vec<&'static str>) -> Result<Self, CommandError> {
        let mut members = Self { runs, labels, pictures: None, pending: false };
        for run in &mut members.runs {
            run.add_data_sinks()?;
        }
        if scene.output.frames {
            let folder = plan.folder.join("frames");
            std::fs::create_dir_all(&folder).map_err(|source| RunError::File { path: folder.clone(), source })?;
            members.pictures = Some((folder, Look::of(scene)));
        }
        members.pending = members.is_at_frame();
        Ok(members)
    }

    /// Whether all are at the same frame, and none beyond it.
    fn is_at_frame(&self) -> bool {
        let frame = self.frame();
        self.runs.iter().all(|run| run.frame() == frame && run.is_at_frame())
    }

    /// The frame that all have reached.
    pub fn frame(&self) -> usize {
        self.runs.iter().map(Run::frame).min().unwrap_or(0)
    }

    /// The runs and what to call them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Run<D>)> {
        self.labels.iter().copied().zip(&self.runs)
    }

    /// Computes the next frame of all, at the same time, and meanwhile draws the one that is there;
    /// tells whether they were asked to stop.
    pub fn advance(&mut self, stop: &AtomicBool) -> Result<bool, CommandError> {
        let target = self.frame() + 1;
        let sheet = self.sheet();
        let behind = self.runs.iter_mut().filter(|run| run.frame() < target);
        let (drawn, progress) = std::thread::scope(|scope| {
            let threads: Vec<_> = behind.map(|run| scope.spawn(|| run.advance(stop))).collect();
            let drawn = sheet.map_or(Ok(()), Sheet::draw);
            let joined = threads.into_iter().map(|thread| thread.join());
            let progress = joined.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            (drawn, progress.collect::<Vec<Result<Progress, RunError>>>())
        });
        self.pending = self.is_at_frame();
        for run in &mut self.runs {
            if let Some(reason) = run.take_device_failure() {
                output::note(format_args!("{reason}; the processor goes on"));
            }
        }
        drawn?;
        let mut interrupted = false;
        for progress in progress {
            interrupted |= progress? == Progress::Interrupted;
        }
        Ok(interrupted)
    }

    /// Draws what has yet to be drawn.
    pub fn catch_up(&mut self) -> Result<(), CommandError> {
        let sheet = self.sheet();
        self.pending = false;
        Ok(sheet.map_or(Ok(()), Sheet::draw)?)
    }

    /// What has yet to be drawn. Where one run is ahead of the other there is nothing: that picture was
    /// drawn before they were interrupted.
    fn sheet(&self) -> Option<Sheet<D>> {
        let (folder, look) = self.pictures.as_ref().filter(|_| self.pending)?;
        Some(Sheet {
            file: folder.join(format!("{:04}.png", self.frame())),
            look: look.clone(),
            frames: self.runs.iter().map(Run::picture).collect(),
            labels: self.labels.clone(),
        })
    }
}

/// A picture to be drawn: the frames of one run, or of two side by side.
struct Sheet<const D: usize> {
    file: PathBuf,
    look: Look,
    frames: Vec<Frame<D>>,
    labels: Vec<&'static str>,
}

impl<const D: usize> Sheet<D>
where
    Dim<D>: Dimension<D>,
{
    fn draw(self) -> Result<(), RunError> {
        let pictures: Vec<_> = self.frames.iter().map(|frame| Dim::<D>::draw(frame, &self.look)).collect();
        let captions: Vec<String> = self.labels.iter().map(|label| format!("{label} walls")).collect();
        let captions: Vec<&str> = captions.iter().map(String::as_str).collect();
        let whole = match pictures.as_slice() {
            [one] => one,
            several => &beside(several, &captions),
        };
        Ok(whole.write_png(&self.file)?)
    }
}
