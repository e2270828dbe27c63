//! The interface between solvers and matrices.

use unstick_parallel::{self as parallel, vector};

use crate::csr::CsrMatrix;
use crate::lattice::Lattice;
use crate::pressure::AnyPressureOperator;
use crate::ranks::{Alone, Ranks};

/// A symmetric linear map, known at least by its product with a vector and its diagonal.
///
/// Implement it to hand over a matrix that is never assembled. Methods and preconditioners that
/// must read single entries (`psor`, the factorisations) ask for [`csr`](Self::csr) and refuse
/// operators without it; every other method with `none` or `jacobi` works without.
///
/// ```
/// use unstick_mlcp::{LinearOperator, Mlcp, SolverName};
///
/// /// The second difference on a line whose ends are held at zero.
/// struct Line(Vec<f64>);
///
/// impl LinearOperator for Line {
///     fn size(&self) -> usize {
///         self.0.len()
///     }
///     fn diagonal(&self) -> &[f64] {
///         &self.0
///     }
///     fn apply(&self, x: &[f64], y: &mut [f64]) {
///         for i in 0..x.len() {
///             let left = if i > 0 { x[i - 1] } else { 0.0 };
///             let right = if i + 1 < x.len() { x[i + 1] } else { 0.0 };
///             y[i] = 2.0 * x[i] - left - right;
///         }
///     }
/// }
///
/// let b = [1.0, -1.0, 1.0];
/// let problem = Mlcp::new(Line(vec![2.0; 3]), &b)?.with_walls(&[true; 3])?;
/// let mut solver = "policy+cg/jacobi".parse::<SolverName>()?.build(&Default::default());
/// let mut q = [0.0; 3];
/// assert!(solver.solve(&problem, &mut q)?.converged());
/// assert!((q[1] - 0.5).abs() < 1e-6 && q[0] == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait LinearOperator: Send + Sync {
    /// Number of rows.
    fn size(&self) -> usize;

    /// A_ii, all positive.
    fn diagonal(&self) -> &[f64];

    /// y ← A x.
    fn apply(&self, x: &[f64], y: &mut [f64]);

    /// y ← A x; returns xᵀ A x.
    fn apply_dot(&self, x: &[f64], y: &mut [f64]) -> f64 {
        self.apply(x, y);
        vector::dot(x, y)
    }

    /// y ← A x + b.
    fn residual(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        self.apply(x, y);
        parallel::for_each((b, y), |(b, y)| b.iter().zip(y).for_each(|(b, y)| *y += b));
    }

    /// The entries, where the operator is an assembled matrix.
    fn csr(&self) -> Option<&CsrMatrix<'_>> {
        None
    }

    /// Where the rows lie on a grid, if they do and are coupled with their face neighbours only.
    fn lattice(&self) -> Option<&Lattice> {
        None
    }

    /// Those who share the rows: the operator holds some of them. Sums and maxima are over all.
    fn ranks(&self) -> &dyn Ranks {
        &Alone
    }

    /// Rows of each connected component whose rows all sum to zero: liquid without air, whose
    /// pressure is known only up to a constant. None are found without entries.
    fn singular_components(&self) -> Vec<Vec<u32>> {
        self.csr().map(CsrMatrix::singular_components).unwrap_or_default()
    }

    /// A simpler operator close to this one, for preconditioners. By default they read this one.
    fn nearby(&self) -> Option<&dyn LinearOperator> {
        None
    }

    /// The compact form, where the operator has it.
    fn pressure(&self) -> Option<AnyPressureOperator<'_>> {
        None
    }
}

impl<A: LinearOperator + ?Sized> LinearOperator for &A {
    fn size(&self) -> usize {
        (**self).size()
    }
    fn diagonal(&self) -> &[f64] {
        (**self).diagonal()
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        (**self).apply(x, y);
    }
    fn apply_dot(&self, x: &[f64], y: &mut [f64]) -> f64 {
        (**self).apply_dot(x, y)
    }
    fn residual(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        (**self).residual(x, b, y);
    }
    fn csr(&self) -> Option<&CsrMatrix<'_>> {
        (**self).csr()
    }
    fn lattice(&self) -> Option<&Lattice> {
        (**self).lattice()
    }
    fn ranks(&self) -> &dyn Ranks {
        (**self).ranks()
    }
    fn singular_components(&self) -> Vec<Vec<u32>> {
        (**self).singular_components()
    }
    fn nearby(&self) -> Option<&dyn LinearOperator> {
        (**self).nearby()
    }
    fn pressure(&self) -> Option<AnyPressureOperator<'_>> {
        (**self).pressure()
    }
}
