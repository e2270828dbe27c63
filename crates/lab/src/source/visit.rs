//! From a source to its problems, one at a time.

use std::ops::Range;

use rayon::ThreadPool;

use unstick::liquid::{PressureStage, Simulation};
use unstick::mlcp::io::ProblemFolder;
use unstick::scene::run::RunError;
use unstick::scene::{AnyScene, Scene};

use super::{DIMENSION, Source};
use crate::compare::Velocities;
use crate::{LabError, Progress};

/// A pressure problem and where it comes from.
pub struct CapturedProblem {
    /// The scene, example or folder, as it was typed.
    pub scene: String,
    /// Cells along the longest axis; none where no grid is known.
    pub size: Option<usize>,
    /// The frame before the step; none where there are no frames.
    pub frame: Option<usize>,
    /// The problem, with the pressure of the step before where there is one.
    pub folder: ProblemFolder,
    /// What splittings work on, where the problem is one of a step.
    pub velocities: Option<Box<dyn Velocities>>,
}

/// What is done with a problem. It gets the only copy.
pub type Measure<'m, E> = dyn FnMut(CapturedProblem) -> Result<(), E> + 'm;

impl Source {
    /// Hands every problem to `measure`. No two of them are in memory at once.
    pub fn visit<E: From<LabError>>(
        &self,
        pool: &ThreadPool,
        progress: &dyn Progress,
        measure: &mut Measure<E>,
    ) -> Result<(), E> {
        match self {
            Self::Scene { name, scene, frames } => match &**scene {
                AnyScene::Plane(scene) => visit_frames(name, scene, frames, pool, progress, measure),
                AnyScene::Space(scene) => visit_frames(name, scene, frames, pool, progress, measure),
            },
            Self::Example { name, example, size } => {
                let folder = example.generate(DIMENSION, *size, 0);
                let folder = folder.map_err(|error| LabError::Generate { example: *example, error })?;
                measure(CapturedProblem::new(name, None, folder))
            }
            Self::Folder { path } => {
                let folder =
                    ProblemFolder::read(path).map_err(|error| LabError::Folder { folder: path.clone(), error })?;
                measure(CapturedProblem::new(&path.display().to_string(), None, folder))
            }
        }
    }
}

/// Simulates from frame to frame and stops at each to measure.
fn visit_frames<const D: usize, E: From<LabError>>(
    name: &str,
    scene: &Scene<D>,
    frames: &[usize],
    pool: &ThreadPool,
    progress: &dyn Progress,
    measure: &mut Measure<E>,
) -> Result<(), E> {
    let mut simulation = Some(pool.install(|| scene.simulation()).map_err(LabError::Scene)?);
    let mut reached = 0;
    for (place, &frame) in frames.iter().enumerate() {
        let Some(running) = &mut simulation else { break };
        if frame > reached {
            progress.announce(&announcement(scene, reached, frame));
            progress.begin_frames(&scene.title, reached, frame);
        }
        let stage = pool.install(|| {
            simulate(scene, running, reached..frame, progress)?;
            stage_after(scene, running, frame)
        });
        progress.end();
        let stage = stage?;
        reached = frame;
        if place + 1 == frames.len() {
            simulation = None; // its memory is better used by the solvers
        }
        let folder = stage.folder();
        let velocities: Box<dyn Velocities> = Box::new((stage, scene.setup.pressure.splitting));
        measure(CapturedProblem { velocities: Some(velocities), ..CapturedProblem::new(name, Some(frame), folder) })?;
    }
    Ok(())
}

/// Takes a simulation that is at the first of the frames to the one after the last.
pub fn simulate<const D: usize>(
    scene: &Scene<D>,
    simulation: &mut Simulation<D>,
    frames: Range<usize>,
    progress: &dyn Progress,
) -> Result<(), LabError> {
    for frame in frames {
        let report = simulation.advance_to((frame + 1) as f64 * scene.frame).map_err(RunError::from)?;
        if let Some(reason) = report.steps.iter().find_map(|step| step.device_failure.as_ref()) {
            progress.warn(&format!("{reason}; the processor goes on"));
        }
        progress.reached(frame + 1);
    }
    Ok(())
}

/// The pressure stage of the step after a frame, which the simulation has reached.
pub fn stage_after<const D: usize>(
    scene: &Scene<D>,
    simulation: &Simulation<D>,
    frame: usize,
) -> Result<PressureStage<D>, LabError> {
    let dt = simulation.next_step((frame + 1) as f64 * scene.frame).unwrap_or(scene.frame);
    Ok(simulation.stage(dt).map_err(RunError::from)?)
}

/// What is going to be simulated, in a line.
fn announcement<const D: usize>(scene: &Scene<D>, from: usize, to: usize) -> String {
    let cells = scene.setup.grid.cells().map(|count| count.to_string()).join(" × ");
    let solver = &scene.setup.pressure.solver;
    format!("simulating {}: {cells} cells, frames {from} to {to} with {solver}", scene.name)
}

impl CapturedProblem {
    fn new(scene: &str, frame: Option<usize>, folder: ProblemFolder) -> Self {
        let size = folder.grid.as_ref().and_then(|grid| grid.shape.iter().copied().max());
        Self { scene: scene.into(), size, frame, folder, velocities: None }
    }

    /// What it is, in a line.
    pub fn title(&self) -> String {
        let mut title = self.scene.clone();
        if let Some(grid) = &self.folder.grid {
            let cells: Vec<_> = grid.shape.iter().map(usize::to_string).collect();
            title += &format!(", {} cells", cells.join(" × "));
        }
        if let Some(frame) = self.frame {
            title += &format!(", frame {frame}");
        }
        title
    }
}
