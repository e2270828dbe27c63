//! One step of the flow.
//!
//! Second-order backward differences in time, with steps of any lengths; advection by the extrapolated velocity; an
//! incremental pressure, so that what the projection leaves undone is of second order \[Guermond2006\]:
//!
//! ```text
//!     shift u* + (history) + ∇·(û û) − ν Δu* = −∇p^n + f,         û = (1 + r) u^n − r u^{n−1},   r = Δt/Δt_last
//!     u^{n+1} = u* − ∇φ,    ∇·u^{n+1} = 0,         p^{n+1} = p^n + shift φ − ν ∇·u*
//! ```

mod balance;
mod right;

use std::time::Instant;

use nalgebra::{Matrix6, Vector6};
use unstick_grid::CellField;
use unstick_mlcp::{Convergence, Unconverged};
use unstick_parallel::{self as parallel, vector};

use crate::direct::Separable;
use crate::discrete::Discrete;
use crate::error::{SetupError, SolveKind, StepError};
use crate::immersed::{Force, Freedom, Immersed, Marks};
use crate::project::{Projection, remove_mean};
use crate::setup::{FlowSetup, StopAt};
use crate::state::FlowState;
use crate::stencil::for_each_row;
use crate::stress::Stress;
use crate::tensor::index_of;
use crate::twist::Twist;
use crate::viscosity::Viscosity;
use crate::viscous::{Momentum, Viscous};

/// A setup and a state, at work.
pub struct Flow<const D: usize> {
    setup: FlowSetup<D>,
    state: FlowState<D>,
    discrete: Discrete<D>,
    velocity_solvers: [Separable<D>; D],
    pressure_solver: Separable<D>,
    marks: Marks<D>,
    /// The viscosity of the step, where it varies.
    stress: Option<Stress<D>>,
}

/// What a step of the flow did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowReport<const D: usize> {
    /// Seconds.
    pub length: f64,
    /// How the viscous step ended. The first step takes several passes: their iterations add up and the worst counts.
    pub viscous: Convergence,
    /// How the pressure solve ended, likewise.
    pub pressure: Convergence,
    /// Largest divergence left, per second.
    pub divergence: f64,
    /// Force of the liquid on each body, from the momentum that it takes; weight and buoyancy are not in it.
    pub forces: Vec<Force<D>>,
    /// Where the time went.
    pub seconds: FlowSeconds,
}

/// Wall-clock seconds of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FlowSeconds {
    /// Finding the faces that bodies hold.
    pub marking: f64,
    /// Advection, viscous step and projection.
    pub solve: f64,
    /// What bodies took from the liquid.
    pub forces: f64,
}

/// Passes of the first step, which knows no pressure to begin with.
const FIRST_PASSES: usize = 8;

/// The velocity as it comes out of viscous step and projection, and what was done for it.
struct Pass<const D: usize> {
    momentum: Momentum<D>,
    /// Momentum that each body has taken, divided by density.
    taken: Vec<Vector6<f64>>,
    viscous: Convergence,
    pressure: Convergence,
    seconds: FlowSeconds,
}

/// Does something and adds the seconds that it took.
fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    *seconds += start.elapsed().as_secs_f64();
    done
}

/// Weights of the new velocity and the last two in the rate of change, per second, and of the last two in û.
struct TimeWeights {
    shift: f64,
    history: [f64; 2],
    ahead: [f64; 2],
}

impl TimeWeights {
    fn new(length: f64, last: f64) -> Self {
        let ratio = if last > 0.0 { length / last } else { 0.0 };
        Self {
            shift: (1.0 + 2.0 * ratio) / (1.0 + ratio) / length,
            history: [-(1.0 + ratio) / length, ratio * ratio / (1.0 + ratio) / length],
            ahead: [1.0 + ratio, -ratio],
        }
    }
}

impl<const D: usize> Flow<D> {
    /// Liquid at rest.
    pub fn new(setup: FlowSetup<D>) -> Result<Self, SetupError> {
        setup.check()?;
        let discrete = Discrete::new(setup.grid.clone(), setup.sides.clone());
        let mut state = FlowState::at_rest(&setup.grid);
        discrete.impose_sides(&mut state.velocity, 0.0);
        discrete.impose_sides(&mut state.previous, 0.0);
        Ok(Self {
            velocity_solvers: std::array::from_fn(|component| Separable::new(&discrete.velocity[component])),
            pressure_solver: Separable::new(&discrete.pressure),
            marks: Marks::new(&discrete),
            stress: None,
            discrete,
            setup,
            state,
        })
    }

    /// What does not change.
    pub fn setup(&self) -> &FlowSetup<D> {
        &self.setup
    }

    /// What does.
    pub fn state(&self) -> &FlowState<D> {
        &self.state
    }

    /// Goes on from another state.
    pub fn set_state(&mut self, state: FlowState<D>) {
        self.state = state;
    }

    /// Starts anew from a velocity, which is made free of divergence.
    pub fn start_from(&mut self, velocity: impl Fn(usize, [f64; D]) -> f64) {
        for component in 0..D {
            let grid = &self.setup.grid;
            self.state.velocity[component] = CellField::of_shape(grid.faces(component), |place| {
                velocity(component, grid.face_centre(component, place))
            });
        }
        self.discrete.impose_sides(&mut self.state.velocity, self.state.time);
        self.marks.update(&self.discrete, &[]);
        let mut momentum = Momentum { faces: self.state.velocity.clone(), bodies: Vec::new() };
        let (mut divergence, mut potential) = (self.discrete.zero_cells(), self.discrete.zero_cells());
        self.discrete.divergence(&momentum.faces, &mut divergence);
        // Without bodies the solve is direct.
        let _ = Projection::new(&self.discrete, &self.marks, &[]).project(
            &mut momentum,
            &mut potential,
            &divergence,
            &mut self.pressure_solver,
            StopAt { tolerance: 1.0, max_iterations: 1 },
        );
        self.state.velocity = momentum.faces;
        self.state.previous = self.state.velocity.clone();
        self.state.last_step = 0.0;
    }

    /// The longest step in which nothing crosses more than `cfl` cells; none in liquid at rest.
    pub fn longest_step(&self, cfl: f64) -> Option<f64> {
        let mut fastest: f64 = 0.0;
        for (axis, field) in self.state.velocity.iter().enumerate() {
            let shape = field.shape();
            let mut rates = field.clone();
            let widths = &self.discrete.velocity[axis][axis].mass;
            for_each_row(shape, rates.values_mut(), |place, row| {
                for (i, value) in row.iter_mut().enumerate() {
                    let node = if axis == 0 { i } else { place[axis] };
                    *value = value.abs() / widths[node];
                }
            });
            fastest = fastest.max(vector::norm_max(rates.values()));
        }
        (fastest > 0.0).then(|| cfl / fastest)
    }

    /// Finds the faces that bodies hold where they are now, as a step that has brought them there would have.
    pub fn mark(&mut self, bodies: &[Immersed<D>]) {
        self.marks.update(&self.discrete, bodies);
    }

    /// Changes the velocity inside bodies, now and a step before, as contacts have changed that of the bodies since
    /// the last step; without it the next would find the liquid in them left behind.
    pub fn shift_inside(&mut self, changes: &[Twist<D>]) {
        let changes: Vec<Vector6<f64>> = changes.iter().map(|change| change.to_vector()).collect();
        self.marks.shift(&changes, &mut self.state.velocity);
        self.marks.shift(&changes, &mut self.state.previous);
        self.discrete.copy_around_all(&mut self.state.velocity);
        self.discrete.copy_around_all(&mut self.state.previous);
    }

    /// Momentum of the liquid outside of bodies, as the last step has seen them.
    pub fn momentum(&self) -> [f64; D] {
        std::array::from_fn(|component| {
            let field = &self.state.velocity[component];
            let mut parts = field.clone();
            for_each_row(field.shape(), parts.values_mut(), |place, row| {
                let start = index_of(field.shape(), place);
                for (i, value) in row.iter_mut().enumerate() {
                    let mut place = place;
                    place[0] = i;
                    let counts = self.discrete.is_free(component, place) && self.marks.is_open(component, start + i);
                    *value *= if counts { self.discrete.volume(component, place) } else { 0.0 };
                }
            });
            self.setup.density * parallel::sum(parts.values(), |block| block.iter().sum())
        })
    }

    /// Takes a step. Bodies must be where they are at its end, with their last velocity; they leave with the new.
    ///
    /// After an error the state is that of the middle of the step: go on from a copy of the one before.
    pub fn advance(&mut self, length: f64, bodies: &mut [Immersed<D>]) -> Result<FlowReport<D>, StepError> {
        self.check(length, bodies)?;
        let start = Instant::now();
        let weights = TimeWeights::new(length, self.state.last_step);
        let time = self.state.time + length;
        self.marks.update(&self.discrete, bodies);
        let displaced = self.marks.displaced();
        let excess = |(body, displaced): (&Immersed<D>, &Matrix6<f64>)| {
            body.inertia(self.setup.density).map(|inertia| inertia - displaced)
        };
        let excess: Vec<Option<Matrix6<f64>>> = bodies.iter().zip(&displaced).map(excess).collect();
        let seconds = FlowSeconds { marking: start.elapsed().as_secs_f64(), ..FlowSeconds::default() };

        self.stress = (!matches!(self.setup.viscosity, Viscosity::Newtonian(_)))
            .then(|| Stress::new(&self.discrete, &self.setup.viscosity, &self.mix(weights.ahead)));
        let right = self.right_without_pressure(&weights, bodies, &excess);
        let momentum = self.extrapolated(&weights, bodies, time);
        let (viscous, pressure) = (Convergence::default(), Convergence::default());
        let mut pass = Pass { momentum, taken: Vec::new(), viscous, pressure, seconds };
        let passes = if self.state.last_step > 0.0 { 1 } else { FIRST_PASSES };
        for _ in 0..passes {
            self.pass(&weights, &right, &excess, &mut pass);
        }
        let Pass { momentum, taken, viscous, pressure, mut seconds } = pass;

        let forces = timed(&mut seconds.forces, || self.forces(&weights, &momentum.bodies, &taken, &displaced, bodies));
        let mut divergence = self.discrete.zero_cells();
        self.discrete.divergence(&momentum.faces, &mut divergence);
        let divergence = self.largest_rate(&divergence);
        for (body, twist) in bodies.iter_mut().zip(&momentum.bodies) {
            body.previous = body.twist;
            body.twist = Twist::from_vector(twist);
        }
        let old = std::mem::replace(&mut self.state.velocity, momentum.faces);
        self.state.previous = old;
        (self.state.time, self.state.last_step) = (time, length);
        self.state.step += 1;
        if !divergence.is_finite() {
            return Err(StepError::Diverged { time });
        }
        if self.setup.solve.on_unconverged != Unconverged::Accept {
            SolveKind::Viscous.demand(viscous, time)?;
            SolveKind::Pressure.demand(pressure, time)?;
        }
        seconds.solve = start.elapsed().as_secs_f64() - seconds.marking - seconds.forces;
        Ok(FlowReport { length, viscous, pressure, divergence, forces, seconds })
    }

    /// The viscous step with the pressure there is, the projection, and the pressure that follows.
    fn pass(
        &mut self,
        weights: &TimeWeights,
        right: &Momentum<D>,
        excess: &[Option<Matrix6<f64>>],
        pass: &mut Pass<D>,
    ) {
        let viscosity = self.setup.viscosity.typical();
        let pace = [weights.shift, viscosity];
        let stop_at = |tolerance| StopAt { tolerance, max_iterations: self.setup.solve.max_iterations };
        let mut with_pressure = right.clone();
        self.discrete.subtract_gradient(&self.state.pressure, &mut with_pressure.faces, |_, area| area);
        let viscous = Viscous {
            discrete: &self.discrete,
            marks: &self.marks,
            excess,
            shift: weights.shift,
            viscosity,
            stress: self.stress.as_ref(),
        };
        viscous.gather(&mut with_pressure);
        let solved = viscous.solve(
            &with_pressure,
            &mut pass.momentum,
            &mut self.velocity_solvers,
            stop_at(self.setup.solve.viscous_tolerance),
        );
        pass.viscous = pass.viscous.and(solved);
        self.discrete.copy_around_all(&mut pass.momentum.faces);
        pass.taken = timed(&mut pass.seconds.forces, || self.taken_by_viscous(pace, &pass.momentum, right));

        let (mut divergence, mut potential) = (self.discrete.zero_cells(), self.discrete.zero_cells());
        self.discrete.divergence(&pass.momentum.faces, &mut divergence);
        let projection = timed(&mut pass.seconds.marking, || Projection::new(&self.discrete, &self.marks, excess));
        let solved = projection.project(
            &mut pass.momentum,
            &mut potential,
            &divergence,
            &mut self.pressure_solver,
            stop_at(self.setup.solve.pressure_tolerance),
        );
        pass.pressure = pass.pressure.and(solved);
        timed(&mut pass.seconds.forces, || {
            for (taken, more) in pass.taken.iter_mut().zip(projection.taken(&potential)) {
                *taken += weights.shift * more;
            }
        });
        self.marks.fill(&pass.momentum.bodies, &mut pass.momentum.faces);
        self.update_pressure(pace, &potential, &divergence);
    }

    fn check(&self, length: f64, bodies: &[Immersed<D>]) -> Result<(), StepError> {
        if !(length > 0.0 && length.is_finite()) {
            return Err(StepError::Length(length));
        }
        let [lower, upper] = self.setup.grid.bounds();
        for (number, body) in bodies.iter().enumerate() {
            let is_inside = (0..D).all(|axis| lower[axis] <= body.centre[axis] && body.centre[axis] <= upper[axis]);
            if !is_inside {
                return Err(StepError::BodyOutside { body: number, centre: body.centre.to_vec() });
            }
            if let Freedom::Free { mass, .. } = body.freedom
                && !(mass > 0.0 && body.volume > 0.0)
            {
                return Err(StepError::Massless { body: number, mass, volume: body.volume });
            }
        }
        Ok(())
    }

    fn update_pressure(
        &mut self,
        [shift, viscosity]: [f64; 2],
        potential: &CellField<f64, D>,
        divergence: &CellField<f64, D>,
    ) {
        let shape = potential.shape();
        let lines = &self.discrete.pressure;
        for_each_row(shape, self.state.pressure.values_mut(), |place, row| {
            let area: f64 = (1..D).map(|axis| lines[axis].mass[place[axis]]).product();
            let start = index_of(shape, place);
            for (i, value) in row.iter_mut().enumerate() {
                let rate = divergence.values()[start + i] / (area * lines[0].mass[i]);
                *value += shift * potential.values()[start + i] - viscosity * rate;
            }
        });
        if self.discrete.is_closed() {
            remove_mean(&self.discrete, &mut self.state.pressure);
        }
    }

    fn largest_rate(&self, divergence: &CellField<f64, D>) -> f64 {
        let shape = divergence.shape();
        let lines = &self.discrete.pressure;
        let mut rates = divergence.clone();
        for_each_row(shape, rates.values_mut(), |place, row| {
            let area: f64 = (1..D).map(|axis| lines[axis].mass[place[axis]]).product();
            row.iter_mut().zip(&lines[0].mass).for_each(|(value, width)| *value /= area * width);
        });
        vector::norm_max(rates.values())
    }
}
