//! Loops over one colour of a level: Gauss–Seidel half-sweeps, residuals, products.

use super::level::{INSIDE, Level, NONE, Piece};
use crate::simd::vectorised;

/// The neighbours of a piece, one slice of its length for every face of a cell.
struct Neighbours<'x> {
    pair: &'x [f32],
    across: &'x [f32],
    sides: [[&'x [f32]; 2]; 2],
}

impl<'x> Neighbours<'x> {
    #[inline(always)]
    fn new<const D: usize>(piece: &Piece<D>, colour: usize, other: &'x [f32]) -> Self {
        let (first, length) = (piece.first as usize, piece.length as usize);
        let shifted = |offset: isize| &other[first.wrapping_add_signed(offset)..][..length];
        let side = |axis: usize, side: usize| if axis < D { shifted(piece.offsets[axis][side] as isize) } else { &[] };
        Self {
            pair: shifted(0),
            across: shifted(piece.across(colour)),
            sides: [[side(1, 0), side(1, 1)], [side(2, 0), side(2, 1)]],
        }
    }

    /// Σ x_j over all neighbours.
    #[inline(always)]
    fn sum<const D: usize>(&self, i: usize) -> f32 {
        let mut sum = (self.pair[i] + self.across[i]) + (self.sides[0][0][i] + self.sides[0][1][i]);
        if D == 3 {
            sum += self.sides[1][0][i] + self.sides[1][1][i];
        }
        sum
    }
}

/// The coefficients of one colour of a piece.
struct Coefficients<'c> {
    diagonal: &'c [f32],
    inverse: &'c [f32],
    pair: &'c [f32],
    across: &'c [f32],
    sides: [[&'c [f32]; 2]; 2],
}

impl<'c> Coefficients<'c> {
    #[inline(always)]
    fn new<const D: usize>(piece: &Piece<D>, colour: usize, coefficients: &'c [f32]) -> Self {
        let length = piece.length as usize;
        let block = &coefficients[piece.array(colour, 0)..][..Piece::<D>::ARRAYS * length];
        let array = |array: usize| &block[array * length..][..length];
        let side = |axis: usize, side: usize| if axis < D { array(2 + 2 * axis + side) } else { &[][..] };
        Self {
            diagonal: array(0),
            inverse: array(1),
            pair: array(2),
            across: array(3),
            sides: [[side(1, 0), side(1, 1)], [side(2, 0), side(2, 1)]],
        }
    }

    /// Σ c_ij x_j over all neighbours.
    #[inline(always)]
    fn sum<const D: usize>(&self, x: &Neighbours, i: usize) -> f32 {
        let mut sum = self.pair[i] * x.pair[i] + self.across[i] * x.across[i];
        sum += self.sides[0][0][i] * x.sides[0][0][i] + self.sides[0][1][i] * x.sides[0][1][i];
        if D == 3 {
            sum += self.sides[1][0][i] * x.sides[1][0][i] + self.sides[1][1][i] * x.sides[1][1][i];
        }
        sum
    }
}

/// Pieces of fewer slots are worked on cell by cell: cutting slices would cost more than the work.
const SHORT: usize = 8;

/// One colour of a short piece.
struct Short<'c> {
    block: &'c [f32],
    length: usize,
    first: usize,
    across: isize,
}

impl<'c> Short<'c> {
    #[inline(always)]
    fn new<const D: usize>(piece: &Piece<D>, colour: usize, coefficients: &'c [f32]) -> Self {
        let length = piece.length as usize;
        let block = &coefficients[piece.array(colour, 0)..][..Piece::<D>::ARRAYS * length];
        Self { block, length, first: piece.first as usize, across: piece.across(colour) }
    }

    #[inline(always)]
    fn diagonal(&self, i: usize) -> f32 {
        self.block[i]
    }

    #[inline(always)]
    fn inverse(&self, i: usize) -> f32 {
        self.block[self.length + i]
    }

    /// Σ c_ij x_j over all neighbours.
    #[inline(always)]
    fn sum<const D: usize>(&self, piece: &Piece<D>, other: &[f32], i: usize) -> f32 {
        let slot = self.first + i;
        let coupling = |array: usize| self.block[array * self.length + i];
        let x = |offset: isize| other[slot.wrapping_add_signed(offset)];
        let mut sum = coupling(2) * other[slot] + coupling(3) * x(self.across);
        for axis in 1..D {
            let [below, above] = piece.offsets[axis];
            sum += coupling(2 + 2 * axis) * x(below as isize) + coupling(3 + 2 * axis) * x(above as isize);
        }
        sum
    }
}

impl<const D: usize> Level<D> {
    /// Σ over the couplings that do not fit the pattern.
    #[inline(always)]
    fn tangled_sum(&self, piece: &Piece<D>, colour: usize, other: &[f32]) -> f32 {
        let extras = &self.tangles[piece.tangle as usize][colour];
        extras.iter().map(|extra| extra.coupling * other[extra.slot as usize]).sum()
    }

    /// One half of a Gauss–Seidel sweep: x_i ← (b_i + Σ c_ij x_j) / A_ii for all cells of a colour.
    ///
    /// `b` and `own` are of the colour, `other` of the other one; no `b` stands for zero.
    pub fn half_sweep(&self, colour: usize, b: Option<&[f32]>, other: &[f32], own: &mut [f32]) {
        let own = &mut own[1..self.slots - 1];
        match b {
            Some(b) => self.over_pieces(
                own,
                #[inline(always)]
                |piece, own| self.sweep_piece::<true>(piece, colour, b, other, own),
            ),
            None => self.over_pieces(
                own,
                #[inline(always)]
                |piece, own| self.sweep_piece::<false>(piece, colour, &[], other, own),
            ),
        }
    }

    #[inline(always)]
    fn sweep_piece<const HAS_B: bool>(
        &self,
        piece: &Piece<D>,
        colour: usize,
        b: &[f32],
        other: &[f32],
        own: &mut [f32],
    ) {
        let (first, length) = (piece.first as usize, piece.length as usize);
        if piece.block != INSIDE && length < SHORT {
            let short = Short::new(piece, colour, &self.coefficients);
            for i in 0..length {
                let mut sum = short.sum(piece, other, i);
                if piece.tangle != NONE {
                    sum += self.tangled_sum(piece, colour, other);
                }
                own[i] = short.inverse(i) * (if HAS_B { b[first + i] } else { 0.0 } + sum);
            }
            return;
        }
        let b = if HAS_B { &b[first..][..length] } else { b };
        let x = Neighbours::new(piece, colour, other);
        let (weight, load) = (1.0 / (2 * D) as f32, 1.0 / self.unit);
        if piece.block == INSIDE {
            for i in 0..length {
                let load = if HAS_B { load * b[i] } else { 0.0 };
                own[i] = weight * (load + x.sum::<D>(i));
            }
            return;
        }
        let c = Coefficients::new(piece, colour, &self.coefficients);
        for i in 0..length {
            let load = if HAS_B { b[i] } else { 0.0 };
            own[i] = c.inverse[i] * (load + c.sum::<D>(&x, i));
        }
    }

    /// The same half-sweep where all neighbours are zero: x_i ← b_i / A_ii.
    pub fn first_half_sweep(&self, colour: usize, b: &[f32], own: &mut [f32]) {
        let weight = 1.0 / (2.0 * D as f32 * self.unit);
        self.over_pieces(
            &mut own[1..self.slots - 1],
            #[inline(always)]
            |piece, own| {
                let b = &b[piece.first as usize..][..piece.length as usize];
                if piece.block == INSIDE {
                    own.iter_mut().zip(b).for_each(|(x, b)| *x = weight * b);
                } else {
                    let inverse = Coefficients::new(piece, colour, &self.coefficients).inverse;
                    own.iter_mut().zip(b).zip(inverse).for_each(|((x, b), inverse)| *x = inverse * b);
                }
            },
        );
    }

    /// y ← s (b − A x) for the cells of a piece and a colour; zero where they are pinned.
    #[inline(always)]
    pub(super) fn residual_of_piece(
        &self,
        piece: &Piece<D>,
        colour: usize,
        b: Option<&[f32]>,
        own: &[f32],
        other: &[f32],
        y: &mut [f32],
    ) {
        let (first, length) = (piece.first as usize, piece.length as usize);
        if piece.block != INSIDE && length < SHORT {
            let short = Short::new(piece, colour, &self.coefficients);
            for i in 0..length {
                let mut sum = short.sum(piece, other, i) - short.diagonal(i) * own[first + i];
                if piece.tangle != NONE {
                    sum += self.tangled_sum(piece, colour, other);
                }
                sum += b.map_or(0.0, |b| b[first + i]);
                y[i] = if short.inverse(i) == 0.0 { 0.0 } else { sum };
            }
            return;
        }
        let x = Neighbours::new(piece, colour, other);
        let own = &own[first..][..length];
        let y = &mut y[..length];
        if piece.block == INSIDE {
            for i in 0..length {
                y[i] = self.unit * (x.sum::<D>(i) - 2.0 * D as f32 * own[i]);
            }
        } else {
            let c = Coefficients::new(piece, colour, &self.coefficients);
            for i in 0..length {
                y[i] = c.sum::<D>(&x, i) - c.diagonal[i] * own[i];
            }
            for i in 0..length {
                y[i] = if c.inverse[i] == 0.0 { 0.0 } else { y[i] };
            }
        }
        if let Some(b) = b {
            let b = &b[first..][..length];
            if piece.block == INSIDE {
                y.iter_mut().zip(b).for_each(|(y, b)| *y += b);
            } else {
                let inverse = Coefficients::new(piece, colour, &self.coefficients).inverse;
                for i in 0..length {
                    y[i] += if inverse[i] == 0.0 { 0.0 } else { b[i] };
                }
            }
        }
    }

    /// Calls `kernel` with every piece and its part of one colour.
    #[inline(always)]
    pub(super) fn over_pieces(&self, own: &mut [f32], kernel: impl Fn(&Piece<D>, &mut [f32]) + Sync) {
        self.chunks.fold(
            own,
            &|pieces, place, own: &mut [f32]| {
                vectorised(
                    #[inline(always)]
                    || {
                        for piece in &self.pieces[pieces] {
                            kernel(piece, &mut own[piece.first as usize - place..][..piece.length as usize]);
                        }
                    },
                )
            },
            &|(), ()| (),
        );
    }
}
