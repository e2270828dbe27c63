//! The walls as the grid sees them: distances, openings, velocities.

use unstick_grid::{CellField, FaceField, Grid, open_fractions_of_nodes, sample};
use unstick_parallel as parallel;

use super::immerse::Covered;
use super::still::{Nearest, StillSolids};
use crate::setup::{Drag, Setup, Wall};
use crate::velocity::{Group, by_axis, by_point, gradient_of_nodes, interpolate_nodes};

/// Distances, openings and wall kinds at one moment.
#[derive(Clone, Debug)]
pub struct Geometry<const D: usize> {
    /// Distance to the nearest solid, the border included, at the nodes; negative inside.
    pub solid: CellField<f64, D>,
    /// Open fraction of every face; exactly zero where it is closed.
    pub open: FaceField<f64, D>,
    /// Velocity of the solids across the faces; empty where nothing moves.
    pub solid_velocity: Option<FaceField<f64, D>>,
    /// Whether the nearest wall of a cell separates.
    pub separating: CellField<bool, D>,
    /// The nearest wall of every cell; none where walls do not differ in how they pull, drive off or drag liquid.
    pub nearest_wall: Option<CellField<NearestWall, D>>,
    /// Part of every cell that is not solid.
    pub cell_open: CellField<f64, D>,
    /// Part of the space within a cell of every cell's centre that is not solid, with linear weights; exact for plane
    /// walls. Beyond the border of the grid there is a mirror, so that the border takes nothing away. Densities of
    /// particles are relative to it.
    pub space: CellField<f64, D>,
    /// Bodies whose velocity is unknown, and what they cover.
    pub bodies: Vec<Covered<D>>,
    /// Axis, face and body where the nearest solid is a body.
    pub(crate) nearest_body: Vec<(usize, [usize; D], usize)>,
    /// Where there are bodies: the part of each face that walls cover, and the velocity of those walls.
    pub(crate) walls: Option<(FaceField<f64, D>, Option<FaceField<f64, D>>)>,
}

/// A wall by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearestWall {
    /// The border of the grid.
    Border,
    /// A solid of the setup.
    Solid(u32),
    /// A body that the liquid moves.
    Body(u32),
}

impl<const D: usize> Geometry<D> {
    /// The solids of `setup` at a time.
    pub fn at(setup: &Setup<D>, time: f64) -> Self {
        Self::around(&StillSolids::of(setup), setup, time)
    }

    /// The same where those that do not move are known already.
    pub fn around(still: &StillSolids<D>, setup: &Setup<D>, time: f64) -> Self {
        let grid = setup.grid;
        let solid = sample(grid.cells().map(|count| count + 1), |node| {
            border_distance(&grid, grid.node(node)).min(still.at_node(setup, time, node))
        });
        let open = open_fractions_of_nodes(&grid, &solid);
        let nearest_to_centre = sample(grid.cells(), |cell| still.at_centre(setup, time, cell));
        let wall_of = |cell: [usize; D]| {
            let Nearest { distance, solid } = nearest_to_centre.at(cell);
            let is_border = border_distance(&grid, grid.centre(cell)) <= distance;
            if is_border || solid == Nearest::NONE.solid { NearestWall::Border } else { NearestWall::Solid(solid) }
        };
        let separating = sample(grid.cells(), |cell| {
            let wall = match wall_of(cell) {
                NearestWall::Solid(solid) => setup.solids[solid as usize].wall,
                _ => setup.border,
            };
            wall == Wall::Separating
        });
        let nearest_wall = setup.has_dials().then(|| sample(grid.cells(), wall_of));
        let cell_open = sample(grid.cells(), |cell| open_part(&grid, &solid, cell));
        let space = sample(grid.cells(), |cell| open_space(nearest_to_centre.at(cell).distance / grid.spacing()));
        let (bodies, nearest_body, walls) = (Vec::new(), Vec::new(), None);
        let across = |axis: usize, face: [usize; D]| {
            let (point, nearest) = (grid.face_centre(axis, face), still.at_face(setup, time, axis, face));
            match setup.solids.get(nearest.solid as usize) {
                Some(solid) if nearest.distance < border_distance(&grid, point) => {
                    solid.motion.velocity(time, point)[axis]
                }
                _ => 0.0,
            }
        };
        let solid_velocity =
            setup.has_motion().then(|| std::array::from_fn(|axis| sample(grid.faces(axis), |face| across(axis, face))));
        Self { solid, open, solid_velocity, separating, nearest_wall, cell_open, space, bodies, nearest_body, walls }
    }

    /// Distance of a point to the solids.
    #[inline(always)]
    pub fn distance(&self, grid: &Grid<D>, point: [f64; D]) -> f64 {
        interpolate_nodes(grid, &self.solid, point)
    }

    /// Unit vector out of the nearest solid; zero where there is none.
    #[inline(always)]
    pub fn normal(&self, grid: &Grid<D>, point: [f64; D]) -> [f64; D] {
        let [normal] = by_point(self.normals(grid, by_axis([point])));
        normal
    }

    /// The same at the points of a group.
    #[inline(always)]
    pub(crate) fn normals<const W: usize>(&self, grid: &Grid<D>, points: Group<D, W>) -> Group<D, W> {
        let mut normals = gradient_of_nodes(grid, &self.solid, points);
        for point in 0..W {
            let mut square = 0.0;
            for axis in 0..D {
                square += normals[axis][point] * normals[axis][point];
            }
            let length = square.sqrt();
            for axis in 0..D {
                normals[axis][point] = if length > 1e-9 { normals[axis][point] / length } else { 0.0 };
            }
        }
        normals
    }

    /// The flow that walls of known velocity carry across the faces: the covered part times their velocity. None if they
    /// do not move.
    pub(crate) fn wall_flow(&self) -> Option<FaceField<f64, D>> {
        let (covered, velocity) = match &self.walls {
            None => (None, self.solid_velocity.as_ref()?),
            Some((covered, velocity)) => (Some(covered), velocity.as_ref()?),
        };
        let mut flow = velocity.clone();
        for axis in 0..D {
            let open = self.open[axis].values();
            match covered {
                None => parallel::for_each((flow[axis].values_mut(), open), |(flow, open)| {
                    flow.iter_mut().zip(open).for_each(|(flow, open)| *flow *= 1.0 - open);
                }),
                Some(covered) => {
                    parallel::for_each((flow[axis].values_mut(), covered[axis].values()), |(flow, part)| {
                        flow.iter_mut().zip(part).for_each(|(flow, part)| *flow *= part);
                    })
                }
            }
        }
        Some(flow)
    }

    /// Velocity of the walls, without bodies; none if they do not move.
    pub(crate) fn walls_velocity(&self) -> Option<&FaceField<f64, D>> {
        match &self.walls {
            None => self.solid_velocity.as_ref(),
            Some((_, velocity)) => velocity.as_ref(),
        }
    }

    /// σ at a cell and a time, in Pa; zero where nothing pulls.
    pub fn adhesion(&self, setup: &Setup<D>, time: f64, cell: [usize; D]) -> f64 {
        let Some(nearest) = self.nearest_wall.as_ref().filter(|_| self.separating.at(cell)) else { return 0.0 };
        let adhesion = match nearest.at(cell) {
            NearestWall::Body(body) => return self.bodies[body as usize].body.adhesion,
            NearestWall::Solid(solid) => &setup.solids[solid as usize].adhesion,
            NearestWall::Border => &setup.border_adhesion,
        };
        let value = adhesion.at(setup.grid.centre(cell), time);
        if value < 0.0 { 0.0 } else { value } // and not a number where it is none
    }

    /// What the wall of a cell does to liquid that slides along it.
    pub fn drag<'s>(&self, setup: &'s Setup<D>, cell: [usize; D]) -> &'s Drag<D> {
        match self.nearest_wall.as_ref().map(|nearest| nearest.at(cell)) {
            Some(NearestWall::Solid(solid)) => &setup.solids[solid as usize].drag,
            Some(NearestWall::Border) => &setup.border_drag,
            // Bodies do not feel shear, so they do not cause any.
            Some(NearestWall::Body(_)) | None => &Drag::None,
        }
    }

    /// The contact angle of the wall of a cell, in degrees.
    pub(crate) fn contact_angle(&self, setup: &Setup<D>, cell: [usize; D]) -> f64 {
        match self.nearest_wall.as_ref().map(|nearest| nearest.at(cell)) {
            Some(NearestWall::Solid(solid)) => setup.solids[solid as usize].contact_angle,
            // What is said for the border holds for bodies too.
            _ => setup.border_contact_angle,
        }
    }

    /// Its cosine; exactly zero at a right angle.
    pub(crate) fn cos_contact_angle(&self, setup: &Setup<D>, cell: [usize; D]) -> f64 {
        let angle = self.contact_angle(setup, cell);
        if angle == 90.0 { 0.0 } else { angle.to_radians().cos() }
    }

    /// κ at a cell and a time.
    pub fn control(&self, setup: &Setup<D>, time: f64, cell: [usize; D]) -> f64 {
        let own = match self.nearest_wall.as_ref().map(|nearest| nearest.at(cell)) {
            Some(NearestWall::Solid(solid)) => setup.solids[solid as usize].control.as_ref(),
            _ => None,
        };
        own.unwrap_or(&setup.control).at(setup.grid.centre(cell), time)
    }

    /// Whether a wall covers a part of a cell's faces.
    pub fn is_at_wall(&self, cell: [usize; D]) -> bool {
        (0..D).flat_map(|axis| self.open_sides(cell, axis)).any(|open| open < 1.0)
    }

    /// Velocity of the nearest solid at a point.
    pub(crate) fn velocity_at(&self, setup: &Setup<D>, time: f64, point: [f64; D]) -> [f64; D] {
        let mut best = (border_distance(&setup.grid, point), [0.0; D]);
        for solid in &setup.solids {
            let distance = solid.distance(time, point);
            if distance < best.0 {
                best = (distance, solid.motion.velocity(time, point));
            }
        }
        for Covered { body, .. } in &self.bodies {
            let is_near = (0..D).all(|axis| {
                (body.bounds.0[axis] - setup.grid.spacing()..=body.bounds.1[axis] + setup.grid.spacing())
                    .contains(&point[axis])
            });
            if is_near && body.shape.at(point) < best.0 {
                best = (body.shape.at(point), body.velocity_at(point));
            }
        }
        best.1
    }

    /// Velocity of the solid across a face.
    #[inline]
    pub fn solid_velocity_at(&self, axis: usize, face: [usize; D]) -> f64 {
        self.solid_velocity.as_ref().map_or(0.0, |field| field[axis].at(face))
    }
}

/// Distance to the border of the grid from within; negative outside.
fn border_distance<const D: usize>(grid: &Grid<D>, point: [f64; D]) -> f64 {
    let (lower, upper) = grid.bounds();
    (0..D).fold(f64::INFINITY, |least, axis| least.min(point[axis] - lower[axis]).min(upper[axis] - point[axis]))
}

/// Part of a cell that is not solid.
fn open_part<const D: usize>(grid: &Grid<D>, solid: &CellField<f64, D>, cell: [usize; D]) -> f64 {
    (0.5 + interpolate_nodes(grid, solid, grid.centre(cell)) / grid.spacing()).clamp(0.0, 1.0)
}

/// Part of the space within a cell of a point that is open, with linear weights, if a plane wall lies `depth` cells from it.
fn open_space(depth: f64) -> f64 {
    let depth = depth.clamp(-1.0, 1.0);
    0.5 + depth - 0.5 * depth * depth.abs()
}

#[cfg(test)]
mod tests {
    use unstick_grid::{Motion, SignedDistance, Spin};

    use super::*;
    use crate::setup::Solid;

    /// A floor at a height, in a box of four by four cells.
    fn floor(height: f64, motion: Motion<2>) -> (Setup<2>, Geometry<2>) {
        let mut setup = Setup::new(Grid::<2>::unit(4).unwrap());
        let shape = SignedDistance::half_space([0.0, height], [0.0, 1.0]);
        setup.solids.push(Solid { wall: Wall::Sealed, motion, ..Solid::still(shape) });
        let geometry = Geometry::at(&setup, 0.0);
        (setup, geometry)
    }

    #[test]
    fn a_plane_wall_leaves_its_part_of_faces_and_cells_open() {
        let (setup, geometry) = floor(0.375, Motion::Still); // through the middle of the second layer
        assert_eq!([0, 1, 2].map(|y| geometry.open[0].at([2, y])), [0.0, 0.5, 1.0]);
        assert_eq!([0, 1, 2].map(|y| geometry.cell_open.at([2, y])), [0.0, 0.5, 1.0]);
        assert_eq!([1, 2, 3].map(|y| geometry.open[1].at([2, y])), [0.0, 1.0, 1.0]);
        assert_eq!(geometry.space.at([2, 1]), 0.5);
        assert!((geometry.distance(&setup.grid, [0.5, 0.5]) - 0.125).abs() < 1e-12);
        assert!((geometry.normal(&setup.grid, [0.5, 0.45])[1] - 1.0).abs() < 1e-9);
        assert!(!geometry.separating.at([2, 1]) && geometry.separating.at([2, 3]));
        assert!(geometry.wall_flow().is_none());
    }

    #[test]
    fn solids_that_do_not_move_are_asked_once() {
        let (mut setup, _) = floor(0.375, Motion::Still);
        let motion = Motion::Steady { velocity: [1.0, 0.0], spin: Spin::none(), pivot: [0.0; 2] };
        let ball = Solid { motion, ..Solid::still(SignedDistance::sphere([0.2, 0.7], 0.15)) };
        setup.solids.push(ball.clone());
        let still = StillSolids::of(&setup);
        let expected = Geometry::at(&setup, 0.3);
        // Whoever asks the floor again finds nothing there.
        setup.solids[0].shape = SignedDistance::sphere([99.0; 2], 0.1);
        let found = Geometry::around(&still, &setup, 0.3);
        assert_eq!((found.solid, found.open), (expected.solid, expected.open));
        assert_eq!((found.solid_velocity, found.space), (expected.solid_velocity, expected.space));
        assert_eq!((found.separating, found.cell_open), (expected.separating, expected.cell_open));
    }

    #[test]
    fn openings_that_are_next_to_nothing_are_closed() {
        let (_, geometry) = floor(0.5 - 1e-5, Motion::Still);
        assert_eq!(geometry.open[0].at([2, 1]), 0.0);
    }

    #[test]
    fn a_moving_wall_carries_flow_across_the_closed_part() {
        let motion = Motion::Steady { velocity: [3.0, 0.0], spin: Spin::none(), pivot: [0.0; 2] };
        let (setup, geometry) = floor(0.375, motion);
        assert_eq!(geometry.velocity_at(&setup, 0.0, [0.5, 0.3]), [3.0, 0.0]);
        assert_eq!(geometry.solid_velocity_at(0, [2, 1]), 3.0);
        let flow = geometry.wall_flow().unwrap();
        assert_eq!([0, 1, 2].map(|y| flow[0].at([2, y])), [3.0, 1.5, 0.0]);
    }
}
