//! Approximate inverses that speed up the Krylov methods.
//!
//! When walls let go, a factorisation of A does not fit the remaining system. Masking it, as
//! [Andersen2017b, eq. (45)] does, approximates the inverse of a Schur complement instead of that of the
//! sub-matrix. So every preconditioner here is rebuilt when the active set changes. [`Reused`] is the
//! published variant, for comparison.

mod ainv;
mod cholesky;
mod grid;
mod ilu0;
mod jacobi;
mod levels;
mod reused;

pub use ainv::{AinvLinParams, AinvParams, AinvStaticParams, ApproximateInverse, Dropping};
pub use cholesky::{Ic0Params, IncompleteCholesky, Mic0Params};
pub use grid::GridMultigrid;
pub use ilu0::IncompleteLu;
pub use jacobi::{Identity, Jacobi};
pub use reused::Reused;

use unstick_parallel::vector;

use crate::error::SolveError;
use crate::linear::Subsystem;

/// M⁻¹ ≈ S⁻¹, symmetric positive definite.
pub trait Preconditioner: Send {
    /// Drops what was built for an earlier matrix. Called once at the start of a solve.
    fn forget(&mut self) {}

    /// Prepares for a system. Called again whenever the system changes.
    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError>;

    /// z ← M⁻¹ r. Where r vanishes on pinned rows, so does z.
    fn apply(&mut self, r: &[f64], z: &mut [f64]);

    /// z ← M⁻¹ r; returns rᵀ z.
    fn apply_dot(&mut self, r: &[f64], z: &mut [f64]) -> f64 {
        self.apply(r, z);
        vector::dot(r, z)
    }
}

#[cfg(test)]
mod tests;
