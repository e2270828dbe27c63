//! One step of the flow.
//!
//! Time is discretised by backward differences of second order with steps of any length. The extrapolated velocity
//! advects. The pressure is incremental, so that the splitting error is of second order \[Guermond2006\]:
//!
//! ```text
//!     shift u* + (history) + ∇·(û û) − (w·∇) û − ν Δu* = −∇p^n + f,   û = (1 + r) u^n − r u^{n−1},   r = Δt/Δt_last
//!     u^{n+1} = u* − ∇φ,    ∇·u^{n+1} = 0,         p^{n+1} = p^n + shift φ − ν ∇·u*
//! ```
//!
//! Values belong to faces and cells, which may move, w the velocity of the grid: the equations are those of the grid at
//! the end of the step.

mod balance;
mod relax;
mod report;
mod right;

use std::time::Instant;

use nalgebra::{Matrix6, Vector6};
use unstick_grid::{CellField, NotANumber, NumberPlace, by_dimension};
use unstick_mlcp::{Convergence, Unconverged, is_interrupted};
use unstick_parallel::{self as parallel, vector};

use crate::direct::Separable;
use crate::discrete::Discrete;
use crate::error::{SetupError, SolveKind, StepError};
use crate::immersed::{FlowBody, Freedom, HeldFaces};
use crate::momentum::Momentum;
use crate::project::{Projection, remove_mean};
use crate::setup::{FlowSetup, StopAt};
use crate::state::FlowState;
use crate::stencil::{Helmholtz, for_each_row, for_each_value};
use crate::stress::Stress;
use crate::tensor::{TensorGrid, index_of};
use crate::twist::Twist;
use crate::viscosity::Viscosity;
use crate::viscous::Viscous;
pub use report::{FlowReport, FlowSeconds};

/// A running simulation of the flow.
pub struct Flow<const D: usize> {
    setup: FlowSetup<D>,
    state: FlowState<D>,
    discrete: Discrete<D>,
    velocity_solvers: [Separable<D>; D],
    pressure_solver: Separable<D>,
    held_faces: HeldFaces<D>,
    /// The viscosity of the step, where it varies.
    stress: Option<Stress<D>>,
    /// The bodies of the step that is being taken.
    bodies: Vec<FlowBody<D>>,
}

/// Passes of the first step, which starts without a pressure.
const FIRST_PASSES: usize = 8;

/// The velocity after viscous step and projection, and how they ended.
struct Pass<const D: usize> {
    momentum: Momentum<D>,
    /// Momentum that each body has taken, divided by density.
    taken: Vec<Vector6<f64>>,
    viscous: Convergence,
    pressure: Convergence,
    seconds: FlowSeconds,
}

/// Runs `work` and adds its seconds.
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
            held_faces: HeldFaces::new(&discrete),
            stress: None,
            bodies: Vec::new(),
            discrete,
            setup,
            state,
        })
    }

    /// The setup, which does not change.
    pub fn setup(&self) -> &FlowSetup<D> {
        &self.setup
    }

    /// The state, which does.
    pub fn state(&self) -> &FlowState<D> {
        &self.state
    }

    /// Where the cells are.
    pub fn grid(&self) -> &TensorGrid<D> {
        &self.state.grid
    }

    /// Continues from another state.
    pub fn set_state(&mut self, state: FlowState<D>) {
        self.state = state;
        self.move_onto(self.state.grid.clone());
    }

    /// Moves the nodes of the equations. The values stay with the nodes.
    fn move_onto(&mut self, grid: TensorGrid<D>) {
        if grid == self.discrete.grid {
            return;
        }
        self.discrete.move_onto(grid);
        for (solver, operators) in self.velocity_solvers.iter_mut().zip(&self.discrete.velocity) {
            solver.replace(operators);
        }
        self.pressure_solver.replace(&self.discrete.pressure);
    }

    /// Restarts from a velocity, which is made free of divergence.
    pub fn start_from(&mut self, velocity: impl Fn(usize, [f64; D]) -> f64) {
        for component in 0..D {
            let grid = &self.discrete.grid;
            self.state.velocity[component] = CellField::of_shape(grid.faces(component), |place| {
                velocity(component, grid.face_centre(component, place))
            });
        }
        self.discrete.impose_sides(&mut self.state.velocity, self.state.time);
        self.held_faces.update(&self.discrete, &[], self.setup.surface);
        let mut momentum = Momentum { faces: self.state.velocity.clone(), bodies: Vec::new() };
        let (mut divergence, mut potential) = (self.discrete.zero_cells(), self.discrete.zero_cells());
        self.discrete.divergence(&momentum.faces, &mut divergence);
        // Without bodies the solve is direct.
        let _ = Projection::new(&self.discrete, &self.held_faces, &[]).project(
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
            let mut rates = field.clone();
            let widths = &self.discrete.velocity[axis][axis].mass;
            for_each_value(&mut rates, |place, value| *value = value.abs() / widths[place[axis]]);
            fastest = fastest.max(vector::norm_max(rates.values()));
        }
        (fastest > 0.0).then(|| cfl / fastest)
    }

    /// Finds the faces that bodies hold at their present places. Needed after a state was set.
    pub fn mark(&mut self, bodies: &[FlowBody<D>]) {
        self.held_faces.update(&self.discrete, bodies, self.setup.surface);
    }

    /// Changes the velocity inside bodies, now and one step before, by what contacts have changed of the bodies'
    /// velocities since the last step. Otherwise the liquid inside would lag behind its body in the next step.
    pub fn shift_inside(&mut self, changes: &[Twist<D>]) {
        let changes: Vec<Vector6<f64>> = changes.iter().map(|change| change.to_vector()).collect();
        self.held_faces.shift(&changes, &mut self.state.velocity);
        self.held_faces.shift(&changes, &mut self.state.previous);
        self.discrete.copy_around_all(&mut self.state.velocity);
        self.discrete.copy_around_all(&mut self.state.previous);
    }

    /// Momentum of the liquid outside of the bodies of the last step.
    pub fn momentum(&self) -> [f64; D] {
        std::array::from_fn(|component| {
            let field = &self.state.velocity[component];
            let mut parts = field.clone();
            for_each_value(&mut parts, |place, value| {
                let counts = self.discrete.is_free(component, place)
                    && self.held_faces.is_open(component, index_of(field.shape(), place));
                *value *= if counts { self.discrete.volume(component, place) } else { 0.0 };
            });
            self.setup.density * parallel::sum(parts.values(), |block| block.iter().sum())
        })
    }

    /// Takes a step. On entry bodies have their place at its end and their last velocity; on return they have the new
    /// velocity.
    ///
    /// After an error the state is that of the middle of the step: continue from a copy of the state before.
    pub fn advance(&mut self, length: f64, bodies: &mut [FlowBody<D>]) -> Result<FlowReport<D>, StepError> {
        self.advance_onto(length, self.state.grid.clone(), bodies)
    }

    /// Takes a step in which the nodes move: at its end they are those of `grid`, with as many cells between the same
    /// ends.
    pub fn advance_onto(
        &mut self,
        length: f64,
        grid: TensorGrid<D>,
        bodies: &mut [FlowBody<D>],
    ) -> Result<FlowReport<D>, StepError> {
        self.check(length, bodies)?;
        if let Some(axis) = (0..D).find(|&axis| !grid.axis(axis).is_moved(self.state.grid.axis(axis))) {
            return Err(StepError::OtherGrid { axis });
        }
        self.move_onto(grid);
        self.bodies = bodies.to_vec();
        let report = by_dimension(self, length, advance_in_plane, advance_in_space);
        self.bodies.drain(..).zip(bodies).for_each(|(after, body)| *body = after);
        report
    }

    fn take_step(&mut self, length: f64) -> Result<FlowReport<D>, StepError> {
        let mut bodies = std::mem::take(&mut self.bodies);
        let report = self.move_bodies(length, &mut bodies);
        self.bodies = bodies;
        report
    }

    fn move_bodies(&mut self, length: f64, bodies: &mut [FlowBody<D>]) -> Result<FlowReport<D>, StepError> {
        let start = Instant::now();
        let weights = TimeWeights::new(length, self.state.last_step);
        let time = self.state.time + length;
        self.held_faces.update(&self.discrete, bodies, self.setup.surface);
        let displaced = self.held_faces.displaced();
        let excess = |(body, displaced): (&FlowBody<D>, &Matrix6<f64>)| {
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
            if is_interrupted() {
                return Err(StepError::Interrupted { time });
            }
        }
        let Pass { momentum, taken, viscous, pressure, mut seconds } = pass;

        let forces = timed(&mut seconds.forces, || self.forces(&weights, &momentum.bodies, &taken, &displaced, bodies));
        let mut divergence = self.discrete.zero_cells();
        self.discrete.divergence(&momentum.faces, &mut divergence);
        let rates = self.rates(&divergence);
        let divergence = vector::norm_max(rates.values());
        for (body, twist) in bodies.iter_mut().zip(&momentum.bodies) {
            body.previous = body.twist;
            body.twist = Twist::from_vector(twist);
        }
        let old = std::mem::replace(&mut self.state.velocity, momentum.faces);
        self.state.previous = old;
        let old = std::mem::replace(&mut self.state.grid, self.discrete.grid.clone());
        self.state.previous_grid = old;
        (self.state.time, self.state.last_step) = (time, length);
        self.state.step += 1;
        if !divergence.is_finite() {
            self.check_finite()?;
        }
        self.refuse(NotANumber::in_cells("divergence", &rates).filter(|_| !divergence.is_finite()))?;
        if self.setup.solve.on_unconverged != Unconverged::Accept {
            SolveKind::Viscous.demand(viscous, time)?;
            SolveKind::Pressure.demand(pressure, time)?;
        }
        seconds.solve = start.elapsed().as_secs_f64() - seconds.marking - seconds.forces;
        Ok(FlowReport { length, viscous, pressure, divergence, forces, seconds })
    }

    /// The viscous step with the present pressure, the projection, and the new pressure.
    fn pass(
        &mut self,
        weights: &TimeWeights,
        right: &Momentum<D>,
        excess: &[Option<Matrix6<f64>>],
        pass: &mut Pass<D>,
    ) {
        let viscosity = self.setup.viscosity.typical();
        let helmholtz = Helmholtz { shift: weights.shift, scale: viscosity };
        let stop_at = |tolerance| StopAt { tolerance, max_iterations: self.setup.solve.max_iterations };
        let mut with_pressure = right.clone();
        self.discrete.subtract_gradient(&self.state.pressure, &mut with_pressure.faces, |_, area| area);
        let viscous = Viscous {
            discrete: &self.discrete,
            held_faces: &self.held_faces,
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
        pass.taken = timed(&mut pass.seconds.forces, || self.taken_by_viscous(helmholtz, &pass.momentum, right));

        let (mut divergence, mut potential) = (self.discrete.zero_cells(), self.discrete.zero_cells());
        self.discrete.divergence(&pass.momentum.faces, &mut divergence);
        let projection = timed(&mut pass.seconds.marking, || Projection::new(&self.discrete, &self.held_faces, excess));
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
        let pockets = self.under_lids(projection.into_pockets());
        self.held_faces.fill(&pass.momentum.bodies, &mut pass.momentum.faces);
        relax::leave_out(&pockets, &mut divergence);
        self.update_pressure(helmholtz, &potential, &divergence);
        self.relax(&pockets);
    }

    fn check(&self, length: f64, bodies: &[FlowBody<D>]) -> Result<(), StepError> {
        if !(length > 0.0 && length.is_finite()) {
            return Err(StepError::Length(length));
        }
        let time = self.state.time;
        if time + length <= time {
            return Err(StepError::TooShort { time, length });
        }
        self.check_finite()?;
        let [lower, upper] = self.setup.grid.bounds();
        for (number, body) in bodies.iter().enumerate() {
            let is_inside = (0..D).all(|axis| lower[axis] <= body.centre[axis] && body.centre[axis] <= upper[axis]);
            if !is_inside {
                return Err(StepError::BodyOutside { body: number, centre: body.centre.to_vec() });
            }
            let motion = body.twist.to_vector();
            let value = motion.iter().copied().find(|value| !value.is_finite());
            let place = NumberPlace::Body(number);
            self.refuse(value.map(|value| NotANumber { field: "velocity", place, value }))?;
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
        Helmholtz { shift, scale: viscosity }: Helmholtz,
        potential: &CellField<f64, D>,
        divergence: &CellField<f64, D>,
    ) {
        let shape = potential.shape();
        let operators = &self.discrete.pressure;
        for_each_row(shape, self.state.pressure.values_mut(), |place, row| {
            let area: f64 = (1..D).map(|axis| operators[axis].mass[place[axis]]).product();
            let start = index_of(shape, place);
            for (i, value) in row.iter_mut().enumerate() {
                let rate = divergence.values()[start + i] / (area * operators[0].mass[i]);
                *value += shift * potential.values()[start + i] - viscosity * rate;
            }
        });
        if self.discrete.is_closed() {
            remove_mean(&self.discrete, &mut self.state.pressure);
        }
    }

    /// Refuses a state with a number that is NaN or infinite. It would spread, and a few steps later nothing would tell
    /// any more where it came from.
    pub fn check_finite(&self) -> Result<(), StepError> {
        let FlowState { velocity, previous, pressure, .. } = &self.state;
        let found = NotANumber::in_faces("velocity", velocity);
        let found = found.or_else(|| NotANumber::in_faces("last velocity", previous));
        self.refuse(found.or_else(|| NotANumber::in_cells("pressure", pressure)))
    }

    /// An error if there is a number that is none.
    pub fn refuse(&self, found: Option<NotANumber>) -> Result<(), StepError> {
        let (time, step) = (self.state.time, self.state.step);
        found.map_or(Ok(()), |number| Err(StepError::NotFinite { time, step, number }))
    }

    /// Divergence per volume.
    fn rates(&self, divergence: &CellField<f64, D>) -> CellField<f64, D> {
        let shape = divergence.shape();
        let operators = &self.discrete.pressure;
        let mut rates = divergence.clone();
        for_each_row(shape, rates.values_mut(), |place, row| {
            let area: f64 = (1..D).map(|axis| operators[axis].mass[place[axis]]).product();
            row.iter_mut().zip(&operators[0].mass).for_each(|(value, width)| *value /= area * width);
        });
        rates
    }
}

#[inline(never)]
fn advance_in_plane(flow: &mut Flow<2>, length: f64) -> Result<FlowReport<2>, StepError> {
    flow.take_step(length)
}

#[inline(never)]
fn advance_in_space(flow: &mut Flow<3>, length: f64) -> Result<FlowReport<3>, StepError> {
    flow.take_step(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_differences_are_exact_for_parabolas_with_steps_of_any_length() {
        let (length, last) = (0.3, 0.2);
        let weights = TimeWeights::new(length, last);
        let value = |time: f64| 2.0 + 3.0 * time - 4.0 * time * time;
        let [new, now, before] = [length, 0.0, -last].map(value);
        let rate = weights.shift * new + weights.history[0] * now + weights.history[1] * before;
        assert!((rate - (3.0 - 8.0 * length)).abs() < 1e-13, "{rate}");
        let line = |time: f64| 2.0 + 3.0 * time;
        let ahead = weights.ahead[0] * line(0.0) + weights.ahead[1] * line(-last);
        assert!((ahead - line(length)).abs() < 1e-14, "{ahead}");
    }

    #[test]
    fn a_number_that_is_none_is_caught_in_one_step_and_named() {
        use crate::{Axis, TensorGrid};
        type Injection = fn(&mut FlowState<2>, f64);
        let cases: [(&str, Injection); 3] = [
            ("the velocity of face [3, 4] across axis 1 is", |state, bad| *state.velocity[1].at_mut([3, 4]) = bad),
            ("the last velocity of face [3, 4] across axis 0 is", |state, bad| *state.previous[0].at_mut([3, 4]) = bad),
            ("the pressure of cell [2, 3] is", |state, bad| *state.pressure.at_mut([2, 3]) = bad),
        ];
        for (said, inject) in cases {
            for bad in [f64::NAN, f64::INFINITY] {
                let axis = || Axis::uniform(0.0, 1.0, 8).unwrap();
                let mut flow = Flow::new(FlowSetup::new(TensorGrid::new([axis(), axis()]), 0.01)).unwrap();
                flow.advance(0.01, &mut []).unwrap();
                let mut state = flow.state().clone();
                inject(&mut state, bad);
                flow.set_state(state);
                let error = flow.advance(0.01, &mut []).unwrap_err();
                assert!(matches!(error, StepError::NotFinite { step: 1, .. }), "{error}");
                assert!(error.to_string().contains(&format!("after 1 steps: {said} {bad}")), "{error}");
            }
        }
    }

    #[test]
    fn a_step_that_is_interrupted_ends_with_an_error() {
        use std::sync::Arc;

        use crate::{Axis, TensorGrid};
        let axis = || Axis::uniform(0.0, 1.0, 8).unwrap();
        let mut flow = Flow::new(FlowSetup::new(TensorGrid::new([axis(), axis()]), 0.01)).unwrap();
        let raised = Arc::new(true.into());
        let error = unstick_mlcp::interruptible(&raised, || flow.advance(0.01, &mut [])).unwrap_err();
        assert!(matches!(error, StepError::Interrupted { time: 0.01 }), "{error}");
    }

    #[test]
    fn the_first_step_is_one_of_first_order() {
        let weights = TimeWeights::new(0.5, 0.0);
        assert_eq!((weights.shift, weights.history, weights.ahead), (2.0, [-2.0, 0.0], [1.0, 0.0]));
    }
}
