//! Enclosed air: bubbles have a pressure and keep their volume.

use unstick_grid::{Grid, Motion, SignedDistance, Spin};
use unstick_liquid::{Air, Setup, Simulation, Solid, Transport, Viscosity, Wall};

const GRAVITY: f64 = 9.81;

fn enclosed<const D: usize>() -> Air<D> {
    Air::Enclosed { vents: Vec::new() }
}

/// A bell, open below: its air reaches down to 0.5 m below the surface.
fn bell(change: impl FnOnce(&mut Setup<2>)) -> Simulation<2> {
    let mut setup = Setup::new(Grid::<2>::unit(32).unwrap());
    let wall = SignedDistance::cuboid([0.25, 0.25], [0.75, 0.75]);
    let inner = SignedDistance::cuboid([0.3125, 0.0], [0.6875, 0.6875]);
    setup.solids.push(Solid::still(SignedDistance::Intersection(vec![wall, inner.clone().complement()])));
    setup.air = enclosed();
    change(&mut setup);
    let air = SignedDistance::cuboid([0.3125, 0.375], [0.6875, 0.6875]);
    let water = SignedDistance::cuboid([0.0; 2], [1.0, 0.875]);
    Simulation::new(setup, &SignedDistance::Intersection(vec![water, air.complement()])).unwrap()
}

#[test]
fn the_air_in_a_bell_has_the_pressure_of_the_water_below_it_and_stays() {
    for transport in [Transport::default(), Transport::Apic, Transport::SemiLagrangian] {
        let mut bell = bell(|setup| setup.transport = transport);
        let report = bell.advance_to(0.5).unwrap();
        assert!(report.steps.iter().all(|step| step.converged && step.bubbles == 1));
        let bubble = *bell.bubbles().next().unwrap();
        // A twentieth of a cell at the most: how the particles at the bell happen to lie.
        assert!((bubble.pressure - GRAVITY * 0.5).abs() < 0.05 * GRAVITY / 32.0, "{bubble:?}");
        assert!((bubble.measured / bubble.volume - 1.0).abs() < 1e-3, "{bubble:?}");
        // A thousandth of what falls as long.
        assert!(bell.fastest() < 1e-3 * GRAVITY * 0.5, "{transport:?}: {}", bell.fastest());
    }
    let mut open = bell(|setup| setup.air = Air::Open);
    open.advance_to(0.5).unwrap();
    let state = open.state();
    assert!(state.liquid.at([16, 16]) < 0.0 && open.bubbles().count() == 0, "open air lets the water in");
}

/// A vent in the bell lets its air out.
#[test]
fn air_that_reaches_a_vent_is_outer_air() {
    let hole = SignedDistance::cuboid([0.45, 0.66], [0.55, 0.69]);
    let top = SignedDistance::cuboid([0.0, 0.95], [1.0, 1.0]);
    let mut bell = bell(|setup| setup.air = Air::Enclosed { vents: vec![hole, top] });
    let report = bell.advance_to(0.5).unwrap();
    assert!(report.steps[0].bubbles == 0 && bell.state().liquid.at([16, 16]) < 0.0);
}

/// Half a box of water above half a box of air, in the plane and in space. The air below is held in by nothing but the water
/// that would have to come down for it, so that all hangs until the surface breaks into fingers.
fn upside_down<const D: usize>(cells: [usize; D]) -> Simulation<D> {
    let grid = Grid::new(cells, 1.0 / 32.0, [0.0; D]).unwrap();
    let mut setup = Setup::new(grid);
    setup.air = enclosed();
    let (mut lower, mut upper) = ([-1.0; D], [2.0; D]);
    (lower[1], upper[1]) = (0.5, 0.875);
    Simulation::new(setup, &SignedDistance::cuboid(lower, upper)).unwrap()
}

#[test]
fn water_above_air_hangs_by_the_thin_air_above_it_at_walls_that_separate() {
    fn check<const D: usize>(cells: [usize; D]) {
        let mut hanging = upside_down(cells);
        let report = hanging.advance_to(0.1).unwrap();
        assert!(report.steps.iter().all(|step| step.converged && step.active_rows == 0 && step.bubbles == 1));
        // The outer air is that on top, and the air below carries the water.
        let bubble = hanging.bubbles().next().unwrap();
        assert!((bubble.pressure / (GRAVITY * 0.375) - 1.0).abs() < 1e-3, "{bubble:?}");
        assert!(hanging.fastest() < 1e-4, "{}", hanging.fastest());
    }
    check([8, 32]);
    check([4, 32, 4]);
}

/// The same with a vent below: the air above has less than the pressure of the outer air, and so has all of the water. Its
/// walls hold it although they separate.
#[test]
fn walls_hold_water_below_the_pressure_of_the_outer_air_where_none_gets_in() {
    let grid = Grid::new([8, 32], 1.0 / 32.0, [0.0; 2]).unwrap();
    let vent = SignedDistance::cuboid([0.0; 2], [1.0, 0.1]);
    let mut setup = Setup::new(grid);
    setup.air = Air::Enclosed { vents: vec![vent] };
    let water = SignedDistance::cuboid([0.0, 0.5], [0.25, 0.875]);
    let mut hanging = Simulation::new(setup, &water).unwrap();
    let report = hanging.advance_to(0.1).unwrap();
    assert!(report.steps.iter().all(|step| step.converged && step.active_rows == 0), "let go");
    let bubble = hanging.bubbles().next().unwrap();
    assert!((bubble.pressure / (-GRAVITY * 0.375) - 1.0).abs() < 1e-3, "{bubble:?}");
    assert!(hanging.fastest() < 1e-4, "{}", hanging.fastest());
}

/// A disc of air in a tank, with whatever else.
fn rising<const D: usize>(change: impl FnOnce(&mut Setup<D>)) -> Simulation<D> {
    let cells = std::array::from_fn(|axis| if axis == 1 { 32 } else { 16 });
    let mut setup = Setup::new(Grid::new(cells, 1.0 / 32.0, [0.0; D]).unwrap());
    setup.air = enclosed();
    change(&mut setup);
    let (mut centre, mut upper) = ([0.25; D], [1.0; D]);
    (centre[1], upper[1]) = (0.2, 0.8);
    let bubble = SignedDistance::sphere(centre, 0.125);
    let water = SignedDistance::cuboid([0.0; D], upper);
    Simulation::new(setup, &SignedDistance::Intersection(vec![water, bubble.complement()])).unwrap()
}

/// How far the volume of all bubbles is from what it was, at worst, while one rises.
fn worst_volume<const D: usize>(mut tank: Simulation<D>, time: f64) -> f64 {
    let report = tank.advance_to(time).unwrap();
    assert!(report.steps.iter().all(|step| step.converged));
    let first = report.steps[0].bubble_volume;
    report.steps.iter().map(|step| (step.bubble_volume / first - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn a_bubble_that_rises_keeps_its_volume_whatever_else_acts() {
    let flip = Transport::default();
    for transport in [flip, Transport::Apic, Transport::SemiLagrangian] {
        let worst = worst_volume(rising::<2>(|setup| setup.transport = transport), 0.25);
        assert!(worst < 0.02, "{transport:?}: {worst}");
    }
    let worst = worst_volume(rising::<2>(|setup| setup.tension = 2.0), 0.25);
    assert!(worst < 0.02, "tension: {worst}");
    let worst = worst_volume(rising::<2>(|setup| setup.viscosity = Viscosity::Newtonian(1e-3)), 0.25);
    assert!(worst < 0.02, "viscosity: {worst}");
    let worst = worst_volume(rising::<2>(|setup| *setup = setup.clone().with_walls(Wall::Sealed)), 0.25);
    assert!(worst < 0.02, "sealed: {worst}");
    let worst = worst_volume(rising::<2>(|setup| setup.border_adhesion = 200.0.into()), 0.25);
    assert!(worst < 0.02, "adhesion: {worst}");
    let worst = worst_volume(rising::<3>(|_| ()), 0.15);
    assert!(worst < 0.02, "in space: {worst}");
}

/// A piston comes up from the floor of a closed box below a bubble. The water lifts its surface, and the bubble is carried.
#[test]
fn a_solid_that_moves_displaces_water_and_not_air() {
    let piston = Solid {
        motion: Motion::Steady { velocity: [0.0, 0.2], spin: Spin::none(), pivot: [0.0; 2] },
        ..Solid::still(SignedDistance::cuboid([-1.0, -1.0], [2.0, 0.01]))
    };
    let mut tank = rising::<2>(|setup| setup.solids.push(piston));
    let worst = {
        let report = tank.advance_to(0.2).unwrap();
        let first = report.steps[0].bubble_volume;
        report.steps.iter().map(|step| (step.bubble_volume / first - 1.0).abs()).fold(0.0, f64::max)
    };
    assert!(worst < 0.02, "{worst}");
}

#[test]
fn bubbles_have_the_same_bits_for_any_number_of_threads_and_after_an_interruption() {
    let run = |threads: usize, is_interrupted: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut tank = rising::<2>(|_| ());
            tank.advance_to(0.2).unwrap();
            if is_interrupted {
                tank = Simulation::resume(tank.setup().clone(), tank.state().clone()).unwrap();
            }
            tank.advance_to(0.3).unwrap();
            tank.state().clone()
        })
    };
    let straight = run(1, false);
    assert!(straight.air.bubbles().count() > 0);
    assert!(run(3, false) == straight, "three threads");
    assert!(run(2, true) == straight, "resumed");
}

/// A long bubble between two plates at the distance D rises with 0.23 √(g D) where inertia rules \[Garabedian1957\], here in a
/// slit of water of three centimetres.
#[test]
fn a_long_bubble_in_a_slit_rises_as_theory_says_and_keeps_its_volume() {
    const CELLS: usize = 24;
    let (width, tall) = (0.03, 7);
    let spacing = width / CELLS as f64;
    let mut setup = Setup::new(Grid::<2>::new([CELLS, tall * CELLS], spacing, [0.0; 2]).unwrap());
    (setup.air, setup.tension) = (enclosed(), 0.072);
    let water = SignedDistance::cuboid([0.0; 2], [width, 6.5 * width]);
    let nose = SignedDistance::sphere([0.5 * width, 1.9 * width], 0.4 * width);
    let tail = SignedDistance::cuboid([0.1 * width, 0.5 * width], [0.9 * width, 1.9 * width]);
    let bubble = SignedDistance::Union(vec![nose, tail]);
    let mut slit = Simulation::new(setup, &SignedDistance::Intersection(vec![water, bubble.complement()])).unwrap();
    let volume = |slit: &Simulation<2>| slit.bubbles().map(|bubble| bubble.volume).sum::<f64>();
    let nose = |slit: &Simulation<2>| {
        let (grid, liquid) = (slit.setup().grid, &slit.state().liquid);
        // Down the middle of the slit, from the surface of the water.
        let mut wet = (0..6 * CELLS).rev().filter(|&y| liquid.at([CELLS / 2, y]) >= 0.0);
        let top = wet.next().unwrap();
        let (inside, outside) = (liquid.at([CELLS / 2, top + 1]), liquid.at([CELLS / 2, top]));
        grid.centre([CELLS / 2, top])[1] + spacing * outside / (outside - inside)
    };
    slit.advance_to(0.2).unwrap();
    let (start, air) = (nose(&slit), volume(&slit));
    let report = slit.advance_to(0.7).unwrap();
    let speed = (nose(&slit) - start) / 0.5;
    let expected = 0.23 * (GRAVITY * width).sqrt();
    let mean: f64 =
        report.steps.iter().map(|step| step.bubble_volume / air - 1.0).sum::<f64>() / report.steps.len() as f64;
    assert!((speed / expected - 1.0).abs() < 0.1, "{speed} m/s, expected {expected}");
    assert!(mean.abs() < 0.01, "{mean}");
}
