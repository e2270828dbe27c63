//! All that a step reads and writes.

use serde::{Deserialize, Serialize};
use unstick_grid::{CellField, FaceField, Grid};

use crate::particles::{FlatParticles, Particles};

/// The state of a simulation; it *is* the checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct LiquidState<const D: usize> {
    /// Simulated seconds.
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Length of the last step; zero before the first.
    pub last_step: f64,
    /// The liquid.
    pub particles: Particles<D>,
    /// Velocity across the faces, also beyond the liquid.
    pub velocity: FaceField<f64, D>,
    /// Pressure in every cell divided by density; zero outside of the liquid.
    pub pressure: CellField<f64, D>,
    /// Distance to the liquid at cell centres, negative inside.
    pub liquid: CellField<f64, D>,
    /// Cells whose wall has let go.
    pub separated: CellField<bool, D>,
    /// The state of the bodies, as they store it.
    pub bodies: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct FlatState {
    time: f64,
    step: u64,
    last_step: f64,
    particles: FlatParticles,
    velocity: Vec<Vec<f64>>,
    pressure: Vec<f64>,
    liquid: Vec<f64>,
    separated: Vec<bool>,
    bodies: Vec<f64>,
}

impl<const D: usize> LiquidState<D> {
    /// No liquid, nothing moves.
    pub fn empty(grid: &Grid<D>) -> Self {
        let cells = CellField::from_fn(grid, |_| 0.0);
        Self {
            time: 0.0,
            step: 0,
            last_step: 0.0,
            particles: Particles::default(),
            velocity: std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| 0.0)),
            pressure: cells.clone(),
            liquid: CellField::from_fn(grid, |_| grid.spacing()),
            separated: CellField::from_fn(grid, |_| false),
            bodies: Vec::new(),
        }
    }

    /// The state as plain data, for checkpoints. [`restore`](Self::restore) gives it back bit for bit.
    pub fn to_data(&self) -> impl Serialize + use<D> {
        FlatState {
            time: self.time,
            step: self.step,
            last_step: self.last_step,
            particles: self.particles.flatten(),
            velocity: self.velocity.iter().map(|field| field.values().to_vec()).collect(),
            pressure: self.pressure.values().to_vec(),
            liquid: self.liquid.values().to_vec(),
            separated: self.separated.values().to_vec(),
            bodies: self.bodies.clone(),
        }
    }

    /// Reads what [`to_data`](Self::to_data) gave; none if it does not fit the grid.
    pub fn restore<'de, S: serde::Deserializer<'de>>(grid: &Grid<D>, data: S) -> Result<Option<Self>, S::Error> {
        let flat = FlatState::deserialize(data)?;
        let mut state = Self::empty(grid);
        let fill = |field: &mut CellField<f64, D>, values: &[f64]| {
            let fits = field.values().len() == values.len();
            if fits {
                field.values_mut().copy_from_slice(values);
            }
            fits
        };
        let mut fits = flat.velocity.len() == D && flat.separated.len() == grid.len();
        for (field, values) in state.velocity.iter_mut().zip(&flat.velocity) {
            fits &= fill(field, values);
        }
        fits &= fill(&mut state.pressure, &flat.pressure) && fill(&mut state.liquid, &flat.liquid);
        let count = flat.particles.position.len() / D;
        fits &= flat.particles.position.len() == D * count && flat.particles.velocity.len() == D * count;
        fits &= flat.particles.affine.is_empty() || flat.particles.affine.len() == D * D * count;
        if !fits {
            return Ok(None);
        }
        state.separated.values_mut().copy_from_slice(&flat.separated);
        let vectors = |flat: &[f64]| flat.as_chunks::<D>().0.to_vec();
        state.particles = Particles {
            position: vectors(&flat.particles.position),
            velocity: vectors(&flat.particles.velocity),
            affine: vectors(&flat.particles.affine).as_chunks::<D>().0.to_vec(),
        };
        (state.time, state.step, state.last_step) = (flat.time, flat.step, flat.last_step);
        state.bodies = flat.bodies;
        Ok(Some(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_back_bit_for_bit_and_only_on_its_own_grid() {
        let grid = Grid::<2>::unit(2).unwrap();
        let mut state = LiquidState::empty(&grid);
        (state.time, state.step, state.last_step, state.bodies) = (0.1 + 0.2, 7, -0.0, vec![1.5]);
        state.particles.push([0.1, 0.7], [1.0 / 3.0, -2.0]);
        state.particles.affine = vec![[[1.0, 2.0], [3.0, 4.0]]];
        *state.pressure.at_mut([1, 0]) = 3.5;
        *state.separated.at_mut([0, 1]) = true;
        *state.velocity[1].at_mut([1, 2]) = -1e-300;
        let text = serde_json::to_string(&state.to_data()).unwrap();
        let restored =
            |grid: &Grid<2>| LiquidState::restore(grid, &mut serde_json::Deserializer::from_str(&text)).unwrap();
        assert_eq!(restored(&grid), Some(state));
        assert_eq!(restored(&Grid::<2>::unit(3).unwrap()), None);
    }
}
