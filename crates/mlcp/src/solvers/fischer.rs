//! Fischer–Burmeister Newton (`fischer`).
//!
//! Replaces min(x, y) with x = q − ℓ, y = r by φ(x, y) = x + y − √(x² + y²), which has the same
//! zeros and a differentiable square. The Newton equation is
//!
//! ```text
//!     (D_x + D_y A) Δq = −Φ,      D_x = 1 − x/√(x² + y²),   D_y = 1 − y/√(x² + y²)
//! ```
//!
//! on wall rows; D_x = 0, D_y = 1, Φ = r elsewhere. With Δq = √D_y w it becomes the symmetric
//! system (D_x + √D_y A √D_y) w = −Φ/√D_y, so every linear solver of the catalogue applies. Rows
//! with D_y = 0 are pinned. A backtracking search on ½ ΦᵀΦ makes it descend.

use unstick_parallel::{self as parallel, vector};

use super::psor::Sweeps;
use super::{Composed, ComposedMethod, LineSearch};
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::parameter::parameters;
use crate::problem::Mlcp;
use crate::run::{Solvable, Trace};

parameters! {
    /// Parameters of [`Fischer`].
    pub struct FischerParams {
        /// The Newton equation is solved to this part of its right-hand side.
        inexactness: f64 = 1e-2, 1e-14..=0.9;
        /// Part of the predicted decrease that a step must reach.
        sufficient: f64 = 1e-3, 0.0..=0.999;
        /// Factor from one trial step to the next.
        shrink: f64 = 0.5, 0.01..=0.99;
        /// The search for a step fails below this one.
        min_step: f64 = 1e-6, 1e-300..=1.0;
        /// PSOR sweeps after a failed search. With 0 the solve stalls there.
        rescue_sweeps: usize = 10, 0..=1000000;
    }
}

/// The method.
pub type Fischer = Composed<FischerParams>;

impl ComposedMethod for FischerParams {
    const NAMES: [&str; 2] = ["fischer", "+"];
    const MAX_CYCLES: usize = 200;

    fn iterate(own: &mut Fischer, task: Solvable, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
        let Composed { params, inner, .. } = own;
        let (problem, size) = (task.problem, q.len());
        let vector = || vec![0.0; size];
        let mut at = Linearised { phi: vector(), free: vec![true; size], scale: vector(), shift: vector() };
        let (mut r, mut rhs, mut step_w, mut direction) = (vector(), vector(), vector(), vector());
        let (mut product, mut trial, mut trial_r) = (vector(), vector(), vector());
        let line_search =
            LineSearch { sufficient: params.sufficient, shrink: params.shrink, min_step: params.min_step };
        inner.forget();
        problem.residual(q, &mut r);
        while trace.goes_on(problem.natural_residual(q, &r))? {
            at.linearise(problem, q, &r);

            // Pinned rows move by −Φ/D_x and act on the others; those follow from the scaled system.
            at.pinned_step(&mut direction);
            problem.operator().apply(&direction, &mut product);
            at.right_hand_side(&product, &mut rhs);
            let system = Subsystem::whole(problem.operator()).with_free(&at.free).with_diagonals(&at.scale, &at.shift);
            inner.rebuild(&system, trace)?;
            let target = (params.inexactness * vector::norm_max(&rhs)).max(0.1 * trace.target());
            let _ = inner.solve(&system, &mut rhs, &mut step_w, target, trace); // inexact by design
            at.add_scaled_back(&step_w, &mut direction);

            let merit = 0.5 * vector::dot(&at.phi, &at.phi);
            problem.operator().apply(&direction, &mut product);
            let slope = at.slope(&direction, &product);
            let step = line_search.search(merit, slope, |step| {
                vector::copy(q, &mut trial);
                vector::add_scaled(step, &direction, &mut trial);
                problem.residual(&trial, &mut trial_r);
                merit_at(problem, &trial, &trial_r)
            });
            match step {
                Some(_) => {
                    vector::copy(&trial, q);
                    vector::copy(&trial_r, &mut r);
                }
                None if params.rescue_sweeps == 0 || problem.operator().csr().is_none() => {
                    trace.stall("no step along the Newton direction lowers the merit function");
                }
                None => {
                    Sweeps::gauss_seidel(problem, params.rescue_sweeps, q)?;
                    trace.spend(params.rescue_sweeps);
                    trace.remark("PSOR sweeps got a stuck Newton iteration going again");
                    problem.residual(q, &mut r);
                }
            }
        }
        Ok(())
    }
}

/// D_y below this pins the row: √D_y would be lost in rounding.
const PINNED: f64 = 1e-14;

/// Φ and its derivatives, row by row.
struct Linearised {
    phi: Vec<f64>,
    free: Vec<bool>,
    /// √D_y.
    scale: Vec<f64>,
    /// D_x.
    shift: Vec<f64>,
}

/// φ(x, y) without cancellation: xy/(x + y + √(x² + y²)) doubled, where x + y is positive.
fn phi(x: f64, y: f64) -> f64 {
    let radius = x.hypot(y);
    if x + y > 0.0 { 2.0 * x * y / (x + y + radius) } else { x + y - radius }
}

/// (∂φ/∂x, ∂φ/∂y), at the origin that of the diagonal.
fn derivatives(x: f64, y: f64) -> (f64, f64) {
    let radius = x.hypot(y);
    if radius == 0.0 {
        return (1.0 - 0.5f64.sqrt(), 1.0 - 0.5f64.sqrt());
    }
    // 1 − a/√(a² + b²) = b²/(√(a² + b²)(√(a² + b²) + a)) keeps its digits for a ≫ |b|.
    let one_minus = |a: f64, b: f64| if a > 0.0 { b * b / (radius * (radius + a)) } else { 1.0 - a / radius };
    (one_minus(x, y), one_minus(y, x))
}

fn merit_at(problem: &Mlcp, q: &[f64], r: &[f64]) -> f64 {
    parallel::sum((q, r, problem.lower()), |(q, r, lower)| {
        let of_row = |((q, r), lower): ((&f64, &f64), &f64)| {
            let value = if *lower > f64::NEG_INFINITY { phi(q - lower, *r) } else { *r };
            0.5 * value * value
        };
        q.iter().zip(r).zip(lower).map(of_row).sum()
    })
}

impl Linearised {
    fn linearise(&mut self, problem: &Mlcp, q: &[f64], r: &[f64]) {
        for row in 0..q.len() {
            let (value, by_x, by_y) = if problem.is_wall(row) {
                let x = q[row] - problem.lower()[row];
                let (by_x, by_y) = derivatives(x, r[row]);
                (phi(x, r[row]), by_x, by_y)
            } else {
                (r[row], 0.0, 1.0)
            };
            self.phi[row] = value;
            self.free[row] = by_y > PINNED;
            self.scale[row] = by_y.sqrt();
            self.shift[row] = by_x;
        }
    }

    fn pinned_step(&self, direction: &mut [f64]) {
        for row in 0..direction.len() {
            direction[row] = if self.free[row] { 0.0 } else { -self.phi[row] / self.shift[row] };
        }
    }

    /// −Φ/√D_y − √D_y (A Δq_pinned) on free rows.
    fn right_hand_side(&self, product: &[f64], rhs: &mut [f64]) {
        for row in 0..rhs.len() {
            let scale = self.scale[row];
            rhs[row] = if self.free[row] { -self.phi[row] / scale - scale * product[row] } else { 0.0 };
        }
    }

    /// Δq ← Δq + √D_y w.
    fn add_scaled_back(&self, step_w: &[f64], direction: &mut [f64]) {
        for row in 0..direction.len() {
            direction[row] += self.scale[row] * step_w[row];
        }
    }

    /// Φᵀ (D_x Δq + D_y A Δq).
    fn slope(&self, direction: &[f64], product: &[f64]) -> f64 {
        let of_row =
            |row: usize| self.phi[row] * (self.shift[row] * direction[row] + self.scale[row].powi(2) * product[row]);
        parallel::sum(0..direction.len(), |rows| rows.map(of_row).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phi_vanishes_exactly_where_the_minimum_does() {
        assert_eq!((phi(0.0, 3.0), phi(2.0, 0.0), phi(0.0, 0.0)), (0.0, 0.0, 0.0));
        assert!(phi(1.0, 2.0) > 0.0 && phi(-1.0, 2.0) < 0.0 && phi(-1.0, -1.0) < 0.0);
    }

    #[test]
    fn derivatives_match_differences() {
        for (x, y) in [(1.0, 2.0), (-1.0, 0.5), (1e-3, 4.0), (0.3, -2.0)] {
            let h = 1e-6;
            let by_x = (phi(x + h, y) - phi(x - h, y)) / (2.0 * h);
            let by_y = (phi(x, y + h) - phi(x, y - h)) / (2.0 * h);
            let exact = derivatives(x, y);
            assert!((by_x - exact.0).abs() < 1e-7 && (by_y - exact.1).abs() < 1e-7, "({x}, {y})");
        }
    }
}
