//! What the schemes promise.

use crate::test_problems::{self, Example, generate};
use crate::{Outcome, SolveReport, Stop};

fn solve(name: &str, example: Example, size: usize) -> SolveReport {
    let generated = generate(example, 3, size, 0);
    test_problems::solve(name, &generated.problem(), Stop::default()).1
}

#[test]
fn eight_cycles_are_enough_on_every_example_and_size() {
    for example in Example::ALL {
        for size in [16, 32, 64] {
            if (example, size) == (Example::CubeLid, 64) {
                continue; // as fast, and too long for a test
            }
            let report = solve("fas", example, size);
            assert!(report.converged() && report.cycles() <= 8, "{example} {size}: {}", report.cycles());
        }
    }
}

#[test]
fn it_does_not_need_a_lattice() {
    let generated = generate(Example::ThinPlates, 3, 32, 0);
    let problem = crate::Mlcp::new(&generated.matrix, &generated.b).unwrap().with_lower(&generated.lower).unwrap();
    let (_, report) = test_problems::solve("fas", &problem, Stop::default());
    assert!(report.converged() && report.cycles() <= 12, "{}", report.cycles());
}

/// The units of min(q, r) matter, and coarse levels that see walls where there are none matter more.
#[test]
fn the_published_scheme_converges_on_the_sphere_and_says_so_where_it_stalls() {
    let (literal, scaled) =
        (solve("fas-literal", Example::SphereHalf, 32), solve("fas-scaled", Example::SphereHalf, 32));
    assert!(literal.converged() && scaled.converged());
    assert!(literal.cycles() > scaled.cycles() && scaled.cycles() <= 8);
    let report = solve("fas-literal", Example::ThinPlates, 32);
    assert_eq!(report.outcome(), Outcome::Stalled);
    assert!(report.remark().is_some() && report.residual() > report.target());
}

#[test]
fn full_cycles_converge_and_say_when_the_published_ones_do_not() {
    let report = solve("fmg", Example::SphereHalf, 32);
    assert!(report.converged() && report.remark().is_none() && report.cycles() <= 15, "{}", report.cycles());
    let report = solve("fmg", Example::SealedPocket, 32);
    assert!(report.converged(), "{:?}", report.outcome());
}
