//! Numbers that are none are found before a step and named. They spread: a few steps later nothing tells any more where
//! they came from.

use unstick_grid::{NotANumber, NumberPlace};

use super::Simulation;
use crate::error::StepError;

impl<const D: usize> Simulation<D> {
    /// Refuses a state that nothing can go on from: that of the middle of a step that failed, or one with a number that
    /// is NaN or infinite. It must not be stored in place of an earlier one.
    pub fn check_state(&self) -> Result<(), StepError> {
        match self.is_between_steps {
            true => self.check_finite(),
            false => Err(StepError::Broken { step: self.state.step }),
        }
    }

    /// Refuses a state with a number that is NaN or infinite.
    pub(super) fn check_finite(&self) -> Result<(), StepError> {
        self.first_not_finite().map_or(Ok(()), |number| Err(self.not_finite(number)))
    }

    /// The error for a number of the state.
    pub(crate) fn not_finite(&self, number: NotANumber) -> StepError {
        StepError::NotFinite { time: self.state.time, step: self.state.step, number }
    }

    fn first_not_finite(&self) -> Option<NotANumber> {
        let (state, particles) = (&self.state, &self.state.particles);
        let of_particles = |field, rows: &[[f64; D]]| NotANumber::in_rows(field, NumberPlace::Particle, rows);
        let of_affine = || {
            let found = NotANumber::in_rows("gradient", NumberPlace::Particle, particles.affine.as_flattened())?;
            let NumberPlace::Particle(row) = found.place else { return Some(found) };
            Some(NotANumber { place: NumberPlace::Particle(row / D), ..found })
        };
        of_particles("position", &particles.position)
            .or_else(|| of_particles("velocity", &particles.velocity))
            .or_else(of_affine)
            .or_else(|| NotANumber::in_faces("velocity", &state.velocity))
            .or_else(|| NotANumber::in_cells("pressure", &state.pressure))
            .or_else(|| NotANumber::in_cells("distance to the liquid", &state.liquid))
            .or_else(|| self.first_in_bodies())
    }

    fn first_in_bodies(&self) -> Option<NotANumber> {
        let bodies = self.bodies.as_ref()?.immersed();
        bodies.iter().enumerate().find_map(|(number, body)| {
            let in_row = |field, row: &[f64]| {
                let value = row.iter().copied().find(|value| !value.is_finite())?;
                Some(NotANumber { field, place: NumberPlace::Body(number), value })
            };
            in_row("position", &body.centre)
                .or_else(|| in_row("velocity", &body.velocity))
                .or_else(|| in_row("spin", &body.spin))
        })
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::{Grid, SignedDistance};

    use crate::{Setup, Simulation, StepError, Transport};

    #[test]
    fn a_number_that_is_none_is_caught_in_one_step_and_named() {
        type Injection = fn(&mut Simulation<2>, f64);
        let cases: [(&str, Injection); 6] = [
            ("the position of particle 7 is", |tank, bad| tank.state.particles.position[7][1] = bad),
            ("the velocity of particle 7 is", |tank, bad| tank.state.particles.velocity[7][0] = bad),
            ("the gradient of particle 7 is", |tank, bad| tank.state.particles.affine[7][1][0] = bad),
            ("the velocity of face [3, 4] across axis 1 is", |tank, bad| *tank.state.velocity[1].at_mut([3, 4]) = bad),
            ("the pressure of cell [2, 3] is", |tank, bad| *tank.state.pressure.at_mut([2, 3]) = bad),
            ("the distance to the liquid of cell [2, 3] is", |tank, bad| *tank.state.liquid.at_mut([2, 3]) = bad),
        ];
        for (said, inject) in cases {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut setup = Setup::new(Grid::<2>::unit(8).unwrap());
                setup.transport = Transport::Apic;
                let mut tank = Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0, 0.5])).unwrap();
                tank.advance(0.01).unwrap();
                inject(&mut tank, bad);
                let error = tank.advance(0.01).unwrap_err();
                assert!(matches!(error, StepError::NotFinite { step: 1, .. }), "{error}");
                assert!(error.to_string().contains(&format!("after 1 steps: {said} {bad}")), "{error}");
                assert!(matches!(tank.check_state(), Err(StepError::NotFinite { .. })), "{said} {bad} is stored");
            }
        }
    }
}
