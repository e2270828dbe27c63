//! Multigrid: errors that are smooth on one grid are solved for on a coarser one.
//!
//! A hierarchy of assembled levels for any system with entries. Where the operator knows its
//! [lattice](crate::Lattice), cells are gathered 2^D at a time with the transfers of \[Lai2021, sec.
//! 5.3\]; coarse unknowns are the connected parts of the liquid in each block. Other matrices are
//! coarsened by smoothed aggregation. One V-cycle is a symmetric positive definite
//! [`Preconditioner`]: Gauss–Seidel sweeps, red–black on the finest level of a lattice, run backwards
//! after the coarse correction.
//!
//! Pinned rows are left out of every level. A coarse level that still has the wall where the fine one has
//! let go would correct in the wrong direction. When the active set changes, the transfers stay, and coarse
//! matrices are recomputed around the rows that changed.

mod aggregate;
mod cycle;
pub(crate) mod exact;
pub(crate) mod finest;
mod galerkin;
pub(crate) mod hierarchy;
mod params;
mod sites;
pub(crate) mod smooth;
pub(crate) mod sparse;
mod transfer;

pub(crate) use sites::Roots;

pub use params::{Coarsening, MultigridParams, MultigridVariant, Transfer};

use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::precondition::Preconditioner;
use hierarchy::MatrixHierarchy;

/// One V-cycle as a preconditioner.
///
/// ```
/// use unstick_mlcp::linear::Subsystem;
/// use unstick_mlcp::multigrid::Multigrid;
/// use unstick_mlcp::precondition::Preconditioner;
/// use unstick_problems::Example;
///
/// let problem = Example::SphereHalf.generate(2, 32, 0)?;
/// let mut multigrid = Multigrid::default();
/// multigrid.rebuild(&Subsystem::whole(problem.mlcp().operator()))?;
/// assert!(multigrid.level_sizes().windows(2).all(|pair| pair[1] < pair[0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Multigrid {
    variant: Option<MultigridVariant>,
    params: MultigridParams,
    hierarchy: Option<MatrixHierarchy>,
}

impl Multigrid {
    /// A variant that needs a [lattice](crate::Lattice), or with `None` the default one on a lattice and smoothed
    /// aggregation elsewhere.
    pub fn new(variant: Option<MultigridVariant>, params: MultigridParams) -> Self {
        Self { variant, params, hierarchy: None }
    }

    /// Unknowns of every level, the finest first; nothing before the first rebuild.
    pub fn level_sizes(&self) -> Vec<usize> {
        self.hierarchy.as_ref().map(MatrixHierarchy::sizes).unwrap_or_default()
    }
}

impl Preconditioner for Multigrid {
    fn forget(&mut self) {
        self.hierarchy = None;
    }

    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        match &mut self.hierarchy {
            Some(hierarchy) if hierarchy.fits(system) => hierarchy.refresh(system),
            _ => {
                self.hierarchy = Some(MatrixHierarchy::build(system, self.variant, self.params.coarsest)?);
                Ok(())
            }
        }
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        match &mut self.hierarchy {
            Some(hierarchy) => hierarchy.apply(self.params.sweeps, r, z),
            None => unstick_parallel::vector::copy(r, z),
        }
    }
}

#[cfg(test)]
mod tests;
