//! Changes from outside, between two steps: for programs that drive a simulation.

use super::Simulation;
use super::guard::Guard;
use crate::error::StepError;
use crate::setup::Gravity;
use crate::state::LiquidState;

impl<const D: usize> Simulation<D> {
    /// Changes the state between two steps, but for the time and the number of steps. What the change explains, later steps do not complain of.
    ///
    /// A change is refused, and nothing is changed, if it leaves numbers that are none, particles outside of the grid, or
    /// arrays of other lengths than the grid, the particles or the bodies ask for. The surface follows particles that have
    /// moved.
    ///
    /// ```
    /// use unstick_grid::{Grid, SignedDistance};
    /// use unstick_liquid::{Setup, Simulation};
    ///
    /// let tank = SignedDistance::cuboid([0.0; 2], [1.0, 0.5]);
    /// let mut simulation = Simulation::new(Setup::new(Grid::unit(8)?), &tank)?;
    /// simulation.advance(0.01)?;
    /// simulation.edit(|state| state.particles.velocity.iter_mut().for_each(|velocity| velocity[0] = 1.0))?;
    /// simulation.advance(0.01)?;
    /// assert!(simulation.edit(|state| state.particles.position[0][1] = 2.0).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit(&mut self, change: impl FnOnce(&mut LiquidState<D>)) -> Result<(), StepError> {
        self.check_state()?;
        let mut before = self.state.clone();
        change(&mut self.state);
        (self.state.time, self.state.step, self.state.last_step) = (before.time, before.step, before.last_step);
        if let Err(error) = self.check_fit(&before).and_then(|()| self.check_finite()) {
            std::mem::swap(&mut self.state, &mut before);
            return Err(error);
        }
        if let Some(bodies) = &mut self.bodies {
            bodies.load(self.state.time, &self.state.bodies);
        }
        self.fastest_of_all = None;
        let has_moved = self.state.particles.position != before.particles.position;
        self.sort_particles();
        if has_moved {
            self.track_surface();
        }
        self.guard = Guard::new(&self.setup, self.fastest());
        Ok(())
    }

    /// Acceleration from now on.
    pub fn set_gravity(&mut self, gravity: Gravity<D>) {
        self.setup.gravity = gravity;
    }

    fn check_fit(&self, before: &LiquidState<D>) -> Result<(), StepError> {
        let (state, particles, grid) = (&self.state, &self.state.particles, &self.setup.grid);
        let count = particles.len();
        let air_cells = if state.air.fits(grid.len()) { state.air.part_of.len() } else { grid.len() };
        let of_particles = [
            ("velocities of particles", particles.velocity.len(), count),
            ("gradients of particles", particles.affine.len(), if particles.affine.is_empty() { 0 } else { count }),
            ("numbers of particles", particles.id.len(), count),
            ("numbers of bodies", state.bodies.len(), before.bodies.len()),
            ("cells of the air", state.air.part_of.len(), air_cells),
        ];
        let of_cells = [
            ("cells of the pressure", state.pressure.shape()),
            ("cells of the distance to the liquid", state.liquid.shape()),
            ("cells of the density", state.density.shape()),
            ("cells that have let go", state.separated.shape()),
        ];
        let of_cells = of_cells.map(|(what, shape)| (what, shape, grid.cells()));
        let of_faces = (0..D).map(|axis| ("faces of the velocity", state.velocity[axis].shape(), grid.faces(axis)));
        let of_fields = of_cells.into_iter().chain(of_faces).filter(|(_, found, expected)| found != expected);
        let size = |shape: [usize; D]| shape.iter().product();
        let of_fields = of_fields.map(|(what, found, expected)| (what, size(found), size(expected)));
        let is_misfit = |(_, found, expected): &(&'static str, usize, usize)| found != expected;
        if let Some((what, found, expected)) = of_particles.into_iter().filter(is_misfit).chain(of_fields).next() {
            return Err(StepError::Misfit { what, found, expected });
        }
        let is_outside = |point: &[f64; D]| {
            (0..D).any(|axis| {
                let start = grid.origin()[axis];
                point[axis] < start || point[axis] > start + grid.cells()[axis] as f64 * grid.spacing()
            })
        };
        match particles.position.iter().position(is_outside) {
            Some(particle) => Err(StepError::Outside { particle, point: particles.position[particle].to_vec() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::{CellField, Grid, SignedDistance};

    use super::*;
    use crate::Setup;

    fn tank() -> Simulation<2> {
        let setup = Setup::new(Grid::<2>::unit(16).unwrap());
        let mut tank = Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0, 0.5])).unwrap();
        tank.advance(0.01).unwrap();
        tank
    }

    #[test]
    fn a_change_of_nothing_changes_no_bit() {
        let (mut edited, mut straight) = (tank(), tank());
        edited.edit(|_| ()).unwrap();
        assert_eq!(edited.state(), straight.state());
        edited.advance(0.01).unwrap();
        straight.advance(0.01).unwrap();
        assert_eq!(edited.state(), straight.state());
    }

    #[test]
    fn a_push_moves_the_liquid_and_a_jump_of_the_guard_is_explained() {
        let mut tank = tank();
        // A thousand times faster than anything so far.
        tank.edit(|state| state.particles.velocity.iter_mut().for_each(|velocity| velocity[1] = 300.0)).unwrap();
        assert!(tank.fastest() >= 300.0, "what was known of the state before is forgotten");
        let dt = tank.next_step(1.0).unwrap();
        tank.advance(dt).unwrap();
        assert!(tank.fastest() > 100.0);
    }

    #[test]
    fn liquid_may_be_added_and_taken_away() {
        let mut tank = tank();
        let before = tank.state().particles.len();
        tank.edit(|state| {
            state.particles.retain(|index| index % 2 == 0);
            state.particles.push([0.5, 0.9], [0.0; 2]);
        })
        .unwrap();
        assert_eq!(tank.state().particles.len(), before / 2 + 1);
        tank.advance(0.005).unwrap();
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_undone() {
        let mut tank = tank();
        let before = tank.state().clone();
        let mut refused = |change: fn(&mut LiquidState<2>)| {
            let message = tank.edit(change).unwrap_err().to_string();
            assert_eq!(tank.state(), &before, "{message}");
            message
        };
        assert_eq!(
            refused(|state| state.particles.position[3] = [0.5, 1.5]),
            "particle 3 is at [0.5, 1.5], outside of the grid"
        );
        assert_eq!(
            refused(|state| state.particles.velocity.truncate(511)),
            "511 velocities of particles, expected 512"
        );
        assert!(refused(|state| state.particles.velocity[3][0] = f64::NAN).contains("velocity of particle 3 is NaN"));
        assert_eq!(
            refused(|state| state.pressure = CellField::filled([3, 2], 0.0)),
            "6 cells of the pressure, expected 256"
        );
        tank.edit(|state| state.time = 7.0).unwrap();
        assert_eq!(tank.state(), &before);
    }
}
