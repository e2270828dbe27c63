//! Same bits for any number of threads.

use unstick_mlcp::{Mlcp, MlcpSolver, SolverName, Stop};
use unstick_problems::Example;

#[test]
fn one_two_and_three_threads_give_the_same_bits() {
    let problem = Example::SphereHalf.generate(3, 64, 0).unwrap();
    assert!(problem.size() > 8 * unstick_parallel::BLOCK, "too few rows to be shared between threads");
    let mut names = SolverName::defaults();
    names.extend(
        [
            "policy+gmres/jacobi",
            "newton+bicgstab/ic0",
            "policy+cr/none",
            "policy+cg/multigrid",
            "penalty+multigrid-linear",
        ]
        .map(|name| name.parse::<SolverName>().unwrap()),
    );
    for name in names {
        let answer = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let stop = Stop::relative(1e-3).with_max_cycles(60);
            let mut solver = name.build(&stop);
            let mut q = vec![0.0; problem.size()];
            let report = pool.install(|| solver.solve(problem.mlcp(), &mut q)).unwrap();
            let bits: Vec<u64> = q.iter().map(|q| q.to_bits()).collect();
            (bits, report.history().to_vec())
        };
        let one = answer(1);
        assert!(answer(2) == one && answer(3) == one, "{name}");
    }
}

/// What a solver keeps of a matrix that it has seen before changes no bit of an answer.
#[test]
fn a_solver_that_knows_the_matrix_gives_the_same_bits() {
    let problems = [Example::ThinPlates, Example::SphereHalf].map(|example| example.generate(3, 32, 0).unwrap());
    let solve = |solver: &mut dyn MlcpSolver, problem: &Mlcp| {
        let mut q = vec![0.0; problem.size()];
        let report = solver.solve(problem, &mut q).unwrap();
        assert!(report.converged());
        (q.iter().map(|q| q.to_bits()).collect::<Vec<_>>(), report.history().to_vec(), report.active_rows())
    };
    let best = || "best".parse::<SolverName>().unwrap().build(&Stop::relative(1e-8));
    let mut used = best();
    for (number, problem) in [0, 0, 1, 0].iter().map(|&number| &problems[number]).enumerate() {
        // Other rows let go each time, and the third time other rows may.
        let b: Vec<f64> = problem.mlcp().b().iter().map(|b| b + 0.3 * number as f64 * b.abs()).collect();
        let sealed = |row: usize| number == 3 && row.is_multiple_of(3);
        let lower = problem.mlcp().lower().iter().enumerate();
        let lower: Vec<f64> = lower.map(|(row, &bound)| if sealed(row) { f64::NEG_INFINITY } else { bound }).collect();
        let problem = problem.mlcp().with_b(b).unwrap().with_lower(lower).unwrap();
        assert_eq!(solve(&mut *used, &problem), solve(&mut *best(), &problem), "solve {number}");
    }
}
