//! Pressure, bodies and their contacts at once.
//!
//! The pressure needs to know how bodies answer it, V = V₀ + W P, and that depends on the contacts that carry a load:
//! a body on the floor answers otherwise than one that the liquid has lifted. Both are found in turns. The bodies
//! resolve their contacts under the pushes of the last turn, which gives V₀ and W (Newton's linearisation of the
//! contact problem); the pressure solve gives new pushes. Where the contacts stay the same, one turn is exact.

use unstick_grid::vector::{length, minus};
use unstick_mlcp::{Convergence, Outcome};

use super::{PressureRows, PressureSolver, RowAnswer};
use crate::error::StepError;
use crate::simulation::Simulation;
use crate::solids::{Bodies, Immersed, Push, Response};

/// Pressure solves in a step at most. The velocities of the last one stand, less what contacts forbid.
const ROUNDS: usize = 4;

/// Difference of velocities that ends the turns, as a part of the largest velocity that the pressure gives a body.
const SETTLED: f64 = 1e-3;

impl<const D: usize> Simulation<D> {
    /// Solves for the pressure from q and lets it push the bodies.
    pub(super) fn solve_with_bodies(
        &mut self,
        rows: &mut PressureRows<D>,
        mut q: Vec<f64>,
        kick: f64,
        dt: f64,
    ) -> Result<RowAnswer<D>, StepError> {
        let time = self.state.time;
        let in_bodies = |message| StepError::Bodies { time, message };
        let mut response = self.expected_response(kick, dt)?;
        for round in 1.. {
            rows.set_response(&response);
            let PressureSolver::Solver(solver) = &mut self.solver else { unreachable!("splittings have no bodies") };
            let answer = rows.solve(solver.solver(), q).map_err(|error| StepError::of_solve(time, error))?;
            let answer = RowAnswer { report: self.setup.pressure.accept(time, answer.report)?, ..answer };
            let Self { bodies: Some(bodies), geometry, setup, .. } = self else { return Ok(answer) };
            let pushes = rows.pushes(&answer);
            let next = bodies.respond(&pushes, dt).map_err(in_bodies)?;
            let settling = settling(&**bodies, &pushes, &response, &next, round);
            if round == ROUNDS || settling.converged() {
                self.coupling = settling;
                bodies.push(&pushes, &response, kick, dt).map_err(in_bodies)?;
                geometry.carry_bodies(&setup.grid, Some(bodies.immersed()));
                return Ok(answer);
            }
            (response, q) = (next, answer.q);
        }
        unreachable!("the loop returns")
    }

    /// Solves for the pressure from q with bodies that answer as expected, and leaves them as they are.
    pub(super) fn solve_beside_bodies(
        &mut self,
        rows: &mut PressureRows<D>,
        q: Vec<f64>,
        kick: f64,
        dt: f64,
    ) -> Result<RowAnswer<D>, StepError> {
        let time = self.state.time;
        rows.set_response(&self.expected_response(kick, dt)?);
        let PressureSolver::Solver(solver) = &mut self.solver else { unreachable!("splittings have no bodies") };
        let answer = rows.solve(solver.solver(), q).map_err(|error| StepError::of_solve(time, error))?;
        Ok(RowAnswer { report: self.setup.pressure.accept(time, answer.report)?, ..answer })
    }

    /// How the bodies answer if the liquid pushes as it did in the last step.
    pub(super) fn expected_response(&self, kick: f64, dt: f64) -> Result<Response<D>, StepError> {
        let Some(bodies) = &self.bodies else { return Ok(Response { unpushed: Vec::new(), columns: Vec::new() }) };
        let response = bodies.respond(&bodies.expected_pushes(kick), dt);
        response.map_err(|message| StepError::Bodies { time: self.state.time, message })
    }
}

/// How far the bodies do under these pushes what the pressure solve took them to do.
fn settling<const D: usize>(
    bodies: &dyn Bodies<D>,
    pushes: &[Push<D>],
    assumed: &Response<D>,
    found: &Response<D>,
    rounds: usize,
) -> Convergence {
    let (assumed, found) = (assumed.under(pushes), found.under(pushes));
    let (mut difference, mut scale) = (0.0f64, 0.0f64);
    for (index, body) in bodies.immersed().iter().enumerate() {
        let reach = reach(body);
        let ((velocity, spin), (found, found_spin)) = (assumed[index], found[index]);
        difference = difference.max(length(minus(velocity, found)) + reach * length(minus(spin, found_spin)));
        scale = scale.max(length(found) + body.inverse_mass * length(pushes[index].0));
    }
    let outcome = if difference <= SETTLED * scale { Outcome::Converged } else { Outcome::IterationLimit };
    Convergence::new(outcome, rounds, difference, SETTLED * scale)
}

/// How far a body reaches, at most, from the middle of its box.
fn reach<const D: usize>(body: &Immersed<D>) -> f64 {
    0.5 * length(minus(body.bounds.1, body.bounds.0))
}
