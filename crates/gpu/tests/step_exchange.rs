//! Solids that move, sources and drains on the device, which the host stands in for, against the processor.
#![cfg(feature = "emulation")]

mod common;

use common::{assert_same_bits_by_way_of_the_host, compare, compare_step, copy, on_device, tank};
use unstick_grid::{Grid, Motion, SampledDistance, SignedDistance, Spin, sample_nodes};
use unstick_liquid::{Emitter, Setup, Simulation, Solid, Transport, Wall};

/// A paddle that turns as it is drawn through the liquid of the tank. It is clear of the walls: in a gap that closes, the
/// direction out of both solids is as good as undefined.
fn paddle<const D: usize>() -> Solid<D> {
    let (mut low, mut high) = ([-0.35; D], [0.45; D]);
    (low[0], high[0]) = (-0.34, -0.24);
    let mut velocity = [0.0; D];
    (velocity[0], velocity[1]) = (0.6, 0.1);
    let motion = Motion::Steady { velocity, spin: Spin::about_axis([0.0, 0.0, 1.5]), pivot: [-0.3; D] };
    let shape = SignedDistance::cuboid(low, high).or(SignedDistance::capsule(low, high, 0.03));
    Solid { motion, ..Solid::still(shape) }
}

/// A source under the ceiling and a drain at the floor.
fn source_and_drain<const D: usize>() -> Vec<Emitter<D>> {
    let mut down = [0.1; D];
    down[1] = -1.5;
    let mut above = [0.25; D];
    above[1] = 0.35;
    let mut below = [0.3; D];
    below[1] = -0.45;
    let source = SignedDistance::sphere(above, 0.13);
    let drain = SignedDistance::sphere(below, 0.12).rotated(&Spin::about_axis([0.0, 0.0, 0.3]), [0.1; D]);
    vec![
        Emitter { shape: drain, velocity: None, start: 0.0, end: f64::INFINITY },
        Emitter { shape: source, velocity: Some(down), start: 0.0, end: f64::INFINITY },
    ]
}

#[test]
fn solids_that_move_are_met_as_on_the_processor() {
    for wall in [Wall::Separating, Wall::Sealed] {
        let with_paddle = |setup: &mut Setup<2>| {
            setup.solids.push(Solid { wall, ..paddle() });
            setup.border = wall;
        };
        compare([22, 19], with_paddle);
    }
    compare([13, 12, 11], |setup| setup.solids.insert(0, paddle()));
    compare([11, 12, 10], |setup| {
        setup.solids.push(paddle());
        setup.transport = Transport::Apic;
    });
}

/// The host sees to liquid without air, with walls that are where the device has them.
#[test]
fn liquid_without_air_gives_way_to_a_ball() {
    let mut setup = Setup::new(Grid::<2>::unit(12).unwrap());
    let motion = Motion::Steady { velocity: [0.5, 0.2], spin: Spin::none(), pivot: [0.0; 2] };
    setup.solids.push(Solid { motion, ..Solid::still(SignedDistance::sphere([0.4; 2], 0.17)) });
    let setup = setup.with_walls(Wall::Sealed);
    let mut full = Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0; 2])).unwrap();
    for _ in 0..3 {
        full.advance(0.01).unwrap();
    }
    compare_step(full);
}

/// Where the device cannot evaluate a shape, the host does and sends what it finds.
#[test]
fn painted_solids_that_move_are_placed_by_the_host() {
    let painted = |setup: &mut Setup<2>| {
        let paddle = paddle::<2>();
        let fine = Grid::<2>::new([64, 64], 1.0 / 32.0, [-1.0; 2]).unwrap();
        let nodes = sample_nodes(&fine, |point| paddle.shape.at(point));
        let shape = SignedDistance::Sampled(SampledDistance::new(fine, nodes).unwrap());
        setup.solids.push(Solid { shape, ..paddle });
    };
    compare([22, 19], painted);
}

#[test]
fn sources_and_drains_exchange_the_particles_of_the_processor() {
    for transport in [Transport::default(), Transport::Apic, Transport::SemiLagrangian] {
        exchange_agrees([20, 18], transport);
    }
    exchange_agrees([11, 10, 9], Transport::default());
}

/// Both go on from one state of the device, whose places the processor has with all digits.
fn exchange_agrees<const D: usize>(cells: [usize; D], transport: Transport) {
    let mut device = on_device(tank(cells, |setup| {
        setup.emitters = source_and_drain();
        setup.transport = transport;
        setup.solids.push(paddle());
    }));
    let ids = |simulation: &Simulation<D>| {
        let mut ids = simulation.state().particles.id.clone();
        ids.sort_unstable();
        (ids, simulation.state().particles.next_id)
    };
    let (mut came, mut went) = (false, false);
    for _ in 0..4 {
        device.advance(0.006).unwrap();
        let on_host = device.show(copy);
        let before = ids(&on_host);
        compare_step(device.show(copy));
        let mut host_step = on_host;
        host_step.advance(0.006).unwrap();
        device.advance(0.006).unwrap();
        let after = device.show(ids);
        assert_eq!(after, ids(&host_step), "{cells:?} {transport:?}");
        came |= after.1 > before.1;
        went |= before.0.iter().any(|id| after.0.binary_search(id).is_err());
    }
    assert!(came && went, "particles come and go");
}

/// An empty tank has no memory for particles: it grows again and again.
#[test]
fn a_source_fills_an_empty_tank_as_on_the_processor() {
    let mut setup = Setup::new(Grid::<2>::unit(16).unwrap());
    let spring = SignedDistance::cuboid([0.3, 0.6], [0.5, 0.8]);
    setup.emitters.push(Emitter { shape: spring, velocity: Some([0.5, -2.0]), start: 0.015, end: 0.5 });
    let mut on_host = Simulation::with_liquids(setup, &[]).unwrap();
    let mut device = on_device(copy(&on_host));
    for step in 0..40 {
        let (expected, report) = (on_host.advance(0.01).unwrap(), device.advance(0.01).unwrap());
        let difference = report.particles.abs_diff(expected.particles);
        assert!(difference <= 2, "step {step}: {} for {} particles", report.particles, expected.particles);
        let apart = (report.volume - expected.volume).abs();
        assert!(apart <= 0.02 * expected.volume, "step {step}: {} for {}", report.volume, expected.volume);
    }
    assert!(on_host.state().particles.len() > 200);
}

#[test]
fn a_checkpoint_in_the_middle_changes_no_bit_of_what_comes_and_goes() {
    for transport in [Transport::default(), Transport::Apic] {
        let eventful = |setup: &mut Setup<3>| {
            setup.emitters = source_and_drain();
            setup.transport = transport;
            setup.solids.push(paddle());
        };
        assert_same_bits_by_way_of_the_host(|| tank([10, 9, 8], eventful));
    }
}

/// A view that is on its way shows the moment in which it began, whatever the steps after it do.
#[test]
fn a_view_shows_what_the_state_has_while_steps_go_on() {
    for is_moving in [false, true] {
        let change = |setup: &mut Setup<3>| {
            setup.emitters = source_and_drain();
            setup.solids.extend(is_moving.then(paddle));
        };
        let (mut viewed, mut shown) = (on_device(tank([10, 9, 8], change)), on_device(tank([10, 9, 8], change)));
        (0..3).for_each(|_| drop(viewed.advance(0.005).unwrap()));
        let pending = viewed.begin_view().unwrap();
        (0..2).for_each(|_| drop(viewed.advance(0.005).unwrap()));
        (0..3).for_each(|_| drop(shown.advance(0.005).unwrap()));
        let view = std::thread::spawn(|| pending.wait().unwrap()).join().unwrap();
        shown.show(|shown| {
            let (state, geometry) = (shown.state(), shown.geometry());
            assert_eq!((view.time, view.step), (state.time, state.step));
            assert!(view.positions == state.particles.position && view.velocities == state.particles.velocity);
            assert!(view.ids == state.particles.id && view.velocity == state.velocity);
            assert!(view.pressure == state.pressure && view.separated == state.separated);
            let fields = [(&view.surface, &*shown.surface()), (&view.solid, &geometry.solid)];
            for (found, expected) in fields {
                let pairs = found.values().iter().zip(expected.values());
                let apart = pairs.fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
                assert!(apart < 1e-6 * shown.setup().grid.spacing().max(1.0), "{apart:.1e}");
            }
        });
    }
}
