//! Visits the problems of a source, one at a time.

use std::ops::Range;

use rayon::ThreadPool;

use unstick::liquid::{PressureStage, Simulation};
use unstick::problems::Problem;
use unstick::scene::run::RunError;
use unstick::scene::{AnyScene, Scene};

use super::{DIMENSION, Source};
use crate::compare::Velocities;
use crate::{LabError, Progress};

/// A pressure problem and where it comes from.
pub struct CapturedProblem {
    /// The scene, example or folder, as it was typed.
    pub scene: String,
    /// Cells along the longest axis, if there is a grid.
    pub size: Option<usize>,
    /// The frame before the step, if there are frames.
    pub frame: Option<usize>,
    /// The problem, with the pressure of the previous step if there is one.
    pub problem: Problem,
    /// The velocities of the step, for splittings; problems without a step have none.
    pub velocities: Option<Box<dyn Velocities>>,
    /// What the step knows beside its problem.
    pub step: Option<CapturedStep>,
}

/// What a step knows beside its pressure problem.
pub struct CapturedStep {
    /// Seconds over which the pressure acts.
    pub seconds: f64,
    /// Whether the wall of each row had let go in the step before.
    pub had_let_go: Vec<bool>,
}

/// Receives a problem, the only copy of it.
pub type Measure<'m, E> = dyn FnMut(CapturedProblem) -> Result<(), E> + 'm;

impl Source {
    /// Calls `measure` with every problem. Only one problem is in memory at a time.
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
                let problem = example.generate(DIMENSION, *size, 0);
                let problem = problem.map_err(|error| LabError::Generate { example: *example, error })?;
                measure(CapturedProblem::new(name, None, problem))
            }
            Self::Folder { path } => {
                let problem = Problem::read(path).map_err(|error| LabError::Folder { folder: path.clone(), error })?;
                measure(CapturedProblem::new(&path.display().to_string(), None, problem))
            }
        }
    }
}

/// Simulates from frame to frame and measures at each.
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
        let problem = problem_of(&stage)?;
        let step = Some(CapturedStep { seconds: stage.seconds(), had_let_go: stage.had_let_go().to_vec() });
        let velocities: Box<dyn Velocities> = Box::new((stage, scene.setup.pressure.splitting));
        let captured = CapturedProblem::new(name, Some(frame), problem);
        measure(CapturedProblem { velocities: Some(velocities), step, ..captured })?;
    }
    Ok(())
}

/// Advances a simulation that has reached the start of a range of frames to its end.
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

/// The pressure stage of the step after a frame. The simulation must have reached that frame.
pub fn stage_after<const D: usize>(
    scene: &Scene<D>,
    simulation: &Simulation<D>,
    frame: usize,
) -> Result<PressureStage<D>, LabError> {
    let dt = simulation.next_step((frame + 1) as f64 * scene.frame).unwrap_or(scene.frame);
    Ok(simulation.stage(dt).map_err(RunError::from)?)
}

/// The problem of a stage, with the pressure of the previous step as its start.
pub fn problem_of<const D: usize>(stage: &PressureStage<D>) -> Result<Problem, LabError> {
    Ok(Problem::from_rows(stage.grid(), stage.rows().clone())?.with_start(stage.start().to_vec())?)
}

/// One line on what is about to be simulated.
fn announcement<const D: usize>(scene: &Scene<D>, from: usize, to: usize) -> String {
    let cells = scene.setup.grid.cells().map(|count| count.to_string()).join(" × ");
    let solver = &scene.setup.pressure.solver;
    format!("simulating {}: {cells} cells, frames {from} to {to} with {solver}", scene.name)
}

impl CapturedProblem {
    fn new(scene: &str, frame: Option<usize>, problem: Problem) -> Self {
        let size = problem.grid().and_then(|grid| grid.shape.iter().copied().max());
        Self { scene: scene.into(), size, frame, problem, velocities: None, step: None }
    }

    /// One line on what it is.
    pub fn title(&self) -> String {
        let mut title = self.scene.clone();
        if let Some(grid) = self.problem.grid() {
            let cells: Vec<_> = grid.shape.iter().map(usize::to_string).collect();
            title += &format!(", {} cells", cells.join(" × "));
        }
        if let Some(frame) = self.frame {
            title += &format!(", frame {frame}");
        }
        title
    }
}
