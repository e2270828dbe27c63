//! `sticking`, `policy` and `newton` on the emulated device, against the solvers of the processor.
#![cfg(feature = "emulation")]

use unstick_gpu::{Gpu, GpuError};
use unstick_mlcp::{CsrMatrix, Lattice, Mlcp, MlcpSolver, Outcome, SolveReport, SolverName, Stop};
use unstick_problems::Example;

/// Every solver of the device but `best`, which has tests of its own.
fn names() -> impl Iterator<Item = SolverName> {
    Gpu::solvers().filter(|&name| name != "best").map(|name| name.parse().unwrap())
}

fn options() -> Stop {
    Stop::relative(1e-9)
}

/// Solves on both. Answers and active rows must agree. Returns both reports, the processor's first.
fn compare(name: SolverName, problem: &Mlcp, what: &str) -> [SolveReport; 2] {
    let (mut on_cpu, mut on_gpu) = (vec![0.0; problem.size()], vec![0.0; problem.size()]);
    let expected = name.build(&options()).solve(problem, &mut on_cpu).unwrap();
    let report = Gpu::emulated().solver(&name, options()).unwrap().solve(problem, &mut on_gpu).unwrap();
    assert!(report.converged(), "{name} {what}: {} ({:?})", report.outcome(), report.remark());
    assert_eq!(report.remark(), expected.remark(), "{name} {what}");
    assert_eq!(report.active_rows(), expected.active_rows(), "{name} {what}");
    let scale = on_cpu.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    let worst = on_cpu.iter().zip(&on_gpu).fold(0.0f64, |most, (one, other)| most.max((one - other).abs()));
    assert!(worst <= 1e-6 * scale, "{name} {what}: answers differ by {worst:e} of {scale:e}");
    [expected, report]
}

#[test]
fn generated_problems_have_the_answer_of_the_processor() {
    for (dimension, size) in [(2, 14), (3, 8)] {
        for example in [Example::CubeLid, Example::SphereHalf, Example::SealedPocket] {
            let problem = example.generate(dimension, size, 1).unwrap().into_mlcp();
            for name in names() {
                let what = format!("{example} {dimension}D {size}");
                let [expected, report] = compare(name, &problem, &what);
                let is_exact = name.to_string().ends_with("none") || name.to_string().ends_with("jacobi");
                if is_exact {
                    // The same arithmetic up to the order of sums.
                    let (cycles, of_cpu) = (report.cycles(), expected.cycles());
                    assert!(cycles.abs_diff(of_cpu) <= 1 + of_cpu / 10, "{name} {what}: {cycles} cycles, {of_cpu}");
                    let (work, of_cpu) = (report.inner_iterations(), expected.inner_iterations());
                    assert!(work.abs_diff(of_cpu) <= 3 + of_cpu / 10, "{name} {what}: {work} iterations, {of_cpu}");
                }
                assert_eq!(report.pockets().len(), expected.pockets().len(), "{name} {what}");
            }
        }
    }
}

/// With exact linear systems every policy costs more iterations, on either machine.
#[test]
fn parameters_of_a_method_reach_the_device() {
    let problem = Example::SphereHalf.generate(2, 24, 1).unwrap().into_mlcp();
    let work = |name: &str| compare(name.parse().unwrap(), &problem, "").map(|report| report.inner_iterations());
    let (usual, exact) = (work("policy+cg/jacobi"), work("policy:forcing=1e-9+cg/jacobi"));
    assert!(exact[0] > usual[0] && exact[1] > usual[1], "{usual:?} {exact:?}");
}

#[test]
fn problems_of_any_size_have_the_answer_of_the_processor() {
    // Some are too large for a cooperative grid, others fill it.
    let cases = [
        (Example::CubeLid, 3, 12, "newton+cg/jacobi"),
        (Example::CubeLid, 3, 30, "sticking+cg/none"),
        (Example::SphereHalf, 2, 96, "policy+cg/none"),
    ];
    for (example, dimension, size, name) in cases {
        let problem = example.generate(dimension, size, 1).unwrap().into_mlcp();
        let [expected, report] = compare(name.parse().unwrap(), &problem, &format!("{example} {dimension}D {size}"));
        let [work, of_cpu] = [&report, &expected].map(SolveReport::inner_iterations);
        assert!(work.abs_diff(of_cpu) <= 3 + of_cpu / 10, "{name}: {work} iterations, {of_cpu}");
    }
}

#[test]
fn recurrences_that_are_renewed_keep_their_directions() {
    let problem = Example::ThinPlates.generate(2, 96, 0).unwrap().into_mlcp();
    for name in ["sticking+cg/none", "sticking+cg/jacobi"] {
        let [expected, report] = compare(name.parse().unwrap(), &problem, "thin-plates 96");
        let [cycles, of_cpu] = [&report, &expected].map(SolveReport::cycles);
        assert!(of_cpu > 256, "{name}: {of_cpu} iterations are one batch");
        assert!(cycles.abs_diff(of_cpu) <= of_cpu / 50, "{name}: {cycles} iterations, {of_cpu}");
    }
}

/// A closed box of `n` cells a side, whose left column may let go.
fn closed_box(n: usize, b: Vec<f64>) -> Mlcp<'static> {
    let mut triplets = Vec::new();
    for cell in 0..n * n {
        let right = (cell % n + 1 < n).then_some(cell + 1);
        let above = (cell + n < n * n).then_some(cell + n);
        for other in [right, above].into_iter().flatten() {
            triplets.extend([(cell, cell, 1.0), (other, other, 1.0), (cell, other, -1.0), (other, cell, -1.0)]);
        }
    }
    let matrix = CsrMatrix::from_triplets(n * n, triplets).unwrap();
    let lattice = Lattice::new(&[n, n], (0..(n * n) as u32).collect()).unwrap();
    let walls: Vec<bool> = (0..n * n).map(|cell| cell % n == 0).collect();
    Mlcp::on_lattice(lattice, &matrix, b).unwrap().with_walls(&walls).unwrap()
}

#[test]
fn a_component_without_air_keeps_a_pinned_row() {
    let n = 7;
    let b: Vec<f64> = (0..n * n).map(|cell| 0.05 + ((cell * 29) % 17) as f64 / 17.0 - 0.5).collect();
    assert!(b.iter().sum::<f64>() > 0.1, "the component grows");
    let problem = closed_box(n, b);
    for name in names().filter(|name| !name.to_string().starts_with("sticking")) {
        let [_, report] = compare(name, &problem, "closed box");
        assert!(report.active_rows() > 0, "{name}");
    }
}

#[test]
fn a_closed_component_that_shrinks_has_no_answer() {
    let problem = closed_box(5, vec![-1.0; 25]);
    for name in names() {
        let mut solver = Gpu::emulated().solver(&name, options()).unwrap();
        let report = solver.solve(&problem, &mut [0.0; 25]).unwrap();
        assert_eq!(report.outcome(), Outcome::Incompatible, "{name}");
    }
}

#[test]
fn a_solver_serves_one_problem_after_the_other() {
    let name: SolverName = "newton+cg/jacobi".parse().unwrap();
    let mut solver = Gpu::emulated().solver(&name, options()).unwrap();
    for (example, size) in [(Example::SphereHalf, 12), (Example::CubeLid, 12), (Example::CubeLid, 9)] {
        let problem = example.generate(2, size, 3).unwrap().into_mlcp();
        let (mut q, mut alone) = (vec![0.0; problem.size()], vec![0.0; problem.size()]);
        assert!(solver.solve(&problem, &mut q).unwrap().converged());
        let report = Gpu::emulated().solver(&name, options()).unwrap().solve(&problem, &mut alone);
        assert!(report.unwrap().converged());
        assert_eq!(q, alone, "{example} {size}");
    }
}

#[test]
fn a_limit_on_cycles_is_kept() {
    let problem = Example::CubeLid.generate(2, 12, 0).unwrap().into_mlcp();
    for (name, limit) in [("sticking+cg/none", 5), ("newton+cg/none", 1), ("policy+cg/multigrid", 1)] {
        let stop = Stop::default().with_max_cycles(limit);
        let options = stop;
        let mut solver = Gpu::emulated().solver(&name.parse().unwrap(), options).unwrap();
        let report = solver.solve(&problem, &mut vec![0.0; problem.size()]).unwrap();
        assert_eq!((report.outcome(), report.cycles()), (Outcome::IterationLimit, limit), "{name}");
        assert_eq!(report.history().len(), limit + 1, "{name}");
    }
}

#[test]
fn what_the_device_lacks_is_refused_with_what_it_has() {
    for name in ["policy", "newton+gmres/none", "newton+cg/reused-multigrid", "policy+multigrid-linear", "psor"] {
        let name: SolverName = name.parse().unwrap();
        let error = Gpu::emulated().solver(&name, options()).err().unwrap();
        assert!(matches!(error, GpuError::Solver { .. }), "{name}");
        let message = error.to_string();
        assert!(message.starts_with(&format!("`{name}` does not run on the GPU, which has best, ")), "{message}");
        assert!(message.contains("newton+cg/none"), "{message}");
    }
}
