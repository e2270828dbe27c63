//! Same bits for any number of threads.

use unstick_mlcp::{SolverName, Stop};
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
