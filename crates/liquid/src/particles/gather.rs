//! Particles → faces.
//!
//! Every particle adds its velocity to the faces around it with (bi- or tri-) linear weights; with
//! `apic` its affine part moves the velocity to where the face is.

use rayon::prelude::*;
use unstick_grid::{FaceField, Grid};
use unstick_parallel as parallel;

use super::Particles;
use crate::cells::strides;
use crate::velocity::{in_faces, locate};

/// The sum at a face: weighted velocity and weight.
type Arrived = [f64; 2];

/// Velocity at the faces, and which faces any particle reached.
pub(crate) fn gather<const D: usize>(
    grid: &Grid<D>,
    particles: &Particles<D>,
    starts: &[u32],
    velocity: &mut FaceField<f64, D>,
    known: &mut FaceField<bool, D>,
    arrived: &mut Vec<Arrived>,
) {
    for axis in 0..D {
        let shape = velocity[axis].shape();
        arrived.resize(velocity[axis].values().len(), [0.0; 2]);
        parallel::for_each(arrived.as_mut_slice(), |arrived| arrived.fill([0.0; 2]));
        add_by_slabs(grid, starts, shape, arrived, |particle, base, piece| {
            add_particle(grid, particles, particle, axis, shape, base, piece);
        });
        let values = velocity[axis].values_mut().par_iter_mut().with_min_len(4096);
        values.zip(&*arrived).zip(known[axis].values_mut()).for_each(|((value, &[sum, weight]), known)| {
            *known = weight > 1e-9;
            *value = if *known { sum / weight } else { 0.0 };
        });
    }
}

#[inline(always)]
fn add_particle<const D: usize>(
    grid: &Grid<D>,
    particles: &Particles<D>,
    index: usize,
    axis: usize,
    shape: [usize; D],
    base: usize,
    piece: &mut [Arrived],
) {
    let (corner, part) = locate(shape, in_faces(grid.in_cells(particles.position[index]), axis));
    let strides = strides(shape);
    let start = (0..D).map(|other| corner[other] * strides[other]).sum::<usize>() - base;
    let reach: usize = strides.iter().sum();
    let piece = &mut piece[start..=start + reach]; // one check instead of one per face
    let velocity = particles.velocity[index][axis];
    let affine = match particles.affine.is_empty() {
        true => [0.0; D],
        false => particles.affine[index][axis].map(|by| by * grid.spacing()),
    };
    // Lines of two faces along the first axis: two in the plane, four in space.
    for line in 0..1usize << (D - 1) {
        let (mut weight, mut place, mut carried) = (1.0, 0, velocity - affine[0] * part[0]);
        for other in 1..D {
            let upper = line >> (other - 1) & 1;
            weight *= if upper == 1 { part[other] } else { 1.0 - part[other] };
            place += upper * strides[other];
            carried += affine[other] * (upper as f64 - part[other]);
        }
        let (below, above) = (weight * (1.0 - part[0]), weight * part[0]);
        piece[place][0] += below * carried;
        piece[place][1] += below;
        piece[place + 1][0] += above * (carried + affine[0]);
        piece[place + 1][1] += above;
    }
}

/// Layers of cells in a slab. Half a slab must cover the reach of a particle.
const SLAB: usize = 4;

/// Lets particles add to a lattice on every thread, in an order that does not depend on the number of threads.
///
/// Calls `add(particle, base, piece)` for every particle; `piece` is a part of `values`, a lattice of
/// `shape`, that starts at place `base` and holds all that the particle may reach.
///
/// The lattice is cut into slabs of layers along the last axis. Particles of a slab reach at most
/// one layer beyond it. All even slabs run at once, then all odd ones. No two slabs that run at once write to the same
/// place, and every place receives its terms in the same order.
pub(crate) fn add_by_slabs<T: Send, const D: usize>(
    grid: &Grid<D>,
    starts: &[u32],
    shape: [usize; D],
    values: &mut [T],
    add: impl Fn(usize, usize, &mut [T]) + Sync,
) {
    let layer: usize = shape[..D - 1].iter().product();
    let cell_layer: usize = grid.cells()[..D - 1].iter().product();
    let layers = grid.cells()[D - 1];
    for odd in [0, 1] {
        // Piece k starts half a slab before slab 2k + odd; the first of the even ones at the border.
        let start_of = |piece: usize| ((2 * piece + odd) * SLAB).saturating_sub(SLAB / 2).min(shape[D - 1]);
        let count = layers.div_ceil(SLAB).saturating_sub(odd).div_ceil(2);
        let mut pieces = Vec::with_capacity(count);
        let mut rest = &mut values[start_of(0) * layer..];
        for piece in 0..count {
            let length = (start_of(piece + 1) - start_of(piece)) * layer;
            let (own, after) = std::mem::take(&mut rest).split_at_mut(length);
            pieces.push((piece, own));
            rest = after;
        }
        pieces.into_par_iter().for_each(|(piece, own)| {
            let first = ((2 * piece + odd) * SLAB).min(layers);
            let last = (first + SLAB).min(layers);
            for particle in starts[first * cell_layer] as usize..starts[last * cell_layer] as usize {
                add(particle, start_of(piece) * layer, own);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::CellField;

    use unstick_grid::Random;

    use super::*;

    /// Gathers a cloud with a linear velocity; returns the sum of all weights' effect: the field.
    fn gathered<const D: usize>(size: usize, affine: bool) -> (Grid<D>, FaceField<f64, D>, FaceField<bool, D>) {
        let grid = Grid::<D>::unit(size).unwrap();
        let mut particles = Particles::default();
        for index in 0..40 * size as u64 {
            let point: [f64; D] = std::array::from_fn(|axis| Random::hash(0, [index, axis as u64, 7, size as u64]));
            particles.push(point, std::array::from_fn(|axis| point[axis] * 2.0 - 1.0));
        }
        if affine {
            let identity = std::array::from_fn(|a| std::array::from_fn(|b| if a == b { 2.0 } else { 0.0 }));
            particles.affine = vec![identity; particles.len()];
        }
        let starts = particles.sort_by_cell(&grid, &mut Vec::new());
        let mut velocity = std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| 0.0));
        let mut known = std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| false));
        gather(&grid, &particles, &starts, &mut velocity, &mut known, &mut Vec::new());
        (grid, velocity, known)
    }

    fn affine_velocity_is_exact<const D: usize>(size: usize) {
        let (grid, velocity, known) = gathered::<D>(size, true);
        for axis in 0..D {
            let places = CellField::of_shape(grid.faces(axis), |face| face);
            for ((value, known), face) in velocity[axis].values().iter().zip(known[axis].values()).zip(places.values())
            {
                let exact = 2.0 * grid.face_centre(axis, *face)[axis] - 1.0;
                assert!(!known || (value - exact).abs() < 1e-12, "{face:?}: {value} for {exact}");
            }
        }
    }

    #[test]
    fn an_affine_velocity_is_gathered_exactly_for_any_number_of_slabs() {
        for size in [3, 4, 5, 8, 9, 13, 16, 18] {
            affine_velocity_is_exact::<2>(size);
            affine_velocity_is_exact::<3>(size);
        }
    }

    #[test]
    fn every_thread_count_gives_the_same_bits() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| gathered::<3>(17, false).1)
        };
        assert_eq!(run(1), run(2));
    }
}
