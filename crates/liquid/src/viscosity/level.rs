//! Coarser systems: cells of twice the size, as \[Aanjaneya2019\] makes them.
//!
//! A coarse cell, edge or face takes the coefficients of the fine ones in its volume. Strain of the same velocity is
//! half as much per cell, so coarse coefficients of strain are a quarter of the sum. Rotations cost nothing on any level.
//! Velocity is interpolated linearly between coarse faces that count.

use unstick_parallel as parallel;

use super::lattice::{Lattice, pairs, straddling};
use super::system::System;

/// Weights of the coarse face that a fine one lies in, and of the next one beside it.
const BESIDE: [f32; 2] = [0.75, 0.25];

/// A level and how it hangs together with the next coarser one.
pub(super) struct Level<const D: usize> {
    pub system: System<f32, D>,
    /// 1/diagonal; zero for faces that do not count.
    pub inverse: Vec<f32>,
    /// For each face that counts 1 over the weights of those coarse faces around it that count.
    share: Vec<f32>,
    /// Work: the iterate, the right-hand side, the residual, the direction.
    pub x: Vec<f32>,
    pub b: Vec<f32>,
    pub r: Vec<f32>,
    pub d: Vec<f32>,
}

impl<const D: usize> Level<D> {
    fn new(system: System<f32, D>) -> Self {
        let mut inverse = system.diagonal();
        parallel::for_each(inverse.as_mut_slice(), |values| {
            values.iter_mut().for_each(|value| *value = if *value > 0.0 { 1.0 / *value } else { 0.0 });
        });
        let work = || parallel::filled(inverse.len(), 0f32);
        let (x, b, r, d) = (work(), work(), work(), work());
        Self { share: Vec::new(), system, inverse, x, b, r, d }
    }

    /// All levels, the finest first.
    pub fn all(finest: System<f32, D>) -> Vec<Self> {
        let mut levels = vec![Self::new(finest)];
        while let Some(fine) = levels.last_mut()
            && let Some(lattice) = fine.system.lattice.coarse()
        {
            let coarse = Self::new(coarsen(&fine.system, lattice));
            fine.share = shares(fine, &coarse);
            levels.push(coarse);
        }
        levels
    }

    /// b of the coarse level ← Pᵀ r.
    pub fn restrict(&self, coarse: &mut Self) {
        let (length, coarse_length) = (self.system.lattice.len(), coarse.system.lattice.len());
        let (fine, inverse) = (&self.system.lattice, &coarse.inverse);
        for (axis, values) in coarse.b.chunks_mut(coarse_length).enumerate() {
            let (share, residual) = (&self.share[axis * length..][..length], &self.r[axis * length..][..length]);
            // Along the axis three planes; along others the two fine faces inside and one beside on either side.
            let taps = Tap::all(fine, |other| match other == axis {
                true => &[(-1, 0.5), (0, 1.0), (1, 0.5)],
                false => &[(-1, BESIDE[1]), (0, BESIDE[0]), (1, BESIDE[0]), (2, BESIDE[1])],
            });
            coarse.system.lattice.fill(values, straddling(&[axis]), |face, at, value| {
                if inverse[axis * coarse_length + at] > 0.0 {
                    let base = fine.index(face.map(|place| 2 * place));
                    *value = Tap::sum(&taps, base, |index| share[index] * residual[index]);
                }
            });
        }
    }

    /// x ← x + P x of the coarse level.
    pub fn correct(&mut self, coarse: &Self) {
        let (length, coarse_length) = (self.system.lattice.len(), coarse.system.lattice.len());
        let (share, lattice) = (&self.share, self.system.lattice);
        for (axis, x) in self.x.chunks_mut(length).enumerate() {
            let of_coarse = &coarse.x[axis * coarse_length..][..coarse_length];
            let taps = around(&coarse.system.lattice, axis);
            lattice.fill(x, straddling(&[axis]), |face, at, value| {
                let share = share[axis * length + at];
                if share > 0.0 {
                    let base = coarse.system.lattice.index(face.map(|place| place / 2));
                    *value += share * Tap::sum(&taps[parity(face)], base, |index| of_coarse[index]);
                }
            });
        }
    }
}

/// A place relative to another, and its weight.
#[derive(Clone, Copy)]
struct Tap {
    step: isize,
    weight: f32,
}

impl Tap {
    /// Products of the steps and weights along each axis.
    fn all<'s, const D: usize>(lattice: &Lattice<D>, along: impl Fn(usize) -> &'s [(isize, f32)]) -> Vec<Self> {
        let mut taps = vec![Self { step: 0, weight: 1.0 }];
        for axis in 0..D {
            let stride = lattice.strides[axis] as isize;
            let with = |tap: Self| {
                along(axis)
                    .iter()
                    .map(move |&(step, weight)| Self { step: tap.step + step * stride, weight: tap.weight * weight })
            };
            taps = taps.into_iter().flat_map(with).collect();
        }
        taps
    }

    #[inline(always)]
    fn sum(taps: &[Self], base: usize, value: impl Fn(usize) -> f32) -> f32 {
        taps.iter().map(|tap| tap.weight * value(base.wrapping_add_signed(tap.step))).sum()
    }
}

/// Which of the places of a face are odd, as bits.
#[inline(always)]
fn parity<const D: usize>(face: [usize; D]) -> usize {
    (0..D).map(|axis| (face[axis] & 1) << axis).sum()
}

/// The coarse faces around fine ones, by parity.
fn around<const D: usize>(coarse: &Lattice<D>, axis: usize) -> Vec<Vec<Tap>> {
    let of_parity = |parity: usize| {
        Tap::all(coarse, |other| match (other == axis, parity >> other & 1 == 1) {
            (true, false) => &[(0, 1.0)],
            (true, true) => &[(0, 0.5), (1, 0.5)],
            (false, false) => &[(0, BESIDE[0]), (-1, BESIDE[1])],
            (false, true) => &[(0, BESIDE[0]), (1, BESIDE[1])],
        })
    };
    (0..1usize << D).map(of_parity).collect()
}

/// 1 over the weights of the coarse faces that count, for each fine face that does.
fn shares<const D: usize>(fine: &Level<D>, coarse: &Level<D>) -> Vec<f32> {
    let (length, coarse_length) = (fine.system.lattice.len(), coarse.system.lattice.len());
    let mut share = parallel::filled(D * length, 0f32);
    for (axis, share) in share.chunks_mut(length).enumerate() {
        let inverse = &coarse.inverse[axis * coarse_length..][..coarse_length];
        let taps = around(&coarse.system.lattice, axis);
        let of_fine = &fine.inverse[axis * length..][..length];
        fine.system.lattice.fill(share, straddling(&[axis]), |face, at, share| {
            let base = coarse.system.lattice.index(face.map(|place| place / 2));
            let counts = |index: usize| if inverse[index] > 0.0 { 1.0 } else { 0.0 };
            let sum = Tap::sum(&taps[parity(face)], base, counts);
            *share = if sum > 0.0 && of_fine[at] > 0.0 { 1.0 / sum } else { 0.0 };
        });
    }
    share
}

/// The system on cells of twice the size.
fn coarsen<const D: usize>(fine: &System<f32, D>, lattice: Lattice<D>) -> System<f32, D> {
    let mut coarse = System::empty(lattice);
    let from = &fine.lattice;
    // Sum over what lies in the volume of a coarse place: three planes along straddled axes, two cells along others. The
    // rim holds zeros.
    let add = |values: &[f32], straddled: [bool; D], scale: f32, sums: &mut [f32]| {
        let taps = Tap::all(from, |axis| match straddled[axis] {
            true => &[(-1, 0.5), (0, 1.0), (1, 0.5)],
            false => &[(0, 1.0), (1, 1.0)],
        });
        lattice.fill(sums, straddled, |place, _, sum| {
            *sum = scale * Tap::sum(&taps, from.index(place.map(|place| 2 * place)), |index| values[index]);
        });
    };
    let of = |axis: usize, lattice: &Lattice<D>| axis * lattice.len()..(axis + 1) * lattice.len();
    for axis in 0..D {
        add(&fine.faces[of(axis, from)], straddling(&[axis]), 1.0, &mut coarse.faces[of(axis, &lattice)]);
    }
    // Strain needs all of its faces.
    let System { cells, edges, faces, .. } = &mut coarse;
    let has = |axis: usize, at: usize| faces[axis * lattice.len() + at] > 0.0;
    for axis in 0..D {
        let along = lattice.strides[axis];
        add(&fine.cells[of(axis, from)], [false; D], 0.25, &mut cells[of(axis, &lattice)]);
        lattice.fill(&mut cells[of(axis, &lattice)], [false; D], |_, at, value| {
            *value = if has(axis, at) && has(axis, at + along) { *value } else { 0.0 };
        });
    }
    for (number, [one, other]) in pairs::<D>() {
        let straddled = straddling(&[one, other]);
        add(&fine.edges[number], straddled, 0.25, &mut edges[number]);
        lattice.fill(&mut edges[number], straddled, |_, at, value| {
            let is_whole = has(one, at) && has(other, at);
            let is_whole = is_whole && has(one, at - lattice.strides[other]) && has(other, at - lattice.strides[one]);
            *value = if is_whole { *value } else { 0.0 };
        });
    }
    coarse
}
