//! The right-hand side of the momentum equation, and the first guess of the velocity.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use unstick_grid::FaceField;
use unstick_parallel::{self as parallel, vector};

use super::{Flow, TimeWeights};
use crate::advect::advect;
use crate::immersed::{FlowBody, Freedom};
use crate::momentum::Momentum;
use crate::moving::NodeSpeeds;
use crate::stencil::for_each_row;
use crate::tensor::index_of;

impl<const D: usize> Flow<D> {
    /// The first guess of the new velocity: û, with the known values of the new time.
    pub(super) fn extrapolated(&self, weights: &TimeWeights, bodies: &[FlowBody<D>], time: f64) -> Momentum<D> {
        let mut faces = self.mix(weights.ahead);
        self.discrete.impose_sides(&mut faces, time);
        let guess = |body: &FlowBody<D>| match body.freedom {
            Freedom::Prescribed(twist) => twist.to_vector(),
            Freedom::Free { .. } => {
                weights.ahead[0] * body.twist.to_vector() + weights.ahead[1] * body.previous.to_vector()
            }
        };
        Momentum { faces, bodies: bodies.iter().map(guess).collect() }
    }

    /// A combination of the last two velocities.
    pub(super) fn mix(&self, [now, before]: [f64; 2]) -> FaceField<f64, D> {
        let mut mixed = self.state.velocity.clone();
        for (mixed, previous) in mixed.iter_mut().zip(&self.state.previous) {
            parallel::for_each((mixed.values_mut(), previous.values()), |(mixed, previous)| {
                mixed.iter_mut().zip(previous).for_each(|(mixed, previous)| *mixed = now * *mixed + before * previous);
            });
        }
        mixed
    }

    /// −(history) − ∇·(û û) + (w·∇) û + f and the drag of moving walls, integrated, and the forces on the bodies.
    pub(super) fn right_without_pressure(
        &self,
        weights: &TimeWeights,
        bodies: &[FlowBody<D>],
        excess: &[Option<Matrix6<f64>>],
    ) -> Momentum<D> {
        let mut faces = self.discrete.zero_faces();
        let ahead = self.mix(weights.ahead);
        advect(&self.discrete, &ahead, &mut faces);
        let grids = [&self.state.grid, &self.state.previous_grid];
        NodeSpeeds::new(&self.discrete.grid, grids, weights.history).subtract(&self.discrete, &ahead, &mut faces);
        let history = self.mix(weights.history);
        for (component, out) in faces.iter_mut().enumerate() {
            let shape = out.shape();
            let operators = &self.discrete.velocity[component];
            for_each_row(shape, out.values_mut(), |place, out| {
                let area: f64 = (1..D).map(|axis| operators[axis].mass[place[axis]]).product();
                let is_free = (1..D).all(|axis| operators[axis].is_free[place[axis]]);
                let history = &history[component].values()[index_of(shape, place)..][..shape[0]];
                for (i, out) in out.iter_mut().enumerate() {
                    let rate = self.setup.force[component] - history[i];
                    *out = if is_free && operators[0].is_free[i] {
                        area * operators[0].mass[i] * rate - *out
                    } else {
                        0.0
                    };
                }
            });
        }
        self.add_wall_terms(&mut faces);
        let row = |(body, excess): (&FlowBody<D>, &Option<Matrix6<f64>>)| {
            let Some(excess) = excess else { return Vector6::zeros() };
            let before = weights.history[0] * body.twist.to_vector() + weights.history[1] * body.previous.to_vector();
            pull(body, self.setup.density) - excess * before
        };
        Momentum { faces, bodies: bodies.iter().zip(excess).map(row).collect() }
    }

    /// Adds the drag of walls that move along themselves.
    pub(super) fn add_wall_terms(&self, out: &mut FaceField<f64, D>) {
        let Some(stress) = &self.stress else {
            self.discrete.add_wall_terms(self.setup.viscosity.typical(), out);
            return;
        };
        let (still, mut drag) = (self.discrete.zero_faces(), self.discrete.zero_faces());
        stress.apply(&self.discrete, 0.0, &still, true, &mut drag);
        for (out, drag) in out.iter_mut().zip(&drag) {
            vector::add_scaled(-1.0, drag.values(), out.values_mut());
        }
    }
}

/// Force and torque on a free body from outside, less the gyroscopic torque, divided by density.
fn pull<const D: usize>(body: &FlowBody<D>, density: f64) -> Vector6<f64> {
    let Freedom::Free { mass, inertia, force, torque } = &body.freedom else { return Vector6::zeros() };
    let mut pull = Vector6::zeros();
    (0..D).for_each(|axis| pull[axis] = force[axis] / density);
    (0..3).for_each(|axis| pull[3 + axis] = torque[axis] / density);
    let spin = Vector3::from(body.twist.angular);
    // The liquid inside has its own equations: only the excess inertia has a gyroscopic torque here.
    let inertia = Matrix3::from_fn(|row, column| inertia[row][column]) * (1.0 / density - body.volume / mass);
    let gyroscopic = spin.cross(&(inertia * spin));
    (0..3).for_each(|axis| pull[3 + axis] -= gyroscopic[axis]);
    pull
}
