//! The pressure of a box by fast transforms (`fft`).
//!
//! Liquid that fills a box with the same condition all along each of its sides has a matrix that
//! cosines and sines diagonalise:
//!
//! ```text
//!     wall – wall          cos(π k (j + ½)/n)            DCT-II    coupling beyond the side: 0
//!     open – open          sin(π (k + 1)(j + ½)/n)       DST-II    2, the surface at the cell's face
//!     wall – open          cos(π (k + ½)(j + ½)/n)       DCT-IV
//!     open – wall          sin(π (k + ½)(j + ½)/n)       DST-IV
//!     beyond – beyond      sin(π (k + 1)(j + 1)/(n + 1)) DST-I     1, the surface a cell away
//! ```
//!
//! each with the eigenvalue 4 sin²(half the angle of one step). One axis has no transform: along it each
//! wave leads to a tridiagonal system, which two sweeps solve. That is cheaper than a transform and works for
//! a surface at any height, so a tank that is filled to a level is a box too.
//!
//! Exact to rounding, in O(N log N), with the same bits on any number of threads.

mod embedding;
mod recognise;
mod transform;

#[cfg(test)]
mod tests;

use rayon::prelude::*;
use rustdct::DctPlanner;
use unstick_parallel::tridiagonal::Tridiagonal;

use crate::error::SolveError;
use crate::linear::{Subsystem, fit};
use crate::operator::LinearOperator;
use crate::precondition::Preconditioner;
pub use embedding::BoxEmbedding;
use recognise::LiquidBox;
pub use recognise::NotABox;
use transform::Transform;

/// A⁻¹ for a box: behind the name `fft`, together with [`Refinement`](crate::linear::Refinement).
///
/// A closed box has no inverse; its answer is the one of mean zero.
#[derive(Default)]
pub struct BoxInverse {
    prepared: Option<Prepared>,
    /// The values with the axis of the sweeps last, where the rows are not in this order already.
    turned: Vec<f64>,
}

/// Refuses systems that [`BoxInverse`] cannot solve, with the reason.
pub fn check_box(operator: &dyn LinearOperator) -> Result<(), NotABox> {
    LiquidBox::of(operator)?.order().map(drop)
}

struct Prepared {
    shape: LiquidBox,
    /// Cells along the two axes of the transforms and along that of the sweeps; the second is 1 in the plane.
    extents: [usize; 3],
    /// Distances in memory between neighbours along these.
    strides: [usize; 3],
    transforms: [Transform; 2],
    sweep: Sweep,
}

impl Prepared {
    fn new(shape: LiquidBox) -> Result<Self, NotABox> {
        let order = shape.order()?;
        let strides = [1, shape.extents[0], shape.extents[0] * shape.extents[1]];
        let mut planner = DctPlanner::new();
        let [first, second] =
            [order[0], order[1]].map(|axis| Transform::new(&mut planner, shape.extents[axis], shape.sides[axis]));
        let transforms = [first?, second?];
        let extents = order.map(|axis| shape.extents[axis]);
        let sweep = Sweep::new(&transforms, extents, shape.sides[order[2]], shape.unit);
        Ok(Self { shape, extents, strides: order.map(|axis| strides[axis]), transforms, sweep })
    }

    /// Whether planes across the axis of the sweeps are one piece of memory.
    fn is_in_order(&self) -> bool {
        self.strides[2] == self.extents[0] * self.extents[1]
    }

    /// `work` ← A⁻¹ r; its planes hold one place along the axis of the sweeps each.
    fn solve(&self, r: &[f64], work: &mut [f64]) {
        let plane = self.extents[0] * self.extents[1];
        let at_once = unstick_parallel::BLOCK.div_ceil(plane);
        work.par_chunks_mut(plane).enumerate().with_min_len(at_once).for_each_init(
            Scratch::default,
            |scratch, work| {
                let (index, work) = work;
                self.gather(r, index, work);
                self.forward(work, scratch);
            },
        );
        self.sweep.run(work);
        work.par_chunks_mut(plane)
            .with_min_len(at_once)
            .for_each_init(Scratch::default, |scratch, work| self.backward(work, scratch));
    }

    /// Transforms along lines of the first axis, then of the second. The plane stays transposed.
    fn forward(&self, plane: &mut [f64], scratch: &mut Scratch) {
        let [first, second] = &self.transforms;
        plane.chunks_exact_mut(self.extents[0]).for_each(|line| first.forward(line, &mut scratch.of_transform));
        if self.extents[1] > 1 {
            fit(&mut scratch.plane, plane.len());
            transpose(plane, self.extents[0], &mut scratch.plane);
            let lines = scratch.plane.chunks_exact_mut(self.extents[1]);
            lines.for_each(|line| second.forward(line, &mut scratch.of_transform));
            plane.copy_from_slice(&scratch.plane);
        }
    }

    /// The way back.
    fn backward(&self, plane: &mut [f64], scratch: &mut Scratch) {
        let [first, second] = &self.transforms;
        if self.extents[1] > 1 {
            fit(&mut scratch.plane, plane.len());
            plane.chunks_exact_mut(self.extents[1]).for_each(|line| second.backward(line, &mut scratch.of_transform));
            transpose(plane, self.extents[1], &mut scratch.plane);
            plane.copy_from_slice(&scratch.plane);
        }
        plane.chunks_exact_mut(self.extents[0]).for_each(|line| first.backward(line, &mut scratch.of_transform));
    }

    /// Gathers one plane from the order of rows.
    fn gather(&self, r: &[f64], index: usize, plane: &mut [f64]) {
        let start = index * self.strides[2];
        if self.is_in_order() {
            return plane.copy_from_slice(&r[start..][..plane.len()]);
        }
        for (line, values) in plane.chunks_exact_mut(self.extents[0]).enumerate() {
            let start = start + line * self.strides[1];
            values.iter_mut().zip(r[start..].iter().step_by(self.strides[0])).for_each(|(value, r)| *value = *r);
        }
    }

    /// Scatters all planes into the order of rows.
    fn scatter(&self, work: &[f64], z: &mut [f64]) {
        let plane = self.extents[0] * self.extents[1];
        for (index, work) in work.chunks_exact(plane).enumerate() {
            for (line, values) in work.chunks_exact(self.extents[0]).enumerate() {
                let start = index * self.strides[2] + line * self.strides[1];
                values.iter().zip(z[start..].iter_mut().step_by(self.strides[0])).for_each(|(value, z)| *z = *value);
            }
        }
    }
}

/// The systems along the axis without a transform, one for each wave.
///
/// For a wave with eigenvalue λ: −x_{k−1} + (λ + d_k) x_k − x_{k+1} = r_k with d_k = 2 inside and 1 plus the coupling
/// beyond at the ends.
struct Sweep {
    /// Of the waves of a plane.
    eigenvalues: Vec<f64>,
    systems: Tridiagonal,
    /// What the transforms leave to be multiplied by.
    scale: f64,
    /// Whether nothing fixes the constant, the first wave.
    is_closed: bool,
}

impl Sweep {
    fn new(transforms: &[Transform; 2], extents: [usize; 3], sides: [f64; 2], unit: f64) -> Self {
        let [first, second, planes] = extents;
        let [along, across] = [(0, first), (1, second)]
            .map(|(axis, count)| (0..count).map(|wave| transforms[axis].eigenvalue(wave)).collect::<Vec<_>>());
        // Planes lie turned: the second axis runs fastest.
        let eigenvalues: Vec<f64> = along.iter().flat_map(|one| across.iter().map(move |other| one + other)).collect();
        let coupling = |is_inside: bool, side: f64| if is_inside { 1.0 } else { side };
        let diagonal = |plane| coupling(plane > 0, sides[0]) + coupling(plane + 1 < planes, sides[1]);
        let diagonals = (0..planes).map(diagonal).collect();
        let systems = Tridiagonal { masses: vec![1.0; planes], diagonals, couplings: vec![1.0; planes] };
        let scale = 1.0 / (unit * transforms[0].scale() * transforms[1].scale());
        Self { is_closed: systems.is_singular(eigenvalues[0]), eigenvalues, systems, scale }
    }

    /// x ← the answers for the right-hand sides x, plane by plane. In a closed box the constant is zero.
    fn run(&self, x: &mut [f64]) {
        self.systems.solve(&self.eigenvalues, self.scale, x);
        if self.is_closed {
            let waves = self.eigenvalues.len();
            let planes = x.len() / waves;
            let mean = x.iter().step_by(waves).sum::<f64>() / planes as f64;
            x.iter_mut().step_by(waves).for_each(|value| *value -= mean);
        }
    }
}

/// What a thread needs beside its plane.
#[derive(Default)]
struct Scratch {
    plane: Vec<f64>,
    of_transform: Vec<f64>,
}

/// Edge of the tiles that a plane is turned by: eight entries are a cache line.
const TILE: usize = 8;

/// Lines of `length` entries become columns.
fn transpose(from: &[f64], length: usize, to: &mut [f64]) {
    let lines = from.len() / length;
    for first in (0..lines).step_by(TILE) {
        for start in (0..length).step_by(TILE) {
            for place in start..(start + TILE).min(length) {
                for line in first..(first + TILE).min(lines) {
                    to[place * lines + line] = from[line * length + place];
                }
            }
        }
    }
}

impl Preconditioner for BoxInverse {
    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        if !system.is_whole() && (system.has_diagonals() || (0..system.size()).any(|row| !system.is_free(row))) {
            return Err(NotABox::Held.into());
        }
        let shape = LiquidBox::of(system.operator())?;
        if self.prepared.as_ref().is_none_or(|prepared| prepared.shape != shape) {
            self.prepared = Some(Prepared::new(shape)?);
        }
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        if let Some(prepared) = &self.prepared {
            if prepared.is_in_order() {
                return prepared.solve(r, z);
            }
            fit(&mut self.turned, r.len());
            prepared.solve(r, &mut self.turned);
            prepared.scatter(&self.turned, z);
        }
    }
}
