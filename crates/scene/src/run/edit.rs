//! What a program may change of a simulation between two steps.

use unstick_bodies::{FloatingBodies, Suspension};
use unstick_grid::FaceField;
use unstick_liquid::{Gravity, Particles, Simulation, StepError};

use super::RunError;

/// A change between two steps.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Edit<const D: usize> {
    /// Other particles. As many as there were keep their numbers, in the order of the frame; others get new ones.
    Particles {
        /// Where they are.
        position: Vec<[f64; D]>,
        /// How they move.
        velocity: Vec<[f64; D]>,
    },
    /// Velocity across the faces of each axis, x fastest.
    Faces([Vec<f64>; D]),
    /// Acceleration of everything from now on.
    Gravity([f64; D]),
    /// How a body moves.
    Body {
        /// Its number, from 0.
        number: usize,
        /// Velocity of its centre of mass.
        velocity: [f64; D],
        /// Radians per second about each axis; in the plane about the third alone.
        spin: [f64; 3],
    },
}

/// Changes a liquid with a surface.
pub(super) fn edit_liquid<const D: usize>(simulation: &mut Simulation<D>, edit: Edit<D>) -> Result<(), RunError> {
    match edit {
        Edit::Particles { position, velocity } => {
            simulation.edit(|state| replace(&mut state.particles, position, velocity))?;
        }
        Edit::Faces(values) => {
            check_faces(&simulation.state().velocity, &values)?;
            simulation.edit(|state| copy_faces(&mut state.velocity, &values))?;
        }
        Edit::Gravity(gravity) => {
            check_numbers("gravity", &gravity)?;
            simulation.set_gravity(Gravity::Constant(gravity));
        }
        Edit::Body { number, velocity, spin } => {
            let bodies = FloatingBodies::of(simulation).map_or(0, |afloat| afloat.world().bodies().len());
            check_body(number, bodies)?;
            simulation.edit(|state| FloatingBodies::set_motion(&mut state.bodies, number, velocity, spin))?;
        }
    }
    Ok(())
}

/// Changes a viscous flow.
pub(super) fn edit_suspension<const D: usize>(suspension: &mut Suspension<D>, edit: Edit<D>) -> Result<(), RunError> {
    let before = suspension.state();
    let mut state = before.clone();
    match edit {
        Edit::Particles { .. } => {
            return Err(refused("a viscous flow", "no particles".into(), "a liquid with a surface"));
        }
        Edit::Gravity(gravity) => {
            let found = format!("{gravity:?} after the start");
            return Err(refused("the gravity of a viscous flow", found, "a scene with that gravity"));
        }
        Edit::Faces(values) => {
            check_faces(&state.flow.velocity, &values)?;
            copy_faces(&mut state.flow.velocity, &values);
            copy_faces(&mut state.flow.previous, &values);
        }
        Edit::Body { number, velocity, spin } => {
            check_body(number, state.bodies.len())?;
            (state.bodies[number].velocity, state.bodies[number].spin) = (velocity, spin);
            (state.previous[number].linear, state.previous[number].angular) = (velocity, spin);
        }
    }
    suspension.set_state(state);
    suspension.check_finite().map_err(|error| {
        suspension.set_state(before);
        error.into()
    })
}

fn replace<const D: usize>(particles: &mut Particles<D>, position: Vec<[f64; D]>, velocity: Vec<[f64; D]>) {
    if position.len() != particles.len() {
        let (first, count) = (particles.next_id, position.len() as u64);
        (particles.id, particles.next_id) = ((first..first + count).collect(), first + count);
        if !particles.affine.is_empty() {
            particles.affine = vec![[[0.0; D]; D]; position.len()];
        }
    }
    (particles.position, particles.velocity) = (position, velocity);
}

fn copy_faces<const D: usize>(field: &mut FaceField<f64, D>, values: &[Vec<f64>; D]) {
    field.iter_mut().zip(values).for_each(|(field, values)| field.values_mut().copy_from_slice(values));
}

fn check_faces<const D: usize>(field: &FaceField<f64, D>, values: &[Vec<f64>; D]) -> Result<(), RunError> {
    let lengths = field.iter().zip(values).map(|(field, values)| (values.len(), field.values().len()));
    match lengths.into_iter().find(|(found, expected)| found != expected) {
        Some((found, expected)) => Err(StepError::Misfit { what: "faces of the velocity", found, expected }.into()),
        None => Ok(()),
    }
}

fn check_body(number: usize, bodies: usize) -> Result<(), RunError> {
    if number < bodies { Ok(()) } else { Err(refused("the body", number.to_string(), &format!("one of {bodies}"))) }
}

fn check_numbers(what: &'static str, numbers: &[f64]) -> Result<(), RunError> {
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(()),
        false => Err(refused(what, format!("{numbers:?}"), "finite numbers")),
    }
}

pub(super) fn refused(what: &'static str, found: String, expected: &str) -> RunError {
    RunError::Edit { what, found, expected: expected.into() }
}
