//! Vector work of the iterative methods, fused so that each array is read once.

use crate::{self as parallel, larger};

/// Independent partial sums of a dot product: enough to fill the vector units of common processors.
const LANES: usize = 8;

/// Σ x_i y_i.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    parallel::sum((x, y), |(x, y)| dot_of_block(x, y))
}

/// Σ x_i y_i on the calling thread, for arrays of at most a [block](crate::BLOCK).
#[inline(always)]
pub fn dot_of_block(x: &[f64], y: &[f64]) -> f64 {
    let mut partial = [0.0; LANES];
    let (x_lanes, x_rest) = x.as_chunks::<LANES>();
    let (y_lanes, y_rest) = y.as_chunks::<LANES>();
    for (x, y) in x_lanes.iter().zip(y_lanes) {
        for lane in 0..LANES {
            partial[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    partial.iter().sum::<f64>() + rest
}

/// √Σ x_i².
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// max |x_i|; NaN if any entry is.
pub fn norm_max(x: &[f64]) -> f64 {
    parallel::max(x, |x| x.iter().fold(0.0, |most, x| larger(most, x.abs())))
}

/// y ← y + a x.
pub fn add_scaled(a: f64, x: &[f64], y: &mut [f64]) {
    parallel::for_each((x, y), |(x, y)| x.iter().zip(y).for_each(|(x, y)| *y += a * x));
}

/// y ← x + a y.
pub fn scale_and_add(x: &[f64], a: f64, y: &mut [f64]) {
    parallel::for_each((x, y), |(x, y)| x.iter().zip(y).for_each(|(x, y)| *y = x + a * *y));
}

/// x ← x + a p and r ← r − a q in one pass; returns max |r_i|.
pub fn step_both(a: f64, p: &[f64], q: &[f64], x: &mut [f64], r: &mut [f64]) -> f64 {
    parallel::max((p, q, x, r), |(p, q, x, r)| {
        p.iter().zip(x).for_each(|(p, x)| *x += a * p);
        q.iter().zip(r).fold(0.0, |most, (q, r)| {
            *r -= a * q;
            larger(most, r.abs())
        })
    })
}

/// x ← 0.
pub fn clear(x: &mut [f64]) {
    parallel::for_each(x, |x| x.fill(0.0));
}

/// y ← x.
pub fn copy(x: &[f64], y: &mut [f64]) {
    parallel::for_each((x, y), |(x, y)| y.copy_from_slice(x));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fused_step_is_two_plain_ones() {
        let (p, q) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        let (mut x, mut r) = ([0.0; 3], [1.0; 3]);
        assert_eq!(step_both(0.5, &p, &q, &mut x, &mut r), 2.0);
        assert_eq!((x, r), ([0.5, 1.0, 1.5], [-1.0, -1.5, -2.0]));
    }

    #[test]
    fn dot_of_any_length_matches_the_plain_sum() {
        for length in [0, 1, 7, 8, 9, 5000, 40_000] {
            let x: Vec<f64> = (0..length).map(|i| (i as f64).cos()).collect();
            let plain: f64 = x.iter().map(|x| x * x).sum();
            assert!((dot(&x, &x) - plain).abs() <= 1e-12 * plain.max(1.0));
        }
    }
}
