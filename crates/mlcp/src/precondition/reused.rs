//! The published shortcut: one preconditioner of A for every active set (`reused-…`).
//!
//! P′ r = a ⊗ P (a ⊗ r) + f ⊗ r [Andersen2017b, eq. (45)]. With P ≈ A⁻¹ the block P_AA approximates
//! (A_AA − A_AF A_FF⁻¹ A_FA)⁻¹: the pinned rows, where the pressure is zero, are treated as if the
//! wall were still there. Kept so that the effect can be measured; see
//! `docs/preconditioning.md`.

use unstick_parallel as parallel;

use super::Preconditioner;
use crate::error::SolveError;
use crate::linear::Subsystem;

/// A preconditioner of the whole operator, seen through the mask of the system.
pub struct Reused {
    inner: Box<dyn Preconditioner>,
    is_built: bool,
    free: Vec<bool>,
}

impl Reused {
    /// Wraps a preconditioner.
    pub fn new(inner: Box<dyn Preconditioner>) -> Self {
        Self { inner, is_built: false, free: Vec::new() }
    }
}

impl Preconditioner for Reused {
    fn forget(&mut self) {
        self.is_built = false;
    }

    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        self.free.clear();
        self.free.extend((0..system.size()).map(|row| system.is_free(row)));
        if !self.is_built {
            self.inner.rebuild(&Subsystem::whole(system.operator()))?;
            self.is_built = true;
        }
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        self.inner.apply(r, z);
        parallel::for_each((self.free.as_slice(), r, z), |(free, r, z)| {
            for ((free, r), z) in free.iter().zip(r).zip(z) {
                if !free {
                    *z = *r;
                }
            }
        });
    }
}
