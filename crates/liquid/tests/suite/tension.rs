//! Drops with surface tension, without gravity, of water: a radius of 5 mm, 1000 kg/m³, 0.072 N/m.

use std::f64::consts::TAU;

use unstick_grid::{Grid, SignedDistance};
use unstick_liquid::{Gravity, Setup, Simulation, Transport};

const RADIUS: f64 = 0.005;
const TENSION: f64 = 0.072;
const DENSITY: f64 = 1000.0;

/// A drop in the middle of a box of 2 cm, stretched along y by a part `stretch` as potential flow would do it.
fn drop<const D: usize>(cells: usize, stretch: f64, change: impl FnOnce(&mut Setup<D>)) -> Simulation<D> {
    let mut setup = Setup::new(Grid::new([cells; D], 0.02 / cells as f64, [0.0; D]).unwrap());
    (setup.gravity, setup.tension, setup.max_step) = (Gravity::Constant([0.0; D]), TENSION, 0.001);
    change(&mut setup);
    let round = Simulation::new(setup.clone(), &SignedDistance::sphere([0.01; D], RADIUS)).unwrap();
    let mut state = round.state().clone();
    for point in &mut state.particles.position {
        for (axis, place) in point.iter_mut().enumerate() {
            let part = if axis == 1 { stretch } else { -stretch / (D as f64 - 1.0) };
            *place += part * (*place - 0.01);
        }
    }
    Simulation::resume(setup, state).unwrap()
}

/// How far a drop is stretched along y: the moment y² − (x² + z²)/(D − 1) of its particles.
fn stretched<const D: usize>(drop: &Simulation<D>) -> f64 {
    let square = |axis: usize, place: f64| if axis == 1 { place * place } else { -place * place / (D as f64 - 1.0) };
    let of_point = |point: &[f64; D]| point.iter().enumerate().map(|(axis, at)| square(axis, at - 0.01)).sum::<f64>();
    drop.state().particles.position.iter().map(of_point).sum()
}

/// Seconds of a swing: from the first to the second time at which the drop is round on its way from long to flat.
fn period<const D: usize>(mut drop: Simulation<D>) -> f64 {
    let (mut before, mut first) = ((0.0, stretched(&drop)), None);
    loop {
        let dt = drop.next_step(1.0).unwrap();
        drop.advance(dt).unwrap();
        let now = (drop.state().time, stretched(&drop));
        if before.1 > 0.0 && now.1 <= 0.0 {
            let round = before.0 + (now.0 - before.0) * before.1 / (before.1 - now.1);
            match first {
                Some(first) => return round - first,
                None => first = Some(round),
            }
        }
        before = now;
    }
}

#[test]
fn drops_swing_at_rayleighs_frequency_in_plane_and_space() {
    // ω² = n(n² − 1)γ/ρR³ in the plane, n(n − 1)(n + 2)γ/ρR³ in space, for n = 2.
    let expected = |factor: f64| TAU / (factor * TENSION / (DENSITY * RADIUS.powi(3))).sqrt();
    let plane = period(drop::<2>(64, 0.05, |_| ())) / expected(6.0) - 1.0;
    assert!(plane.abs() < 0.02, "{plane}");
    let space = period(drop::<3>(40, 0.05, |setup| setup.max_step = 0.002)) / expected(8.0) - 1.0;
    assert!(space.abs() < 0.03, "{space}");
}

#[test]
fn a_round_drop_stays_at_rest_with_every_transport() {
    for transport in [Transport::default(), Transport::Apic, Transport::SemiLagrangian] {
        let mut drop = drop::<2>(40, 0.0, |setup| setup.transport = transport);
        let steps = drop.advance_to(0.4).unwrap().steps;
        // The capillary number with the viscosity of water.
        let capillary = 1e-3 * drop.fastest() / TENSION;
        assert!(capillary < 2e-4, "{transport:?}: {capillary:e}");
        let (area, last) = (TAU * RADIUS, steps.last().unwrap());
        assert!((last.surface_energy / (TENSION * area) - 1.0).abs() < 0.04, "{}", last.surface_energy);
        let mean = drop.state().particles.velocity.iter().fold([0.0; 2], |sum, v| [sum[0] + v[0], sum[1] + v[1]]);
        let drift = mean[0].hypot(mean[1]) / drop.state().particles.len() as f64;
        assert!(drift < 1e-4, "{transport:?}: it swims at {drift:e} m/s");
    }
}

/// The usual limit √(ρh³/2πγ) is half a millisecond here.
#[test]
fn steps_of_twenty_times_the_usual_limit_are_stable_and_only_slower() {
    let mut long = drop::<2>(40, 0.05, |setup| setup.max_step = 0.01);
    let energy = |report: &unstick_liquid::StepReport| report.kinetic_energy;
    let steps = long.advance_to(1.0).unwrap().steps;
    assert_eq!(steps.len(), 100);
    // Of the energy of a drop that is stretched by a twentieth, γ L ε² ¾, no more than all can become motion.
    let most = steps.iter().map(energy).fold(0.0, f64::max);
    assert!(most < 1.2 * 0.75 * TENSION * TAU * RADIUS * 0.05f64.powi(2), "{most:e}");
}

#[test]
fn sheets_threads_and_spray_that_no_curvature_resolves_do_not_burst() {
    let mut setup = Setup::<2>::new(Grid::new([48; 2], 0.01 / 48.0, [0.0; 2]).unwrap());
    (setup.gravity, setup.tension) = (Gravity::Constant([0.0; 2]), TENSION);
    let cell = setup.grid.spacing();
    let sheet = SignedDistance::cuboid([0.002, 0.005], [0.008, 0.005 + 1.2 * cell]);
    let crumb = SignedDistance::sphere([0.005, 0.0075], 0.8 * cell);
    let mut simulation = Simulation::with_liquids(setup, &[(sheet, [0.0; 2]), (crumb, [0.0; 2])]).unwrap();
    let count = simulation.state().particles.len();
    simulation.advance_to(0.02).unwrap();
    // The rim of a sheet of the thickness d draws back at √(2γ/ρd).
    let rim = (2.0 * TENSION / (DENSITY * 1.2 * cell)).sqrt();
    assert!(simulation.fastest() < 2.0 * rim, "{} for {rim}", simulation.fastest());
    assert_eq!(simulation.state().particles.len(), count);
}
