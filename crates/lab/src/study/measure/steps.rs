//! Takes one step from the same states with each setting.

use unstick::liquid::{Simulation, Stage, StepReport};
use unstick::scene::{AnyScene, Scene};

use super::{Measurement, SIMULATED_WITH, Session, grids, prepared, scene_with};
use crate::LabError;
use crate::study::record::{Record, Step};
use crate::study::{Scope, Setting, Steps};

pub fn measurements(experiment: &Steps, scope: Scope) -> Vec<Measurement> {
    let effort = experiment.efforts.of(scope);
    let mut measurements = Vec::new();
    for (scene, size) in grids(std::slice::from_ref(&experiment.scene), effort) {
        for &frame in &effort.frames {
            for setting in &experiment.settings {
                let key = key(experiment, size, frame, setting);
                measurements.push(Measurement::new(scene, size, frame, [&setting.row, &setting.column], key));
            }
        }
    }
    measurements
}

pub fn check(experiment: &Steps, scope: Scope) -> Result<(), LabError> {
    let settings = || experiment.settings.iter().chain([&experiment.reference]);
    experiment
        .efforts
        .of(scope)
        .sizes
        .iter()
        .try_for_each(|&size| settings().try_for_each(|setting| prepared(&experiment.scene, size, setting).map(drop)))
}

pub fn measure(experiment: &Steps, scope: Scope, session: &mut Session) -> Result<(), LabError> {
    let effort = experiment.efforts.of(scope);
    for &size in &effort.sizes {
        let is_whole =
            |frame| experiment.settings.iter().all(|setting| session.has(&key(experiment, size, frame, setting)));
        let frames: Vec<_> = effort.frames.iter().copied().filter(|&frame| !is_whole(frame)).collect();
        if frames.is_empty() {
            continue;
        }
        match scene_with(&experiment.scene, size, [SIMULATED_WITH])? {
            AnyScene::Plane(scene) => compare(experiment, size, &scene, &frames, session, AnyScene::plane)?,
            AnyScene::Space(scene) => compare(experiment, size, &scene, &frames, session, AnyScene::space)?,
        }
    }
    Ok(())
}

fn key(experiment: &Steps, size: usize, frame: usize, setting: &Setting) -> String {
    format!("step {} {size} frame {frame} {:?} against {:?}", experiment.scene, setting.sets, experiment.reference.sets)
}

/// Simulates from frame to frame. At each frame, every setting takes the same step from the same state.
fn compare<const D: usize>(
    experiment: &Steps,
    size: usize,
    scene: &Scene<D>,
    frames: &[usize],
    session: &mut Session,
    of_dimension: fn(AnyScene) -> Option<Scene<D>>,
) -> Result<(), LabError> {
    let mut simulation = scene.simulation()?;
    for &frame in frames {
        session.say(format!("simulating {}, {size}", experiment.scene));
        simulation.advance_to(frame as f64 * scene.frame).map_err(unstick::scene::run::RunError::from)?;
        let dt = simulation.next_step((frame + 1) as f64 * scene.frame).unwrap_or(scene.frame);
        let step = |setting: &Setting| -> Result<Taken<D>, LabError> {
            let Some(other) = of_dimension(prepared(&experiment.scene, size, setting)?) else {
                return Ok(Err("the scene has another dimension".into()));
            };
            let mut other = other.resume(simulation.state().clone())?;
            Ok(other.advance(dt).map(|report| (other, report)).map_err(|error| error.to_string()))
        };
        let reference = step(&experiment.reference)?;
        for setting in &experiment.settings {
            let key = key(experiment, size, frame, setting);
            if !session.has(&key) {
                session.say(format!("{}, {size}, frame {frame}: {} {}", experiment.scene, setting.row, setting.column));
                let record = record(&step(setting)?, &reference);
                session.keep(key, Record::Step(record))?;
            }
        }
    }
    Ok(())
}

/// A simulation after a step with its report, or why the step failed.
type Taken<const D: usize> = Result<(Simulation<D>, StepReport), String>;

fn record<const D: usize>(taken: &Taken<D>, reference: &Taken<D>) -> Step {
    let failed = |error: &String| Step { error: Some(error.clone()), ..Step::default() };
    let ((simulation, report), (reference, _)) = match (taken, reference) {
        (Ok(taken), Ok(reference)) => (taken, reference),
        (Err(error), _) | (_, Err(error)) => return failed(error),
    };
    let pairs = simulation.state().velocity.iter().zip(&reference.state().velocity);
    let differences = pairs.flat_map(|(ours, theirs)| ours.values().iter().zip(theirs.values()));
    let differences: Vec<f64> = differences.map(|(ours, theirs)| (ours - theirs).abs()).collect();
    let differing = differences.iter().filter(|difference| **difference > 0.0).count().max(1);
    let squares: f64 = differences.iter().map(|difference| difference * difference).sum();
    Step {
        cycles: report.cycles as f64,
        iterations: report.inner_iterations as f64,
        seconds: report.seconds[Stage::Pressure as usize].as_secs_f64(),
        difference: differences.iter().copied().fold(0.0, f64::max),
        spread: (squares / differing as f64).sqrt(),
        history: report.history.clone(),
        error: None,
    }
}
