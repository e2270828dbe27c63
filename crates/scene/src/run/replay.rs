//! Frames of a run that is over, seen again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::checkpoint::{self, Refusal, Restored};
use super::driver::is_at;
use super::stepper::{RunScene, Stepper};
use super::{Progress, Run, RunError, RunFolder, RunRecord};
use crate::frame::Frame;

/// Where a frame came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Its state was kept, or it is the first.
    Kept,
    /// It was computed again, with the same bits.
    Computed,
    /// It was not reached: somebody asked to stop.
    Interrupted,
}

/// Any frame of a run. Frames whose state was kept are read; those in between are computed again from the nearest one
/// before, which gives the same bits each time.
pub struct Replay<const D: usize> {
    scene: RunScene<D>,
    physics: [u8; 32],
    last: usize,
    /// States on disk, ascending.
    kept: Vec<KeptState>,
    now: Option<Run<D>>,
}

/// A state on disk.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct KeptState {
    number: usize,
    path: PathBuf,
}

impl<const D: usize> Replay<D> {
    /// Looks at a run folder. The scene must be the one that was run, except for what it writes.
    pub fn open(scene: RunScene<D>, folder: &RunFolder, record: &RunRecord) -> Result<Self, RunError> {
        let physics = record.physics(folder)?;
        let Restored { frame: last, stepper, path, .. } = checkpoint::read(folder, &scene, physics)?;
        let states = folder.states();
        let numbers = states.numbers().map_err(RunError::file(&states.folder))?;
        let mut kept: Vec<KeptState> =
            numbers.into_iter().map(|number| KeptState { number, path: states.path(number) }).collect();
        let is_at_frame = is_at(stepper.time(), last, scene.frame_seconds);
        kept.extend(is_at_frame.then_some(KeptState { number: last, path }));
        kept.retain(|state| state.number <= last);
        kept.sort();
        Ok(Self { scene, physics, last, kept, now: None })
    }

    /// The last frame that the run has reached.
    pub fn last(&self) -> usize {
        self.last
    }

    /// How many frames must be simulated again to see these, which ascend.
    pub fn frames_to_compute(&self, wanted: impl IntoIterator<Item = usize>) -> usize {
        let (mut here, mut count) = (0, 0);
        for number in wanted {
            let kept = self.kept.iter().map(|state| state.number).filter(|&kept| kept <= number).max();
            here = kept.unwrap_or(0).max(here);
            count += number - here;
            here = number;
        }
        count
    }

    /// The scene.
    pub fn scene(&self) -> &RunScene<D> {
        &self.scene
    }

    /// The frame that was sought last; none before.
    pub fn frame(&mut self) -> Option<Arc<Frame<D>>> {
        self.now.as_mut().map(Run::frame)
    }

    /// Goes to a frame, up to [`Self::last`]. Frames that are sought in ascending order are computed once.
    pub fn seek(&mut self, number: usize, stop: &AtomicBool) -> Result<Origin, RunError> {
        let here = self.now.as_ref().map(Run::number).filter(|&here| here <= number);
        let is_nearer = |kept: usize| kept <= number && here.is_none_or(|here| kept > here);
        for state in self.kept.iter().rev().filter(|state| is_nearer(state.number)) {
            if let Some(stepper) = self.read(&state.path, state.number)? {
                self.now = Some(Run::at(self.scene.clone(), stepper, state.number));
                break;
            }
        }
        let mut run = match self.now.take().filter(|run| run.number() <= number) {
            Some(run) => run,
            None => Run::begin(self.scene.clone())?,
        };
        let mut origin = if run.number() == number { Origin::Kept } else { Origin::Computed };
        while run.number() < number && origin != Origin::Interrupted {
            if run.advance(stop)? == Progress::Interrupted {
                origin = Origin::Interrupted;
            }
        }
        self.now = Some(run);
        Ok(origin)
    }

    /// A state that was kept; none if it is damaged: then an earlier one will do.
    fn read(&self, path: &Path, number: usize) -> Result<Option<Box<dyn Stepper<D>>>, RunError> {
        match checkpoint::read_state(path, &self.scene, self.physics) {
            Ok((frame, stepper)) => Ok((frame == number).then_some(stepper)),
            Err(Refusal::Damaged(_)) => Ok(None),
            Err(Refusal::Scene(error)) => Err(error.into()),
            Err(Refusal::OtherScene) => {
                Err(RunError::OtherScene(path.parent().and_then(Path::parent).unwrap_or(path).to_owned()))
            }
        }
    }
}
