//! Faces → particles.

use std::ops::Range;

use unstick_grid::{FaceField, Grid};
use unstick_parallel::{self as parallel, simd::vectorised, vector};

use super::Particles;
use crate::cells::for_each_within;
use crate::setup::Transport;
use crate::velocity::{FaceReader, GROUP, by_axis, by_point, in_faces, interpolate_velocity, locate};

/// Seconds in which `flip` takes the part `pic` from the grid. A part for each step would damp short steps more.
pub(crate) const BLEND_TIME: f64 = 0.01;

/// Rate at which the affine part of `apic` fades in a liquid without viscosity, in 1/s. It is what keeps small vortices alive
/// long after a splash.
pub(crate) const CALMING: f64 = 12.0;

/// Gives the particles of some ranges their new velocity after a step of length `dt`. `before` is the velocity that was
/// gathered from the particles; it is overwritten.
///
/// For `flip` with the part `pic` of the grid's own velocity the new one is
/// (1 − pic)(v + u − u₀) + pic u = (1 − pic) v + (u − (1 − pic) u₀): one field to be read between its
/// faces instead of two. For `apic` the affine part fades at the rate `calming`.
pub(crate) fn scatter<const D: usize>(
    grid: &Grid<D>,
    (transport, calming): (Transport, f64),
    dt: f64,
    before: &mut FaceField<f64, D>,
    after: &FaceField<f64, D>,
    particles: &mut Particles<D>,
    meant: &[Range<usize>],
) {
    let Particles { position, velocity, affine, .. } = particles;
    match transport {
        Transport::Flip { pic } => {
            let keep = (1.0 - pic).powf(dt / BLEND_TIME);
            for (before, after) in before.iter_mut().zip(after) {
                vector::scale_and_add(after.values(), -keep, before.values_mut());
            }
            let change = FaceReader::new(grid, before);
            for_each_within(meant, (position.as_slice(), velocity.as_mut_slice()), |(points, velocities)| {
                vectorised(
                    #[inline(always)]
                    || {
                        interpolate_to(
                            &change,
                            (points, velocities),
                            #[inline(always)]
                            |velocity, change| {
                                for axis in 0..D {
                                    velocity[axis] = keep * velocity[axis] + change[axis];
                                }
                            },
                        );
                    },
                );
            });
        }
        Transport::Apic => {
            let keep = (-calming * dt).exp();
            parallel::resize(affine, position.len(), [[0.0; D]; D]);
            let lanes = (position.as_slice(), velocity.as_mut_slice(), affine.as_mut_slice());
            for_each_within(meant, lanes, |(points, velocities, affine)| {
                for ((&point, velocity), affine) in points.iter().zip(velocities).zip(affine) {
                    *velocity = interpolate_velocity(grid, after, point);
                    *affine = std::array::from_fn(|axis| gradient(grid, after, axis, point).map(|value| keep * value));
                }
            });
        }
        Transport::SemiLagrangian => {
            let after = FaceReader::new(grid, after);
            for_each_within(meant, (position.as_slice(), velocity.as_mut_slice()), |(points, velocities)| {
                vectorised(
                    #[inline(always)]
                    || {
                        interpolate_to(
                            &after,
                            (points, velocities),
                            #[inline(always)]
                            |velocity, found| *velocity = found,
                        );
                    },
                );
            });
        }
    }
}

/// Calls `take` with what goes with each point, and the velocity there.
#[inline(always)]
fn interpolate_to<const D: usize>(
    velocity: &FaceReader<D>,
    (points, own): (&[[f64; D]], &mut [[f64; D]]),
    take: impl Fn(&mut [f64; D], [f64; D]),
) {
    let (groups, rest) = points.as_chunks::<GROUP>();
    let (own_groups, own_rest) = own.as_chunks_mut::<GROUP>();
    for (&group, own) in groups.iter().zip(own_groups) {
        let found = by_point(velocity.at(by_axis(group)));
        for point in 0..GROUP {
            take(&mut own[point], found[point]);
        }
    }
    for (&point, own) in rest.iter().zip(own_rest) {
        let [found] = by_point(velocity.at(by_axis([point])));
        take(own, found);
    }
}

/// Gradient of the interpolated velocity component: the affine part that loses nothing.
fn gradient<const D: usize>(grid: &Grid<D>, velocity: &FaceField<f64, D>, axis: usize, point: [f64; D]) -> [f64; D] {
    let field = &velocity[axis];
    let (corner, part) = locate(field.shape(), in_faces(grid.in_cells(point), axis));
    let mut gradient = [0.0; D];
    for choice in 0..1usize << D {
        let mut node = corner;
        (0..D).for_each(|other| node[other] = (node[other] + (choice >> other & 1)).min(field.shape()[other] - 1));
        let value = field.at(node);
        for along in 0..D {
            let mut weight = if choice >> along & 1 == 1 { 1.0 } else { -1.0 };
            for other in (0..D).filter(|&other| other != along) {
                weight *= if choice >> other & 1 == 1 { part[other] } else { 1.0 - part[other] };
            }
            gradient[along] += weight * value / grid.spacing();
        }
    }
    gradient
}

#[cfg(test)]
mod tests {
    use unstick_grid::CellField;

    use super::*;

    /// One particle after a step from a velocity field to another.
    fn scattered(transport: Transport, dt: f64, before: f64, after: impl Fn([f64; 2]) -> f64) -> Particles<2> {
        let grid = Grid::<2>::unit(4).unwrap();
        let mut before = std::array::from_fn(|axis| CellField::filled(grid.faces(axis), before));
        let after = std::array::from_fn(|axis| {
            CellField::of_shape(grid.faces(axis), |face| after(grid.face_centre(axis, face)))
        });
        let mut particles = Particles::default();
        particles.push([0.375, 0.5], [3.0, 1.0]);
        let all = std::slice::from_ref(&(0..1));
        scatter(&grid, (transport, CALMING), dt, &mut before, &after, &mut particles, all);
        particles
    }

    #[test]
    fn flip_takes_on_changes_and_pic_takes_on_values() {
        for dt in [0.001, 0.01] {
            assert_eq!(scattered(Transport::Flip { pic: 0.0 }, dt, 1.0, |_| 1.5).velocity, [[3.5, 1.5]]);
            assert_eq!(scattered(Transport::Flip { pic: 1.0 }, dt, 1.0, |_| 1.5).velocity, [[1.5, 1.5]]);
            assert_eq!(scattered(Transport::SemiLagrangian, dt, 1.0, |_| 1.5).velocity, [[1.5, 1.5]]);
        }
    }

    #[test]
    fn what_flip_forgets_in_a_time_does_not_depend_on_the_step() {
        let kept = |dt: f64| scattered(Transport::Flip { pic: 0.03 }, dt, 0.0, |_| 0.0).velocity[0][0] / 3.0;
        assert!((kept(0.01) - 0.97).abs() < 1e-12 && (kept(0.001).powi(10) - 0.97).abs() < 1e-12);
    }

    #[test]
    fn apic_takes_on_the_gradient_too_which_fades() {
        for dt in [0.0, 0.1] {
            let particles = scattered(Transport::Apic, dt, 0.0, |[x, y]| 2.0 * x - y);
            assert_eq!(particles.velocity, [[0.25, 0.25]]);
            let kept = (-CALMING * dt).exp();
            assert_eq!(particles.affine, [[[2.0 * kept, -kept], [2.0 * kept, -kept]]]);
        }
    }
}
