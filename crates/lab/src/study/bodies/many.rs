//! What many bodies cost compared with the flow around them.

use unstick::bodies::SuspensionSeconds;
use unstick::scene::SceneFile;
use unstick::scene::viscous::{AnyViscousScene, ViscousScene};

use crate::study::Numbers;

/// Steps to take, and steps to average: the first one starts without a pressure.
const STEPS: usize = 4;
const COUNTED: usize = 2;

pub fn count(row: &str) -> Numbers {
    let count: usize = row.parse().map_err(|_| "expected a number")?;
    let scene = scene(count).map_err(|error| error.to_string())?;
    let mut suspension = scene.suspension().map_err(|error| error.to_string())?;
    let (mut sum, mut touching) = (SuspensionSeconds::default(), 0.0);
    for step in 0..STEPS {
        let report = suspension.advance(scene.max_step).map_err(|error| error.to_string())?;
        if step >= STEPS - COUNTED {
            sum = sum.plus(&report.seconds);
            touching += (report.films + report.contact.contacts) as f64;
        }
    }
    let mean = |value: f64| value / COUNTED as f64;
    let bodies = mean(sum.marking + sum.forces + sum.contact);
    Ok(vec![
        ("cells", scene.setup.grid.len() as f64),
        ("contacts and films", mean(touching)),
        ("flow", mean(sum.flow)),
        ("marking", mean(sum.marking)),
        ("forces", mean(sum.forces)),
        ("contact", mean(sum.contact)),
        ("bodies", bodies),
        ("bodies, µs each", 1e6 * bodies / count as f64),
    ])
}

/// The scene with this many spheres at the same density.
fn scene(count: usize) -> Result<ViscousScene<3>, unstick::scene::SceneError> {
    let size = (count as f64 / 5000.0).cbrt();
    let cells = [96.0, 120.0, 96.0].map(|cells: f64| (cells * size).round() as usize);
    let mut file = SceneFile::find("sedimentation-5000")?;
    file.set(&format!("grid.cells={cells:?}"))?;
    file.set(&format!("body.0.copies={count}"))?;
    match file.viscous_scene()? {
        AnyViscousScene::Space(scene) => Ok(scene),
        AnyViscousScene::Plane(_) => unreachable!("the scene has three dimensions"),
    }
}
