//! Particles for export.

use crate::in_space;

/// Positions and velocities of all particles, or of every `thin`-th one.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, const D: usize> {
    /// Seconds.
    pub time: f64,
    /// Positions.
    pub position: &'a [[f64; D]],
    /// Velocities, one per position.
    pub velocity: &'a [[f64; D]],
    /// Every `thin`-th particle is written; 1 writes all.
    pub thin: usize,
}

impl<const D: usize> Points<'_, D> {
    /// Number of particles that are written.
    pub fn len(&self) -> usize {
        self.position.len().div_ceil(self.thin.max(1))
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// The positions or velocities that are written.
    pub(crate) fn kept<'b>(&self, values: &'b [[f64; D]]) -> impl Iterator<Item = &'b [f64; D]> + use<'b, D> {
        values.iter().step_by(self.thin.max(1))
    }

    pub(crate) fn positions(&self) -> impl Iterator<Item = [f64; 3]> {
        self.kept(self.position).map(in_space)
    }

    pub(crate) fn velocities(&self) -> impl Iterator<Item = [f64; 3]> {
        self.kept(self.velocity).map(in_space)
    }
}
