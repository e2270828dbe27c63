//! Any set of cells whose rows are in the order of the grid.
//!
//! Rows that are coupled one after the other form a line along x, if another line runs beside them. A row may be coupled
//! with two later rows beside its line: the nearer is its neighbour along y, the farther along z. So is every line with
//! the lines of these rows, and so are the opposite sides of each square. Lines are then placed one beside the other.
//! What no square tells, tips and droplets, is placed by the order of rows.

use std::collections::{BTreeMap, VecDeque};

use super::packing::pack;
use super::{Found, Place, SPARSEST, couplings};
use crate::csr::CsrMatrix;

/// How a line lies beside an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Unknown,
    X,
    Y,
    Z,
}

/// Two lines with coupled rows.
#[derive(Clone, Copy, Debug)]
struct Link {
    lower: u32,
    upper: u32,
    /// x of the first cell of the lower line, less that of the upper line.
    shift: i64,
    side: Side,
    /// Whether a row of one comes right after a row of the other.
    is_next: bool,
}

/// The lines of a matrix and how they are linked.
struct Lines {
    line_of: Vec<u32>,
    /// First row of each line.
    starts: Vec<u32>,
    links: Vec<Link>,
    /// The links of each line with later ones, by their numbers.
    upwards: Vec<Vec<u32>>,
}

pub(super) fn of(matrix: &CsrMatrix) -> Option<Found> {
    let mut lines = Lines::of(matrix)?;
    lines.link(matrix)?;
    lines.name_sides(matrix)?;
    let places = lines.place()?;
    let size = matrix.rows();
    let mut components = Vec::new();
    for (line, &(component, at)) in places.iter().enumerate() {
        if component as usize == components.len() {
            components.push((at, at));
        }
        let length = lines.length(line);
        let (low, high) = &mut components[component as usize];
        let last = [at[0] + length - 1, at[1], at[2]];
        for axis in 0..3 {
            low[axis] = low[axis].min(at[axis]);
            high[axis] = high[axis].max(last[axis]);
        }
    }
    let extents: Vec<Place> =
        components.iter().map(|(low, high)| [0, 1, 2].map(|axis| (high[axis] - low[axis] + 1) as u32)).collect();
    let (shape, corners) = pack(&extents);
    if shape.iter().map(|&count| count as u64).product::<u64>() > SPARSEST * size as u64 {
        return None;
    }
    let place_of = |row: usize| -> Place {
        let line = lines.line_of[row] as usize;
        let (component, at) = places[line];
        let (low, corner) = (components[component as usize].0, corners[component as usize]);
        let along = (row as u32 - lines.starts[line]) as i64;
        let at = [at[0] + along, at[1], at[2]];
        [0, 1, 2].map(|axis| corner[axis] + (at[axis] - low[axis]) as u32)
    };
    let places: Vec<Place> = (0..size).map(place_of).collect();
    Found::checked(matrix, shape, &places)
}

impl Lines {
    fn of(matrix: &CsrMatrix) -> Option<Self> {
        let size = matrix.rows();
        let (mut line_of, mut starts) = (Vec::with_capacity(size), Vec::new());
        for row in 0..size {
            if row == 0 || !runs_along_x(matrix, row - 1) {
                starts.push(row as u32);
            }
            line_of.push(starts.len() as u32 - 1);
        }
        let upwards = vec![Vec::new(); starts.len()];
        // Rows in no order form no lines.
        (2 * starts.len() <= size || size < 100).then_some(Self { line_of, starts, links: Vec::new(), upwards })
    }

    /// Where a row lies along its line.
    fn along(&self, row: usize) -> i64 {
        row as i64 - self.starts[self.line_of[row] as usize] as i64
    }

    /// The number of the link between the lines of two rows.
    fn link_of(&self, lower: usize, upper: usize) -> Option<usize> {
        let upper = self.line_of[upper];
        let found = self.upwards[self.line_of[lower] as usize].iter().rev();
        found.map(|&link| link as usize).find(|&link| self.links[link].upper == upper)
    }

    /// Finds all links; None if two lines are coupled at different shifts.
    fn link(&mut self, matrix: &CsrMatrix) -> Option<()> {
        for row in 0..self.line_of.len() {
            let later: Vec<usize> = self.beside(matrix, row).filter(|&column| column > row).collect();
            for column in later {
                let shift = self.along(column) - self.along(row);
                match self.link_of(row, column) {
                    Some(link) if self.links[link].shift != shift => return None,
                    Some(_) => (),
                    None => {
                        let (lower, upper) = (self.line_of[row], self.line_of[column]);
                        self.upwards[lower as usize].push(self.links.len() as u32);
                        self.links.push(Link { lower, upper, shift, side: Side::Unknown, is_next: column == row + 1 });
                    }
                }
            }
        }
        Some(())
    }

    /// Names the sides that squares tell; None if they contradict each other.
    fn name_sides(&mut self, matrix: &CsrMatrix) -> Option<()> {
        let mut alike: Vec<u32> = (0..self.links.len() as u32).collect();
        for row in 0..self.line_of.len() {
            let later = |from: usize| couplings(matrix, from).map(|entry| entry.0).filter(move |&to| to > from);
            let up: Vec<usize> = later(row).collect();
            if up.len() > 3 {
                return None;
            }
            let has_next = up.first() == Some(&(row + 1));
            let beside = up.iter().copied().skip(has_next as usize);
            if up.len() == 3 || !has_next || self.line_of[row] == self.line_of[row + 1] {
                self.name_in_order(row, beside.clone())?;
            }
            let mut down = couplings(matrix, row).map(|entry| entry.0).filter(|&from| from + 1 < row);
            if let (Some(z), Some(y)) = (down.next(), down.next()) {
                self.name(z, row, Side::Z)?;
                self.name(y, row, Side::Y)?;
            }
            // Opposite sides of every square whose first corner this is.
            for (place, &one) in up.iter().enumerate() {
                for &other in &up[place + 1..] {
                    if let Some(far) = later(one).find(|&far| later(other).any(|column| column == far)) {
                        self.unite((row, one), (other, far), &mut alike)?;
                        self.unite((row, other), (one, far), &mut alike)?;
                    }
                }
            }
        }
        for link in 0..self.links.len() {
            let first = first_of(&mut alike, link);
            let (own, common) = (self.links[link].side, self.links[first].side);
            if own != Side::Unknown && common != Side::Unknown && own != common {
                return None;
            }
            if common == Side::Unknown {
                self.links[first].side = own;
            }
        }
        for link in 0..self.links.len() {
            self.links[link].side = self.links[first_of(&mut alike, link)].side;
        }
        Some(())
    }

    /// Of two later neighbours beside a line the nearer lies along y, the farther along z.
    fn name_in_order(&mut self, row: usize, mut beside: impl Iterator<Item = usize>) -> Option<()> {
        if let (Some(y), Some(z)) = (beside.next(), beside.next()) {
            self.name(row, y, Side::Y)?;
            self.name(row, z, Side::Z)?;
        }
        Some(())
    }

    /// Two couplings are parallel.
    fn unite(&mut self, one: (usize, usize), other: (usize, usize), alike: &mut [u32]) -> Option<()> {
        let along_x = |(from, to): (usize, usize)| self.line_of[from] == self.line_of[to];
        match (along_x(one), along_x(other)) {
            (true, true) => Some(()),
            (true, false) => self.name(other.0, other.1, Side::X),
            (false, true) => self.name(one.0, one.1, Side::X),
            (false, false) => {
                let (one, other) = (self.link_of(one.0, one.1)?, self.link_of(other.0, other.1)?);
                let (one, other) = (first_of(alike, one), first_of(alike, other));
                alike[one.max(other)] = one.min(other) as u32;
                Some(())
            }
        }
    }

    /// Rows that a row is coupled with and that are not of its own line, ascending.
    fn beside<'m>(&self, matrix: &'m CsrMatrix, row: usize) -> impl Iterator<Item = usize> + use<'m, '_> {
        couplings(matrix, row)
            .map(|(column, _)| column)
            .filter(move |&column| self.line_of[column] != self.line_of[row])
    }

    fn name(&mut self, lower: usize, upper: usize, side: Side) -> Option<()> {
        let link = self.link_of(lower, upper)?;
        let known = &mut self.links[link].side;
        let agrees = *known == Side::Unknown || *known == side;
        *known = side;
        agrees.then_some(())
    }

    /// Component of each line and the place of its first row there; None if there is none.
    fn place(&self) -> Option<Vec<(u32, [i64; 3])>> {
        let mut links_of = vec![Vec::new(); self.starts.len()];
        for (number, link) in self.links.iter().enumerate() {
            links_of[link.lower as usize].push(number as u32);
            links_of[link.upper as usize].push(number as u32);
        }
        let mut places = vec![None; self.starts.len()];
        let mut components = 0;
        let (mut sure, mut unsure) = (VecDeque::new(), VecDeque::new());
        let mut placed = Placed::default();
        for first in 0..self.starts.len() {
            if places[first].is_some() {
                continue;
            }
            let put = |line: usize, at: [i64; 3], placed: &mut Placed, sure: &mut VecDeque<usize>| {
                placed.0.insert(line, at);
                sure.push_back(line);
                Some((components, at))
            };
            places[first] = put(first, [0; 3], &mut placed, &mut sure);
            loop {
                while let Some(line) = sure.pop_front() {
                    let (_, at) = places[line]?;
                    for &number in &links_of[line] {
                        let link = self.links[number as usize];
                        let (other, sign) = link.from(line);
                        match link.side {
                            _ if places[other].is_some() => (),
                            Side::Unknown => unsure.push_back(number),
                            side => {
                                places[other] = put(other, step(at, link.shift, side, sign), &mut placed, &mut sure)
                            }
                        }
                    }
                }
                let Some(number) = unsure.pop_front() else { break };
                let link = self.links[number as usize];
                let (lower, upper) = (link.lower as usize, link.upper as usize);
                let known = if places[lower].is_some() { lower } else { upper };
                let (other, sign) = link.from(known);
                if places[other].is_none() {
                    let at = places[known]?.1;
                    let sides = if link.is_next { &[Side::X, Side::Y, Side::Z][..] } else { &[Side::Y, Side::Z] };
                    let mut tries = sides.iter().map(|&side| step(at, link.shift, side, sign));
                    let free = tries.find(|&at| placed.is_in_order(self, other, at))?;
                    places[other] = put(other, free, &mut placed, &mut sure);
                }
            }
            components += 1;
            placed = Placed::default();
        }
        places.into_iter().collect()
    }

    fn length(&self, line: usize) -> i64 {
        let end = self.starts.get(line + 1).map_or(self.line_of.len(), |&next| next as usize);
        (end - self.starts[line] as usize) as i64
    }
}

impl Link {
    /// The other line, and whether it lies above (1) or below (−1).
    fn from(&self, line: usize) -> (usize, i64) {
        if self.lower as usize == line { (self.upper as usize, 1) } else { (self.lower as usize, -1) }
    }
}

/// The lines of a component that have their place.
#[derive(Default)]
struct Placed(BTreeMap<usize, [i64; 3]>);

impl Placed {
    /// Whether a line at some place comes after all earlier lines and before all later ones.
    fn is_in_order(&self, lines: &Lines, line: usize, at: [i64; 3]) -> bool {
        let rank = |at: [i64; 3]| [at[2], at[1], at[0]];
        let end = |at: [i64; 3], line: usize| [at[0] + lines.length(line) - 1, at[1], at[2]];
        let before = self.0.range(..line).next_back().is_none_or(|(&other, &place)| rank(end(place, other)) < rank(at));
        let after = self.0.range(line + 1..).next().is_none_or(|(_, &place)| rank(end(at, line)) < rank(place));
        before && after
    }
}

/// The place of a line beside one at `at`, above it or below.
fn step(at: [i64; 3], shift: i64, side: Side, sign: i64) -> [i64; 3] {
    let [x, y, z] = match side {
        Side::X => [sign, 0, 0],
        Side::Z => [0, 0, sign],
        Side::Y | Side::Unknown => [0, sign, 0],
    };
    [at[0] - sign * shift + x, at[1] + y, at[2] + z]
}

/// The first of the links that are parallel to one.
fn first_of(alike: &mut [u32], mut link: usize) -> usize {
    while alike[link] as usize != link {
        alike[link] = alike[alike[link] as usize];
        link = alike[link] as usize;
    }
    link
}

/// Whether a row and the next are coupled, and so are two such rows beside them: the sides of a square along x. Without,
/// the next row may as well be the first of the next line.
fn runs_along_x(matrix: &CsrMatrix, row: usize) -> bool {
    let couples = |from: usize, to: usize| couplings(matrix, from).any(|(column, _)| column == to);
    let beside = |other: usize| other != row + 1 && couples(row + 1, other + 1) && couples(other, other + 1);
    couples(row, row + 1)
        && couplings(matrix, row).any(|(other, _)| other + 1 < matrix.rows() && other + 1 != row && beside(other))
}
