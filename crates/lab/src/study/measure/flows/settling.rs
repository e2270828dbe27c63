//! A sphere that settles towards the floor of a box \[tenCate2002\], a disc in a channel \[Wan2006\].

use unstick::bodies::{RigidBody, Shape, Suspension, Weight};
use unstick::flow::{Axis, Flow, FlowSetup, StepError, TensorGrid};
use unstick::grid::Pose;

use super::{Say, sound, thinned};
use crate::study::record::Findings;

/// Cells that a body may cross in a step.
const CFL: f64 = 0.4;

/// An oil, in SI units.
struct Oil {
    density: f64,
    viscosity: f64,
    /// Speed of the sphere in open liquid.
    terminal: f64,
}

/// The oils of experiments 1 to 4.
const OILS: [Oil; 4] = [
    Oil { density: 970.0, viscosity: 0.373, terminal: 0.038 },
    Oil { density: 965.0, viscosity: 0.212, terminal: 0.060 },
    Oil { density: 962.0, viscosity: 0.113, terminal: 0.091 },
    Oil { density: 960.0, viscosity: 0.058, terminal: 0.128 },
];

pub fn sphere(experiment: usize, cells: usize, say: Say) -> Result<Findings, StepError> {
    let Oil { density, viscosity, terminal } = OILS[experiment - 1];
    let (diameter, start) = (0.015, 0.1275);
    let spacing = diameter / cells as f64;
    let middle = [0.05 - 0.75 * diameter, 0.05 + 0.75 * diameter];
    let lateral = || sound(Axis::clustered([0.0, 0.1], middle, spacing, 1.12, 6.0 * spacing));
    let z = sound(Axis::clustered([0.0, 0.16], [0.0, start + 0.6 * diameter], spacing, 1.12, 4.0 * spacing));
    let mut setup = FlowSetup::new(TensorGrid::new([lateral(), lateral(), z]), viscosity / density);
    setup.density = density;
    let shape = Shape::Sphere { radius: 0.5 * diameter };
    let pose = Pose::from_translation([0.05, 0.05, start]);
    let body = sound(RigidBody::new("sphere", shape, Weight::Density(1120.0), pose));
    let mut scene = Suspension::new(sound(Flow::new(setup)), vec![body], [0.0, 0.0, -9.81]);
    let mut speeds = Vec::new();
    let mut gaps = Vec::new();
    loop {
        let speed = scene.bodies()[0].velocity()[2].abs();
        let length = (CFL * spacing / speed.max(0.3 * terminal)).min(0.02);
        scene.advance(length)?;
        let body = &scene.bodies()[0];
        let (time, gap) = (scene.flow().state().time, body.position()[2] - 0.5 * diameter);
        speeds.push((time, -body.velocity()[2] / terminal));
        gaps.push((time, gap / diameter));
        say(format!(
            "time {time:.3}, gap {:.2} diameters, speed {:.3}",
            gap / diameter,
            -body.velocity()[2] / terminal
        ));
        // The grid does not resolve a thinner film between sphere and floor.
        if gap < spacing || time > 10.0 {
            break;
        }
    }
    let most = speeds.iter().map(|point| point.1).fold(0.0, f64::max);
    Ok(Findings::default().with("u_max/u∞", most).drawing("speed", thinned(&speeds)).drawing("gap", thinned(&gaps)))
}

/// A disc of 0.25 cm and 1.25 g/cm³ in a channel 2 cm wide and 6 cm high, from 4 cm; CGS units.
pub fn disc(cells: usize, say: Say) -> Result<Findings, StepError> {
    let (diameter, density, viscosity) = (0.25, 1.25, 0.1);
    let spacing = diameter / cells as f64;
    let x = sound(Axis::clustered([0.0, 2.0], [0.8, 1.2], spacing, 1.08, 4.0 * spacing));
    let y = sound(Axis::clustered([0.0, 6.0], [0.0, 4.2], spacing, 1.08, 4.0 * spacing));
    let setup = FlowSetup::new(TensorGrid::new([x, y]), viscosity);
    let shape = Shape::Sphere { radius: 0.5 * diameter };
    let body = sound(RigidBody::new("disc", shape, Weight::Density(density), Pose::from_translation([1.0, 4.0])));
    let mut scene = Suspension::new(sound(Flow::new(setup)), vec![body], [0.0, -981.0]);
    let mut speeds = Vec::new();
    loop {
        let speed = scene.bodies()[0].velocity()[1].abs();
        scene.advance((CFL * spacing / speed.max(1.0)).min(0.002))?;
        let body = &scene.bodies()[0];
        let time = scene.flow().state().time;
        // The source defines its Reynolds number with the density of the disc.
        speeds.push((time, -body.velocity()[1] * density * diameter / viscosity));
        say(format!("time {time:.3}, height {:.2}", body.position()[1]));
        if body.position()[1] - 0.5 * diameter < spacing || time > 2.0 {
            break;
        }
    }
    let most = speeds.iter().map(|point| point.1).fold(0.0, f64::max);
    Ok(Findings::default().with("largest Re", most).drawing("Re", thinned(&speeds)))
}
