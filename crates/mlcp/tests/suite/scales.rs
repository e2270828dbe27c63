//! Problems in any units: numbers whose squares are no numbers any more.

use unstick_mlcp::{
    CsrMatrix, Krylov, LinearOperator, Method, Mlcp, PreconditionerName, SolveReport, SolverName, Stop,
};
use unstick_problems::Example;

const TOLERANCE: f64 = 1e-6;

/// Factors of A and of b.
const SCALES: [(f64, f64); 12] = [
    (1.0, 1e-200),
    (1.0, 1e-308),
    (1.0, 1e200),
    (1.0, 1e-60),
    (1e-30, 1.0),
    (1e30, 1.0),
    (1e-150, 1.0),
    (1e150, 1.0),
    (1e-150, 1e-200),
    (1e150, 1e200),
    (1e-150, 1e200), // the answer would be 1e350
    (1e150, 1e-200), // and here 1e-350
];

/// One of each method, and every linear solver and preconditioner in two of them.
fn names() -> Vec<SolverName> {
    let mut names = SolverName::defaults();
    for linear in Krylov::ALL.iter().filter(|linear| **linear != Krylov::Fft) {
        for preconditioner in PreconditionerName::ALL.iter().filter(|name| **name != PreconditionerName::Box) {
            for method in ["policy", "sticking"] {
                names.extend(format!("{method}+{linear}/{preconditioner}").parse::<SolverName>());
            }
        }
    }
    let others = ["fmg", "fas-literal", "fas-scaled", "newton+cg/jacobi", "mprgp/multigrid"];
    names.extend(others.map(|name| name.parse::<SolverName>().unwrap()));
    names
}

fn times(matrix: &CsrMatrix, factor: f64) -> CsrMatrix<'static> {
    let rows = 0..matrix.rows();
    let entries = rows.flat_map(|row| matrix.row(row).map(move |(column, value)| (row, column, factor * value)));
    CsrMatrix::from_triplets(matrix.rows(), entries).unwrap()
}

/// Solves, and refuses an answer that only claims to be one.
fn solve(name: SolverName, problem: &Mlcp, what: &str) -> Option<SolveReport> {
    let problem = if name.method() == Method::Sticking { problem.sealed() } else { problem.clone() };
    let mut q = vec![0.0; problem.size()];
    let report = name.build(&Stop::relative(TOLERANCE)).solve(&problem, &mut q).ok()?;
    let mut r = vec![0.0; q.len()];
    problem.residual(&q, &mut r);
    let residual = problem.natural_residual(&q, &r);
    assert!(residual.is_finite(), "{name}, {what}: {report:?}");
    assert!(!report.converged() || residual <= TOLERANCE * problem.residual_at_zero(), "{name}, {what}: {residual:e}");
    assert!((report.residual() - residual).abs() <= 1e-9 * problem.residual_at_zero(), "{name}, {what}");
    Some(report)
}

fn check(name: SolverName, problem: &Mlcp, (of_matrix, of_b): (f64, f64), largest: f64) {
    let what = format!("A times {of_matrix:e}, b times {of_b:e}");
    let report = solve(name, problem, &what);
    // Rows at their bound must lie on it where q is that much larger than r; these two only come near.
    let comes_near = matches!(name.method(), Method::Penalty | Method::Fischer) && of_matrix < 1e-20;
    let has_answer = (1e-290..1e300).contains(&(largest * of_b / of_matrix));
    let converged = report.as_ref().is_some_and(SolveReport::converged);
    assert!(converged || comes_near || !has_answer, "{name}, {what}: {report:?}");
}

#[test]
fn every_solver_takes_a_grid_in_any_units() {
    let problem = Example::SphereHalf.generate(2, 16, 0).unwrap();
    let mlcp = problem.mlcp();
    let lattice = mlcp.operator().lattice().unwrap();
    let matrix = mlcp.operator().csr().unwrap();
    for name in names() {
        if !solve(name, mlcp, "as it is").is_some_and(|report| report.converged()) {
            continue; // a composition that does not work on ordinary numbers either
        }
        for (of_matrix, of_b) in SCALES {
            let b: Vec<f64> = mlcp.b().iter().map(|b| of_b * b).collect();
            let scaled = Mlcp::on_lattice(lattice.clone(), &times(matrix, of_matrix), b).unwrap();
            let scaled = scaled.with_lower(mlcp.lower().to_vec()).unwrap();
            check(name, &scaled, (of_matrix, of_b), 1.0);
        }
    }
}

#[test]
fn every_solver_takes_a_matrix_in_any_units() {
    let matrix = CsrMatrix::from_triplets(
        3,
        [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0), (1, 2, -1.0), (2, 1, -1.0), (2, 2, 2.0)],
    );
    let matrix = matrix.unwrap();
    for name in names() {
        for (of_matrix, of_b) in SCALES {
            for b in [[-1.0, 0.5, 0.25], [1.0, -3.0, 2.0]] {
                let b = b.map(|b| of_b * b).to_vec();
                let problem =
                    Mlcp::new(times(&matrix, of_matrix), b).unwrap().with_walls(&[true, true, false]).unwrap();
                check(name, &problem, (of_matrix, of_b), 1.0);
            }
        }
    }
}

#[test]
fn one_tiny_row_at_a_wall_is_solved() {
    let matrix = CsrMatrix::from_triplets(1, [(0, 0, 2.0)]).unwrap();
    for name in names() {
        let problem = Mlcp::new(&matrix, vec![-1e-200]).unwrap().with_walls(&[true]).unwrap();
        check(name, &problem, (1.0, 1e-200), 0.5);
    }
}

#[test]
fn a_start_out_of_all_proportion_does_no_harm() {
    let matrix = CsrMatrix::from_triplets(1, [(0, 0, 2.0)]).unwrap();
    let problem = Mlcp::new(&matrix, vec![-1e-200]).unwrap().with_walls(&[true]).unwrap();
    let mut q = [1e200];
    let report = "mprgp".parse::<SolverName>().unwrap().build(&Stop::default()).solve(&problem, &mut q).unwrap();
    assert!(report.converged() && (q[0] / 5e-201 - 1.0).abs() < 1e-5, "{q:?}");
}

#[test]
fn what_no_scale_fits_is_solved_or_refused_and_never_claimed() {
    let sizes = [1e-300, 1e-150, 1.0, 1e150, 1e300];
    for name in names() {
        for of_matrix in sizes {
            for of_b in sizes {
                let entries = [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0), (2, 2, of_matrix)];
                let matrix = CsrMatrix::from_triplets(3, entries).unwrap();
                for b in [vec![1.0, -1.0, of_b], vec![-1.0, of_b, -of_b], vec![-of_b, -1.0, 1.0]] {
                    let problem = Mlcp::new(&matrix, b).unwrap().with_walls(&[true, false, true]).unwrap();
                    solve(name, &problem, &format!("{of_matrix:e} and {of_b:e}"));
                }
            }
        }
    }
}

/// Products alone: an operator that shows no entries.
struct Line(Vec<f64>);

impl LinearOperator for Line {
    fn size(&self) -> usize {
        self.0.len()
    }
    fn diagonal(&self) -> &[f64] {
        &self.0
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        for i in 0..x.len() {
            let beside = [i.checked_sub(1), Some(i + 1)].into_iter().flatten().filter_map(|other| x.get(other));
            y[i] = self.0[i] * (x[i] - 0.4 * beside.sum::<f64>());
        }
    }
}

#[test]
fn operators_without_entries_are_scaled_too() {
    for (of_matrix, of_b) in SCALES {
        let b = vec![of_b, -of_b, -0.5 * of_b, of_b];
        let problem = Mlcp::new(Line(vec![of_matrix; 4]), b).unwrap().with_walls(&[true; 4]).unwrap();
        for name in ["mprgp", "policy+cg/jacobi", "newton+cr/none"] {
            check(name.parse().unwrap(), &problem, (of_matrix, of_b), 1.0);
        }
    }
}
