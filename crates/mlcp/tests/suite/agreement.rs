//! The methods against each other on pressure problems of real size.

use unstick_mlcp::{Method, SolveReport, SolverName, Stop};
use unstick_problems::{Example, Problem};

fn solve(problem: &Problem, name: &str, tolerance: f64) -> (Vec<f64>, SolveReport) {
    let stop = Stop::relative(tolerance);
    let mut solver = name.parse::<SolverName>().unwrap().build(&stop);
    let mut q = vec![0.0; problem.size()];
    let report = solver.solve(problem.mlcp(), &mut q).unwrap();
    assert!(report.converged(), "{name}: {:?}", report);
    assert!(report.relative_residual() <= tolerance, "{name}");
    (q, report)
}

fn active_rows(problem: &Problem, q: &[f64]) -> Vec<usize> {
    let problem = problem.mlcp();
    let mut r = vec![0.0; q.len()];
    problem.residual(q, &mut r);
    (0..q.len()).filter(|&row| problem.is_active(row, q, &r)).collect()
}

fn all_methods_agree(example: Example, dimension: usize, size: usize) {
    let problem = example.generate(dimension, size, 0).unwrap();
    let (reference, _) = solve(&problem, "policy+cg/mic0", 1e-10);
    let expected = active_rows(&problem, &reference);
    assert!(!expected.is_empty() && expected.len() < problem.mlcp().wall_rows());
    let largest = reference.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    for name in SolverName::defaults().into_iter().filter(|name| name.method() != Method::Sticking) {
        let (q, _) = solve(&problem, &name.to_string(), 1e-8);
        assert_eq!(active_rows(&problem, &q), expected, "{name} on {example}");
        let difference = q.iter().zip(&reference).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(difference < 1e-5 * largest, "{name} on {example}: {difference:e}");
    }
}

#[test]
fn all_methods_agree_on_a_cube_with_half_a_lid() {
    all_methods_agree(Example::CubeLid, 3, 32);
}

#[test]
fn all_methods_agree_on_half_a_sphere() {
    all_methods_agree(Example::SphereHalf, 3, 32);
}

#[test]
fn all_methods_agree_in_two_dimensions_and_around_thin_plates() {
    all_methods_agree(Example::CubeLid, 2, 48);
    all_methods_agree(Example::ThinPlates, 2, 64);
    all_methods_agree(Example::SealedPocket, 2, 48);
    all_methods_agree(Example::SealedPocket, 3, 24);
}

#[test]
fn ten_policies_and_ten_newton_steps_are_enough() {
    let problem = Example::SphereHalf.generate(3, 64, 0).unwrap();
    let (_, policy) = solve(&problem, "policy+cg/mic0", 1e-6);
    assert!(policy.cycles() <= 10, "{} policies", policy.cycles());
    assert!(policy.inner_iterations() >= policy.cycles());

    let (_, newton) = solve(&problem, "newton+cg/mic0", 1e-6);
    assert!(newton.cycles() <= 10, "{} Newton steps", newton.cycles());
    // The tail: each of the last steps gains at least as many digits as the one before.
    let digits: Vec<f64> = newton.history().windows(2).map(|pair| (pair[0] / pair[1]).log10()).collect();
    let last = &digits[digits.len() - 3..];
    assert!(last[2] > last[1] && last[1] > last[0] && last[2] > 2.0, "{:?}", newton.history());
}

/// A second solve from the answer has nothing left to do; one from a nearby answer does less.
#[test]
fn a_good_start_is_used() {
    let problem = Example::SphereHalf.generate(3, 24, 0).unwrap();
    for name in SolverName::defaults().into_iter().filter(|name| name.method() != Method::Sticking) {
        let (mut q, cold) = solve(&problem, &name.to_string(), 1e-6);
        let again = name.build(&Stop::default()).solve(problem.mlcp(), &mut q).unwrap();
        assert_eq!((again.converged(), again.cycles()), (true, 0), "{name}");
        let b: Vec<f64> = problem.mlcp().b().iter().map(|b| 1.01 * b).collect();
        let nearby = problem.mlcp().with_b(b).unwrap();
        let warm = name.build(&Stop::default()).solve(&nearby, &mut q).unwrap();
        assert!(warm.converged() && warm.inner_iterations() <= cold.inner_iterations(), "{name}");
    }
}
