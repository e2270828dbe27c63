//! Viscosity and walls that drag on the device, which the host stands in for, against the processor.
#![cfg(feature = "emulation")]

mod common;

use common::{assert_same_bits_by_way_of_the_host, compare, compare_step, copy, on_device, tank};
use unstick_grid::{Grid, Motion, SignedDistance, Spin, Varying};
use unstick_liquid::{Drag, Emitter, Gravity, Setup, Simulation, Solid, Transport, Viscosity, Wall};

fn honey<const D: usize>(setup: &mut Setup<D>, viscosity: f64) {
    setup.viscosity = Viscosity::Newtonian(viscosity);
    setup.viscosity_tolerance = 1e-7;
}

#[test]
fn stress_is_that_of_the_processor_at_any_viscosity() {
    for viscosity in [1e-6, 1e-3, 0.05, 1.0] {
        compare([20, 18], |setup| honey(setup, viscosity));
        compare([12, 11, 10], |setup| honey(setup, viscosity));
    }
    for transport in [Transport::Apic, Transport::SemiLagrangian] {
        compare([20, 18], |setup| {
            honey(setup, 0.01);
            (setup.transport, setup.tension) = (transport, 5.0);
        });
    }
}

#[test]
fn walls_drag_as_on_the_processor() {
    for length in [0.0, 0.03, 1e3] {
        compare([20, 18], |setup| {
            honey(setup, 0.05);
            setup.border_drag = Drag::no_slip();
            setup.solids[0].drag = Drag::SlipLength(length.into());
        });
    }
    compare([12, 11, 10], |setup| {
        honey(setup, 0.2);
        setup.border_drag = Drag::SlipLength(0.01.into());
        (setup.border, setup.solids[0].wall) = (Wall::Sealed, Wall::Sealed);
    });
    compare([20, 18], |setup| {
        honey(setup, 0.05);
        setup.border_drag = Drag::SlipLength(Varying::Table([(0.0, 0.0), (0.02, 0.1)].into()));
        setup.border_adhesion = 300.0.into();
    });
}

#[test]
fn friction_brakes_as_on_the_processor_with_viscosity_and_without() {
    for viscosity in [0.0, 0.02] {
        compare([20, 18], |setup| {
            honey(setup, viscosity);
            setup.border_drag = Drag::Friction(0.4.into());
            setup.solids[0].drag = Drag::Friction(Varying::Table([(0.0, 0.1), (0.02, 0.9)].into()));
        });
    }
    compare([12, 11, 10], |setup| {
        honey(setup, 0.02);
        setup.border_drag = Drag::Friction(0.3.into());
        setup.solids[0].drag = Drag::no_slip();
    });
}

#[test]
fn laws_of_viscosity_are_those_of_the_processor() {
    let laws = [
        Viscosity::PowerLaw { consistency: 0.05, exponent: 0.4, bounds: [1e-4, 1.0] },
        Viscosity::PowerLaw { consistency: 0.01, exponent: 1.6, bounds: [1e-4, 1.0] },
        Viscosity::Carreau { at_rest: 0.3, sheared: 1e-3, relaxation: 0.5, exponent: 0.3 },
        Viscosity::Yield { stress: 0.3, consistency: 0.01, exponent: 1.0, at_rest: 3.0 },
    ];
    for law in laws {
        let with_law = |setup: &mut Setup<2>| {
            (setup.viscosity, setup.viscosity_tolerance) = (law, 1e-7);
            setup.border_drag = Drag::no_slip();
        };
        compare([20, 18], with_law);
    }
    compare([12, 11, 10], |setup| {
        (setup.viscosity, setup.viscosity_tolerance) = (laws[0], 1e-7);
        setup.border_drag = Drag::SlipLength(0.02.into());
    });
}

#[test]
fn a_solid_that_moves_drags_as_on_the_processor() {
    let plate = |drag: Drag<2>| {
        let motion = Motion::Steady { velocity: [0.6, 0.1], spin: Spin::about_axis([0.0, 0.0, 1.5]), pivot: [-0.3; 2] };
        Solid { motion, drag, ..Solid::still(SignedDistance::cuboid([-0.34, -0.35], [-0.24, 0.45])) }
    };
    for drag in [Drag::no_slip(), Drag::Friction(0.5.into())] {
        compare([22, 19], |setup| {
            honey(setup, 0.03);
            setup.solids.push(plate(drag.clone()));
            setup.border_drag = Drag::no_slip();
        });
    }
}

/// Where particles enter moves with the liquid, faces of the mouth are held, and a thread pulls.
#[test]
fn a_nozzle_lets_out_what_that_of_the_processor_does() {
    let mut setup = Setup::new(Grid::<2>::unit(24).unwrap());
    honey(&mut setup, 0.01);
    let nozzle = SignedDistance::cuboid([0.4, 0.8], [0.6, 0.95]);
    setup.emitters.push(Emitter { shape: nozzle, velocity: Some([0.0, -1.0]), start: 0.003, end: 1.0 });
    let drain = SignedDistance::cuboid([0.0, 0.0], [1.0, 0.1]);
    setup.emitters.push(Emitter { shape: drain, velocity: None, start: 0.0, end: f64::INFINITY });
    let mut on_host = Simulation::with_liquids(setup, &[]).unwrap();
    let mut device = on_device(copy(&on_host));
    for step in 0..25 {
        let (expected, report) = (on_host.advance(0.01).unwrap(), device.advance(0.01).unwrap());
        let difference = report.particles.abs_diff(expected.particles);
        assert!(difference <= 2, "step {step}: {} for {} particles", report.particles, expected.particles);
        if step % 8 == 7 {
            compare_step(device.show(copy));
        }
    }
    assert!(on_host.state().particles.len() > 150);
}

/// What only turns bears no stress: it goes on as without viscosity.
#[test]
fn a_drop_of_any_viscosity_goes_on_turning() {
    let mut setup = Setup::new(Grid::<2>::unit(24).unwrap());
    honey(&mut setup, 1.0);
    setup.gravity = Gravity::Constant([0.0; 2]);
    (setup.transport, setup.volume_correction) = (Transport::Apic, false);
    let mut state = Simulation::new(setup.clone(), &SignedDistance::sphere([0.5; 2], 0.3)).unwrap().state().clone();
    state.particles.affine = vec![[[0.0, -1.0], [1.0, 0.0]]; state.particles.len()];
    for at in 0..state.particles.len() {
        let [x, y] = state.particles.position[at];
        state.particles.velocity[at] = [-(y - 0.5), x - 0.5];
    }
    let mut drop = on_device(Simulation::resume(setup, state).unwrap());
    let before = drop.advance(0.02).unwrap().kinetic_energy;
    for _ in 0..10 {
        let report = drop.advance(0.02).unwrap();
        assert!(report.converged && report.viscosity.iterations <= 12, "{:?}", report.viscosity);
        assert!(report.kinetic_energy > 0.98 * before, "{} of {before}", report.kinetic_energy);
    }
}

/// Honey between walls to which it sticks, at rest.
#[test]
fn a_tank_stays_at_rest() {
    let mut setup = Setup::new(Grid::<3>::unit(12).unwrap());
    honey(&mut setup, 0.1);
    setup.border_drag = Drag::no_slip();
    let mut tank = on_device(Simulation::new(setup, &SignedDistance::cuboid([0.0; 3], [1.0, 0.5, 1.0])).unwrap());
    let reports: Vec<_> = (0..5).map(|_| tank.advance(0.02).unwrap()).collect();
    assert!(reports.iter().all(|report| report.converged && report.kinetic_energy < 1e-9), "{reports:?}");
}

#[test]
fn a_state_that_went_by_the_host_goes_on_with_the_same_bits() {
    for transport in [Transport::Apic, Transport::SemiLagrangian] {
        assert_same_bits_by_way_of_the_host(|| {
            tank([10, 9, 8], |setup| {
                setup.viscosity = Viscosity::Carreau { at_rest: 0.3, sheared: 1e-3, relaxation: 0.5, exponent: 0.3 };
                (setup.transport, setup.border_drag) = (transport, Drag::Friction(0.3.into()));
                setup.border_adhesion = 200.0.into();
            })
        });
    }
}
