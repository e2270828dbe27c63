//! Bodies in liquid that touch the floor or each other: pressure and contacts are solved together.

use unstick_bodies::{ContactModel, FloatingBodies, Forces, RigidBody, Shape, Surface, Weight};
use unstick_grid::vector::length;
use unstick_grid::{Grid, Pose, SignedDistance};
use unstick_liquid::{Emitter, Gravity, LiquidState, Setup, Simulation, StepReport};

const GRAVITY: f64 = 9.81;

fn tank(cells: usize) -> Setup<2> {
    Setup::new(Grid::new([cells, cells], 1.0 / cells as f64, [0.0; 2]).unwrap())
}

fn in_water(
    setup: &Setup<2>,
    bodies: Vec<RigidBody<2>>,
    model: ContactModel,
    water: SignedDistance<2>,
) -> Simulation<2> {
    let bodies = FloatingBodies::new(bodies, setup, model).unwrap();
    Simulation::with_bodies(setup.clone(), &[(water, [0.0; 2])], Some(Box::new(bodies))).unwrap()
}

fn under_water(setup: &Setup<2>, bodies: Vec<RigidBody<2>>) -> Simulation<2> {
    in_water(setup, bodies, ContactModel::default(), SignedDistance::cuboid([0.0; 2], [1.0, 0.6]))
}

fn cuboid(name: &str, density: f64, half: [f64; 2], place: [f64; 2]) -> RigidBody<2> {
    RigidBody::new(name, Shape::Cuboid { half }, Weight::Density(density), Pose::from_translation(place)).unwrap()
}

/// A plate flat on the floor.
fn plate(density: f64) -> RigidBody<2> {
    cuboid("plate", density, [0.15, 0.03125], [0.5, 0.03125])
}

fn stack() -> Vec<RigidBody<2>> {
    let half = 0.0625;
    (0..3u8).map(|n| cuboid(&format!("box {n}"), 2000.0, [0.1, half], [0.5, half * f64::from(2 * n + 1)])).collect()
}

fn bodies(simulation: &Simulation<2>) -> &[RigidBody<2>] {
    FloatingBodies::of(simulation).unwrap().world().bodies()
}

fn forces(simulation: &Simulation<2>) -> &[Forces<2>] {
    FloatingBodies::of(simulation).unwrap().forces()
}

/// Energy of liquid and bodies.
fn energy(simulation: &Simulation<2>, step: &StepReport) -> f64 {
    let (kinetic, potential) = FloatingBodies::of(simulation).unwrap().world().energy([0.0, -GRAVITY]);
    step.kinetic_energy + step.potential_energy + kinetic + potential
}

/// Advances to a time; returns the energy after the first step and the largest one.
fn watch(simulation: &mut Simulation<2>, time: f64) -> (f64, f64) {
    let (mut first, mut most) = (None, f64::NEG_INFINITY);
    while let Some(dt) = simulation.next_step(time) {
        let step = simulation.advance(dt).unwrap();
        let now = energy(simulation, &step);
        first.get_or_insert(now);
        most = most.max(now);
    }
    (first.unwrap(), most)
}

#[test]
fn a_heavy_plate_on_the_floor_stays_there_and_weighs_less_by_what_it_displaces() {
    for cells in [32, 48] {
        let mut simulation = under_water(&tank(cells), vec![plate(2000.0)]);
        watch(&mut simulation, 0.5);
        let (body, force) = (&bodies(&simulation)[0], forces(&simulation)[0]);
        assert!(length(body.velocity()) < 1e-3 && body.spin()[2].abs() < 1e-3, "{cells}: {:?}", body.velocity());
        let (weight, lift) = (GRAVITY * body.mass(), 1000.0 * GRAVITY * body.volume());
        assert!(((force.liquid[1] + force.contact[1]) / weight - 1.0).abs() < 0.02, "{cells}: {force:?}");
        assert!((force.liquid[1] / lift - 1.0).abs() < 0.02, "{cells}: {} for {lift}", force.liquid[1]);
    }
}

#[test]
fn a_light_plate_on_the_floor_comes_off_and_rises() {
    let mut simulation = under_water(&tank(48), vec![plate(300.0)]);
    let (_, most) = watch(&mut simulation, 2.2);
    let body = &bodies(&simulation)[0];
    assert!(body.position()[1] > 0.06, "{}", body.position()[1]);
    // It could rise to the surface, and would set free its lift on the way.
    let mut resting = under_water(&tank(48), vec![plate(300.0)]);
    let step = resting.advance(0.001).unwrap();
    let free = GRAVITY * 700.0 * body.volume() * 0.55;
    assert!(most < energy(&resting, &step) + free, "{most} J");
}

#[test]
fn boxes_that_sink_come_to_rest_on_the_floor() {
    let rough = Surface { friction: 0.3, ..Surface::default() };
    let boxes = vec![
        cuboid("left", 2000.0, [0.08, 0.08], [0.3, 0.2]).with_surface(rough).unwrap(),
        cuboid("right", 1500.0, [0.1, 0.06], [0.7, 0.16]).with_surface(rough).unwrap(),
    ];
    let mut simulation = under_water(&tank(40), boxes);
    while let Some(dt) = simulation.next_step(2.7) {
        let step = simulation.advance(dt).unwrap();
        let now = bodies(&simulation);
        let kinetic = step.kinetic_energy + now.iter().map(RigidBody::kinetic_energy).sum::<f64>();
        let fallen = |(body, from): (&RigidBody<2>, f64)| {
            (body.mass() - 1000.0 * body.volume()) * GRAVITY * (from - body.position()[1])
        };
        let set_free: f64 = now.iter().zip([0.2, 0.16]).map(fallen).sum();
        assert!(kinetic < 1.02 * set_free + 0.01, "{kinetic} J of {set_free} J at {}", step.time);
        let is_still = |body: &RigidBody<2>| length(body.velocity()) < 2e-3;
        assert!(step.time < 2.2 || now.iter().all(is_still), "{}: {now:?}", step.time);
    }
    let halves = bodies(&simulation).iter().zip([0.08, 0.06]);
    assert!(halves.into_iter().all(|(body, half)| (body.position()[1] - half).abs() < 1e-3));
}

/// A jet of 2 m/s and 6/64 m, whole cells on both grids, turns at a plate: it pushes with ρU²A = 375 N, steadily.
#[test]
fn a_jet_pushes_a_plate_by_the_momentum_it_brings() {
    for cells in [64, 128] {
        let mut setup = tank(cells);
        setup.gravity = Gravity::Constant([0.0; 2]);
        let emitter = |lower: [f64; 2], upper: [f64; 2], velocity| {
            let shape = SignedDistance::cuboid(lower, upper);
            Emitter { shape, velocity, start: 0.0, end: f64::INFINITY }
        };
        setup.emitters.push(emitter([0.05, 29.0 / 64.0], [0.15, 35.0 / 64.0], Some([2.0, 0.0])));
        for (lower, upper) in [([0.75, 0.0], [1.0, 1.0]), ([0.0, 0.0], [1.0, 0.06]), ([0.0, 0.94], [1.0, 1.0])] {
            setup.emitters.push(emitter(lower, upper, None));
        }
        let plate = cuboid("plate", 3000.0, [0.04, 0.35], [0.6, 0.5]).held_until(f64::INFINITY).unwrap();
        let bodies = FloatingBodies::new(vec![plate], &setup, ContactModel::default()).unwrap();
        let mut simulation = Simulation::with_bodies(setup, &[], Some(Box::new(bodies))).unwrap();
        simulation.advance_to(0.8).unwrap();
        let mut pushes = Vec::new();
        while let Some(dt) = simulation.next_step(1.4) {
            simulation.advance(dt).unwrap();
            pushes.push(forces(&simulation)[0].liquid[0]);
        }
        let mean = pushes.iter().sum::<f64>() / pushes.len() as f64;
        let square = pushes.iter().map(|push| (push - mean).powi(2)).sum::<f64>() / pushes.len() as f64;
        println!("{cells}: {mean:.1} ± {:.1} N", square.sqrt());
        assert!((mean - 375.0).abs() < 0.05 * 375.0 && square.sqrt() < 20.0, "{cells}: {mean} ± {}", square.sqrt());
    }
}

#[test]
fn a_stack_under_water_stands_and_its_contacts_carry_the_buoyant_weights() {
    let models = [ContactModel::default(), ContactModel::sequential()];
    for model in models {
        let water = SignedDistance::cuboid([0.0; 2], [1.0, 0.6]);
        let mut simulation = in_water(&tank(48), stack(), model, water);
        watch(&mut simulation, 0.3);
        for (body, force) in bodies(&simulation).iter().zip(forces(&simulation)) {
            assert!(length(body.velocity()) < 1e-3, "{}: {:?}", body.name(), body.velocity());
            // What the contacts below carry less what those above do.
            let weight = GRAVITY * 1000.0 * body.volume();
            assert!((force.contact[1] / weight - 1.0).abs() < 0.02, "{}: {:?} for {weight}", body.name(), force);
        }
    }
}

#[test]
fn contacts_in_liquid_go_on_from_a_state_with_the_same_bits_on_any_number_of_threads() {
    let setup = tank(32);
    let bodies = || vec![plate(1500.0), cuboid("box", 1200.0, [0.06, 0.05], [0.45, 0.13])];
    let run = || {
        let mut simulation = under_water(&setup, bodies());
        simulation.advance_to(0.15).unwrap();
        let text = serde_json::to_string(&simulation.state().to_data()).unwrap();
        simulation.advance_to(0.3).unwrap();
        (text, simulation.state().clone())
    };
    let in_pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    let (text, straight) = in_pool(1);
    assert_eq!(straight, in_pool(3).1);
    let state = LiquidState::restore(&setup.grid, &mut serde_json::Deserializer::from_str(&text)).unwrap();
    let afloat = FloatingBodies::new(bodies(), &setup, ContactModel::default()).unwrap();
    let mut resumed = Simulation::resume_with_bodies(setup.clone(), state, Some(Box::new(afloat))).unwrap();
    resumed.advance_to(0.3).unwrap();
    assert_eq!(&straight, resumed.state());
}

/// A ball falls on the floor of an almost empty tank and comes back as high as its restitution says.
#[test]
fn a_ball_bounces_once_for_each_collision() {
    let setup = tank(24);
    let bouncy = Surface { restitution: 0.5, ..Surface::default() };
    let ball = RigidBody::new(
        "ball",
        Shape::Sphere { radius: 0.1 },
        Weight::Density(3000.0),
        Pose::from_translation([0.5, 0.6]),
    );
    let ball = ball.unwrap().with_surface(bouncy).unwrap();
    let puddle = SignedDistance::cuboid([0.0; 2], [0.1, 0.1]);
    let mut simulation = in_water(&setup, vec![ball], ContactModel::default(), puddle);
    let mut most = 0.0f64;
    while let Some(dt) = simulation.next_step(0.62) {
        simulation.advance(dt.min(0.002)).unwrap();
        if bodies(&simulation)[0].velocity()[1] > 0.0 {
            most = most.max(bodies(&simulation)[0].position()[1] - 0.1);
        }
    }
    assert!((most / (0.25 * 0.5) - 1.0).abs() < 0.1, "{most}");
}

/// Cut cells hold few particles or none, as it happens: the force must not depend on it.
#[test]
fn the_force_of_the_first_step_is_the_lift_wherever_a_body_lies_in_the_cells() {
    let shapes = [Shape::Sphere { radius: 0.1 }, Shape::Cuboid { half: [0.1, 0.06] }];
    for (shape, shift) in shapes.iter().flat_map(|shape| [0.0, 0.21, 0.5, 0.77].map(|shift| (shape, shift))) {
        let setup = tank(32);
        let place = [0.5 + 0.3 * shift / 32.0, 0.3 + shift / 32.0];
        let body =
            RigidBody::new("body", shape.clone(), Weight::Density(3000.0), Pose::from_translation(place)).unwrap();
        let lift = 1000.0 * GRAVITY * body.volume();
        let mut simulation = under_water(&setup, vec![body.held_until(f64::INFINITY).unwrap()]);
        for _ in 0..3 {
            simulation.advance(0.004).unwrap();
            let force = forces(&simulation)[0].liquid[1];
            assert!((force / lift - 1.0).abs() < 0.02, "{shift}: {force} for {lift}");
        }
    }
}

/// The root mean square of the deviations from parabolas through nine steps, and the mean.
fn noise(values: &[f64]) -> (f64, f64) {
    let weights = [-21.0, 14.0, 39.0, 54.0, 59.0, 54.0, 39.0, 14.0, -21.0].map(|weight| weight / 231.0);
    let deviation =
        |part: &[f64]| part[4] - part.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>();
    let squares: Vec<f64> = values.windows(9).map(|part| deviation(part).powi(2)).collect();
    ((squares.iter().sum::<f64>() / squares.len() as f64).sqrt(), values.iter().sum::<f64>() / values.len() as f64)
}

#[test]
fn the_force_on_a_held_disc_in_a_gentle_slosh_is_smooth() {
    let disc = RigidBody::new(
        "disc",
        Shape::Sphere { radius: 0.1 },
        Weight::Density(1000.0),
        Pose::from_translation([0.45, 0.25]),
    );
    let disc = disc.unwrap().held_until(f64::INFINITY).unwrap();
    let water = SignedDistance::half_space([0.5, 0.5], [0.1, 1.0]);
    let mut simulation = in_water(&tank(32), vec![disc], ContactModel::default(), water);
    let mut lifts = Vec::new();
    while let Some(dt) = simulation.next_step(0.8) {
        simulation.advance(dt).unwrap();
        lifts.push(forces(&simulation)[0].liquid[1]);
    }
    let (noise, mean) = noise(&lifts);
    assert!((mean / 308.0 - 1.0).abs() < 0.05 && noise < 0.02 * mean, "{noise} of {mean}");
}

/// At the rim of a plate that lifts off, liquid comes before its particles. Nothing may pump them there.
#[test]
fn a_light_plate_on_a_fine_grid_rises_calmly_and_keeps_the_liquid_around_it() {
    let mut simulation = under_water(&tank(96), vec![plate(300.0)]);
    let volume = simulation.volume();
    let report = simulation.advance_to(0.7).unwrap();
    let most = report.steps.iter().map(|step| step.kinetic_energy).fold(0.0, f64::max);
    assert!(most < 1.0, "{most} J");
    assert!((simulation.volume() / volume - 1.0).abs() < 0.005, "{}", simulation.volume() / volume);
    let height = bodies(&simulation)[0].position()[1];
    assert!((0.0325..0.1).contains(&height), "{height}");
}
