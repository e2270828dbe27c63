//! The state of a suspension: what a checkpoint stores.

use serde::{Deserialize, Serialize};
use unstick_flow::{FlatFlow, FlowState, Force, TensorGrid, Twist};

use crate::state::BodyState;

/// Flow and bodies at one time, with all that the next step needs from the last.
#[derive(Clone, Debug, PartialEq)]
pub struct SuspensionState<const D: usize> {
    /// The liquid.
    pub flow: FlowState<D>,
    /// The bodies.
    pub bodies: Vec<BodyState<D>>,
    /// Their velocities one step before, with the later changes by contacts.
    pub previous: Vec<Twist<D>>,
    /// Forces of the liquid on them in the last step.
    pub forces: Vec<Force<D>>,
}

/// The same as plain data.
#[derive(Serialize, Deserialize)]
pub struct FlatSuspension {
    flow: FlatFlow,
    bodies: Vec<Vec<f64>>,
    previous: Vec<Vec<f64>>,
    forces: Vec<Vec<f64>>,
}

impl<const D: usize> SuspensionState<D> {
    /// The state as plain data, for checkpoints. [`restore`](Self::restore) gives it back bit for bit.
    pub fn to_data(&self) -> FlatSuspension {
        FlatSuspension {
            flow: self.flow.to_data(),
            bodies: self.bodies.iter().map(|body| Vec::from(*body)).collect(),
            previous: self.previous.iter().map(|twist| [&twist.linear[..], &twist.angular].concat()).collect(),
            forces: self.forces.iter().map(|force| [&force.force[..], &force.torque].concat()).collect(),
        }
    }

    /// The state from plain data; none if it belongs to another grid or to other bodies.
    pub fn restore(grid: &TensorGrid<D>, bodies: usize, data: FlatSuspension) -> Option<Self> {
        let counts = [data.bodies.len(), data.previous.len(), data.forces.len()];
        let parts = |flat: Vec<f64>| -> Option<([f64; D], [f64; 3])> {
            let (linear, angular) = flat.split_at_checked(D)?;
            Some((linear.try_into().ok()?, angular.try_into().ok()?))
        };
        let twist = |flat| parts(flat).map(|(linear, angular)| Twist { linear, angular });
        let force = |flat| parts(flat).map(|(force, torque)| Force { force, torque });
        if counts != [bodies; 3] {
            return None;
        }
        Some(Self {
            flow: FlowState::restore(grid, data.flow)?,
            bodies: data.bodies.into_iter().map(|flat| BodyState::try_from(flat).ok()).collect::<Option<_>>()?,
            previous: data.previous.into_iter().map(twist).collect::<Option<_>>()?,
            forces: data.forces.into_iter().map(force).collect::<Option<_>>()?,
        })
    }
}
