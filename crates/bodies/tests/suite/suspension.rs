//! Bodies that collide in viscous liquid.

use unstick_bodies::{ContactModel, Container, RigidBody, Shape, Steering, Suspension, SuspensionState, Weight};
use unstick_flow::{Axis, Boundary, Flow, FlowSetup, SolveKind, StepError, TensorGrid, Unconverged};
use unstick_grid::Pose;
use unstick_grid::vector::{length, minus};

const RADIUS: f64 = 0.08;

fn disc(name: &str, density: f64, place: [f64; 2], velocity: [f64; 2]) -> RigidBody<2> {
    let shape = Shape::Sphere { radius: RADIUS };
    let body = RigidBody::new(name, shape, Weight::Density(density), Pose::from_translation(place)).unwrap();
    body.with_motion(velocity, [0.0; 3]).unwrap()
}

fn flow(cells: usize, viscosity: f64, side: Boundary<2>) -> Flow<2> {
    let axis = || Axis::uniform(0.0, 1.0, cells).unwrap();
    let mut setup = FlowSetup::new(TensorGrid::new([axis(), axis()]), viscosity);
    setup.sides = std::array::from_fn(|_| [side.clone(), side.clone()]);
    (setup.solve.viscous_tolerance, setup.solve.pressure_tolerance) = (1e-12, 1e-12);
    Flow::new(setup).unwrap()
}

/// Six discs of several densities that fly at each other.
fn crowd(model: ContactModel, side: Boundary<2>) -> Suspension<2> {
    let bodies = vec![
        disc("a", 30.0, [0.3, 0.5], [0.9, 0.0]),
        disc("b", 20.0, [0.55, 0.52], [-0.9, 0.1]),
        disc("c", 5.0, [0.45, 0.75], [0.0, -0.9]),
        disc("d", 10.0, [0.5, 0.25], [0.0, 0.9]),
        disc("e", 1.5, [0.75, 0.75], [-0.4, -0.4]),
        disc("f", 1.0, [0.2, 0.25], [0.3, 0.4]),
    ];
    let walls = Container::inside([0.0; 2], [1.0; 2]);
    Suspension::new(flow(32, 2e-3, side), bodies, [0.0; 2]).with_contacts(walls, model).unwrap()
}

fn least_gap(bodies: &[RigidBody<2>]) -> f64 {
    let pairs = (0..bodies.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let gap = |(i, j): (usize, usize)| length(minus(bodies[i].position(), bodies[j].position())) - 2.0 * RADIUS;
    pairs.map(gap).fold(f64::INFINITY, f64::min)
}

#[test]
fn whatever_the_model_bodies_collide_and_do_not_pass_through_each_other() {
    let models = [
        ContactModel::Pairwise,
        ContactModel::sequential(),
        ContactModel::Springs { stiffness: 2000.0 },
        ContactModel::default(),
    ];
    for model in models {
        let allowed = if matches!(model, ContactModel::Springs { .. }) { 0.1 * RADIUS } else { 2e-3 * RADIUS };
        let mut scene = crowd(model.clone(), Boundary::wall()).with_films(false);
        let (mut contacts, mut least) = (0, f64::INFINITY);
        for _ in 0..60 {
            let report = scene.advance(0.005).unwrap();
            contacts += report.contact.contacts;
            least = least.min(least_gap(scene.bodies()));
        }
        assert!(contacts > 0 && least > -allowed, "{model:?}: {contacts} contacts, gap {least}");
    }
}

#[test]
fn contacts_and_films_keep_the_momentum_of_all_bodies_to_rounding() {
    for model in [ContactModel::sequential(), ContactModel::default()] {
        let mut scene = crowd(model, Boundary::Periodic);
        let scale: f64 = scene.bodies().iter().map(|body| length(body.momentum())).sum();
        let (mut contacts, mut films) = (0, 0);
        for _ in 0..40 {
            let report = scene.advance(0.005).unwrap();
            contacts += report.contact.contacts;
            films += report.films;
            let sum: [f64; 2] =
                std::array::from_fn(|axis| scene.contact_forces().iter().map(|force| force.force[axis]).sum());
            // Nothing has reached a wall yet.
            assert!(length(sum) * 0.005 < 1e-14 * scale, "{sum:?}");
        }
        assert!(contacts > 0 && films > 0);
    }
}

#[test]
fn a_film_is_felt_before_bodies_touch() {
    let approach = |has_films: bool| {
        let bodies = vec![disc("a", 2.0, [0.4, 0.5], [0.2, 0.0]), disc("b", 2.0, [0.59, 0.5], [-0.2, 0.0])];
        let walls = Container::inside([0.0; 2], [1.0; 2]);
        let mut scene = Suspension::new(flow(24, 0.01, Boundary::wall()), bodies, [0.0; 2])
            .with_contacts(walls, ContactModel::default())
            .unwrap()
            .with_films(has_films);
        for _ in 0..8 {
            scene.advance(0.005).unwrap();
        }
        least_gap(scene.bodies())
    };
    let (with, without) = (approach(true), approach(false));
    assert!(with > without && without > 0.0, "{with} {without}");
}

#[test]
fn a_heap_comes_to_rest_on_the_floor() {
    let bodies = vec![
        disc("left", 3.0, [0.35, 0.12], [0.0; 2]),
        disc("right", 3.0, [0.53, 0.12], [0.0; 2]),
        disc("top", 3.0, [0.44, 0.30], [0.0; 2]),
    ];
    let walls = Container::inside([0.0; 2], [1.0; 2]);
    let scene = Suspension::new(flow(32, 0.01, Boundary::wall()), bodies, [0.0, -10.0]);
    // Films would still be squeezed out for a long time.
    let mut scene = scene.with_contacts(walls, ContactModel::default()).unwrap().with_films(false);
    for _ in 0..300 {
        scene.advance(0.005).unwrap();
    }
    let fastest = scene.bodies().iter().map(|body| length(body.velocity())).fold(0.0, f64::max);
    assert!(fastest < 0.02, "{fastest}");
    assert!(scene.bodies().iter().all(|body| (body.position()[1] / RADIUS - 1.0).abs() < 1e-3));
    // The floor and the liquid, which is slow to leave from below, carry what the bodies weigh more than the liquid.
    let weight: f64 = scene.bodies().iter().map(|body| 10.0 * (body.mass() - body.volume())).sum();
    let [floor, liquid] =
        [scene.contact_forces(), scene.forces()].map(|forces| forces.iter().map(|f| f.force[1]).sum::<f64>());
    let carried = floor + liquid;
    assert!((carried / weight - 1.0).abs() < 0.01 && floor > 0.3 * weight, "{floor} and {liquid} of {weight}");
}

#[test]
fn a_state_is_all_there_is_to_go_on_from() {
    let mut straight = crowd(ContactModel::default(), Boundary::wall());
    for _ in 0..15 {
        straight.advance(0.005).unwrap();
    }
    let text = serde_json::to_string(&straight.state().to_data()).unwrap();
    let mut resumed = crowd(ContactModel::default(), Boundary::wall());
    let grid = resumed.flow().setup().grid.clone();
    let restore = |bodies| SuspensionState::restore(&grid, bodies, &mut serde_json::Deserializer::from_str(&text));
    let state = restore(6).unwrap();
    resumed.set_state(state);
    for _ in 0..15 {
        straight.advance(0.005).unwrap();
        resumed.advance(0.005).unwrap();
    }
    assert!(straight.state() == resumed.state());
    assert!(restore(5).is_err());
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut scene = crowd(ContactModel::default(), Boundary::wall());
            (0..12).for_each(|_| drop(scene.advance(0.005).unwrap()));
            scene.state()
        })
    };
    let one = run(1);
    assert!(run(2) == one && run(3) == one);
}

#[test]
fn a_steered_body_stirs_the_liquid_and_pushes_others_aside() {
    let stirrer = disc("stirrer", 1.0, [0.5, 0.5], [0.0; 2]).held_until(f64::INFINITY).unwrap();
    let bodies = vec![stirrer, disc("free", 1.1, [0.72, 0.5], [0.0; 2])];
    let walls = Container::inside([0.0; 2], [1.0; 2]);
    let swing = Steering::Oscillation { amplitude: [0.1, 0.0], period: 0.8 };
    let scene = Suspension::new(flow(32, 0.01, Boundary::wall()), bodies, [0.0; 2]);
    let mut scene = scene.with_contacts(walls, ContactModel::default()).unwrap().with_steering(vec![Some(swing), None]);
    for _ in 0..40 {
        scene.advance(0.005).unwrap();
    }
    // A quarter of a period: the stirrer is at its farthest.
    assert!((scene.bodies()[0].position()[0] - 0.6).abs() < 1e-9 && length(scene.bodies()[0].velocity()) < 1e-9);
    assert!(scene.bodies()[1].position()[0] > 0.73, "{:?}", scene.bodies()[1].position());
    assert!(least_gap(scene.bodies()) > -2e-3 * RADIUS);
}

#[test]
fn a_periodic_box_nearly_keeps_its_momentum() {
    let mut scene = crowd(ContactModel::default(), Boundary::Periodic);
    scene.advance(0.005).unwrap();
    let (start, scale) = (scene.momentum(), scene.bodies().iter().map(|body| length(body.momentum())).sum::<f64>());
    for _ in 0..30 {
        scene.advance(0.005).unwrap();
    }
    let drift = length(minus(scene.momentum(), start)) / scale;
    // Not to rounding: the number of faces that a body covers changes as it moves.
    assert!(drift < 2e-3, "{drift}");
}

/// A disc that sinks, with a limit of iterations.
fn sinking(max_iterations: usize, on_unconverged: Unconverged) -> Suspension<2> {
    let mut setup = flow(24, 0.02, Boundary::wall()).setup().clone();
    (setup.solve.viscous_tolerance, setup.solve.pressure_tolerance) = (1e-8, 1e-8);
    (setup.solve.max_iterations, setup.solve.on_unconverged) = (max_iterations, on_unconverged);
    Suspension::new(Flow::new(setup).unwrap(), vec![disc("a", 2.0, [0.5, 0.6], [0.0; 2])], [0.0, -1.0])
}

#[test]
fn a_solve_that_falls_short_ends_the_run_or_is_accepted_and_reported() {
    let error = sinking(1, Unconverged::Error).advance(0.02).unwrap_err();
    let StepError::Unconverged { solve, convergence, .. } = error else { panic!("{error}") };
    assert_eq!((solve, convergence.converged(), convergence.tolerance), (SolveKind::Viscous, false, 1e-8));
    assert!(convergence.residual > 1e-8);
    let report = sinking(1, Unconverged::Accept).advance(0.02).unwrap();
    assert!(!report.flow.viscous.converged() && !report.flow.pressure.converged() && report.film_solve.converged());
    let mut hopeless = sinking(1, Unconverged::ShortenStep);
    let before = hopeless.state();
    assert!(matches!(hopeless.advance(0.02), Err(StepError::Unconverged { .. })));
    assert!(hopeless.state() == before, "a step that failed is undone");
}

#[test]
fn a_step_that_is_too_long_to_converge_is_shortened() {
    // The limits that a long and a short second step need.
    let mut free = sinking(500, Unconverged::Error);
    let _ = free.advance(0.02).unwrap();
    let start = free.state();
    let mut iterations = |length: f64| {
        free.set_state(start.clone());
        let report = free.advance(length).unwrap();
        report.flow.viscous.iterations.max(report.flow.pressure.iterations)
    };
    let (long, short) = (iterations(0.32), iterations(0.02));
    assert!(short < long, "{short} against {long}");
    let mut limited = sinking(short, Unconverged::ShortenStep);
    limited.set_state(start);
    let report = limited.advance(0.32).unwrap();
    assert!(report.flow.length < 0.32 && report.flow.viscous.converged() && report.flow.pressure.converged());
    assert_eq!(limited.flow().state().time, 0.02 + report.flow.length);
}

/// A light disc is pressed against a lid that moves. What is shut in between must not set it swinging.
#[test]
fn a_disc_under_a_moving_lid_is_carried_along_and_not_thrown_away() {
    for (cells, has_films) in [(24, true), (32, false), (32, true)] {
        let axis = || Axis::uniform(0.0, 1.0, cells).unwrap();
        let mut setup = FlowSetup::new(TensorGrid::new([axis(), axis()]), 0.0025);
        setup.sides[1][1] = Boundary::NoSlip { velocity: [1.0, 0.0] };
        let walls = Container::inside([0.0; 2], [1.0; 2]);
        let scene =
            Suspension::new(Flow::new(setup).unwrap(), vec![disc("light", 0.5, [0.5, 0.9], [0.0; 2])], [0.0, -6.0]);
        let mut scene = scene.with_contacts(walls, ContactModel::default()).unwrap().with_films(has_films);
        for step in 0..400 {
            scene.advance(0.01).unwrap();
            let body = &scene.bodies()[0];
            let speed = length(body.velocity()) + RADIUS * body.spin()[2].abs();
            assert!(speed < 1.5, "{cells} {has_films}: {speed} m/s in step {step}");
        }
        assert!(scene.bodies()[0].position()[0] > 0.7 && scene.bodies()[0].position()[1] > 0.7);
    }
}
