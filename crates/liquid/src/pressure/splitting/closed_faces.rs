//! The faces beside the liquid that walls close, all or in part, and the velocity through what is closed of them.

use std::collections::HashSet;

use unstick_mlcp::{CsrMatrix, Mlcp, ProblemError};

use super::{Marked, Marking, SplittingInput, SplittingParams};
use crate::cells::multi_index;
use crate::pressure::NO_ROW;

/// Walls whose normal has a smaller component along an axis are not left along it.
const PARALLEL: f64 = 1e-6;

/// The closed part of a face.
pub(super) struct ClosedFace<const D: usize> {
    pub axis: usize,
    pub face: [usize; D],
    /// Rows of the cells below and above; `NO_ROW` where there is no liquid.
    pub lower: u32,
    pub upper: u32,
    /// 1 − V.
    pub area: f64,
    /// Velocity of the liquid through it, relative to the wall.
    pub speed: f64,
    /// Sign of a velocity away from the wall; zero where there is none, or the wall is sealed.
    pub away: f64,
    /// Whether the liquid leaves it, as far as is known.
    pub is_left: bool,
    /// The second velocity and the dual variable of `admm`.
    pub second: f64,
    pub dual: f64,
}

impl<const D: usize> ClosedFace<D> {
    /// Rows on either side.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        [self.lower, self.upper].into_iter().filter(|&row| row != NO_ROW).map(|row| row as usize)
    }

    /// The solid cell behind a face that is closed altogether; the border of the grid has cells beyond it.
    fn behind(&self) -> Option<[isize; D]> {
        let shift = match (self.lower, self.upper) {
            _ if self.area < 1.0 => return None,
            (NO_ROW, _) => -1,
            (_, NO_ROW) => 0,
            _ => return None,
        };
        Some(std::array::from_fn(|axis| self.face[axis] as isize + if axis == self.axis { shift } else { 0 }))
    }

    /// Value above minus value below; beyond the liquid it is zero.
    pub fn difference(&self, x: &[f64]) -> f64 {
        let value = |row: u32| if row == NO_ROW { 0.0 } else { x[row as usize] };
        value(self.upper) - value(self.lower)
    }

    /// Adds the flow of a velocity through the face to the outflow of the cells on either side.
    pub fn flow(&self, speed: f64, outflow: &mut [f64]) {
        if self.lower != NO_ROW {
            outflow[self.lower as usize] += self.area * speed;
        }
        if self.upper != NO_ROW {
            outflow[self.upper as usize] -= self.area * speed;
        }
    }

    /// The velocity that the wall allows: the same where the liquid leaves, zero elsewhere
    /// \[Eckert2014, alg. 2, line 9\].
    pub fn allowed(&self, speed: f64) -> f64 {
        if self.is_left { speed } else { 0.0 }
    }

    /// Takes on a velocity; the outflow follows.
    pub fn set(&mut self, speed: f64, outflow: &mut [f64]) {
        self.flow(speed - self.speed, outflow);
        self.speed = speed;
    }
}

/// All of them, axis after axis.
pub(super) struct ClosedFaces<const D: usize> {
    pub list: Vec<ClosedFace<D>>,
}

impl<const D: usize> ClosedFaces<D> {
    /// Begins with the velocity before the pressure.
    pub fn of(input: &SplittingInput<D>) -> Self {
        let SplittingInput { grid, geometry, velocity, rows, .. } = input;
        let mut list = Vec::new();
        for axis in 0..D {
            let open = &geometry.open[axis];
            for (index, &open_part) in open.values().iter().enumerate().filter(|(_, open)| **open < 1.0) {
                let face = multi_index(open.shape(), index);
                let (below, above, lower, upper) = rows.beside(grid, axis, face);
                if lower == NO_ROW && upper == NO_ROW {
                    continue;
                }
                let cells = [(below, lower), (above, upper)].into_iter().filter(|(_, row)| *row != NO_ROW);
                let separates = cells.filter_map(|(cell, _)| cell).any(|cell| geometry.separating.at(cell));
                let away = match (lower, upper) {
                    _ if !separates => 0.0,
                    (NO_ROW, _) if open_part == 0.0 => 1.0,
                    (_, NO_ROW) if open_part == 0.0 => -1.0,
                    _ => {
                        let normal = geometry.normal(grid, grid.face_centre(axis, face))[axis];
                        if normal.abs() > PARALLEL { normal.signum() } else { 0.0 }
                    }
                };
                let speed = velocity[axis].at(face) - geometry.solid_velocity_at(axis, face);
                let area = 1.0 - open_part;
                let (is_left, second, dual) = (false, 0.0, 0.0);
                list.push(ClosedFace { axis, face, lower, upper, area, speed, away, is_left, second, dual });
            }
        }
        Self { list }
    }

    /// Marks the faces that the liquid leaves, once in a step \[Eckert2014, alg. 3\], from the pressure q of
    /// the first solve and the velocity that it would give the liquid at walls that are air.
    ///
    /// The source marks solid cells, and with them all of their faces. Here every face is judged by itself unless that is asked
    /// for: otherwise liquid would run through plates that are one cell thick.
    pub fn mark(&mut self, params: &SplittingParams, q: &[f64]) {
        for face in self.list.iter_mut().filter(|face| face.away != 0.0) {
            face.is_left = match params.marking {
                Marking::Velocity | Marking::Before => face.speed * face.away > 0.0,
                Marking::Pressure => pressure_beside(face, q) <= 0.0,
            };
        }
        if params.marked == Marked::Cells {
            let left: HashSet<_> =
                self.list.iter().filter(|face| face.is_left).filter_map(ClosedFace::behind).collect();
            for face in self.list.iter_mut().filter(|face| face.away != 0.0) {
                face.is_left |= face.behind().is_some_and(|cell| left.contains(&cell));
            }
        }
    }

    /// Takes back the marks, for the rest of the step, of walls that the liquid flows into faster than
    /// `tolerance`; returns the largest such speed.
    pub fn take_back(&mut self, tolerance: f64) -> Option<f64> {
        let contradicted = self.list.iter_mut().filter(|face| face.is_left && face.speed * face.away < -tolerance);
        contradicted.fold(None, |most: Option<f64>, face| {
            (face.is_left, face.second, face.dual) = (false, 0.0, face.speed);
            Some(most.unwrap_or(0.0).max(face.speed.abs()))
        })
    }

    /// Speed ← speed + ∇x.
    pub fn add_gradient(&mut self, x: &[f64]) {
        self.list.iter_mut().for_each(|face| face.speed += face.difference(x));
    }

    /// The largest speed through any face.
    pub fn fastest(&self) -> f64 {
        self.list.iter().fold(0.0, |most, face| most.max(face.speed.abs()))
    }

    /// Velocities with which liquid leaves faces that are closed altogether: axis, face, velocity.
    pub fn leaving(&self, input: &SplittingInput<D>) -> Vec<(usize, [usize; D], f64)> {
        let left = self.list.iter().filter(|face| face.is_left && face.area == 1.0);
        let velocity = |face: &ClosedFace<D>| face.speed + input.geometry.solid_velocity_at(face.axis, face.face);
        left.map(|face| (face.axis, face.face, velocity(face))).collect()
    }

    /// The matrix in which the closed faces that are `open` carry flow as well: air at the centre of
    /// the cell behind, or the liquid that is there \[Eckert2014, §3.2\].
    pub fn equations(
        &self,
        input: &SplittingInput<D>,
        is_open: impl Fn(&ClosedFace<D>) -> bool,
    ) -> Result<Mlcp<'static>, ProblemError> {
        let mut added: Vec<(u32, u32, f64)> = Vec::new();
        for face in self.list.iter().filter(|face| is_open(face)) {
            let ClosedFace { lower, upper, area, .. } = *face;
            added.extend(face.rows().map(|row| (row as u32, row as u32, area)));
            if lower != NO_ROW && upper != NO_ROW {
                added.extend([(lower, upper, -area), (upper, lower, -area)]);
            }
        }
        added.sort_by_key(|&(row, column, _)| (row, column));
        let sealed = input.rows.matrix();
        let mut rest = added.as_slice();
        let matrix = CsrMatrix::from_rows(sealed.rows(), |row, entries| {
            entries.extend(sealed.row(row));
            let count = rest.iter().take_while(|(at, ..)| *at as usize == row).count();
            for &(_, column, value) in &rest[..count] {
                match entries.binary_search_by_key(&(column as usize), |&(column, _)| column) {
                    Ok(place) => entries[place].1 += value,
                    Err(place) => entries.insert(place, (column as usize, value)),
                }
            }
            rest = &rest[count..];
        })?;
        let size = matrix.rows();
        Mlcp::on_lattice(input.rows.lattice().clone(), &matrix, vec![0.0; size])
    }
}

/// Mean of the cells on either side.
fn pressure_beside<const D: usize>(face: &ClosedFace<D>, q: &[f64]) -> f64 {
    let (sum, count) = face.rows().fold((0.0, 0.0), |(sum, count), row| (sum + q[row], count + 1.0));
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pressure::splitting::tests::in_a_box;

    #[test]
    fn every_cell_in_a_corner_has_two_closed_faces_that_it_may_leave() {
        in_a_box(1.0, |input| {
            let closed = ClosedFaces::of(input);
            let found: Vec<_> = closed.list.iter().map(|face| (face.axis, face.face, face.away, face.area)).collect();
            let of_sides = [(0, [0, 0], 1.0, 1.0), (0, [2, 0], -1.0, 1.0)];
            let of_floor = [(1, [0, 0], 1.0, 1.0), (1, [1, 0], 1.0, 1.0)];
            assert_eq!(found, [of_sides, of_floor].concat());
            assert!(closed.leaving(input).is_empty());
        });
    }

    #[test]
    fn a_cell_that_is_left_on_one_side_is_left_on_all() {
        in_a_box(1.0, |input| {
            let mut closed = ClosedFaces::of(input);
            // As if one solid cell were behind the left side and the floor of the first cell.
            closed.list[2].axis = 0;
            closed.list[0].speed = 1.0;
            for (marked, is_left) in [(Marked::Faces, false), (Marked::Cells, true)] {
                closed.mark(&SplittingParams { marked, ..Default::default() }, &[0.0; 2]);
                assert_eq!((closed.list[0].is_left, closed.list[2].is_left), (true, is_left), "{marked:?}");
            }
        });
    }

    #[test]
    fn a_velocity_through_a_face_flows_into_the_cell_above_and_is_taken_back_when_it_points_into_the_wall() {
        in_a_box(0.0, |input| {
            let mut closed = ClosedFaces::of(input);
            let (floor, mut outflow) = (&mut closed.list[2], vec![0.0; 2]);
            floor.set(2.0, &mut outflow);
            assert_eq!((floor.difference(&[5.0, 0.0]), floor.allowed(2.0), outflow), (5.0, 0.0, vec![-2.0, 0.0]));
            floor.is_left = true;
            assert_eq!((floor.allowed(2.0), closed.take_back(0.1), closed.fastest()), (2.0, None, 2.0));
            closed.list[2].speed = -0.5;
            assert_eq!((closed.take_back(0.1), closed.list[2].is_left), (Some(0.5), false));
        });
    }
}
