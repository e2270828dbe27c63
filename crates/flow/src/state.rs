//! What changes during a simulation.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{SerializeTuple, Serializer};
use serde::{Deserialize, Serialize};
use unstick_grid::stored::ReadInto;
use unstick_grid::{CellField, FaceField};

use crate::axis::Axis;
use crate::tensor::TensorGrid;

/// The state of the flow; with the bodies it is the checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowState<const D: usize> {
    /// Simulated seconds.
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Length of the last step; zero before the first.
    pub last_step: f64,
    /// Velocity across the faces.
    pub velocity: FaceField<f64, D>,
    /// The same one step before.
    pub previous: FaceField<f64, D>,
    /// Pressure divided by density, without that of gravity.
    pub pressure: CellField<f64, D>,
    /// Where the cells are.
    pub grid: TensorGrid<D>,
    /// Where they were one step before.
    pub previous_grid: TensorGrid<D>,
}

impl<const D: usize> FlowState<D> {
    /// Liquid at rest.
    pub fn at_rest(grid: &TensorGrid<D>) -> Self {
        let velocity: FaceField<f64, D> = std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| 0.0));
        let pressure = CellField::of_shape(grid.cells(), |_| 0.0);
        let (grid, previous_grid) = (grid.clone(), grid.clone());
        let previous = velocity.clone();
        Self { time: 0.0, step: 0, last_step: 0.0, velocity, previous, pressure, grid, previous_grid }
    }

    /// The state as plain data, for checkpoints. [`RestoredFlow`] gives it back bit for bit.
    pub fn to_data(&self) -> impl Serialize {
        StoredFlow(self)
    }
}

/// How many parts a stored state has.
const fn parts(dimension: usize) -> usize {
    4 + 4 * dimension
}

struct StoredFlow<'a, const D: usize>(&'a FlowState<D>);

impl<const D: usize> Serialize for StoredFlow<'_, D> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let FlowState { time, step, last_step, velocity, previous, pressure, grid, previous_grid } = self.0;
        let mut parts = to.serialize_tuple(parts(D))?;
        parts.serialize_element(time)?;
        parts.serialize_element(step)?;
        parts.serialize_element(last_step)?;
        velocity.iter().chain(previous).try_for_each(|field| parts.serialize_element(field))?;
        parts.serialize_element(pressure)?;
        let mut axes = grid.axes().iter().chain(previous_grid.axes());
        axes.try_for_each(|axis| parts.serialize_element(axis.nodes()))?;
        parts.end()
    }
}

/// Reads what [`FlowState::to_data`] gave, without a second copy; refused if it belongs to another grid.
pub struct RestoredFlow<'a, const D: usize>(pub &'a TensorGrid<D>);

impl<'de, const D: usize> DeserializeSeed<'de> for RestoredFlow<'_, D> {
    type Value = FlowState<D>;

    fn deserialize<S: Deserializer<'de>>(self, data: S) -> Result<FlowState<D>, S::Error> {
        data.deserialize_tuple(parts(D), self)
    }
}

impl<'de, const D: usize> Visitor<'de> for RestoredFlow<'_, D> {
    type Value = FlowState<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the state of a flow on {:?} cells", self.0.cells())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut data: A) -> Result<FlowState<D>, A::Error> {
        let mut state = FlowState::at_rest(self.0);
        (state.time, state.step, state.last_step) = (next(&mut data)?, next(&mut data)?, next(&mut data)?);
        let FlowState { velocity, previous, pressure, .. } = &mut state;
        for field in velocity.iter_mut().chain(previous).chain([pressure]) {
            let read = data.next_element_seed(ReadInto(field.values_mut()))?;
            read.ok_or_else(|| A::Error::custom("the state ends early"))?;
        }
        for grid in [&mut state.grid, &mut state.previous_grid] {
            let mut axes = self.0.axes().clone();
            for axis in &mut axes {
                *axis = moved(axis, next(&mut data)?).map_err(A::Error::custom)?;
            }
            *grid = TensorGrid::new(axes);
        }
        Ok(state)
    }
}

/// An axis with its nodes moved.
fn moved(axis: &Axis, nodes: Vec<f64>) -> Result<Axis, String> {
    let moved = Axis::new(nodes).map_err(|error| error.to_string())?;
    if moved.is_moved(axis) { Ok(moved) } else { Err("an axis of other cells or other ends".into()) }
}

fn next<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(data: &mut A) -> Result<T, A::Error> {
    data.next_element()?.ok_or_else(|| A::Error::custom("the state ends early"))
}
