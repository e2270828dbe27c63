//! The guard against speeds that nothing can explain.

use unstick_grid::vector::length;
use unstick_parallel::vector;

use crate::error::StepError;
use crate::setup::Setup;
use crate::share::Share;
use crate::solids::Geometry;

/// A run ends when anything is faster than so many times what can be explained. Jets that collapse reach about ten.
const ABSURD: f64 = 100.0;

/// The fastest that anything has been driven so far: by its start, sources, moving solids.
pub(crate) struct Guard {
    driven: f64,
}

impl Guard {
    /// `start` is the speed of the fastest particle or body at the start.
    pub fn new<const D: usize>(setup: &Setup<D>, start: f64) -> Self {
        let entering = setup.emitters.iter().filter_map(|emitter| emitter.velocity).map(length);
        Self { driven: entering.fold(start.max(setup.uniform_control().unwrap_or(0.0).abs()), f64::max) }
    }

    /// Remembers a speed at which something was driven.
    pub fn note_driven(&mut self, speed: f64) {
        self.driven = self.driven.max(speed);
    }

    /// Explains a speed.
    pub fn explain(&mut self, speed: f64) {
        self.driven = self.driven.max(speed);
    }

    /// The speed that starts, sources, solids, surface tension and a fall through the whole grid explain at this time.
    fn explained<const D: usize>(
        &mut self,
        (setup, geometry, share): (&Setup<D>, &Geometry<D>, Option<&Share<D>>),
        time: f64,
    ) -> f64 {
        let of_walls = geometry.walls_velocity().into_iter().flatten().map(|field| vector::norm_max(field.values()));
        self.driven = of_walls.fold(self.driven, f64::max);
        self.driven = share.map_or(self.driven, |share| share.largest(self.driven));
        let extent = setup.grid.whole().cells().map(|count| count as f64 * setup.grid.spacing());
        let fall = 2.0 * length(setup.gravity.at(time)) * length(extent);
        // The pressure γ/h of the strongest curvature drives so fast a jet.
        let tension = 2.0 * setup.tension / (setup.density * setup.grid.spacing());
        (self.driven.powi(2) + fall + tension).sqrt()
    }

    /// Refuses a largest `speed` that is absurd.
    pub fn check<const D: usize>(
        &mut self,
        (setup, geometry, share): (&Setup<D>, &Geometry<D>, Option<&Share<D>>),
        (time, dt): (f64, f64),
        speed: f64,
        energy: f64,
    ) -> Result<(), StepError> {
        let explained = self.explained((setup, geometry, share), time);
        if explained > 0.0 && speed > ABSURD * explained {
            return Err(StepError::Absurd { time, speed, explained, energy, dt });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::{Grid, SignedDistance};

    use super::*;
    use crate::Simulation;

    #[test]
    fn a_run_ends_with_numbers_when_a_particle_is_faster_than_anything_explains() {
        let tank = || {
            let setup = Setup::new(Grid::<2>::unit(8).unwrap());
            Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0, 0.5])).unwrap()
        };
        // A fall through the box ends at √(2 g √2) = 5.3 m/s.
        let mut hurled = tank();
        hurled.state.particles.velocity.iter_mut().for_each(|velocity| velocity[0] = 1e6);
        let error = hurled.advance(1e-9).unwrap_err();
        assert!(
            matches!(error, StepError::Absurd { speed, explained, .. } if speed > 1e5 && explained < 5.4),
            "{error}"
        );
        assert!(error.to_string().contains("m/s"), "{error}");
        assert!(tank().advance(0.01).is_ok());
    }
}
