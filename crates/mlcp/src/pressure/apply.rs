//! Products with the compact pressure matrix.

use std::ops::Range;

use unstick_parallel::larger;
use unstick_parallel::vector::dot_of_block;

use super::{INSIDE, PressureOperator, Stretch};
use crate::operator::LinearOperator;
use crate::problem::minimum_map;
use crate::ranks::Reductions;

impl<const D: usize> PressureOperator<D> {
    /// y ← A x + b in one pass.
    pub(super) fn add_product(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        self.chunks.for_each(
            y,
            #[inline(always)]
            |stretches, place, y| {
                for stretch in &self.stretches[stretches] {
                    let (first, length) = (stretch.first as usize, stretch.length as usize);
                    let y = &mut y[first - place..][..length];
                    self.multiply(stretch, x, y);
                }
                let b = &b[place..][..y.len()];
                y.iter_mut().zip(b).for_each(|(y, b)| *y += b);
            },
        );
    }

    /// Calls `visit` with some rows and their residuals A q + b, which are kept nowhere; joins what it has made of them, in
    /// the order of rows.
    pub(crate) fn fold_residuals<S: Default + Send>(
        &self,
        q: &[f64],
        b: &[f64],
        visit: impl Fn(&mut S, Range<usize>, &[f64]) + Sync,
        join: impl Fn(S, S) -> S + Sync,
    ) -> S {
        let extended = self.shared.as_ref().map(|_| self.with_ghosts(q));
        let q = extended.as_deref().unwrap_or(q);
        self.chunks.fold(
            0..b.len(),
            #[inline(always)]
            |stretches, _, _| {
                let (mut all, mut r) = (S::default(), Vec::new());
                for stretch in &self.stretches[stretches] {
                    let (first, length) = (stretch.first as usize, stretch.length as usize);
                    r.resize(length.max(r.len()), 0.0);
                    let r = &mut r[..length];
                    self.multiply(stretch, q, r);
                    r.iter_mut().zip(&b[first..]).for_each(|(r, b)| *r += b);
                    visit(&mut all, first..first + length, r);
                }
                all
            },
            join,
        )
    }

    /// r ← A q + b and its natural residual for the bounds `lower`, in one pass. The ghosts of `q` are filled first.
    pub(crate) fn natural_residual(&self, q: &mut [f64], b: &[f64], lower: &[f64], r: &mut [f64]) -> f64 {
        self.fill(q);
        let q = &*q;
        let own = self.chunks.fold(
            r,
            #[inline(always)]
            |stretches, place, r| {
                for stretch in &self.stretches[stretches] {
                    let (first, length) = (stretch.first as usize, stretch.length as usize);
                    self.multiply(stretch, q, &mut r[first - place..][..length]);
                }
                let rows = place..place + r.len();
                let (q, b, lower) = (&q[rows.clone()], &b[rows.clone()], &lower[rows]);
                let mut most = 0u64;
                for i in 0..r.len() {
                    r[i] += b[i];
                    // The bits of numbers without their sign have the order of the numbers, with NaN above all.
                    most = most.max(minimum_map(q[i] - lower[i], r[i]).to_bits() & !(1 << 63));
                }
                f64::from_bits(most)
            },
            larger,
        );
        self.ranks().largest([own])[0]
    }

    #[inline(always)]
    fn multiply(&self, stretch: &Stretch<D>, x: &[f64], y: &mut [f64]) {
        if stretch.coefficients == INSIDE {
            multiply_inside(self.unit, stretch, x, y);
        } else {
            multiply_cut(stretch, &self.coefficients, &self.diagonal, x, y);
        }
    }

    /// y ← A x; returns xᵀ A x.
    pub(crate) fn product(&self, x: &[f64], y: &mut [f64]) -> f64 {
        self.chunks.fold(
            y,
            #[inline(always)]
            |stretches, place, y| {
                let mut total = 0.0;
                for stretch in &self.stretches[stretches] {
                    let (first, length) = (stretch.first as usize, stretch.length as usize);
                    let y = &mut y[first - place..][..length];
                    self.multiply(stretch, x, y);
                    total += dot_of_block(&x[first..][..length], y);
                }
                total
            },
            |a, b| a + b,
        )
    }
}

/// The neighbours of a stretch across one face, as a slice of its length.
#[inline(always)]
fn shifted<T>(x: &[T], first: usize, offset: isize, length: usize) -> &[T] {
    &x[first.wrapping_add_signed(offset)..][..length]
}

#[inline(always)]
fn multiply_inside<const D: usize>(unit: f64, stretch: &Stretch<D>, x: &[f64], y: &mut [f64]) {
    let (first, length) = (stretch.first as usize, stretch.length as usize);
    let centre = &x[first..][..length];
    let (left, right) = (shifted(x, first, -1, length), shifted(x, first, 1, length));
    let side = |axis: usize, side: usize| match axis < D {
        true => shifted(x, first, stretch.offsets[axis][side] as isize, length),
        false => centre,
    };
    let ([south, north], [below, above]) = ([side(1, 0), side(1, 1)], [side(2, 0), side(2, 1)]);
    for i in 0..length {
        let mut sum = (left[i] + right[i]) + (south[i] + north[i]);
        if D == 3 {
            sum += below[i] + above[i];
        }
        y[i] = unit * (2.0 * D as f64 * centre[i] - sum);
    }
}

#[inline(always)]
fn multiply_cut<const D: usize>(
    stretch: &Stretch<D>,
    coefficients: &[f64],
    diagonal: &[f64],
    x: &[f64],
    y: &mut [f64],
) {
    let (first, length) = (stretch.first as usize, stretch.length as usize);
    let (centre, diagonal) = (&x[first..][..length], &diagonal[first..][..length]);
    for i in 0..length {
        y[i] = diagonal[i] * centre[i];
    }
    let mut rest = &coefficients[stretch.coefficients as usize..];
    for axis in 0..D {
        for side in 0..2 {
            let (towards, behind) = rest.split_at(length);
            rest = behind;
            let offset = if axis == 0 { 2 * side as isize - 1 } else { stretch.offsets[axis][side] as isize };
            // At the ends of storage there is no neighbour, and the coupling is zero.
            let skip = (offset < 0 && first < offset.unsigned_abs()) as usize;
            let kept = length - skip - (first as isize + offset + length as isize > x.len() as isize) as usize;
            let others = shifted(x, first + skip, offset, kept);
            for ((y, towards), other) in y[skip..].iter_mut().zip(&towards[skip..]).zip(others) {
                *y -= towards * other;
            }
        }
    }
}
