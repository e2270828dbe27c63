//! Singular parts: closed pockets of liquid, solvable and not.

use unstick_mlcp::{CsrMatrix, Method, Mlcp, Outcome, SolverName, Stop};
use unstick_problems::Example;

/// A closed square of cells that touches nothing, as rows of a larger problem with one open cell.
fn closed_square_and_open_cell() -> CsrMatrix<'static> {
    let mut triplets = vec![(9, 9, 2.0)];
    for row in 0..9 {
        let right = (row % 3 < 2).then_some(row + 1);
        let above = (row + 3 < 9).then_some(row + 3);
        for other in [right, above].into_iter().flatten() {
            triplets.extend([(row, row, 1.0), (other, other, 1.0), (row, other, -1.0), (other, row, -1.0)]);
        }
    }
    CsrMatrix::from_triplets(10, triplets).unwrap()
}

fn b(values: [f64; 9]) -> Vec<f64> {
    values.into_iter().chain([-1.0]).collect()
}

#[test]
fn a_balanced_pocket_is_solved_to_its_answer_of_least_norm() {
    let balanced = b([1.0, -1.0, 0.5, 0.25, -0.75, 0.5, -0.5, 0.25, -0.25]);
    let problem = Mlcp::new(closed_square_and_open_cell(), balanced).unwrap();
    for name in SolverName::all() {
        let mut q = vec![3.0; 10];
        let report = name.build(&Stop::default()).solve(&problem, &mut q).unwrap();
        assert!(report.converged(), "{name}: {report:?}");
        assert!(q[..9].iter().sum::<f64>().abs() < 1e-12, "{name}: not the answer of least norm");
        assert!((q[9] - 0.5).abs() < 1e-5, "{name}");
        assert_eq!(report.pockets().len(), 1, "{name}");
    }
}

#[test]
fn an_incompatible_pocket_is_named_and_the_rest_is_solved() {
    let unbalanced = b([1.0; 9]);
    let problem = Mlcp::new(closed_square_and_open_cell(), unbalanced).unwrap();
    for name in SolverName::all() {
        let mut q = vec![0.0; 10];
        let report = name.build(&Stop::default()).solve(&problem, &mut q).unwrap();
        assert_eq!(report.outcome(), Outcome::Incompatible, "{name}");
        let pocket = &report.pockets()[0];
        assert_eq!((pocket.first_row, pocket.rows, pocket.compatible), (0, 9, false), "{name}");
        assert!((pocket.imbalance - 1.0).abs() < 1e-12 && (q[9] - 0.5).abs() < 1e-5, "{name}");
        assert!((report.residual() - 1.0).abs() < 1e-5, "{name} reports what is left: {}", report.residual());
    }
}

/// With a separating wall an expanding pocket is an ordinary problem, a shrinking one has no answer.
#[test]
fn a_separating_wall_lets_a_pocket_grow_but_not_shrink() {
    let walls: Vec<bool> = (0..10).map(|row| row == 0 || row == 8).collect();
    for name in SolverName::all().into_iter().filter(|name| name.method() != Method::Sticking) {
        for (sign, expected) in [(1.0, Outcome::Converged), (-1.0, Outcome::Incompatible)] {
            let problem = Mlcp::new(closed_square_and_open_cell(), b([sign; 9])).unwrap().with_walls(&walls).unwrap();
            let mut q = vec![0.0; 10];
            let report = name.build(&Stop::default()).solve(&problem, &mut q).unwrap();
            assert_eq!(report.outcome(), expected, "{name}: {report:?}");
        }
    }
}

#[test]
fn the_sealed_chamber_of_the_example_is_found() {
    let problem = Example::SealedPocket.generate(3, 16, 0).unwrap();
    let mut q = vec![0.0; problem.size()];
    let mut solver = "policy".parse::<SolverName>().unwrap().build(&Stop::default());
    let report = solver.solve(problem.mlcp(), &mut q).unwrap();
    assert!(report.converged());
    assert_eq!(report.pockets().len(), 1);
    assert!(report.pockets()[0].compatible && report.pockets()[0].rows > 100);
}
