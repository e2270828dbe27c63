//! Bodies in the geometry: the faces and cells that they cover, and their velocity there.

use unstick_grid::vector::{cross, lift};
use unstick_grid::{CLOSED, CellField, FaceField, Grid};

use super::bodies::Immersed;
use super::geometry::{Geometry, NearestWall};
use super::half_cells::HalfCells;
use crate::cells::multi_index;
use crate::setup::Wall;

/// Cells around a body's box that it has a part in.
const RIM: usize = 2;

/// The faces that a body covers, and how much of each.
#[derive(Clone, Debug)]
pub struct Covered<const D: usize> {
    /// The body.
    pub body: Immersed<D>,
    /// Axis, face, covered part of the volume around the face.
    pub faces: Vec<(usize, [usize; D], f64)>,
    /// The same for what it covers of the volume around a face that others close: where it touches them.
    pub walled: Vec<(usize, [usize; D], f64)>,
}

impl<const D: usize> Covered<D> {
    /// The flow across a face along its axis for a unit of each of the body's velocities.
    pub fn carry(&self, grid: &Grid<D>, axis: usize, face: [usize; D]) -> ([f64; D], [f64; 3]) {
        let point = grid.face_centre(axis, face);
        let unit: [f64; D] = std::array::from_fn(|other| f64::from(u8::from(other == axis)));
        let arm: [f64; D] = std::array::from_fn(|other| point[other] - self.body.centre[other]);
        (unit, cross(lift(arm), lift(unit)))
    }
}

impl<const D: usize> Geometry<D> {
    /// Adds bodies to the walls.
    pub fn immerse(&mut self, grid: &Grid<D>, bodies: Vec<Immersed<D>>) {
        if bodies.is_empty() {
            return;
        }
        if bodies.iter().any(|body| body.adhesion > 0.0) {
            self.nearest_wall.get_or_insert_with(|| CellField::filled(grid.cells(), NearestWall::Border));
        }
        let wall_velocity = self.solid_velocity.clone();
        self.solid_velocity
            .get_or_insert_with(|| std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| 0.0)));
        let mut wall: FaceField<f64, D> = self.open.clone();
        wall.iter_mut().for_each(|field| field.values_mut().iter_mut().for_each(|open| *open = 1.0 - *open));
        for body in bodies {
            let (from, to) = cells_around(grid, &body);
            if (0..D).any(|axis| from[axis] >= to[axis]) {
                self.bodies.push(Covered { body, faces: Vec::new(), walled: Vec::new() });
                continue;
            }
            let halves = HalfCells::new(grid, &body, from, to);
            let is_nearest = self.separate(grid, &body, from, to);
            let (mut faces, mut walled) = (Vec::new(), Vec::new());
            for axis in 0..D {
                let mut end = to;
                end[axis] += 1;
                for_each_place(from, end, |face| {
                    let open = self.open[axis].at_mut(face);
                    let covered = halves.around_face(axis, face);
                    let mut part = covered.min(*open);
                    if covered > part {
                        walled.push((axis, face, covered - part));
                    }
                    if part > 0.0 {
                        *open -= part;
                        if *open < CLOSED {
                            part += *open;
                            *open = 0.0;
                        }
                        faces.push((axis, face, part));
                    }
                });
            }
            self.narrow(grid, &body, &halves, from, to);
            self.bodies.push(Covered { body, faces, walled });
            self.nearest_body.extend(is_nearest);
        }
        self.close_gaps(grid);
        self.seal(grid);
        self.walls = Some((wall, wall_velocity));
        self.carry_bodies(grid, None);
    }

    /// Takes a body out of the distances and open parts of the cells around it.
    fn narrow(&mut self, grid: &Grid<D>, body: &Immersed<D>, halves: &HalfCells<D>, from: [usize; D], to: [usize; D]) {
        for_each_place(from, to.map(|place| place + 1), |node| {
            let distance = body.shape.at(grid.node(node));
            let solid = self.solid.at_mut(node);
            *solid = solid.min(distance);
        });
        for_each_place(from, to, |cell| {
            let (open, space) = (self.cell_open.at_mut(cell), self.space.at_mut(cell));
            *open = (*open - halves.of_cell(cell)).max(0.0);
            *space = (*space - halves.near_cell(cell)).max(0.0);
        });
    }

    /// Marks the cells whose nearest wall is the body's; returns such faces, with the number of the body.
    fn separate(
        &mut self,
        grid: &Grid<D>,
        body: &Immersed<D>,
        from: [usize; D],
        to: [usize; D],
    ) -> Vec<(usize, [usize; D], usize)> {
        for_each_place(from, to, |cell| {
            let centre = grid.centre(cell);
            if body.shape.at(centre) < self.distance(grid, centre) {
                *self.separating.at_mut(cell) = body.wall == Wall::Separating;
                if let Some(nearest_wall) = &mut self.nearest_wall {
                    *nearest_wall.at_mut(cell) = NearestWall::Body(self.bodies.len() as u32);
                }
            }
        });
        let (mut nearest, index) = (Vec::new(), self.bodies.len());
        for axis in 0..D {
            let mut end = to;
            end[axis] += 1;
            for_each_place(from, end, |face| {
                let centre = grid.face_centre(axis, face);
                if body.shape.at(centre) < self.distance(grid, centre) {
                    nearest.push((axis, face, index));
                }
            });
        }
        nearest
    }

    /// Sets the velocity of the solids where a body is nearest. The bodies take on the velocities of `bodies`, if given.
    pub(crate) fn carry_bodies(&mut self, grid: &Grid<D>, bodies: Option<Vec<Immersed<D>>>) {
        for (covered, body) in self.bodies.iter_mut().zip(bodies.into_iter().flatten()) {
            (covered.body.velocity, covered.body.spin) = (body.velocity, body.spin);
        }
        let Self { bodies, nearest_body, solid_velocity, .. } = self;
        let Some(field) = solid_velocity else { return };
        for &(axis, face, body) in nearest_body.iter() {
            *field[axis].at_mut(face) = bodies[body].body.velocity_at(grid.face_centre(axis, face))[axis];
        }
    }
}

/// Cells from and up to (not including) which a body has a part in.
/// The cells that a body may reach into, from the first to beyond the last along each axis.
pub(crate) fn cells_around<const D: usize>(grid: &Grid<D>, body: &Immersed<D>) -> ([usize; D], [usize; D]) {
    let (lower, upper) = (grid.in_cells(body.bounds.0), grid.in_cells(body.bounds.1));
    let from = std::array::from_fn(|axis| (lower[axis].max(0.0) as usize).saturating_sub(RIM).min(grid.cells()[axis]));
    let to = std::array::from_fn(|axis| (upper[axis].max(0.0).ceil() as usize + RIM).min(grid.cells()[axis]));
    (from, to)
}

pub(super) fn for_each_place<const D: usize>(from: [usize; D], to: [usize; D], mut visit: impl FnMut([usize; D])) {
    let shape: [usize; D] = std::array::from_fn(|axis| to[axis].saturating_sub(from[axis]));
    for index in 0..shape.iter().product() {
        let offset = multi_index(shape, index);
        visit(std::array::from_fn(|axis| from[axis] + offset[axis]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;
    use crate::solids::bodies::tests::cuboid;

    /// A box of four by four cells in the middle of eight by eight.
    fn immersed(velocity: [f64; 2]) -> (Grid<2>, Geometry<2>) {
        let setup = Setup::new(Grid::<2>::unit(8).unwrap());
        let mut geometry = Geometry::at(&setup, 0.0);
        geometry.immerse(&setup.grid, vec![Immersed { velocity, ..cuboid([0.25; 2], [0.75; 2]) }]);
        (setup.grid, geometry)
    }

    #[test]
    fn a_box_along_the_cells_covers_them_and_half_of_the_volume_around_its_faces() {
        let (_, geometry) = immersed([0.0; 2]);
        assert_eq!([[3, 3], [3, 1]].map(|cell| geometry.cell_open.at(cell)), [0.0, 1.0]);
        assert!((geometry.open[0].at([4, 3])).abs() < 1e-12, "inside");
        assert!((geometry.open[0].at([2, 3]) - 0.5).abs() < 1e-9, "at its side: {}", geometry.open[0].at([2, 3]));
        let covered: f64 = geometry.bodies[0].faces.iter().filter(|(axis, ..)| *axis == 0).map(|(.., part)| part).sum();
        assert!((0.0..0.2).contains(&(16.0 - covered)), "sixteen cells but for the corners: {covered}");
        assert!(!geometry.separating.at([3, 3]) && geometry.separating.at([0, 0]));
    }

    #[test]
    fn faces_near_a_body_have_its_velocity_and_others_that_of_the_walls() {
        let (grid, mut geometry) = immersed([2.0, 0.0]);
        assert_eq!((geometry.solid_velocity_at(0, [4, 3]), geometry.solid_velocity_at(0, [0, 3])), (2.0, 0.0));
        let faster = Immersed { velocity: [5.0, 0.0], ..geometry.bodies[0].body.clone() };
        geometry.carry_bodies(&grid, Some(vec![faster]));
        assert_eq!((geometry.solid_velocity_at(0, [4, 3]), geometry.solid_velocity_at(0, [0, 3])), (5.0, 0.0));
        assert!(geometry.wall_flow().is_none(), "walls do not move, and bodies are no walls");
    }
}
