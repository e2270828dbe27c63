//! What each preconditioner promises.

use std::ops::ControlFlow;

use super::*;
use crate::csr::CsrMatrix;
use crate::linear::{ConjugateGradients, LinearSolver, LinearTask};
use crate::operator::LinearOperator;
use crate::test_problems::{Example, difference, generate};

/// A line of cells with air at one end: its factorisations have no fill, so they are exact.
fn line(size: usize) -> CsrMatrix<'static> {
    CsrMatrix::from_rows(size, |row, entries| {
        if row > 0 {
            entries.push((row - 1, -1.0));
        }
        let diagonal = if row == 0 || row + 1 == size { 1.0 } else { 2.0 };
        entries.push((row, diagonal + if row == 0 { 2.0 } else { 0.0 }));
        if row + 1 < size {
            entries.push((row + 1, -1.0));
        }
    })
    .unwrap()
}

fn apply(preconditioner: &mut dyn Preconditioner, system: &Subsystem, r: &[f64]) -> Vec<f64> {
    preconditioner.rebuild(system).unwrap();
    let mut z = vec![0.0; r.len()];
    let energy = preconditioner.apply_dot(r, &mut z);
    assert!((energy - vector::dot(r, &z)).abs() <= 1e-12 * energy.abs());
    z
}

#[test]
fn without_fill_the_factorisations_are_inverses() {
    let matrix = line(30);
    let answer: Vec<f64> = (0..30).map(|row| (row as f64).cos()).collect();
    let mut r = vec![0.0; 30];
    matrix.apply(&answer, &mut r);
    let system = Subsystem::whole(&matrix);
    let mut careless = IncompleteCholesky::plain(Ic0Params { safety: 0.0 });
    let exact: [&mut dyn Preconditioner; 3] =
        [&mut careless, &mut IncompleteLu::default(), &mut ApproximateInverse::new(Dropping::Static(30))];
    for (index, preconditioner) in exact.into_iter().enumerate() {
        let tolerance = if index == 2 { 0.7 } else { 1e-10 }; // the inverse neglects small corrections
        assert!(difference(&apply(preconditioner, &system, &r), &answer) < tolerance, "{index}");
    }
}

#[test]
fn ilu0_equals_ic0_on_symmetric_matrices() {
    let generated = generate(Example::SphereHalf, 2, 16, 0);
    let system = Subsystem::whole(&generated.matrix);
    let mut cholesky = IncompleteCholesky::plain(Ic0Params { safety: 1e-3 });
    let (a, b) =
        (apply(&mut cholesky, &system, &generated.b), apply(&mut IncompleteLu::default(), &system, &generated.b));
    assert!(difference(&a, &b) < 1e-10);
}

/// With τ = 1 what is dropped goes to the diagonal, so M 1 = S 1.
#[test]
fn full_modification_preserves_row_sums() {
    let generated = generate(Example::CubeLid, 2, 12, 0);
    let mut modified = IncompleteCholesky::modified(Mic0Params { tuning: 1.0, safety: 0.0 });
    let ones = vec![1.0; generated.b.len()];
    let mut row_sums = ones.clone();
    generated.matrix.apply(&ones, &mut row_sums);
    let z = apply(&mut modified, &Subsystem::whole(&generated.matrix), &row_sums);
    assert!(difference(&z, &ones) < 1e-9);
}

fn iterations(preconditioner: &mut dyn Preconditioner, system: &Subsystem, rhs: &[f64]) -> usize {
    preconditioner.rebuild(system).unwrap();
    let (mut r, mut x) = (rhs.to_vec(), vec![0.0; rhs.len()]);
    let target = 1e-8 * vector::norm_max(rhs);
    let task =
        LinearTask { system, preconditioner, target, max_iterations: 5000, watch: &mut |_| ControlFlow::Continue(()) };
    ConjugateGradients::default().solve(task, &mut r, &mut x).iterations
}

#[test]
fn better_preconditioners_take_fewer_iterations() {
    let generated = generate(Example::SphereHalf, 3, 24, 0);
    let system = Subsystem::whole(&generated.matrix);
    let count = |preconditioner: &mut dyn Preconditioner| iterations(preconditioner, &system, &generated.b);
    let none = count(&mut Identity);
    let jacobi = count(&mut Jacobi::default());
    let ainv = count(&mut ApproximateInverse::new(Dropping::Standard(0.1)));
    let ic0 = count(&mut IncompleteCholesky::plain(Ic0Params::default()));
    let mic0 = count(&mut IncompleteCholesky::modified(Mic0Params::default()));
    assert!(none > jacobi && jacobi > ainv && ainv > ic0 && ic0 > mic0, "{none} {jacobi} {ainv} {ic0} {mic0}");
}

/// Pins the wall rows of a container: the rebuilt factorisation fits the system that is left, the
/// reused one still believes in a closed wall.
#[test]
fn a_rebuilt_factorisation_beats_a_reused_one() {
    let generated = generate(Example::SphereHalf, 3, 24, 0);
    let free: Vec<bool> = generated.lower.iter().map(|&lower| lower == f64::NEG_INFINITY).collect();
    let system = Subsystem::whole(&generated.matrix).with_free(&free);
    let rhs: Vec<f64> = free.iter().zip(&generated.b).map(|(free, b)| if *free { *b } else { 0.0 }).collect();
    let rebuilt = iterations(&mut IncompleteCholesky::modified(Mic0Params::default()), &system, &rhs);
    let reused =
        iterations(&mut Reused::new(Box::new(IncompleteCholesky::modified(Mic0Params::default()))), &system, &rhs);
    assert!(2 * reused > 3 * rebuilt, "{reused} against {rebuilt}");
}
