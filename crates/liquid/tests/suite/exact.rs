//! Physics with known answers.

use unstick_grid::{Grid, Motion, SignedDistance};
use unstick_liquid::{AdvanceReport, Setup, Simulation, Solid, Transport, Wall};

fn centre_of_mass<const D: usize>(simulation: &Simulation<D>) -> f64 {
    let positions = &simulation.state().particles.position;
    positions.iter().map(|point| point[1]).sum::<f64>() / positions.len() as f64
}

/// Liquid cells in the layer below the ceiling.
fn cells_at_ceiling<const D: usize>(simulation: &Simulation<D>) -> usize {
    let grid = simulation.setup().grid;
    let top = grid.cells()[1] - 1;
    grid.iter().filter(|cell| cell[1] == top && simulation.state().liquid.at(*cell) < 0.0).count()
}

fn check_invariants(report: &AdvanceReport, speed: f64) {
    for step in &report.steps {
        assert!(step.converged, "at {}", step.time);
        assert!(step.divergence <= 1e-5 * speed && step.complementarity <= 1e-5 * speed, "{step:?}");
    }
}

/// A slab below the ceiling that touches nothing else.
fn ceiling_drop<const D: usize>(size: usize, wall: Wall, transport: Transport) -> Simulation<D> {
    let (mut lower, mut upper) = ([0.25; D], [0.75; D]);
    (lower[1], upper[1]) = (0.75, 1.0);
    let mut setup = Setup::new(Grid::<D>::unit(size).unwrap()).with_walls(wall);
    setup.transport = transport;
    Simulation::new(setup, &SignedDistance::cuboid(lower, upper)).unwrap()
}

fn falls_freely<const D: usize>(size: usize, transport: Transport) {
    let mut drop = ceiling_drop::<D>(size, Wall::Separating, transport);
    let start = centre_of_mass(&drop);
    for frame in 1..=35 {
        let time = 0.01 * frame as f64;
        let report = drop.advance_to(time).unwrap();
        check_invariants(&report, 9.81 * time);
        let (fallen, exact) = (start - centre_of_mass(&drop), 0.5 * 9.81 * time * time);
        assert!((fallen - exact).abs() <= 5e-3 * exact, "{transport:?}: {fallen} for {exact} at {time} s");
    }
    assert_eq!(cells_at_ceiling(&drop), 0);
}

#[test]
fn a_block_under_a_separating_ceiling_falls_freely() {
    falls_freely::<2>(32, Transport::default());
    falls_freely::<2>(32, Transport::Apic);
    falls_freely::<2>(32, Transport::SemiLagrangian);
    falls_freely::<3>(16, Transport::default());
}

#[test]
fn a_block_under_a_sealed_ceiling_hangs() {
    let mut drop = ceiling_drop::<2>(32, Wall::Sealed, Transport::default());
    let start = centre_of_mass(&drop);
    let report = drop.advance_to(0.1).unwrap();
    check_invariants(&report, 1.0);
    let fallen = start - centre_of_mass(&drop);
    assert!(fallen < 0.7 * 0.5 * 9.81 * 0.01, "{fallen}");
    assert!(cells_at_ceiling(&drop) > 8);
}

/// A tank with an oblique wall, half full.
fn tank<const D: usize>(size: usize, wall: Wall) -> Simulation<D> {
    let (mut point, mut normal, mut upper) = ([0.0; D], [0.0; D], [1.0; D]);
    (point[0], normal[0], normal[1], upper[1]) = (0.2, 1.0, 0.6, 0.5);
    let mut setup = Setup::new(Grid::<D>::unit(size).unwrap());
    setup.solids.push(Solid::still(SignedDistance::half_space(point, normal)));
    Simulation::new(setup.with_walls(wall), &SignedDistance::cuboid([0.0; D], upper)).unwrap()
}

#[test]
fn a_tank_at_rest_stays_at_rest() {
    for wall in [Wall::Separating, Wall::Sealed] {
        let mut rest = tank::<2>(32, wall);
        let depth = 0.5;
        let report = rest.advance_to(5.0).unwrap();
        for step in &report.steps {
            let scale = step.volume * 1000.0 * 9.81 * depth;
            assert!(step.kinetic_energy < 1e-4 * scale, "{} at {}", step.kinetic_energy, step.time);
        }
        let last = report.steps.last().unwrap();
        assert!((last.volume / report.steps[0].volume - 1.0).abs() < 1e-3);
    }
    let report = tank::<3>(12, Wall::Separating).advance_to(0.5).unwrap();
    assert!(report.steps.iter().all(|step| step.kinetic_energy < 1e-4 * step.potential_energy.abs()));
}

/// With the pressure solved to rounding nothing moves at all: the surface of the lattice is that of
/// the tank, and the discretisation is exact for pressures that are linear.
#[test]
fn a_step_of_a_tank_at_rest_leaves_no_velocity() {
    let mut setup = tank::<2>(32, Wall::Separating).setup().clone();
    setup.pressure.tolerance = 1e-13;
    let full = SignedDistance::cuboid([0.0; 2], [1.0, 0.5]);
    let mut rest = Simulation::new(setup, &full).unwrap();
    rest.advance(0.01).unwrap();
    let velocities = rest.state().particles.velocity.iter().flatten();
    let fastest = velocities.fold(0.0f64, |most, value| most.max(value.abs()));
    assert!(fastest < 1e-11, "{fastest:e} m/s, gravity alone would give 0.05");
}

#[test]
fn a_full_container_stays_full() {
    for wall in [Wall::Separating, Wall::Sealed] {
        let mut setup = Setup::new(Grid::<2>::unit(32).unwrap());
        setup.solids.push(Solid::still(SignedDistance::sphere([0.5; 2], 0.4).complement()));
        let mut full = Simulation::new(setup.with_walls(wall), &SignedDistance::sphere([0.5; 2], 0.6)).unwrap();
        let before = full.state().particles.position.clone();
        let volume = full.volume();
        full.advance_to(1.0).unwrap();
        let moved = before.iter().zip(&full.state().particles.position).flat_map(|(a, b)| [a[0] - b[0], a[1] - b[1]]);
        assert!(moved.fold(0.0f64, |most, by| most.max(by.abs())) < 1e-5);
        assert!((full.volume() / volume - 1.0).abs() < 1e-9);
    }
}

/// Liquid cells at the ceiling of a low box, 0.3 s after a dam break has first reached it.
fn ceiling_cells_after_touch<const D: usize>(size: usize, wall: Wall) -> usize {
    let (mut cells, mut upper) = ([size / 2; D], [1.0; D]);
    (cells[0], cells[1]) = (size, size * 3 / 4);
    (upper[0], upper[1]) = (0.25, 0.5);
    let grid = Grid::<D>::new(cells, 1.0 / size as f64, [0.0; D]).unwrap();
    let mut dam = Simulation::new(Setup::new(grid).with_walls(wall), &SignedDistance::cuboid([0.0; D], upper)).unwrap();
    let mut touched = None;
    for frame in 1..=150 {
        dam.advance_to(0.01 * frame as f64).unwrap();
        if cells_at_ceiling(&dam) > 0 {
            touched.get_or_insert(frame);
        }
        if touched.is_some_and(|touched| frame == touched + 30) {
            return cells_at_ceiling(&dam);
        }
    }
    panic!("the wave never reached the ceiling");
}

#[test]
fn a_dam_break_leaves_a_separating_ceiling_and_hangs_from_a_sealed_one() {
    assert_eq!(ceiling_cells_after_touch::<2>(64, Wall::Separating), 0);
    assert_eq!(ceiling_cells_after_touch::<3>(32, Wall::Separating), 0);
    let hanging = (ceiling_cells_after_touch::<2>(64, Wall::Sealed), ceiling_cells_after_touch::<3>(32, Wall::Sealed));
    println!("liquid cells at the sealed ceiling: {} in 2D, {} in 3D", hanging.0, hanging.1);
    assert!(hanging.0 > 5 && hanging.1 > 20, "{hanging:?}");
}

/// A piston that rises below a layer of liquid lifts it with its own speed.
#[test]
fn a_moving_solid_pushes_the_liquid() {
    let mut setup = Setup::new(Grid::<2>::unit(24).unwrap());
    let velocity = [0.0, 0.5];
    let motion = Motion::Steady { velocity, spin: unstick_grid::Spin::none(), pivot: [0.0; 2] };
    let piston = Solid { motion, ..Solid::still(SignedDistance::half_space([0.0, 0.2], [0.0, 1.0])) };
    setup.solids.push(piston);
    let mut tank = Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0, 0.5])).unwrap();
    let start = centre_of_mass(&tank);
    tank.advance_to(0.4).unwrap();
    let risen = centre_of_mass(&tank) - start;
    assert!((risen - 0.2).abs() < 0.02, "{risen}");
}

#[test]
fn pressure_does_not_add_kinetic_energy() {
    let setup = Setup::new(Grid::<2>::unit(32).unwrap());
    let mut dam = Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [0.4, 0.6])).unwrap();
    let report = dam.advance_to(1.0).unwrap();
    let first = report.steps[0].kinetic_energy + report.steps[0].potential_energy;
    for step in &report.steps {
        let total = step.kinetic_energy + step.potential_energy;
        assert!(total < 1.03 * first, "{total} at {}, {first} at the start", step.time);
    }
}

#[test]
fn threads_and_interruptions_do_not_change_a_bit() {
    let run = |threads: usize, interrupted: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let setup = Setup::new(Grid::<3>::unit(40).unwrap());
            let dam = SignedDistance::cuboid([0.0; 3], [0.4, 0.6, 1.0]);
            let mut simulation = Simulation::new(setup.clone(), &dam).unwrap();
            simulation.advance_to(0.03).unwrap();
            if interrupted {
                simulation = Simulation::resume(setup, simulation.state().clone()).unwrap();
            }
            simulation.advance_to(0.06).unwrap();
            simulation.state().clone()
        })
    };
    let straight = run(1, false);
    assert!(run(2, false) == straight, "two threads");
    assert!(run(2, true) == straight, "resumed");
}

/// A jet of 1 m/s and 0.2 m width without gravity: as much enters as its velocity says, whatever
/// carries it; a drain at the other end takes all of it out again.
#[test]
fn sources_and_drains_move_what_they_say() {
    for transport in [Transport::default(), Transport::Apic, Transport::SemiLagrangian] {
        let mut setup = Setup::new(Grid::<2>::unit(40).unwrap());
        setup.gravity = unstick_liquid::Gravity::Constant([0.0; 2]);
        setup.transport = transport;
        let emitter = |lower: [f64; 2], upper: [f64; 2], velocity| unstick_liquid::Emitter {
            shape: SignedDistance::cuboid(lower, upper),
            velocity,
            start: 0.0,
            end: 10.0,
        };
        setup.emitters.push(emitter([0.05, 0.4], [0.15, 0.6], Some([1.0, 0.0])));
        setup.emitters.push(emitter([0.8, 0.0], [1.0, 1.0], None));
        let mut jet = Simulation::with_liquids(setup, &[]).unwrap();
        let mass = |simulation: &Simulation<2>| simulation.state().particles.len() as f64 / (4.0 * 1600.0);
        jet.advance_to(0.2).unwrap();
        let before = mass(&jet);
        jet.advance_to(0.5).unwrap();
        let rate = (mass(&jet) - before) / 0.3;
        assert!((rate / 0.2 - 1.0).abs() < 0.1, "{transport:?}: {rate} m²/s for 0.2");
        jet.advance_to(1.5).unwrap();
        let full = mass(&jet);
        jet.advance_to(2.0).unwrap();
        assert!((mass(&jet) / full - 1.0).abs() < 0.1, "{transport:?}: what enters leaves");
        assert!(jet.state().particles.position.iter().all(|point| point[0] < 0.83));
    }
}

/// Two shapes that overlap are one body of liquid: as many particles as their union, which lies still.
#[test]
fn overlapping_shapes_are_filled_once() {
    let floor = |upper: [f64; 2]| SignedDistance::cuboid([0.0; 2], upper);
    let still = |shape: SignedDistance<2>| (shape, [0.0; 2]);
    let setup = || Setup::new(Grid::<2>::unit(32).unwrap());
    let parts = [still(floor([1.0, 0.25])), still(floor([0.75, 0.25])), still(floor([1.0, 0.125]))];
    let mut pool = Simulation::with_liquids(setup(), &parts).unwrap();
    let whole = Simulation::new(setup(), &floor([1.0, 0.25])).unwrap();
    assert_eq!(pool.state().particles.len(), whole.state().particles.len());
    pool.advance_to(0.1).unwrap();
    let fastest = pool.state().particles.velocity.iter().flatten().fold(0.0f64, |most, v| most.max(v.abs()));
    assert!(fastest < 1e-3, "{fastest} m/s");
}
