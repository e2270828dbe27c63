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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, Weight};
    use unstick_flow::{Axis, FlowSetup, TensorGrid};
    use unstick_grid::Pose;

    fn ball(name: &str, density: f64, place: [f64; 2]) -> RigidBody<2> {
        let shape = Shape::Sphere { radius: 0.08 };
        RigidBody::new(name, shape, Weight::Density(density), Pose::from_translation(place)).unwrap()
    }

    #[test]
    fn heavy_bodies_sink_light_ones_rise_and_held_ones_stay() {
        let axis = || Axis::uniform(0.0, 1.0, 40).unwrap();
        let flow = Flow::new(FlowSetup::new(TensorGrid::new([axis(), axis()]), 0.01)).unwrap();
        let held = ball("held", 3.0, [0.8, 0.5]).held_until(10.0).unwrap();
        let bodies = vec![ball("heavy", 2.0, [0.2, 0.5]), ball("light", 0.5, [0.5, 0.5]), held];
        let mut scene = Suspension::new(flow, bodies, [0.0, -1.0]);
        scene.bodies_mut().iter_mut().for_each(|body| body.hold_at(0.0));
        for _ in 0..30 {
            scene.advance(0.01).unwrap();
        }
        let heights: Vec<f64> = scene.bodies().iter().map(|body| body.position()[1]).collect();
        assert!(heights[0] < 0.495 && heights[1] > 0.503 && heights[2] == 0.5, "{heights:?}");
        // What holds the held body takes up what the liquid does to it.
        assert!(scene.forces()[2].force[1].abs() > 0.0 && scene.bodies()[2].velocity() == [0.0; 2]);
    }

    #[test]
    fn a_ball_beside_a_wall_that_falls_is_set_spinning() {
        let flow = {
            let axis = |to: f64, cells| Axis::uniform(0.0, to, cells).unwrap();
            Flow::new(FlowSetup::new(TensorGrid::new([axis(1.0, 48), axis(1.0, 48)]), 0.02)).unwrap()
        };
        let mut scene = Suspension::new(flow, vec![ball("near", 3.0, [0.14, 0.7])], [0.0, -1.0]);
        for _ in 0..40 {
            scene.advance(0.01).unwrap();
        }
        // Liquid is dragged more on the side of the wall, so that side of the ball is held back: it rolls as on it.
        let spin = scene.bodies()[0].spin()[2];
        assert!(spin.abs() > 1e-3 && scene.bodies()[0].velocity()[1] < -0.05, "{spin}");
    }
}
