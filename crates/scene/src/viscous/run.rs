//! A viscous flow with a folder: statistics, paths and checkpoints on disk, resumable bit for bit.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize as _;
use unstick_bodies::{FlatSuspension, Suspension, SuspensionState};

use super::paths::Paths;
use super::stats::Stats;
use super::{PathLines, ViscousScene};
use crate::draw::viscous::{ViscousLook, draw};
use crate::run::checkpoint::{self, Header};
use crate::run::{Progress, RunError, RunRecord, forget_frames_after, physics};

/// A viscous flow with a folder of its own.
pub struct ViscousRun<const D: usize> {
    scene: ViscousScene<D>,
    suspension: Suspension<D>,
    folder: PathBuf,
    stats: Stats,
    /// Of the bodies, if there are any.
    paths: Option<Paths>,
    physics: [u8; 32],
    frame: usize,
    /// How pictures look; none if none are asked for.
    look: Option<ViscousLook>,
}

impl<const D: usize> ViscousRun<D> {
    /// Begins in a folder that is there, [`prepare_folder`](crate::run::prepare_folder) makes one, and draws the first
    /// frame.
    pub fn create(
        scene: ViscousScene<D>,
        suspension: Suspension<D>,
        record: &RunRecord,
        folder: &Path,
    ) -> Result<Self, RunError> {
        record.write(folder)?;
        let stats = Stats::create(&folder.join("stats.csv"))?;
        let has_bodies = !scene.bodies.is_empty();
        let paths = has_bodies.then(|| Paths::create::<D>(&folder.join("bodies.csv"))).transpose()?;
        let physics = physics(record, folder)?;
        let mut run =
            Self { look: None, scene, suspension, folder: folder.to_owned(), stats, paths, physics, frame: 0 };
        run.open_pictures()?;
        run.draw()?;
        Ok(run)
    }

    /// Goes on from the newest sound checkpoint; says which ones were not.
    pub fn resume(scene: ViscousScene<D>, record: &RunRecord, folder: &Path) -> Result<(Self, Vec<String>), RunError> {
        let physics = physics(record, folder)?;
        let (grid, bodies) = (&scene.setup.grid, scene.bodies.len());
        let restore = |data: &mut checkpoint::Data<'_>| {
            Ok(SuspensionState::restore(grid, bodies, FlatSuspension::deserialize(data)?))
        };
        let (header, state, notes) = checkpoint::read(&folder.join("checkpoint"), physics, restore)?;
        let frame = header.frame as usize;
        if scene.frames < frame {
            return Err(RunError::EndsEarlier { folder: folder.to_owned(), reached: frame, asked: scene.frames });
        }
        let step = state.flow.step;
        let suspension = scene.resume(state)?;
        let stats = Stats::resume(&folder.join("stats.csv"), step)?;
        let paths = (bodies > 0).then(|| Paths::resume::<D>(&folder.join("bodies.csv"), step)).transpose()?;
        forget_frames_after(&folder.join("frames"), frame)?;
        record.write(folder)?;
        let mut run = Self { look: None, scene, suspension, folder: folder.to_owned(), stats, paths, physics, frame };
        run.open_pictures()?;
        Ok((run, notes))
    }

    fn open_pictures(&mut self) -> Result<(), RunError> {
        if self.scene.output.common.frames {
            let folder = self.folder.join("frames");
            std::fs::create_dir_all(&folder).map_err(RunError::file(&folder))?;
            self.look = Some(self.scene.look());
        }
        Ok(())
    }

    /// The last whole frame.
    pub fn frame(&self) -> usize {
        self.frame
    }

    /// The scene.
    pub fn scene(&self) -> &ViscousScene<D> {
        &self.scene
    }

    /// Liquid and bodies.
    pub fn suspension(&self) -> &Suspension<D> {
        &self.suspension
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Computes the next frame. When asked to stop, it finishes the step and writes a checkpoint.
    pub fn advance(&mut self, stop: &AtomicBool) -> Result<Progress, RunError> {
        let target = (self.frame + 1) as f64 * self.scene.frame;
        while let Some(length) = self.scene.next_step(&self.suspension, target) {
            let before = self.suspension.state();
            match self.suspension.advance(length) {
                Ok(report) => self.stats.note(&self.suspension, &report),
                Err(error) => {
                    // A step that failed has left half of itself behind.
                    self.suspension.set_state(before);
                    self.flush()?;
                    self.checkpoint()?;
                    return Err(error.into());
                }
            }
            if self.path_lines() == PathLines::Step {
                self.note_paths();
            }
            if stop.load(Ordering::Relaxed) && self.scene.next_step(&self.suspension, target).is_some() {
                self.flush()?;
                self.checkpoint()?;
                return Ok(Progress::Interrupted);
            }
        }
        self.frame += 1;
        if self.path_lines() == PathLines::Frame {
            self.note_paths();
        }
        self.flush()?;
        self.draw()?;
        let every = self.scene.output.common.checkpoint_every;
        let interrupted = stop.load(Ordering::Relaxed);
        let is_due = every > 0 && self.frame.is_multiple_of(every);
        if is_due || interrupted || self.frame >= self.scene.frames {
            self.checkpoint()?;
        }
        Ok(if interrupted { Progress::Interrupted } else { Progress::Frame })
    }

    fn path_lines(&self) -> PathLines {
        self.scene.output.bodies.unwrap_or(PathLines::suiting(self.scene.bodies.len()))
    }

    fn note_paths(&mut self) {
        if let Some(paths) = &mut self.paths {
            paths.note(&self.suspension);
        }
    }

    fn draw(&self) -> Result<(), RunError> {
        let Some(look) = &self.look else { return Ok(()) };
        let path = self.folder.join("frames").join(format!("{:04}.png", self.frame));
        Ok(draw(&self.suspension, look).write_png(&path)?)
    }

    fn flush(&mut self) -> Result<(), RunError> {
        self.stats.flush()?;
        self.paths.as_mut().map_or(Ok(()), Paths::flush)
    }

    /// Writes a checkpoint.
    pub fn checkpoint(&self) -> Result<(), RunError> {
        let header = Header { frame: self.frame as u64, physics: self.physics };
        let state = self.suspension.state();
        checkpoint::write(&self.folder.join("checkpoint"), &header, state.flow.step, &state.to_data())
    }
}
