//! Drops on walls. The velocity is taken from the grid, which damps their swinging.

use std::f64::consts::PI;

use unstick_grid::{Grid, SignedDistance};
use unstick_liquid::{Gravity, Setup, Simulation, Solid, Transport};

const RADIUS: f64 = 0.005;

/// Where a drop sits.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// On the border of the grid.
    Border,
    /// On a solid of this slope, in degrees.
    Slope(f64),
}

/// A ball of so many cells radius that meets a wall at an angle, and the normal of the wall. The contact angle of the wall
/// is `angle`.
fn cap<const D: usize>(cells: f64, start: f64, place: Place, angle: f64) -> (Simulation<D>, [f64; D]) {
    let spacing = RADIUS / cells;
    let mut setup = Setup::<D>::new(Grid::new([(3.6 * cells) as usize; D], spacing, [0.0; D]).unwrap());
    (setup.gravity, setup.tension, setup.max_step) = (Gravity::Constant([0.0; D]), 0.072, 0.001);
    setup.transport = Transport::Flip { pic: 1.0 };
    let (mut centre, mut normal) = (setup.grid.bounds().1.map(|side| 0.5 * side), [0.0; D]);
    match place {
        Place::Border => {
            (centre[1], normal[1]) = (0.0, 1.0);
            setup.border_contact_angle = angle;
        }
        Place::Slope(slope) => {
            (normal[0], normal[1]) = (-slope.to_radians().sin(), slope.to_radians().cos());
            centre[1] = (0.35 + 0.1 * slope / 45.0) * setup.grid.bounds().1[1] + 0.37 * spacing;
            let solid = Solid::still(SignedDistance::half_space(centre, normal));
            setup.solids.push(Solid { contact_angle: angle, ..solid });
        }
    }
    (0..D).for_each(|axis| centre[axis] -= RADIUS * start.to_radians().cos() * normal[axis]);
    (Simulation::new(setup, &SignedDistance::sphere(centre, RADIUS)).unwrap(), normal)
}

/// The contact angle in degrees of a cap with the volume of the particles, whose centre of mass is as high above the wall.
fn angle_of<const D: usize>(drop: &Simulation<D>, normal: [f64; D]) -> f64 {
    let (setup, points) = (drop.setup(), &drop.state().particles.position);
    let foot = match setup.solids.first().map(|solid| &solid.shape) {
        Some(SignedDistance::HalfSpace { point, .. }) => *point,
        _ => [0.0; D],
    };
    let above = |point: &[f64; D]| (0..D).map(|axis| (point[axis] - foot[axis]) * normal[axis]).sum::<f64>();
    let height = points.iter().map(above).sum::<f64>() / points.len() as f64;
    let cell = setup.grid.spacing().powi(D as i32);
    let volume = points.len() as f64 * cell / setup.particles_per_cell() as f64;
    let (mut least, mut most) = (1.0, 179.0);
    while most - least > 1e-6 {
        let middle: f64 = 0.5 * (least + most);
        let (sin, cos) = middle.to_radians().sin_cos();
        // Of a cap with the radius one.
        let (own_volume, own_height) = if D == 2 {
            let area = middle.to_radians() - sin * cos;
            (area, 2.0 / 3.0 * sin.powi(3) / area - cos)
        } else {
            let volume = PI / 3.0 * (2.0 + cos) * (1.0 - cos).powi(2);
            (volume, 0.75 * (1.0 + cos).powi(2) / (2.0 + cos) - cos)
        };
        let part = 1.0 / D as f64;
        let is_flatter = own_height / own_volume.powf(part) < height / volume.powf(part);
        *(if is_flatter { &mut least } else { &mut most }) = middle;
    }
    least
}

#[test]
fn half_discs_find_the_angle_of_their_wall() {
    for place in [Place::Border, Place::Slope(20.0), Place::Slope(45.0)] {
        for angle in [60.0, 120.0] {
            let (mut drop, normal) = cap::<2>(10.0, 90.0, place, angle);
            let start = angle_of(&drop, normal);
            assert!((start - 90.0).abs() < 4.0, "{start}");
            let mut mean = 0.0;
            for part in 0..8 {
                drop.advance_to(0.3 + 0.1 * f64::from(part) / 7.0).unwrap();
                mean += angle_of(&drop, normal) / 8.0;
            }
            assert!((mean - angle).abs() < 3.0, "{place:?}, {angle}: {mean}");
        }
    }
}

#[test]
fn a_cap_of_a_ball_stays_at_the_angle_of_its_wall() {
    let (mut drop, normal) = cap::<3>(8.0, 120.0, Place::Border, 120.0);
    for part in 1..=4 {
        drop.advance_to(0.02 * f64::from(part)).unwrap();
        let found = angle_of(&drop, normal);
        assert!((found - 120.0).abs() < 3.0, "{found}");
    }
}
