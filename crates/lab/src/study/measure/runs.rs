//! Simulates a scene once with each setting.

use unstick::liquid::{Simulation, Stage, StepReport};
use unstick::scene::draw::{PictureStyle, draw};
use unstick::scene::run::RunError;
use unstick::scene::{AnyScene, Frame, Scene};

use super::balls::volume_of_balls;
use super::{Measurement, Session, grids, prepared};
use crate::LabError;
use crate::study::record::{Course, CourseFrame, Record};
use crate::study::{Effort, Runs, Scope, Setting};

/// Width of pictures; several stand side by side.
const WIDTH: usize = 320;

/// Folder of the pictures, inside that of the store.
const PICTURES: &str = "pictures";

pub fn measurements(experiment: &Runs, scope: Scope) -> Vec<Measurement> {
    let effort = experiment.efforts.of(scope);
    let mut measurements = Vec::new();
    for (scene, size) in grids(&experiment.scenes, effort) {
        for setting in &experiment.settings {
            let key = key(experiment, scene, size, effort, setting);
            measurements.push(Measurement::new(scene, size, last(effort), [&setting.row, &setting.column], key));
        }
    }
    measurements
}

pub fn check(experiment: &Runs, scope: Scope) -> Result<(), LabError> {
    for (scene, size) in grids(&experiment.scenes, experiment.efforts.of(scope)) {
        experiment.settings.iter().try_for_each(|setting| prepared(scene, size, setting).map(drop))?;
    }
    Ok(())
}

pub fn measure(experiment: &Runs, scope: Scope, session: &mut Session) -> Result<(), LabError> {
    let effort = experiment.efforts.of(scope);
    for (scene, size) in grids(&experiment.scenes, effort) {
        for setting in &experiment.settings {
            let key = key(experiment, scene, size, effort, setting);
            if session.has(&key) {
                continue;
            }
            session.say(format!("{scene}, {size}: {} {}", setting.row, setting.column));
            let album = experiment.is_drawn.then(|| Album {
                folder: session.store.folder().to_owned(),
                name: format!("{scene}-{size}-{}{}", setting.row, setting.column),
                frames: &effort.frames,
            });
            let course = match prepared(scene, size, setting)? {
                AnyScene::Plane(scene) => run(&scene, last(effort), album.as_ref(), session)?,
                AnyScene::Space(scene) => run(&scene, last(effort), album.as_ref(), session)?,
            };
            session.keep(key, Record::Run(course))?;
        }
    }
    Ok(())
}

fn last(effort: &Effort) -> usize {
    effort.frames.last().copied().unwrap_or(0)
}

fn key(experiment: &Runs, scene: &str, size: usize, effort: &Effort, setting: &Setting) -> String {
    let drawn = if experiment.is_drawn { format!(" drawn {:?}", effort.frames) } else { String::new() };
    format!("run {scene} {size} to {} {:?}{drawn}", last(effort), setting.sets)
}

/// Where pictures of a run go.
struct Album<'a> {
    folder: std::path::PathBuf,
    name: String,
    frames: &'a [usize],
}

impl Album<'_> {
    /// Draws the frame if it is wanted.
    fn take<const D: usize>(
        &self,
        scene: &Scene<D>,
        simulation: &Simulation<D>,
        frame: usize,
    ) -> Result<Option<(usize, String)>, LabError> {
        if !self.frames.contains(&frame) {
            return Ok(None);
        }
        let folder = self.folder.join(PICTURES);
        std::fs::create_dir_all(&folder).map_err(LabError::writing(&folder))?;
        let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
        let name = format!("{}-{frame:04}.png", self.name.chars().map(plain).collect::<String>());
        let style = PictureStyle { width: WIDTH, ..scene.picture_style() };
        let image = draw(&Frame::of(simulation, frame), &style);
        image.write_png(&folder.join(&name)).map_err(RunError::from)?;
        Ok(Some((frame, format!("{PICTURES}/{name}"))))
    }
}

fn run<const D: usize>(
    scene: &Scene<D>,
    frames: usize,
    album: Option<&Album>,
    session: &Session,
) -> Result<Course, LabError> {
    let mut simulation = scene.simulation()?;
    let (volume, surface_volume) = (simulation.volume(), simulation.surface_volume());
    let ball_volume = volume_of_balls(&simulation);
    let mut course = Course { volume, surface_volume, ball_volume, ..Course::default() };
    for frame in 1..=frames {
        session.say(format!("{}, frame {frame} of {frames}", scene.name));
        match simulation.advance_to(frame as f64 * scene.frame) {
            Ok(report) => {
                if course.frames.is_empty() {
                    course.energy = report.steps.first().map_or(0.0, energy);
                }
                course.unconverged += report.steps.iter().filter(|step| !step.converged).count();
                course.frames.extend(summary(&simulation, &report.steps));
            }
            Err(error) => {
                course.error = Some(error.to_string());
                break;
            }
        }
        if let Some(album) = album {
            course.pictures.extend(album.take(scene, &simulation, frame)?);
        }
    }
    Ok(course)
}

fn summary<const D: usize>(simulation: &Simulation<D>, steps: &[StepReport]) -> Option<CourseFrame> {
    let last = steps.last()?;
    let mean = |value: &dyn Fn(&StepReport) -> f64| steps.iter().map(value).sum::<f64>() / steps.len() as f64;
    let square = |velocity: &[f64; D]| velocity.iter().map(|value| value * value).sum::<f64>();
    let state = simulation.state();
    Some(CourseFrame {
        steps: steps.len(),
        time: last.time,
        volume: last.volume,
        surface_volume: last.surface_volume,
        ball_volume: volume_of_balls(simulation),
        separated: state.separated.values().iter().filter(|&&separated| separated).count(),
        energy: energy(last),
        fastest: state.particles.velocity.iter().map(square).fold(0.0, f64::max).sqrt(),
        cycles: mean(&|step| step.cycles as f64),
        iterations: mean(&|step| step.inner_iterations as f64),
        pressure_seconds: mean(&|step| step.seconds[Stage::Pressure as usize].as_secs_f64()),
        seconds: mean(&|step| step.seconds.iter().sum::<std::time::Duration>().as_secs_f64()),
    })
}

fn energy(step: &StepReport) -> f64 {
    step.kinetic_energy + step.potential_energy
}
