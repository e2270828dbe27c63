//! Between levels: interpolation from cells of twice the size, and its transpose.
//!
//! Coarse cell i + 1 lies over the fine cells 2i and 2i + 1. So a coarse box has a layer of cells around all that the fine
//! one has, and interpolation meets no border.

use unstick_parallel::{self as parallel, simd::vectorised};

use super::lattice::{Lattice, RIM};
use crate::cells::multi_index;

/// How fine values hang on coarse ones along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Along {
    /// Values on planes between cells: every other one has a coarse one at its place.
    Planes,
    /// Values in cells, or on what lies beside them: linear.
    Cells,
    /// Values in cells that are the same all over a coarse one.
    Inside,
}

impl Along {
    /// That of values which straddle some axes.
    pub fn straddling<const D: usize>(axes: &[usize]) -> [Self; D] {
        std::array::from_fn(|axis| if axes.contains(&axis) { Self::Planes } else { Self::Cells })
    }

    /// Weights with which a coarse value is part of four fine ones, the second of which is the first in its cell.
    fn weights(self) -> [f32; 4] {
        match self {
            Self::Planes => [0.5, 1.0, 0.5, 0.0],
            Self::Cells => [0.25, 0.75, 0.75, 0.25],
            Self::Inside => [0.0, 1.0, 1.0, 0.0],
        }
    }

    /// The two coarse places that a fine one hangs on, and their weights.
    fn around(self, fine: usize) -> [(usize, f32); 2] {
        let (place, is_odd) = ((fine + RIM) / 2 + RIM, (fine + RIM) % 2 == 1);
        match (self, is_odd) {
            (Self::Planes, false) | (Self::Inside, _) => [(place, 1.0), (place, 0.0)],
            (Self::Planes, true) => [(place, 0.5), (place + 1, 0.5)],
            (Self::Cells, false) => [(place, 0.75), (place - 1, 0.25)],
            (Self::Cells, true) => [(place, 0.75), (place + 1, 0.25)],
        }
    }
}

/// Values that a task works on, about.
const PIECE: usize = 4096;

/// Calls `kernel` with the place of the first value of every row of a box, and the row.
fn for_each_row<const D: usize>(
    lattice: &Lattice<D>,
    values: &mut [f32],
    kernel: impl Fn([usize; D], &mut Vec<f32>, &mut [f32]) + Sync,
) {
    let width = lattice.shape[0];
    let size = width * PIECE.div_ceil(width);
    let piece = |number: usize, values: &mut [f32]| {
        let mut sums = Vec::new();
        for (row, values) in values.chunks_mut(width).enumerate() {
            kernel(multi_index(lattice.shape, number * size + row * width), &mut sums, values);
        }
    };
    if values.len() <= size { piece(0, values) } else { parallel::for_each_chunk(values, size, piece) }
}

/// `sums` ← the sum of `values` of each row, times its weight.
#[inline(always)]
fn add_rows<const D: usize>(
    lattice: &Lattice<D>,
    values: &[f32],
    rows: impl Iterator<Item = ([usize; D], f32)>,
    sums: &mut [f32],
) {
    sums.fill(0.0);
    for (row, weight) in rows.filter(|(_, weight)| *weight != 0.0) {
        let start: usize = (1..D).map(|axis| row[axis] * lattice.strides[axis]).sum();
        sums.iter_mut().zip(&values[start..start + lattice.shape[0]]).for_each(|(sum, value)| *sum += weight * value);
    }
}

/// `out` ← scale Pᵀ `values`.
pub(super) fn gather<const D: usize>(
    (fine, values): (&Lattice<D>, &[f32]),
    along: [Along; D],
    scale: f32,
    (coarse, out): (&Lattice<D>, &mut [f32]),
) {
    // Rows of sums begin this much further left than those of the box.
    const SHIFT: usize = 4;
    let weights = along.map(Along::weights);
    let length = SHIFT + fine.shape[0].max(2 * coarse.shape[0]);
    for_each_row(coarse, out, |place, sums, out| {
        sums.resize(length, 0.0);
        // The fine place one before the first in a coarse one is 2 (place − RIM − 1) + RIM − 1.
        let from = |axis: usize, tap: usize| (2 * place[axis] + tap).checked_sub(RIM + 3);
        let taps = (0..1usize << (2 * (D - 1))).filter_map(|choice| {
            let (mut row, mut weight) = ([0; D], scale);
            for axis in 1..D {
                let tap = choice >> (2 * (axis - 1)) & 3;
                row[axis] = from(axis, tap).filter(|place| *place < fine.shape[axis])?;
                weight *= weights[axis][tap];
            }
            Some((row, weight))
        });
        vectorised(
            #[inline(always)]
            || {
                add_rows(fine, values, taps, &mut sums[SHIFT..SHIFT + fine.shape[0]]);
                for (four, out) in sums.windows(4).step_by(2).zip(out) {
                    *out = four.iter().zip(&weights[0]).map(|(sum, weight)| sum * weight).sum();
                }
            },
        );
    });
}

/// `out` ← `out` + P `values` where `counts` is not zero.
pub(super) fn interpolate<const D: usize>(
    (coarse, values): (&Lattice<D>, &[f32]),
    along: [Along; D],
    (fine, counts, out): (&Lattice<D>, &[f32], &mut [f32]),
) {
    let width = fine.shape[0];
    for_each_row(fine, out, |place, sums, out| {
        sums.resize(coarse.shape[0], 0.0);
        let start: usize = (1..D).map(|axis| place[axis] * fine.strides[axis]).sum();
        let counts = &counts[start..start + width];
        let taps = (0..1usize << (D - 1)).map(|choice| {
            let (mut row, mut weight) = ([0; D], 1.0);
            for axis in 1..D {
                let (place, of_axis) = along[axis].around(place[axis])[choice >> (axis - 1) & 1];
                (row[axis], weight) = (place, weight * of_axis);
            }
            (row, weight)
        });
        // Of two fine places over a coarse one, the first and the second.
        let [even, odd] = match along[0] {
            Along::Planes => [[0.0, 1.0, 0.0], [0.0, 0.5, 0.5]],
            Along::Cells => [[0.25, 0.75, 0.0], [0.0, 0.75, 0.25]],
            Along::Inside => [[0.0, 1.0, 0.0]; 2],
        };
        vectorised(
            #[inline(always)]
            || {
                add_rows(coarse, values, taps, sums);
                let of = |weights: [f32; 3], three: &[f32]| {
                    weights[0] * three[0] + weights[1] * three[1] + weights[2] * three[2]
                };
                let pairs = out[RIM..].chunks_exact_mut(2).zip(counts[RIM..].chunks_exact(2));
                for ((out, counts), three) in pairs.zip(sums[RIM..].windows(3)) {
                    out[0] += if counts[0] != 0.0 { of(even, three) } else { 0.0 };
                    out[1] += if counts[1] != 0.0 { of(odd, three) } else { 0.0 };
                }
            },
        );
    });
}

#[cfg(test)]
mod tests {
    use unstick_mlcp::fields::Window;

    use super::*;

    fn boxes<const D: usize>(cells: [usize; D]) -> [Lattice<D>; 2] {
        let fine = Lattice::new(Window { first: [0; D], size: cells });
        [fine, fine.coarse().expect("a coarser box")]
    }

    #[test]
    fn linear_values_are_interpolated_exactly() {
        let [fine, coarse] = boxes([9, 14, 7]);
        let linear = |x: [f32; 3]| 1.0 + x[0] - 0.5 * x[1] + 0.25 * x[2];
        for axis in 0..3 {
            // Fine cells have the size one; faces lie half a cell below the middle of their cell.
            let middle = |of: usize| if of == axis { 0.0 } else { 0.5 };
            let mut of_coarse = vec![0.0; coarse.len()];
            for (at, value) in of_coarse.iter_mut().enumerate() {
                let place = multi_index(coarse.shape, at);
                *value = linear(std::array::from_fn(|of| 2.0 * (place[of] as f32 - 2.0 + middle(of))));
            }
            let (counts, mut out) = (vec![1.0; fine.len()], vec![0.0; fine.len()]);
            interpolate((&coarse, &of_coarse), Along::straddling(&[axis]), (&fine, &counts, &mut out));
            let mut seen = 0;
            for (at, value) in out.iter().enumerate() {
                let place = multi_index(fine.shape, at);
                if (0..3).all(|of| (RIM..=RIM + fine.cells[of]).contains(&place[of])) {
                    let exact = linear(std::array::from_fn(|of| place[of] as f32 - 1.0 + middle(of)));
                    assert!((value - exact).abs() < 1e-5, "{axis}: {value} {exact} at {place:?}");
                    seen += 1;
                }
            }
            assert_eq!(seen, 10 * 15 * 8);
        }
    }

    #[test]
    fn gathering_is_the_transpose_of_interpolation() {
        let [fine, coarse] = boxes([11, 8]);
        for axis in 0..2 {
            let is_inside = |at: usize| {
                let place = multi_index(fine.shape, at);
                (0..2).all(|of| (RIM..=RIM + fine.cells[of]).contains(&place[of]))
            };
            let of_fine: Vec<f32> =
                (0..fine.len()).map(|at| if is_inside(at) { (at as f32).sin() } else { 0.0 }).collect();
            let of_coarse: Vec<f32> = (0..coarse.len()).map(|at| (0.7 * at as f32).cos()).collect();
            let (along, counts) = (Along::straddling(&[axis]), vec![1.0; fine.len()]);
            let (mut down, mut up) = (vec![0.0; coarse.len()], vec![0.0; fine.len()]);
            gather((&fine, &of_fine), along, 1.0, (&coarse, &mut down));
            interpolate((&coarse, &of_coarse), along, (&fine, &counts, &mut up));
            let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(x * y)).sum::<f64>();
            let (one, other) = (dot(&down, &of_coarse), dot(&of_fine, &up));
            assert!((one - other).abs() < 1e-4 * one.abs().max(1.0), "{one} {other}");
        }
    }
}
