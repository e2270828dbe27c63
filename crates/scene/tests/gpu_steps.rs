//! Scenes whose steps a device takes, which the host stands in for, against the processor.
#![cfg(feature = "emulation")]

use rayon::prelude::*;
use unstick_gpu::{Gpu, GpuLiquid};
use unstick_liquid::StepReport;
use unstick_scene::{AnyScene, Scene, SceneFile, catalogue};

/// Frames of every scene.
const FRAMES: usize = 6;

/// Part of the largest value by which energies and volumes may differ. Both lie in single precision at first; splashes
/// make more of it.
const DIFFERENCE: f64 = 1e-3;

/// The same for the volume of the particles. It follows the displacements, which both solve for in their own way and to a
/// hundredth. Solved to 1e-4, all scenes agree to `DIFFERENCE`.
const DIFFERENCE_OF_VOLUMES: f64 = 3e-3;

/// A number of a report.
type Number = fn(&StepReport) -> f64;

fn coarse(name: &str) -> AnyScene {
    let mut file = SceneFile::find(name).unwrap();
    let cells = if file.scene().unwrap().dimension() == 2 { "[24, 24]" } else { "[12, 12, 12]" };
    file.set(&format!("grid.cells = {cells}")).unwrap();
    file.scene().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs some frames on both; returns what differs, or nothing at all if the device leaves the scene to the processor.
fn compare<const D: usize>(scene: &Scene<D>) -> Option<Vec<String>> {
    if !scene.bodies.is_empty() || GpuLiquid::check(&scene.setup).is_err() {
        return None;
    }
    let mut on_host = scene.simulation().unwrap();
    let mut on_device =
        GpuLiquid::new(Gpu::emulated(), scene.simulation().unwrap()).map_err(|(error, _)| error).unwrap();
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    for frame in 1..=FRAMES {
        let time = frame as f64 * scene.frame;
        expected.push(on_host.advance_to(time).unwrap().steps.pop().unwrap());
        let mut last = None;
        while let Some(dt) = on_device.next_step(time) {
            last = Some(on_device.advance(dt).unwrap());
        }
        found.push(last.unwrap());
    }
    let mut differences = Vec::new();
    if let Some(step) = found.iter().find(|step| !step.converged) {
        differences.push(format!("{}: no answer at {} s", scene.name, step.time));
    }
    let numbers: [(&str, Number); 4] = [
        ("volume", |step| step.volume),
        ("surface volume", |step| step.surface_volume),
        ("kinetic energy", |step| step.kinetic_energy),
        ("potential energy", |step| step.potential_energy),
    ];
    let energy = expected.iter().map(|step| step.kinetic_energy.max(step.potential_energy.abs())).fold(0.0, f64::max);
    for (name, number) in numbers {
        let largest = expected.iter().map(|step| number(step).abs()).fold(0.0, f64::max);
        // Liquid at rest has no kinetic energy to compare with.
        let unit = if name == "kinetic energy" { energy } else { largest };
        let apart = found.iter().zip(&expected).map(|(a, b)| (number(a) - number(b)).abs()).fold(0.0, f64::max);
        let difference = if name == "volume" { DIFFERENCE_OF_VOLUMES } else { DIFFERENCE };
        if apart > difference * unit {
            differences.push(format!("{}: {name} {:.1e} apart", scene.name, apart / unit));
        }
    }
    Some(differences)
}

/// A paddle stirs a tank that is filled and emptied.
fn stirred(dimension: usize) -> AnyScene {
    let vector = |numbers: [f64; 3]| format!("{:?}", &numbers[..dimension]);
    let shape = |kind: &str, centre: [f64; 3]| {
        format!("shape = {{ {kind} = {{ centre = {}, radius = 0.1 }} }}", vector(centre))
    };
    let spin = if dimension == 2 { "90.0".to_owned() } else { "[0.0, 0.0, 90.0]".to_owned() };
    let text = format!(
        "title = \"Stirred\"\n[grid]\ncells = [4, 4]\n[time]\nframe = 0.01\nframes = 10\n[pressure]\n\
         on_unconverged = \"shorten-step\"\n\
         [[liquid]]\nshape = {{ cuboid = {{ lower = {zero}, upper = {surface} }} }}\n\
         [[solid]]\nshape = {{ cuboid = {{ lower = {low}, upper = {high} }} }}\n\
         motion = {{ velocity = {velocity}, spin = {spin}, about = {middle} }}\n\
         [[source]]\n{source}\nvelocity = {down}\n[[drain]]\n{drain}\nstart = 0.02\n",
        zero = vector([0.0; 3]),
        surface = vector([1.0, 0.4, 1.0]),
        low = vector([0.28, 0.15, 0.2]),
        high = vector([0.38, 0.7, 0.8]),
        velocity = vector([0.5, 0.0, 0.0]),
        middle = vector([0.33, 0.4, 0.5]),
        source = shape("sphere", [0.7, 0.75, 0.5]),
        down = vector([0.2, -1.0, 0.0]),
        drain = shape("sphere", [0.8, 0.1, 0.5]),
    );
    let mut file = SceneFile::parse("stirred", "stirred", &text, std::path::Path::new(".")).unwrap();
    file.set(if dimension == 2 { "grid.cells = [24, 24]" } else { "grid.cells = [12, 12, 12]" }).unwrap();
    file.scene().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_tank_that_is_stirred_filled_and_emptied_has_the_invariants_of_the_processor() {
    for dimension in [2, 3] {
        let differences = match stirred(dimension) {
            AnyScene::Plane(scene) => compare(&scene),
            AnyScene::Space(scene) => compare(&scene),
        };
        let differences = differences.expect("the device takes it");
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}

#[test]
fn every_scene_that_the_device_takes_has_the_invariants_of_the_processor() {
    let compared: Vec<_> = catalogue::ALL
        .par_iter()
        .filter_map(|entry| match coarse(entry.name) {
            AnyScene::Plane(scene) => compare(&scene),
            AnyScene::Space(scene) => compare(&scene),
        })
        .collect();
    assert!(compared.len() > 8, "the device takes {} scenes alone", compared.len());
    let differences: Vec<_> = compared.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
