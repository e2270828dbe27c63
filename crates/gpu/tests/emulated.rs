//! `best` of the device, emulated on the host, against `best` of the processor.
#![cfg(feature = "emulation")]

use unstick_gpu::Gpu;
use unstick_mlcp::{AnyPressureOperator, CsrMatrix, Mlcp, MlcpSolver, SolverName};
use unstick_problems::Example;

/// The device may need this many cycles more than the processor. On its small levels there are projected sweeps in
/// place of policies, and cells that a thin wall cuts off join the neighbouring coarse cell.
const MORE_CYCLES: usize = 4;

#[test]
fn generated_problems_have_the_answer_of_the_processor() {
    for example in Example::ALL {
        for (dimension, size) in [(2, 16), (2, 33), (2, 96), (3, 12), (3, 24)] {
            let problem = example.generate(dimension, size, 1).unwrap().into_mlcp();
            let (mut on_cpu, mut on_gpu) = (vec![0.0; problem.size()], vec![0.0; problem.size()]);
            let name: SolverName = "best".parse().unwrap();
            let expected = name.build(&Default::default()).solve(&problem, &mut on_cpu).unwrap();
            let mut solver = Gpu::emulated().solver(&name, Default::default()).unwrap();
            let report = solver.solve(&problem, &mut on_gpu).unwrap();

            let what = format!("{example} in {dimension} dimensions, {size} cells");
            assert!(report.converged(), "{what}: {}", report.outcome());
            assert_eq!(report.active_rows(), expected.active_rows(), "{what}: rows that have let go");
            let (cycles, on_processor) = (report.inner_iterations(), expected.inner_iterations());
            assert!(cycles <= on_processor + MORE_CYCLES, "{what}: {cycles} cycles, {on_processor} on the processor");
            let scale = on_cpu.iter().fold(0.0f64, |most, q| most.max(q.abs()));
            let apart = on_cpu.iter().zip(&on_gpu).fold(0.0f64, |most, (one, other)| most.max((one - other).abs()));
            // Two answers with residuals of 1e-6 may differ by that times the condition of the matrix.
            assert!(apart < 1e-3 * scale, "{what}: the answers are {apart:e} apart, the largest is {scale:e}");
        }
    }
}

#[test]
fn a_bare_matrix_is_solved_on_its_own_grid() {
    let problem = Example::SphereHalf.generate(3, 16, 1).unwrap().into_mlcp();
    let size = problem.size();
    let Some(AnyPressureOperator::Space(operator)) = problem.operator().pressure() else { unreachable!() };
    let in_order = operator.to_csr();
    let name: SolverName = "best".parse().unwrap();
    let mut solver = Gpu::emulated().solver(&name, Default::default()).unwrap();
    let mut expected = vec![0.0; size];
    assert!(solver.solve(&problem, &mut expected).unwrap().converged());
    // The number of rows has no factor in common with 1009.
    let shuffled = |row: usize| (row * 1009 + 17) % size;
    for row_of in [&(|row| row) as &dyn Fn(usize) -> usize, &shuffled] {
        let entries = |row| in_order.row(row).map(move |(column, value)| (row_of(row), row_of(column), value));
        let matrix = CsrMatrix::from_triplets(size, (0..size).flat_map(entries)).unwrap();
        let (mut b, mut lower) = (vec![0.0; size], vec![0.0; size]);
        for row in 0..size {
            (b[row_of(row)], lower[row_of(row)]) = (problem.b()[row], problem.lower()[row]);
        }
        let bare = Mlcp::new(&matrix, b).unwrap().with_lower(lower).unwrap();
        let mut q = vec![0.0; size];
        let report = solver.solve(&bare, &mut q).unwrap();
        assert!(report.converged() && report.remark().is_some_and(|remark| remark.contains("grid")));
        let scale = expected.iter().fold(0.0f64, |most, q| most.max(q.abs()));
        for row in 0..size {
            assert!((q[row_of(row)] - expected[row]).abs() < 1e-3 * scale, "row {row}");
        }
    }
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let problem = Example::ThinPlates.generate(3, 16, 0).unwrap().into_mlcp();
    let mut solver = Gpu::emulated().solver(&"best".parse().unwrap(), Default::default()).unwrap();
    let mut answers = [vec![0.0; problem.size()], vec![0.0; problem.size()]];
    for answer in &mut answers {
        assert!(solver.solve(&problem, answer).unwrap().converged());
    }
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn a_grid_that_no_device_holds_is_refused_before_anything_is_solved() {
    let mut solver = Gpu::emulated().solver(&"best".parse().unwrap(), Default::default()).unwrap();
    assert!(solver.prepare(&[4096, 4096, 4096]).is_err());
    solver.prepare(&[12, 12, 12]).unwrap();
    let problem = Example::CubeLid.generate(3, 12, 1).unwrap().into_mlcp();
    assert!(solver.solve(&problem, &mut vec![0.0; problem.size()]).unwrap().converged());
}
