//! The same stack and the same heap of boxes with `unstick-bodies` and with rapier: where they come to rest, how deep
//! bodies overlap, how long a step takes.

use std::time::Instant;

use rapier3d_f64::prelude as rapier;
use unstick_bodies::{ContactModel, Container, RigidBody, Shape, Surface, Weight, World, find_contacts};
use unstick_grid::Pose;

const STEP: f64 = 0.005;
const STEPS: usize = 400;
const FRICTION: f64 = 0.5;
const HALF: f64 = 0.1;
/// The inside of the box that holds them, from the origin.
const ROOM: [f64; 3] = [2.0, 12.0, 2.0];

/// Where boxes begin: a column, or layers that are turned against each other.
fn arrangement(kind: &str) -> Vec<([f64; 3], f64)> {
    match kind {
        "stack of 20" => (0..20).map(|k| ([1.0, HALF * (2.0 * f64::from(k) + 1.0), 1.0], 0.0)).collect(),
        _ => (0..300)
            .map(|k| {
                let (layer, place) = (k / 25, k % 25);
                let at = |place: i32| 0.3 + 0.35 * f64::from(place);
                ([at(place % 5), 0.2 + 0.3 * f64::from(layer), at(place / 5)], 0.4 * f64::from(k))
            })
            .collect(),
    }
}

/// Where the boxes end up, as seen by one narrow phase, and the median step.
struct Outcome {
    poses: Vec<Pose<3>>,
    step: f64,
}

fn ours(start: &[([f64; 3], f64)], model: ContactModel) -> Outcome {
    let body = |(number, &(place, angle)): (usize, &([f64; 3], f64))| {
        let surface = Surface { friction: FRICTION, ..Surface::default() };
        let pose = Pose::from_axis_angle([0.0, 1.0, 0.0], angle).then(&Pose::from_translation(place));
        let body = RigidBody::new(format!("{number}"), Shape::Cuboid { half: [HALF; 3] }, Weight::Density(1000.0), pose);
        body.and_then(|body| body.with_surface(surface)).expect("a sound body")
    };
    let bodies = start.iter().enumerate().map(body).collect();
    let mut world = World::new(bodies, Container::inside([0.0; 3], ROOM), model).expect("nothing overlaps");
    let step = timed(|| {
        world.accelerate([0.0, -9.81, 0.0], STEP);
        world.step(STEP).expect("a step");
    });
    Outcome { poses: world.bodies().iter().map(|body| *body.pose()).collect(), step }
}

fn theirs(start: &[([f64; 3], f64)], iterations: usize) -> Outcome {
    let mut bodies = rapier::RigidBodySet::new();
    let mut colliders = rapier::ColliderSet::new();
    for axis in 0..3 {
        for (side, end) in [(1.0, 0.0), (-1.0, ROOM[axis])] {
            let mut normal = [0.0; 3];
            normal[axis] = side;
            let mut at = [0.0; 3];
            at[axis] = end;
            let wall = rapier::ColliderBuilder::halfspace(rapier3d_f64::na::Unit::new_unchecked(rapier::Vector::from(normal)));
            colliders.insert(wall.translation(rapier::Vector::from(at)).friction(FRICTION).build());
        }
    }
    let mut handles = Vec::new();
    for &(place, angle) in start {
        let body = rapier::RigidBodyBuilder::dynamic()
            .translation(rapier::Vector::from(place))
            .rotation(rapier::Vector::from([0.0, angle, 0.0]))
            .can_sleep(false);
        let handle = bodies.insert(body.build());
        let cuboid = rapier::ColliderBuilder::cuboid(HALF, HALF, HALF).density(1000.0).friction(FRICTION);
        colliders.insert_with_parent(cuboid.build(), handle, &mut bodies);
        handles.push(handle);
    }
    let parameters = rapier::IntegrationParameters {
        dt: STEP,
        num_solver_iterations: iterations,
        ..rapier::IntegrationParameters::default()
    };
    let mut world = rapier::PhysicsWorld::new();
    (world.bodies, world.colliders, world.integration_parameters) = (bodies, colliders, parameters);
    world.gravity = rapier::Vector::from([0.0, -9.81, 0.0]);
    let step = timed(|| world.step());
    let pose = |handle: &rapier::RigidBodyHandle| {
        let body = &world.bodies[*handle];
        let place: [f64; 3] = body.translation().into();
        let turn: [f64; 3] = body.rotation().to_scaled_axis().into();
        let angle = turn.iter().map(|part| part * part).sum::<f64>().sqrt();
        let turned = if angle > 0.0 { Pose::from_axis_angle(turn, angle) } else { Pose::identity() };
        turned.then(&Pose::from_translation(place))
    };
    Outcome { poses: handles.iter().map(pose).collect(), step }
}

/// The median time of a step.
fn timed(mut step: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..STEPS)
        .map(|_| {
            let start = Instant::now();
            step();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[STEPS / 2]
}

/// Deepest overlap of boxes in these places, and the height of their common centre.
fn judged(outcome: &Outcome) -> (f64, f64) {
    let shape = Shape::Cuboid { half: [HALF; 3] };
    let body = |(number, pose): (usize, &Pose<3>)| {
        RigidBody::new(format!("{number}"), shape.clone(), Weight::Density(1000.0), *pose).expect("a sound body")
    };
    let bodies: Vec<_> = outcome.poses.iter().enumerate().map(body).collect();
    let margins = vec![0.0; bodies.len()];
    let (contacts, _) = find_contacts(&bodies, &Container::inside([0.0; 3], ROOM), 0.0, &margins);
    let deepest = contacts.iter().fold(0.0f64, |most, contact| most.max(-contact.gap));
    let height = bodies.iter().map(|body| body.position()[1]).sum::<f64>() / bodies.len() as f64;
    (deepest, height)
}

fn main() {
    println!("| case | who | overlap, mm | height of the centre, m | a step, ms |\n|---|---|---|---|---|");
    for kind in ["stack of 20", "heap of 300"] {
        let start = arrangement(kind);
        let lcp = |solver: &str| ContactModel::lcp(solver.parse().expect("a name of the catalogue"));
        let entrants: Vec<(&str, Outcome)> = vec![
            ("lcp, mprgp", ours(&start, lcp("mprgp"))),
            ("lcp, psor", ours(&start, lcp("psor"))),
            ("sequential impulses", ours(&start, ContactModel::sequential())),
            ("rapier, 4 iterations", theirs(&start, 4)),
            ("rapier, 16 iterations", theirs(&start, 16)),
        ];
        for (who, outcome) in entrants {
            let (deepest, height) = judged(&outcome);
            println!("| {kind} | {who} | {:.3} | {height:.4} | {:.2} |", 1e3 * deepest, 1e3 * outcome.step);
        }
    }
}
