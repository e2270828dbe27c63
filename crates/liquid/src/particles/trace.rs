//! Particles through the velocity.

use std::ops::Range;

use unstick_grid::FaceField;
use unstick_parallel::simd::vectorised;

use super::{Particles, cell_of};
use crate::cells::for_each_within;
use crate::setup::Setup;
use crate::solids::Geometry;
use crate::velocity::{FaceReader, GROUP, Group, by_axis, by_point};

/// Particles are kept this far from solids, in cells.
pub(crate) const CLEARANCE: f64 = 0.01;

/// Where a group of points is after `dt`, by the third-order Runge–Kutta rule of Ralston.
#[inline(always)]
pub(crate) fn follow<const D: usize, const W: usize>(
    velocity: &FaceReader<D>,
    points: [[f64; D]; W],
    dt: f64,
) -> [[f64; D]; W] {
    let points = by_axis(points);
    let first = velocity.at(points);
    let second = velocity.at(ahead(points, 0.5 * dt, first));
    let third = velocity.at(ahead(points, 0.75 * dt, second));
    let mut mean = [[0.0; W]; D];
    for axis in 0..D {
        for point in 0..W {
            mean[axis][point] = (2.0 * first[axis][point] + 3.0 * second[axis][point] + 4.0 * third[axis][point]) / 9.0;
        }
    }
    by_point(ahead(points, dt, mean))
}

#[inline(always)]
fn ahead<const D: usize, const W: usize>(mut points: Group<D, W>, dt: f64, direction: Group<D, W>) -> Group<D, W> {
    for axis in 0..D {
        for point in 0..W {
            points[axis][point] += dt * direction[axis][point];
        }
    }
    points
}

/// Moves the particles of some ranges and keeps them out of solids.
pub(crate) fn move_particles<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    velocity: &FaceField<f64, D>,
    (time, dt): (f64, f64),
    particles: &mut Particles<D>,
    meant: &[Range<usize>],
) {
    let velocity = FaceReader::new(&setup.grid, velocity);
    let Particles { position, velocity: velocities, .. } = particles;
    for_each_within(meant, (position.as_mut_slice(), velocities.as_mut_slice()), |(points, velocities)| {
        vectorised(
            #[inline(always)]
            || {
                let (groups, rest) = points.as_chunks_mut::<GROUP>();
                // Loops, not closures: those are inlined.
                for group in groups {
                    *group = follow(&velocity, *group, dt);
                }
                for point in rest {
                    [*point] = follow(&velocity, [*point], dt);
                }
                for (point, velocity) in points.iter_mut().zip(velocities) {
                    push_out(setup, geometry, time, point, velocity);
                }
            },
        );
    });
}

/// Moves a particle out of a solid and removes the part of its velocity that points into it. The part that points away
/// stays; otherwise the wall would hold the particle.
#[inline(always)]
pub(crate) fn push_out<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    time: f64,
    point: &mut [f64; D],
    velocity: &mut [f64; D],
) {
    let grid = &setup.grid;
    // Nothing solid lies within a cell of the cell's centre, nor is it at the border. This holds for most particles.
    let cell = cell_of(grid, *point);
    let is_inside = |axis: usize| cell[axis] > 0 && cell[axis] + 1 < grid.cells()[axis];
    if geometry.space.at(cell) >= 1.0 && (0..D).all(is_inside) {
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
    let (lower, upper) = grid.bounds();
    for axis in 0..D {
        point[axis] = point[axis].clamp(lower[axis] + clearance, upper[axis] - clearance);
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::{CellField, Grid, SignedDistance};

    use super::*;
    use crate::setup::Solid;

    fn velocity(grid: &Grid<2>, value: impl Fn([f64; 2]) -> [f64; 2]) -> FaceField<f64, 2> {
        let face = |axis, face| value(grid.face_centre(axis, face))[axis];
        std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |place| face(axis, place)))
    }

    #[test]
    fn a_point_follows_a_constant_velocity_exactly_and_a_rotation_to_third_order() {
        let grid = Grid::<2>::unit(8).unwrap();
        let constant = velocity(&grid, |_| [0.25, -0.5]);
        let [moved] = follow(&FaceReader::new(&grid, &constant), [[0.5; 2]], 0.5);
        assert_eq!(moved, [0.625, 0.25]);
        let turning = velocity(&grid, |[x, y]| [0.5 - y, x - 0.5]);
        let error = |dt: f64| {
            let [[x, y]] = follow(&FaceReader::new(&grid, &turning), [[0.75, 0.5]], dt);
            (x - 0.5 - 0.25 * dt.cos()).hypot(y - 0.5 - 0.25 * dt.sin())
        };
        assert!(error(0.1) < 2e-6 && error(0.2) / error(0.1) > 14.0, "{} {}", error(0.1), error(0.2));
    }

    #[test]
    fn a_particle_is_put_outside_of_a_wall_and_loses_only_the_velocity_into_it() {
        let mut setup = Setup::new(Grid::<2>::unit(10).unwrap());
        setup.solids.push(Solid::still(SignedDistance::half_space([0.0, 0.25], [0.0, 1.0])));
        let geometry = Geometry::at(&setup, 0.0);
        for (before, after) in [([1.0, -2.0], [1.0, 0.0]), ([1.0, 2.0], [1.0, 2.0])] {
            let (mut point, mut velocity) = ([0.5, 0.24], before);
            push_out(&setup, &geometry, 0.0, &mut point, &mut velocity);
            assert!((point[1] - 0.251).abs() < 1e-9 && (point[0] - 0.5).abs() < 1e-9, "{point:?}");
            assert!(
                velocity.iter().zip(after).all(|(found, expected)| (found - expected).abs() < 1e-9),
                "{velocity:?}"
            );
        }
    }
}
