//! The tridiagonal systems along the axis without a transform, all waves at once.
//!
//! For a wave with eigenvalue λ: −x_{k−1} + (λ + d_k) x_k − x_{k+1} = r_k with d_k = 2 inside and
//! 1 plus the coupling beyond at the ends. Elimination needs the pivots p_k = λ + d_k − 1/p_{k−1},
//! which depend on the box alone.

use super::transform::Transform;
use crate::parallel;

/// Pivots below this belong to the one wave of a closed box that is constant.
const SINGULAR: f64 = 1e-9;

pub(super) struct Sweep {
    /// 1/p_k of every wave, plane by plane, and what the transforms leave to be divided by.
    reciprocals: Vec<f64>,
    scale: f64,
    planes: usize,
    /// Whether nothing fixes the constant.
    is_closed: bool,
}

impl Sweep {
    pub fn new(transforms: &[Transform; 2], extents: [usize; 3], sides: [f64; 2], unit: f64) -> Self {
        let [first, second, planes] = extents;
        let [along, across] = [(0, first), (1, second)]
            .map(|(axis, count)| (0..count).map(|wave| transforms[axis].eigenvalue(wave)).collect::<Vec<_>>());
        let plane = first * second;
        let mut reciprocals = vec![0.0; plane * planes];
        // Planes lie turned: the second axis runs fastest.
        let eigenvalues: Vec<f64> = along.iter().flat_map(|one| across.iter().map(move |other| one + other)).collect();
        for index in 0..planes {
            let (done, rest) = reciprocals.split_at_mut(index * plane);
            let before = &done[done.len().saturating_sub(plane)..];
            let inside = [index > 0, index + 1 < planes];
            let diagonal: f64 = (0..2).map(|side| if inside[side] { 1.0 } else { sides[side] }).sum();
            for (wave, value) in rest[..plane].iter_mut().enumerate() {
                let pivot = eigenvalues[wave] + diagonal - before.get(wave).copied().unwrap_or(0.0);
                *value = if pivot.abs() < SINGULAR { 0.0 } else { 1.0 / pivot };
            }
        }
        let scale = 1.0 / (unit * transforms[0].scale() * transforms[1].scale());
        let is_closed = planes > 0 && reciprocals[(planes - 1) * plane] == 0.0;
        Self { reciprocals, scale, planes, is_closed }
    }

    /// x ← the answers for the right-hand sides x.
    pub fn run(&self, x: &mut [f64]) {
        let plane = x.len() / self.planes;
        for index in 1..self.planes {
            let (before, here) = x[(index - 1) * plane..].split_at_mut(plane);
            let reciprocals = &self.reciprocals[(index - 1) * plane..][..plane];
            parallel::for_each((&*before, reciprocals, &mut here[..plane]), |(before, reciprocals, here)| {
                for ((here, before), reciprocal) in here.iter_mut().zip(before).zip(reciprocals) {
                    *here += before * reciprocal;
                }
            });
        }
        let last = &mut x[(self.planes - 1) * plane..];
        let reciprocals = &self.reciprocals[(self.planes - 1) * plane..];
        last.iter_mut().zip(reciprocals).for_each(|(x, reciprocal)| *x *= self.scale * reciprocal);
        for index in (0..self.planes - 1).rev() {
            let (here, above) = x[index * plane..].split_at_mut(plane);
            let reciprocals = &self.reciprocals[index * plane..][..plane];
            parallel::for_each((here, &above[..plane], reciprocals), |(here, above, reciprocals)| {
                for ((here, above), reciprocal) in here.iter_mut().zip(above).zip(reciprocals) {
                    *here = (self.scale * *here + above) * reciprocal;
                }
            });
        }
        if self.is_closed {
            let mean = x.iter().step_by(plane).sum::<f64>() / self.planes as f64;
            x.iter_mut().step_by(plane).for_each(|x| *x -= mean);
        }
    }
}
