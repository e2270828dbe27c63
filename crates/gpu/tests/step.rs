//! Steps on the device, which the host stands in for, against those of the processor.
#![cfg(feature = "emulation")]

mod common;

use common::{assert_same_bits_by_way_of_the_host, compare, compare_step, copy, on_device, tank};
use unstick_grid::{Grid, Motion, SignedDistance, Spin, Varying};
use unstick_liquid::{Gravity, Setup, Simulation, Transport, Wall};

#[test]
fn a_step_is_that_of_the_processor_in_single_precision() {
    compare([20, 18], |_| ());
    compare([12, 11, 10], |_| ());
    compare([12, 11, 10], |setup| {
        setup.border = Wall::Sealed;
        setup.solids[0].wall = Wall::Sealed;
    });
}

#[test]
fn every_transport_is_that_of_the_processor() {
    for transport in [Transport::Apic, Transport::SemiLagrangian, Transport::Flip { pic: 1.0 }] {
        compare([20, 18], |setup| setup.transport = transport);
        compare([11, 12, 10], |setup| setup.transport = transport);
    }
}

#[test]
fn particles_that_are_not_displaced_follow_the_velocity_alone() {
    compare([20, 18], |setup| setup.volume_correction = false);
    compare([12, 11, 10], |setup| {
        setup.volume_correction = false;
        setup.solids.clear();
    });
}

#[test]
fn liquid_that_is_driven_off_walls_leaves_them_as_on_the_processor() {
    compare([20, 18], |setup| setup.control = 0.1.into());
}

#[test]
fn walls_that_pull_let_go_where_those_of_the_processor_do() {
    for (border, ball) in [(40.0, 0.0), (900.0, 300.0), (0.0, 5000.0)] {
        let pulling = |setup: &mut Setup<2>| {
            setup.border_adhesion = border.into();
            setup.solids[0].adhesion = ball.into();
        };
        compare([20, 18], pulling);
        compare([20, 18], |setup| {
            pulling(setup);
            setup.transport = Transport::SemiLagrangian;
        });
    }
    compare([12, 11, 10], |setup| {
        setup.border_adhesion = 600.0.into();
        setup.solids[0].adhesion = 200.0.into();
    });
}

#[test]
fn what_walls_do_may_depend_on_place_and_time() {
    let rising = [(0.0, 100.0), (0.02, 900.0)];
    compare([20, 18], |setup| setup.border_adhesion = Varying::Table(rising.into()));
    compare([12, 11, 10], |setup| {
        setup.border_adhesion = Varying::Table(rising.into());
        setup.control = Varying::Table([(0.0, 0.3), (0.02, 0.1)].into());
        setup.solids[0].control = Some(0.2.into());
    });
}

#[test]
fn a_surface_pulls_as_on_the_processor() {
    for transport in [Transport::default(), Transport::SemiLagrangian] {
        compare([20, 18], |setup| (setup.tension, setup.transport) = (20.0, transport));
    }
    compare([12, 11, 10], |setup| setup.tension = 20.0);
    // No solids, and a filter that is wider than the least.
    compare([20, 18], |setup| {
        setup.solids.clear();
        (setup.tension, setup.border_adhesion) = (2000.0, 100.0.into());
    });
}

#[test]
fn a_solid_that_moves_pulls_as_on_the_processor() {
    compare([20, 18], |setup| {
        let motion = Motion::Steady { velocity: [0.4, 0.2], spin: Spin::none(), pivot: [0.0; 2] };
        (setup.solids[0].motion, setup.solids[0].adhesion) = (motion, 700.0.into());
        (setup.border_adhesion, setup.tension) = (100.0.into(), 5.0);
    });
}

/// Nothing but tension moves it. At first whole rows of cells are exactly half full: which of them are wet is left to
/// rounding.
#[test]
fn a_drop_swings_as_on_the_processor() {
    fn swinging<const D: usize>(cells: usize) -> Simulation<D> {
        let mut setup = Setup::new(Grid::<D>::unit(cells).unwrap());
        (setup.tension, setup.gravity) = (60.0, Gravity::Constant([0.0; D]));
        let (mut low, mut high) = ([0.31; D], [0.69; D]);
        (low[0], high[0]) = (0.21, 0.77);
        let mut drop = Simulation::new(setup, &SignedDistance::cuboid(low, high)).unwrap();
        for _ in 0..5 {
            drop.advance(0.004).unwrap();
        }
        drop
    }
    compare_step(swinging::<2>(24));
    compare_step(swinging::<3>(14));
    let mut on_host = swinging::<2>(24);
    let mut device = on_device(copy(&on_host));
    for step in 0..8 {
        let (expected, found) = (on_host.advance(0.004).unwrap(), device.advance(0.004).unwrap());
        let apart = [
            (found.surface_energy - expected.surface_energy).abs() / expected.surface_energy,
            (found.kinetic_energy - expected.kinetic_energy).abs() / expected.kinetic_energy,
        ];
        assert!(apart[0] < 1e-3 && apart[1] < 1e-2, "step {step}: {apart:?}");
    }
}

/// A layer under the ceiling: it falls slowly until its wall has let go.
#[test]
fn a_layer_that_hangs_lets_go_in_the_step_in_which_it_does_on_the_processor() {
    for adhesion in [200.0, 900.0] {
        let begin = || {
            let mut setup = Setup::new(Grid::<2>::unit(20).unwrap());
            setup.border_adhesion = adhesion.into();
            Simulation::new(setup, &SignedDistance::cuboid([0.0, 0.85], [1.0, 1.0])).unwrap()
        };
        let (mut on_host, mut device) = (begin(), on_device(begin()));
        for step in 0..12 {
            let (expected, found) = (on_host.advance(0.005).unwrap(), device.advance(0.005).unwrap());
            assert_eq!(found.active_rows, expected.active_rows, "step {step}, {adhesion} Pa");
            let apart = (found.kinetic_energy - expected.kinetic_energy).abs();
            assert!(apart < 1e-4 * expected.kinetic_energy + 1e-6, "step {step}, {adhesion} Pa: {apart}");
        }
        device.show(|shown| assert_eq!(shown.state().separated, on_host.state().separated, "{adhesion} Pa"));
    }
}

#[test]
fn walls_that_pull_give_the_same_bits_by_way_of_the_host() {
    let pulling = |setup: &mut Setup<3>| {
        setup.border_adhesion = Varying::Table([(0.0, 100.0), (0.02, 900.0)].into());
        setup.control = Varying::Table([(0.0, 0.3), (0.02, 0.1)].into());
    };
    assert_same_bits_by_way_of_the_host(|| tank([10, 9, 8], pulling));
}

/// A box full of liquid has no air: the host sees to it.
#[test]
fn liquid_without_air_stays_at_rest() {
    let setup = Setup::new(Grid::<2>::unit(8).unwrap()).with_walls(Wall::Sealed);
    let mut full = on_device(Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0; 2])).unwrap());
    for _ in 0..3 {
        let report = full.advance(0.01).unwrap();
        assert!(report.converged && report.kinetic_energy < 1e-9, "{}", report.kinetic_energy);
    }
}

#[test]
fn free_fall_is_exact_to_single_precision() {
    let mut setup = Setup::new(Grid::<2>::unit(8).unwrap());
    setup.volume_correction = false;
    let drop = Simulation::new(setup, &SignedDistance::sphere([0.5; 2], 0.2)).unwrap();
    let before = drop.state().particles.position[0][1];
    let mut drop = on_device(drop);
    for dt in [0.01, 0.02] {
        drop.advance(dt).unwrap();
    }
    let fallen = drop.show(|drop| before - drop.state().particles.position[0][1]);
    assert!((fallen - 0.5 * 9.81 * 0.03f64.powi(2)).abs() < 1e-6, "{fallen}");
}

#[test]
fn a_state_that_went_by_the_host_goes_on_with_the_same_bits() {
    for transport in [Transport::default(), Transport::Apic, Transport::SemiLagrangian] {
        assert_same_bits_by_way_of_the_host(|| tank([10, 9, 8], |setup| setup.transport = transport));
    }
}
