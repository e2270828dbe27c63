//! Conjugate gradients on the black cells.
//!
//! Eliminating the red cells leaves S = A_bb − A_br A_rr⁻¹ A_rb on the black ones, half as many and
//! better conditioned. A V-cycle for a right-hand side that vanishes on red cells ends with a red
//! half-sweep, so that its answer z has A z = (0, S z_b): the product with S costs half a product
//! with A, and every vector of the method is half as long.

use super::cycle::Hierarchy;
use crate::parallel;
use crate::parallel::larger;
use crate::simd::vectorised;

/// The work vectors, black cells only.
#[derive(Debug, Default)]
pub(crate) struct Reduced {
    pub x: Vec<f32>,
    product: Vec<f32>,
    direction: Vec<f32>,
    image: Vec<f32>,
}

/// Sums that one pass over the answer of a cycle yields.
#[derive(Clone, Copy)]
struct Sums {
    /// rᵀ z
    residual: f64,
    /// zᵀ S z
    curvature: f64,
}

impl Reduced {
    /// Solves A x = b on a level; `b` of that level is used up. Stops when the residual is at most
    /// `target` (maximum norm) or after `most` cycles; returns cycles and residual. The answer is
    /// left in `answer` (all cells of the level).
    pub fn solve<const D: usize>(
        &mut self,
        hierarchy: &mut Hierarchy<D>,
        level: usize,
        answer: &mut [f32],
        target: f64,
        most: usize,
    ) -> (usize, f64) {
        let slots = hierarchy.levels[level].slots;
        for vector in [&mut self.x, &mut self.product, &mut self.direction, &mut self.image] {
            vector.clear();
            vector.resize(slots, 0.0);
        }
        // x_r = A_rr⁻¹ b_r leaves the black cells with b_b − A_br x_r.
        let (red, black) = answer.split_at_mut(slots);
        let (b_red, b_black) = hierarchy.b[level].split_at_mut(slots);
        let grid = &hierarchy.levels[level];
        grid.first_half_sweep(0, b_red, red);
        black.fill(0.0);
        let mut residual = {
            let (red, black, b) = (&*red, &*black, &*b_black);
            grid.black_residual(b, red, black, &mut self.product)
        };
        b_black.copy_from_slice(&self.product);

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
            before = Some((sums.residual, alpha));
            residual = self.step(alpha as f32, beta as f32, z_black, r);
            cycles += 1;
        }
        let (b_red, _) = hierarchy.b[level].split_at(slots);
        hierarchy.levels[level].half_sweep(0, Some(b_red), &self.x, red);
        black.copy_from_slice(&self.x);
        (cycles, residual)
    }

    /// p ← z + β p, s ← S z + β s, x ← x + α p, r ← r − α s; returns max |r_i|.
    fn step(&mut self, alpha: f32, beta: f32, z: &[f32], r: &mut [f32]) -> f64 {
        let lanes = (z, &*self.product, &mut *self.direction, &mut *self.image, &mut *self.x, r);
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
                            p[i] = z[i] + beta * p[i];
                            s[i] = w[i] + beta * s[i];
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

/// max |x_i|, NaN if anything is NaN.
pub(super) fn norm_max(x: &[f32]) -> f64 {
    parallel::max(x, |x| {
        vectorised(
            #[inline(always)]
            || norm_of_block(x),
        )
    })
}

/// The same for one block. Bits of numbers without their sign are ordered as the numbers are, NaN
/// above all: comparing them as integers loses no NaN and needs no branches.
#[inline(always)]
fn norm_of_block(x: &[f32]) -> f64 {
    f32::from_bits(x.iter().fold(0u32, |most, x| most.max(x.to_bits() & 0x7fff_ffff))) as f64
}

impl<const D: usize> super::level::Level<D> {
    /// y ← b − A x on all cells; returns its maximum norm.
    pub fn residual(&self, b: &[f32], x: &[f32], y: &mut [f32]) -> f64 {
        let (red, black) = x.split_at(self.slots);
        let (y_red, y_black) = y.split_at_mut(self.slots);
        self.over_pieces(
            &mut y_red[1..self.slots - 1],
            #[inline(always)]
            |piece, y| self.residual_of_piece(piece, 0, Some(&b[..self.slots]), red, black, y),
        );
        let most = norm_max(y_red);
        larger(most, self.black_residual(&b[self.slots..], red, black, y_black))
    }

    /// y ← b − A x on black cells; returns its maximum norm.
    fn black_residual(&self, b: &[f32], red: &[f32], black: &[f32], y: &mut [f32]) -> f64 {
        self.over_pieces(
            &mut y[1..self.slots - 1],
            #[inline(always)]
            |piece, y| {
                self.residual_of_piece(piece, 1, Some(b), black, red, y);
            },
        );
        norm_max(y)
    }

    /// y ← (A z)_b for black cells, with the sums that conjugate gradients need.
    fn product_of_black(&self, r: &[f32], red: &[f32], black: &[f32], y: &mut [f32]) -> Sums {
        self.chunks.fold(
            &mut y[1..self.slots - 1],
            &|pieces, place, y: &mut [f32]| {
                vectorised(
                    #[inline(always)]
                    || {
                        let (mut residual, mut curvature) = (0.0f64, 0.0f64);
                        for piece in &self.pieces[pieces] {
                            let (first, length) = (piece.first as usize, piece.length as usize);
                            let y = &mut y[first - place..][..length];
                            self.residual_of_piece(piece, 1, None, black, red, y);
                            let (r, z) = (&r[first..][..length], &black[first..][..length]);
                            let (mut rz, mut zy) = ([0.0f32; 8], [0.0f32; 8]);
                            for i in 0..length {
                                y[i] = -y[i];
                            }
                            let (r, r_rest) = r.as_chunks::<8>();
                            let (z, z_rest) = z.as_chunks::<8>();
                            let (y, y_rest) = y.as_chunks::<8>();
                            for ((r, z), y) in r.iter().zip(z).zip(y) {
                                for lane in 0..8 {
                                    rz[lane] += r[lane] * z[lane];
                                    zy[lane] += z[lane] * y[lane];
                                }
                            }
                            for ((r, z), y) in r_rest.iter().zip(z_rest).zip(y_rest) {
                                rz[0] += r * z;
                                zy[0] += z * y;
                            }
                            residual += rz.iter().sum::<f32>() as f64;
                            curvature += zy.iter().sum::<f32>() as f64;
                        }
                        Sums { residual, curvature }
                    },
                )
            },
            &|a, b| Sums { residual: a.residual + b.residual, curvature: a.curvature + b.curvature },
        )
    }
}
