//! Viscous liquids with known answers.

use std::sync::Arc;

use unstick_grid::{Formula, Grid, Motion, SignedDistance, Spin, Varying};
use unstick_liquid::{Drag, Emitter, Gravity, Setup, Simulation, Solid, Transport, Viscosity, Wall};

/// Nothing of the grid's own velocity: its smoothing would act as a viscosity too.
const PLAIN: Transport = Transport::Flip { pic: 0.0 };

fn viscous<const D: usize>(grid: Grid<D>, viscosity: f64, gravity: [f64; D]) -> Setup<D> {
    let mut setup = Setup::new(grid);
    (setup.viscosity, setup.transport) = (Viscosity::Newtonian(viscosity), PLAIN);
    setup.gravity = Gravity::Constant(gravity);
    setup
}

fn plate(place: f64, into_liquid: f64, slip_length: f64, velocity: f64) -> Solid<2> {
    let motion = match velocity {
        0.0 => Motion::Still,
        _ => Motion::Steady { velocity: [0.0, velocity], spin: Spin::none(), pivot: [0.0; 2] },
    };
    let shape = SignedDistance::half_space([place, 0.0], [into_liquid, 0.0]);
    Solid { wall: Wall::Sealed, drag: Drag::SlipLength(slip_length.into()), motion, ..Solid::still(shape) }
}

/// Velocities along the plates in the middle of a slab of liquid of width 1 and height 4 between upright plates, after a
/// time: distance of the open part of each face from the left plate, its width, velocity. And the pull on the liquid:
/// gravity less the slope of the pressure. `right` is there or there is a free surface.
struct Slab {
    left: f64,
    simulation: Simulation<2>,
    cells: usize,
}

impl Slab {
    fn new(cells: usize, offset: f64, plates: impl Fn(f64) -> Vec<Solid<2>>, gravity: f64) -> Self {
        let h = 1.0 / cells as f64;
        let left = (2.0 + offset) * h;
        let grid = Grid::new([cells + 8, 8 * cells], h, [0.0; 2]).unwrap();
        let mut setup = viscous(grid, 1.0, [0.0, -gravity]);
        setup.solids = plates(left);
        let liquid = SignedDistance::cuboid([left, 2.0], [left + 1.0, 6.0]);
        Self { left, simulation: Simulation::new(setup, &liquid).unwrap(), cells }
    }

    fn profile(&self) -> Vec<[f64; 3]> {
        let (grid, y) = (self.simulation.setup().grid, 4 * self.cells);
        let h = grid.spacing();
        let of_column = |x: usize| {
            let open = self.simulation.geometry().open[1].at([x, y]);
            let lower = grid.face_centre(1, [x, y])[0] - 0.5 * h - self.left;
            let (from, to) = (lower.max(0.0), (lower + h).min(1.0));
            (open > 0.0 && to > from)
                .then(|| [0.5 * (from + to), to - from, self.simulation.state().velocity[1].at([x, y])])
        };
        (0..grid.cells()[0]).filter_map(of_column).collect()
    }

    fn flux(&self) -> f64 {
        self.profile().iter().map(|[_, width, velocity]| width * velocity).sum()
    }

    fn pull(&self, gravity: f64) -> f64 {
        let (half, y) = (self.cells / 2, 4 * self.cells);
        let at = |y: usize| self.simulation.state().pressure.at([half + 2, y]);
        gravity + (at(y + half) - at(y - half)) / (2 * half) as f64 * self.cells as f64
    }
}

/// Poiseuille: flux = −pull (1/12 + b/2)/ν between plates of slip length b.
#[test]
fn liquid_that_falls_between_plates_has_the_flux_of_poiseuille() {
    for (slip_length, offset, time) in [(0.0, 0.0, 0.6), (0.0, 0.3, 0.6), (0.1, 0.3, 1.0)] {
        let plates = |left: f64| vec![plate(left, 1.0, slip_length, 0.0), plate(left + 1.0, -1.0, slip_length, 0.0)];
        let mut slab = Slab::new(16, offset, plates, 1.0);
        slab.simulation.advance_to(time).unwrap();
        let exact = -slab.pull(1.0) * (1.0 / 12.0 + 0.5 * slip_length);
        let error = slab.flux() / exact - 1.0;
        assert!(error.abs() < 0.025, "slip length {slip_length}, offset {offset}: {error:.4}");
    }
}

/// Couette: u = U (1 − (x + b)/(1 + 2b)), between a plate that moves and one that does not.
#[test]
fn liquid_between_plates_that_move_has_the_profile_of_couette() {
    for (slip_length, offset) in [(0.0, 0.0), (0.2, 0.4)] {
        let plates = |left: f64| vec![plate(left, 1.0, slip_length, 0.1), plate(left + 1.0, -1.0, slip_length, 0.0)];
        let mut slab = Slab::new(16, offset, plates, 0.0);
        slab.simulation.advance_to(1.0).unwrap();
        // A slope of the pressure is that of a channel with closed ends: it adds a parabola.
        let pull = slab.pull(0.0);
        for [x, _, velocity] in slab.profile() {
            let sheared = 0.1 * (1.0 - (x + slip_length) / (1.0 + 2.0 * slip_length));
            let pushed = -0.5 * pull * (x * (1.0 - x) + slip_length);
            let error = (velocity - sheared - pushed) / 0.1;
            assert!(error.abs() < 0.02, "slip length {slip_length}, offset {offset}, at {x}: {error:.4}");
        }
    }
}

/// A film on a wall with a free surface on its other side: flux = −pull/(3ν).
#[test]
fn a_film_that_runs_down_a_wall_has_the_flux_of_nusselt() {
    let mut film = Slab::new(16, 0.0, |left| vec![plate(left, 1.0, 0.0, 0.0)], 1.0);
    film.simulation.advance_to(1.5).unwrap();
    let error = film.flux() / (-film.pull(1.0) / 3.0) - 1.0;
    assert!(error.abs() < 0.03, "{error:.4}");
}

fn moments(simulation: &Simulation<2>) -> [f64; 3] {
    let particles = &simulation.state().particles;
    let each = particles.position.iter().zip(&particles.velocity);
    let count = particles.len() as f64;
    each.fold([0.0; 3], |sum, ([x, y], [u, v])| {
        [sum[0] + u / count, sum[1] + v / count, sum[2] + ((x - 0.5) * v - (y - 0.5) * u) / count]
    })
}

#[test]
fn a_free_blob_keeps_its_momentum_and_turns_on() {
    let setup = viscous(Grid::<2>::unit(64).unwrap(), 10.0, [0.0; 2]);
    let blob = SignedDistance::sphere([0.5; 2], 0.25);
    let mut state = Simulation::new(setup.clone(), &blob).unwrap().state().clone();
    for (velocity, [x, y]) in state.particles.velocity.iter_mut().zip(&state.particles.position) {
        // A rotation, a stretch and a shift.
        *velocity = [0.05 - (y - 0.5) + (x - 0.5), (x - 0.5) - (y - 0.5)];
    }
    let mut simulation = Simulation::resume(setup, state).unwrap();
    let before = moments(&simulation);
    let energy = |simulation: &Simulation<2>| {
        simulation.state().particles.velocity.iter().map(|[u, v]| u * u + v * v).sum::<f64>()
    };
    let full = energy(&simulation);
    simulation.advance_to(0.3).unwrap();
    let after = moments(&simulation);
    assert!((after[0] - before[0]).abs() < 1e-3 * 0.25 && (after[1] - before[1]).abs() < 1e-3 * 0.25, "{after:?}");
    assert!((after[2] / before[2] - 1.0).abs() < 0.03, "{before:?} {after:?}");
    // The stretch is half of the energy of the deviation from the shift. Nothing of it is left.
    assert!(energy(&simulation) < 0.6 * full);
}

/// A box of thick liquid, half a turn: corners and all.
#[test]
fn a_box_that_turns_keeps_its_angular_momentum() {
    let mut setup = viscous(Grid::<2>::unit(48).unwrap(), 0.1, [0.0; 2]);
    setup.transport = Transport::Apic;
    let mut state =
        Simulation::new(setup.clone(), &SignedDistance::cuboid([0.3; 2], [0.7; 2])).unwrap().state().clone();
    for (velocity, [x, y]) in state.particles.velocity.iter_mut().zip(&state.particles.position) {
        *velocity = [0.5 - y, x - 0.5];
    }
    let mut simulation = Simulation::resume(setup, state).unwrap();
    let before = moments(&simulation)[2];
    simulation.advance_to(3.0).unwrap();
    let kept = moments(&simulation)[2] / before;
    assert!((kept - 1.0).abs() < 0.03, "{kept}");
}

#[test]
fn honey_in_a_tank_that_holds_it_stays_at_rest() {
    let mut setup = viscous(Grid::<2>::unit(24).unwrap(), 1.0, [0.0, -9.81]);
    setup.border_drag = Drag::no_slip();
    let mut tank = Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0, 0.5])).unwrap();
    let report = tank.advance_to(0.5).unwrap();
    assert!(report.steps.iter().all(|step| step.converged && step.viscosity.iterations < 40));
    assert!(tank.fastest() < 1e-6, "{}", tank.fastest());
}

/// The wall has let go, so it does not hold the sides of the drop either.
#[test]
fn a_ceiling_that_holds_honey_lets_it_fall_freely() {
    let mut setup = viscous(Grid::<2>::unit(24).unwrap(), 1.0, [0.0, -9.81]);
    setup.border_drag = Drag::no_slip();
    let mut drop = Simulation::new(setup, &SignedDistance::cuboid([0.25, 0.75], [0.75, 1.0])).unwrap();
    drop.advance_to(0.1).unwrap();
    let fall = moments(&drop)[1] / (-9.81 * (0.1 - 0.5 * drop.state().last_step));
    assert!((fall - 1.0).abs() < 1e-3, "{fall}");
}

/// Gravity of 9.81 along a plane of this angle, and onto it.
fn along_plane(angle: f64) -> [f64; 2] {
    let (sine, cosine) = f64::to_radians(angle).sin_cos();
    [9.81 * sine, -9.81 * cosine]
}

/// Half a second of stiff blocks, a metre high, between these places on a plane of this angle.
fn blocks_on_plane(angle: f64, friction: Varying<2>, blocks: &[[f64; 2]]) -> Simulation<2> {
    let grid = Grid::new([48, 16], 0.125, [0.0; 2]).unwrap();
    let mut setup = viscous(grid, 1000.0, along_plane(angle));
    setup.border_drag = Drag::Friction(friction);
    let blocks: Vec<_> =
        blocks.iter().map(|[from, to]| (SignedDistance::cuboid([*from, 0.0], [*to, 1.0]), [0.0; 2])).collect();
    let mut simulation = Simulation::with_liquids(setup, &blocks).unwrap();
    simulation.advance_to(0.5).unwrap();
    simulation
}

/// A block on a plane of this angle: its acceleration along the plane, and what Coulomb says.
fn slide(angle: f64, friction: f64) -> (f64, f64) {
    let block = blocks_on_plane(angle, friction.into(), &[[1.0, 3.0]]);
    let (time, [along, onto]) = (0.5 - 0.5 * block.state().last_step, along_plane(angle));
    (moments(&block)[0] / time, along + friction * onto)
}

#[test]
fn a_block_slides_down_a_plane_as_coulomb_says_or_stays() {
    for (angle, friction) in [(18.0, 0.1), (30.0, 0.3)] {
        let (found, exact) = slide(angle, friction);
        assert!((found / exact - 1.0).abs() < 0.02, "{angle}: {found} for {exact}");
    }
    // Less than its angle of friction: what it slides while its weight comes to rest on the plane.
    let (found, exact) = slide(10.0, 0.3);
    assert!(exact < 0.0 && found.abs() < 0.05 * 9.81 * f64::to_radians(10.0).sin(), "{found}");
}

#[test]
fn friction_that_ends_brakes_until_then() {
    let table = [(0.0, 0.3), (0.25, 0.3), (0.2501, 0.0)];
    let block = blocks_on_plane(30.0, Varying::Table(table.into()), &[[1.0, 3.0]]);
    let (time, [along, onto]) = (0.5 - 0.5 * block.state().last_step, along_plane(30.0));
    let (found, exact) = (moments(&block)[0], along * time + 0.3 * onto * 0.25);
    assert!((found / exact - 1.0).abs() < 0.02, "{found} for {exact}");
}

#[test]
fn friction_at_one_place_brakes_what_is_there() {
    let rough_until_3 =
        Formula { text: "0.3*step(3-x)".into(), value: Arc::new(|at, _| if at[0] < 3.0 { 0.3 } else { 0.0 }) };
    let both = blocks_on_plane(30.0, Varying::Formula(rough_until_3), &[[0.25, 2.25], [3.25, 5.25]]);
    let (time, [along, onto]) = (0.5 - 0.5 * both.state().last_step, along_plane(30.0));
    let particles = &both.state().particles;
    for (places, exact) in [(0.0..3.0, along + 0.3 * onto), (3.0..6.0, along)] {
        let of_block = || particles.position.iter().zip(&particles.velocity).filter(|(at, _)| places.contains(&at[0]));
        let found = of_block().map(|(_, velocity)| velocity[0]).sum::<f64>() / of_block().count() as f64 / time;
        assert!((found / exact - 1.0).abs() < 0.02, "{places:?}: {found} for {exact}");
    }
}

/// Friction without viscosity brakes the layer of cells at the wall by the weight above it.
#[test]
fn friction_needs_no_viscosity() {
    let mut setup = Setup::new(Grid::<2>::new([64, 16], 0.0625, [0.0; 2]).unwrap());
    (setup.border_drag, setup.transport) = (Drag::Friction(0.01.into()), PLAIN);
    let layer = (SignedDistance::cuboid([0.0; 2], [4.0, 0.5]), [0.5, 0.0]);
    let mut simulation = Simulation::with_liquids(setup, &[layer]).unwrap();
    simulation.advance_to(0.05).unwrap();
    let velocity = &simulation.state().velocity[0];
    let slower = velocity.at([32, 4]) - velocity.at([32, 0]);
    // 0.01 · 9.81 · 0.5 m over a layer of a sixteenth of a metre, for 0.045 s.
    let exact = 0.01 * 9.81 * 0.5 / 0.0625 * (0.05 - 0.5 * simulation.state().last_step);
    assert!((slower / exact - 1.0).abs() < 0.15, "{slower} for {exact}");
}

#[test]
fn every_thread_count_gives_the_same_bits_and_so_does_a_resumed_run() {
    same_bits(0.0);
    same_bits(500.0);
}

/// On one thread and on two, straight on and resumed, with walls that pull by so many Pa.
fn same_bits(adhesion: f64) {
    let mut setup = viscous(Grid::<3>::unit(12).unwrap(), 0.05, [0.0, -9.81, 0.0]);
    setup.border_drag = Drag::SlipLength(0.02.into());
    setup.viscosity = Viscosity::Yield { stress: 0.1, consistency: 0.01, exponent: 0.8, at_rest: 1.0 };
    setup.border_adhesion = adhesion.into();
    let run = |threads: usize, stops: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let block = SignedDistance::cuboid([0.0; 3], [0.5, 0.7, 0.6]);
            let mut simulation = Simulation::new(setup.clone(), &block).unwrap();
            (0..3).for_each(|_| drop(simulation.advance(0.01).unwrap()));
            if stops {
                simulation = Simulation::resume(setup.clone(), simulation.state().clone()).unwrap();
            }
            (0..2).for_each(|_| drop(simulation.advance(0.01).unwrap()));
            simulation.state().clone()
        })
    };
    let straight = run(1, false);
    assert!(straight == run(2, false) && straight == run(2, true));
}

/// A column that runs out on a floor that holds it: ⟨x⟩ = 0.4457 R, R = 1.411 (g q³/(3ν))^{1/5} t^{1/5} [Huppert1982].
#[test]
fn a_column_runs_out_as_huppert_says() {
    let h = 1.0 / 48.0;
    let mut setup = viscous(Grid::<2>::new([80, 24], h, [0.0; 2]).unwrap(), 0.05, [0.0, -9.81]);
    let floor = SignedDistance::half_space([0.0, 2.0 * h], [0.0, 1.0]);
    setup.solids.push(Solid { drag: Drag::no_slip(), ..Solid::still(floor) });
    let column = SignedDistance::cuboid([0.0, 2.0 * h], [0.25, 2.0 * h + 0.375]);
    let mut simulation = Simulation::new(setup, &column).unwrap();
    simulation.advance_to(4.0).unwrap();
    let positions = &simulation.state().particles.position;
    let mean = positions.iter().map(|point| point[0]).sum::<f64>() / positions.len() as f64;
    let volume = 0.25f64 * 0.375;
    let front = 1.411 * (9.81 * volume.powi(3) / (3.0 * 0.05) * 4.0).powf(0.2);
    assert!((mean / (0.4457 * front) - 1.0).abs() < 0.03, "{} for {front}", mean / 0.4457);
}

/// Mud that bears its own weight does not flow; the same without a yield stress does.
#[test]
fn mud_stands_where_honey_spreads() {
    let height = |stress: f64| {
        let mut setup = viscous(Grid::<2>::new([48, 24], 1.0 / 24.0, [0.0; 2]).unwrap(), 0.0, [0.0, -9.81]);
        setup.viscosity = Viscosity::Yield { stress, consistency: 0.05, exponent: 1.0, at_rest: 50.0 };
        setup.border_drag = Drag::no_slip();
        let mut block = Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [0.5, 0.5])).unwrap();
        block.advance_to(0.5).unwrap();
        let heights = block.state().particles.position.iter().map(|point| point[1]);
        heights.sum::<f64>() / block.state().particles.len() as f64
    };
    // The largest shear stress under a block of height H is about ρ g H/2. Its middle is at 0.25 m.
    let (stands, spreads) = (height(3.0), height(0.0));
    assert!(stands > 0.24 && spreads < 0.2, "{stands} {spreads}");
}

/// A thread of honey stretches under its own weight. It is no faster than what falls freely, and no more of it enters than the
/// source says, whatever the thread pulls.
#[test]
fn a_thread_of_honey_falls_from_a_source_that_sets_how_much() {
    for (viscosity, transport) in [(0.05, Transport::default()), (0.5, Transport::Apic)] {
        let h = 0.004;
        let mut setup = viscous(Grid::<2>::new([16, 72], h, [0.0; 2]).unwrap(), viscosity, [0.0, -9.81]);
        setup.transport = transport;
        let shape = SignedDistance::cuboid([5.5 * h, 64.0 * h], [10.5 * h, 68.0 * h]);
        let source = Emitter { shape, velocity: Some([0.0, -0.15]), start: 0.0, end: f64::INFINITY };
        setup.emitters.push(source);
        let mut thread = Simulation::with_liquids(setup, &[]).unwrap();
        thread.advance_to(0.1).unwrap();
        let before = thread.state().particles.len();
        thread.advance_to(0.5).unwrap();
        let particles = &thread.state().particles;
        let lowest = particles.position.iter().map(|place| place[1]).fold(f64::MAX, f64::min);
        let freely = 0.15f64.hypot((2.0 * 9.81 * (64.0 * h - lowest)).sqrt());
        assert!(thread.fastest() < 1.02 * freely, "{viscosity}: {} for {freely}", thread.fastest());
        let aside = particles.velocity.iter().map(|velocity| velocity[0].abs()).fold(0.0, f64::max);
        assert!(aside < 0.1, "{viscosity}: {aside}");
        // Ten particles abreast, one behind another in 2 mm.
        let entered = (particles.len() - before) as f64 / (10.0 * 0.15 * 0.4 / (0.5 * h));
        assert!((entered - 1.0).abs() < 0.01, "{viscosity}: {entered}");
    }
}

/// What stands is ten thousand times as stiff as what flows beside it.
#[test]
fn mud_that_is_far_stiffer_at_rest_is_solved_for() {
    let mut setup = viscous(Grid::<2>::new([64, 32], 1.0 / 32.0, [0.0; 2]).unwrap(), 0.0, [0.0, -9.81]);
    setup.viscosity = Viscosity::Yield { stress: 1.0, consistency: 0.02, exponent: 1.0, at_rest: 200.0 };
    setup.border_drag = Drag::no_slip();
    let mut pile = Simulation::new(setup, &SignedDistance::cuboid([0.7, 0.0], [1.3, 0.75])).unwrap();
    let report = pile.advance_to(0.15).unwrap();
    assert!(report.steps.iter().all(|step| step.viscosity.converged()));
    assert!(report.steps.iter().all(|step| step.viscosity.iterations < 400), "five rounds of each step");
}

/// A column of height H sinks to h (1 + ln(H/h)), h = 2τ/(ρg): what stands anyway, and below it what spreads until it bears the
/// weight above [Pashias1996]. In the plane with Tresca's measure of stress, which is that of the law here.
#[test]
fn a_column_of_mud_sinks_as_its_yield_stress_says() {
    for stress in [0.35, 0.5] {
        let mut setup = viscous(Grid::<2>::new([48, 16], 0.025, [0.0; 2]).unwrap(), 0.0, [0.0, -9.81]);
        setup.viscosity = Viscosity::Yield { stress, consistency: 0.02, exponent: 1.0, at_rest: 20.0 };
        setup.border_drag = Drag::no_slip();
        let mut column = Simulation::new(setup, &SignedDistance::cuboid([0.45, 0.0], [0.75, 0.3])).unwrap();
        column.advance_to(0.6).unwrap();
        let top = column.state().particles.position.iter().map(|point| point[1]).fold(0.0, f64::max);
        let stands = 2.0 * stress / 9.81;
        let exact = stands * (1.0 + (0.3f64 / stands).ln());
        assert!((top / exact - 1.0).abs() < 0.1, "{stress}: {top} for {exact}");
        let velocities = column.state().particles.velocity.iter();
        let mean = velocities.map(|[u, v]| u.hypot(*v)).sum::<f64>() / column.state().particles.len() as f64;
        assert!(mean < 0.02, "{stress}: {mean}");
    }
}
