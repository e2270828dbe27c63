//! Where the unknowns of a level lie, and which of them are neighbours.
//!
//! A coarse cell is a block of 2^D finer ones. Its unknowns are the connected parts of the liquid in
//! it: an obstacle thinner than the block leaves one on either side, so that no coarse value stands
//! for both.

use super::sparse::Sparse;
use crate::csr::CsrMatrix;
use crate::lattice::Lattice;
use crate::operator::LinearOperator;

/// No unknown.
pub(crate) const NONE: u32 = u32::MAX;

/// Row sums up to this part of the diagonal are rounding: the row touches no air.
const ROUNDING: f64 = 1e-12;

/// A way along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Direction {
    pub axis: usize,
    pub upwards: bool,
}

impl Direction {
    /// Its bit in [`Sites::air`].
    pub fn bit(self) -> u8 {
        1 << (2 * self.axis + self.upwards as usize)
    }

    fn reversed(self) -> Self {
        Self { upwards: !self.upwards, ..self }
    }

    /// Coordinates one cell further; None below zero.
    fn step(self, mut place: [u32; 3]) -> Option<[u32; 3]> {
        let moved = if self.upwards { place[self.axis].checked_add(1) } else { place[self.axis].checked_sub(1) };
        place[self.axis] = moved?;
        Some(place)
    }
}

/// The unknowns of one level.
pub(crate) struct Sites {
    pub dimension: usize,
    shape: [u32; 3],
    /// Coordinates of the cell of each unknown.
    pub places: Vec<[u32; 3]>,
    /// Unknowns of neighbouring cells with liquid in between, and how much they are coupled.
    pub links: Sparse,
    /// Directions in which an unknown touches air, as bits.
    pub air: Vec<u8>,
}

impl Sites {
    /// The rows of a matrix on its lattice.
    pub fn of(lattice: &Lattice, matrix: &CsrMatrix) -> Self {
        let count = |axis: usize| lattice.shape().get(axis).map_or(1, |&count| count as u32);
        let rows = matrix.rows();
        let mut links = Sparse::new(rows);
        let mut touches_air = vec![false; rows];
        for row in 0..rows {
            let mut sum = 0.0;
            for (column, value) in matrix.row(row) {
                sum += value;
                if column != row && value != 0.0 {
                    links.push(column as u32, value.abs());
                }
            }
            links.end_row();
            touches_air[row] = sum > ROUNDING * matrix.diagonal()[row];
        }
        let places = (0..rows).map(|row| lattice.place(row).map(|x| x as u32)).collect();
        let mut sites = Self {
            dimension: lattice.dimension(),
            shape: [count(0), count(1), count(2)],
            places,
            links,
            air: vec![0; rows],
        };
        for row in (0..rows).filter(|&row| touches_air[row]) {
            sites.air[row] = sites.air_around(lattice, row, &touches_air);
        }
        sites
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The direction from one unknown to a linked one.
    pub fn direction(&self, from: usize, to: usize) -> Direction {
        let (from, to) = (self.places[from], self.places[to]);
        let axis = (0..3).find(|&axis| from[axis] != to[axis]).unwrap_or(0);
        Direction { axis, upwards: to[axis] > from[axis] }
    }

    /// The strongest link of an unknown in a direction.
    pub fn strongest(&self, site: usize, direction: Direction) -> Option<usize> {
        let there = self.links.row(site).filter(|&(other, _)| self.direction(site, other) == direction);
        there
            .fold(None, |best: Option<(usize, f64)>, link| match best {
                Some(best) if best.1 >= link.1 => Some(best),
                _ => Some(link),
            })
            .map(|(other, _)| other)
    }

    /// Directions from a row that touches air to what its surroundings take for air.
    ///
    /// A matrix shows that a row touches air, but not where. If one neighbour is missing, the air is there. If
    /// several are missing, at a contact line, the rows beside it and around each missing cell decide.
    fn air_around(&self, lattice: &Lattice, row: usize, touches_air: &[bool]) -> u8 {
        let row_at = |place: Option<[u32; 3]>| {
            let place = place.filter(|&place| self.contains(place))?;
            lattice.cells().binary_search(&self.cell(place)).ok()
        };
        let lacks = |row: usize, direction: Direction| self.strongest(row, direction).is_none();
        let opinion = |row: usize, direction: Direction| {
            let is_sure = || self.directions().filter(|&direction| lacks(row, direction)).count() == 1;
            (lacks(row, direction) && (!touches_air[row] || is_sure())).then_some(touches_air[row])
        };
        let mut air = 0;
        for direction in self.directions().filter(|&direction| lacks(row, direction)) {
            let across = || self.directions().filter(move |other| other.axis != direction.axis);
            let beyond = direction.step(self.places[row]);
            let beside = across().filter_map(|way| opinion(row_at(way.step(self.places[row]))?, direction));
            let around = self.directions().filter(|way| *way != direction.reversed());
            let around = around.filter_map(|way| opinion(row_at(way.step(beyond?))?, way.reversed()));
            let balance: i32 = beside.chain(around).map(|is_air| if is_air { 1 } else { -1 }).sum();
            air |= if balance >= 0 { direction.bit() } else { 0 };
        }
        air
    }

    fn directions(&self) -> impl Iterator<Item = Direction> + use<> {
        (0..self.dimension).flat_map(|axis| [false, true].map(|upwards| Direction { axis, upwards }))
    }

    fn contains(&self, place: [u32; 3]) -> bool {
        place.iter().zip(self.shape).all(|(&x, count)| x < count)
    }

    fn cell(&self, place: [u32; 3]) -> u32 {
        place[0] + self.shape[0] * (place[1] + self.shape[1] * place[2])
    }

    /// The unknown of a cell, on a level whose cells are not split.
    pub fn unknown_at(&self, site: usize, directions: &[Direction]) -> Option<usize> {
        let place = directions.iter().try_fold(self.places[site], |place, direction| direction.step(place))?;
        let found = self.places.binary_search_by_key(&self.cell(place), |&place| self.cell(place)).ok();
        found.filter(|_| self.contains(place))
    }

    /// The next coarser level and the unknown there of each unknown here.
    ///
    /// An unknown without links gets none: relaxing it solves it. Without `split`, blocks are not
    /// divided into their connected parts.
    pub fn coarsen(&self, split: bool) -> (Self, Vec<u32>) {
        let shape = self.shape.map(|count| count.div_ceil(2));
        let block = |site: usize| self.places[site].map(|x| x / 2);
        let key = |place: [u32; 3]| place[0] + shape[0] * (place[1] + shape[1] * place[2]);
        let mut roots = Roots::new(self.len());
        for site in 0..self.len() {
            for (other, _) in self.links.row(site).filter(|&(other, _)| other > site) {
                if block(site) == block(other) {
                    roots.join(site, other);
                }
            }
        }
        let is_linked = |site: usize| !self.links.range(site).is_empty();
        let mut members: Vec<(u32, u32, u32)> = (0..self.len())
            .filter(|&site| is_linked(site))
            .map(|site| (key(block(site)), if split { roots.find(site) as u32 } else { 0 }, site as u32))
            .collect();
        members.sort_unstable();
        let mut parents = vec![NONE; self.len()];
        let mut places: Vec<[u32; 3]> = Vec::new();
        let mut before = None;
        for &(key, root, site) in &members {
            if before != Some((key, root)) {
                before = Some((key, root));
                places.push(block(site as usize));
            }
            parents[site as usize] = places.len() as u32 - 1;
        }
        let mut air = vec![0; places.len()];
        for &(_, _, site) in &members {
            air[parents[site as usize] as usize] |= self.air[site as usize];
        }
        let links = self.coarse_links(&members, &parents, places.len());
        (Self { dimension: self.dimension, shape, places, links, air }, parents)
    }

    /// Links between coarse unknowns: the sum of those between their members.
    fn coarse_links(&self, members: &[(u32, u32, u32)], parents: &[u32], count: usize) -> Sparse {
        let mut links = Sparse::new(count);
        let mut place_of = vec![usize::MAX; count];
        let mut member = members.iter().map(|&(_, _, site)| site as usize).peekable();
        for coarse in 0..count {
            let start = links.columns.len();
            while let Some(site) = member.next_if(|&site| parents[site] as usize == coarse) {
                for (other, strength) in self.links.row(site) {
                    if parents[other] as usize != coarse {
                        links.add(start, &mut place_of, parents[other], strength);
                    }
                }
            }
            links.end_row();
        }
        links
    }
}

/// Disjoint sets, each known by its smallest member.
pub(crate) struct Roots(pub Vec<u32>);

impl Roots {
    pub fn new(size: usize) -> Self {
        Self((0..size as u32).collect())
    }

    pub fn find(&mut self, mut member: usize) -> usize {
        while self.0[member] as usize != member {
            self.0[member] = self.0[self.0[member] as usize];
            member = self.0[member] as usize;
        }
        member
    }

    /// Joins two sets; returns their roots, the one of both first.
    pub fn join(&mut self, one: usize, other: usize) -> (usize, usize) {
        let (one, other) = (self.find(one), self.find(other));
        let (low, high) = (one.min(other), one.max(other));
        self.0[high] = low as u32;
        (low, high)
    }
}
