//! A direct solver of Helmholtz and Poisson equations on a tensor grid, by fast diagonalisation.
//!
//! On a product of axes the operator is a sum of one-dimensional ones,
//!
//! ```text
//!     A = shift M ⊗ M ⊗ M + scale (K ⊗ M ⊗ M + M ⊗ K ⊗ M + M ⊗ M ⊗ K).
//! ```
//!
//! The modes V of an axis have V^T M V = I and V^T K V = Λ. Written in the modes of all axes but the last, the
//! equations fall apart into tridiagonal systems, which elimination solves \[Lynch1964\]. A periodic last axis is
//! written in modes as well.

mod modes;

use rayon::prelude::*;
use unstick_parallel::tridiagonal::Tridiagonal;

use crate::axis_operator::AxisOperator;
use crate::stencil::Helmholtz;
use modes::Modes;

/// The direct solver of one lattice.
pub(crate) struct Separable<const D: usize> {
    shape: [usize; D],
    operators: [AxisOperator; D],
    /// Modes of the axes that are transformed; found when they are first needed.
    modes: Vec<Option<Modes>>,
    last_axis: LastAxis,
    scratch: Vec<f64>,
    /// What `last_axis` is prepared for.
    prepared: Option<Helmholtz>,
}

/// How the last axis is treated.
enum LastAxis {
    /// One tridiagonal system for each mode of the other axes.
    Eliminated(Box<Elimination>),
    /// Modes as well: values are multiplied by the reciprocals of the eigenvalues.
    Transformed { reciprocals: Vec<f64> },
}

/// The systems along the last axis.
struct Elimination {
    operator: AxisOperator,
    /// One for each mode of the other axes.
    shifts: Vec<f64>,
    systems: Tridiagonal,
}

impl<const D: usize> Separable<D> {
    pub fn new(operators: &[AxisOperator; D]) -> Self {
        let shape: [usize; D] = std::array::from_fn(|axis| operators[axis].len());
        let (count, last) = (shape.iter().product(), &operators[D - 1]);
        let (transformed, last_axis) = if last.is_periodic {
            (D, LastAxis::Transformed { reciprocals: vec![0.0; count] })
        } else {
            let systems = tridiagonal(last, 1.0);
            let elimination = Elimination { operator: last.clone(), shifts: Vec::new(), systems };
            (D - 1, LastAxis::Eliminated(Box::new(elimination)))
        };
        let modes = (0..transformed).map(|_| None).collect();
        Self { shape, operators: operators.clone(), modes, last_axis, scratch: vec![0.0; count], prepared: None }
    }

    /// Goes on with other operators of the same shape and sides. Axes whose operator stays keep their modes, so a grid
    /// that moves along the last axis alone needs no new ones.
    pub fn replace(&mut self, operators: &[AxisOperator; D]) {
        for (axis, modes) in self.modes.iter_mut().enumerate() {
            if self.operators[axis] != operators[axis] {
                *modes = None;
            }
        }
        if let LastAxis::Eliminated(elimination) = &mut self.last_axis {
            elimination.operator.clone_from(&operators[D - 1]);
        }
        self.operators.clone_from(operators);
        self.prepared = None;
    }

    /// x ← the answer of A x = b for the b in x. Rows without equation must hold zero, and hold it afterwards.
    pub fn solve(&mut self, helmholtz: Helmholtz, x: &mut [f64]) {
        if self.prepared != Some(helmholtz) {
            self.prepare(helmholtz);
        }
        for axis in 0..self.modes.len() {
            self.transform(axis, false, x);
        }
        match &self.last_axis {
            LastAxis::Eliminated(elimination) => elimination.systems.solve(&elimination.shifts, 1.0, x),
            LastAxis::Transformed { reciprocals } => {
                x.par_iter_mut().zip(reciprocals).for_each(|(x, factor)| *x *= factor);
            }
        }
        for axis in (0..self.modes.len()).rev() {
            self.transform(axis, true, x);
        }
    }

    /// Prepares the last axis for these coefficients.
    fn prepare(&mut self, helmholtz: Helmholtz) {
        let Helmholtz { shift, scale } = helmholtz;
        let found = self.modes.iter_mut().zip(&self.operators);
        let modes: Vec<&Modes> =
            found.map(|(modes, operator)| &*modes.get_or_insert_with(|| Modes::new(operator))).collect();
        let plane_axes = modes.len().min(D - 1);
        let mut eigenvalues = vec![0.0];
        for modes in &modes[..plane_axes] {
            let sums = |other: &f64| eigenvalues.iter().map(move |value| value + other).collect::<Vec<_>>();
            eigenvalues = modes.eigenvalues.iter().flat_map(sums).collect();
        }
        let of_plane: Vec<f64> = eigenvalues.iter().map(|value| shift + scale * value).collect();
        match &mut self.last_axis {
            LastAxis::Eliminated(elimination) => {
                elimination.shifts = of_plane;
                elimination.systems = tridiagonal(&elimination.operator, scale);
            }
            LastAxis::Transformed { reciprocals } => {
                let planes = reciprocals.chunks_exact_mut(of_plane.len());
                let largest = modes.iter().map(|modes| modes.eigenvalues.iter().copied().fold(0.0, f64::max));
                let zero = 1e-13 * (shift + scale * largest.sum::<f64>());
                for (plane, last) in planes.zip(&modes[D - 1].eigenvalues) {
                    for (factor, shift) in plane.iter_mut().zip(&of_plane) {
                        let eigenvalue = shift + scale * last;
                        *factor = if eigenvalue > zero { 1.0 / eigenvalue } else { 0.0 };
                    }
                }
            }
        }
        self.prepared = Some(helmholtz);
    }

    /// Values to modes along an axis, or back.
    fn transform(&mut self, axis: usize, is_back: bool, x: &mut [f64]) {
        let inner = self.shape[..axis].iter().product();
        let Some(modes) = &self.modes[axis] else { unreachable!("modes are found before they are used") };
        modes.apply(is_back, inner, x, &mut self.scratch);
        x.copy_from_slice(&self.scratch);
    }
}

/// `scale` K along an axis, for modes whose shift multiplies M.
fn tridiagonal(operator: &AxisOperator, scale: f64) -> Tridiagonal {
    let is_free = &operator.is_free;
    let couples = |k: usize| k > 0 && is_free[k] && is_free[k - 1];
    Tridiagonal {
        masses: operator.mass.clone(),
        // A row without equation holds zero; any pivot does for it.
        diagonals: (0..operator.len()).map(|k| scale * if is_free[k] { operator.diagonal[k] } else { 1.0 }).collect(),
        couplings: (0..operator.len()).map(|k| if couples(k) { scale * operator.lower[k] } else { 0.0 }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Axis;
    use crate::boundary::Boundary;
    use crate::stencil::apply;
    use crate::tensor::place_of;

    fn assert_inverts<const D: usize>(operators: [AxisOperator; D], shift: f64) {
        let shape: [usize; D] = std::array::from_fn(|axis| operators[axis].len());
        let is_free = |index: usize| {
            let place = place_of(shape, index);
            (0..D).all(|axis| operators[axis].is_free[place[axis]])
        };
        let count: usize = shape.iter().product();
        let wanted: Vec<f64> =
            (0..count).map(|i| if is_free(i) { (0.37 * i as f64).sin() + 0.2 } else { 0.0 }).collect();
        let helmholtz = Helmholtz { shift, scale: 0.7 };
        let mut right = vec![0.0; count];
        apply(&operators, helmholtz, &wanted, &mut right);
        let mut x = right.clone();
        Separable::new(&operators).solve(helmholtz, &mut x);
        let mut back = vec![0.0; count];
        apply(&operators, helmholtz, &x, &mut back);
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
            assert_inverts([AxisOperator::pressure(&axis(8), &wall), AxisOperator::pressure(&axis(12), &wall)], shift);
            assert_inverts([AxisOperator::across(&axis(8), &wall), AxisOperator::along(&axis(12), &open)], shift);
            assert_inverts([AxisOperator::along(&uniform, &ring), AxisOperator::across(&uniform, &ring)], shift);
            assert_inverts(
                [
                    AxisOperator::across(&axis(8), &open),
                    AxisOperator::along(&uniform, &ring),
                    AxisOperator::along(&axis(10), &wall),
                ],
                shift,
            );
            assert_inverts(
                [
                    AxisOperator::pressure(&axis(8), &wall),
                    AxisOperator::pressure(&axis(7), &wall),
                    AxisOperator::pressure(&uniform, &ring),
                ],
                shift,
            );
        }
    }
}
