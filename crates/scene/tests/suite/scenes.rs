//! Every scene of the catalogue, at low resolution for a few frames.

use rayon::prelude::*;
use unstick_liquid::Wall;
use unstick_scene::run::AnyRunScene;
use unstick_scene::{AnyScene, Scene, SceneFile, catalogue, either};

/// Frames of each scene.
const FRAMES: usize = 60;

/// A scene of the catalogue on a coarse grid.
fn coarse(name: &str) -> AnyScene {
    let mut file = SceneFile::find(name).unwrap();
    let cells = if file.scene().unwrap().dimension() == 2 { "[30, 30]" } else { "[16, 16, 16]" };
    file.set(&format!("grid.cells = {cells}")).unwrap();
    file.scene().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Takes the frames and checks every step; returns what went wrong.
fn check<const D: usize>(scene: &Scene<D>) -> Result<(), String> {
    let name = &scene.name;
    let mut simulation = scene.simulation().map_err(|error| format!("{name}: {error}"))?;
    let volume = simulation.volume();
    let report = simulation.advance_to(FRAMES as f64 * scene.frame).map_err(|error| format!("{name}: {error}"))?;
    for step in &report.steps {
        if !step.converged || step.divergence > 1e-3 || step.complementarity > 1e-3 {
            return Err(format!("{name} at {} s: {step:?}", step.time));
        }
    }
    let drift = (simulation.volume() / volume - 1.0).abs();
    if drift > 0.03 {
        return Err(format!("{name}: the volume changed by {:.1} %", 100.0 * drift));
    }
    let (grid, geometry) = (scene.setup.grid, simulation.geometry());
    let particles = &simulation.state().particles;
    for (position, velocity) in particles.position.iter().zip(&particles.velocity) {
        let is_finite = position.iter().chain(velocity).all(|value| value.is_finite());
        let depth = -geometry.distance(&grid, *position);
        if !is_finite || depth > 0.1 * grid.spacing() {
            return Err(format!("{name}: a particle at {position:?} moves by {velocity:?}, {depth} deep in a solid"));
        }
    }
    Ok(())
}

fn check_all(walls: Option<Wall>) {
    let failures: Vec<String> = catalogue::ALL
        .par_iter()
        .filter_map(|entry| match coarse(entry.name) {
            AnyScene::Plane(scene) => check(&scene.with_walls(walls)).err(),
            AnyScene::Space(scene) => check(&scene.with_walls(walls)).err(),
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_scene_runs_as_it_is() {
    check_all(None);
}

#[test]
fn every_scene_runs_with_sealed_walls() {
    check_all(Some(Wall::Sealed));
}

/// Steps of a scene from its first frame to its last, and the most inner iterations of one solve. The
/// columns of bodies are new to the preconditioner at every policy: each may cost a few iterations.
fn soak<const D: usize>(scene: &Scene<D>) -> Result<(usize, usize), String> {
    let name = &scene.name;
    let mut simulation = scene.simulation().map_err(|error| format!("{name}: {error}"))?;
    let end = scene.frames as f64 * scene.frame;
    let report = simulation.advance_to(end).map_err(|error| format!("{name}: {error}"))?;
    match report.steps.iter().find(|step| !step.converged) {
        Some(step) => Err(format!("{name} at {} s: {step:?}", step.time)),
        None => {
            let most = report.steps.iter().map(|step| step.inner_iterations).max().unwrap_or(0);
            let for_bodies = 20 * scene.bodies.len();
            Ok((report.steps.len(), most.saturating_sub(for_bodies)))
        }
    }
}

#[test]
fn no_solve_of_any_frame_of_any_scene_fails_to_converge() {
    let soaked = catalogue::ALL.par_iter().map(|entry| {
        let soaked = match coarse(entry.name) {
            AnyScene::Plane(scene) => soak(&scene),
            AnyScene::Space(scene) => soak(&scene),
        };
        let (steps, most) = soaked.unwrap_or_else(|failure| panic!("{failure}"));
        (steps, (most, entry.name))
    });
    let (steps, worst) = soaked.reduce(|| (0, (0, "")), |one, other| (one.0 + other.0, one.1.max(other.1)));
    println!("{steps} solves, at most {} cycles in one of them ({})", worst.0, worst.1);
    assert!(worst.0 <= 40, "{} took {} cycles in one solve", worst.1, worst.0);
}

#[test]
fn every_scene_says_where_it_comes_from_and_what_happens() {
    for entry in catalogue::ALL.iter().chain(catalogue::VISCOUS) {
        let file = SceneFile::find(entry.name).unwrap();
        let scene = AnyRunScene::of(&file, None).unwrap();
        let (title, description, warnings) = either!(scene, scene => (scene.title, scene.description, scene.warnings));
        assert!(warnings.is_empty(), "{}: {warnings:?}", entry.name);
        assert!(entry.text.starts_with("# ") && entry.text.contains("# What to look for:"), "{}", entry.name);
        assert!(!title.is_empty() && !description.is_empty(), "{}", entry.name);
        let widest = entry.text.lines().filter(|line| line.starts_with('#')).map(|line| line.chars().count()).max();
        assert!(widest <= Some(105), "{}: comments of {widest:?} columns", entry.name);
    }
}

/// What is in the folder is what is embedded, and nothing is missing.
#[test]
fn the_catalogue_is_the_folder() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .collect();
    let mut listed: Vec<&str> = catalogue::names().collect();
    names.sort();
    listed.sort_unstable();
    assert_eq!(names, listed);
}

/// A scene as `run.json` keeps it means the same.
#[test]
fn a_scene_survives_being_written_out() {
    for entry in catalogue::ALL {
        let file = SceneFile::find(entry.name).unwrap();
        let again = SceneFile::parse(entry.name, "copy", &file.to_toml(), std::path::Path::new(".")).unwrap();
        let same = match (file.scene().unwrap(), again.scene().unwrap()) {
            (AnyScene::Plane(one), AnyScene::Plane(other)) => one.setup == other.setup && one.liquids == other.liquids,
            (AnyScene::Space(one), AnyScene::Space(other)) => one.setup == other.setup && one.liquids == other.liquids,
            _ => false,
        };
        assert!(same, "{}", entry.name);
    }
}
