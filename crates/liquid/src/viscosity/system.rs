//! The system of a viscous step: what a velocity costs, and the force that this makes on every face.
//!
//! In units of the volume of a cell and of the density, with c = 2 Δt ν V/h² in cells, e = Δt ν V/h² on edges and
//! g = V + Δt (drag of walls) on faces, the energy of a change u is
//!
//! ```text
//!     ½ Σ g u² + ½ Σ_cells c (δ_a u_a)² + ½ Σ_edges e (δ_b u_a + δ_a u_b)²,
//! ```
//!
//! δ being the difference of two faces. The system is its derivative. A coarse level has the same form.

use std::mem::take;
use std::ops::{Add, AddAssign, Mul, Range, Sub};

use unstick_parallel::{self as parallel, simd::vectorised};

use super::lattice::{Lattice, pair_of, pairs};
use super::pool::{Pool, Pooled};

/// Numbers in single or double precision.
pub(super) trait Real:
    Copy
    + Default
    + Send
    + Sync
    + PartialOrd
    + Pooled
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + 'static
{
}
impl Real for f32 {}
impl Real for f64 {}

/// The coefficients. A value per face stands in one array for all axes, one axis after the other.
#[derive(Clone, Debug)]
pub(super) struct System<T, const D: usize> {
    pub lattice: Lattice<D>,
    /// c, for every axis: zero where a face across the axis is closed.
    pub cells: Vec<T>,
    /// e, for every pair of axes.
    pub edges: Vec<Vec<T>>,
    /// g.
    pub faces: Vec<T>,
}

impl<T: Real, const D: usize> System<T, D> {
    /// All zero.
    pub fn empty(lattice: Lattice<D>, pool: &Pool) -> Self {
        Self { faces: pool.filled(D * lattice.len(), T::default()), ..Self::strainless(lattice, pool) }
    }

    /// No strain, and nothing known of faces.
    pub fn strainless(lattice: Lattice<D>, pool: &Pool) -> Self {
        let zero = |count: usize| pool.filled(count, T::default());
        let edges = pairs::<D>().map(|_| zero(lattice.len())).collect();
        Self { lattice, cells: zero(D * lattice.len()), edges, faces: Vec::new() }
    }

    /// Keeps the arrays for others.
    pub fn give_back(self, pool: &Pool) {
        pool.keep([self.cells, self.faces].into_iter().chain(self.edges));
    }

    /// The same coefficients in arrays of their own.
    pub fn copied(&self, pool: &Pool) -> Self {
        let edges = self.edges.iter().map(|edges| pool.copied(edges)).collect();
        Self { lattice: self.lattice, cells: pool.copied(&self.cells), edges, faces: pool.copied(&self.faces) }
    }

    /// Calls `take` with the product of the system with x, block by block: the number of the first face, the block of
    /// `out` with the product in it.
    pub fn products(&self, x: &[T], out: &mut [T], take: impl Fn(usize, &mut [T]) + Sync) {
        let (length, inner) = (self.lattice.len(), self.lattice.inner());
        for (axis, out) in out.chunks_mut(length).enumerate() {
            parallel::for_each((inner.clone(), &mut out[inner.clone()]), |(range, out)| {
                vectorised(
                    #[inline(always)]
                    || self.product_of_block(axis, range.clone(), x, out),
                );
                take(axis * length + range.start, out);
            });
        }
    }

    /// The same with the block of another array beside that of `out`.
    pub fn products_beside(
        &self,
        x: &[T],
        (beside, out): (&mut [T], &mut [T]),
        take: impl Fn(usize, &mut [T], &mut [T]) + Sync,
    ) {
        let (length, inner) = (self.lattice.len(), self.lattice.inner());
        for (axis, (beside, out)) in beside.chunks_mut(length).zip(out.chunks_mut(length)).enumerate() {
            let lanes = (inner.clone(), &mut beside[inner.clone()], &mut out[inner.clone()]);
            parallel::for_each(lanes, |(range, beside, out)| {
                vectorised(
                    #[inline(always)]
                    || {
                        self.product_of_block(axis, range.clone(), x, out);
                        take(axis * length + range.start, beside, out);
                    },
                );
            });
        }
    }

    #[inline(always)]
    fn product_of_block(&self, axis: usize, range: Range<usize>, x: &[T], out: &mut [T]) {
        let (length, count, along) = (self.lattice.len(), range.len(), self.lattice.strides[axis]);
        let of = |component: usize, up: usize, down: usize| {
            let start = component * length + range.start + up - down;
            &x[start..start + count]
        };
        let (own, below, above) = (of(axis, 0, 0), of(axis, 0, along), of(axis, along, 0));
        let faces = &self.faces[axis * length + range.start..][..count];
        let lower = &self.cells[axis * length + range.start - along..][..count];
        let upper = &self.cells[axis * length + range.start..][..count];
        let out = &mut out[..count];
        for at in 0..count {
            out[at] = faces[at] * own[at] + lower[at] * (own[at] - below[at]) - upper[at] * (above[at] - own[at]);
        }
        for other in (0..D).filter(|&other| other != axis) {
            let across = self.lattice.strides[other];
            let edges = &self.edges[pair_of::<D>(axis, other)];
            let (low, high) = (&edges[range.start..][..count], &edges[range.start + across..][..count]);
            let (below, above) = (of(axis, 0, across), of(axis, across, 0));
            let (right, left) = (of(other, 0, 0), of(other, 0, along));
            let (right_above, left_above) = (of(other, across, 0), of(other, across, along));
            for at in 0..count {
                let strain = own[at] - below[at] + (right[at] - left[at]);
                let strain_above = above[at] - own[at] + (right_above[at] - left_above[at]);
                out[at] += low[at] * strain - high[at] * strain_above;
            }
        }
    }

    /// The diagonal of the system.
    pub fn diagonal(&self, pool: &Pool) -> Vec<T> {
        let mut diagonal = pool.copied(&self.faces);
        let (length, inner) = (self.lattice.len(), self.lattice.inner());
        for (axis, diagonal) in diagonal.chunks_mut(length).enumerate() {
            let along = self.lattice.strides[axis];
            let cells = &self.cells[axis * length..(axis + 1) * length];
            parallel::for_each((inner.clone(), &mut diagonal[inner.clone()]), |(range, diagonal)| {
                add_both(cells, range.start - along, along, diagonal);
                for other in (0..D).filter(|&other| other != axis) {
                    let edges = &self.edges[pair_of::<D>(axis, other)];
                    add_both(edges, range.start, self.lattice.strides[other], diagonal);
                }
            });
        }
        diagonal
    }
}

/// Adds what stands in two places to every sum: those from `start` on, and those further on by `step`.
fn add_both<T: Real>(values: &[T], start: usize, step: usize, sums: &mut [T]) {
    let count = sums.len();
    let (low, high) = (&values[start..start + count], &values[start + step..start + step + count]);
    sums.iter_mut().zip(low).zip(high).for_each(|((sum, low), high)| *sum += *low + *high);
}

impl<const D: usize> System<f64, D> {
    /// The system itself; an empty one stays behind.
    pub fn take(&mut self) -> Self {
        let Self { lattice, cells, edges, faces } = self;
        Self { lattice: *lattice, cells: take(cells), edges: take(edges), faces: take(faces) }
    }

    /// y ← A x; returns xᵀ y.
    pub fn apply_dot(&self, x: &[f64], y: &mut [f64]) -> f64 {
        self.products(x, y, |_, _| ());
        parallel::vector::dot(x, y)
    }

    /// The same in single precision.
    pub fn rounded(&self, pool: &Pool) -> System<f32, D> {
        let round = |values: &[f64]| {
            let mut rounded = pool.filled(values.len(), 0f32);
            parallel::for_each((values, rounded.as_mut_slice()), |(values, rounded)| {
                values.iter().zip(rounded).for_each(|(value, rounded)| *rounded = *value as f32);
            });
            rounded
        };
        System {
            lattice: self.lattice,
            cells: round(&self.cells),
            edges: self.edges.iter().map(|edges| round(edges)).collect(),
            faces: round(&self.faces),
        }
    }
}
