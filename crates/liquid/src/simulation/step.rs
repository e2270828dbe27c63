//! One step after another.

use unstick_grid::by_dimension;
use unstick_grid::vector::length;
use unstick_mlcp::{Convergence, Unconverged, in_pool};
use unstick_parallel as parallel;

use super::Simulation;
use super::report::{AdvanceReport, StageTimes, StepReport};
use crate::error::StepError;
use crate::setup::Setup;
use crate::tension;

/// A speed whose square is this many times what gravity adds leaves few digits of the difference of both roots.
const CANCELS: f64 = 1e8;

impl<const D: usize> Simulation<D> {
    /// Takes as many steps as it needs to reach `time` exactly.
    pub fn advance_to(&mut self, time: f64) -> Result<AdvanceReport, StepError> {
        let mut report = AdvanceReport::default();
        while let Some(dt) = self.next_step(time) {
            report.steps.push(self.advance(dt)?);
        }
        Ok(report)
    }

    /// Length of the next step towards `time`; none if it is reached.
    ///
    /// The rest of the time is divided into equal steps, so that the last one is not tiny.
    pub fn next_step(&self, time: f64) -> Option<f64> {
        self.setup.next_step(self.state.time, time, || self.fastest())
    }

    /// The speed of the fastest particle or body.
    pub fn fastest(&self) -> f64 {
        if let Some(fastest) = self.fastest_of_all {
            return fastest;
        }
        self.fastest_here()
    }

    /// The same without what other ranks have.
    pub(crate) fn fastest_here(&self) -> f64 {
        let of_block =
            |velocities: &[[f64; D]]| velocities.iter().map(|&velocity| length(velocity)).fold(0.0, f64::max);
        parallel::fold(self.state.particles.velocity.as_slice(), &of_block, &f64::max).max(self.fastest_body())
    }

    /// The speed of the fastest body.
    pub(super) fn fastest_body(&self) -> f64 {
        let bodies = self.bodies.iter().flat_map(|bodies| bodies.immersed());
        bodies.map(|body| length(body.velocity)).fold(0.0, f64::max)
    }

    /// One step, of length `dt` or of less where the setup shortens steps.
    ///
    /// After an error the state is that of the middle of the step: [`check_state`](Self::check_state) says so, and further
    /// steps are refused. With `shorten-step`, which keeps a copy, it is that of the start of the step.
    pub fn advance(&mut self, dt: f64) -> Result<StepReport, StepError> {
        in_pool(|| by_dimension(self, dt, advance_in_plane, advance_in_space))
    }

    fn advance_or_shorten(&mut self, mut dt: f64) -> Result<StepReport, StepError> {
        self.times = StageTimes::default();
        if self.setup.pressure.on_unconverged != Unconverged::ShortenStep {
            return self.try_advance(dt);
        }
        let (start, fastest) = (self.state.clone(), self.fastest_of_all);
        let mut halvings = 0;
        loop {
            let error = match self.try_advance(dt) {
                Ok(report) => return Ok(report),
                Err(error) => error,
            };
            self.state = start.clone();
            self.fastest_of_all = fastest;
            self.is_between_steps = true;
            self.sort_particles();
            if let Some(bodies) = &mut self.bodies {
                bodies.load(self.state.time, &self.state.bodies);
            }
            self.place_solids();
            if halvings >= Unconverged::MAX_HALVINGS || !error.is_unconverged() {
                return Err(error);
            }
            halvings += 1;
            dt *= 0.5;
        }
    }

    /// The algorithm.
    fn try_advance(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let time = self.state.time;
        if !(dt > 0.0 && time + dt > time && dt.is_finite()) {
            return Err(StepError::TooShort { time, dt, speed: self.fastest() });
        }
        let checked = self.check_state();
        self.share.as_ref().map_or(checked.clone(), |share| share.agree(time, checked))?;
        self.is_between_steps = false;
        self.coupling = Convergence::default();
        let kick = self.prepare_pressure(dt);
        self.viscosity = self.apply_viscosity(kick, dt)?;
        let solve = self.project_pressure(kick, dt)?;
        self.hold_sources();
        let density = self.spread_velocity(kick, dt)?;
        self.even_out_particles(dt);
        self.move_particles(dt)?;
        let contacts = self.move_bodies(dt)?;
        self.state.time += dt;
        self.state.last_step = dt;
        self.state.step += 1;
        let report = self.report(dt, &solve, density, contacts)?;
        self.is_between_steps = true;
        Ok(report)
    }

    /// All of a step before the pressure; returns the seconds over which forces and pressure act.
    pub(crate) fn prepare_pressure(&mut self, dt: f64) -> f64 {
        // Velocity lives half a step behind position: forces act over half of the last step and
        // half of this one, which makes free fall exact.
        let kick = 0.5 * (self.state.last_step + dt);
        self.move_solids();
        self.exchange_particles();
        self.gather_velocity(dt);
        self.apply_forces(kick);
        self.track_surface();
        self.geometry.fill_cut_cells(&self.setup.grid, &mut self.state.liquid);
        self.apply_tension(kick);
        self.find_air();
        kick
    }
}

impl<const D: usize> Setup<D> {
    /// Length of the next step from `now` towards `time`, with the speed of what is fastest; none if it is reached.
    pub fn next_step(&self, now: f64, time: f64, fastest: impl FnOnce() -> f64) -> Option<f64> {
        let left = time - now;
        if left <= 1e-12 * time.abs().max(1e-3) {
            return None;
        }
        let longest = self.longest_step(now, fastest()).min(self.max_step).min(tension::longest_step(self));
        Some(equal_part(left, left / longest * (1.0 - 1e-9)))
    }

    /// The step in which the fastest particle or body crosses `cfl` cells, gravity included.
    fn longest_step(&self, now: f64, fastest: f64) -> f64 {
        let gravity = length(self.gravity.at(now));
        let distance = self.cfl * self.grid.spacing();
        // distance = (v + g dt) dt
        let rise = 4.0 * gravity * distance;
        if gravity > 0.0 && fastest * fastest > CANCELS * rise {
            2.0 * distance / (fastest + fastest.hypot(rise.sqrt()))
        } else if gravity > 0.0 {
            ((fastest * fastest + rise).sqrt() - fastest) / (2.0 * gravity)
        } else if fastest > 0.0 {
            distance / fastest
        } else {
            f64::INFINITY
        }
    }
}

#[inline(never)]
fn advance_in_plane(simulation: &mut Simulation<2>, dt: f64) -> Result<StepReport, StepError> {
    simulation.advance_or_shorten(dt)
}

#[inline(never)]
fn advance_in_space(simulation: &mut Simulation<3>, dt: f64) -> Result<StepReport, StepError> {
    simulation.advance_or_shorten(dt)
}

/// The length of a step when what is left is divided into `steps` equal ones, rounded up to a whole number.
pub fn equal_part(left: f64, steps: f64) -> f64 {
    left / steps.ceil().max(1.0)
}

#[cfg(test)]
mod tests {
    use unstick_grid::{Grid, SignedDistance};

    use super::*;
    use crate::Gravity;

    fn drop(change: impl FnOnce(&mut Setup<2>)) -> Simulation<2> {
        let mut setup = Setup::new(Grid::<2>::unit(8).unwrap());
        change(&mut setup);
        Simulation::new(setup, &SignedDistance::sphere([0.5; 2], 0.2)).unwrap()
    }

    #[test]
    fn the_rest_of_the_time_is_divided_into_equal_steps() {
        let simulation = drop(|setup| setup.max_step = 0.01);
        assert_eq!(simulation.next_step(0.025), Some(0.025 / 3.0));
        assert_eq!(simulation.next_step(0.01), Some(0.01));
        assert_eq!(simulation.next_step(0.0), None);
    }

    fn longest_step(simulation: &Simulation<2>) -> f64 {
        simulation.setup.longest_step(simulation.state.time, simulation.fastest())
    }

    #[test]
    fn the_longest_step_takes_the_fastest_particle_across_a_cell() {
        // distance = (v + g dt) dt, with a cell of 1/8
        let mut resting = drop(|_| ());
        assert!((longest_step(&resting) - (0.125f64 / 9.81).sqrt()).abs() < 1e-12);
        resting.state.particles.velocity[3] = [3.0, 4.0];
        let dt = longest_step(&resting);
        assert!(((5.0 + 9.81 * dt) * dt - 0.125).abs() < 1e-12);
        for speed in [1e5, 1e9, 1e100, 1e200] {
            resting.state.particles.velocity[3] = [speed, 0.0];
            assert!((longest_step(&resting) * speed / 0.125 - 1.0).abs() < 1e-7, "{speed:e}");
        }
        let floating = drop(|setup| setup.gravity = Gravity::Constant([0.0; 2]));
        assert_eq!(longest_step(&floating), f64::INFINITY);
    }

    #[test]
    fn a_step_that_does_not_move_the_clock_is_refused_with_numbers() {
        let mut simulation = drop(|_| ());
        simulation.state.time = 1.0;
        for dt in [0.0, 1e-20, f64::NAN] {
            let error = simulation.advance(dt).unwrap_err();
            assert!(matches!(error, StepError::TooShort { time: 1.0, speed: 0.0, .. }), "{error}");
        }
    }

    /// No solve reaches such a tolerance: a step fails in its middle, after the particles were sorted and gravity has acted.
    #[test]
    fn a_step_that_fails_leaves_its_middle_which_is_refused_or_its_start() {
        let tank = |on_unconverged| {
            let mut setup = Setup::new(Grid::<2>::unit(8).unwrap());
            (setup.pressure.tolerance, setup.pressure.on_unconverged) = (1e-300, on_unconverged);
            Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [1.0, 0.5])).unwrap()
        };
        let mut stopped = tank(Unconverged::Error);
        assert!(stopped.check_state().is_ok());
        assert!(matches!(stopped.advance(f64::NAN), Err(StepError::TooShort { .. })));
        assert!(stopped.check_state().is_ok(), "nothing was touched");
        assert!(matches!(stopped.advance(0.01), Err(StepError::Unconverged { .. })));
        assert!(matches!(stopped.check_state(), Err(StepError::Broken { step: 0 })));
        assert!(matches!(stopped.advance(0.01), Err(StepError::Broken { step: 0 })));

        let mut shortened = tank(Unconverged::ShortenStep);
        let start = shortened.state().clone();
        assert!(matches!(shortened.advance(0.01), Err(StepError::Unconverged { .. })));
        assert!(shortened.check_state().is_ok() && *shortened.state() == start);
    }

    #[test]
    fn free_fall_is_exact_from_the_first_step_on() {
        let mut simulation = drop(|setup| setup.volume_correction = false);
        let before = simulation.state.particles.position[0][1];
        for dt in [0.01, 0.02] {
            simulation.advance(dt).unwrap();
        }
        let fallen = before - simulation.state.particles.position[0][1];
        assert!((fallen - 0.5 * 9.81 * 0.03f64.powi(2)).abs() < 1e-6, "{fallen}");
        assert_eq!((simulation.state.step, simulation.state.last_step), (2, 0.02));
    }
}
