//! The unknowns of a step: velocities of faces with twists of bodies.

use nalgebra::{Matrix6, Vector6};
use unstick_grid::FaceField;
use unstick_parallel::binary::{shift_all, shifted};
use unstick_parallel::{self as parallel, larger, vector};

use crate::discrete::Discrete;
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

    pub fn dot(&self, other: &Self) -> f64 {
        let faces: f64 = (0..D).map(|axis| vector::dot(self.faces[axis].values(), other.faces[axis].values())).sum();
        faces + self.bodies.iter().zip(&other.bodies).map(|(a, b)| a.dot(b)).sum::<f64>()
    }

    /// The largest velocity of a face.
    pub fn fastest(&self) -> f64 {
        self.faces.iter().map(|field| vector::norm_max(field.values())).fold(0.0, larger)
    }

    /// The largest of all numbers.
    pub fn largest(&self) -> f64 {
        self.bodies.iter().map(|row| row.amax()).fold(self.fastest(), larger)
    }

    /// self ← 2^exponent self.
    pub fn shift(&mut self, exponent: i32) {
        self.faces.iter_mut().for_each(|field| shift_all(exponent, field.values_mut()));
        self.bodies.iter_mut().for_each(|row| row.apply(|value| *value = shifted(*value, exponent)));
    }

    /// self ← self + a other.
    pub fn add(&mut self, a: f64, other: &Self) {
        for axis in 0..D {
            vector::add_scaled(a, other.faces[axis].values(), self.faces[axis].values_mut());
        }
        self.bodies.iter_mut().zip(&other.bodies).for_each(|(x, other)| *x += a * other);
    }

    /// self ← −self.
    pub fn negate(&mut self) {
        self.bodies.iter_mut().for_each(|row| *row = -*row);
        self.faces.iter_mut().for_each(|field| {
            parallel::for_each(field.values_mut(), |row| row.iter_mut().for_each(|value| *value = -*value))
        });
    }

    /// self ← other + a self.
    pub fn follow(&mut self, other: &Self, a: f64) {
        for axis in 0..D {
            vector::scale_and_add(other.faces[axis].values(), a, self.faces[axis].values_mut());
        }
        self.bodies.iter_mut().zip(&other.bodies).for_each(|(x, other)| *x = other + a * *x);
    }
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
