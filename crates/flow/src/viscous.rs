//! The viscous step: momentum with the pressure of the step before, implicit in the velocity and in the bodies.
//!
//! The unknowns are the velocities of open faces and the twists of free bodies; faces inside a body follow its twist.
//! In these unknowns the equations are symmetric and positive definite, with the mass that the bodies have more than
//! the liquid in their place added to their rows: so they are as stable for bodies lighter than the liquid.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use unstick_grid::FaceField;
use unstick_mlcp::{Convergence, Outcome};
use unstick_parallel::{self as parallel, vector};

use crate::direct::Separable;
use crate::discrete::Discrete;
use crate::immersed::{Held, Marks};
use crate::setup::StopAt;
use crate::stencil;
use crate::stress::Stress;
use crate::twist::exists;

/// Velocities of faces with twists of bodies.
#[derive(Clone)]
pub(crate) struct Momentum<const D: usize> {
    pub faces: FaceField<f64, D>,
    pub bodies: Vec<Vector6<f64>>,
}

impl<const D: usize> Momentum<D> {
    pub fn zero(discrete: &Discrete<D>, bodies: usize) -> Self {
        Self { faces: discrete.zero_faces(), bodies: vec![Vector6::zeros(); bodies] }
    }

    fn dot(&self, other: &Self) -> f64 {
        let faces: f64 = (0..D).map(|axis| vector::dot(self.faces[axis].values(), other.faces[axis].values())).sum();
        faces + self.bodies.iter().zip(&other.bodies).map(|(a, b)| a.dot(b)).sum::<f64>()
    }

    /// The largest velocity of a face.
    fn fastest(&self) -> f64 {
        self.faces.iter().map(|field| vector::norm_max(field.values())).fold(0.0, f64::max)
    }

    /// self ← self + a other.
    fn add(&mut self, a: f64, other: &Self) {
        for axis in 0..D {
            vector::add_scaled(a, other.faces[axis].values(), self.faces[axis].values_mut());
        }
        self.bodies.iter_mut().zip(&other.bodies).for_each(|(x, other)| *x += a * other);
    }

    /// self ← other + a self.
    fn follow(&mut self, other: &Self, a: f64) {
        for axis in 0..D {
            vector::scale_and_add(other.faces[axis].values(), a, self.faces[axis].values_mut());
        }
        self.bodies.iter_mut().zip(&other.bodies).for_each(|(x, other)| *x = other + a * *x);
    }
}

/// The matrix of a viscous step.
pub(crate) struct Viscous<'a, const D: usize> {
    pub discrete: &'a Discrete<D>,
    pub marks: &'a Marks<D>,
    /// Mass that each body has more than the liquid in its place; none where its motion is given.
    pub excess: &'a [Option<Matrix6<f64>>],
    /// Coefficient of the new velocity in its rate of change, per second.
    pub shift: f64,
    /// The viscosity, or one to compare with where it varies.
    pub viscosity: f64,
    /// Where it varies.
    pub stress: Option<&'a Stress<D>>,
}

impl<const D: usize> Viscous<'_, D> {
    /// `out` ← A x. Inside bodies x must hold what its twists say.
    pub fn apply(&self, x: &Momentum<D>, out: &mut Momentum<D>) {
        match self.stress {
            Some(stress) => stress.apply(self.discrete, self.shift, &x.faces, false, &mut out.faces),
            None => {
                for component in 0..D {
                    let lines = &self.discrete.velocity[component];
                    let (x, out) = (x.faces[component].values(), out.faces[component].values_mut());
                    stencil::apply(lines, self.shift, self.viscosity, x, out);
                }
            }
        }
        for (body, twist) in x.bodies.iter().enumerate() {
            let mut row = self.excess[body].map_or(Vector6::zeros(), |excess| self.shift * excess * twist);
            for held in &self.marks.cut[body] {
                let slip = x.faces[held.component].values()[held.index] - held.basis.dot(twist);
                let drag = self.viscosity_at(held) * held.drag * slip;
                out.faces[held.component].values_mut()[held.index] += drag;
                row -= held.basis * drag;
            }
            out.bodies[body] = row;
        }
        self.gather(out);
    }

    /// The viscosity at a face that a body holds.
    pub fn viscosity_at(&self, held: &Held<D>) -> f64 {
        self.stress.map_or(self.viscosity, |stress| stress.at_face(self.discrete, held.component, held.place))
    }

    /// The diagonal of a face without the drag of bodies.
    fn diagonal_at(&self, held: &Held<D>) -> f64 {
        let lines = &self.discrete.velocity[held.component];
        let stiffness: f64 =
            (0..D).map(|axis| lines[axis].diagonal[held.place[axis]] / lines[axis].mass[held.place[axis]]).sum();
        held.volume * (self.shift + self.viscosity * stiffness)
    }

    /// Rows of faces inside a body are added to the rows of that body.
    pub fn gather(&self, rows: &mut Momentum<D>) {
        for (body, inside) in self.marks.inside.iter().enumerate() {
            let mut row = rows.bodies[body];
            for held in inside {
                let value = &mut rows.faces[held.component].values_mut()[held.index];
                row += held.basis * *value;
                *value = 0.0;
            }
            (0..6).filter(|&part| !exists::<D>(part)).for_each(|part| row[part] = 0.0);
            rows.bodies[body] = if self.excess[body].is_some() { row } else { Vector6::zeros() };
        }
    }

    /// Solves A x = `right` by conjugate gradients from the x that is there. The residual is the largest velocity that
    /// the preconditioner would still change, as a part of the largest velocity.
    ///
    /// On entry the rows of `right` are gathered and x holds boundary values and prescribed twists.
    pub fn solve(
        &self,
        right: &Momentum<D>,
        x: &mut Momentum<D>,
        solvers: &mut [Separable<D>; D],
        StopAt { tolerance, max_iterations }: StopAt,
    ) -> Convergence {
        self.marks.fill(&x.bodies, &mut x.faces);
        let mut residual = Momentum::zero(self.discrete, x.bodies.len());
        self.apply(x, &mut residual);
        residual.bodies.iter_mut().for_each(|row| *row = -*row);
        residual.faces.iter_mut().for_each(|field| {
            parallel::for_each(field.values_mut(), |row| row.iter_mut().for_each(|value| *value = -*value))
        });
        residual.add(1.0, right);
        let mut preconditioner = Preconditioner::new(self);
        let mut z = residual.clone();
        if self.marks.is_empty() && self.stress.is_none() {
            for component in 0..D {
                solvers[component].solve(self.shift, self.viscosity, z.faces[component].values_mut());
            }
            x.add(1.0, &z);
            return Convergence::direct(1);
        }
        let mut direction = Momentum::zero(self.discrete, x.bodies.len());
        let mut product = direction.clone();
        let mut last = 1.0;
        let mut iterations = 0;
        loop {
            preconditioner.apply(self, &residual, &mut z, solvers);
            // What is left, as velocities: sums over cells of all sizes would not see the small ones at bodies.
            self.marks.fill(&z.bodies, &mut z.faces);
            let (left, fastest) = (z.fastest(), x.fastest());
            let is_done = left <= tolerance * fastest;
            if is_done || iterations == max_iterations {
                let outcome = if is_done { Outcome::Converged } else { Outcome::IterationLimit };
                let part = if fastest > 0.0 { left / fastest } else { left };
                return Convergence::new(outcome, iterations, part, tolerance);
            }
            let slope = residual.dot(&z);
            direction.follow(&z, if iterations == 0 { 0.0 } else { slope / last });
            last = slope;
            self.marks.fill(&direction.bodies, &mut direction.faces);
            self.apply(&direction, &mut product);
            let step = slope / direction.dot(&product);
            x.add(step, &direction);
            residual.add(-step, &product);
            iterations += 1;
        }
    }
}

/// What speeds the iteration up.
///
/// A face that is cut close to itself is tied to its body by a drag without bound, and one between two bodies ties both
/// together. So cut faces are eliminated before the bodies, each with its diagonal a and its drag d: a body then keeps
/// of that drag what the liquid beyond the face gives way to, d a/(a + d).
struct Preconditioner<const D: usize> {
    /// Reciprocals of the diagonal; none where the whole box is solved instead.
    faces: Option<FaceField<f64, D>>,
    bodies: Vec<Option<Matrix6<f64>>>,
}

/// Above this ratio of viscous to inertial terms solving the whole box is worth it.
const STIFF: f64 = 100.0;

impl<const D: usize> Preconditioner<D> {
    fn new(viscous: &Viscous<D>) -> Self {
        let discrete = viscous.discrete;
        let finest = discrete.grid.finest();
        let is_stiff = 4.0 * D as f64 * viscous.viscosity > STIFF * viscous.shift * finest * finest;
        let faces = (!is_stiff && viscous.stress.is_none() && !viscous.marks.is_empty()).then(|| {
            let mut diagonal = discrete.zero_faces();
            for component in 0..D {
                let lines = &discrete.velocity[component];
                stencil::diagonal(lines, viscous.shift, viscous.viscosity, diagonal[component].values_mut());
            }
            for held in viscous.marks.cut.iter().flatten() {
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

    fn apply(
        &mut self,
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
                    solvers[component].solve(viscous.shift, viscous.viscosity, z);
                }
            }
        }
        for held in viscous.marks.inside.iter().flatten() {
            z.faces[held.component].values_mut()[held.index] = 0.0;
        }
        let faces = &z.faces;
        let of_body = |(body, inverse): (usize, &Option<Matrix6<f64>>)| {
            let Some(inverse) = inverse else { return Vector6::zeros() };
            let mut row = residual.bodies[body];
            if self.faces.is_some() {
                for held in &viscous.marks.cut[body] {
                    let drag = viscous.viscosity_at(held) * held.drag;
                    row += held.basis * (drag * faces[held.component].values()[held.index]);
                }
            }
            inverse * row
        };
        z.bodies = self.bodies.par_iter().enumerate().map(of_body).collect();
        let Some(reciprocals) = &self.faces else { return };
        for (body, twist) in z.bodies.iter().enumerate() {
            for held in &viscous.marks.cut[body] {
                let drag = viscous.viscosity_at(held) * held.drag;
                let part = drag * reciprocals[held.component].values()[held.index];
                z.faces[held.component].values_mut()[held.index] += part * held.basis.dot(twist);
            }
        }
    }
}

/// The inverse of what belongs to a body alone: its inertia, and the drag of its cut links as far as they hold it.
fn body_block<const D: usize>(
    viscous: &Viscous<D>,
    body: usize,
    excess: Matrix6<f64>,
    reciprocals: Option<&FaceField<f64, D>>,
) -> Matrix6<f64> {
    let mut block = viscous.shift * excess;
    for held in &viscous.marks.inside[body] {
        block += held.basis * held.basis.transpose() * (viscous.shift * held.volume);
    }
    for held in &viscous.marks.cut[body] {
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

/// The inverse on the parts of a twist that exist, zero elsewhere.
pub(crate) fn invert<const D: usize>(mut block: Matrix6<f64>) -> Matrix6<f64> {
    for part in (0..6).filter(|&part| !exists::<D>(part)) {
        block.fill_row(part, 0.0);
        block.fill_column(part, 0.0);
        block[(part, part)] = 1.0;
    }
    let mut inverse = block.try_inverse().unwrap_or_else(Matrix6::zeros);
    (0..6).filter(|&part| !exists::<D>(part)).for_each(|part| inverse[(part, part)] = 0.0);
    inverse
}
