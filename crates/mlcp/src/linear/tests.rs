//! Every Krylov method with every kind of system.

use super::*;
use crate::csr::CsrMatrix;
use crate::operator::LinearOperator;
use crate::precondition::{IncompleteCholesky, Jacobi, Mic0Params, Preconditioner};
use crate::test_problems::{difference, wave};

fn methods() -> Vec<(&'static str, Box<dyn LinearSolver>)> {
    vec![
        ("cg", Box::new(ConjugateGradients::default())),
        ("cr", Box::new(ConjugateResiduals::default())),
        ("gmres", Box::new(Gmres::new(GmresParams { restart: 7 }))),
        ("bicgstab", Box::new(BiCgStab::default())),
    ]
}

/// The five-point Laplacian on a square of `size` cells, the first cell anchored to `anchor`.
fn laplacian(size: usize, anchor: f64) -> CsrMatrix<'static> {
    let mut triplets = vec![(0, 0, anchor)];
    for row in 0..size * size {
        let right = (row % size + 1 < size).then_some(row + 1);
        let above = (row + size < size * size).then_some(row + size);
        for other in [right, above].into_iter().flatten() {
            triplets.extend([(row, row, 1.0), (other, other, 1.0), (row, other, -1.0), (other, row, -1.0)]);
        }
    }
    CsrMatrix::from_triplets(size * size, triplets).unwrap()
}

const TARGET: f64 = 1e-9;

/// Solves with r the right-hand side; returns the answer and checks what the report claims.
fn solve(name: &str, solver: &mut dyn LinearSolver, system: &Subsystem, rhs: &[f64]) -> Vec<f64> {
    let mut preconditioner = Jacobi::default();
    preconditioner.rebuild(system).unwrap();
    let (mut r, mut x, mut product) = (rhs.to_vec(), vec![1.0; rhs.len()], vec![0.0; rhs.len()]);
    let mut seen = 0;
    let watch: &mut dyn FnMut(f64) -> ControlFlow<()> = &mut |_| {
        seen += 1;
        ControlFlow::Continue(())
    };
    let task = LinearTask { system, preconditioner: &mut preconditioner, target: TARGET, max_iterations: 2000, watch };
    let report = solver.solve(task, &mut r, &mut x);
    assert_eq!(report.outcome, LinearOutcome::Converged, "{name}");
    assert_eq!(seen, report.iterations, "{name} shows every iteration");
    system.apply(&x, &mut product);
    let honest = difference(&product, rhs);
    assert!(honest < 10.0 * TARGET, "{name}: {honest:e}");
    x
}

#[test]
fn all_solve_a_definite_system() {
    let matrix = laplacian(12, 1.0);
    for (name, mut solver) in methods() {
        solve(name, &mut *solver, &Subsystem::whole(&matrix), &wave(144, 0.37));
    }
}

#[test]
fn all_solve_a_singular_system_with_a_compatible_right_hand_side() {
    let matrix = laplacian(12, 0.0);
    let mut rhs = wave(144, 0.37);
    let mean = rhs.iter().sum::<f64>() / 144.0;
    rhs.iter_mut().for_each(|value| *value -= mean);
    for (name, mut solver) in methods() {
        solve(name, &mut *solver, &Subsystem::whole(&matrix), &rhs);
    }
}

#[test]
fn pinned_rows_stay_zero_and_a_system_equals_its_assembled_form() {
    let matrix = laplacian(8, 1.0);
    let free: Vec<bool> = (0..64).map(|row| row % 5 != 2).collect();
    let scale: Vec<f64> = (0..64).map(|row| 0.3 + 0.01 * row as f64).collect();
    let shift: Vec<f64> = (0..64).map(|row| 0.02 * (row % 3) as f64).collect();
    let system = Subsystem::whole(&matrix).with_free(&free).with_diagonals(&scale, &shift);
    let mut rhs = wave(64, 0.37);
    rhs.iter_mut().zip(&free).for_each(|(value, free)| *value = if *free { *value } else { 0.0 });
    for (name, mut solver) in methods() {
        let x = solve(name, &mut *solver, &system, &rhs);
        assert!((0..64).all(|row| free[row] || x[row] == 0.0), "{name}");
        let assembled = system.assemble("test").unwrap();
        let (mut direct, mut through_mask) = (vec![0.0; 64], vec![0.0; 64]);
        assembled.apply(&x, &mut direct);
        system.apply(&x, &mut through_mask);
        assert!(difference(&direct, &through_mask) < 1e-12, "{name}");
    }
}

/// The same matrix behind a wall: products only.
struct Opaque(CsrMatrix<'static>);

impl LinearOperator for Opaque {
    fn size(&self) -> usize {
        self.0.size()
    }
    fn diagonal(&self) -> &[f64] {
        self.0.diagonal()
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.0.apply(x, y);
    }
}

#[test]
fn an_operator_without_entries_gives_the_same_products_and_refuses_factorisations() {
    let (matrix, opaque) = (laplacian(8, 1.0), Opaque(laplacian(8, 1.0)));
    let free: Vec<bool> = (0..64).map(|row| row % 3 != 0).collect();
    let (scale, shift) = (vec![0.5; 64], vec![0.25; 64]);
    let x: Vec<f64> = wave(64, 0.37).iter().zip(&free).map(|(x, free)| if *free { *x } else { 0.0 }).collect();
    let seen = Subsystem::whole(&matrix).with_free(&free).with_diagonals(&scale, &shift);
    let unseen = Subsystem::whole(&opaque).with_free(&free).with_diagonals(&scale, &shift);
    let (mut by_entries, mut by_products) = (vec![0.0; 64], vec![0.0; 64]);
    let energies = (seen.apply_dot(&x, &mut by_entries), unseen.apply_dot(&x, &mut by_products));
    assert!(difference(&by_entries, &by_products) < 1e-14 && (energies.0 - energies.1).abs() < 1e-12);
    let error = IncompleteCholesky::modified(Mic0Params::default()).rebuild(&unseen).unwrap_err();
    assert!(error.to_string().starts_with("`mic0` reads single matrix entries"));
}

#[test]
fn an_indefinite_system_is_a_breakdown_and_no_answer() {
    let matrix = CsrMatrix::from_triplets(2, [(0, 0, 1.0), (0, 1, 3.0), (1, 0, 3.0), (1, 1, 1.0)]).unwrap();
    let system = Subsystem::whole(&matrix);
    let mut preconditioner = Jacobi::default();
    preconditioner.rebuild(&system).unwrap();
    let (mut r, mut x) = ([1.0, -1.0], [0.0; 2]);
    let task = LinearTask {
        system: &system,
        preconditioner: &mut preconditioner,
        target: 1e-9,
        max_iterations: 9,
        watch: &mut |_| ControlFlow::Continue(()),
    };
    let report = ConjugateGradients::default().solve(task, &mut r, &mut x);
    assert_eq!(report.outcome, LinearOutcome::Breakdown);
}
