//! Walls that pull: the dial between separating and sealed.

use std::sync::Arc;

use unstick_grid::{Formula, Grid, SignedDistance, Varying};
use unstick_liquid::{Setup, Simulation, Solid, Transport};

const GRAVITY: f64 = 9.81;

/// Mean height of the liquid.
fn height<const D: usize>(liquid: &Simulation<D>) -> f64 {
    let positions = &liquid.state().particles.position;
    positions.iter().map(|point| point[1]).sum::<f64>() / positions.len() as f64
}

/// What a layer hangs in.
#[derive(Clone, Copy, Debug)]
struct Hanging {
    spacing: f64,
    step: f64,
    density: f64,
    transport: Transport,
}

const USUAL: Hanging =
    Hanging { spacing: 1.0 / 80.0, step: 0.002, density: 1000.0, transport: Transport::Flip { pic: 0.05 } };

impl Hanging {
    /// A layer of 0.15 m below the ceiling of a box, from wall to wall.
    fn layer<const D: usize>(self, adhesion: f64) -> Simulation<D> {
        let mut cells = [8; D];
        cells[1] = (0.4 / self.spacing).round() as usize;
        let grid = Grid::new(cells, self.spacing, [0.0; D]).unwrap();
        let mut setup = Setup::new(grid);
        (setup.max_step, setup.density, setup.transport) = (self.step, self.density, self.transport);
        setup.border_adhesion = adhesion.into();
        let mut lower = [-1.0; D];
        lower[1] = grid.node(grid.cells())[1] - 0.15;
        Simulation::new(setup, &SignedDistance::cuboid(lower, [2.0; D])).unwrap()
    }

    /// Its acceleration over g until half of the way on which the wall pulls is behind it.
    fn fall<const D: usize>(self, adhesion: f64) -> f64 {
        let mut layer = self.layer::<D>(adhesion);
        let expected = (GRAVITY - adhesion / (self.density * 0.15)).max(0.05 * GRAVITY);
        let time = (0.5 * self.spacing / expected).sqrt();
        let before = height(&layer);
        let report = layer.advance_to(time).unwrap();
        assert!(report.steps.iter().all(|step| step.converged));
        2.0 * (before - height(&layer)) / (time * time * GRAVITY)
    }
}

/// A layer of depth d falls with g − σ/(ρ d) while the wall pulls. 1471.5 Pa carry 0.15 m of water.
#[test]
fn a_hanging_layer_falls_with_what_the_pull_leaves_of_gravity() {
    let finer = Hanging { spacing: 1.0 / 160.0, ..USUAL };
    let coarser = Hanging { spacing: 1.0 / 40.0, ..USUAL };
    let cases = [
        USUAL,
        Hanging { step: 0.0005, ..USUAL },
        Hanging { step: 0.006, ..USUAL },
        finer,
        coarser,
        Hanging { transport: Transport::Apic, ..USUAL },
        Hanging { transport: Transport::SemiLagrangian, ..USUAL },
        Hanging { density: 13000.0, ..USUAL },
    ];
    for (case, part) in cases.into_iter().flat_map(|case| [500.0, 1000.0, 1300.0].map(|part| (case, part))) {
        let (found, expected) = (case.fall::<2>(part * case.density / 1000.0), 1.0 - part / 1471.5);
        assert!((found / expected - 1.0).abs() < 0.01, "{case:?}, {part} Pa: {found} g for {expected} g");
    }
    for part in [500.0, 1300.0] {
        let (found, expected) = (USUAL.fall::<3>(part), 1.0 - part / 1471.5);
        assert!((found / expected - 1.0).abs() < 0.01, "in space, {part} Pa: {found} g for {expected} g");
    }
    for case in [USUAL, coarser, finer] {
        assert!(case.fall::<2>(1478.0).abs() < 1e-4, "{case:?} hangs: {} g", case.fall::<2>(1478.0));
        assert!(case.fall::<2>(1465.0) > 0.004, "{case:?} lets go: {} g", case.fall::<2>(1465.0));
    }
}

#[test]
fn each_wall_pulls_for_itself() {
    let fall = |of_border: f64, of_solid: f64| {
        let mut setup = USUAL.layer::<2>(of_border).setup().clone();
        let ceiling = SignedDistance::half_space([0.0, 0.35], [0.0, -1.0]);
        setup.solids.push(Solid { adhesion: of_solid.into(), ..Solid::still(ceiling) });
        let mut layer = Simulation::new(setup, &SignedDistance::cuboid([0.0, 0.2], [1.0, 0.35])).unwrap();
        let before = height(&layer);
        layer.advance_to(0.02).unwrap();
        2.0 * (before - height(&layer)) / (0.02 * 0.02 * GRAVITY)
    };
    assert!((fall(3000.0, 0.0) - 1.0).abs() < 0.005, "{}", fall(3000.0, 0.0));
    assert!((fall(3000.0, 1000.0) / 0.3204 - 1.0).abs() < 0.02, "{}", fall(3000.0, 1000.0));
    assert!(fall(3000.0, 1500.0).abs() < 1e-3, "{}", fall(3000.0, 1500.0));
}

/// Liquid is thrown at a ceiling that pulls. It flies freely until it presses on it, and then stays.
#[test]
fn liquid_is_pulled_once_it_has_pressed_on_its_wall() {
    let throw = |adhesion: f64| {
        let mut setup = USUAL.layer::<2>(adhesion).setup().clone();
        setup.volume_correction = false;
        let block = SignedDistance::cuboid([0.0, 0.2], [1.0, 0.325]);
        Simulation::with_liquids(setup, &[(block, [0.0, 1.5])]).unwrap()
    };
    let speed = |liquid: &Simulation<2>| {
        let velocities = &liquid.state().particles.velocity;
        velocities.iter().map(|velocity| velocity[1]).sum::<f64>() / velocities.len() as f64
    };
    let (mut stuck, mut free) = (throw(5000.0), throw(0.0));
    // 0.0585 m in 0.044 s: a third of a cell is left up to the ceiling at the end, and the cell there is wet before that.
    for _ in 0..22 {
        stuck.advance(0.002).unwrap();
        let flying = 1.5 - GRAVITY * (stuck.state().time - 0.001);
        assert!((speed(&stuck) - flying).abs() < 1e-3, "at {}: {} for {flying}", stuck.state().time, speed(&stuck));
        free.advance(0.002).unwrap();
    }
    stuck.advance_to(0.25).unwrap();
    free.advance_to(0.25).unwrap();
    let (stuck, free) = (height(&stuck), height(&free));
    assert!(stuck > 0.32 && free < 0.3, "{stuck} m with the pull, {free} m without");
}

/// κ on the right half of every wall.
fn right_half(speed: f64) -> Varying<2> {
    let value = move |[x, _]: [f64; 2], _| if x > 0.5 { speed } else { 0.0 };
    Varying::Formula(Formula { text: format!("{speed}*step(x-0.5)"), value: Arc::new(value) })
}

#[test]
fn a_still_tank_does_not_feel_the_field_that_drives_liquid_off() {
    let run = |control: Varying<2>| {
        let mut setup = Setup::new(Grid::<2>::unit(16).unwrap());
        setup.control = control;
        let mut tank = Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0, 0.5])).unwrap();
        tank.advance_to(0.2).unwrap();
        tank.state().clone()
    };
    assert!(run(right_half(2.0)) == run(Varying::default()), "the same bits");
}

/// Two blocks at the ceiling, apart from each other: only the right one is driven off.
#[test]
fn liquid_leaves_only_where_the_field_says() {
    let run = |control: Varying<2>| {
        let mut setup = Setup::new(Grid::<2>::unit(32).unwrap());
        setup.control = control;
        let block = |x: f64| SignedDistance::cuboid([x, 0.75], [x + 0.25, 1.0]);
        let blocks = [(block(0.125), [0.0; 2]), (block(0.625), [0.0; 2])];
        let mut liquid = Simulation::with_liquids(setup, &blocks).unwrap();
        liquid.advance_to(0.05).unwrap();
        let mean = |is_meant: fn(f64) -> bool| {
            let particles = &liquid.state().particles;
            let meant = particles.position.iter().zip(&particles.velocity).filter(|(point, _)| is_meant(point[0]));
            let (sum, count) = meant.fold((0.0, 0.0), |(sum, count), (_, velocity)| (sum + velocity[1], count + 1.0));
            sum / count
        };
        [mean(|x| x < 0.5), mean(|x| x > 0.5)]
    };
    let (free, driven) = (run(Varying::default()), run(right_half(2.0)));
    assert!((driven[0] - free[0]).abs() < 1e-6 && driven[1] < free[1] - 0.2, "{free:?} without, {driven:?} with it");
}

#[test]
fn a_pull_that_fades_lets_go_when_it_has_faded() {
    let mut setup = USUAL.layer::<2>(0.0).setup().clone();
    setup.border_adhesion = Varying::Table([(0.0, 3000.0), (0.1, 0.0)].into());
    let mut layer = Simulation::new(setup, &SignedDistance::cuboid([-1.0, 0.25], [2.0, 2.0])).unwrap();
    let before = height(&layer);
    layer.advance_to(0.045).unwrap(); // 1650 Pa, and 1471.5 Pa carry it
    assert!((before - height(&layer)).abs() < 1e-6, "{}", before - height(&layer));
    layer.advance_to(0.15).unwrap();
    assert!(before - height(&layer) > 0.02, "{}", before - height(&layer));
}
