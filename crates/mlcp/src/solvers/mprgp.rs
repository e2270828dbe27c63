//! Modified proportioning with reduced gradient projections (`mprgp`), Dostál and Schöberl 2005.
//!
//! Minimises ½ qᵀAq + bᵀq over q ≥ ℓ. With the gradient r = A q + b split into its free part φ
//! (rows off their bound) and its chopped part β (rows on their bound that want to leave it), every
//! iteration is one of three:
//!
//! - *conjugate gradients* on the face while it stays feasible,
//! - *expansion*: to the border of the face, then a projected gradient step that may add rows,
//! - *proportioning*: along β, when it dominates, which lets rows leave their bound.
//!
//! The gradient is scaled by the diagonal throughout, so the fixed step needs no knowledge of the
//! matrix beyond a bound on the norm of D^{−½} A D^{−½}. Preconditioners act on the face and are
//! rebuilt when it changes; `jacobi` makes this the plain method in scaled variables. The energy
//! falls in every iteration, so semi-definite matrices with a bounded energy converge too.

use unstick_parallel::{self as parallel, vector};

use super::{Composed, ComposedMethod};
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::operator::LinearOperator;
use crate::parameter::parameters;
use crate::problem::Mlcp;
use crate::run::{Solvable, Trace};

parameters! {
    /// Parameters of [`Mprgp`].
    pub struct MprgpParams {
        /// Γ: proportioning is due when ‖β‖² > Γ² φ̃ᵀφ.
        proportion: f64 = 1.0, 1e-6..=1e6;
        /// Length of the fixed gradient step, in units of 1/‖D^{−½} A D^{−½}‖.
        expansion: f64 = 1.9, 1e-3..=1.999;
    }
}

/// The method. Of its linear solver only the preconditioner is used.
pub type Mprgp = Composed<MprgpParams>;

impl ComposedMethod for MprgpParams {
    const NAMES: [&str; 2] = ["mprgp", "/"];
    const MAX_CYCLES: usize = 100_000;

    fn iterate(own: &mut Mprgp, task: Solvable, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
        let Composed { params, inner, .. } = own;
        let (problem, size) = (task.problem, q.len());
        let operator = problem.operator();
        let step = trace.set_up(|| params.expansion / scaled_norm(operator));
        let vector = || vec![0.0; size];
        let (mut r, mut phi, mut z, mut direction, mut product) = (vector(), vector(), vector(), vector(), vector());
        let (mut free, mut free_before) = (vec![true; size], Vec::new()); // the preconditioner knows no face yet
        inner.forget();
        q.iter_mut().zip(problem.lower()).for_each(|(q, lower)| *q = q.max(*lower));
        problem.residual(q, &mut r);
        let mut is_fresh = true; // the direction does not belong to the current face
        let mut rho = 0.0;
        while trace.goes_on(problem.natural_residual(q, &r))? {
            trace.spend(1);
            find_face(problem, q, &mut free);
            let (chopped, reduced) = split_gradient(problem, &free, q, &r, step);
            if chopped > params.proportion.powi(2) * reduced {
                // Proportioning: along β, scaled. β points inward, so the step is always feasible.
                chopped_direction(problem, &free, &r, &mut direction);
                let curvature = operator.apply_dot(&direction, &mut product);
                let length = vector::dot(&r, &direction) / curvature;
                if !length.is_finite() {
                    trace.stall("the energy has no lower bound along a feasible direction");
                    continue;
                }
                vector::add_scaled(-length, &direction, q);
                vector::add_scaled(-length, &product, &mut r);
                is_fresh = true;
                continue;
            }
            if is_fresh {
                masked(&free, &r, &mut phi);
                if free != free_before {
                    inner.rebuild(&Subsystem::whole(operator).with_free(&free), trace)?;
                    free_before.clone_from(&free);
                }
                rho = inner.precondition(&phi, &mut z);
                vector::copy(&z, &mut direction);
                is_fresh = false;
            }
            let curvature = operator.apply_dot(&direction, &mut product);
            let feasible = longest_step(problem, q, &direction);
            let length = if curvature > 0.0 { rho / curvature } else { f64::INFINITY };
            if length <= feasible && length.is_finite() {
                vector::add_scaled(-length, &direction, q);
                vector::add_scaled(-length, &product, &mut r);
                masked(&free, &r, &mut phi);
                let rho_after = inner.precondition(&phi, &mut z);
                vector::scale_and_add(&z, rho_after / rho, &mut direction);
                rho = rho_after;
            } else if feasible.is_finite() {
                vector::add_scaled(-feasible, &direction, q);
                vector::add_scaled(-feasible, &product, &mut r);
                project_gradient_step(problem, &free, step, &r, q);
                problem.residual(q, &mut r);
                is_fresh = true;
            } else {
                trace.stall("the energy has no lower bound along a feasible direction");
            }
        }
        Ok(())
    }
}

/// An upper bound of ‖D^{−½} A D^{−½}‖: the largest row sum, or a power iteration with a margin
/// where there are no entries to read.
fn scaled_norm(operator: &dyn LinearOperator) -> f64 {
    let diagonal = operator.diagonal();
    if let Some(matrix) = operator.csr() {
        return parallel::max(0..matrix.rows(), |rows| {
            let row_sum = |row: usize| -> f64 {
                matrix.row(row).map(|(column, value)| value.abs() / (diagonal[row] * diagonal[column]).sqrt()).sum()
            };
            rows.map(row_sum).fold(0.0, f64::max)
        });
    }
    let scale: Vec<f64> = diagonal.iter().map(|value| 1.0 / value.sqrt()).collect();
    // Alternating signs are close to the stiffest mode of a grid operator.
    let mut x: Vec<f64> = (0..diagonal.len()).map(|row| if row % 2 == 0 { 1.0 } else { -0.9 }).collect();
    let mut y = vec![0.0; x.len()];
    let mut norm = 1.0;
    for _ in 0..20 {
        let length = vector::norm(&x);
        x.iter_mut().zip(&scale).for_each(|(x, scale)| *x *= scale / length);
        operator.apply(&x, &mut y);
        x.iter_mut().zip(&y).zip(&scale).for_each(|((x, y), scale)| *x = scale * y);
        norm = vector::norm(&x);
    }
    1.2 * norm
}

/// Rows off their bound.
fn find_face(problem: &Mlcp, q: &[f64], free: &mut [bool]) {
    parallel::for_each((q, problem.lower(), free), |(q, lower, free)| {
        q.iter().zip(lower).zip(free).for_each(|((q, lower), free)| *free = q > lower);
    });
}

/// ‖β‖² and φ̃ᵀφ, both in the norm of D⁻¹.
fn split_gradient(problem: &Mlcp, free: &[bool], q: &[f64], r: &[f64], step: f64) -> (f64, f64) {
    let diagonal = problem.operator().diagonal();
    let of_block = |rows: std::ops::Range<usize>| {
        let (mut chopped, mut reduced) = (0.0, 0.0);
        for row in rows {
            let gradient = r[row];
            if !free[row] {
                chopped += gradient.min(0.0).powi(2) / diagonal[row];
            } else {
                let room = (q[row] - problem.lower()[row]) * diagonal[row] / step;
                reduced += room.min(gradient) * gradient / diagonal[row];
            }
        }
        (chopped, reduced)
    };
    parallel::fold(0..q.len(), &of_block, &|a, b| (a.0 + b.0, a.1 + b.1))
}

/// D⁻¹ β.
fn chopped_direction(problem: &Mlcp, free: &[bool], r: &[f64], direction: &mut [f64]) {
    let diagonal = problem.operator().diagonal();
    parallel::for_each((free, r, diagonal, direction), |(free, r, diagonal, direction)| {
        for (((free, r), diagonal), direction) in free.iter().zip(r).zip(diagonal).zip(direction) {
            *direction = if *free { 0.0 } else { r.min(0.0) / diagonal };
        }
    });
}

fn masked(free: &[bool], r: &[f64], phi: &mut [f64]) {
    parallel::for_each((free, r, phi), |(free, r, phi)| {
        free.iter().zip(r).zip(phi).for_each(|((free, r), phi)| *phi = if *free { *r } else { 0.0 });
    });
}

/// The longest step against `direction` that keeps every bound.
fn longest_step(problem: &Mlcp, q: &[f64], direction: &[f64]) -> f64 {
    -parallel::max((q, problem.lower(), direction), |(q, lower, direction)| {
        let rows = q.iter().zip(lower).zip(direction);
        rows.fold(
            f64::NEG_INFINITY,
            |most, ((q, lower), direction)| {
                if *direction > 0.0 { most.max(-(q - lower) / direction) } else { most }
            },
        )
    })
}

/// q ← max(q − ᾱ D⁻¹ φ, ℓ).
fn project_gradient_step(problem: &Mlcp, free: &[bool], step: f64, r: &[f64], q: &mut [f64]) {
    let diagonal = problem.operator().diagonal();
    parallel::for_each((0..q.len(), q), |(rows, q)| {
        for (row, q) in rows.zip(q) {
            let gradient = if free[row] { r[row] } else { 0.0 };
            *q = (*q - step * gradient / diagonal[row]).max(problem.lower()[row]);
        }
    });
}
