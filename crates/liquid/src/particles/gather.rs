//! Particles → faces.
//!
//! Every particle adds its velocity to the faces around it with (bi- or tri-) linear weights; with
//! `apic` its affine part moves the velocity to where the face is.

use std::ops::Range;

use unstick_grid::{FaceField, Grid};
use unstick_parallel::{self as parallel, simd::vectorised};

use super::Particles;
use super::tiles::{Tile, add_by_tiles};
use crate::velocity::{in_faces, locate};

/// The sum at a face: weighted velocity and weight.
type Arrived = [f64; 2];

/// Velocity at the faces, and which faces any particle reached. `arrived` lends and keeps memory.
pub(crate) fn gather<const D: usize>(
    grid: &Grid<D>,
    particles: &Particles<D>,
    starts: &[u32],
    velocity: &mut FaceField<f64, D>,
    known: &mut FaceField<bool, D>,
    arrived: &mut [Vec<Arrived>; D],
) {
    let shapes = std::array::from_fn(|axis| grid.faces(axis));
    for (arrived, shape) in arrived.iter_mut().zip(shapes) {
        parallel::refill(arrived, shape.iter().product(), [0.0; 2]);
    }
    let sums = arrived.each_mut().map(Vec::as_mut_slice);
    add_by_tiles(grid, starts, shapes, sums, |range, tile| {
        vectorised(
            #[inline(always)]
            || match particles.affine.is_empty() {
                true => add_particles::<D, false>(grid, particles, range, shapes, tile),
                false => add_particles::<D, true>(grid, particles, range, shapes, tile),
            },
        );
    });
    for axis in 0..D {
        let lanes = (velocity[axis].values_mut(), known[axis].values_mut(), arrived[axis].as_slice());
        parallel::for_each(lanes, |(values, known, arrived)| {
            for ((value, known), [sum, weight]) in values.iter_mut().zip(known).zip(arrived) {
                *known = *weight > 1e-9;
                *value = if *known { sum / weight } else { 0.0 };
            }
        });
    }
}

/// Adds particles to the faces around them, moved there by their affine parts if they have any.
#[inline(always)]
fn add_particles<const D: usize, const IS_AFFINE: bool>(
    grid: &Grid<D>,
    particles: &Particles<D>,
    range: Range<usize>,
    shapes: [[usize; D]; D],
    tile: &mut Tile<'_, Arrived, D, D>,
) {
    let (positions, velocities) = (&particles.position[range.clone()], &particles.velocity[range.clone()]);
    for ((index, &position), &velocity) in range.zip(positions).zip(velocities) {
        let place = grid.in_cells(position);
        for axis in 0..D {
            let (corner, part) = locate(shapes[axis], in_faces(place, axis));
            let mut affine = [0.0; D];
            if IS_AFFINE {
                for other in 0..D {
                    affine[other] = particles.affine[index][axis][other] * grid.spacing();
                }
            }
            // One face at a time, the lower ones along the first axis before the upper ones. Pairs of them would be written
            // by one instruction, and the next particle, half a pair further, would wait for it.
            for choice in 0..1usize << D {
                let (mut weight, mut at, mut carried) = (1.0, corner, velocity[axis]);
                for other in 0..D {
                    let upper = choice >> (D - 1 - other) & 1;
                    weight *= if upper == 1 { part[other] } else { 1.0 - part[other] };
                    at[other] = (at[other] + upper).min(shapes[axis][other] - 1);
                    if IS_AFFINE {
                        carried += affine[other] * (upper as f64 - part[other]);
                    }
                }
                let face = &mut tile.row(axis, at)[at[0]];
                face[0] += weight * carried;
                face[1] += weight;
            }
        }
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
        gather(&grid, &particles, &starts, &mut velocity, &mut known, &mut std::array::from_fn(|_| Vec::new()));
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
