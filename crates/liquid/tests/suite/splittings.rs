//! Splittings against exact answers, against each other, and where they are known to fail.

use unstick_grid::{Grid, SignedDistance};
use unstick_liquid::{Marked, Marking, PressureStage, Setup, Simulation, Solid, SplittingParams, Stopping, Wall};
use unstick_mlcp::{PressureMethod, SolveReport, SplittingName};

const ALL: [&str; 4] = ["admm", "iop", "reclassify", "iop-bc"];

/// Far below what can be seen, so that what is left is the method and not its threshold.
fn strict() -> SplittingParams {
    SplittingParams {
        inner: 1e-9,
        outer: 1e-8,
        absolute: 1e-8,
        relative: 1e-8,
        max_iterations: 20_000,
        ..Default::default()
    }
}

fn with_solver<const D: usize>(mut setup: Setup<D>, solver: &str, params: SplittingParams) -> Setup<D> {
    setup.pressure.solver = solver.parse().unwrap();
    setup.pressure.splitting = params;
    setup
}

fn mean_height<const D: usize>(simulation: &Simulation<D>) -> f64 {
    let positions = &simulation.state().particles.position;
    positions.iter().map(|point| point[1]).sum::<f64>() / positions.len() as f64
}

fn fastest<const D: usize>(simulation: &Simulation<D>) -> f64 {
    let speed = |velocity: &[f64; D]| velocity.iter().map(|value| value * value).sum::<f64>().sqrt();
    simulation.state().particles.velocity.iter().map(speed).fold(0.0, f64::max)
}

/// How far a block below the ceiling, which touches nothing else, falls in 0.1 s.
fn fallen<const D: usize>(solver: &str, wall: Wall, params: SplittingParams) -> f64 {
    let (mut lower, mut upper) = ([0.25; D], [0.75; D]);
    (lower[1], upper[1]) = (0.75, 1.0);
    let mut setup = Setup::new(Grid::<D>::unit(16).unwrap()).with_walls(wall);
    setup.volume_correction = false;
    let block = SignedDistance::cuboid(lower, upper);
    let mut drop = Simulation::new(with_solver(setup, solver, params), &block).unwrap();
    let start = mean_height(&drop);
    drop.advance_to(0.1).unwrap();
    start - mean_height(&drop)
}

const FREE_FALL: f64 = 0.5 * 9.81 * 0.1 * 0.1;

#[test]
fn liquid_below_a_ceiling_falls_freely_if_the_ceiling_separates_and_hangs_if_not() {
    for marking in [Marking::Velocity, Marking::Pressure] {
        let params = SplittingParams { marking, ..strict() };
        for solver in ["admm", "iop", "iop-bc"] {
            let (plane, space) =
                (fallen::<2>(solver, Wall::Separating, params), fallen::<3>(solver, Wall::Separating, params));
            assert!(
                (plane - FREE_FALL).abs() < 1e-6 && (space - FREE_FALL).abs() < 1e-6,
                "{solver} {marking:?}: {plane}"
            );
            let hangs = fallen::<2>(solver, Wall::Sealed, params);
            assert!(hangs < 0.7 * FREE_FALL, "{solver} {marking:?}: {hangs}");
        }
    }
    // It does leave, but torn away instead of falling.
    let torn = fallen::<2>("reclassify", Wall::Separating, strict());
    assert!((torn - FREE_FALL).abs() > 1e-3, "{torn}");
}

#[test]
fn admm_may_stop_on_the_divergence_instead() {
    let params = SplittingParams { stopping: Some(Stopping::Divergence), ..strict() };
    assert!((fallen::<2>("admm", Wall::Separating, params) - FREE_FALL).abs() < 1e-6);
}

#[test]
fn iop_may_stop_on_its_velocity_instead() {
    let strict = SplittingParams { stopping: Some(Stopping::Velocity), ..strict() };
    assert!((fallen::<2>("iop", Wall::Separating, strict) - FREE_FALL).abs() < 1e-6);
    // A turn changes little long before the walls hold, so it ends earlier than on the divergence \[Eckert2014, §3.3\].
    let stage = splash(Wall::Separating);
    let loose = SplittingParams { stopping: Some(Stopping::Velocity), ..Default::default() };
    let (by_velocity, _) = split(&stage, "iop", &loose);
    let (by_divergence, _) = split(&stage, "iop", &SplittingParams::default());
    assert!(by_velocity.cycles() < by_divergence.cycles(), "{} {}", by_velocity.cycles(), by_divergence.cycles());
}

#[test]
fn walls_may_be_judged_before_the_solve() {
    // Gravity alone leaves the ceiling, so that even `reclassify` solves for what it then does.
    for solver in ["admm", "iop", "iop-bc", "reclassify"] {
        let before = SplittingParams { marking: Marking::Before, ..strict() };
        assert!((fallen::<2>(solver, Wall::Separating, before) - FREE_FALL).abs() < 1e-6, "{solver}");
    }
    // A splash runs into walls that gravity alone would leave: these are held again.
    let stage = splash(Wall::Separating);
    let params = |takes_back| SplittingParams { marking: Marking::Before, takes_back, ..strict() };
    let (iop, iop_bc) = (split(&stage, "iop", &params(true)).1, split(&stage, "iop-bc", &params(true)).1);
    let leaks = split(&stage, "iop-bc", &params(false)).1;
    let largest = iop.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    assert!(difference(&iop, &iop_bc) < 1e-4 * largest, "{:e} of {largest}", difference(&iop, &iop_bc));
    assert!(difference(&leaks, &iop_bc) > 1e-2 * largest, "{:e} of {largest}", difference(&leaks, &iop_bc));
}

#[test]
fn admm_and_iop_agree_in_the_printed_form_too() {
    let stage = splash(Wall::Separating);
    let printed = SplittingParams { marked: Marked::Cells, takes_back: false, ..strict() };
    let (_, admm) = split(&stage, "admm", &printed);
    let (_, iop) = split(&stage, "iop", &printed);
    let largest = admm.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    assert!(difference(&admm, &iop) < 1e-5 * largest, "{:e} of {largest}", difference(&admm, &iop));
}

#[test]
fn a_tank_at_rest_stays_at_rest() {
    for wall in [Wall::Separating, Wall::Sealed] {
        for solver in ALL {
            let setup = Setup::new(Grid::<2>::unit(12).unwrap()).with_walls(wall);
            let level = SignedDistance::cuboid([0.0; 2], [1.0, 0.5]);
            let mut tank = Simulation::new(with_solver(setup, solver, strict()), &level).unwrap();
            for step in tank.advance_to(0.05).unwrap().steps {
                assert!(step.converged && step.divergence < 1e-6, "{solver} {wall:?}: {step:?}");
            }
            assert!(fastest(&tank) < 1e-5, "{solver} {wall:?}: {}", fastest(&tank));
        }
    }
}

/// A dam that has hit the far wall, in the middle of a step.
fn splash(wall: Wall) -> PressureStage<2> {
    let setup = Setup::new(Grid::<2>::unit(24).unwrap()).with_walls(wall);
    let block = SignedDistance::cuboid([0.0, 0.0], [0.4, 0.6]);
    let mut dam = Simulation::new(setup, &block).unwrap();
    dam.advance_to(0.4).unwrap();
    dam.stage(0.005).unwrap()
}

fn split(stage: &PressureStage<2>, name: &str, params: &SplittingParams) -> (SolveReport, Vec<f64>) {
    let name: SplittingName = name.parse().unwrap();
    let (report, q) = stage.split(name, params).unwrap();
    assert!(report.converged(), "{name}: {report:?}");
    (report, q)
}

fn difference(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).fold(0.0, |most, (one, other)| most.max((one - other).abs()))
}

#[test]
fn iop_and_admm_agree_and_are_the_sticking_answer_where_walls_are_sealed() {
    let stage = splash(Wall::Sealed);
    let mut solver = match "sticking+cg/mic0".parse().unwrap() {
        PressureMethod::Solver(name) => name.build(&Default::default()),
        PressureMethod::Splitting(_) => unreachable!(),
    };
    let mut expected = vec![0.0; stage.start().len()];
    assert!(solver.solve(&stage.rows().problem().unwrap(), &mut expected).unwrap().converged());
    let largest = expected.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    for name in ALL {
        let (report, q) = split(&stage, name, &strict());
        assert!(difference(&q, &expected) < 1e-5 * largest, "{name}: {:e}", difference(&q, &expected));
        assert!(report.residual() < 1e-6 * largest, "{name}: {:e}", report.residual());
    }

    let stage = splash(Wall::Separating);
    let (iop, one) = split(&stage, "iop", &strict());
    let (_, other) = split(&stage, "admm", &strict());
    let apart = difference(&one, &other);
    assert!(apart < 1e-5 * largest, "{apart:e} of {largest}");
    // What both approximate is something else: the natural residual says so.
    assert!(iop.residual() > 1e-3 * largest, "{:e}", iop.residual());
}

#[test]
fn the_inner_solver_makes_no_difference_beyond_its_threshold() {
    let stage = splash(Wall::Separating);
    let (_, expected) = split(&stage, "iop", &strict());
    for name in ["iop+cg/multigrid", "iop+cg/jacobi"] {
        assert!(difference(&split(&stage, name, &strict()).1, &expected) < 1e-5, "{name}");
    }
}

#[test]
fn a_full_box_is_solved_by_transforms_and_other_shapes_are_refused() {
    let setup = Setup::new(Grid::<3>::unit(12).unwrap());
    let everywhere = SignedDistance::cuboid([-1.0; 3], [2.0; 3]);
    let full = Simulation::new(setup, &everywhere).unwrap().stage(0.01).unwrap();
    let solve = |name: &str| full.split(name.parse().unwrap(), &strict()).unwrap();
    let (by_transforms, by_default, by_cg) = (solve("iop+fft"), solve("iop"), solve("iop+cg/mic0"));
    assert!(by_transforms.0.converged() && by_transforms.0.history() == by_default.0.history());
    assert!(by_transforms.0.inner_iterations() < by_cg.0.inner_iterations());
    assert!(difference(&by_transforms.1, &by_cg.1) < 1e-5);
    let refused = splash(Wall::Separating).split("iop+fft".parse().unwrap(), &strict()).unwrap_err();
    assert!(refused.to_string().starts_with("`fft` solves boxes of liquid only; here"), "{refused}");
}

#[test]
fn an_outer_threshold_stricter_than_the_inner_one_is_remarked_on() {
    let stage = splash(Wall::Separating);
    let params = SplittingParams { inner: 1e-2, outer: 1e-3, max_iterations: 5, ..Default::default() };
    let remark = |name: &str| stage.split(name.parse().unwrap(), &params).unwrap().0.remark();
    assert!(remark("iop").is_some_and(|remark| remark.contains("outer threshold")) && remark("iop-bc").is_some());
    assert_eq!((remark("admm"), remark("reclassify")), (None, None));
}

/// \[Eckert2014, fig. 4.22\]: a block up to the ceiling, on the top of three steps.
/// Returns the largest speed of its upper part after 0.05 s.
fn stairs_hard(solver: &str) -> f64 {
    let mut setup = Setup::new(Grid::<2>::unit(50).unwrap());
    for (x, y) in [(0.2, 0.45), (0.4, 0.3), (0.6, 0.15)] {
        setup.solids.push(Solid::still(SignedDistance::cuboid([0.0, 0.0], [x, y])));
    }
    let block = SignedDistance::cuboid([0.0, 0.45], [0.3, 1.0]);
    let mut stairs = Simulation::new(with_solver(setup, solver, SplittingParams::default()), &block).unwrap();
    stairs.advance_to(0.05).unwrap();
    let particles = &stairs.state().particles;
    let top = particles.position.iter().zip(&particles.velocity).filter(|(position, _)| position[1] > 0.85);
    top.map(|(_, velocity)| velocity[0].hypot(velocity[1])).fold(0.0, f64::max)
}

#[test]
fn reclassified_walls_tear_liquid_away_from_the_ceiling_and_the_others_do_not() {
    // Nothing pushes the upper part down: it cannot be faster than this.
    let free_fall = 9.81 * 0.05;
    let torn = stairs_hard("reclassify");
    assert!(torn > 2.0 * free_fall, "{torn} m/s");
    for solver in ["policy", "admm", "iop", "iop-bc"] {
        let speed = stairs_hard(solver);
        assert!(speed < 1.05 * free_fall, "{solver}: {speed} m/s");
    }
}

#[test]
fn one_two_and_three_threads_give_the_same_bits() {
    let setup = Setup::new(Grid::<3>::unit(40).unwrap());
    let block = SignedDistance::cuboid([0.0; 3], [0.6, 0.9, 1.0]);
    let stage = Simulation::new(setup, &block).unwrap().stage(0.01).unwrap();
    for name in ALL {
        let answer = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let params = SplittingParams { max_iterations: 10, ..Default::default() };
            let (report, q) = pool.install(|| stage.split(name.parse().unwrap(), &params)).unwrap();
            (report.history().to_vec(), q)
        };
        let one = answer(1);
        assert!(answer(2) == one && answer(3) == one, "{name}");
    }
}
