//! Bodies in a box of viscous liquid: the fictitious boundary method \[Turek2012\].
//!
//! Flow and bodies take the same steps. Bodies first move, by the mean of their extrapolated velocity, then the flow
//! finds the velocities of both at the end of the step, coupled implicitly; contacts may change them after that.

use unstick_flow::{Flow, Force, Freedom, Immersed, StepError, StepReport, Twist};

use crate::body::RigidBody;

/// A box of liquid with bodies in it.
pub struct Suspension<const D: usize> {
    flow: Flow<D>,
    bodies: Vec<RigidBody<D>>,
    /// Velocities a step before.
    previous: Vec<Twist<D>>,
    gravity: [f64; D],
    forces: Vec<Force<D>>,
}

impl<const D: usize> Suspension<D> {
    /// Bodies in liquid; gravity pulls at what they weigh more than the liquid in their place.
    pub fn new(flow: Flow<D>, bodies: Vec<RigidBody<D>>, gravity: [f64; D]) -> Self {
        let previous = bodies.iter().map(twist).collect();
        let still = Force { force: [0.0; D], torque: [0.0; 3] };
        Self { flow, previous, forces: vec![still; bodies.len()], bodies, gravity }
    }

    /// The liquid.
    pub fn flow(&self) -> &Flow<D> {
        &self.flow
    }

    /// The bodies.
    pub fn bodies(&self) -> &[RigidBody<D>] {
        &self.bodies
    }

    /// The bodies, to be changed between steps: by contacts, say.
    pub fn bodies_mut(&mut self) -> &mut [RigidBody<D>] {
        &mut self.bodies
    }

    /// Force of the liquid on each body in the last step, without buoyancy.
    pub fn forces(&self) -> &[Force<D>] {
        &self.forces
    }

    /// Takes a step; held bodies stay where they are.
    pub fn advance(&mut self, length: f64) -> Result<StepReport<D>, StepError> {
        let last = self.flow.state().last_step;
        let ratio = if last > 0.0 { length / last } else { 0.0 };
        for (body, previous) in self.bodies.iter_mut().zip(&self.previous) {
            drift(body, previous, 0.5 * ratio, length);
        }
        let density = self.flow.setup().density;
        let immersed = |(body, previous): (&RigidBody<D>, &Twist<D>)| immersed(body, previous, density, self.gravity);
        let mut seen: Vec<Immersed<D>> = self.bodies.iter().zip(&self.previous).map(immersed).collect();
        let report = self.flow.advance(length, &mut seen)?;
        for ((body, seen), previous) in self.bodies.iter_mut().zip(&seen).zip(&mut self.previous) {
            *previous = seen.previous;
            let mut state = *body.state();
            (state.velocity, state.spin) = (seen.twist.linear, seen.twist.angular);
            body.set_state(state);
        }
        self.forces.clone_from(&report.forces);
        Ok(report)
    }
}

fn twist<const D: usize>(body: &RigidBody<D>) -> Twist<D> {
    Twist { linear: body.velocity(), angular: body.spin() }
}

/// Moves a body over a step by the velocity that it has in the middle, `ahead` times its last change further on.
fn drift<const D: usize>(body: &mut RigidBody<D>, previous: &Twist<D>, ahead: f64, length: f64) {
    if body.is_held() {
        return;
    }
    let now = *body.state();
    let mut moving = now;
    for axis in 0..D {
        moving.velocity[axis] += ahead * (now.velocity[axis] - previous.linear[axis]);
    }
    for axis in 0..3 {
        moving.spin[axis] += ahead * (now.spin[axis] - previous.angular[axis]);
    }
    body.set_state(moving);
    body.drift(length);
    let mut after = *body.state();
    (after.velocity, after.spin) = (now.velocity, now.spin);
    body.set_state(after);
}

/// A body as the flow sees it.
fn immersed<const D: usize>(body: &RigidBody<D>, previous: &Twist<D>, density: f64, gravity: [f64; D]) -> Immersed<D> {
    let excess = body.mass() - density * body.volume();
    let freedom = if body.is_held() {
        Freedom::Prescribed(Twist::zero())
    } else {
        Freedom::Free {
            mass: body.mass(),
            inertia: body.inertia(),
            force: gravity.map(|pull| excess * pull),
            torque: [0.0; 3],
        }
    };
    Immersed {
        shape: body.signed_distance(),
        centre: body.position(),
        reach: body.shape().reach(),
        volume: body.volume(),
        twist: twist(body),
        previous: *previous,
        freedom,
    }
}
