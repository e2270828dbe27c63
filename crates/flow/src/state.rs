//! What changes during a simulation.

use serde::{Deserialize, Serialize};
use unstick_grid::{CellField, FaceField};

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
}

/// A state as plain data.
#[derive(Serialize, Deserialize)]
pub struct FlatFlow {
    time: f64,
    step: u64,
    last_step: f64,
    velocity: Vec<Vec<f64>>,
    previous: Vec<Vec<f64>>,
    pressure: Vec<f64>,
}

impl<const D: usize> FlowState<D> {
    /// Liquid at rest.
    pub fn at_rest(grid: &TensorGrid<D>) -> Self {
        let velocity: FaceField<f64, D> = std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| 0.0));
        let pressure = CellField::of_shape(grid.cells(), |_| 0.0);
        Self { time: 0.0, step: 0, last_step: 0.0, previous: velocity.clone(), velocity, pressure }
    }

    /// The state as plain data, for checkpoints. [`restore`](Self::restore) gives it back bit for bit.
    pub fn to_data(&self) -> FlatFlow {
        let flat = |field: &FaceField<f64, D>| field.iter().map(|field| field.values().to_vec()).collect();
        FlatFlow {
            time: self.time,
            step: self.step,
            last_step: self.last_step,
            velocity: flat(&self.velocity),
            previous: flat(&self.previous),
            pressure: self.pressure.values().to_vec(),
        }
    }

    /// The state from plain data; none if it belongs to another grid.
    pub fn restore(grid: &TensorGrid<D>, data: FlatFlow) -> Option<Self> {
        let mut state = Self::at_rest(grid);
        (state.time, state.step, state.last_step) = (data.time, data.step, data.last_step);
        for (fields, flat) in [(&mut state.velocity, data.velocity), (&mut state.previous, data.previous)] {
            if flat.len() != D {
                return None;
            }
            for (field, flat) in fields.iter_mut().zip(flat) {
                fill(field, &flat)?;
            }
        }
        fill(&mut state.pressure, &data.pressure)?;
        Some(state)
    }
}

fn fill<const D: usize>(field: &mut CellField<f64, D>, values: &[f64]) -> Option<()> {
    (field.values().len() == values.len()).then(|| field.values_mut().copy_from_slice(values))
}
