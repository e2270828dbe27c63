//! What contact models promise: stacks stand, bridges hold, momentum stays.

use unstick_bodies::{
    COMPLIANCE, ContactModel, ContactSystem, Container, RigidBody, Shape, Surface, Weight, World, find_contacts,
};
use unstick_grid::vector::{length, minus};
use unstick_grid::{Pose, Random, SignedDistance};
use unstick_mlcp::SolverName;

use crate::heaps::{heap, rough};

const GRAVITY: [f64; 2] = [0.0, -9.81];

fn named(solver: &str) -> ContactModel {
    ContactModel::lcp(solver.parse::<SolverName>().unwrap())
}

fn tight(solver: &str) -> ContactModel {
    ContactModel::Lcp { solver: solver.parse().unwrap(), tolerance: 1e-10, cycles: 100_000, rounds: 50 }
}

fn body<const D: usize>(name: &str, shape: Shape<D>, place: [f64; D], surface: Surface) -> RigidBody<D> {
    let body = RigidBody::new(name, shape, Weight::Density(1000.0), Pose::from_translation(place)).unwrap();
    body.with_surface(surface).unwrap()
}

/// Boxes of size 0.2 on top of each other.
fn stack(count: usize, friction: f64) -> Vec<RigidBody<2>> {
    let at = |k: usize| {
        body(&format!("box {k}"), Shape::Cuboid { half: [0.1; 2] }, [0.5, 0.1 + 0.2 * k as f64], rough(friction))
    };
    (0..count).map(at).collect()
}

fn tall_box() -> Container<2> {
    Container::inside([0.0; 2], [1.0, 10.0])
}

#[test]
fn bodies_that_creep_to_a_wall_come_to_rest_with_every_solver() {
    for speed in [1e-100, 1e-200, 1e-300, 1e-308, 5e-324] {
        for solver in ["mprgp", "psor", "policy+cg/jacobi", "newton+cg/jacobi", "penalty", "best"] {
            let ball = |name: &str, x: f64, velocity: f64| {
                let ball = body(name, Shape::Sphere { radius: 0.1 }, [x, 0.5], rough(0.5));
                ball.with_motion([velocity, 0.3 * velocity], [0.0; 3]).unwrap()
            };
            let bodies = vec![ball("left", 0.1, -speed), ball("right", 0.9, speed)];
            let mut world = World::new(bodies, Container::inside([0.0; 2], [1.0; 2]), named(solver)).unwrap();
            let report = world.step(0.01).unwrap_or_else(|error| panic!("{solver} at {speed:e} m/s: {error}"));
            assert!(report.impulse_solve.converged(), "{solver} at {speed:e} m/s: {:?}", report.impulse_solve);
            let left = world.bodies()[0].velocity()[0];
            assert!(left.abs() <= 1e-4 * speed || speed < 1e-300, "{solver} at {speed:e} m/s: {left:e}");
        }
    }
}

#[test]
fn a_stack_of_ten_boxes_stands_with_every_model() {
    let sinks = |model: ContactModel| {
        let mut world = World::new(stack(10, 0.5), tall_box(), model).unwrap();
        let mut deepest = 0.0f64;
        for _ in 0..200 {
            world.accelerate(GRAVITY, 0.005);
            deepest = deepest.max(world.step(0.005).unwrap().deepest);
        }
        let top = world.bodies()[9].position();
        ((top[1] - 1.9).abs() + (top[0] - 0.5).abs(), deepest)
    };
    for solver in ["psor", "policy+cg/jacobi", "mprgp", "newton+cg/jacobi"] {
        let (moved, deepest) = sinks(named(solver));
        assert!(moved < 2e-3 && deepest < 5e-4, "{solver}: {moved} {deepest}");
    }
    let (moved, deepest) = sinks(ContactModel::Sequential { sweeps: 2000, tolerance: 1e-7 });
    assert!(moved < 2e-3 && deepest < 5e-4, "sequential: {moved} {deepest}");
    // Springs give way: 10 boxes of 40 kg on 4e6 N/m by 1 mm and the sum above it.
    let (moved, _) = sinks(ContactModel::Springs { stiffness: 4e6 });
    assert!(moved < 0.01, "springs: {moved}");
}

#[test]
fn the_impulses_of_a_stack_carry_what_lies_above() {
    let bodies = stack(5, 0.0);
    let weight = bodies[0].mass() * 9.81 * 0.01;
    let mut world = World::new(bodies, tall_box(), tight("policy+cg/jacobi")).unwrap();
    world.accelerate(GRAVITY, 0.01);
    let report = world.collide(0.01).unwrap();
    assert_eq!(report.contacts, 10, "two points under every box");
    // Nothing moves: every box gets from below what it and those above weigh.
    for body in world.bodies() {
        assert!(length(body.velocity()) < 1e-8 * weight, "{:?}", body.velocity());
    }
}

/// A plank on two towers with a weight in the middle: the towers share it.
#[test]
fn a_bridge_holds() {
    let tower = |name: &str, x: f64| body(name, Shape::Cuboid { half: [0.1, 0.4] }, [x, 0.4], rough(0.3));
    let plank = body("plank", Shape::Cuboid { half: [0.5, 0.05] }, [0.5, 0.85], rough(0.3));
    let load = body("load", Shape::Sphere { radius: 0.1 }, [0.5, 1.0], rough(0.3));
    let bodies = vec![tower("left", 0.15), tower("right", 0.85), plank, load];
    let before: Vec<_> = bodies.iter().map(RigidBody::position).collect();
    let mut world = World::new(bodies, tall_box(), ContactModel::default()).unwrap();
    for _ in 0..200 {
        world.accelerate(GRAVITY, 0.005);
        assert!(world.step(0.005).unwrap().deepest <= 1.1 * world.allowance());
    }
    for (body, before) in world.bodies().iter().zip(before) {
        assert!(length(minus(body.position(), before)) < 2e-3, "{}: {:?}", body.name(), body.position());
    }
}

/// Two poles that lean on each other at 60° push outwards with hl cos θ/(r + 2 hl sin θ) = 0.273 of
/// their weight: with more friction than that they stand, with less they fall.
#[test]
fn leaning_poles_stand_by_friction_alone() {
    let (half_length, radius, slope) = (0.5, 0.05, std::f64::consts::FRAC_PI_3);
    let highest = |friction: f64, model: ContactModel| {
        let pole = |name: &str, side: f64| {
            let centre = [1.0 + side * (half_length * slope.cos() + radius), radius + half_length * slope.sin()];
            // The capsule stands upright; it is turned until its upper end leans to the middle.
            let pose =
                Pose::from_angle(side * (std::f64::consts::FRAC_PI_2 - slope)).then(&Pose::from_translation(centre));
            let shape = Shape::Capsule { half_length, radius };
            let pole = RigidBody::new(name, shape, Weight::Density(600.0), pose).unwrap();
            pole.with_surface(rough(friction)).unwrap()
        };
        let bodies = vec![pole("left", -1.0), pole("right", 1.0)];
        let mut world = World::new(bodies, Container::inside([-1.0, 0.0], [3.0, 3.0]), model).unwrap();
        for _ in 0..200 {
            world.accelerate(GRAVITY, 0.005);
            world.step(0.005).unwrap();
        }
        world.bodies()[0].position()[1]
    };
    let start = radius + half_length * slope.sin();
    for model in [ContactModel::sequential(), named("psor"), named("policy+cg/jacobi")] {
        let (rough, smooth) = (highest(0.32, model.clone()), highest(0.22, model.clone()));
        assert!((rough - start).abs() < 2e-3, "{model:?}: rough poles sank from {start} to {rough}");
        assert!(smooth < 0.5 * start, "{model:?}: smooth poles stand at {smooth}");
    }
}

/// A slab on 25 supports: many more contacts than can be told apart.
fn slab() -> (Vec<RigidBody<3>>, Container<3>) {
    let slab = body("slab", Shape::Cuboid { half: [0.8, 0.1, 0.8] }, [1.0, 0.3, 1.0], Surface::default());
    let support = |k: usize| {
        let place = [0.3 + 0.35 * (k % 5) as f64, 0.1, 0.3 + 0.35 * (k / 5) as f64];
        body(&format!("support {k}"), Shape::Cuboid { half: [0.05, 0.1, 0.05] }, place, Surface::default())
    };
    let bodies = std::iter::once(slab).chain((0..25).map(support)).collect();
    (bodies, Container::inside([0.0; 3], [2.0; 3]))
}

#[test]
fn redundant_contacts_have_one_velocity_whoever_solves_them() {
    let solve = |solver: &str| {
        let (bodies, container) = slab();
        let mut world = World::new(bodies, container, tight(solver)).unwrap();
        world.accelerate([0.3, -9.81, 0.1], 0.01);
        world.bodies_mut()[0].push([0.5, 0.0, 0.2], [0.0, -3.0, 0.0]);
        let report = world.collide(0.01).unwrap();
        assert!(report.contacts >= 200, "{}", report.contacts);
        world.bodies().iter().flat_map(|body| [body.velocity(), body.spin()]).flatten().collect::<Vec<f64>>()
    };
    let expected = solve("psor");
    for solver in ["policy+cg/jacobi", "newton+cg/jacobi", "mprgp"] {
        let found = solve(solver);
        let difference = expected.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < 1e-6, "{solver}: {difference}");
    }
}

/// Spheres thrown at each other in a box too large to be reached.
fn crowd(restitution: f64, friction: f64) -> Vec<RigidBody<3>> {
    let mut random = Random::new(5);
    let ball = |k: usize| {
        let place = [(k % 4) as f64, (k / 4 % 4) as f64, (k / 16) as f64].map(|value| 0.25 * value);
        let radius = random.between(0.08, 0.11);
        let velocity = std::array::from_fn(|axis| 2.0 * (0.4 - place[axis]) + random.between(-0.5, 0.5));
        let spin = std::array::from_fn(|_| random.between(-5.0, 5.0));
        let surface = Surface { restitution, friction, ..Surface::default() };
        body(&format!("ball {k}"), Shape::Sphere { radius }, place, surface).with_motion(velocity, spin).unwrap()
    };
    (0..64).map(ball).collect()
}

#[test]
fn momentum_is_conserved_to_rounding_in_a_closed_box_without_gravity() {
    let models = [
        ContactModel::Pairwise,
        ContactModel::sequential(),
        ContactModel::Springs { stiffness: 1e5 },
        named("psor"),
        named("policy+cg/jacobi"),
    ];
    for model in models {
        let container = Container::inside([-50.0; 3], [50.0; 3]);
        let mut world = World::new(crowd(0.5, 0.3), container, model.clone()).unwrap();
        let angular = |world: &World<3>| {
            world.bodies().iter().map(RigidBody::angular_momentum).fold([0.0; 3], unstick_grid::vector::plus)
        };
        let scale: f64 = world.bodies().iter().map(|body| length(body.momentum())).sum();
        let (linear, turning) = (world.momentum(), angular(&world));
        let mut contacts = 0;
        for _ in 0..100 {
            contacts += world.step(0.01).unwrap().contacts;
        }
        assert!(contacts > 100, "{model:?}: {contacts}");
        assert!(length(minus(world.momentum(), linear)) < 1e-13 * scale, "{model:?}");
        // Angular momentum about the origin moves when positions are projected, by little.
        assert!(length(minus(angular(&world), turning)) < 1e-3 * scale, "{model:?}");
    }
}

/// The closed box itself: what the bodies lose the walls take, to rounding.
#[test]
fn walls_take_what_the_bodies_lose() {
    let container = Container::inside([-0.2; 3], [1.0; 3]);
    let mut world = World::new(crowd(1.0, 0.0), container, named("psor")).unwrap();
    let scale: f64 = world.bodies().iter().map(|body| length(body.momentum())).sum();
    for _ in 0..60 {
        let (contacts, _) = world.contacts(0.01);
        let touches_wall: Vec<bool> =
            (0..64).map(|k| contacts.iter().any(|c| c.second.is_none() && c.first == k)).collect();
        let before: Vec<_> = world.bodies().iter().map(RigidBody::momentum).collect();
        let report = world.step(0.01).unwrap();
        // Bodies away from walls exchange momentum among connected groups only; the whole is balanced by walls.
        let total: [f64; 3] = std::array::from_fn(|axis| {
            world.bodies().iter().zip(&before).map(|(now, before)| now.momentum()[axis] - before[axis]).sum()
        });
        if !touches_wall.iter().any(|touches| *touches) {
            assert!(length(total) < 1e-13 * scale, "{total:?}");
        }
        assert!(report.deepest <= 2.0 * world.allowance());
    }
}

#[test]
fn equal_balls_swap_velocities_in_an_elastic_collision() {
    for model in [ContactModel::Pairwise, ContactModel::sequential(), named("psor"), named("newton+cg/jacobi")] {
        let surface = Surface { restitution: 1.0, ..Surface::default() };
        let ball = |name, x: f64, v: f64| {
            body::<3>(name, Shape::Sphere { radius: 0.1 }, [x, 0.0, 0.0], surface)
                .with_motion([v, 0.0, 0.0], [0.0; 3])
                .unwrap()
        };
        let bodies = vec![ball("left", 0.0, 1.0), ball("right", 0.5, 0.0)];
        let mut world = World::new(bodies, Container::default(), model.clone()).unwrap();
        (0..100).for_each(|_| drop(world.step(0.01).unwrap()));
        let [left, right] = [0, 1].map(|k| world.bodies()[k].velocity()[0]);
        assert!(left.abs() < 1e-9 && (right - 1.0).abs() < 1e-9, "{model:?}: {left} {right}");
    }
}

#[test]
fn a_dropped_ball_returns_as_high_as_its_restitution_says() {
    for model in [named("psor"), ContactModel::sequential(), ContactModel::Springs { stiffness: 1e6 }] {
        let surface = Surface { restitution: 0.7, ..Surface::default() };
        let ball = body::<2>("ball", Shape::Sphere { radius: 0.1 }, [0.5, 1.1], surface);
        let mut world = World::new(vec![ball], tall_box(), model.clone()).unwrap();
        let (mut has_bounced, mut highest) = (false, 0.0f64);
        for _ in 0..800 {
            world.accelerate(GRAVITY, 0.001);
            world.step(0.001).unwrap();
            has_bounced |= world.bodies()[0].velocity()[1] > 0.0;
            if has_bounced {
                highest = highest.max(world.bodies()[0].position()[1] - 0.1);
            }
        }
        // A spring that may not pull gives a little more back than the formula of a free swing says.
        let tolerance = if matches!(model, ContactModel::Springs { .. }) { 0.03 } else { 0.01 };
        assert!((highest - 0.49).abs() < tolerance, "{model:?}: {highest}");
    }
}

/// On a slope of 30° a box stays when its friction exceeds tan 30° ≈ 0.577, and slides below.
#[test]
fn friction_holds_a_box_on_a_slope_up_to_its_angle() {
    let angle = std::f64::consts::FRAC_PI_6;
    let slides = |model: ContactModel, friction: f64| {
        let up = [-angle.sin(), angle.cos()];
        let slope = SignedDistance::half_space([0.0, 0.0], up);
        let pose = Pose::from_angle(angle).then(&Pose::from_translation(up.map(|value| 0.1 * value)));
        let cuboid = RigidBody::new("box", Shape::Cuboid { half: [0.2, 0.1] }, Weight::Density(500.0), pose).unwrap();
        let bodies = vec![cuboid.with_surface(rough(friction)).unwrap()];
        let container = Container::default().with(&slope, &unstick_grid::Motion::Still);
        let mut world = World::new(bodies, container, model).unwrap();
        for _ in 0..200 {
            world.accelerate(GRAVITY, 0.005);
            world.step(0.005).unwrap();
        }
        let [x, y] = world.bodies()[0].position();
        -(x + 0.1 * angle.sin()) * angle.cos() - (y - 0.1 * angle.cos()) * angle.sin()
    };
    for model in [named("psor"), named("policy+cg/jacobi"), ContactModel::sequential()] {
        assert!(slides(model.clone(), 0.65).abs() < 1e-3, "{model:?}");
        let expected = 0.5 * 9.81 * (angle.sin() - 0.3 * angle.cos());
        let found = slides(model.clone(), 0.3);
        assert!((found / expected - 1.0).abs() < 0.02, "{model:?}: {found} for {expected}");
    }
}

#[test]
fn a_heap_of_all_shapes_comes_to_rest_without_overlap() {
    let mut world =
        World::new(heap(24, 0.4), Container::inside([0.0; 3], [1.0, 4.0, 1.0]), ContactModel::default()).unwrap();
    let (mut deepest, mut unconverged) = (0.0f64, 0);
    for _ in 0..600 {
        world.accelerate([0.0, -9.81, 0.0], 0.005);
        let report = world.step(0.005).unwrap();
        unconverged += usize::from(!report.impulse_solve.converged());
        deepest = deepest.max(report.deepest);
    }
    assert!(unconverged < 30, "{unconverged} of 600 steps");
    assert!(deepest <= 1.5 * world.allowance(), "{deepest}");
    let fastest = world.bodies().iter().map(|body| length(body.velocity())).fold(0.0, f64::max);
    assert!(fastest < 0.15, "{fastest}");
    let highest = world.bodies().iter().map(|body| body.position()[1]).fold(0.0, f64::max);
    assert!(highest < 1.6, "{highest}");
}

#[test]
fn bad_bodies_are_refused_with_names_and_numbers() {
    let refused = |bodies: Vec<RigidBody<2>>| {
        World::new(bodies, Container::inside([0.0; 2], [1.0; 2]), ContactModel::default()).unwrap_err().to_string()
    };
    let ball = |name: &str, place: [f64; 2]| body(name, Shape::Sphere { radius: 0.1 }, place, Surface::default());
    assert_eq!(
        refused(vec![ball("left", [0.4, 0.5]), ball("right", [0.55, 0.5])]),
        "bodies `left` and `right` overlap by 5.000e-2 m at [0.4750, 0.5000]"
    );
    assert_eq!(
        refused(vec![ball("stray", [0.5, 1.0])]),
        "body `stray` reaches 1.000e-1 m into the wall at [0.5000, 1.0500]"
    );
    assert!(refused(vec![ball("far", [7.0, 0.5])]).starts_with("body `far` reaches 6.100e0 m into the wall"));
    assert_eq!(refused(vec![ball("twin", [0.2, 0.5]), ball("twin", [0.8, 0.5])]), "two bodies are named `twin`");
    let weigh = |weight| RigidBody::new("it", Shape::<2>::Sphere { radius: 0.1 }, weight, Pose::identity());
    for (weight, expected) in [
        (Weight::Mass(0.0), "body `it`: its mass is 0, expected a positive number"),
        (Weight::Mass(-2.0), "body `it`: its mass is -2, expected a positive number"),
        (Weight::Density(f64::NAN), "body `it`: its density is NaN, expected a positive number"),
    ] {
        assert_eq!(weigh(weight).unwrap_err().to_string(), expected);
    }
    let flat = RigidBody::new("flat", Shape::Cuboid { half: [0.5, 0.0] }, Weight::Mass(1.0), Pose::identity());
    assert_eq!(flat.unwrap_err().to_string(), "body `flat`: its size is 0, expected a positive number");
    let mirror = ball("m", [0.5; 2]).with_surface(Surface { restitution: 1.5, ..Surface::default() });
    assert_eq!(mirror.unwrap_err().to_string(), "body `m`: its restitution is 1.5, expected a number from 0 to 1");
}

#[test]
fn the_contact_matrix_is_symmetric_and_what_its_rows_do() {
    let (bodies, container) = slab();
    let margins = vec![1e-3; bodies.len()];
    let (contacts, _) = find_contacts(&bodies, &container, 0.0, &margins);
    let mut system = ContactSystem::new(&bodies, contacts);
    let matrix = system.matrix(1.0).unwrap();
    matrix.check_symmetric_positive().unwrap();
    let before = system.opening();
    system.push_all((0..before.len()).map(|row| if row == 7 { 2.0 } else { 0.0 }));
    for (row, (now, before)) in system.opening().iter().zip(before).enumerate() {
        assert!((now - before - 2.0 * matrix.entry(row, 7)).abs() < 1e-12 + 4.0 * COMPLIANCE * matrix.entry(7, 7));
    }
}
