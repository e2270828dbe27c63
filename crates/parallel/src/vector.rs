//! Vector work of the iterative methods, fused so that each array is read once.

use crate::binary::{shifted, unusual_exponent};
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

/// √Σ x_i², also of entries whose squares are no numbers.
pub fn norm(x: &[f64]) -> f64 {
    let squared = dot(x, x);
    if (SQUARED_SAFELY..f64::INFINITY).contains(&squared) { squared.sqrt() } else { scaled_norm(x) }
}

/// Smaller sums of squares have lost digits by underflow.
const SQUARED_SAFELY: f64 = 1e-280;

#[cold]
fn scaled_norm(x: &[f64]) -> f64 {
    let most = norm_max(x);
    let exponent = unusual_exponent(most);
    if exponent == 0 {
        return dot(x, x).sqrt();
    }
    let squared = parallel::sum(x, |x| x.iter().map(|x| shifted(*x, -exponent).powi(2)).sum());
    shifted(squared.sqrt(), exponent)
}

/// max |x_i|; NaN if any entry is.
pub fn norm_max(x: &[f64]) -> f64 {
    parallel::max(x, |x| x.iter().fold(0.0, |most, x| larger(most, x.abs())))
}

/// Where the first entry is that is NaN or infinite.
pub fn first_not_finite(x: &[f64]) -> Option<usize> {
    let is_finite = |x: &[f64]| x.iter().fold(true, |all, x| all & x.is_finite());
    if parallel::fold(x, &is_finite, &|one, other| one & other) {
        return None;
    }
    x.iter().position(|x| !x.is_finite())
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

/// y ← x, of numbers or whatever else.
pub fn copy<T: Copy + Send + Sync>(x: &[T], y: &mut [T]) {
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
    fn norms_of_tiny_and_huge_entries_are_those_of_ordinary_ones() {
        for scale in [1e-300, 1e-200, 1e-130, 1.0, 1e200, 1e300] {
            let found = norm(&[3.0 * scale, -4.0 * scale]);
            assert!((found / (5.0 * scale) - 1.0).abs() < 1e-14, "{scale:e}: {found:e}");
        }
        assert_eq!((norm(&[0.0; 3]), norm(&[])), (0.0, 0.0));
        assert_eq!(norm(&[1.0, f64::INFINITY]), f64::INFINITY);
        assert!(norm(&[1.0, f64::NAN]).is_nan());
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
