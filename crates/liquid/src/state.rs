//! All that a step reads and writes.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{SerializeTuple, Serializer};
use serde::{Deserialize, Serialize};
use unstick_grid::stored::{ReadInto, ReadRows};
use unstick_grid::{CellField, FaceField, Grid};
use unstick_parallel as parallel;

use crate::air::AirState;
use crate::particles::Particles;

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
    /// Pressure in every cell divided by density; zero in solids and in the outer air.
    pub pressure: CellField<f64, D>,
    /// Distance to the liquid at cell centres, negative inside.
    pub liquid: CellField<f64, D>,
    /// Cells whose wall has let go.
    pub separated: CellField<bool, D>,
    /// Density of the particles relative to full cells, at the start of the last step, as `liquid`.
    pub density: CellField<f64, D>,
    /// Bubbles, where air is enclosed.
    pub air: AirState,
    /// The state of the bodies, as they store it.
    pub bodies: Vec<f64>,
    /// Where solids and bodies were that the last step has met.
    pub met: MetSolids,
}

/// When and where a step has met solids that move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetSolids {
    /// Simulated seconds.
    pub time: f64,
    /// The state of the bodies then, as they store it.
    pub bodies: Vec<f64>,
}

impl<const D: usize> LiquidState<D> {
    /// No liquid, nothing moves.
    pub fn empty(grid: &Grid<D>) -> Self {
        let mut liquid = CellField::filled(grid.cells(), 0.0);
        parallel::for_each(liquid.values_mut(), |values| values.fill(grid.spacing()));
        Self {
            time: 0.0,
            step: 0,
            last_step: 0.0,
            particles: Particles::default(),
            velocity: std::array::from_fn(|axis| CellField::filled(grid.faces(axis), 0.0)),
            pressure: CellField::filled(grid.cells(), 0.0),
            liquid,
            separated: CellField::filled(grid.cells(), false),
            density: CellField::filled(grid.cells(), 0.0),
            air: AirState::default(),
            bodies: Vec::new(),
            met: MetSolids::default(),
        }
    }

    /// The same state in memory of its own, which all threads write: a clone is written by one.
    pub fn copied(&self) -> Self {
        let Self { particles, velocity, pressure, liquid, separated, density, air, bodies, met, .. } = self;
        Self {
            particles: Particles {
                position: parallel::copied(&particles.position),
                velocity: parallel::copied(&particles.velocity),
                affine: parallel::copied(&particles.affine),
                id: parallel::copied(&particles.id),
                next_id: particles.next_id,
            },
            velocity: std::array::from_fn(|axis| velocity[axis].copied()),
            pressure: pressure.copied(),
            liquid: liquid.copied(),
            separated: separated.copied(),
            density: density.copied(),
            air: air.clone(),
            bodies: bodies.clone(),
            met: met.clone(),
            ..*self
        }
    }

    /// The state as plain data, for checkpoints. [`restore`](Self::restore) gives it back bit for bit.
    pub fn to_data(&self) -> impl Serialize {
        StoredState(self)
    }

    /// Reads what [`to_data`](Self::to_data) gave, without a second copy; refused if it does not fit the grid.
    pub fn restore<'de, S: Deserializer<'de>>(grid: &Grid<D>, data: S) -> Result<Self, S::Error> {
        data.deserialize_tuple(parts(D), RestoredState(grid))
    }
}

/// How many parts a stored state has.
const fn parts(dimension: usize) -> usize {
    17 + dimension
}

struct StoredState<'a, const D: usize>(&'a LiquidState<D>);

impl<const D: usize> Serialize for StoredState<'_, D> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let LiquidState { time, step, last_step, particles, velocity, .. } = self.0;
        let LiquidState { pressure, liquid, separated, density, air, bodies, met, .. } = self.0;
        let mut parts = to.serialize_tuple(parts(D))?;
        parts.serialize_element(time)?;
        parts.serialize_element(step)?;
        parts.serialize_element(last_step)?;
        parts.serialize_element(particles.position.as_flattened())?;
        parts.serialize_element(particles.velocity.as_flattened())?;
        parts.serialize_element(particles.affine.as_flattened().as_flattened())?;
        parts.serialize_element(&particles.id)?;
        parts.serialize_element(&particles.next_id)?;
        velocity.iter().try_for_each(|field| parts.serialize_element(field))?;
        parts.serialize_element(pressure)?;
        parts.serialize_element(liquid)?;
        parts.serialize_element(separated)?;
        parts.serialize_element(density)?;
        parts.serialize_element(&air.part_of)?;
        parts.serialize_element(&air.parts)?;
        parts.serialize_element(bodies)?;
        parts.serialize_element(&met.time)?;
        parts.serialize_element(&met.bodies)?;
        parts.end()
    }
}

struct RestoredState<'a, const D: usize>(&'a Grid<D>);

impl<'de, const D: usize> Visitor<'de> for RestoredState<'_, D> {
    type Value = LiquidState<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the state of a liquid on {:?} cells", self.0.cells())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut data: A) -> Result<LiquidState<D>, A::Error> {
        let mut state = LiquidState::empty(self.0);
        (state.time, state.step, state.last_step) = (next(&mut data)?, next(&mut data)?, next(&mut data)?);
        state.particles = Particles {
            position: next_by(&mut data, ReadRows::vectors())?,
            velocity: next_by(&mut data, ReadRows::vectors())?,
            affine: next_by(&mut data, ReadRows::matrices())?,
            id: next(&mut data)?,
            next_id: next(&mut data)?,
        };
        let Particles { position, velocity, affine, id, next_id } = &state.particles;
        let is_whole = |count: usize| count == position.len();
        if !is_whole(velocity.len()) || !(affine.is_empty() || is_whole(affine.len())) {
            return Err(A::Error::custom("particles without a velocity"));
        }
        if !is_whole(id.len()) || id.iter().any(|id| id >= next_id) {
            return Err(A::Error::custom("particles without a number of their own"));
        }
        for field in &mut state.velocity {
            next_by(&mut data, ReadInto(field.values_mut()))?;
        }
        for field in [&mut state.pressure, &mut state.liquid] {
            next_by(&mut data, ReadInto(field.values_mut()))?;
        }
        next_by(&mut data, ReadInto(state.separated.values_mut()))?;
        next_by(&mut data, ReadInto(state.density.values_mut()))?;
        state.air = AirState { part_of: next(&mut data)?, parts: next(&mut data)? };
        if !state.air.fits(self.0.len()) {
            return Err(A::Error::custom("cells without a part of the air"));
        }
        state.bodies = next(&mut data)?;
        state.met = MetSolids { time: next(&mut data)?, bodies: next(&mut data)? };
        Ok(state)
    }
}

fn next<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(data: &mut A) -> Result<T, A::Error> {
    next_by(data, std::marker::PhantomData)
}

fn next_by<'de, T: DeserializeSeed<'de>, A: SeqAccess<'de>>(data: &mut A, seed: T) -> Result<T::Value, A::Error> {
    data.next_element_seed(seed)?.ok_or_else(|| A::Error::custom("the state ends early"))
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
        (state.particles.id, state.particles.next_id) = (vec![1 << 60], u64::MAX);
        *state.pressure.at_mut([1, 0]) = 3.5;
        *state.separated.at_mut([0, 1]) = true;
        *state.velocity[1].at_mut([1, 2]) = -1e-300;
        *state.density.at_mut([1, 1]) = 0.7;
        state.met = MetSolids { time: 0.25, bodies: vec![2.5, -0.0] };
        let restored = |grid: &Grid<2>, state: &LiquidState<2>| {
            let text = serde_json::to_string(&state.to_data()).unwrap();
            LiquidState::restore(grid, &mut serde_json::Deserializer::from_str(&text))
        };
        assert_eq!(restored(&grid, &state).unwrap(), state);
        assert!(restored(&Grid::<2>::unit(3).unwrap(), &state).is_err());
        state.particles.next_id = 1 << 60;
        let error = restored(&grid, &state).unwrap_err().to_string();
        assert!(error.starts_with("particles without a number of their own"), "{error}");
    }
}
