//! Bodies in the geometry: what they cover, and how they move it.

use unstick_grid::vector::{cross, times};
use unstick_grid::{CLOSED, CellField, FaceField, Grid};

use crate::bodies::{Immersed, lift};
use crate::geometry::Geometry;
use crate::pieces::Pieces;
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
}

impl<const D: usize> Covered<D> {
    /// What a unit of each of the body's velocities carries across a face along its axis.
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
        let wall_velocity = self.solid_velocity.clone();
        self.solid_velocity
            .get_or_insert_with(|| std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| 0.0)));
        let mut wall: FaceField<f64, D> = self.open.clone();
        wall.iter_mut().for_each(|field| field.values_mut().iter_mut().for_each(|open| *open = 1.0 - *open));
        for body in bodies {
            let (from, to) = cells_around(grid, &body);
            if (0..D).any(|axis| from[axis] >= to[axis]) {
                self.bodies.push(Covered { body, faces: Vec::new() });
                continue;
            }
            let pieces = Pieces::new(grid, &body, from, to);
            let is_nearest = self.separate(grid, &body, from, to);
            let mut faces = Vec::new();
            for axis in 0..D {
                let mut end = to;
                end[axis] += 1;
                for_each_place(from, end, |face| {
                    let open = self.open[axis].at_mut(face);
                    let mut part = pieces.around_face(axis, face).min(*open);
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
            self.narrow(grid, &body, &pieces, from, to);
            self.bodies.push(Covered { body, faces });
            self.nearest_body.extend(is_nearest);
        }
        self.walls = Some((wall, wall_velocity));
        self.carry_bodies(grid, None);
    }

    /// Distances and open parts of cells around a body.
    fn narrow(&mut self, grid: &Grid<D>, body: &Immersed<D>, pieces: &Pieces<D>, from: [usize; D], to: [usize; D]) {
        for_each_place(from, to.map(|place| place + 1), |node| {
            let distance = body.shape.at(grid.node(node));
            let solid = self.solid.at_mut(node);
            *solid = solid.min(distance);
        });
        for_each_place(from, to, |cell| {
            let (open, space) = (self.cell_open.at_mut(cell), self.space.at_mut(cell));
            *open = (*open - pieces.of_cell(cell)).max(0.0);
            *space = (*space - pieces.near_cell(cell)).max(0.0);
        });
    }

    /// Whose wall is nearest: notes cells and faces where it is the body's.
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

    /// Sets the velocity of the solids where a body is the nearest; to new ones if they are given.
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

    /// Columns of the term of low rank: ρ h^D N M⁻¹ Nᵀ = Σ u uᵀ, for rows given by their cells; and N V.
    pub(crate) fn body_columns(
        &self,
        grid: &Grid<D>,
        density: f64,
        row_of: &impl Fn([usize; D]) -> Option<u32>,
    ) -> BodyColumns<D> {
        let mut columns = BodyColumns { mass: density * grid.spacing().powi(D as i32), bodies: Vec::new() };
        for covered in &self.bodies {
            let mut rows: Vec<(u32, [f64; D], [f64; 3])> = Vec::new();
            for &(axis, face, part) in &covered.faces {
                let (linear, angular) = covered.carry(grid, axis, face);
                let mut below = face;
                let below = face[axis].checked_sub(1).map(|place| {
                    below[axis] = place;
                    below
                });
                let above = (face[axis] < grid.cells()[axis]).then_some(face);
                // Out of the cell below the face, into the one above.
                for (cell, sign) in [(below, part), (above, -part)] {
                    if let Some(row) = cell.and_then(row_of) {
                        rows.push((row, times(sign, linear), times(sign, angular)));
                    }
                }
            }
            rows.sort_by_key(|entry| entry.0);
            rows.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1.iter_mut().zip(next.1).for_each(|(sum, value)| *sum += value);
                    kept.2.iter_mut().zip(next.2).for_each(|(sum, value)| *sum += value);
                }
                is_same
            });
            columns.bodies.push(BodyRows { rows });
        }
        columns
    }
}

/// N of every body: what its velocities carry out of each cell.
pub(crate) struct BodyColumns<const D: usize> {
    /// Mass of the liquid in a cell: ρ h^D.
    mass: f64,
    bodies: Vec<BodyRows<D>>,
}

struct BodyRows<const D: usize> {
    rows: Vec<(u32, [f64; D], [f64; 3])>,
}

impl<const D: usize> BodyColumns<D> {
    /// The columns u of all bodies that can be moved.
    pub fn columns(&self, bodies: &[Covered<D>]) -> Vec<Vec<(u32, f64)>> {
        let mut columns = Vec::new();
        for (rows, covered) in self.bodies.iter().zip(bodies) {
            let body = &covered.body;
            if body.inverse_mass == 0.0 || rows.rows.is_empty() {
                continue;
            }
            let scale = (self.mass * body.inverse_mass).sqrt();
            for axis in 0..D {
                columns.push(rows.rows.iter().map(|(row, linear, _)| (*row, scale * linear[axis])).collect());
            }
            let factor = cholesky(&body.inverse_inertia);
            for column in if D == 2 { 2..3 } else { 0..3 } {
                let along = |angular: &[f64; 3]| (0..3).map(|k| factor[k][column] * angular[k]).sum::<f64>();
                let scale = self.mass.sqrt();
                columns.push(rows.rows.iter().map(|(row, _, angular)| (*row, scale * along(angular))).collect());
            }
        }
        columns
    }

    /// b ← b + N V.
    pub fn add_outflow(&self, bodies: &[Covered<D>], b: &mut [f64]) {
        for (rows, covered) in self.bodies.iter().zip(bodies) {
            for (row, linear, angular) in &rows.rows {
                let moving: f64 = (0..D).map(|axis| linear[axis] * covered.body.velocity[axis]).sum();
                let turning: f64 = (0..3).map(|axis| angular[axis] * covered.body.spin[axis]).sum();
                b[*row as usize] += moving + turning;
            }
        }
    }

    /// ρ h^D Nᵀ q: the impulse on every body.
    pub fn pushes(&self, q: &[f64]) -> Vec<([f64; D], [f64; 3])> {
        let of_body = |rows: &BodyRows<D>| {
            let (mut impulse, mut angular) = ([0.0; D], [0.0; 3]);
            for (row, linear, turning) in &rows.rows {
                let share = self.mass * q[*row as usize];
                (0..D).for_each(|axis| impulse[axis] += share * linear[axis]);
                (0..3).for_each(|axis| angular[axis] += share * turning[axis]);
            }
            (impulse, angular)
        };
        self.bodies.iter().map(of_body).collect()
    }
}

/// L with L Lᵀ = a, for a symmetric positive (semi-)definite matrix.
fn cholesky(a: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut factor = [[0.0; 3]; 3];
    for column in 0..3 {
        for row in column..3 {
            let done: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
            let rest = a[row][column] - done;
            factor[row][column] = match factor[column][column] {
                _ if row == column => rest.max(0.0).sqrt(),
                pivot if pivot > 0.0 => rest / pivot,
                _ => 0.0,
            };
        }
    }
    factor
}

/// Cells from and up to (not including) which a body has a part in.
fn cells_around<const D: usize>(grid: &Grid<D>, body: &Immersed<D>) -> ([usize; D], [usize; D]) {
    let (lower, upper) = (grid.in_cells(body.bounds.0), grid.in_cells(body.bounds.1));
    let from = std::array::from_fn(|axis| (lower[axis].max(0.0) as usize).saturating_sub(RIM).min(grid.cells()[axis]));
    let to = std::array::from_fn(|axis| (upper[axis].max(0.0).ceil() as usize + RIM).min(grid.cells()[axis]));
    (from, to)
}

fn for_each_place<const D: usize>(from: [usize; D], to: [usize; D], mut visit: impl FnMut([usize; D])) {
    if (0..D).any(|axis| from[axis] >= to[axis]) {
        return;
    }
    let mut place = from;
    loop {
        visit(place);
        let mut axis = 0;
        loop {
            place[axis] += 1;
            if place[axis] < to[axis] {
                break;
            }
            place[axis] = from[axis];
            axis += 1;
            if axis == D {
                return;
            }
        }
    }
}
