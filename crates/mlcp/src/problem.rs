//! The mixed linear complementarity problem.

use std::borrow::Cow;
use std::sync::Arc;

use unstick_parallel::binary::shift_all;
use unstick_parallel::{self as parallel, larger, vector};

use crate::csr::CsrMatrix;
use crate::error::{MatrixError, ProblemError};
use crate::lattice::Lattice;
use crate::operator::LinearOperator;
use crate::pressure::PressureOperator;
use crate::ranks::{Ranks, Reductions};
use crate::scale::Shifted;

/// Find q such that r = A q + b satisfies, row by row,
///
/// ```text
///     0 ≤ q_i − ℓ_i  ⟂  r_i ≥ 0      on wall rows (ℓ_i finite)
///     r_i = 0                        elsewhere    (ℓ_i = −∞)
/// ```
///
/// with A symmetric positive (semi-)definite. For a pressure projection q is the scaled pressure
/// Δt p / (ρ h), b the net outflow of the intermediate velocity and r the outflow that remains, all
/// in units of velocity [Lai2021, eq. (4.15)].
///
/// Cheap to clone: the operator is shared, arrays are shared or borrowed.
///
/// ```
/// use unstick_mlcp::{CsrMatrix, Mlcp, MlcpSolver, SolverName};
///
/// // Two coupled cells at a wall; the first would be pulled and lets go.
/// let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// let problem = Mlcp::new(matrix, &[2.0, -1.0])?.with_walls(&[true, true])?;
///
/// let mut q = [0.0; 2];
/// let mut solver = "policy".parse::<SolverName>()?.build(&Default::default());
/// let report = solver.solve(&problem, &mut q)?;
/// assert!(report.converged());
/// assert_eq!(report.active_rows(), 1);
/// assert!(q[0] == 0.0 && (q[1] - 0.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Mlcp<'a> {
    operator: Arc<dyn LinearOperator + 'a>,
    b: Array<'a>,
    lower: Array<'a>,
    /// The bounds before the problem was sealed.
    walls: Option<Array<'a>>,
}

/// Numbers that are borrowed or shared: never copied.
type Array<'a> = Arc<Cow<'a, [f64]>>;

impl<'a> Mlcp<'a> {
    /// A problem of equations only; add walls with [`with_walls`](Self::with_walls) or
    /// [`with_lower`](Self::with_lower).
    ///
    /// Symmetry is not checked here (see
    /// [`CsrMatrix::check_symmetric_positive`](crate::CsrMatrix::check_symmetric_positive)): a
    /// simulator builds a problem every step.
    pub fn new(operator: impl LinearOperator + 'a, b: impl Into<Cow<'a, [f64]>>) -> Result<Self, ProblemError> {
        let lower = parallel::filled(operator.size(), f64::NEG_INFINITY);
        Self::with_bounds(operator, b, lower)
    }

    /// A problem with every bound, none of which is checked.
    pub(crate) fn with_bounds(
        operator: impl LinearOperator + 'a,
        b: impl Into<Cow<'a, [f64]>>,
        lower: impl Into<Cow<'a, [f64]>>,
    ) -> Result<Self, ProblemError> {
        let (operator, b) = (Arc::new(operator), Arc::new(b.into()));
        check_length("b", operator.size(), &b)?;
        check_finite("b", &b)?;
        if let Some(row) = operator.diagonal().iter().position(|&value| value <= 0.0 || value.is_nan()) {
            return Err(MatrixError::Diagonal { row, value: operator.diagonal()[row] }.into());
        }
        Ok(Self { operator, b, lower: Arc::new(lower.into()), walls: None })
    }

    /// The same for rows that lie on a grid, which multigrid and transforms make use of. The matrix
    /// must couple face neighbours only ([`Lattice::couples_neighbours_only`]).
    ///
    /// # Panics
    /// If lattice and matrix do not fit each other.
    pub fn on_lattice(
        lattice: Lattice,
        matrix: &CsrMatrix,
        b: impl Into<Cow<'a, [f64]>>,
    ) -> Result<Self, ProblemError> {
        match lattice.dimension() {
            2 => Self::new(PressureOperator::<2>::from_csr(lattice, matrix), b),
            _ => Self::new(PressureOperator::<3>::from_csr(lattice, matrix), b),
        }
    }

    /// Marks the rows of separating walls; their bound is zero.
    pub fn with_walls(mut self, walls: &[bool]) -> Result<Self, ProblemError> {
        check_length("the wall mask", self.size(), walls)?;
        let lower = walls.iter().map(|&wall| if wall { 0.0 } else { f64::NEG_INFINITY }).collect();
        (self.lower, self.walls) = (Arc::new(lower), None);
        Ok(self)
    }

    /// Sets every bound; −∞ makes a row an equation.
    pub fn with_lower(mut self, lower: impl Into<Cow<'a, [f64]>>) -> Result<Self, ProblemError> {
        let lower: Cow<[f64]> = lower.into();
        check_length("the lower bound", self.size(), &lower)?;
        let bad = lower.iter().position(|&bound| bound.is_nan() || bound == f64::INFINITY);
        if let Some(row) = bad {
            let expected = "a finite number, or -inf on equation rows";
            return Err(ProblemError::Value { what: "the lower bound", row, value: lower[row], expected });
        }
        (self.lower, self.walls) = (Arc::new(lower), None);
        Ok(self)
    }

    /// Replaces what is given; used to make the right-hand side compatible.
    pub(crate) fn with_parts(&self, b: Option<Vec<f64>>, lower: Option<Vec<f64>>) -> Self {
        let mut problem = self.clone();
        b.into_iter().for_each(|b| problem.b = Arc::new(b.into()));
        lower.into_iter().for_each(|lower| problem.lower = Arc::new(lower.into()));
        problem
    }

    /// The same problem in other units: A times 2^−matrix and b times 2^−right, and bounds that go with them.
    pub(crate) fn shifted(&self, matrix: i32, right: i32) -> Self {
        let shift = |array: &Array<'a>, exponent: i32| -> Array<'a> {
            let mut values = array.to_vec();
            shift_all(exponent, &mut values);
            Arc::new(values.into())
        };
        Self {
            operator: if matrix == 0 { self.operator.clone() } else { Shifted::of(&self.operator, -matrix) },
            b: shift(&self.b, -right),
            lower: shift(&self.lower, matrix - right),
            walls: self.walls.as_ref().map(|walls| shift(walls, matrix - right)),
        }
    }

    /// The same problem with another right-hand side.
    pub fn with_b(&self, b: impl Into<Cow<'a, [f64]>>) -> Result<Self, ProblemError> {
        let b = Arc::new(b.into());
        check_length("b", self.size(), &b)?;
        check_finite("b", &b)?;
        Ok(Self { b, ..self.clone() })
    }

    /// The same problem with every row an equation: the sticking wall. An answer is still measured against the walls
    /// that it ignores.
    pub fn sealed(&self) -> Self {
        if self.wall_rows() == 0 {
            return self.clone();
        }
        let lower = Arc::new(parallel::filled(self.size(), f64::NEG_INFINITY).into());
        Self { lower, walls: Some(self.lower.clone()), ..self.clone() }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.b.len()
    }

    /// A.
    pub fn operator(&self) -> &(dyn LinearOperator + 'a) {
        &*self.operator
    }

    /// Those who share the rows.
    pub(crate) fn ranks(&self) -> &dyn Ranks {
        self.operator.ranks()
    }

    /// b.
    pub fn b(&self) -> &[f64] {
        &self.b
    }

    /// ℓ: −∞ on equation rows.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// The bounds that an answer is measured against: ℓ, also where the problem has been [sealed](Self::sealed).
    pub(crate) fn walls(&self) -> &[f64] {
        self.walls.as_ref().unwrap_or(&self.lower)
    }

    /// Whether a row is complementary.
    #[inline]
    pub fn is_wall(&self, row: usize) -> bool {
        self.lower[row] > f64::NEG_INFINITY
    }

    /// Number of complementary rows.
    pub fn wall_rows(&self) -> usize {
        let walls = |lower: &[f64]| lower.iter().filter(|&&bound| bound > f64::NEG_INFINITY).count();
        parallel::fold(self.lower(), &walls, &|one, other| one + other)
    }

    /// r ← A q + b.
    pub fn residual(&self, q: &[f64], r: &mut [f64]) {
        self.operator.residual(q, self.b(), r);
    }

    /// r ← A q + b, without a product where q is zero.
    pub(crate) fn first_residual(&self, q: &[f64], r: &mut [f64]) {
        if vector::norm_max(q) == 0.0 { vector::copy(self.b(), r) } else { self.residual(q, r) }
    }

    /// ‖H‖∞ with H_i = min(q_i − ℓ_i, r_i) on wall rows and r_i elsewhere, given r = A q + b.
    ///
    /// Zero exactly at a solution, in units of velocity; this is what every solver reports and
    /// stops on. NaN if anything is NaN.
    pub fn natural_residual(&self, q: &[f64], r: &[f64]) -> f64 {
        parallel::max((q, r, self.lower()), |(q, r, lower)| {
            let rows = q.iter().zip(r).zip(lower);
            rows.fold(0.0, |most, ((q, r), lower)| larger(most, minimum_map(q - lower, *r).abs()))
        })
    }

    /// ‖H(0)‖∞, what a relative tolerance refers to. Needs no product.
    pub fn residual_at_zero(&self) -> f64 {
        let own = parallel::max((self.b(), self.lower()), |(b, lower)| {
            b.iter().zip(lower).fold(0.0, |most, (b, lower)| larger(most, minimum_map(-lower, *b).abs()))
        });
        self.ranks().largest([own])[0]
    }

    /// Whether the wall of a row has let go: the bound holds it rather than its equation.
    ///
    /// Compares A_ii (q_i − ℓ_i) with r_i, so that the answer does not depend on units.
    #[inline]
    pub fn is_active(&self, row: usize, q: &[f64], r: &[f64]) -> bool {
        self.is_wall(row) && self.operator.diagonal()[row] * (q[row] - self.lower[row]) <= r[row]
    }

    /// Every entry of the iterate must be there and be a number.
    pub fn check_iterate(&self, q: &[f64]) -> Result<(), ProblemError> {
        check_length("the iterate", self.size(), q)?;
        check_finite("the iterate", q)
    }
}

/// min(x, y) that lets NaN through.
#[inline]
pub(crate) fn minimum_map(x: f64, y: f64) -> f64 {
    if y < x || y.is_nan() { y } else { x }
}

fn check_length<T>(what: &'static str, expected: usize, array: &[T]) -> Result<(), ProblemError> {
    let found = array.len();
    if found == expected { Ok(()) } else { Err(ProblemError::Length { what, expected, found }) }
}

fn check_finite(what: &'static str, array: &[f64]) -> Result<(), ProblemError> {
    match vector::first_not_finite(array) {
        None => Ok(()),
        Some(row) => Err(ProblemError::Value { what, row, value: array[row], expected: "a finite number" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(size: usize) -> CsrMatrix<'static> {
        CsrMatrix::from_triplets(size, (0..size).map(|row| (row, row, 1.0))).unwrap()
    }

    #[test]
    fn the_natural_residual_vanishes_only_at_a_solution() {
        let problem = Mlcp::new(identity(3), vec![1.0, -2.0, 3.0]).unwrap().with_walls(&[true, true, false]).unwrap();
        let residual = |q: [f64; 3]| {
            let mut r = [0.0; 3];
            problem.residual(&q, &mut r);
            problem.natural_residual(&q, &r)
        };
        assert_eq!(residual([0.0, 2.0, -3.0]), 0.0);
        assert_eq!(residual([0.0; 3]), 3.0);
        assert_eq!(problem.residual_at_zero(), 3.0);
        assert!(residual([f64::NAN, 2.0, -3.0]).is_nan());
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused_with_both_numbers() {
        let message = Mlcp::new(identity(2), vec![0.0]).err().unwrap().to_string();
        assert_eq!(message, "b has 1 entries, the problem has 2 rows");
        let problem = Mlcp::new(identity(1), vec![0.0]).unwrap();
        let message = problem.check_iterate(&[0.0; 3]).unwrap_err().to_string();
        assert_eq!(message, "the iterate has 3 entries, the problem has 1 rows");
        let message = problem.with_lower(vec![f64::NAN]).err().unwrap().to_string();
        assert_eq!(message, "the lower bound is NaN in row 0, expected a finite number, or -inf on equation rows");
    }
}
