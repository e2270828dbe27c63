//! Every solver and composition against exhaustive enumeration of active sets.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Kind, Small};
use proptest::prelude::*;
use unstick_mlcp::{Method, Outcome, SolverName, Stop};

/// Far below the accuracy that is compared, well above rounding.
const TOLERANCE: f64 = 1e-10;

/// Problems of each kind that every composition solves.
const COMPOSED: usize = 1500;

fn stop() -> Stop {
    Stop::relative(TOLERANCE)
}

/// Solves `small` by name and checks what any answer must satisfy; returns it.
fn solve(small: &Small, name: SolverName) -> Result<Vec<f64>, TestCaseError> {
    let problem = small.problem();
    let mut q = vec![0.0; small.b.len()];
    let report = name.build(&stop()).solve(&problem, &mut q);
    let report = report.map_err(|error| TestCaseError::fail(format!("{name}: {error}")))?;
    prop_assert_eq!(report.outcome(), Outcome::Converged, "{}: {:?}", name, report);
    let mut judged = small.clone();
    if name.method() == Method::Sticking {
        judged.lower.fill(f64::NEG_INFINITY);
    }
    let residual = judged.natural_residual(&q);
    prop_assert!(residual <= 1.01 * report.target() + 1e-13, "{}: {} against {}", name, residual, report.target());
    Ok(q)
}

fn agrees_with_enumeration(small: &Small, names: &[SolverName]) -> Result<(), TestCaseError> {
    let answer = small.answer();
    let sealed = small.solve_free_rows(vec![f64::NAN; small.b.len()]);
    for &name in names {
        let q = solve(small, name)?;
        let expected = if name.method() == Method::Sticking { sealed.as_ref() } else { Some(&answer) };
        let Some(expected) = expected else { continue };
        let scale = expected.iter().fold(1.0f64, |most, value| most.max(value.abs()));
        for (row, (found, expected)) in q.iter().zip(expected).enumerate() {
            // The smallest eigenvalue of these matrices is above 1e-3.
            prop_assert!((found - expected).abs() < 1e-6 * scale, "{} row {}: {} for {}", name, row, found, expected);
        }
    }
    Ok(())
}

/// Runs a property inside a pool of one thread: the problems are far too small to share.
fn check(cases: u32, kind: Kind, property: impl Fn(&Small) -> Result<(), TestCaseError> + Sync) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
        let strategy = (1usize..=12, any::<u64>());
        let mut runner = proptest::test_runner::TestRunner::new_with_rng(
            config,
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        let outcome = runner.run(&strategy, |(rows, seed)| property(&Small::random(kind, rows, seed)));
        if let Err(error) = outcome {
            panic!("{kind:?}: {error}");
        }
    });
}

/// Every method on 5000 problems, every composition on the first 1500 of them.
fn every_composition_agrees_with_enumeration(kind: Kind) {
    let (methods, compositions) = (SolverName::defaults(), SolverName::all());
    let problems = AtomicUsize::new(0);
    check(5000, kind, |small| {
        let is_early = problems.fetch_add(1, Ordering::Relaxed) < COMPOSED;
        agrees_with_enumeration(small, if is_early { &compositions } else { &methods })
    });
}

#[test]
fn every_composition_on_pressure_matrices() {
    every_composition_agrees_with_enumeration(Kind::MMatrix);
}

#[test]
fn every_composition_on_positive_definite_matrices() {
    every_composition_agrees_with_enumeration(Kind::PositiveDefinite);
}

/// Closed components have many answers; any complementary one will do. The sealed problem of the
/// same data has none in general, so `sticking` is left out.
#[test]
fn every_composition_on_semi_definite_matrices() {
    let names: Vec<_> = SolverName::all().into_iter().filter(|name| name.method() != Method::Sticking).collect();
    check(COMPOSED as u32, Kind::SemiDefinite, |small| names.iter().try_for_each(|&name| solve(small, name).map(drop)));
}
