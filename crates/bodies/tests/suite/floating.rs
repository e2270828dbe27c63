//! Bodies and a free surface: Archimedes, and what light and heavy bodies do.

use unstick_bodies::{ContactModel, FloatingBodies, RigidBody, Shape, Surface, Weight};
use unstick_grid::{Grid, Pose, SignedDistance};
use unstick_liquid::{LiquidState, Setup, Simulation, StepError, Wall};

fn tank(cells: usize) -> Setup<2> {
    Setup::new(Grid::new([cells, cells], 1.0 / cells as f64, [0.0; 2]).unwrap())
}

fn floating(setup: &Setup<2>, bodies: Vec<RigidBody<2>>, depth: f64) -> Simulation<2> {
    let afloat = FloatingBodies::new(bodies, setup, ContactModel::default()).unwrap();
    let water = SignedDistance::cuboid([0.0, 0.0], [1.0, depth]);
    Simulation::with_bodies(setup.clone(), &[(water, [0.0; 2])], Some(Box::new(afloat))).unwrap()
}

fn cuboid(density: f64, half: [f64; 2], place: [f64; 2], wall: Wall) -> RigidBody<2> {
    let body = RigidBody::new("box", Shape::Cuboid { half }, Weight::Density(density), Pose::from_translation(place));
    body.unwrap().with_surface(Surface { wall, ..Surface::default() }).unwrap()
}

/// A box as heavy as what it displaces does not move, wherever it lies in the cells.
#[test]
fn still_water_carries_a_box_at_the_draught_of_archimedes() {
    for wall in [Wall::Separating, Wall::Sealed] {
        for shift in [0.0, 0.3, 0.5, 0.8] {
            let mut setup = tank(48);
            setup.volume_correction = false; // which spreads the particles of the first steps
            // Particles lie on a lattice of half a cell: this level is exact.
            let (level, half) = (0.375, [0.15, 0.1]);
            let bottom = 0.25 + shift * setup.grid.spacing();
            let density = 1000.0 * (level - bottom) / (2.0 * half[1]);
            let body = cuboid(density, half, [0.5, bottom + half[1]], wall);
            let mut simulation = floating(&setup, vec![body], level);
            simulation.advance(0.002).unwrap();
            let afloat = FloatingBodies::of(&simulation).unwrap();
            let (force, weight) = (afloat.forces()[0], 9.81 * afloat.world().bodies()[0].mass());
            let error = force.liquid[1] / weight - 1.0;
            assert!(error.abs() < 0.002, "{wall:?} {shift}: {error}");
            assert!(force.liquid[0].abs() < 1e-3 * weight && force.torque[2].abs() < 1e-3 * weight);
        }
    }
}

/// Goes up or down as its density says, at any density ratio: nothing blows up for a light body.
#[test]
fn light_bodies_rise_and_heavy_ones_sink() {
    for (density, is_light) in [(10.0, true), (500.0, true), (900.0, true), (1500.0, false), (8000.0, false)] {
        let setup = tank(32);
        let ball = Shape::Sphere { radius: 0.1 };
        let pose = Pose::from_translation([0.5, 0.35]);
        let ball = RigidBody::new("ball", ball, Weight::Density(density), pose).unwrap();
        let mut simulation = floating(&setup, vec![ball], 0.7);
        simulation.advance_to(0.1).unwrap();
        let body = &FloatingBodies::of(&simulation).unwrap().world().bodies()[0];
        let moved = body.position()[1] - 0.35;
        // (ρ_b − ρ) g / (ρ_b + ρ) for a disc in unbounded liquid; walls and surface change it by some.
        let free = -0.5 * 9.81 * 0.01 * (density - 1000.0) / (density + 1000.0);
        assert_eq!(moved > 0.0, is_light, "{density}: {moved}");
        assert!((0.5..1.3).contains(&(moved / free)), "{density}: {moved} for {free}");
        assert!(body.velocity()[0].abs() < 0.05 * body.velocity()[1].abs());
    }
}

#[test]
fn going_on_from_a_state_gives_the_same_bits() {
    let setup = tank(24);
    let bodies = || {
        let ball = Shape::Sphere { radius: 0.08 };
        let ball = RigidBody::new("ball", ball, Weight::Density(400.0), Pose::from_translation([0.3, 0.3])).unwrap();
        vec![ball, cuboid(700.0, [0.1, 0.06], [0.65, 0.52], Wall::Sealed)]
    };
    let mut whole = floating(&setup, bodies(), 0.45);
    whole.advance_to(0.15).unwrap();
    let text = serde_json::to_string(&whole.state().to_data()).unwrap();
    let mut json = serde_json::Deserializer::from_str(&text);
    let state = LiquidState::restore(&setup.grid, &mut json).unwrap();
    let afloat = FloatingBodies::new(bodies(), &setup, ContactModel::default()).unwrap();
    let mut resumed = Simulation::resume_with_bodies(setup.clone(), state, Some(Box::new(afloat))).unwrap();
    whole.advance_to(0.3).unwrap();
    resumed.advance_to(0.3).unwrap();
    assert_eq!(whole.state(), resumed.state());
    assert!(!whole.state().bodies.is_empty());
    let error = Simulation::resume(setup, whole.state().clone()).err().unwrap();
    assert!(error.to_string().contains("numbers of bodies"), "{error}");
}

/// A body that fills the width of a closed, full box splits the liquid in two: it cannot move, and does not.
#[test]
fn a_body_in_a_full_sealed_box_stays_where_it_is_or_falls_around() {
    let setup = tank(24).with_walls(Wall::Sealed);
    let ball = Shape::Sphere { radius: 0.15 };
    let ball = RigidBody::new("ball", ball, Weight::Density(1000.0), Pose::from_translation([0.5, 0.5])).unwrap();
    let ball = ball.with_surface(Surface { wall: Wall::Sealed, ..Surface::default() }).unwrap();
    let afloat = FloatingBodies::new(vec![ball], &setup, ContactModel::default()).unwrap();
    let water = SignedDistance::cuboid([0.0; 2], [1.0; 2]);
    let mut simulation = Simulation::with_bodies(setup, &[(water, [0.0; 2])], Some(Box::new(afloat))).unwrap();
    let report = simulation.advance_to(0.05).unwrap();
    assert!(report.steps.iter().all(|step| step.converged));
    // As heavy as the liquid: it hovers.
    let body = &FloatingBodies::of(&simulation).unwrap().world().bodies()[0];
    assert!(body.velocity()[1].abs() < 0.02, "{:?}", body.velocity());
}

/// A held body is a wall until it is let go.
#[test]
fn a_held_body_waits_for_its_time() {
    let setup = tank(32);
    let ball = Shape::Sphere { radius: 0.1 };
    let ball = RigidBody::new("ball", ball, Weight::Density(200.0), Pose::from_translation([0.5, 0.25])).unwrap();
    let mut simulation = floating(&setup, vec![ball.held_until(0.1).unwrap()], 0.6);
    simulation.advance_to(0.1).unwrap();
    assert_eq!(FloatingBodies::of(&simulation).unwrap().world().bodies()[0].position(), [0.5, 0.25]);
    simulation.advance_to(0.2).unwrap();
    assert!(FloatingBodies::of(&simulation).unwrap().world().bodies()[0].position()[1] > 0.26);
}

/// What is no number spreads into the liquid within a step: it is found before.
#[test]
fn a_number_of_a_body_that_is_none_is_caught_in_one_step_and_named() {
    let setup = tank(16);
    let body = || cuboid(500.0, [0.1; 2], [0.5, 0.5], Wall::Separating);
    let mut sound = floating(&setup, vec![body()], 0.5);
    sound.advance(0.005).unwrap();
    // Bodies are stored as rotation, place, velocity, spin.
    let place = 2 * 2 + 2;
    let moving = &FloatingBodies::of(&sound).unwrap().world().bodies()[0];
    assert_eq!(sound.state().bodies[place..place + 2], moving.velocity());
    for bad in [f64::NAN, f64::INFINITY] {
        let mut state = sound.state().clone();
        state.bodies[place + 1] = bad;
        let afloat = FloatingBodies::new(vec![body()], &setup, ContactModel::default()).unwrap();
        let mut spoilt = Simulation::resume_with_bodies(setup.clone(), state, Some(Box::new(afloat))).unwrap();
        let error = spoilt.advance(0.005).unwrap_err();
        assert!(matches!(error, StepError::NotFinite { step: 1, .. }), "{error}");
        assert!(error.to_string().contains(&format!("after 1 steps: the velocity of body 0 is {bad}")), "{error}");
        assert!(spoilt.check_state().is_err());
    }
}

/// Water under a plate that is held: it falls freely, or hangs where the plate pulls with more than ρ g d = 981 Pa.
#[test]
fn a_body_that_pulls_holds_the_water_below_it() {
    let fall = |adhesion: f64| {
        let mut setup = tank(40);
        (setup.max_step, setup.border_adhesion) = (0.002, adhesion.into());
        let plate = cuboid(500.0, [0.475, 0.05], [0.5, 0.75], Wall::Separating);
        let plate = plate.with_surface(Surface { adhesion, ..Surface::default() }).unwrap().held_until(9.0).unwrap();
        let afloat = FloatingBodies::new(vec![plate], &setup, ContactModel::default()).unwrap();
        let water = SignedDistance::cuboid([0.0, 0.6], [1.0, 0.7]);
        let mut water = Simulation::with_bodies(setup, &[(water, [0.0; 2])], Some(Box::new(afloat))).unwrap();
        let height = |water: &Simulation<2>| {
            let middle = water.state().particles.position.iter().filter(|point| (0.3..0.7).contains(&point[0]));
            middle.clone().map(|point| point[1]).sum::<f64>() / middle.count() as f64
        };
        let before = height(&water);
        water.advance_to(0.04).unwrap();
        (before - height(&water)) / (0.5 * 9.81 * 0.04 * 0.04)
    };
    let (free, held) = (fall(0.0), fall(2000.0));
    assert!((free - 1.0).abs() < 0.02 && held < 0.1, "{free} without a pull, {held} with it");
    let negative = Surface { adhesion: -1.0, ..Surface::default() };
    assert!(cuboid(500.0, [0.1; 2], [0.5; 2], Wall::Separating).with_surface(negative).is_err());
}
