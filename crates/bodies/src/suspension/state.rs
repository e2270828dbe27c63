//! The state of a suspension: what a checkpoint stores.

use std::fmt;

use serde::Serialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use unstick_flow::{FlowState, Force, RestoredFlow, TensorGrid, Twist};

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

impl<const D: usize> SuspensionState<D> {
    /// The state as plain data, for checkpoints. [`restore`](Self::restore) gives it back bit for bit.
    pub fn to_data(&self) -> impl Serialize {
        let bodies: Vec<Vec<f64>> = self.bodies.iter().map(|body| Vec::from(*body)).collect();
        let previous = self.previous.iter().map(|twist| [&twist.linear[..], &twist.angular].concat());
        let forces = self.forces.iter().map(|force| [&force.force[..], &force.torque].concat());
        (self.flow.to_data(), bodies, previous.collect::<Vec<_>>(), forces.collect::<Vec<_>>())
    }

    /// Reads what [`to_data`](Self::to_data) gave; refused if it belongs to another grid or to another number of bodies.
    pub fn restore<'de, S: Deserializer<'de>>(grid: &TensorGrid<D>, bodies: usize, data: S) -> Result<Self, S::Error> {
        data.deserialize_tuple(4, Restored { grid, bodies })
    }
}

struct Restored<'a, const D: usize> {
    grid: &'a TensorGrid<D>,
    bodies: usize,
}

impl<'de, const D: usize> Visitor<'de> for Restored<'_, D> {
    type Value = SuspensionState<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the state of a flow on {:?} cells with {} bodies", self.grid.cells(), self.bodies)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut data: A) -> Result<SuspensionState<D>, A::Error> {
        let early = || A::Error::custom("the state ends early");
        let flow = data.next_element_seed(RestoredFlow(self.grid))?.ok_or_else(early)?;
        let mut lists: [Vec<Vec<f64>>; 3] = Default::default();
        for list in &mut lists {
            *list = data.next_element()?.ok_or_else(early)?;
        }
        if lists.iter().any(|list| list.len() != self.bodies) {
            return Err(A::Error::invalid_length(lists[0].len(), &self));
        }
        let [bodies, previous, forces] = lists;
        let bodies = bodies.into_iter().map(|flat| BodyState::try_from(flat).map_err(A::Error::custom));
        let parts = |flat: Vec<f64>| -> Option<([f64; D], [f64; 3])> {
            let (linear, angular) = flat.split_at_checked(D)?;
            Some((linear.try_into().ok()?, angular.try_into().ok()?))
        };
        let both = |list: Vec<Vec<f64>>| -> Result<Vec<_>, A::Error> {
            let read = |flat: Vec<f64>| parts(flat).ok_or_else(|| A::Error::custom("a vector of another length"));
            list.into_iter().map(read).collect()
        };
        Ok(SuspensionState {
            flow,
            bodies: bodies.collect::<Result<_, _>>()?,
            previous: both(previous)?.into_iter().map(|(linear, angular)| Twist { linear, angular }).collect(),
            forces: both(forces)?.into_iter().map(|(force, torque)| Force { force, torque }).collect(),
        })
    }
}
