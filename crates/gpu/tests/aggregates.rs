//! `best` of the device on matrices without a grid, emulated on the host, against `best` of the processor.
#![cfg(feature = "emulation")]

#[path = "../../mlcp/tests/common/matrices.rs"]
mod matrices;

use matrices::{anisotropic, hidden, matrix, tetrahedra};
use unstick_gpu::Gpu;
use unstick_mlcp::{Mlcp, MlcpSolver, SolverName};
use unstick_problems::Example;

/// The device may need this many times the cycles of the processor, whose sweeps change one row after the other.
const MORE_CYCLES: f64 = 1.5;

/// Solves on both sides and compares.
fn compare(what: &str, problem: &Mlcp) {
    let name: SolverName = "best".parse().unwrap();
    let (mut on_cpu, mut on_gpu) = (vec![0.0; problem.size()], vec![0.0; problem.size()]);
    let expected = name.build(&Default::default()).solve(problem, &mut on_cpu).unwrap();
    let mut solver = Gpu::emulated().solver(&name, Default::default()).unwrap();
    let report = solver.solve(problem, &mut on_gpu).unwrap();
    println!(
        "{what}: {} rows, {}/{} on the processor, {}/{} on the device, {} walls, {:?}",
        problem.size(),
        expected.cycles(),
        expected.inner_iterations(),
        report.cycles(),
        report.inner_iterations(),
        problem.wall_rows(),
        report.remark(),
    );
    assert!(report.converged(), "{what}: {}", report.outcome());
    assert_eq!((report.remark(), expected.remark()), (None, None), "{what}: neither a grid nor a rescue");
    let (cycles, on_processor) = (report.inner_iterations(), expected.inner_iterations());
    assert!(
        cycles as f64 <= MORE_CYCLES * on_processor as f64 + 4.0,
        "{what}: {cycles} cycles, {on_processor} on the processor"
    );
    let scale = on_cpu.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    let apart = on_cpu.iter().zip(&on_gpu).fold(0.0f64, |most, (one, other)| most.max((one - other).abs()));
    // Two answers with residuals of 1e-6 may differ by that times the condition of the matrix.
    assert!(apart < 2e-3 * scale, "{what}: the answers are {apart:e} apart, the largest is {scale:e}");
}

#[test]
fn rows_of_hidden_grids_have_the_answer_of_the_processor() {
    for (example, dimension, size) in [
        (Example::CubeLid, 3, 16),
        (Example::CubeLid, 3, 24),
        (Example::SphereHalf, 3, 24),
        (Example::ThinPlates, 2, 64),
        (Example::CubeLid, 3, 36),
        (Example::CubeLid, 2, 17),
    ] {
        compare(&format!("{example} in {dimension} dimensions, {size} cells"), &hidden(example, dimension, size));
    }
}

#[test]
fn tetrahedra_have_the_answer_of_the_processor() {
    for points in [9, 20, 27] {
        compare(&format!("tetrahedra of {points}³ points"), &tetrahedra(points));
    }
}

#[test]
fn stretched_and_badly_scaled_rows_have_the_answer_of_the_processor() {
    for (ratios, spread) in [([1.0, 1.0, 1e4], 1.0), ([1e-4, 1.0, 1.0], 1.0), ([1.0; 3], 1e8)] {
        compare(&format!("ratios {ratios:?}, spread {spread:e}"), &anisotropic(16, ratios, spread));
    }
}

#[test]
fn the_same_matrix_keeps_its_levels_and_gives_the_same_bits() {
    let problem = tetrahedra(12);
    let mut solver = Gpu::emulated().solver(&"best".parse().unwrap(), Default::default()).unwrap();
    let mut solve = |problem: &Mlcp| {
        let mut q = vec![0.0; problem.size()];
        assert!(solver.solve(problem, &mut q).unwrap().converged());
        q
    };
    let first = solve(&problem);
    assert!(solve(&problem) == first);
    // Another matrix in between, smaller than the memory, and another right-hand side.
    let other = anisotropic(9, [1.0; 3], 10.0);
    solve(&other);
    let scaled = Mlcp::new(problem.operator().csr().unwrap(), vec![-0.05; problem.size()]).unwrap();
    let scaled = scaled.with_lower(problem.lower().to_vec()).unwrap();
    assert!(solve(&scaled) != first);
    assert!(solve(&problem) == first);
}

#[test]
fn parts_without_a_hold_keep_a_pinned_row() {
    // Two rings of rows without a hold. Sources in the first outweigh the sinks: one of its walls lets go. The second is
    // a pocket, whose answer is known up to a constant.
    let ring = |first: usize| (0..30).map(move |n| (first + n, first + (n + 1) % 30, 1.0 + (n % 3) as f64));
    let chords = (0..15).map(|n| (n, n + 15, 0.5));
    let couplings: Vec<_> = ring(0).chain(ring(30)).chain(chords).collect();
    let b: Vec<f64> =
        (0..60).map(|row| if row < 30 { 0.1 + (row as f64).sin() } else { [1.0, -1.0][row % 2] }).collect();
    let walls: Vec<bool> = (0..60).map(|row| row < 30 && row % 2 == 0).collect();
    let problem = Mlcp::new(matrix(60, &couplings, |_| 0.0), b).unwrap().with_walls(&walls).unwrap();
    compare("two rings", &problem);
}

#[test]
fn single_rows_and_a_hub_are_solved() {
    // A triangle, which no grid has, and two rows alone.
    let few = matrix(5, &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)], |row| 1.0 + row as f64);
    let walls = [true, true, false, true, true];
    compare("five rows", &Mlcp::new(few, vec![-1.0, 1.0, -3.0, 1.0, -1.0]).unwrap().with_walls(&walls).unwrap());
    let hub: Vec<_> = (1..300).map(|row| (0, row, 1.0)).collect();
    compare("a hub", &Mlcp::new(matrix(300, &hub, |row| (row % 2) as f64), vec![1.0; 300]).unwrap());
}

#[test]
fn what_the_device_cannot_hold_is_refused_with_the_reason() {
    let hub: Vec<_> = (1..5000).map(|row| (0, row, 1.0)).collect();
    let problem = Mlcp::new(matrix(5000, &hub, |_| 1.0), vec![1.0; 5000]).unwrap();
    let refused = |solver: &str, problem: &Mlcp| {
        let mut solver = Gpu::emulated().solver(&solver.parse().unwrap(), Default::default()).unwrap();
        solver.solve(problem, &mut vec![0.0; problem.size()]).unwrap_err().to_string()
    };
    assert!(refused("best", &problem).contains("more than 4096 couplings"));
    assert!(refused("policy+cg/jacobi", &problem).contains("no other solver than `best`"));
}
