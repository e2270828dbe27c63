//! Algebraic multigrid made for active sets: matrices without a grid, as `best` solves them.
//!
//! Rows that are strongly coupled are gathered into aggregates of about eight, each of which becomes an unknown of the
//! next level. Interpolation is constant on an aggregate. Such levels are cheap: a coarse matrix is a sum of finer
//! entries, and when rows are pinned it changes around these rows alone. Nothing is gathered anew. Plain aggregates make
//! coarse matrices too stiff, by a factor that depends on their shape. Two steps of conjugate gradients on every coarse
//! level find that factor by themselves: the K-cycle \[Notay2008\]. Aggregates are chosen by the measure of
//! \[Napov2012\], which follows strong couplings, so that stretched grids and coefficients of very different size
//! converge like others.
//!
//! A level is kept in single precision, as couplings and what each row has in *excess* of them: a_ii + Σ a_ij. Coarse
//! couplings and coarse excesses are sums of finer ones. For M-matrices all terms have one sign, so nothing cancels:
//! weak couplings between stiff parts survive. Around the cycle, conjugate gradients in double precision multiply by
//! differences, x_j − x_i: their matrix differs from the given one by single rounding in every coupling, whatever the
//! sizes of couplings are.
//!
//! Rows are cut into chunks of fixed borders. Aggregates lie within chunks; Gauss–Seidel sweeps take the values of other
//! chunks from before. Threads share chunks, so results have the same bits for any number of them.

mod bounded;
mod chunks;
mod coarsen;
mod columns;
mod cycle;
mod gather;
mod krylov;
mod level;
mod order;
mod pin;

use crate::csr::CsrMatrix;
use crate::multigrid::exact::Factors;
pub(crate) use bounded::{Bounded, Posed};
pub(crate) use krylov::{Goal, Krylov};
use level::{Level, Vectors};
use order::Order;
pub use order::{fits_single_precision, unit};

/// A level of this many unknowns or fewer is solved exactly.
const COARSEST: usize = 100;

/// The same where coarsening makes no more progress.
const FACTORISED: usize = 400;

/// Coarsening that leaves more than this part of the unknowns is not worth another level.
const WORTH_COARSENING: f64 = 0.75;

/// All levels of a matrix, the finest first. Some rows of the finest are pinned.
#[derive(Default)]
pub(crate) struct Aggregation {
    /// What the levels were made from.
    fingerprint: Option<u64>,
    order: Order,
    /// What one means in the finest level.
    unit: f64,
    levels: Vec<Level>,
    vectors: Vec<Vectors>,
    factors: Option<Factors>,
}

impl Aggregation {
    /// Prepares for a matrix with its fingerprint, none of whose rows is pinned. That of before keeps its levels.
    pub fn prepare(&mut self, matrix: &CsrMatrix, fingerprint: u64) {
        if self.fingerprint == Some(fingerprint) {
            return self.release();
        }
        self.order = Order::of(matrix);
        self.unit = unit(matrix);
        self.levels.clear();
        let mut level = Level::finest(matrix, &self.order, self.unit);
        while level.rows() > COARSEST {
            let Some(coarse) = level.coarsen() else { break };
            self.levels.push(level);
            level = coarse;
        }
        self.levels.push(level);
        self.vectors = self.levels.iter().enumerate().map(|(number, level)| Vectors::new(number, level)).collect();
        self.factorise();
        self.fingerprint = Some(fingerprint);
    }

    fn factorise(&mut self) {
        let coarsest = self.levels.last().filter(|level| level.rows() <= FACTORISED);
        self.factors = coarsest.map(|level| Factors::of(&level.in_double_precision()));
    }
}

#[cfg(test)]
mod tests;
