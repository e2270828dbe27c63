//! One step from the same states with each setting.

use unstick::liquid::{Simulation, Stage, StepReport};
use unstick::scene::{AnyScene, Scene};

use super::{Desk, GOES_ON, Place, SIMULATED_WITH, grids, scene_with};
use crate::LabError;
use crate::study::record::{Record, Step};
use crate::study::{Pace, Setting, Steps};

pub fn places(task: &Steps, pace: Pace) -> Vec<Place> {
    let effort = pace.of(&task.efforts);
    let mut places = Vec::new();
    for (scene, size) in grids(&[task.scene], effort) {
        for &frame in effort.frames {
            for setting in task.settings {
                let key = key(task, size, frame, setting);
                places.push(Place { scene, size, frame, row: setting.row, column: setting.column, key });
            }
        }
    }
    places
}

pub fn check(task: &Steps, pace: Pace) -> Result<(), LabError> {
    for &size in pace.of(&task.efforts).sizes {
        with(task, size, task.reference)?;
        task.settings.iter().try_for_each(|setting| with(task, size, setting.sets).map(drop))?;
    }
    Ok(())
}

pub fn measure(task: &Steps, pace: Pace, desk: &mut Desk) -> Result<(), LabError> {
    let effort = pace.of(&task.efforts);
    for &size in effort.sizes {
        let is_whole = |frame| task.settings.iter().all(|setting| desk.has(&key(task, size, frame, setting)));
        let frames: Vec<_> = effort.frames.iter().copied().filter(|&frame| !is_whole(frame)).collect();
        if frames.is_empty() {
            continue;
        }
        match scene_with(task.scene, size, &[SIMULATED_WITH])? {
            AnyScene::Plane(scene) => compare(task, size, &scene, &frames, desk, plane)?,
            AnyScene::Space(scene) => compare(task, size, &scene, &frames, desk, space)?,
        }
    }
    Ok(())
}

fn key(task: &Steps, size: usize, frame: usize, setting: &Setting) -> String {
    format!("step {} {size} frame {frame} {:?} against {:?}", task.scene, setting.sets, task.reference)
}

fn with(task: &Steps, size: usize, sets: &[&str]) -> Result<AnyScene, LabError> {
    scene_with(task.scene, size, [&GOES_ON].into_iter().chain(sets))
}

fn plane(scene: AnyScene) -> Option<Scene<2>> {
    if let AnyScene::Plane(scene) = scene { Some(scene) } else { None }
}

fn space(scene: AnyScene) -> Option<Scene<3>> {
    if let AnyScene::Space(scene) = scene { Some(scene) } else { None }
}

/// Simulates from frame to frame; at each, every setting takes the same step from the same state.
fn compare<const D: usize>(
    task: &Steps,
    size: usize,
    scene: &Scene<D>,
    frames: &[usize],
    desk: &mut Desk,
    of_dimension: fn(AnyScene) -> Option<Scene<D>>,
) -> Result<(), LabError> {
    let mut simulation = scene.simulation()?;
    for &frame in frames {
        desk.say(format!("simulating {}, {size}", task.scene));
        simulation.advance_to(frame as f64 * scene.frame).map_err(unstick::scene::run::RunError::from)?;
        let dt = simulation.next_step((frame + 1) as f64 * scene.frame).unwrap_or(scene.frame);
        let step = |sets: &[&str]| -> Result<Taken<D>, LabError> {
            let Some(other) = of_dimension(with(task, size, sets)?) else {
                return Ok(Err("the scene has another dimension".into()));
            };
            let mut other = other.resume(simulation.state().clone())?;
            Ok(other.advance(dt).map(|report| (other, report)).map_err(|error| error.to_string()))
        };
        let reference = step(task.reference)?;
        for setting in task.settings {
            let key = key(task, size, frame, setting);
            if !desk.has(&key) {
                desk.say(format!("{}, {size}, frame {frame}: {} {}", task.scene, setting.row, setting.column));
                let record = record(&step(setting.sets)?, &reference);
                desk.keep(key, Record::Step(record))?;
            }
        }
    }
    Ok(())
}

/// A simulation after a step and the account of it, or why there is none.
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
