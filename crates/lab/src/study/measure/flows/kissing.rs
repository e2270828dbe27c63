//! Two bodies, one in the wake of the other: when they touch.

use unstick::bodies::{RigidBody, Shape, Suspension, Weight};
use unstick::flow::{Axis, Flow, FlowSetup, StepError, TensorGrid};
use unstick::grid::Pose;

use super::{Say, sound, thinned};
use crate::study::record::Findings;

/// The grid does not resolve a gap narrower than this many cells; the liquid in it keeps bodies apart.
const NEAR: f64 = 1.0;

/// Bodies that close count as touching when their approach is slower than this part of their fastest.
const SLOW: f64 = 0.1;

/// What is known of the two bodies.
struct Pair {
    diameter: f64,
    /// Of the grid.
    spacing: f64,
    /// A speed that bounds the first steps.
    slowest: f64,
    /// When to give up.
    until: f64,
}

fn body<const D: usize>(name: &str, radius: f64, density: f64, place: [f64; D]) -> RigidBody<D> {
    let shape = Shape::Sphere { radius };
    sound(RigidBody::new(name, shape, Weight::Density(density), Pose::from_translation(place)))
}

/// Simulates until the bodies touch, or until a time.
fn follow<const D: usize>(
    mut scene: Suspension<D>,
    Pair { diameter, spacing, slowest, until }: Pair,
    say: Say,
) -> Result<Findings, StepError> {
    let up = D - 1;
    let (mut gaps, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    let (mut touched, mut fastest_approach) = (f64::NAN, 0.0f64);
    while scene.flow().state().time < until {
        let fastest = scene.bodies().iter().map(|body| body.velocity()[up].abs()).fold(slowest, f64::max);
        scene.advance(0.4 * spacing / fastest)?;
        let [a, b] = [0, 1].map(|body: usize| scene.bodies()[body].position());
        let distance = (0..D).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt();
        let (time, gap) = (scene.flow().state().time, distance - diameter);
        gaps.push((time, gap / diameter));
        first.push((time, a[up]));
        second.push((time, b[up]));
        say(format!("time {time:.3}, gap {:.3} diameters, heights {:.3}, {:.3}", gap / diameter, a[up], b[up]));
        let approach = approach(&gaps);
        fastest_approach = fastest_approach.max(approach);
        if gap < NEAR * spacing && approach < SLOW * fastest_approach {
            touched = time;
            break;
        }
        if a[up].min(b[up]) < 0.5 * diameter + spacing {
            break;
        }
    }
    Ok(Findings::default()
        .with("time of kissing", touched)
        .drawing("gap", thinned(&gaps))
        .drawing("height of the first", thinned(&first))
        .drawing("height of the second", thinned(&second)))
}

/// How fast the gap closes, from its last two values.
fn approach(gaps: &[(f64, f64)]) -> f64 {
    match gaps {
        [.., (before, wide), (now, narrow)] => (wide - narrow) / (now - before),
        _ => 0.0,
    }
}

/// Discs of 1 mm radius in water; SI units.
pub fn in_plane(cells: usize, say: Say) -> Result<Findings, StepError> {
    let diameter = 0.002;
    let spacing = diameter / cells as f64;
    let x = sound(Axis::clustered([0.0, 0.02], [0.007, 0.013], spacing, 1.1, 3.0 * spacing));
    let y = sound(Axis::uniform(0.0, 0.08, 40 * cells));
    let mut setup = FlowSetup::new(TensorGrid::new([x, y]), 1e-6);
    setup.density = 1000.0;
    let bodies = vec![body("first", 0.001, 1010.0, [0.01, 0.068]), body("second", 0.001, 1010.0, [0.00999, 0.072])];
    let scene = Suspension::new(sound(Flow::new(setup)), bodies, [0.0, -9.81]);
    follow(scene, Pair { diameter, spacing, slowest: 0.005, until: 4.0 }, say)
}

/// Balls of diameter 1, 1.14 times as heavy as the liquid, in a box of 6 × 6 × 24.
pub fn in_space(cells: usize, say: Say) -> Result<Findings, StepError> {
    let spacing = 1.0 / cells as f64;
    let lateral = || sound(Axis::clustered([-3.0, 3.0], [-0.8, 0.8], spacing, 1.15, 0.25));
    let z = sound(Axis::uniform(0.0, 24.0, 24 * cells));
    let setup = FlowSetup::new(TensorGrid::new([lateral(), lateral(), z]), 4.7e-3);
    let bodies = vec![body("first", 0.5, 1.14, [0.0, 0.0, 20.0]), body("second", 0.5, 1.14, [0.05, 0.0, 21.5])];
    let scene = Suspension::new(sound(Flow::new(setup)), bodies, [0.0, 0.0, -1.0]);
    follow(scene, Pair { diameter: 1.0, spacing, slowest: 0.2, until: 30.0 }, say)
}
