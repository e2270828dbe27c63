//! Any set of cells whose rows are in any order.
//!
//! A walk over the couplings places one row after the other. Three cells of a square tell where the fourth one lies: the
//! cell that is coupled with the neighbours t and s of v lies at t + s − v. The walk begins inside, at a row whose
//! neighbours tell by themselves which of them are opposite: those two that no square joins. Squares fill a layer. To
//! enter the next one, a row is taken for which one cell alone is left: it lies opposite to no neighbour with which it
//! shares a square. Where several cells are left, at tips and droplets, the one is chosen that disagrees with the fewest
//! couplings. A row whose neighbours lie elsewhere ends the walk: the matrix is not one of a grid.

use std::collections::{HashMap, VecDeque};

use super::packing::pack;
use super::{Found, Place, SPARSEST, couplings};
use crate::csr::CsrMatrix;

/// A place before the grid has an origin.
type Point = [i32; 3];

/// Rows that are placed, and those that wait.
struct Walk<'m> {
    matrix: &'m CsrMatrix<'m>,
    dimension: usize,
    places: Vec<Option<Point>>,
    /// The connected part of each placed row.
    part_of: Vec<u32>,
    /// The lowest and the highest place of each part.
    parts: Vec<(Point, Point)>,
    rows_at: HashMap<(u32, Point), u32>,
    /// Rows whose neighbours have not been looked at since they were placed.
    fresh: VecDeque<u32>,
    /// Rows beside placed ones that no square has told of yet.
    waiting: VecDeque<u32>,
}

pub(super) fn of(matrix: &CsrMatrix, most: usize) -> Option<Found> {
    let size = matrix.rows();
    let mut walk = Walk {
        matrix,
        dimension: if most > 4 { 3 } else { 2 },
        places: vec![None; size],
        part_of: vec![0; size],
        parts: Vec::new(),
        rows_at: HashMap::with_capacity(size),
        fresh: VecDeque::new(),
        waiting: VecDeque::new(),
    };
    // Parts without an inside come last, from any of their rows.
    for needs_inside in [true, false] {
        for row in 0..size {
            if walk.places[row].is_some() {
                continue;
            }
            let around = walk.directions_around(row);
            if needs_inside && around.is_none() {
                continue;
            }
            walk.begin(row, around.unwrap_or_default())?;
            walk.go()?;
        }
    }
    walk.found()
}

impl Walk<'_> {
    fn neighbours(&self, row: usize) -> impl Iterator<Item = usize> + Clone {
        couplings(self.matrix, row).map(|(column, _)| column)
    }

    fn are_coupled(&self, one: usize, other: usize) -> bool {
        self.neighbours(one).any(|column| column == other)
    }

    /// Whether two neighbours of a row have another neighbour in common.
    fn share_square(&self, row: usize, one: usize, other: usize) -> bool {
        self.neighbours(one).any(|common| common != row && self.are_coupled(other, common))
    }

    /// Where the neighbours of a row lie, up to a turn, if it has all of them and each has exactly one opposite.
    fn directions_around(&self, row: usize) -> Option<Vec<(usize, Point)>> {
        let near: Vec<usize> = self.neighbours(row).collect();
        if near.len() != 2 * self.dimension {
            return None;
        }
        let mut directions: Vec<(usize, Point)> = Vec::with_capacity(near.len());
        for &one in &near {
            let mut opposite = near.iter().filter(|&&other| other != one && !self.share_square(row, one, other));
            let (Some(&other), None) = (opposite.next(), opposite.next()) else { return None };
            match directions.iter().find(|(known, _)| *known == other) {
                Some(&(_, direction)) => directions.push((one, direction.map(|step| -step))),
                None => {
                    let axis = directions.iter().filter(|(_, direction)| direction.iter().sum::<i32>() > 0).count();
                    let mut direction = [0; 3];
                    *direction.get_mut(axis)? = 1;
                    directions.push((one, direction));
                }
            }
        }
        Some(directions)
    }

    /// Begins another part at a row, with neighbours whose directions are known.
    fn begin(&mut self, row: usize, around: Vec<(usize, Point)>) -> Option<()> {
        self.parts.push(([0; 3], [0; 3]));
        self.place(row, [0; 3])?;
        around.into_iter().try_for_each(|(neighbour, direction)| self.place(neighbour, direction))
    }

    /// Places a row; None if one of its neighbours lies elsewhere, or another row in its cell.
    fn place(&mut self, row: usize, at: Point) -> Option<()> {
        let part = self.parts.len() as u32 - 1;
        let fits = self.neighbours(row).filter_map(|column| self.places[column]).all(|there| distance(at, there) == 1);
        if !fits || self.rows_at.insert((part, at), row as u32).is_some() {
            return None;
        }
        (self.places[row], self.part_of[row]) = (Some(at), part);
        let (low, high) = self.parts.last_mut()?;
        (0..3).for_each(|axis| (low[axis], high[axis]) = (low[axis].min(at[axis]), high[axis].max(at[axis])));
        self.fresh.push_back(row as u32);
        Some(())
    }

    /// Places all rows that can be reached from those that are placed.
    fn go(&mut self) -> Option<()> {
        loop {
            while let Some(row) = self.fresh.pop_front() {
                self.look_around(row as usize)?;
            }
            // One row of another layer; squares place the rest of it.
            match self.next_by_elimination().or_else(|| self.next_by_guess()) {
                Some((row, at)) => self.place(row, at)?,
                None => return self.waiting.is_empty().then_some(()),
            }
        }
    }

    /// A waiting row that can lie in one cell alone, and that cell.
    fn next_by_elimination(&mut self) -> Option<(usize, Point)> {
        for _ in 0..self.waiting.len() {
            let row = self.waiting.pop_front()? as usize;
            if self.places[row].is_some() {
                continue;
            }
            let mut cells = self.cells_for(row);
            if let (Some(at), None) = (cells.next(), cells.next()) {
                return Some((row, at));
            }
            drop(cells);
            self.waiting.push_back(row as u32);
        }
        None
    }

    /// A waiting row, and the cell in which the fewest neighbours are not coupled with it.
    fn next_by_guess(&mut self) -> Option<(usize, Point)> {
        let row = *self.waiting.front()? as usize;
        let part = self.parts.len() as u32 - 1;
        let strangers = |at: &Point| {
            let around = steps(self.dimension).filter_map(|step| self.rows_at.get(&(part, sum(*at, step))));
            around.filter(|&&other| !self.are_coupled(row, other as usize)).count()
        };
        let at = self.cells_for(row).min_by_key(strangers)?;
        self.waiting.pop_front();
        Some((row, at))
    }

    /// The cells in which a row with placed neighbours may lie: those that are free, beside all of these neighbours, not
    /// opposite to a cell with which the row shares a square, and two steps from what its other neighbours are beside.
    fn cells_for(&self, row: usize) -> impl Iterator<Item = Point> {
        let part = self.parts.len() as u32 - 1;
        let placed = move |row: usize| self.neighbours(row).filter_map(|column| Some((column, self.places[column]?)));
        let first = placed(row).next();
        let cells = first.into_iter().flat_map(|(_, from)| steps(self.dimension).map(move |step| sum(from, step)));
        let is_open = move |beside: usize, from: Point, at: Point| {
            let opposite = self.rows_at.get(&(part, difference(sum(from, from), at))).map(|&there| there as usize);
            let opposite = opposite.filter(|&there| self.are_coupled(beside, there));
            distance(at, from) == 1 && !opposite.is_some_and(|there| self.share_square(beside, row, there))
        };
        let near = move |row: usize| self.neighbours(row).filter(|&column| self.places[column].is_none());
        cells.filter(move |&at| {
            !self.rows_at.contains_key(&(part, at))
                && placed(row).all(|(beside, from)| is_open(beside, from, at))
                && near(row).flat_map(placed).all(|(_, there)| distance(at, there) == 2)
        })
    }

    /// Places the neighbours of a row that squares tell of.
    fn look_around(&mut self, row: usize) -> Option<()> {
        let near: Vec<usize> = self.neighbours(row).filter(|&column| self.places[column].is_none()).collect();
        for target in near {
            match self.by_square(row, target) {
                Some(at) => self.place(target, at)?,
                None => self.waiting.push_back(target as u32),
            }
        }
        Some(())
    }

    /// The place of a neighbour of a placed row, from a square of which the other three rows are placed.
    fn by_square(&self, row: usize, target: usize) -> Option<Point> {
        let here = self.places[row]?;
        let beside = self.neighbours(target).filter(|&other| other != row);
        beside.filter_map(|other| Some((other, self.places[other]?))).find_map(|(other, there)| {
            let mut corners =
                self.neighbours(row).filter(|&corner| corner != target && self.are_coupled(other, corner));
            corners.find_map(|corner| self.places[corner]).map(|corner| sum(here, difference(there, corner)))
        })
    }

    /// The grid around all parts.
    fn found(self) -> Option<Found> {
        let extents: Vec<Place> =
            self.parts.iter().map(|(low, high)| difference(*high, *low).map(|length| length as u32 + 1)).collect();
        let (shape, corners) = pack(&extents);
        let cells = shape.iter().map(|&count| u64::from(count)).product::<u64>();
        if cells > SPARSEST * self.places.len() as u64 {
            return None;
        }
        let placed = self.places.iter().zip(&self.part_of).map(|(place, &part)| {
            let (low, corner) = (self.parts[part as usize].0, corners[part as usize]);
            let within = difference((*place)?, low);
            Some([0, 1, 2].map(|axis| corner[axis] + within[axis] as u32))
        });
        let places: Vec<Place> = placed.collect::<Option<_>>()?;
        Found::checked(self.matrix, shape, &places)
    }
}

/// The steps to all face neighbours.
fn steps(dimension: usize) -> impl Iterator<Item = Point> {
    (0..dimension)
        .flat_map(|axis| [1, -1].map(|step| std::array::from_fn(|other| if other == axis { step } else { 0 })))
}

fn sum(one: Point, other: Point) -> Point {
    [0, 1, 2].map(|axis| one[axis] + other[axis])
}

fn difference(one: Point, other: Point) -> Point {
    [0, 1, 2].map(|axis| one[axis] - other[axis])
}

/// Steps from one place to another.
fn distance(one: Point, other: Point) -> u32 {
    (0..3).map(|axis| one[axis].abs_diff(other[axis])).sum()
}
