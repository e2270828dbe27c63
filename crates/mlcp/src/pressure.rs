//! The pressure matrix on its grid.

use crate::csr::CsrMatrix;
use crate::lattice::Lattice;
use crate::operator::LinearOperator;

/// A pressure matrix that knows its grid.
pub struct PressureOperator<'a> {
    lattice: Lattice,
    matrix: CsrMatrix<'a>,
}

impl<'a> PressureOperator<'a> {
    /// None where the matrix couples more than face neighbours.
    pub fn from_csr(lattice: Lattice, matrix: CsrMatrix<'a>) -> Option<Self> {
        lattice.couples_neighbours_only(&matrix).then_some(Self { lattice, matrix })
    }
}

impl LinearOperator for PressureOperator<'_> {
    fn size(&self) -> usize {
        self.matrix.size()
    }
    fn diagonal(&self) -> &[f64] {
        self.matrix.diagonal()
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.matrix.apply(x, y);
    }
    fn apply_dot(&self, x: &[f64], y: &mut [f64]) -> f64 {
        self.matrix.apply_dot(x, y)
    }
    fn csr(&self) -> Option<&CsrMatrix<'_>> {
        Some(&self.matrix)
    }
    fn lattice(&self) -> Option<&Lattice> {
        Some(&self.lattice)
    }
}
