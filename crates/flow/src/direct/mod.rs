//! Helmholtz and Poisson equations on a tensor grid, solved at once by fast diagonalisation.
//!
//! On a product of axes the operator is a sum of one-dimensional ones,
//!
//! ```text
//!     A = shift M ⊗ M ⊗ M + scale (K ⊗ M ⊗ M + M ⊗ K ⊗ M + M ⊗ M ⊗ K).
//! ```
//!
//! With the modes V of each axis, V^T M V = I and V^T K V = Λ, all axes but the last are turned into
//! independent lines, which elimination solves \[Lynch1964\]. A periodic last axis is turned into modes too.

mod modes;
mod sweep;

use rayon::prelude::*;

use crate::line::Line;
use modes::Modes;
use sweep::Sweep;

/// The direct solver of one lattice.
pub(crate) struct Separable<const D: usize> {
    shape: [usize; D],
    /// Modes of the axes that are transformed.
    modes: Vec<Modes>,
    last: Last,
    scratch: Vec<f64>,
    reciprocals: Vec<f64>,
    /// The shift and scale that `reciprocals` belong to.
    prepared: Option<[f64; 2]>,
}

/// How the last axis is treated.
enum Last {
    Eliminated(Sweep),
    Transformed,
}

impl<const D: usize> Separable<D> {
    pub fn new(lines: &[Line; D]) -> Self {
        let shape = std::array::from_fn(|axis| lines[axis].len());
        let last = &lines[D - 1];
        let (transformed, last) =
            if last.is_periodic { (D, Last::Transformed) } else { (D - 1, Last::Eliminated(Sweep::new(last))) };
        let modes: Vec<Modes> = lines[..transformed].iter().map(Modes::new).collect();
        let count = shape.iter().product();
        Self { shape, modes, last, scratch: vec![0.0; count], reciprocals: vec![0.0; count], prepared: None }
    }

    /// x ← the answer of A x = b for the b in x. Rows without equation must hold zero, and hold it afterwards.
    pub fn solve(&mut self, shift: f64, scale: f64, x: &mut [f64]) {
        if self.prepared != Some([shift, scale]) {
            self.prepare(shift, scale);
        }
        for axis in 0..self.modes.len() {
            self.transform(axis, false, x);
        }
        match &self.last {
            Last::Eliminated(sweep) => sweep.run(scale, &self.reciprocals, x),
            Last::Transformed => x.par_iter_mut().zip(&self.reciprocals).for_each(|(x, factor)| *x *= factor),
        }
        for axis in (0..self.modes.len()).rev() {
            self.transform(axis, true, x);
        }
    }

    /// Reciprocals of the pivots, or of the eigenvalues, for this shift and scale.
    fn prepare(&mut self, shift: f64, scale: f64) {
        let plane_axes = self.modes.len().min(D - 1);
        let mut eigenvalues = vec![0.0];
        for modes in &self.modes[..plane_axes] {
            let sums = |other: &f64| eigenvalues.iter().map(move |value| value + other).collect::<Vec<_>>();
            eigenvalues = modes.eigenvalues.iter().flat_map(sums).collect();
        }
        let shifts: Vec<f64> = eigenvalues.iter().map(|value| shift + scale * value).collect();
        match &self.last {
            Last::Eliminated(sweep) => sweep.factorise(&shifts, scale, &mut self.reciprocals),
            Last::Transformed => {
                let planes = self.reciprocals.chunks_exact_mut(shifts.len());
                let largest = self.modes.iter().map(|modes| modes.eigenvalues.iter().copied().fold(0.0, f64::max));
                let zero = 1e-13 * (shift + scale * largest.sum::<f64>());
                for (plane, last) in planes.zip(&self.modes[D - 1].eigenvalues) {
                    for (factor, shift) in plane.iter_mut().zip(&shifts) {
                        let eigenvalue = shift + scale * last;
                        *factor = if eigenvalue > zero { 1.0 / eigenvalue } else { 0.0 };
                    }
                }
            }
        }
        self.prepared = Some([shift, scale]);
    }

    /// Values to modes along an axis, or back.
    fn transform(&mut self, axis: usize, is_back: bool, x: &mut [f64]) {
        let inner = self.shape[..axis].iter().product();
        self.modes[axis].apply(is_back, inner, x, &mut self.scratch);
        x.copy_from_slice(&self.scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Axis;
    use crate::boundary::Boundary;
    use crate::stencil::apply;

    fn assert_inverts<const D: usize>(lines: [Line; D], shift: f64) {
        let shape: [usize; D] = std::array::from_fn(|axis| lines[axis].len());
        let is_free = |index: usize| {
            let mut rest = index;
            (0..D).all(|axis| {
                let place = rest % shape[axis];
                rest /= shape[axis];
                lines[axis].is_free[place]
            })
        };
        let count: usize = shape.iter().product();
        let wanted: Vec<f64> =
            (0..count).map(|i| if is_free(i) { (0.37 * i as f64).sin() + 0.2 } else { 0.0 }).collect();
        let mut right = vec![0.0; count];
        apply(&lines, shift, 0.7, &wanted, &mut right);
        let mut x = right.clone();
        Separable::new(&lines).solve(shift, 0.7, &mut x);
        let mut back = vec![0.0; count];
        apply(&lines, shift, 0.7, &x, &mut back);
        let error = back.iter().zip(&right).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-11, "{error}");
        if shift > 0.0 {
            let error = x.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-10, "{error}");
        }
    }

    #[test]
    fn answers_solve_the_equations_for_all_kinds_of_sides() {
        let axis = |cells| Axis::clustered([0.0, 1.0], [0.3, 0.5], 0.5 / cells as f64, 1.2, 0.3).unwrap();
        let uniform = Axis::uniform(0.0, 2.0, 9).unwrap();
        let wall = [Boundary::<3>::wall(), Boundary::wall()];
        let open = [Boundary::<3>::FreeSlip, Boundary::Outflow];
        let ring = [Boundary::<3>::Periodic, Boundary::Periodic];
        for shift in [0.0, 1.3] {
            assert_inverts([Line::pressure(&axis(8), &wall), Line::pressure(&axis(12), &wall)], shift);
            assert_inverts([Line::across(&axis(8), &wall), Line::along(&axis(12), &open)], shift);
            assert_inverts([Line::along(&uniform, &ring), Line::across(&uniform, &ring)], shift);
            assert_inverts(
                [Line::across(&axis(8), &open), Line::along(&uniform, &ring), Line::along(&axis(10), &wall)],
                shift,
            );
            assert_inverts(
                [Line::pressure(&axis(8), &wall), Line::pressure(&axis(7), &wall), Line::pressure(&uniform, &ring)],
                shift,
            );
        }
    }
}
