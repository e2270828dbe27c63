//! Particles as files hold them.

use crate::in_space;

/// Positions and velocities of particles, all of them or one in so many.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, const D: usize> {
    /// Seconds.
    pub time: f64,
    /// Where they are.
    pub position: &'a [[f64; D]],
    /// How fast they are; as many.
    pub velocity: &'a [[f64; D]],
    /// One of so many is written; 1 for all.
    pub thin: usize,
}

impl<const D: usize> Points<'_, D> {
    /// How many are written.
    pub fn len(&self) -> usize {
        self.position.len().div_ceil(self.thin.max(1))
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Those that are written, of positions or velocities.
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
