//! Walls and bodies follow their motion.

use unstick_mlcp::Convergence;

use super::Simulation;
use crate::error::StepError;
use crate::solids::Geometry;

impl<const D: usize> Simulation<D> {
    /// Brings walls and bodies to the start of the step, if any of them moves.
    pub(super) fn move_solids(&mut self) {
        if self.setup.has_motion() || self.bodies.is_some() {
            self.place_solids();
        }
    }

    /// Makes the geometry of walls and bodies as they are now.
    pub(super) fn place_solids(&mut self) {
        self.geometry_version += 1;
        self.geometry = match &self.still_walls {
            Some(walls) => walls.clone(),
            None => Geometry::at(&self.setup, self.state.time),
        };
        if let Some(bodies) = &self.bodies {
            self.geometry.immerse(&self.setup.grid, bodies.immersed());
        }
    }

    /// Resolves contacts and moves the bodies to the end of the step.
    pub(super) fn move_bodies(&mut self, dt: f64) -> Result<Convergence, StepError> {
        let Some(bodies) = &mut self.bodies else { return Ok(Convergence::default()) };
        let time = self.state.time;
        let contacts = bodies.advance(dt).map_err(|message| StepError::Bodies { time, message })?;
        self.state.bodies = bodies.store();
        Ok(contacts)
    }
}
