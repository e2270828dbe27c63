//! Contact angles: how the liquid is continued into walls.
//!
//! A surface that meets a wall at the angle α goes on behind it as its skew mirror image. In the depth d behind the wall it
//! is what it is in the height d above, moved along the wall by 2d cot α, outwards where walls like the liquid. So it goes
//! on straight, and with the same curvature. Where it meets the wall at another angle it has a kink, and the curvature of
//! that pulls it to the angle.
//!
//! Which way is outwards is what the gradient of the smoothed parts says. Liquid that is moved outwards covers all places
//! on its way, and what is moved inwards leaves all of them. So it does not matter what lies beyond the liquid, or beyond
//! the air.

use unstick_grid::CellField;

use super::parts::between;
use super::patch::{Frame, Patch};
use super::smooth::{Kernel, blur};
use crate::cells::fill;
use crate::setup::Setup;
use crate::solids::Geometry;

/// How far beside the liquid its continuation may reach, for filters that look so far.
pub(super) fn reach_beside<const D: usize>(setup: &Setup<D>, reach: usize) -> usize {
    let most = setup.contact_angles().map(cotangent).fold(0.0, f64::max);
    (most * reach as f64).ceil().min(2.0 * reach as f64) as usize
}

/// Moves what lies behind walls, the mirror image of the liquid, so that its surface goes on at the angles of the walls.
pub(super) fn lean<const D: usize>(setup: &Setup<D>, geometry: &Geometry<D>, kernel: &Kernel, patch: &mut Patch<D>) {
    let frame = patch.frame();
    let upright = patch.values.clone();
    let around = blur(kernel, &blur(kernel, &upright));
    fill(&mut patch.values, |place, value| {
        let Some(image) = Image::of(setup, geometry, frame, place) else { return };
        let (way, spread) = image.way(slope(&around, place));
        let steps = spread.abs().ceil();
        for step in 1..=steps as usize {
            let part = step as f64 / steps;
            let point = std::array::from_fn(|axis| frame.along(axis, image.point[axis] + part * way[axis]));
            let there = between(upright.shape(), point, |place| upright.at(place));
            *value = if spread > 0.0 { value.max(there) } else { value.min(there) };
        }
    });
}

/// Where a place behind walls has its mirror image.
struct Image<const D: usize> {
    /// In cells of the grid.
    point: [f64; D],
    /// What the border does to the signs of a direction on the way.
    signs: [f64; D],
    /// For each wall on the way its normal, and 2d cot α.
    walls: Vec<([f64; D], f64)>,
}

impl<const D: usize> Image<D> {
    /// That of a place; none if no wall is on the way that asks for an angle of its own.
    fn of(setup: &Setup<D>, geometry: &Geometry<D>, frame: Frame<D>, place: [usize; D]) -> Option<Self> {
        let grid = &setup.grid;
        let (own, cell) = (frame.cell(place), frame.mirrored_cell(grid, place));
        let mut image = Self { point: cell.map(|index| index as f64 + 0.5), signs: [1.0; D], walls: Vec::new() };
        for axis in 0..D {
            let way = own[axis].abs_diff(cell[axis] as isize);
            if way > 0 {
                image.signs[axis] = -1.0;
                let normal = std::array::from_fn(|other| f64::from(u8::from(other == axis)));
                image.walls.push((normal, way as f64 * cotangent(setup.border_contact_angle)));
            }
        }
        let centre = grid.centre(cell);
        let depth = -geometry.distance(grid, centre) / grid.spacing();
        if depth > 0.0 {
            let normal = geometry.normal(grid, centre);
            (0..D).for_each(|axis| image.point[axis] += 2.0 * depth * normal[axis]);
            image.walls.push((normal, 2.0 * depth * cotangent(geometry.contact_angle(setup, cell))));
        }
        image.walls.iter().any(|wall| wall.1 != 0.0).then_some(image)
    }

    /// The way from the image to where its liquid comes from, against its gradient at the place; and how far the liquid
    /// spreads by that, less than zero where it draws back.
    fn way(&self, gradient: [f64; D]) -> ([f64; D], f64) {
        let (mut way, mut spread) = ([0.0; D], 0.0);
        let gradient: [f64; D] = std::array::from_fn(|axis| self.signs[axis] * gradient[axis]);
        for &(normal, length) in &self.walls {
            let across: f64 = (0..D).map(|axis| gradient[axis] * normal[axis]).sum();
            let along: [f64; D] = std::array::from_fn(|axis| gradient[axis] - across * normal[axis]);
            let size = along.iter().map(|value| value * value).sum::<f64>().sqrt();
            if size > 0.0 {
                (0..D).for_each(|axis| way[axis] += length * along[axis] / size);
                spread += length;
            }
        }
        (way, spread)
    }
}

/// The direction in which a field grows at a place; its length does not matter.
fn slope<const D: usize>(field: &CellField<f64, D>, place: [usize; D]) -> [f64; D] {
    std::array::from_fn(|axis| {
        let (mut below, mut above) = (place, place);
        below[axis] = place[axis].saturating_sub(1);
        above[axis] = (place[axis] + 1).min(field.shape()[axis] - 1);
        field.at(above) - field.at(below)
    })
}

/// cot of an angle in degrees; exactly zero at a right angle.
fn cotangent(angle: f64) -> f64 {
    if angle == 90.0 { 0.0 } else { angle.to_radians().tan().recip() }
}

#[cfg(test)]
mod tests {
    use unstick_grid::{Grid, SignedDistance};
    use unstick_mlcp::fields::Window;

    use super::super::curvature::Curvature;
    use super::super::parts::fill_parts;
    use super::*;
    use crate::setup::Solid;

    /// The least and the largest κ R within four cells of a wall, of a circle or ball with a radius of 16 cells that meets
    /// a plane through `point` at an angle. Without a slope the plane is the border, or a solid if it is in the middle.
    fn beside_wall<const D: usize>(slope: f64, height: f64, angle: f64) -> (f64, f64) {
        let radius = 16.0;
        let mut setup = Setup::<D>::new(Grid::new([if D == 2 { 72 } else { 48 }; D], 1.0, [0.0; D]).unwrap());
        (setup.tension, setup.border_contact_angle) = (1.0, angle);
        let (mut normal, mut point) = ([0.0; D], setup.grid.bounds().1.map(|side| 0.5 * side + 0.2));
        (normal[0], normal[1], point[1]) = (-slope.to_radians().sin(), slope.to_radians().cos(), height);
        if height > 0.0 {
            let solid = Solid::still(SignedDistance::half_space(point, normal));
            setup.solids.push(Solid { contact_angle: angle, ..solid });
        }
        let geometry = Geometry::at(&setup, 0.0);
        let centre: [f64; D] =
            std::array::from_fn(|axis| point[axis] - radius * angle.to_radians().cos() * normal[axis]);
        let from_centre =
            |at: [f64; D]| (0..D).map(|axis| (at[axis] - centre[axis]).powi(2)).sum::<f64>().sqrt() - radius;
        let above = |at: [f64; D]| (0..D).map(|axis| (at[axis] - point[axis]) * normal[axis]).sum::<f64>();
        let liquid = CellField::from_fn(&setup.grid, |cell| from_centre(setup.grid.centre(cell)));
        let kernel = Kernel::of_width(1.5);
        let reach = 2 * kernel.reach();
        let mut patch = Patch::around(&setup.grid, Window::whole(setup.grid.cells()), reach, reach);
        fill_parts(&setup, &geometry, &liquid, &mut patch);
        lean(&setup, &geometry, &kernel, &mut patch);
        let curvature = Curvature::of(&kernel, 1.5, &blur(&kernel, &patch.values));
        let at_surface = |cell: &[usize; D]| {
            let centre = setup.grid.centre(*cell);
            from_centre(centre).abs() < 0.5 && (0.0..4.0).contains(&above(centre))
        };
        let of_cell = |cell| curvature.at(patch.frame().place(cell).unwrap()) * radius / (D as f64 - 1.0);
        let values: Vec<f64> = setup.grid.iter().filter(at_surface).map(of_cell).collect();
        assert!(values.len() > 4);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        (least, values.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }

    #[test]
    fn a_cap_that_meets_its_wall_at_the_angle_has_its_curvature_up_to_the_wall() {
        for (slope, height) in [(0.0, 0.0), (0.0, 20.4), (20.0, 25.3), (45.0, 30.1)] {
            for angle in [60.0, 75.0, 90.0, 105.0, 120.0, 140.0] {
                let (least, most) = beside_wall::<2>(slope, height, angle);
                assert!(least > 0.84 && most < 1.11, "{slope}, {height}, {angle}: {least} to {most}");
            }
        }
        for (slope, height) in [(0.0, 0.0), (20.0, 16.3)] {
            for angle in [60.0, 120.0] {
                let (least, most) = beside_wall::<3>(slope, height, angle);
                assert!(least > 0.87 && most < 1.08, "{slope}, {height}, {angle}: {least} to {most} in space");
            }
        }
    }

    /// A kink of some degrees that a filter of the width σ rounds has the curvature of that angle over some σ.
    #[test]
    fn a_surface_at_another_angle_is_pulled_to_that_of_the_wall() {
        let mut setup = Setup::<2>::new(Grid::new([40, 40], 1.0, [0.0; 2]).unwrap());
        setup.tension = 1.0;
        let geometry = Geometry::at(&setup, 0.0);
        let liquid = CellField::from_fn(&setup.grid, |cell| setup.grid.centre(cell)[0] - 20.0);
        let kernel = Kernel::of_width(1.5);
        let at_wall = |angle: f64| {
            let setup = Setup { border_contact_angle: angle, ..setup.clone() };
            let mut patch = Patch::around(&setup.grid, Window::whole(setup.grid.cells()), 10, 10);
            fill_parts(&setup, &geometry, &liquid, &mut patch);
            lean(&setup, &geometry, &kernel, &mut patch);
            let curvature = Curvature::of(&kernel, 1.5, &blur(&kernel, &patch.values));
            curvature.at(patch.frame().place([20, 0]).unwrap())
        };
        assert!(at_wall(60.0) < -0.05 && at_wall(120.0) > 0.05, "{} {}", at_wall(60.0), at_wall(120.0));
    }
}
