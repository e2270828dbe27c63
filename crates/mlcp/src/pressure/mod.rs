//! The pressure matrix on its grid, in compact form.

mod apply;
mod build;
mod components;
pub(crate) mod lines;

use std::any::Any;
use std::sync::{Arc, OnceLock};

use unstick_parallel::Chunks;

use crate::csr::CsrMatrix;
use crate::fingerprint::{self, mix};
use crate::lattice::Lattice;
use crate::operator::LinearOperator;
use crate::ranks::{Alone, Halo, Ranks, Share};
use lines::{Line, Lines};

/// The pressure matrix of a staggered grid: −V between liquid neighbours, ΣV and V/θ on the
/// diagonal \[Lai2021, eqs. (3.34)–(3.40)\].
///
/// Stored as stretches of cells along the first axis. Inside the liquid, where every face is open,
/// only the length of the stretch is kept. Coefficients are stored where a face is cut or a surface is
/// near. So a product moves 24 bytes a row where compressed rows move 100, and reads no column index.
/// Its entries are exactly those of the assembled matrix; sums run in another order.
///
/// ```
/// use unstick_mlcp::{Lattice, LinearOperator, PressureOperator, Stencil};
///
/// // Two cells side by side, air beyond the second, walls elsewhere.
/// let lattice = Lattice::new(&[2, 1], vec![0, 1]).unwrap();
/// let operator = PressureOperator::<2>::from_stencils(lattice, |row| match row {
///     0 => Stencil { diagonal: 1.0, towards: [[0.0, 1.0], [0.0, 0.0]] },
///     _ => Stencil { diagonal: 3.0, towards: [[1.0, 0.0], [0.0, 0.0]] },
/// });
/// let mut y = [0.0; 2];
/// operator.apply(&[1.0, 2.0], &mut y);
/// assert_eq!(y, [-1.0, 5.0]);
/// assert_eq!(operator.csr().unwrap().entry(0, 1), -1.0);
/// ```
#[derive(Clone, Debug)]
pub struct PressureOperator<const D: usize> {
    lattice: Lattice,
    unit: f64,
    pub(crate) diagonal: Vec<f64>,
    pub(crate) lines: Lines,
    pub(crate) stretches: Vec<Stretch<D>>,
    coefficients: Vec<f64>,
    chunks: Chunks,
    assembled: OnceLock<CsrMatrix<'static>>,
    /// Components that no air holds.
    loose: OnceLock<Vec<Vec<u32>>>,
    /// The part that this rank holds, if it is not all, and how its ghosts are filled.
    shared: Option<Shared>,
}

#[derive(Clone)]
struct Shared {
    share: Arc<Share>,
    halo: Arc<Halo>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("boxes", &self.share.boxes).finish_non_exhaustive()
    }
}

/// One row: the diagonal entry and, per axis downwards and upwards, minus the entry of the
/// neighbour (zero where the neighbour is no unknown).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stencil<const D: usize> {
    /// A_ii.
    pub diagonal: f64,
    /// −A_ij: the open fraction V of the face between two liquid cells.
    pub towards: [[f64; 2]; D],
}

impl<const D: usize> Stencil<D> {
    /// A cell deep in the liquid, where every face carries the same coupling.
    pub const fn inside(unit: f64) -> Self {
        Self { diagonal: 2.0 * D as f64 * unit, towards: [[unit; 2]; D] }
    }

    /// Whether this is an inner cell, up to rounding of the diagonal.
    fn is_inside(&self, unit: f64) -> bool {
        let diagonal = 2.0 * D as f64 * unit;
        self.towards == [[unit; 2]; D] && (self.diagonal - diagonal).abs() <= 4.0 * f64::EPSILON * diagonal
    }
}

/// Consecutive rows whose neighbours are consecutive too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<const D: usize> {
    /// First row.
    pub first: u32,
    pub length: u32,
    /// Neighbours across the faces of axes 1.., relative to the row.
    pub offsets: [[i32; 2]; D],
    /// Start of the coefficients; `INSIDE` if all cells are inner ones.
    pub coefficients: u32,
}

/// Marks a stretch without coefficients.
pub(crate) const INSIDE: u32 = u32::MAX;

impl<const D: usize> PressureOperator<D> {
    /// Bytes that a product must move: x, y and what is stored of the matrix.
    pub fn bytes_per_product(&self) -> usize {
        16 * self.diagonal.len() + 8 * self.coefficients.len() + size_of::<Stretch<D>>() * self.stretches.len()
    }

    /// Coupling across an open face between two inner cells.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// The rows that are not those of inner cells, ascending: those with a cut face or a surface next to them.
    pub fn cut_stencils(&self) -> impl Iterator<Item = (usize, Stencil<D>)> + '_ {
        let cut = self.stretches.iter().filter(|stretch| stretch.coefficients != INSIDE);
        cut.flat_map(move |stretch| {
            let rows = stretch.first..stretch.first + stretch.length;
            rows.map(move |row| (row as usize, self.stencil(stretch, row)))
        })
    }

    /// What was prepared for a matrix, and for the rows with a finite bound, recognises both by this number. It costs less
    /// than a product.
    pub(crate) fn fingerprint(&self, lower: &[f64]) -> u64 {
        let of_stretch = |stretch: &Stretch<D>| {
            let place = mix(stretch.first as u64, stretch.length as u64);
            if stretch.coefficients == INSIDE {
                return place;
            }
            let (first, length, start) =
                (stretch.first as usize, stretch.length as usize, stretch.coefficients as usize);
            let values = self.diagonal[first..first + length].iter();
            let values = values.chain(&self.coefficients[start..start + 2 * D * length]);
            values.fold(place, |hash, value| mix(hash, value.to_bits()))
        };
        let of_line = |line: &Line| mix(line.column as u64, (line.from as u64) << 32 | line.length as u64);
        let shape = self.lattice.shape().iter().fold(self.unit.to_bits(), |hash, &count| mix(hash, count as u64));
        let parts = [
            fingerprint::of(&self.lines.lines, of_line),
            fingerprint::of(&self.stretches, of_stretch),
            fingerprint::of(lower, |&bound| (bound > f64::NEG_INFINITY) as u64),
        ];
        parts.into_iter().fold(shape, mix)
    }

    /// Stretch that a row belongs to.
    pub(crate) fn stretch_of(&self, row: u32) -> usize {
        self.stretches.partition_point(|stretch| stretch.first <= row) - 1
    }

    /// Where the rows lie.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The assembled matrix, made when first asked for and kept.
    pub fn matrix(&self) -> &CsrMatrix<'static> {
        self.assembled.get_or_init(|| self.to_csr())
    }

    /// Cells along each axis; 1 where there is none.
    pub(crate) fn shape(&self) -> [usize; 3] {
        std::array::from_fn(|axis| self.lattice.shape().get(axis).copied().unwrap_or(1))
    }

    /// The part that this rank holds, if it is not all.
    pub(crate) fn share(&self) -> Option<&Arc<Share>> {
        self.shared.as_ref().map(|shared| &shared.share)
    }

    /// Values of rows, with room behind them for those of ghosts.
    pub(crate) fn with_ghosts(&self, x: &[f64]) -> Vec<f64> {
        let ghosts: usize = self.lines.ghosts().iter().map(|line| line.length as usize).sum();
        let mut extended = Vec::with_capacity(x.len() + ghosts);
        extended.extend_from_slice(x);
        extended.resize(x.len() + ghosts, 0.0);
        self.fill(&mut extended);
        extended
    }

    /// Fills the values of ghosts.
    pub(crate) fn fill(&self, x: &mut [f64]) {
        self.shared.iter().for_each(|shared| shared.halo.fill(x));
    }

    /// A row of a stretch.
    pub(crate) fn stencil(&self, stretch: &Stretch<D>, row: u32) -> Stencil<D> {
        if stretch.coefficients == INSIDE {
            return Stencil::inside(self.unit);
        }
        let (length, place) = (stretch.length as usize, (row - stretch.first) as usize);
        let block = &self.coefficients[stretch.coefficients as usize..];
        let towards = |axis: usize, side: usize| block[(2 * axis + side) * length + place];
        Stencil {
            diagonal: self.diagonal[row as usize],
            towards: std::array::from_fn(|axis| std::array::from_fn(|side| towards(axis, side))),
        }
    }

    /// Rows of each connected component that no air holds, found when first asked for.
    pub(crate) fn unheld(&self) -> &[Vec<u32>] {
        self.loose.get_or_init(|| self.loose_components())
    }
}

/// A pressure matrix whose dimension is not known at compile time.
#[derive(Clone, Copy)]
pub enum AnyPressureOperator<'o> {
    /// Two dimensions.
    Plane(&'o PressureOperator<2>),
    /// Three dimensions.
    Space(&'o PressureOperator<3>),
}

impl<const D: usize> LinearOperator for PressureOperator<D> {
    fn size(&self) -> usize {
        self.diagonal.len()
    }
    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.apply_dot(x, y);
    }
    fn apply_dot(&self, x: &[f64], y: &mut [f64]) -> f64 {
        match &self.shared {
            None => self.product(x, y),
            Some(_) => self.product(&self.with_ghosts(x), y),
        }
    }
    fn residual(&self, x: &[f64], b: &[f64], y: &mut [f64]) {
        match &self.shared {
            None => self.add_product(x, b, y),
            Some(_) => self.add_product(&self.with_ghosts(x), b, y),
        }
    }
    fn ranks(&self) -> &dyn Ranks {
        self.share().map_or(&Alone, |share| &*share.ranks)
    }
    /// Assembled when first asked for.
    fn csr(&self) -> Option<&CsrMatrix<'_>> {
        Some(self.matrix())
    }
    fn lattice(&self) -> Option<&Lattice> {
        Some(PressureOperator::lattice(self))
    }
    fn singular_components(&self) -> Vec<Vec<u32>> {
        self.unheld().to_vec()
    }
    fn pressure(&self) -> Option<AnyPressureOperator<'_>> {
        let any: &dyn Any = self;
        let plane = any.downcast_ref().map(AnyPressureOperator::Plane);
        plane.or_else(|| any.downcast_ref().map(AnyPressureOperator::Space))
    }
}
