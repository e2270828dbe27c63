//! No preconditioning (`none`) and division by the diagonal (`jacobi`).

use unstick_parallel::{self as parallel, vector};

use super::Preconditioner;
use crate::error::SolveError;
use crate::linear::Subsystem;

/// M = I.
#[derive(Debug, Default)]
pub struct Identity;

impl Preconditioner for Identity {
    fn rebuild(&mut self, _: &Subsystem) -> Result<(), SolveError> {
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        vector::copy(r, z);
    }
}

/// M = diag(S).
#[derive(Debug, Default)]
pub struct Jacobi {
    inverse: Vec<f64>,
}

impl Preconditioner for Jacobi {
    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        self.inverse.clear();
        self.inverse.extend((0..system.size()).map(|row| 1.0 / system.diagonal(row)));
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        parallel::for_each((r, self.inverse.as_slice(), z), |(r, inverse, z)| {
            r.iter().zip(inverse).zip(z).for_each(|((r, inverse), z)| *z = r * inverse);
        });
    }
}
