//! Ranks against one process, bit for bit.

use unstick_grid::{Grid, Motion, SignedDistance, Spin};
use unstick_mlcp::ranks::{Boxes, team};

use super::SharedSimulation;
use crate::setup::Emitter;
use crate::{Air, Setup, Simulation, Solid, StepError, Transport, Viscosity};

type Liquids<const D: usize> = Vec<(SignedDistance<D>, [f64; D])>;

/// Runs a scene alone and on many ranks, and compares states and reports every `every` steps. On the way the ranks hand
/// over to another number of ranks.
fn same_bits<const D: usize>(setup: &Setup<D>, liquids: &Liquids<D>, teams: &[usize], steps: usize, every: usize) {
    let mut alone = Simulation::with_liquids(setup.clone(), liquids).unwrap();
    let mut expected = Vec::new();
    let mut lengths = Vec::new();
    for step in 1..=steps {
        let dt = alone.next_step(1e3).unwrap();
        let report = alone.advance(dt).unwrap();
        lengths.push(dt);
        let numbers = [report.volume, report.surface_volume, report.kinetic_energy, report.potential_energy];
        let counts = [report.particles, report.active_rows, report.cycles, report.density.iterations];
        expected.push((numbers, counts, step.is_multiple_of(every).then(|| alone.state().clone())));
    }
    let mut handed_over = None;
    for &count in teams {
        let start = handed_over.take();
        let found = team(count, 1, |ranks| {
            let rank = ranks.rank();
            let mut shared = match &start {
                None => SharedSimulation::new(setup.clone(), liquids, ranks).unwrap(),
                Some(state) => {
                    let state = (rank == 0).then(|| Clone::clone(state));
                    SharedSimulation::resume(setup.clone(), state, ranks).unwrap()
                }
            };
            let first = shared.step() as usize;
            let mut half = None;
            for step in first..steps {
                let dt = shared.next_step(1e3).unwrap();
                assert_eq!(dt, lengths[step], "step {step} on {count} ranks");
                let report = shared.advance(dt).unwrap();
                let numbers = [report.volume, report.surface_volume, report.kinetic_energy, report.potential_energy];
                let counts = [report.particles, report.active_rows, report.cycles, report.density.iterations];
                let (known_numbers, known_counts, state) = &expected[step];
                assert_eq!((numbers, counts), (*known_numbers, *known_counts), "step {step} on {count} ranks");
                if let (Some(state), true) = (state, (step + 1).is_multiple_of(every)) {
                    let gathered = shared.gather();
                    assert!(gathered.as_ref().is_none_or(|gathered| gathered == state), "step {step} on {count} ranks");
                    if step + 1 >= steps / 2 && half.is_none() {
                        half = gathered;
                    }
                }
            }
            half
        });
        handed_over = found.into_iter().flatten().next();
    }
}

#[test]
fn a_dam_in_the_plane_breaks_with_the_same_bits_on_any_number_of_ranks() {
    let setup = Setup::new(Grid::<2>::new([40, 48], 1.0 / 40.0, [0.1, -0.3]).unwrap());
    let dam = SignedDistance::cuboid([0.1, -0.3], [0.45, 0.6]);
    same_bits(&setup, &vec![(dam, [0.0; 2])], &[3, 2, 5], 220, 20);
}

/// So small that ranks share one level below the finest, and none of the blocks that hold the density.
#[test]
fn a_tank_of_sixteen_cells_has_the_same_bits() {
    let setup = Setup::new(Grid::<2>::unit(16).unwrap());
    let dam = SignedDistance::cuboid([0.0; 2], [0.4, 0.8]);
    same_bits(&setup, &vec![(dam, [0.0; 2])], &[2, 3], 60, 20);
}

#[test]
fn sources_drains_and_moving_solids_have_the_same_bits_in_the_plane() {
    for transport in [Transport::default(), Transport::Apic] {
        let mut setup = Setup::new(Grid::<2>::unit(40).unwrap());
        setup.transport = transport;
        let motion = Motion::Steady { velocity: [0.4, 0.6], spin: Spin::none(), pivot: [0.0; 2] };
        setup.solids.push(Solid { motion, ..Solid::still(SignedDistance::sphere([0.4, 0.15], 0.11)) });
        let bowl =
            [SignedDistance::sphere([0.8, 0.5], 0.1).complement(), SignedDistance::cuboid([0.6, 0.3], [1.0, 0.55])];
        setup.solids.push(Solid::still(SignedDistance::Intersection(bowl.to_vec())));
        let source = SignedDistance::sphere([0.5, 0.81], 0.09);
        let drain = SignedDistance::cuboid([0.8, 0.0], [1.0, 0.1]);
        let emitter = |shape, velocity| Emitter { shape, velocity, start: 0.0, end: 10.0 };
        setup.emitters = vec![emitter(source, Some([1.0, -0.5])), emitter(drain, None)];
        let pool = (SignedDistance::cuboid([0.0; 2], [1.0, 0.3]), [0.0; 2]);
        let block = (SignedDistance::cuboid([0.05, 0.45], [0.35, 0.75]), [0.5, 1.0]);
        same_bits(&setup, &vec![pool, block], &[2, 4, 1], 120, 20);
    }
}

#[test]
fn a_splash_in_space_has_the_same_bits_on_any_number_of_ranks() {
    let mut setup = Setup::new(Grid::<3>::new([20, 24, 28], 0.05, [0.0; 3]).unwrap());
    setup.solids.push(Solid::still(SignedDistance::sphere([0.5, 0.6, 0.7], 0.56).complement()));
    let half = (SignedDistance::half_space([0.0, 0.0, 0.6], [0.0, 0.0, -1.0]), [0.0; 3]);
    let drop = (SignedDistance::sphere([0.5, 0.8, 1.0], 0.15), [0.0, -1.0, -2.0]);
    same_bits(&setup, &vec![half, drop], &[4, 6, 2], 100, 20);
}

#[test]
fn what_cannot_be_shared_is_refused_on_all_ranks_with_its_name() {
    let pool = vec![(SignedDistance::cuboid([0.0; 2], [1.0, 0.5]), [0.0; 2])];
    let refused = |change: fn(&mut Setup<2>)| {
        let mut setup = Setup::new(Grid::<2>::unit(16).unwrap());
        change(&mut setup);
        let errors = team(2, 1, |ranks| SharedSimulation::new(setup.clone(), &pool, ranks).err());
        assert_eq!(errors[0], errors[1]);
        errors[0].clone().map_or_else(String::new, |error| error.to_string())
    };
    assert_eq!(refused(|_| ()), "");
    assert!(refused(|setup| setup.tension = 0.07).starts_with("surface tension cannot be shared"));
    assert!(refused(|setup| setup.air = Air::Enclosed { vents: Vec::new() }).starts_with("enclosed air"));
    assert!(refused(|setup| setup.viscosity = Viscosity::Newtonian(0.1)).starts_with("viscosity"));
    assert!(refused(|setup| setup.transport = Transport::SemiLagrangian).starts_with("semi-Lagrangian transport"));
    assert!(refused(|setup| setup.pressure.solver = "policy".parse().unwrap()).contains("other than `best`"));
    assert!(refused(|setup| setup.pressure.solver = "iop".parse().unwrap()).contains("other than `best`"));
    assert!(refused(|setup| setup.grid = Grid::new([16, 3], 0.1, [0.0; 2]).unwrap()).is_empty());
    assert!(refused(|setup| setup.grid = Grid::new([16, 2], 0.1, [0.0; 2]).unwrap()).contains("2 ranks"));
}

/// Liquid that crosses more cells in a step than ranks know of each other.
#[test]
fn steps_that_are_too_long_for_the_halo_end_on_all_ranks() {
    let setup = Setup::new(Grid::<2>::unit(32).unwrap());
    let block = vec![(SignedDistance::cuboid([0.4; 2], [0.6; 2]), [3.0, 0.0])];
    let errors = team(2, 1, |ranks| {
        let mut shared = SharedSimulation::new(setup.clone(), &block, ranks).unwrap();
        let error = shared.advance(0.1).unwrap_err(); // 9.6 cells
        assert!(shared.check_state().is_err(), "the middle of a step");
        error
    });
    assert!(matches!(errors[0], StepError::TooFar { cells, most: 6.0, .. } if (9.0..11.0).contains(&cells)));
    assert_eq!(errors[0], errors[1]);
}

/// What the ranks show of their boxes is what one process shows of the whole.
#[test]
fn views_of_boxes_make_the_view_of_the_whole() {
    let mut setup = Setup::new(Grid::<3>::new([12, 20, 24], 0.05, [0.0; 3]).unwrap());
    setup.solids.push(Solid::still(SignedDistance::sphere([0.3, 0.5, 0.6], 0.5).complement()));
    let liquid = vec![(SignedDistance::half_space([0.0, 0.0, 0.6], [0.0, 0.0, -1.0]), [0.0, 0.3, 0.0])];
    let found = team(4, 1, |ranks| {
        let mut shared = SharedSimulation::new(setup.clone(), &liquid, ranks.clone()).unwrap();
        for _ in 0..5 {
            shared.advance(0.004).unwrap();
        }
        (shared.boxes()[ranks.rank()], shared.own_view(), shared.view())
    });
    let whole = found[0].2.as_ref().unwrap();
    let mut ids = Vec::new();
    for (cells, own, _) in &found {
        let is_same = |own: &unstick_grid::CellField<f64, 3>, whole: &unstick_grid::CellField<f64, 3>| {
            let place = |at: [usize; 3]| std::array::from_fn(|axis| at[axis] + cells.first[axis]);
            let shape = own.shape();
            (0..own.values().len()).all(|index| {
                let at = unstick_grid::multi_index(shape, index);
                own.at(at) == whole.at(place(at))
            })
        };
        assert!(is_same(&own.surface, &whole.surface) && is_same(&own.pressure, &whole.pressure));
        assert!(is_same(&own.solid, &whole.solid));
        assert!((0..3).all(|axis| is_same(&own.velocity[axis], &whole.velocity[axis])));
        ids.extend(own.particles.id.clone());
    }
    ids.sort_unstable();
    let mut all = whole.particles.id.clone();
    all.sort_unstable();
    assert_eq!(ids, all);
}

/// A block in a corner: all of the work would be that of one rank.
#[test]
fn boxes_follow_the_liquid() {
    let setup = Setup::new(Grid::<3>::unit(32).unwrap());
    let block = SignedDistance::cuboid([0.0; 3], [1.0, 0.3, 0.4]);
    let even = Boxes::new(&[32; 3], 4).unwrap();
    let counts = team(4, 1, |ranks| {
        let shared = SharedSimulation::new(setup.clone(), &[(block.clone(), [0.0; 3])], ranks).unwrap();
        assert_ne!(shared.share.boxes, even);
        let nx = setup.grid.cells()[0];
        let of_line = |line: usize| shared.part.starts[(line + 1) * nx] - shared.part.starts[line * nx];
        (shared.share.own_lines().into_iter().map(of_line).sum::<u32>(), shared.particles())
    });
    let all = counts[0].1;
    assert!(all > 0 && counts.iter().map(|(own, _)| *own as usize).sum::<usize>() == all);
    assert!(counts.iter().all(|(own, _)| (*own as usize) < all / 2), "{counts:?}");
}
