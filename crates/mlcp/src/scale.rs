//! Problems whose numbers are too small or too large to be squared.
//!
//! Methods sum squares of residuals, and some work in single precision. With A = 2^m A' and b = 2^k b' the problem
//! A' q' + b' has the answer q = 2^(k − m) q', and powers of two change no digit. So a problem out of the ordinary is
//! solved as one whose numbers lie around one. All others stay as they are.
//!
//! The natural residual weighs q against r. With m ≠ 0 that of the scaled problem is not that of the caller's, so what
//! was reached is measured once more on the latter.

use std::sync::Arc;

use unstick_parallel::binary::{exponent, mean_exponent, shift_all, shifted, unusual_exponent};
use unstick_parallel::vector;

use crate::csr::CsrMatrix;
use crate::operator::LinearOperator;
use crate::pressure::AnyPressureOperator;
use crate::problem::Mlcp;
use crate::stop::{Stop, Tolerance};

/// Single precision holds couplings of at most this exponent, on all levels of a hierarchy.
const SINGLE: i32 = 64;

/// The powers of two between a problem and an ordinary one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    matrix: i32,
    right: i32,
}

impl Scale {
    /// None for an ordinary problem; `reference` is ‖H(0)‖∞.
    pub fn of(problem: &Mlcp, reference: f64) -> Option<Self> {
        if reference == 0.0 {
            return None; // zero is the answer
        }
        let operator = problem.operator();
        let size = match operator.pressure() {
            Some(AnyPressureOperator::Plane(operator)) => exponent(operator.unit()),
            Some(AnyPressureOperator::Space(operator)) => exponent(operator.unit()),
            // Not the largest: many codes hold single rows by a huge number on their diagonal.
            None => mean_exponent(operator.diagonal()),
        };
        let matrix = if size.abs() > SINGLE { size } else { 0 };
        let right = unusual_exponent(reference);
        (matrix != 0 || right != 0).then_some(Self { matrix, right })
    }

    /// The ordinary problem.
    pub fn problem<'a>(self, problem: &Mlcp<'a>) -> Mlcp<'a> {
        problem.shifted(self.matrix, self.right)
    }

    /// A starting iterate of the ordinary problem. One that is out of all proportion tells nothing about the answer:
    /// then it is zero.
    pub fn start(self, q: &[f64]) -> Vec<f64> {
        let mut start = q.to_vec();
        shift_all(self.matrix - self.right, &mut start);
        let most = vector::norm_max(&start);
        if unusual_exponent(most) > 0 || !most.is_finite() {
            start.fill(0.0);
        }
        start
    }

    /// The iterate of the caller's problem.
    pub fn finish(self, scaled: &[f64], q: &mut [f64]) {
        q.copy_from_slice(scaled);
        shift_all(self.right - self.matrix, q);
    }

    /// The stopping rule of the ordinary problem.
    pub fn stop(self, stop: &Stop) -> Stop {
        let tolerance = match stop.tolerance {
            Tolerance::Absolute(value) if value > 0.0 && value.is_finite() => {
                Tolerance::Absolute(shifted(value, -self.right).clamp(f64::MIN_POSITIVE, f64::MAX))
            }
            tolerance => tolerance,
        };
        Stop { tolerance, ..*stop }
    }

    /// A residual of the ordinary problem as one of the caller's.
    pub fn residual(self, scaled: f64) -> f64 {
        shifted(scaled, self.right)
    }
}

/// An operator times a power of two, where only products are known of it.
pub(crate) struct Shifted<'a> {
    operator: Arc<dyn LinearOperator + 'a>,
    exponent: i32,
    diagonal: Vec<f64>,
    nearby: Option<Box<dyn LinearOperator>>,
}

impl<'a> Shifted<'a> {
    /// The operator times 2^exponent, with its entries and its grid where it has them.
    pub fn of(operator: &Arc<dyn LinearOperator + 'a>, exponent: i32) -> Arc<dyn LinearOperator + 'a> {
        if let Some(copy) = copied(&**operator, exponent) {
            return Arc::from(copy);
        }
        let mut diagonal = operator.diagonal().to_vec();
        shift_all(exponent, &mut diagonal);
        let nearby = operator.nearby().and_then(|nearby| copied(nearby, exponent));
        Arc::new(Self { operator: operator.clone(), exponent, diagonal, nearby })
    }
}

/// An operator whose entries are known, times 2^exponent.
fn copied(operator: &dyn LinearOperator, exponent: i32) -> Option<Box<dyn LinearOperator>> {
    Some(match operator.pressure() {
        Some(AnyPressureOperator::Plane(operator)) => Box::new(operator.shifted(exponent)),
        Some(AnyPressureOperator::Space(operator)) => Box::new(operator.shifted(exponent)),
        None => Box::new(CsrMatrix::shifted(operator.csr()?, exponent)),
    })
}

impl LinearOperator for Shifted<'_> {
    fn size(&self) -> usize {
        self.operator.size()
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.operator.apply(x, y);
        shift_all(self.exponent, y);
    }

    fn singular_components(&self) -> Vec<Vec<u32>> {
        self.operator.singular_components()
    }

    fn nearby(&self) -> Option<&dyn LinearOperator> {
        self.nearby.as_deref()
    }
}
