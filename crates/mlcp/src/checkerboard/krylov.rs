//! Conjugate gradients on the black cells.
//!
//! Eliminating the red cells leaves S = A_bb − A_br A_rr⁻¹ A_rb on the black ones, half as many and
//! better conditioned. A V-cycle for a right-hand side that vanishes on red cells ends with a red
//! half-sweep, so that its answer z has A z = (0, S z_b): the product with S costs half a product
//! with A, and every vector of the method is half as long.

use unstick_parallel::exact::{ExactSum, WORDS};
use unstick_parallel::{self as parallel, larger, simd::vectorised};

use super::cycle::Hierarchy;
use super::level::Span;
use super::policy::LevelProblem;
use crate::ranks::{Ranks, Reductions};

/// The work vectors, black cells only.
#[derive(Debug, Default)]
pub(crate) struct Reduced {
    product: Vec<f32>,
    direction: Vec<f32>,
    image: Vec<f32>,
}

/// Sums that one pass over the answer of a cycle yields.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    /// rᵀ z
    residual: f64,
    /// zᵀ S z
    curvature: f64,
}

/// The same in the making. Terms are those of lines, which no rank and no thread shares with another: with exact sums of
/// them the bits depend on the problem alone.
#[derive(Default)]
struct PartialSums {
    residual: ExactSum,
    curvature: ExactSum,
}

impl PartialSums {
    fn join(mut self, other: Self) -> Self {
        self.residual.merge(&other.residual);
        self.curvature.merge(&other.curvature);
        self
    }

    /// The sums over all ranks.
    fn total(mut self, ranks: &dyn Ranks) -> Sums {
        if ranks.count() > 1 {
            let mut words = [0; 2 * WORDS];
            words[..WORDS].copy_from_slice(self.residual.words());
            words[WORDS..].copy_from_slice(self.curvature.words());
            ranks.sum(&mut words);
            self.residual.words().copy_from_slice(&words[..WORDS]);
            self.curvature.words().copy_from_slice(&words[WORDS..]);
        }
        Sums { residual: self.residual.value(), curvature: self.curvature.value() }
    }
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
        self.product[hierarchy.levels[level].end..].fill(0.0); // ghosts have no product here, and so no residual
        let (red, black) = x.split_at_mut(slots);
        let (b_red, b_black) = load.split_at(slots);
        let mut r = std::mem::take(&mut hierarchy.b[level]);
        let grid = &hierarchy.levels[level];
        // Red cells without residual leave the black ones with b_b − (A x)_b.
        grid.half_sweep_inside(0, Some(b_red), black, red);
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
        let [mut residual] = hierarchy.ranks().largest([norm_max(&r[slots..])]);
        hierarchy.b[level] = r;

        let target = target(residual);
        let (mut cycles, mut before) = (0, None);
        while residual > target && cycles < most {
            hierarchy.cycle(level, true);
            let (z_red, z_black) = hierarchy.x[level].split_at(slots);
            let r = &hierarchy.b[level][slots..];
            let sums = hierarchy.levels[level].product_of_black(r, z_red, z_black, &mut self.product);
            let sums = sums.total(hierarchy.ranks());
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
            let r = &mut hierarchy.b[level][slots..];
            let norm = match before {
                None => self.step::<true>(alpha as f32, 0.0, z_black, black, r),
                Some(_) => self.step::<false>(alpha as f32, beta as f32, z_black, black, r),
            };
            [residual] = hierarchy.ranks().largest([norm]);
            before = Some((sums.residual, alpha));
            cycles += 1;
        }
        if cycles > 0 {
            hierarchy.levels[level].half_sweep_inside(0, Some(b_red), black, red);
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
    fn product_of_black(&self, r: &[f32], red: &[f32], black: &[f32], y: &mut [f32]) -> PartialSums {
        self.chunks.fold(
            &mut y[1..self.end],
            #[inline(always)]
            |lines, place, y: &mut [f32]| {
                let span = Span { lines: lines.clone(), slots: place..place + y.len() };
                self.defect::<false>(&span, 1, &[], black, red, y);
                let mut sums = PartialSums::default();
                for line in &self.lines.lines[lines] {
                    let slots = line.base as usize..(line.base + Self::slots_of(line)) as usize;
                    let z = &black[slots.clone()];
                    sums.residual.add(dot(&r[slots.clone()], z));
                    sums.curvature.add(dot(&y[slots.start - place..slots.end - place], z));
                }
                sums
            },
            PartialSums::join,
        )
    }
}
