//! Conjugate gradients on the black cells.
//!
//! Eliminating the red cells leaves S = A_bb − A_br A_rr⁻¹ A_rb on the black ones, half as many and
//! better conditioned. A V-cycle for a right-hand side that vanishes on red cells ends with a red
//! half-sweep, so that its answer z has A z = (0, S z_b): the product with S costs half a product
//! with A, and every vector of the method is half as long.

use unstick_parallel::{self as parallel, larger, simd::vectorised};

use super::cycle::Hierarchy;
use super::level::Span;
use super::policy::LevelProblem;

/// The work vectors, black cells only.
#[derive(Debug, Default)]
pub(crate) struct Reduced {
    product: Vec<f32>,
    direction: Vec<f32>,
    image: Vec<f32>,
}

/// Sums that one pass over the answer of a cycle yields.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    /// rᵀ z
    residual: f64,
    /// zᵀ S z
    curvature: f64,
}

impl Reduced {
    /// Solves A x = load for the free cells of a level; pinned ones stay as they are. Stops when the residual is at most
    /// what `target` makes of the first one (maximum norm), or after `most` cycles; returns cycles and residual.
    pub fn solve<const D: usize>(
        &mut self,
        hierarchy: &mut Hierarchy<D>,
        level: usize,
        problem: &mut LevelProblem,
        target: impl Fn(f64) -> f64,
        most: usize,
    ) -> (usize, f64) {
        let LevelProblem { load, floor, pinned, x, .. } = problem;
        let slots = hierarchy.levels[level].slots;
        for vector in [&mut self.product, &mut self.direction, &mut self.image] {
            parallel::resize(vector, slots, 0.0);
            // The other slots are written before they are read.
            (vector[0], vector[slots - 1]) = (0.0, 0.0);
        }
        let (red, black) = x.split_at_mut(slots);
        let (b_red, b_black) = load.split_at(slots);
        let mut r = std::mem::take(&mut hierarchy.b[level]);
        let grid = &hierarchy.levels[level];
        // Red cells without residual leave the black ones with b_b − (A x)_b.
        grid.half_sweep(0, Some(b_red), black, red);
        hierarchy.hold_red(level, floor, pinned, red);
        {
            let (red, black) = (&*red, &*black);
            grid.over_spans(
                &mut r[slots..],
                #[inline(always)]
                |span, r| {
                    grid.defect::<true>(&span, 1, b_black, black, red, r);
                    r.iter_mut().for_each(|r| *r = -*r);
                },
            );
        }
        let mut residual = norm_max(&r[slots..]);
        hierarchy.b[level] = r;

        let target = target(residual);
        let (mut cycles, mut before) = (0, None);
        while residual > target && cycles < most {
            hierarchy.cycle(level, true);
            let (z_red, z_black) = hierarchy.x[level].split_at(slots);
            let r = &mut hierarchy.b[level][slots..];
            let sums = hierarchy.levels[level].product_of_black(r, z_red, z_black, &mut self.product);
            let (beta, curvature) = match before {
                None => (0.0, sums.curvature),
                Some((rho, alpha)) => {
                    let beta = sums.residual / rho;
                    (beta, sums.curvature - beta * sums.residual / alpha)
                }
            };
            let alpha = sums.residual / curvature;
            if !(sums.residual > 0.0 && curvature > 0.0) {
                break;
            }
            residual = match before {
                None => self.step::<true>(alpha as f32, 0.0, z_black, black, r),
                Some(_) => self.step::<false>(alpha as f32, beta as f32, z_black, black, r),
            };
            before = Some((sums.residual, alpha));
            cycles += 1;
        }
        if cycles > 0 {
            hierarchy.levels[level].half_sweep(0, Some(b_red), black, red);
            hierarchy.hold_red(level, floor, pinned, red);
        }
        (cycles, residual)
    }

    /// p ← z + β p, s ← S z + β s, x ← x + α p, r ← r − α s; returns max |r_i|. The first step has no p and s before it.
    fn step<const IS_FIRST: bool>(&mut self, alpha: f32, beta: f32, z: &[f32], x: &mut [f32], r: &mut [f32]) -> f64 {
        let lanes = (z, &*self.product, &mut *self.direction, &mut *self.image, x, r);
        parallel::fold(
            lanes,
            &|(z, w, p, s, x, r)| {
                vectorised(
                    #[inline(always)]
                    || {
                        let length = r.len();
                        let (z, w, p, s, x) =
                            (&z[..length], &w[..length], &mut p[..length], &mut s[..length], &mut x[..length]);
                        for i in 0..length {
                            p[i] = if IS_FIRST { z[i] } else { z[i] + beta * p[i] };
                            s[i] = if IS_FIRST { w[i] } else { w[i] + beta * s[i] };
                            x[i] += alpha * p[i];
                            r[i] -= alpha * s[i];
                        }
                        norm_of_block(r)
                    },
                )
            },
            &larger,
        )
    }
}

/// xᵀ y with sixteen running sums.
#[inline(always)]
fn dot(x: &[f32], y: &[f32]) -> f64 {
    let mut sums = [0.0f32; 16];
    let (x, x_rest) = x.as_chunks::<16>();
    let (y, y_rest) = y.as_chunks::<16>();
    for (x, y) in x.iter().zip(y) {
        for lane in 0..16 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f32 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    sums.iter().map(|&sum| sum as f64).sum::<f64>() + rest as f64
}

/// max |x_i|, NaN if anything is NaN.
pub(super) fn norm_max(x: &[f32]) -> f64 {
    parallel::max(x, |x| {
        vectorised(
            #[inline(always)]
            || norm_of_block(x),
        )
    })
}

/// The same for one block. The bits of positive numbers have the order of the numbers, with NaN above all. Comparing
/// them as integers loses no NaN and needs no branches.
#[inline(always)]
fn norm_of_block(x: &[f32]) -> f64 {
    f32::from_bits(x.iter().fold(0u32, |most, x| most.max(x.to_bits() & 0x7fff_ffff))) as f64
}

impl<const D: usize> super::level::Level<D> {
    /// y ← (A z)_b for black cells, with the sums that conjugate gradients need.
    pub(super) fn product_of_black(&self, r: &[f32], red: &[f32], black: &[f32], y: &mut [f32]) -> Sums {
        self.chunks.fold(
            &mut y[1..self.slots - 1],
            #[inline(always)]
            |lines, place, y: &mut [f32]| {
                let slots = place..place + y.len();
                self.defect::<false>(&Span { lines, slots: slots.clone() }, 1, &[], black, red, y);
                let z = &black[slots.clone()];
                Sums { residual: dot(&r[slots], z), curvature: dot(y, z) }
            },
            |a, b| Sums { residual: a.residual + b.residual, curvature: a.curvature + b.curvature },
        )
    }
}
