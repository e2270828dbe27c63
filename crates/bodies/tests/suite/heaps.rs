//! Contact problems that are hard in their own way: an arch that only friction holds, heaps with more contacts than
//! can be told apart, whoever solves them.

use unstick_bodies::{ContactModel, Container, RigidBody, Shape, Surface, Weight, World, meshes};
use unstick_grid::vector::length;
use unstick_grid::{Pose, TriangleMesh};
use unstick_mlcp::SolverName;

const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];

fn lcp(solver: &str) -> ContactModel {
    ContactModel::lcp(solver.parse::<SolverName>().unwrap())
}

pub fn rough(friction: f64) -> Surface {
    Surface { friction, ..Surface::default() }
}

/// A stone of an arch about the z axis, between two angles and two radii.
fn stone(angles: [f64; 2], radii: [f64; 2], half_depth: f64) -> TriangleMesh {
    let mut vertices = Vec::new();
    for z in [-half_depth, half_depth] {
        for (angle, radius) in [(0, 0), (0, 1), (1, 1), (1, 0)] {
            let (sine, cosine) = angles[angle].sin_cos();
            vertices.push([radii[radius] * cosine, radii[radius] * sine, z]);
        }
    }
    let quads = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    let triangles = quads.iter().flat_map(|q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// Half a circle of seven stones on the floor. Every other one is a little smaller, so that its corners meet faces.
fn arch(friction: f64) -> Vec<RigidBody<3>> {
    let count = 7;
    let of_number = |k: usize| {
        let small = if k % 2 == 1 { 0.01 } else { 0.0 };
        let angle = |k: usize| std::f64::consts::PI * k as f64 / count as f64;
        let mesh = stone([angle(k), angle(k + 1)], [0.7 + small, 1.0 - small], 0.2 - small);
        let (shape, centre) = Shape::mesh(&mesh).unwrap();
        let pose = Pose::from_translation(centre);
        let body = RigidBody::new(format!("stone {k}"), shape, Weight::Density(2000.0), pose).unwrap();
        body.with_surface(rough(friction)).unwrap()
    };
    (0..count).map(of_number).collect()
}

#[test]
fn an_arch_stands_by_friction_and_falls_without() {
    let keystone = |friction: f64| {
        let container = Container::inside([-3.0, 0.0, -1.0], [3.0, 3.0, 1.0]);
        let mut world = World::new(arch(friction), container, lcp("psor")).unwrap();
        let start = world.bodies()[3].position()[1];
        let mut deepest = 0.0f64;
        for _ in 0..100 {
            world.accelerate(GRAVITY, 0.005);
            deepest = deepest.max(world.step(0.005).unwrap().deepest);
        }
        (start - world.bodies()[3].position()[1], deepest)
    };
    let (sunk, deepest) = keystone(0.8);
    assert!(sunk.abs() < 5e-3 && deepest < 2e-3, "with friction it sank by {sunk}, stones overlap by {deepest}");
    let (sunk, _) = keystone(0.0);
    assert!(sunk > 0.1, "without friction it sank by {sunk} only");
}

/// Bodies of all shapes, thrown together.
pub fn heap(count: usize, friction: f64) -> Vec<RigidBody<3>> {
    let mesh = Shape::mesh(&meshes::cuboid([0.09, 0.12, 0.1])).unwrap().0;
    let one = |k: usize| {
        let shape = match k % 4 {
            0 => Shape::Sphere { radius: 0.1 },
            1 => Shape::Cuboid { half: [0.1, 0.07, 0.12] },
            2 => Shape::Capsule { half_length: 0.08, radius: 0.07 },
            _ => mesh.clone(),
        };
        let place = [0.3 + 0.4 * (k % 2) as f64, 0.3 + 0.35 * (k / 4) as f64, 0.3 + 0.4 * (k / 2 % 2) as f64];
        let pose = Pose::from_axis_angle([1.0, k as f64, 0.3], 0.3 * k as f64).then(&Pose::from_translation(place));
        RigidBody::new(format!("{k}"), shape, Weight::Density(700.0), pose)
            .unwrap()
            .with_surface(rough(friction))
            .unwrap()
    };
    (0..count).map(one).collect()
}

#[test]
fn a_heap_with_friction_keeps_finite_velocities_whoever_solves_it() {
    for solver in ["psor", "mprgp", "policy+cg/jacobi", "newton+cg/jacobi"] {
        let container = Container::inside([0.0; 3], [1.0, 4.0, 1.0]);
        let mut world = World::new(heap(16, 0.4), container, lcp(solver)).unwrap();
        for step in 0..75 {
            world.accelerate(GRAVITY, 0.005);
            let report = world.step(0.005).unwrap_or_else(|error| panic!("{solver}, step {step}: {error}"));
            assert!(report.impulse_solve.residual.is_finite(), "{solver}, step {step}: {report:?}");
            let fastest = world.bodies().iter().map(|body| length(body.velocity())).fold(0.0, f64::max);
            assert!(fastest < 10.0, "{solver}, step {step}: {fastest} m/s");
        }
    }
}
