//! Matrices that come without a grid: rows in any order, couplings of very different size.

use unstick_grid::Random;
use unstick_mlcp::{CsrMatrix, Mlcp, SolveReport, SolverName, Stop};

#[path = "../common/matrices.rs"]
mod matrices;

/// A matrix with its right-hand side and bounds.
struct Bare {
    matrix: CsrMatrix<'static>,
    b: Vec<f64>,
    lower: Vec<f64>,
}

impl Bare {
    /// Diffusion on a box with couplings that differ by direction (10⁴) or from block to block (10⁸), rows in random
    /// order, a seventh of all lines bounded.
    fn rough(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let shape = if seed.is_multiple_of(2) { [15, 14, 13] } else { [60, 50, 1] };
        let has_jumps = seed % 4 >= 2;
        let along = [(); 3].map(|()| if has_jumps { 1.0 } else { 10f64.powf(random.between(0.0, 4.0)) });
        let blocks = 3 + (random.unit() * 8.0) as usize;
        let jumps: Vec<f64> = (0..blocks * blocks * blocks)
            .map(|_| if has_jumps { 10f64.powf(random.between(0.0, 8.0)) } else { 1.0 })
            .collect();
        let number = |c: [usize; 3]| c[0] + shape[0] * (c[1] + shape[1] * c[2]);
        let medium = |c: [usize; 3]| {
            let block = |axis: usize| c[axis] * blocks / shape[axis];
            jumps[block(0) + blocks * (block(1) + blocks * block(2))]
        };
        let size = shape.iter().product();
        let order = shuffled(size, &mut random);
        let mut triplets = Vec::new();
        for cell in 0..size {
            let here = [cell % shape[0], cell / shape[0] % shape[1], cell / shape[0] / shape[1]];
            for axis in 0..3 {
                let mut there = here;
                there[axis] += 1;
                let one = order[cell];
                if there[axis] < shape[axis] {
                    let (a, b) = (medium(here), medium(there));
                    let (other, value) = (order[number(there)], along[axis] * 2.0 * a * b / (a + b));
                    triplets.extend([
                        (one, one, value),
                        (other, other, value),
                        (one, other, -value),
                        (other, one, -value),
                    ]);
                } else if axis == 1 {
                    triplets.push((one, one, along[axis] * medium(here)));
                }
            }
        }
        let matrix = CsrMatrix::from_triplets(size, triplets).unwrap();
        let b = (0..size).map(|row| matrix.entry(row, row) * random.between(-0.5, 0.5)).collect();
        let mut lower = vec![f64::NEG_INFINITY; size];
        (0..size).filter(|cell| cell / shape[0] % 7 == 0).for_each(|cell| lower[order[cell]] = 0.0);
        Self { matrix, b, lower }
    }

    fn problem(&self) -> Mlcp<'_> {
        Mlcp::new(&self.matrix, &self.b).unwrap().with_lower(&self.lower).unwrap()
    }
}

fn shuffled(size: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..size).collect();
    (1..size).rev().for_each(|last| order.swap(last, (random.unit() * (last + 1) as f64) as usize));
    order
}

fn solve(problem: &Mlcp) -> (Vec<f64>, SolveReport) {
    let mut q = vec![0.0; problem.size()];
    let report = "best".parse::<SolverName>().unwrap().build(&Stop::default()).solve(problem, &mut q).unwrap();
    (q, report)
}

#[test]
fn stretched_and_badly_scaled_matrices_take_few_cycles() {
    for seed in 0..200 {
        let (_, report) = solve(&Bare::rough(seed).problem());
        let is_rescued = report.remark().is_some_and(|remark| remark.contains("took over"));
        assert!(report.converged() && !is_rescued, "{seed}: {} {:?}", report.outcome(), report.remark());
        assert!(report.inner_iterations() <= 40, "{seed}: {} cycles", report.inner_iterations());
    }
}

#[test]
fn the_answer_is_that_of_policy_iteration() {
    for seed in 0..8 {
        let bare = Bare::rough(seed);
        let problem = bare.problem();
        let stop = Stop::relative(1e-11);
        let solve = |name: &str| {
            let mut q = vec![0.0; problem.size()];
            let report = name.parse::<SolverName>().unwrap().build(&stop).solve(&problem, &mut q).unwrap();
            assert!(report.converged(), "{seed}: {name} {}", report.outcome());
            (q, report.let_go().to_vec())
        };
        let (ours, theirs) = (solve("best"), solve("policy+cg/ic0"));
        let size = theirs.0.iter().fold(0.0, |most: f64, q| most.max(q.abs()));
        let difference = ours.0.iter().zip(&theirs.0).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        assert!(difference <= 1e-6 * size, "{seed}: {difference:e} of {size:e}");
        assert_eq!(ours.1, theirs.1, "{seed}");
    }
}

/// An example without its grid, rows in random order.
fn shuffled_example(example: unstick_problems::Example, size: usize) -> Bare {
    let generated = example.generate(3, size, 0).unwrap();
    let order = shuffled(generated.size(), &mut Random::new(3));
    let rows = 0..generated.size();
    let entries =
        rows.clone().flat_map(|row| generated.matrix().row(row).map(move |(column, value)| (row, column, value)));
    let entries = entries.map(|(row, column, value)| (order[row], order[column], value));
    let matrix = CsrMatrix::from_triplets(rows.len(), entries).unwrap();
    let (mut b, mut lower) = (vec![0.0; rows.len()], vec![0.0; rows.len()]);
    for row in rows {
        (b[order[row]], lower[order[row]]) = (generated.mlcp().b()[row], generated.mlcp().lower()[row]);
    }
    Bare { matrix, b, lower }
}

#[test]
fn threads_do_not_change_a_bit() {
    let mut bare = shuffled_example(unstick_problems::Example::SphereHalf, 64);
    assert!(bare.b.len() > 3 * 8192, "too few rows to be shared between threads");
    let (first, last) = (0, bare.b.len() - 1);
    let entries = (first..=last).flat_map(|row| bare.matrix.row(row).map(move |(column, value)| (row, column, value)));
    // Two rows far apart are coupled, so no grid is found.
    let across = [(first, first, 1.0), (last, last, 1.0), (first, last, -1.0), (last, first, -1.0)];
    bare.matrix = CsrMatrix::from_triplets(bare.b.len(), entries.chain(across).collect::<Vec<_>>()).unwrap();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve(&bare.problem()))
    };
    let (one, report) = on(1);
    assert!(report.converged() && report.active_rows() > 0 && report.remark().is_none());
    for threads in [2, 5] {
        let (other, _) = on(threads);
        assert!(one.iter().zip(&other).all(|(a, b)| a.to_bits() == b.to_bits()), "{threads} threads");
    }
}

#[test]
fn a_part_of_a_grid_is_solved_on_it_in_any_order_of_rows() {
    let example = unstick_problems::Example::SphereHalf;
    let (with_grid, expected) = solve(example.generate(3, 24, 0).unwrap().mlcp());
    let (shuffled, report) = solve(&shuffled_example(example, 24).problem());
    assert!(report.converged() && report.remark().is_some_and(|remark| remark.contains("grid")));
    assert_eq!(report.active_rows(), expected.active_rows());
    let largest = |q: &[f64]| q.iter().fold(0.0, |most: f64, q| most.max(q.abs()));
    assert!((largest(&with_grid) - largest(&shuffled)).abs() < 1e-4 * largest(&with_grid));
}

#[test]
fn a_box_is_solved_on_its_grid_in_any_order_of_rows() {
    let example = unstick_problems::Example::CubeLid;
    let generated = example.generate(3, 20, 0).unwrap();
    let (with_grid, _) = solve(generated.mlcp());
    let bare =
        Mlcp::new(generated.matrix(), generated.mlcp().b()).unwrap().with_lower(generated.mlcp().lower()).unwrap();
    let (in_order, report) = solve(&bare);
    assert!(report.remark().is_some_and(|remark| remark.contains("grid")));
    assert_eq!(in_order, with_grid, "the grid that was found is the one that it has");
    let shuffled = shuffled_example(example, 20);
    let (_, report_of_shuffled) = solve(&shuffled.problem());
    assert!(
        report_of_shuffled.converged() && report_of_shuffled.remark().is_some_and(|remark| remark.contains("grid"))
    );
    assert_eq!(report_of_shuffled.active_rows(), report.active_rows());
}

#[test]
fn other_right_hand_sides_and_active_sets_reuse_what_was_prepared() {
    let bare = Bare::rough(4);
    let mut solver = "best".parse::<SolverName>().unwrap().build(&Stop::default());
    for shift in 0..4 {
        let b: Vec<f64> = (0..bare.b.len()).map(|row| bare.b[(row + 97 * shift) % bare.b.len()]).collect();
        let problem = bare.problem().with_b(b).unwrap();
        let mut q = vec![0.0; problem.size()];
        assert!(solver.solve(&problem, &mut q).unwrap().converged());
        assert_eq!(q, solve(&problem).0, "what was prepared before changes nothing");
    }
}

#[test]
fn large_couplings_that_cancel_need_no_rescue() {
    // Among tetrahedra of points that were moved at random some are almost flat.
    let (_, report) = solve(&matrices::tetrahedra(56));
    assert!(report.converged() && report.remark().is_none(), "{:?}", report.remark());
}

#[test]
fn rows_that_a_huge_number_holds_disturb_no_others() {
    // Finite element codes hold the value of single rows by 1e30 on their diagonal.
    for (seed, hides_grid) in [(1, false), (2, true), (3, true)] {
        let mut random = Random::new(seed);
        let side = 40;
        let size = side * side;
        let mut couplings = Vec::new();
        for row in 0..size {
            couplings.extend((row % side + 1 < side).then_some((row, row + 1, 1.0)));
            couplings.extend((row + side < size).then_some((row, row + side, 1.0)));
        }
        if hides_grid {
            couplings.extend((0..50).map(|row| (row * 7, size - 1 - row * 11, 0.5)));
        }
        let b: Vec<f64> = (0..size).map(|row| if row % 37 == 0 { 0.0 } else { random.between(-1.0, 1.0) }).collect();
        let walls: Vec<bool> = (0..size).map(|_| random.chance(0.3)).collect();
        let answer = |held: f64| {
            let matrix = matrices::matrix(size, &couplings, |row| if row % 37 == 0 { held } else { 0.0 });
            let (q, report) = solve(&Mlcp::new(matrix, &b).unwrap().with_walls(&walls).unwrap());
            let is_rescued = report.remark().is_some_and(|remark| remark.contains("took over"));
            assert!(report.converged() && !is_rescued, "{seed}, {held:e}: {} {:?}", report.outcome(), report.remark());
            assert_eq!(report.remark().is_some(), !hides_grid && held < 1e32);
            q
        };
        let moderate = answer(1e8);
        for held in [1e30, 1e100] {
            let huge = answer(held);
            let difference = moderate.iter().zip(&huge).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            assert!(difference < 1e-4, "{seed}, {held:e}: {difference:e}");
        }
    }
}
