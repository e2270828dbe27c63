//! Frames of a run that is over, seen again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use unstick_liquid::{LiquidState, Simulation};

use super::checkpoint::{self, Data, Refusal};
use super::{RunError, RunRecord, physics, states};
use crate::scene::Scene;

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

/// Any frame of a run, from the states that were kept and, in between, computed again from the nearest
/// one before: a run is the same bits each time.
pub struct Replay<const D: usize> {
    scene: Scene<D>,
    physics: [u8; 32],
    last: usize,
    /// Frames whose states are on disk, ascending.
    kept: Vec<(usize, PathBuf)>,
    now: Option<(usize, Simulation<D>)>,
}

impl<const D: usize> Replay<D> {
    /// Looks at a run folder; the scene must be the one that was run, but for what it writes.
    pub fn open(scene: Scene<D>, record: &RunRecord, folder: &Path) -> Result<Self, RunError> {
        let physics = physics(record, folder)?;
        let checkpoints = folder.join("checkpoint");
        let restore = |data: &mut Data<'_>| LiquidState::restore(&scene.setup.grid, data);
        let (header, state, _) = checkpoint::read(&checkpoints, physics, restore)?;
        let last = header.frame as usize;
        let series = states(folder);
        let numbers = series.numbers().map_err(RunError::file(&series.folder))?;
        let mut kept: Vec<_> = numbers.into_iter().map(|number| (number, series.path(number))).collect();
        let is_whole = (state.time - last as f64 * scene.frame).abs() < 1e-6 * scene.frame;
        let newest = checkpoint::list(&checkpoints)?.into_iter().next();
        kept.extend(newest.filter(|_| is_whole).map(|path| (last, path)));
        kept.retain(|&(number, _)| number <= last);
        kept.sort();
        Ok(Self { scene, physics, last, kept, now: None })
    }

    /// The last frame that the run has reached.
    pub fn last(&self) -> usize {
        self.last
    }

    /// The scene.
    pub fn scene(&self) -> &Scene<D> {
        &self.scene
    }

    /// The simulation at the frame that was sought last; none before.
    pub fn simulation(&self) -> Option<&Simulation<D>> {
        self.now.as_ref().map(|(_, simulation)| simulation)
    }

    /// Goes to a frame, up to [`Self::last`]; frames asked for in ascending order are computed once.
    pub fn seek(&mut self, frame: usize, stop: &AtomicBool) -> Result<Origin, RunError> {
        let here = self.now.as_ref().map(|(number, _)| *number).filter(|&number| number <= frame);
        // What a frame shows of moving solids and bodies is where its last step has met them, which a state
        // does not hold: there a state serves for the frames after it.
        let shows_all = frame == 0 || (self.scene.bodies.is_empty() && !self.scene.setup.has_motion());
        let is_before = |number: usize| number < frame || (number == frame && shows_all);
        let is_nearer = |number: usize| is_before(number) && here.is_none_or(|here| number > here);
        let nearer = self.kept.iter().rev().filter(|(number, _)| is_nearer(*number));
        for (number, path) in nearer {
            if let Some(state) = self.read(path, *number)? {
                self.now = Some((*number, self.scene.resume(state)?));
                break;
            }
        }
        let (mut number, mut simulation) = match self.now.take().filter(|(number, _)| *number <= frame) {
            Some(now) => now,
            None => (0, self.scene.simulation()?),
        };
        let origin = if number == frame { Origin::Kept } else { Origin::Computed };
        while number < frame {
            if stop.load(Ordering::Relaxed) {
                self.now = Some((number, simulation));
                return Ok(Origin::Interrupted);
            }
            simulation.advance_to((number + 1) as f64 * self.scene.frame)?;
            number += 1;
        }
        self.now = Some((number, simulation));
        Ok(origin)
    }

    /// A state that was kept; none if it is damaged: then an earlier one will do.
    fn read(&self, path: &Path, number: usize) -> Result<Option<LiquidState<D>>, RunError> {
        let restore = |data: &mut Data<'_>| LiquidState::restore(&self.scene.setup.grid, data);
        match checkpoint::read_one(path, self.physics, &restore) {
            Ok((header, state)) => Ok((header.frame as usize == number).then_some(state)),
            Err(Refusal::Damaged(_)) => Ok(None),
            Err(Refusal::OtherScene) => {
                Err(RunError::OtherScene { folder: path.parent().and_then(Path::parent).unwrap_or(path).to_owned() })
            }
        }
    }
}
