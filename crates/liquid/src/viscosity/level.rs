//! Coarser systems, of cells of twice the size.
//!
//! Velocity is interpolated linearly, P, from all coarse faces around a fine one. Liquid that turns or stretches evenly is
//! then seen by every level, also where it is thinner than a coarse cell. Faces beyond the liquid take part: they have no mass
//! of their own and follow what strains them.
//!
//! The strain of P u is linear between coarse strains of u too: on an edge s = Σ w S with weights w that add to ½, as strain
//! per cell is half as much. The square is convex, so e s² ≤ ¼ Σ (2w) e S². A coarse edge, cell or face takes what
//! stands here: its coefficient is Pᵀ of the fine ones, and a quarter of that for strain. The energy of a coarse velocity is never less than
//! that of Pᵀ A P, so no correction goes too far. Rotations cost nothing on any level. Coefficients that were only summed over
//! the volume of a coarse cell made the surface too soft, and took up to 25 times the iterations.

use unstick_parallel as parallel;

use super::lattice::{Lattice, pairs};
use super::pool::Pool;
use super::system::System;
use super::transfer::{Along, gather, interpolate};

/// A level and how it hangs together with the next coarser one.
pub(super) struct Level<const D: usize> {
    pub system: System<f32, D>,
    /// 1/diagonal; zero for faces that do not count.
    pub inverse: Vec<f32>,
    /// Work: the iterate, the right-hand side, the residual, the direction.
    pub x: Vec<f32>,
    pub b: Vec<f32>,
    pub r: Vec<f32>,
    pub d: Vec<f32>,
}

impl<const D: usize> Level<D> {
    fn new(system: System<f32, D>, pool: &Pool) -> Self {
        let mut inverse = system.diagonal(pool);
        parallel::for_each(inverse.as_mut_slice(), |values| {
            values.iter_mut().for_each(|value| *value = if *value > 0.0 { 1.0 / *value } else { 0.0 });
        });
        let work = || pool.filled(inverse.len(), 0f32);
        let (x, b, r, d) = (work(), work(), work(), work());
        Self { system, inverse, x, b, r, d }
    }

    /// All levels, the finest first.
    pub fn all(finest: System<f32, D>, pool: &Pool) -> Vec<Self> {
        let mut levels = vec![Self::new(finest, pool)];
        while let Some(fine) = levels.last()
            && let Some(lattice) = fine.system.lattice.coarse()
        {
            levels.push(Self::new(coarsen(&fine.system, lattice, pool), pool));
        }
        levels
    }

    /// Keeps the arrays for others.
    pub fn give_back(self, pool: &Pool) {
        self.system.give_back(pool);
        pool.keep([self.inverse, self.x, self.b, self.r, self.d]);
    }

    /// b of the coarse level ← Pᵀ r.
    pub fn restrict(&self, coarse: &mut Self) {
        let (from, to) = (&self.system.lattice, &coarse.system.lattice);
        let residuals = self.r.chunks(from.len());
        for (axis, (r, b)) in residuals.zip(coarse.b.chunks_mut(to.len())).enumerate() {
            gather((from, r), Along::straddling(&[axis]), 1.0, (to, b));
        }
    }

    /// x ← x + P x of the coarse level.
    pub fn correct(&mut self, coarse: &Self) {
        let (from, to) = (&coarse.system.lattice, &self.system.lattice);
        let faces = self.inverse.chunks(to.len()).zip(self.x.chunks_mut(to.len()));
        for (axis, (of_coarse, (counts, x))) in coarse.x.chunks(from.len()).zip(faces).enumerate() {
            interpolate((from, of_coarse), Along::straddling(&[axis]), (to, counts, x));
        }
    }
}

/// The system on cells of twice the size.
fn coarsen<const D: usize>(fine: &System<f32, D>, lattice: Lattice<D>, pool: &Pool) -> System<f32, D> {
    /// Strain per cell of the same velocity is half as much.
    const OF_STRAIN: f32 = 0.25;
    let mut coarse = System::empty(lattice, pool);
    let (from, to) = (&fine.lattice, &lattice);
    for axis in 0..D {
        let (old, new) = (axis * from.len()..(axis + 1) * from.len(), axis * to.len()..(axis + 1) * to.len());
        gather((from, &fine.faces[old.clone()]), Along::straddling(&[axis]), 1.0, (to, &mut coarse.faces[new.clone()]));
        // Between two planes velocity is linear, so all cells there have the same strain across.
        let mut along = [Along::Cells; D];
        along[axis] = Along::Inside;
        gather((from, &fine.cells[old]), along, OF_STRAIN, (to, &mut coarse.cells[new]));
    }
    for (number, axes) in pairs::<D>() {
        gather((from, &fine.edges[number]), Along::straddling(&axes), OF_STRAIN, (to, &mut coarse.edges[number]));
    }
    coarse
}
