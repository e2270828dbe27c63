//! How densely the particles lie, and how it is held.
//!
//! Particles follow a velocity that is free of divergence cell by cell, not point by point. So they gather in some
//! places and thin out in others. This is an error of positions. It is corrected by displacements. Velocities are never
//! touched: a source in the pressure problem would leave its velocity behind, and the next step would have to brake it
//! by suction, which a separating wall refuses.
//!
//! There are two displacements. The first is one more velocity that moves the particles and is forgotten; so it costs as
//! much as faces, not as much as particles. The second comes before that, where the order by cells is still that of the
//! gather:
//!
//! 1. [`Blocks`]: the density ρ of blocks of 2^D cells is brought back to 1, as incompressible liquid would do it.
//!    With s the displacement and ψ its potential,
//!
//!    ```text
//!        s = −∇ψ,   div s = c (ρ − 1),   ψ = 0 at the surface,   s·n = 0 at walls and bodies
//!    ```
//!
//!    This is the pressure problem once more, with sealed walls, on 2^D times fewer cells \[Kugelstadt2019\]. c is the
//!    part that a step makes good. Small deviations fade within [`blocks::FADE`] seconds, whatever the step. Larger
//!    ones, which only impacts make, are halved at once.
//!    Bubbles are like the [bubbles of the pressure](crate::air): ψ is the same all over each, and its volume grows by what it
//!    lacks. So liquid that spreads does not fill them, and their volumes are held without a change of any velocity.
//! 2. [`spread`](spread::spread): two particles closer than a least distance move apart by what is missing. This keeps
//!    the density even inside of the blocks, and in films and spray that no block resolves.

pub(crate) mod blocks;
pub(crate) mod spread;

use std::sync::Arc;

use unstick_grid::{CellField, FaceField};
use unstick_mlcp::{Convergence, SolveError};

use crate::air::AirState;
use crate::setup::Setup;
use crate::share::Share;
use crate::solids::Geometry;
use blocks::Blocks;

/// Holds the density of the particles. It keeps memory, and nothing that a step depends on.
pub(crate) struct Distribution<const D: usize> {
    blocks: Blocks<D>,
    places: spread::Places<D>,
}

/// What the displacements depend on.
pub(crate) struct Crowd<'a, const D: usize> {
    pub setup: &'a Setup<D>,
    pub geometry: &'a Geometry<D>,
    /// Another number whenever the geometry is another.
    pub geometry_version: u64,
    /// Density at cell centres relative to full cells.
    pub density: &'a CellField<f64, D>,
    /// Distance to the liquid at cell centres.
    pub liquid: &'a CellField<f64, D>,
    /// Bubbles, where air is enclosed.
    pub air: &'a AirState,
    /// Cells whose wall has let go.
    pub separated: &'a CellField<bool, D>,
    /// Where each cell's particles start.
    pub starts: &'a [u32],
    /// The lines of cells whose particles are moved.
    pub lines: &'a [usize],
    /// What to add to the numbers of particles, by their lines of cells, to get those among all ranks.
    pub offsets: Option<&'a [u64]>,
    pub time: f64,
    /// Steps taken.
    pub step: u64,
}

impl<const D: usize> Distribution<D> {
    pub fn new(setup: &Setup<D>, share: Option<Arc<Share<D>>>) -> Self {
        Self { blocks: Blocks::new(&setup.grid, share), places: std::array::from_fn(|_| Vec::new()) }
    }

    /// Finds the displacement of a step of length `dt`, and says how its solve ended.
    pub fn project(&mut self, crowd: &Crowd<D>, dt: f64) -> Result<Convergence, SolveError> {
        self.blocks.project(crowd, dt)
    }

    /// Adds the displacement that was found to `carrying`, the velocity that will move all particles, at its `known` faces,
    /// and moves pairs apart.
    pub fn even_out(
        &mut self,
        crowd: &Crowd<D>,
        dt: f64,
        position: &mut [[f64; D]],
        (known, carrying): (&FaceField<bool, D>, &mut FaceField<f64, D>),
    ) {
        self.blocks.add_displacement(&crowd.setup.grid, dt, known, carrying);
        spread::spread(crowd, position, &mut self.places);
    }
}
