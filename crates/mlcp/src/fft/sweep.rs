//! The tridiagonal systems along the axis without a transform, many waves at once.
//!
//! For a wave with eigenvalue λ: −x_{k−1} + (λ + d_k) x_k − x_{k+1} = r_k with d_k = 2 inside and
//! 1 plus the coupling beyond at the ends. Elimination needs the pivots p_k = λ + d_k − 1/p_{k−1}. They
//! depend on the box alone, but computing them again is cheaper than moving them through memory.

use rayon::prelude::*;

use super::transform::Transform;
use crate::linear::fit;

/// Pivots below this belong to the one wave of a closed box that is constant.
const SINGULAR: f64 = 1e-9;

/// Waves that are swept together: their values along the axis stay in a second-level cache.
const WAVES: usize = 64;

pub(super) struct Sweep {
    /// Of the waves of a plane.
    eigenvalues: Vec<f64>,
    /// d_k.
    diagonals: Vec<f64>,
    /// What the transforms leave to be multiplied by.
    scale: f64,
}

impl Sweep {
    pub fn new(transforms: &[Transform; 2], extents: [usize; 3], sides: [f64; 2], unit: f64) -> Self {
        let [first, second, planes] = extents;
        let [along, across] = [(0, first), (1, second)]
            .map(|(axis, count)| (0..count).map(|wave| transforms[axis].eigenvalue(wave)).collect::<Vec<_>>());
        let coupling = |is_inside: bool, side: f64| if is_inside { 1.0 } else { side };
        let diagonal = |plane| coupling(plane > 0, sides[0]) + coupling(plane + 1 < planes, sides[1]);
        Self {
            // Planes lie turned: the second axis runs fastest.
            eigenvalues: along.iter().flat_map(|one| across.iter().map(move |other| one + other)).collect(),
            diagonals: (0..planes).map(diagonal).collect(),
            scale: 1.0 / (unit * transforms[0].scale() * transforms[1].scale()),
        }
    }

    /// x ← the answers for the right-hand sides x, plane by plane.
    pub fn run(&self, x: &mut [f64]) {
        let mut bundles: Vec<Bundle> =
            self.eigenvalues.chunks(WAVES).map(|eigenvalues| Bundle { eigenvalues, values: Vec::new() }).collect();
        for plane in x.chunks_mut(self.eigenvalues.len()) {
            bundles.iter_mut().zip(plane.chunks_mut(WAVES)).for_each(|(bundle, values)| bundle.values.push(values));
        }
        bundles.into_par_iter().for_each_init(Vec::new, |reciprocals, bundle| self.solve(bundle, reciprocals));
    }

    /// Elimination upwards, substitution downwards.
    fn solve(&self, bundle: Bundle, reciprocals: &mut Vec<f64>) {
        let Bundle { eigenvalues, mut values } = bundle;
        let width = eigenvalues.len();
        fit(reciprocals, width * values.len());
        for (index, diagonal) in self.diagonals.iter().enumerate() {
            let (done, rest) = reciprocals.split_at_mut(index * width);
            let (lower, here) = values.split_at_mut(index);
            let pivots = rest.iter_mut().zip(eigenvalues);
            if let Some(below) = lower.last() {
                let before = &done[done.len() - width..];
                for (value, (below, before)) in here[0].iter_mut().zip(below.iter().zip(before)) {
                    *value += below * before;
                }
                pivots.zip(before).for_each(|((p, wave), before)| *p = reciprocal(wave + diagonal - before));
            } else {
                pivots.for_each(|(p, wave)| *p = reciprocal(wave + diagonal));
            }
        }
        for index in (0..values.len()).rev() {
            let reciprocals = &reciprocals[index * width..][..width];
            let (here, above) = values[index..].split_at_mut(1);
            let pairs = here[0].iter_mut().zip(reciprocals);
            match above.first() {
                None => pairs.for_each(|(value, p)| *value *= self.scale * p),
                Some(above) => {
                    pairs.zip(above.iter()).for_each(|((value, p), above)| *value = (self.scale * *value + above) * p);
                }
            }
        }
        if reciprocals[(values.len() - 1) * width] == 0.0 {
            // Nothing fixes the constant of a closed box, the first wave.
            let mean = values.iter().map(|plane| plane[0]).sum::<f64>() / values.len() as f64;
            values.iter_mut().for_each(|plane| plane[0] -= mean);
        }
    }
}

/// Some waves of every plane.
struct Bundle<'x> {
    eigenvalues: &'x [f64],
    values: Vec<&'x mut [f64]>,
}

#[inline]
fn reciprocal(pivot: f64) -> f64 {
    if pivot.abs() < SINGULAR { 0.0 } else { 1.0 / pivot }
}
