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
        if apart > DIFFERENCE * unit {
            differences.push(format!("{}: {name} {:.1e} apart", scene.name, apart / unit));
        }
    }
    Some(differences)
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
