//! A simulation with a folder: statistics, data and checkpoints on disk, resumable bit for bit.

pub(crate) mod checkpoint;
pub(crate) mod csv;
mod error;
mod finish;
mod folder;
mod live;
pub(crate) mod paths;
mod record;
mod replay;
mod stats;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use unstick_files::Series;
use unstick_gpu::Backend;
use unstick_liquid::{LiquidState, Simulation, StepReport};

pub use error::RunError;
pub use finish::{Finished, finish, join_frames};
pub use folder::{check_folder, data_files, forget_frames_after, prepare_folder};
pub use live::{Beacon, RunState, Status, ask_to_stop, is_live};
pub use record::RunRecord;
pub use replay::{Origin, Replay};

use crate::dimension::{Dim, Dimension};
use crate::file::SceneFile;
use crate::frame::Frame;
use crate::scene::Scene;
use crate::sink::view::{LAYERS, ViewSink};
use crate::sink::{FrameSink, Shot, data_sinks};
use checkpoint::Header;
use paths::Paths;
use stats::Stats;

/// How a frame has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is whole.
    Frame,
    /// Asked to stop in the middle; a checkpoint is written.
    Interrupted,
}

/// A simulation with a folder of its own.
pub struct Run<const D: usize> {
    scene: Scene<D>,
    simulation: Simulation<D>,
    folder: PathBuf,
    stats: Stats,
    /// Of the bodies, if there are any.
    paths: Option<Paths>,
    physics: [u8; 32],
    frame: usize,
    sinks: Vec<Box<dyn FrameSink<D> + Send>>,
    device_failure: Option<String>,
}

impl<const D: usize> Run<D> {
    /// Begins in a folder that is there; [`prepare_folder`] makes one.
    pub fn create(
        scene: Scene<D>,
        simulation: Simulation<D>,
        record: &RunRecord,
        folder: &Path,
    ) -> Result<Self, RunError> {
        record.write(folder)?;
        let stats = Stats::create(&folder.join("stats.csv"))?;
        let has_bodies = simulation.bodies().is_some();
        let paths = has_bodies.then(|| Paths::create::<D>(&folder.join("bodies.csv"))).transpose()?;
        let physics = physics(record, folder)?;
        let (folder, sinks) = (folder.to_owned(), Vec::new());
        Ok(Self { scene, simulation, folder, stats, paths, physics, frame: 0, sinks, device_failure: None })
    }

    /// Goes on from the newest sound checkpoint; says which ones were not.
    pub fn resume(scene: Scene<D>, record: &RunRecord, folder: &Path) -> Result<(Self, Vec<String>), RunError> {
        let physics = physics(record, folder)?;
        let grid = &scene.setup.grid;
        let restore = |data: &mut checkpoint::Data<'_>| LiquidState::restore(grid, data);
        let (header, state, notes) = checkpoint::read(&folder.join("checkpoint"), physics, restore)?;
        let frame = header.frame as usize;
        if scene.frames < frame {
            return Err(RunError::EndsEarlier { folder: folder.to_owned(), reached: frame, asked: scene.frames });
        }
        let stats = Stats::resume(&folder.join("stats.csv"), state.step)?;
        let step = state.step;
        let simulation = scene.resume(state)?;
        let has_bodies = simulation.bodies().is_some();
        let paths = has_bodies.then(|| Paths::resume::<D>(&folder.join("bodies.csv"), step)).transpose()?;
        forget_frames_after(&folder.join("frames"), frame)?;
        forget_frames_after(&folder.join("states"), frame)?;
        for layer in LAYERS {
            forget_frames_after(&folder.join("view").join(layer), frame)?;
        }
        record.write(folder)?;
        let (folder, sinks) = (folder.to_owned(), Vec::new());
        let run = Self { scene, simulation, folder, stats, paths, physics, frame, sinks, device_failure: None };
        Ok((run, notes))
    }

    /// Gives a sink every frame from now on.
    pub fn add_sink(&mut self, sink: impl FrameSink<D> + Send + 'static) {
        self.sinks.push(Box::new(sink));
    }

    /// Adds the sinks that the scene asks for: particles, surface, fields, the files of the viewer. Their files of later frames,
    /// which a run that is gone on with may have left, are removed.
    pub fn add_data_sinks(&mut self) -> Result<(), RunError>
    where
        Dim<D>: Dimension<D>,
    {
        let sinks = data_sinks(&self.scene, &self.folder);
        if !sinks.is_empty() {
            let frame = self.picture();
            let shot = Shot { frame: &frame, simulation: &self.simulation };
            sinks.iter().try_for_each(|sink| sink.begin(&shot, self.frame))?;
        }
        // What was asked for before and is no longer.
        for data in ["particles", "surface", "volume"] {
            forget_frames_after(&self.folder.join(data), self.frame)?;
        }
        sinks.into_iter().for_each(|sink| self.add_sink(sink));
        if self.scene.is_viewed() {
            self.add_sink(ViewSink::create(&self.folder, &self.scene, &self.simulation)?);
        }
        Ok(())
    }

    /// The last whole frame.
    pub fn frame(&self) -> usize {
        self.frame
    }

    /// Whether the simulation is at that frame, not on its way to the next.
    pub fn is_at_frame(&self) -> bool {
        (self.simulation.state().time - self.frame as f64 * self.scene.frame).abs() < 1e-6 * self.scene.frame
    }

    /// The scene.
    pub fn scene(&self) -> &Scene<D> {
        &self.scene
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation<D> {
        &self.simulation
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What there is to see now.
    pub fn picture(&self) -> Frame<D> {
        Frame::of(&self.simulation, self.frame)
    }

    /// Shows the frame there is to all sinks (the first one, before anything has moved) and keeps its state
    /// if the scene asks for that.
    pub fn show(&mut self) -> Result<ControlFlow<()>, RunError> {
        if self.scene.output.states.is_some_and(|schedule| schedule.takes(self.frame)) {
            checkpoint::keep(&states(&self.folder), &self.header(), &self.simulation.state().to_data())?;
        }
        if self.sinks.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let frame = self.picture();
        let shot = Shot { frame: &frame, simulation: &self.simulation };
        let mut flow = ControlFlow::Continue(());
        for sink in &mut self.sinks {
            if sink.receive(&shot)?.is_break() {
                flow = ControlFlow::Break(());
            }
        }
        Ok(flow)
    }

    /// Computes the next frame. When asked to stop, it finishes the step and writes a checkpoint.
    pub fn advance(&mut self, stop: &AtomicBool) -> Result<Progress, RunError> {
        self.advance_with(stop, |_| ())
    }

    /// The same; `see` gets the account of every step.
    pub fn advance_with(&mut self, stop: &AtomicBool, mut see: impl FnMut(&StepReport)) -> Result<Progress, RunError> {
        let target = (self.frame + 1) as f64 * self.scene.frame;
        while let Some(dt) = self.simulation.next_step(target) {
            let step = self.simulation.advance(dt);
            match step {
                Ok(report) => {
                    self.note(&report);
                    see(&report);
                    if let Some(reason) = report.device_failure {
                        self.lose_device(reason)?;
                    }
                }
                Err(error) => {
                    self.flush()?;
                    self.checkpoint()?;
                    return Err(error.into());
                }
            }
            if stop.load(Ordering::Relaxed) && self.simulation.next_step(target).is_some() {
                self.flush()?;
                self.checkpoint()?;
                return Ok(Progress::Interrupted);
            }
        }
        self.frame += 1;
        self.flush()?;
        let flow = self.show()?;
        let every = self.scene.output.checkpoint_every;
        let is_due = every > 0 && self.frame.is_multiple_of(every);
        let interrupted = stop.load(Ordering::Relaxed) || flow.is_break();
        if is_due || interrupted || self.frame >= self.scene.frames {
            self.checkpoint()?;
        }
        Ok(if interrupted { Progress::Interrupted } else { Progress::Frame })
    }

    fn note(&mut self, report: &StepReport) {
        self.stats.note(&self.simulation, report);
        if let Some(paths) = &mut self.paths {
            paths.note(&self.simulation);
        }
    }

    fn flush(&mut self) -> Result<(), RunError> {
        self.stats.flush()?;
        self.paths.as_mut().map_or(Ok(()), Paths::flush)
    }

    /// The step is whole. A scene that asked for the GPU ends with it, any other goes on without.
    fn lose_device(&mut self, reason: String) -> Result<(), RunError> {
        if self.scene.backing.backend == Backend::Gpu {
            self.flush()?;
            self.checkpoint()?;
            return Err(RunError::Device { reason });
        }
        self.device_failure = Some(reason);
        Ok(())
    }

    /// Why the pressure is solved for on the processor from now on, if the device has failed; said once.
    pub fn take_device_failure(&mut self) -> Option<String> {
        self.device_failure.take()
    }

    /// Writes a checkpoint.
    pub fn checkpoint(&self) -> Result<(), RunError> {
        let state = self.simulation.state();
        checkpoint::write(&self.folder.join("checkpoint"), &self.header(), state.step, &state.to_data())
    }

    fn header(&self) -> Header {
        Header { frame: self.frame as u64, physics: self.physics }
    }
}

/// The states that are kept in a run folder.
fn states(folder: &Path) -> Series {
    Series { folder: folder.join("states"), extension: "state" }
}

/// A hash of what decides how the liquid moves.
pub(crate) fn physics(record: &RunRecord, folder: &Path) -> Result<[u8; 32], RunError> {
    let file: SceneFile = record.scene_file(folder)?;
    let text = format!("{}\nwalls = {:?}\n", file.physics(), record.walls);
    Ok(*blake3::hash(text.as_bytes()).as_bytes())
}
