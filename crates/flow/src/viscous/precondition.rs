//! What speeds up the iteration of the viscous step.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use unstick_grid::FaceField;
use unstick_parallel::{self as parallel, vector};

use super::Viscous;
use crate::direct::Separable;
use crate::momentum::{Momentum, invert};
use crate::stencil;

/// The diagonal of the faces, or a solve of the whole box, and a block for each body.
///
/// A face whose wall lies close to it has a drag without bound and follows its body; between two bodies it couples
/// both. So cut faces are eliminated before the bodies. With the diagonal a of the face and its drag d, the body keeps
/// the drag d a/(a + d).
pub(super) struct Preconditioner<const D: usize> {
    /// Reciprocals of the diagonal; none where the whole box is solved instead.
    faces: Option<FaceField<f64, D>>,
    bodies: Vec<Option<Matrix6<f64>>>,
}

/// Above this ratio of viscous to inertial terms a solve of the whole box is worth its cost.
const STIFF: f64 = 100.0;

impl<const D: usize> Preconditioner<D> {
    pub fn new(viscous: &Viscous<D>) -> Self {
        let discrete = viscous.discrete;
        let finest = discrete.grid.finest();
        let is_stiff = 4.0 * D as f64 * viscous.viscosity > STIFF * viscous.shift * finest * finest;
        let faces = (!is_stiff && viscous.stress.is_none() && !viscous.held_faces.is_empty()).then(|| {
            let mut diagonal = discrete.zero_faces();
            for component in 0..D {
                let operators = &discrete.velocity[component];
                stencil::diagonal(operators, viscous.helmholtz(), diagonal[component].values_mut());
            }
            for held in viscous.held_faces.cut.iter().flatten() {
                diagonal[held.component].values_mut()[held.index] += viscous.viscosity_at(held) * held.drag;
            }
            diagonal.iter_mut().for_each(|field| {
                parallel::for_each(field.values_mut(), |row| row.iter_mut().for_each(|value| *value = 1.0 / *value))
            });
            diagonal
        });
        let block = |body: usize| viscous.excess[body].map(|excess| body_block(viscous, body, excess, faces.as_ref()));
        let bodies = (0..viscous.excess.len()).into_par_iter().map(block).collect();
        Self { faces, bodies }
    }

    pub fn apply(
        &self,
        viscous: &Viscous<D>,
        residual: &Momentum<D>,
        z: &mut Momentum<D>,
        solvers: &mut [Separable<D>; D],
    ) {
        for component in 0..D {
            let (residual, z) = (residual.faces[component].values(), z.faces[component].values_mut());
            match &self.faces {
                Some(reciprocals) => {
                    parallel::for_each((residual, reciprocals[component].values(), z), |(residual, reciprocals, z)| {
                        z.iter_mut().zip(residual.iter().zip(reciprocals)).for_each(|(z, (r, d))| *z = r * d);
                    });
                }
                None => {
                    vector::copy(residual, z);
                    solvers[component].solve(viscous.helmholtz(), z);
                }
            }
        }
        for held in viscous.held_faces.inside.iter().flatten() {
            z.faces[held.component].values_mut()[held.index] = 0.0;
        }
        let faces = &z.faces;
        let of_body = |(body, inverse): (usize, &Option<Matrix6<f64>>)| {
            let Some(inverse) = inverse else { return Vector6::zeros() };
            let mut row = residual.bodies[body];
            if self.faces.is_some() {
                for held in &viscous.held_faces.cut[body] {
                    let drag = viscous.viscosity_at(held) * held.drag;
                    row += held.basis * (drag * faces[held.component].values()[held.index]);
                }
            }
            inverse * row
        };
        z.bodies = self.bodies.par_iter().enumerate().map(of_body).collect();
        let Some(reciprocals) = &self.faces else { return };
        for (body, twist) in z.bodies.iter().enumerate() {
            for held in &viscous.held_faces.cut[body] {
                let drag = viscous.viscosity_at(held) * held.drag;
                let part = drag * reciprocals[held.component].values()[held.index];
                z.faces[held.component].values_mut()[held.index] += part * held.basis.dot(twist);
            }
        }
    }
}

/// The inverse of the block of a body: its inertia and the drag that its cut faces leave it.
fn body_block<const D: usize>(
    viscous: &Viscous<D>,
    body: usize,
    excess: Matrix6<f64>,
    reciprocals: Option<&FaceField<f64, D>>,
) -> Matrix6<f64> {
    let mut block = viscous.shift * excess;
    for held in &viscous.held_faces.inside[body] {
        block += held.basis * held.basis.transpose() * (viscous.shift * held.volume);
    }
    for held in &viscous.held_faces.cut[body] {
        let drag = viscous.viscosity_at(held) * held.drag;
        let kept = match reciprocals {
            Some(reciprocals) => (1.0 - drag * reciprocals[held.component].values()[held.index]).max(0.0),
            None => {
                let plain = viscous.diagonal_at(held);
                plain / (plain + drag)
            }
        };
        block += held.basis * held.basis.transpose() * (drag * kept);
    }
    invert::<D>(block)
}
