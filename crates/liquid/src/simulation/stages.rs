//! The stages of a step: solids that move, and what happens to velocity and particles.

use unstick_grid::FaceField;
use unstick_mlcp::fields::Window;
use unstick_mlcp::{Convergence, join};
use unstick_parallel as parallel;
use unstick_parallel::clock::Instant;
use unstick_parallel::vector;

use super::Simulation;
use super::report::Stage;
use crate::distribution::Crowd;
use crate::error::StepError;
use crate::particles::{exchange, gather, of_lines, scatter, trace};
use crate::setup::{Setup, Transport};
use crate::share::{BEYOND, DENSITY, GATHERED_LAYERS, Places, Share, cells_near, lines_of, places_inside};
use crate::solids::Geometry;
use crate::state::{LiquidState, MetSolids};
use crate::velocity::{Spray, advect, carry_outwards, constrain, extrapolate};
use crate::{surface, tension};

impl<const D: usize> Simulation<D> {
    pub(super) fn sort_particles(&mut self) {
        self.starts = self.state.particles.sort_by_cell(&self.setup.grid, &mut self.spare);
    }

    /// Particles → faces (or, for `semi-lagrangian`, faces → faces).
    pub(super) fn gather_velocity(&mut self, dt: f64) {
        let Self { setup, state, starts, gathered, known, reached, arrived, share, times, .. } = self;
        times.time(Stage::Gather, || {
            if setup.transport == Transport::SemiLagrangian && state.step > 0 {
                let before = state.velocity.clone();
                reached.iter_mut().for_each(|field| field.values_mut().fill(false));
                advect(&setup.grid, &before, 0.5 * (state.last_step + dt), &mut state.velocity);
            } else {
                let own = cells_near(share.as_deref(), 0, &setup.grid);
                gather::gather(&setup.grid, &state.particles, starts, (&mut state.velocity, known), arrived, own);
                let reach = setup.layers() + BEYOND;
                if let Some(share) = share {
                    share.fill_faces(reach + GATHERED_LAYERS, &mut state.velocity);
                    share.fill_faces(reach + GATHERED_LAYERS, known);
                }
                for (known, reached) in known.iter().zip(reached) {
                    vector::copy(known.values(), reached.values_mut());
                }
                let near = cells_near(share.as_deref(), reach, &setup.grid);
                extrapolate(&mut state.velocity, known, GATHERED_LAYERS, near);
            }
            exchange::prescribe(setup, (state.time, setup.mouth()), &mut state.velocity, known);
            copy_faces(&state.velocity, gathered);
        });
    }

    /// Gravity, on liquid and bodies.
    pub(super) fn apply_forces(&mut self, kick: f64) {
        let gravity = self.setup.gravity.at(self.state.time);
        if let Some(bodies) = &mut self.bodies {
            bodies.accelerate(gravity, kick);
            self.geometry.carry_bodies(&self.setup.grid, Some(bodies.immersed()));
        }
        for axis in 0..D {
            let change = gravity[axis] * kick;
            if change != 0.0 {
                parallel::for_each(self.state.velocity[axis].values_mut(), |values| {
                    values.iter_mut().for_each(|value| *value += change);
                });
            }
        }
    }

    /// Surface tension, on the faces of the surface.
    pub(super) fn apply_tension(&mut self, kick: f64) {
        let Self { setup, state, geometry, surface_energy, times, .. } = self;
        if setup.tension > 0.0 {
            times.time(Stage::Surface, || {
                let area = tension::apply(setup, geometry, &state.liquid, kick, &mut state.velocity);
                *surface_energy = setup.tension * area;
            });
        }
    }

    /// Sources and drains. Particles are sorted again after them.
    pub(super) fn exchange_particles(&mut self) {
        let Self { setup, state, starts, geometry, spare, share, times, .. } = self;
        times.time(Stage::Surface, || {
            if exchange::emit(setup, geometry, starts, share.as_deref(), state) {
                *starts = state.particles.sort_by_cell(&setup.grid, spare);
            }
        });
    }

    /// Brings viscous liquid in sources back to the velocity with which it enters. The pressure does not know of the nozzle
    /// that holds it against the pull of a thread.
    pub(crate) fn hold_sources(&mut self) {
        let Self { setup, state, known, .. } = self;
        if setup.has_stress() {
            exchange::prescribe(setup, (state.time, setup.mouth()), &mut state.velocity, known);
        }
    }

    /// Particles → density → liquid distance.
    pub(crate) fn track_surface(&mut self) {
        self.measure_density();
        let Self { setup, state, geometry, liquid_before, share, times, .. } = self;
        let (grid, share) = (&setup.grid, share.as_deref());
        times.time(Stage::Surface, || {
            std::mem::swap(&mut state.liquid, liquid_before);
            surface::track(grid, geometry, &state.density, &mut state.liquid, cells_near(share, 1, grid));
            let before = (&*liquid_before, &state.pressure, &state.air);
            let is_own = |cell| share.is_none_or(|share| share.has_inside(cell));
            let mut dried = surface::dried_cells(grid, geometry, before, &state.liquid, is_own);
            if let Some(share) = share {
                dried = share.all_dried(&dried);
            }
            surface::fill_gaps(grid, &surface::gaps(grid, &mut dried), &mut state.liquid);
            share.iter().for_each(|share| share.fill(&mut [(Places::CELLS, state.liquid.values_mut())]));
        });
    }

    pub(super) fn measure_density(&mut self) {
        let Self { setup, state, starts, geometry, share, times, .. } = self;
        times.time(Stage::Surface, || {
            let per_cell = setup.particles_per_cell();
            surface::measure_density(&setup.grid, geometry, &state.particles, starts, per_cell, &mut state.density);
            if let Some(share) = share {
                share.fill_near(DENSITY, &mut [(Places::CELLS, state.density.values_mut())]);
            }
        });
    }

    /// Velocity beyond the liquid and into solids, then faces → particles. Says how the displacement that brings the
    /// density of the particles back was found: it needs neither, and its small solve alone would leave threads idle.
    /// Forces have acted for a time of `kick`.
    pub(super) fn spread_velocity(&mut self, kick: f64, dt: f64) -> Result<Convergence, StepError> {
        let start = Instant::now();
        let Self { setup, state, geometry, geometry_version, starts, distribution, times, .. } = self;
        let Self { gathered, known, reached, adhesion, share, .. } = self;
        let LiquidState { velocity, particles, liquid, separated, density, air, time, step, .. } = state;
        let (geometry, geometry_version, time, step) = (&*geometry, *geometry_version, *time, *step);
        let (lines, offsets) = (&own_lines(setup, share.as_deref()), None);
        let meant = of_lines(lines, setup.grid.cells()[0], starts);
        let crowd = Crowd {
            setup,
            geometry,
            geometry_version,
            density,
            liquid,
            air,
            separated,
            starts,
            lines,
            offsets,
            time,
            step,
        };
        let fall = setup.gravity.at(time).map(|pull| pull * kick);
        // The longer one stays with the team of this thread.
        let ([extrapolated, scattered], found) = join(
            || {
                let start = Instant::now();
                if setup.has_stress() {
                    carry_change(geometry, gathered, velocity, (known, reached));
                }
                let pulls = |cell| adhesion.as_ref().is_some_and(|adhesion| adhesion.at(cell) > 0.0);
                let is_thin = |cell| air.least_pressure(setup.grid.index(cell)) < 0.0;
                let wets = setup.is_wetting();
                let is_held = |cell| (wets || pulls(cell) || is_thin(cell)) && !separated.at(cell);
                let spray = Spray { gathered, fall, reached };
                beyond_liquid(setup, geometry, share.as_deref(), (velocity, known), &spray, is_held);
                let extrapolated = start.elapsed();
                let transport = (setup.transport, setup.calming());
                scatter::scatter(&setup.grid, transport, dt, gathered, velocity, particles, &meant);
                [extrapolated, start.elapsed() - extrapolated]
            },
            || if setup.volume_correction { distribution.project(&crowd, dt) } else { Ok(Convergence::default()) },
        );
        times.add(Stage::Extrapolate, extrapolated);
        times.add(Stage::Scatter, scattered);
        times.add(Stage::Move, start.elapsed().saturating_sub(extrapolated + scattered));
        found.map_err(|source| StepError::Solve { time, source })
    }

    /// Brings walls and bodies to the start of the step, if any of them moves.
    pub(super) fn move_solids(&mut self) {
        if self.setup.has_motion() || self.bodies.is_some() {
            self.place_solids();
        }
    }

    /// Makes the geometry of walls and bodies as they are now.
    pub(super) fn place_solids(&mut self) {
        self.geometry_version += 1;
        self.state.met = MetSolids { time: self.state.time, bodies: self.state.bodies.clone() };
        let Self { setup, state, geometry, bodies, still_walls, still_solids, times, .. } = self;
        times.time(Stage::Solids, || {
            *geometry = match (still_walls, still_solids) {
                (Some(walls), _) => walls.clone(),
                (None, Some(still)) => Geometry::around(still, setup, state.time),
                (None, None) => Geometry::at(setup, state.time),
            };
            if let Some(bodies) = bodies {
                geometry.immerse(&setup.grid, bodies.immersed());
            }
        });
    }

    /// Resolves contacts and moves the bodies to the end of the step.
    pub(super) fn move_bodies(&mut self, dt: f64) -> Result<Convergence, StepError> {
        let Some(bodies) = &mut self.bodies else { return Ok(Convergence::default()) };
        let time = self.state.time;
        let contacts = self.times.time(Stage::Solids, || bodies.advance(dt));
        let contacts = contacts.map_err(|message| StepError::Bodies { time, message })?;
        self.state.bodies = bodies.store();
        Ok(contacts)
    }

    /// Adds the displacement that was found to what moves the particles, and moves pairs apart that are too close.
    pub(super) fn even_out_particles(&mut self, dt: f64) {
        let Self { setup, geometry, geometry_version, starts, state, distribution, known, carrying, times, .. } = self;
        let share = self.share.as_deref();
        times.time(Stage::Move, || {
            copy_faces(&state.velocity, carrying);
            if setup.volume_correction {
                let LiquidState { particles, liquid, separated, density, air, time, step, .. } = state;
                let (geometry_version, time, step) = (*geometry_version, *time, *step);
                let offsets = share.map(|share| share.offsets(setup.grid.cells()[0], starts));
                let (lines, offsets) = (&own_lines(setup, share), offsets.as_deref());
                let crowd = Crowd {
                    setup,
                    geometry,
                    geometry_version,
                    density,
                    liquid,
                    air,
                    separated,
                    starts,
                    lines,
                    offsets,
                    time,
                    step,
                };
                distribution.even_out(&crowd, dt, &mut particles.position, (known, carrying));
            }
        });
    }

    /// Particles through the velocity.
    pub(super) fn move_particles(&mut self, dt: f64) -> Result<(), StepError> {
        let Self { setup, state, geometry, starts, carrying, spare, share, times, .. } = self;
        let (grid, time) = (&setup.grid, state.time);
        times.time(Stage::Move, || {
            share.as_ref().map_or(Ok(()), |share| share.fill_reach(grid, carrying, (time, dt)))?;
            let meant = of_lines(&own_lines(setup, share.as_deref()), grid.cells()[0], starts);
            trace::move_particles(setup, geometry, carrying, (time, dt), &mut state.particles, &meant);
            *starts = match share {
                None => state.particles.sort_by_cell(grid, spare),
                Some(share) => {
                    let moved = share.migrate(grid, starts, &mut state.particles, spare);
                    moved.map_err(|particles| StepError::Lost { time, particles })?
                }
            };
            Ok(())
        })
    }
}

/// The lines of cells whose particles this rank moves: all of them where no others share the simulation.
fn own_lines<const D: usize>(setup: &Setup<D>, share: Option<&Share<D>>) -> Vec<usize> {
    let cells = setup.grid.cells();
    lines_of(cells, places_inside(share, Places::CELLS, cells))
}

/// Velocity beyond the liquid and into solids. Spray flies on by itself: in the first layer it feels the pressure, and beyond, faces that particles have reached keep their velocity.
fn beyond_liquid<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    share: Option<&Share<D>>,
    (velocity, known): (&mut FaceField<f64, D>, &mut FaceField<bool, D>),
    spray: &Spray<D>,
    is_held: impl Fn([usize; D]) -> bool + Sync,
) {
    let layers = setup.layers();
    let near = |reach: usize| cells_near(share, reach, &setup.grid);
    carry_outwards(velocity, known, &geometry.open, spray, near(BEYOND + layers - 1));
    for ((known, reached), open) in known.iter_mut().zip(spray.reached).zip(&geometry.open) {
        parallel::for_each((known.values_mut(), (reached.values(), open.values())), |(known, (reached, open))| {
            let faces = known.iter_mut().zip(reached).zip(open);
            faces.for_each(|((known, reached), open)| *known |= *reached && *open > 0.0);
        });
    }
    extrapolate(velocity, known, layers - 1, near(BEYOND));
    constrain(&setup.grid, geometry, velocity, known, is_held, near(BEYOND - 1));
}

/// Gives the first layer of faces beyond the liquid that particles have reached their own velocity and the change of the
/// faces beside them. A velocity that were the same there would not turn with liquid that turns, and viscosity would pass
/// that on to all of it.
fn carry_change<const D: usize>(
    geometry: &Geometry<D>,
    gathered: &FaceField<f64, D>,
    velocity: &mut FaceField<f64, D>,
    (known, reached): (&mut FaceField<bool, D>, &FaceField<bool, D>),
) {
    let (mut change, mut is_beside) = (velocity.clone(), known.clone());
    for (change, gathered) in change.iter_mut().zip(gathered) {
        vector::add_scaled(-1.0, gathered.values(), change.values_mut());
    }
    extrapolate(&mut change, &mut is_beside, 1, Window::whole(geometry.space.shape()));
    for axis in 0..D {
        let (change, gathered) = (change[axis].values(), gathered[axis].values());
        let (reached, open, is_beside) =
            (reached[axis].values(), geometry.open[axis].values(), is_beside[axis].values());
        let is_meant = |face: usize| is_beside[face] && reached[face] && open[face] > 0.0;
        let marks = &mut known[axis];
        let lanes = (0..marks.values().len(), (marks.values_mut(), velocity[axis].values_mut()));
        parallel::for_each(lanes, |(faces, (known, velocity))| {
            for ((face, known), velocity) in faces.zip(known).zip(velocity) {
                if !*known && is_meant(face) {
                    (*known, *velocity) = (true, gathered[face] + change[face]);
                }
            }
        });
    }
}

/// to ← from, without new memory.
fn copy_faces<const D: usize>(from: &FaceField<f64, D>, to: &mut FaceField<f64, D>) {
    for (from, to) in from.iter().zip(to) {
        vector::copy(from.values(), to.values_mut());
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::{Grid, SignedDistance};

    use super::*;
    use crate::Solid;

    #[test]
    fn the_stages_before_the_pressure_leave_a_falling_velocity_everywhere_near_the_liquid() {
        let setup = Setup::new(Grid::<2>::unit(8).unwrap());
        let mut drop = Simulation::new(setup, &SignedDistance::cuboid([0.25; 2], [0.75; 2])).unwrap();
        let kick = drop.prepare_pressure(0.02);
        assert_eq!(kick, 0.01);
        let [across, along] = &drop.state.velocity;
        assert!(across.values().iter().all(|&value| value == 0.0));
        assert!(along.values().iter().all(|&value| value == -9.81 * 0.01));
        assert!(drop.known[1].at([4, 4]) && drop.known[1].at([4, 1]) && !drop.known[1].at([0, 8]));
        assert!(drop.state.liquid.at([4, 4]) < 0.0 && drop.state.liquid.at([4, 7]) > 0.0);
    }

    #[test]
    fn velocity_is_carried_out_of_the_liquid_and_not_deeper_into_solids() {
        let mut setup = Setup::new(Grid::<2>::unit(8).unwrap());
        setup.solids.push(Solid::still(SignedDistance::half_space([0.0, 0.5], [0.0, 1.0])));
        let mut layer = Simulation::new(setup, &SignedDistance::cuboid([0.0, 0.5], [1.0, 0.75])).unwrap();
        for (axis, value) in [3.0, -2.0].into_iter().enumerate() {
            layer.state.velocity[axis].values_mut().fill(0.0);
            for cell in [[3, 5], [4, 5]] {
                *layer.state.velocity[axis].at_mut(cell) = value;
                *layer.known[axis].at_mut(cell) = true;
            }
        }
        assert!(layer.spread_velocity(0.0, 0.01).unwrap().converged());
        let [across, along] = &layer.state.velocity;
        assert_eq!((across.at([3, 6]), along.at([3, 6])), (3.0, -2.0));
        assert_eq!(across.at([3, 3]), 3.0, "along the wall");
        assert!(along.at([3, 3]).abs() < 1e-9, "into the wall: {}", along.at([3, 3]));
    }
}
