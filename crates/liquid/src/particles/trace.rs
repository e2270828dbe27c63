//! Particles through the velocity.

use rayon::prelude::*;
use unstick_grid::{FaceField, Grid};

use super::{Particles, cell_of};
use crate::setup::Setup;
use crate::solids::Geometry;
use crate::velocity::interpolate_velocity;

/// Particles are kept this far from solids, in cells.
const CLEARANCE: f64 = 0.01;

/// Where a point is after `dt`, by the third-order Runge–Kutta rule of Ralston.
#[inline]
pub(crate) fn follow<const D: usize>(
    grid: &Grid<D>,
    velocity: &FaceField<f64, D>,
    point: [f64; D],
    dt: f64,
) -> [f64; D] {
    let step = |direction: [f64; D], part: f64| std::array::from_fn(|axis| point[axis] + part * dt * direction[axis]);
    let first = interpolate_velocity(grid, velocity, point);
    let second = interpolate_velocity(grid, velocity, step(first, 0.5));
    let third = interpolate_velocity(grid, velocity, step(second, 0.75));
    let mean = std::array::from_fn(|axis| (2.0 * first[axis] + 3.0 * second[axis] + 4.0 * third[axis]) / 9.0);
    step(mean, 1.0)
}

/// Moves all particles and keeps them out of solids.
pub(crate) fn move_particles<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    velocity: &FaceField<f64, D>,
    time: f64,
    dt: f64,
    particles: &mut Particles<D>,
) {
    let grid = &setup.grid;
    let pieces = particles.position.par_iter_mut().with_min_len(1024).zip(particles.velocity.par_iter_mut());
    pieces.for_each(|(point, velocity_of)| {
        *point = follow(grid, velocity, *point, dt);
        push_out(setup, geometry, time, point, velocity_of);
    });
}

/// Moves a particle out of a solid and takes away the part of its velocity that led into it; the
/// part that leads away stays, or the wall would hold on to it.
pub(crate) fn push_out<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    time: f64,
    point: &mut [f64; D],
    velocity: &mut [f64; D],
) {
    let grid = &setup.grid;
    // All open within a cell of the cell's centre: nothing solid within reach, and most are there.
    if geometry.space.at(cell_of(grid, *point)) >= 1.0 {
        return;
    }
    let clearance = CLEARANCE * grid.spacing();
    for _ in 0..2 {
        let distance = geometry.distance(grid, *point);
        if distance >= clearance {
            break;
        }
        let normal = geometry.normal(grid, *point);
        let is_moving = geometry.solid_velocity.is_some();
        let of_solid = if is_moving { geometry.velocity_at(setup, time, *point) } else { [0.0; D] };
        let outward: f64 = (0..D).map(|axis| (velocity[axis] - of_solid[axis]) * normal[axis]).sum();
        for axis in 0..D {
            point[axis] += (clearance - distance) * normal[axis];
            velocity[axis] -= outward.min(0.0) * normal[axis];
        }
    }
    let (lower, upper) = (grid.origin(), grid.node(grid.cells()));
    for axis in 0..D {
        point[axis] = point[axis].clamp(lower[axis] + clearance, upper[axis] - clearance);
    }
}
