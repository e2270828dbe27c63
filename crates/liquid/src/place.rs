//! Walls and bodies, put where they are.

use unstick_mlcp::Convergence;

use crate::error::StepError;
use crate::geometry::Geometry;
use crate::step::Simulation;

impl<const D: usize> Simulation<D> {
    pub(crate) fn move_solids(&mut self) {
        if self.setup.has_motion() || self.bodies.is_some() {
            self.place_solids();
        }
    }

    /// Walls and bodies where they are now.
    pub(crate) fn place_solids(&mut self) {
        self.placed += 1;
        self.geometry = match &self.walls {
            Some(walls) => walls.clone(),
            None => Geometry::at(&self.setup, self.state.time),
        };
        if let Some(bodies) = &self.bodies {
            self.geometry.immerse(&self.setup.grid, bodies.immersed());
        }
    }

    /// Resolves contacts and moves the bodies to the end of the step.
    pub(crate) fn move_bodies(&mut self, dt: f64) -> Result<Convergence, StepError> {
        let Some(bodies) = &mut self.bodies else { return Ok(Convergence::default()) };
        let time = self.state.time;
        let contacts = bodies.advance(dt).map_err(|message| StepError::Bodies { time, message })?;
        self.state.bodies = bodies.store();
        Ok(contacts)
    }
}
