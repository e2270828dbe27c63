//! The stage of a step: from the velocity after forces to one with viscous stress.

use std::f64::consts::PI;

use unstick_flow::Viscosity;
use unstick_grid::{CellField, FaceField};
use unstick_mlcp::fields::Window;
use unstick_mlcp::{Convergence, Unconverged};
use unstick_parallel::clock::Instant;
use unstick_parallel::{self as parallel, vector};

use super::medium::Medium;
use super::solve::solve;
use super::walls::LocalDrag;
use crate::error::StepError;
use crate::particles::scatter::CALMING;
use crate::pressure::update_velocity;
use crate::setup::{Drag, Setup};
use crate::simulation::Simulation;
use crate::simulation::report::Stage;
use crate::velocity::extrapolate;

/// Rounds in which viscosity and friction follow the velocity. Each leaves about half of what the one before has left.
pub(super) const ROUNDS: usize = 5;

/// A rate of shear at which no law changes any more, in 1/s.
const FASTEST_SHEAR: f64 = 1e9;

impl<const D: usize> Simulation<D> {
    /// Lets viscosity and the drag of walls act for a time of `kick`.
    pub(crate) fn apply_viscosity(&mut self, kick: f64, dt: f64) -> Result<Convergence, StepError> {
        if !self.setup.has_stress() || self.state.particles.is_empty() {
            return Ok(Convergence::default());
        }
        let cells = self.setup.grid.cells();
        let mut load = self.load.take().unwrap_or_else(|| CellField::filled(cells, 0.0));
        vector::copy(self.state.pressure.values(), load.values_mut());
        self.hold_sources();
        self.predict_pressure(kick, dt)?;
        let start = Instant::now();
        let Self { setup, geometry, state, known, scaled_pressure, gathered, carrying, pool, .. } = self;
        // Beyond the liquid particles know the velocity, and only the change by the pressure is carried there.
        let predicted = carrying;
        predicted.iter_mut().for_each(|field| vector::clear(field.values_mut()));
        let all = Window::whole(setup.grid.cells());
        update_velocity(&setup.grid, &geometry.open, &state.liquid, scaled_pressure, predicted, known, all);
        extrapolate(predicted, known, 2, all);
        for (predicted, velocity) in predicted.iter_mut().zip(&state.velocity) {
            vector::add_scaled(1.0, velocity.values(), predicted.values_mut());
        }
        // What walls bear is known from the last step, and where it is not, from the prediction.
        parallel::for_each((load.values_mut(), state.pressure.values()), |(load, predicted)| {
            load.iter_mut().zip(predicted).filter(|(load, _)| **load <= 0.0).for_each(|(load, new)| *load = *new);
        });
        let wet = (&state.liquid, &state.separated, &load);
        let medium = Medium::new(setup, geometry, wet, (state.time, kick), pool);
        let (change, convergence) = medium.change(setup, predicted, gathered);
        medium.add(&change, &mut state.velocity);
        medium.give_back();
        pool.keep([change]);
        self.load = Some(load);
        self.times.add(Stage::Viscosity, start.elapsed());
        if convergence.converged() || self.setup.pressure.on_unconverged == Unconverged::Accept {
            return Ok(convergence);
        }
        Err(StepError::ViscosityUnconverged { time: self.state.time, convergence })
    }
}

impl<const D: usize> Setup<D> {
    /// Memory that a viscous solve takes for every cell of a box around the liquid, at most.
    pub fn bytes_per_cell_of_viscosity(&self) -> f64 {
        if !self.has_stress() {
            return 0.0;
        }
        // Two systems and eleven vectors in double precision; the levels, each an eighth of the one before, in single.
        let (system, vector) = ((2 * D + D * (D - 1) / 2) as f64, D as f64);
        8.0 * (2.0 * system + 11.0 * vector) + 4.0 * (system + 5.0 * vector) * 8.0 / 7.0
    }

    /// Rate at which the affine part of `apic` fades. Viscosity damps the shortest waves at the rate ν(π/h)² by itself. What
    /// fades beyond that would only brake what turns: a box of thick liquid lost a quarter of its angular momentum in half a turn.
    pub fn calming(&self) -> f64 {
        let least = self.viscosity.at(0.0).min(self.viscosity.at(FASTEST_SHEAR));
        (CALMING - least * (PI / self.grid.spacing()).powi(2)).max(0.0)
    }

    /// How far a source holds what leaves it. That of a viscous liquid is a nozzle, and faces less than half a cell beyond it
    /// are those through which liquid leaves. Otherwise the thread would draw more than the source says.
    pub fn mouth(&self) -> f64 {
        if self.has_stress() { 0.5 * self.grid.spacing() } else { 0.0 }
    }

    /// Whether there is viscosity or friction.
    pub fn has_stress(&self) -> bool {
        self.viscosity != Viscosity::Newtonian(0.0) || self.drags().any(|drag| matches!(drag, Drag::Friction(_)))
    }
}

impl<const D: usize> Medium<'_, D> {
    /// What viscosity changes of a velocity, for all faces of the box, and how the solve ended.
    /// Shear is at first that of the velocity with which the step started: forces shear what a yield stress holds.
    fn change(
        &self,
        setup: &Setup<D>,
        velocity: &FaceField<f64, D>,
        started: &FaceField<f64, D>,
    ) -> (Vec<f64>, Convergence) {
        let before = self.take(velocity);
        let (mut shape, mass, patches) = (self.shape(), self.mass(), self.patches(setup, &before));
        let law = &setup.viscosity;
        let has_friction = patches.iter().any(|patch| matches!(patch.drag, LocalDrag::Friction(_)));
        let rounds = if matches!(law, Viscosity::Newtonian(_)) && !has_friction { 1 } else { ROUNDS };
        let zeros = || self.pool.filled(before.len(), 0.0);
        let mut change = zeros();
        // Where viscosity and friction follow it, the velocity of the last round.
        let mut now = if rounds > 1 { self.pool.copied(&before) } else { Vec::new() };
        let mut convergence = Convergence::default();
        for round in 0..rounds {
            let viscosity = match (law, round) {
                (Viscosity::Newtonian(viscosity), _) => self.pool.filled(self.lattice.len(), *viscosity),
                (_, 0) => {
                    let started = self.take(started);
                    let viscosity = self.viscosity(law, &shape, &started);
                    self.pool.keep([started]);
                    viscosity
                }
                _ => self.viscosity(law, &shape, &now),
            };
            let (mut drag, mut force) = (zeros(), zeros());
            let mut pull = zeros();
            let velocity = if round == 0 { &before } else { &now };
            self.add_drag(&patches, (&viscosity, velocity), round, (&mut drag, &mut pull));
            self.hold_sources(setup, &viscosity, (&mut drag, &mut pull));
            let of_round = if round + 1 < rounds { shape.copied(self.pool) } else { shape.take() };
            let mut system = self.system(of_round, &viscosity, drag);
            // −(strain + drag) u + pull of the walls.
            system.products(&before, &mut force, |first, force| {
                force.iter_mut().zip(&pull[first..]).for_each(|(force, pull)| *force = pull - *force);
            });
            let diagonal = self.add_mass(&mut system, &mass);
            let solved = solve(&system, &diagonal, force, &mut change, setup.viscosity_tolerance, self.pool);
            system.give_back(self.pool);
            self.pool.keep([viscosity, pull, diagonal]);
            convergence = convergence.and(solved);
            if round + 1 < rounds {
                vector::copy(&before, &mut now);
                vector::add_scaled(1.0, &change, &mut now);
            }
        }
        self.pool.keep([before, mass, now]);
        (change, convergence)
    }
}
