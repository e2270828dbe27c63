//! Unknowns strung along the first axis, and the stretches on which neighbours lie side by side.
//!
//! A *line* is a chain of unknowns at consecutive places k along the first axis, stored consecutively.
//! The neighbour of an unknown across a face of another axis is then at a fixed distance in memory for
//! as long as both lines go on: a *stretch*. Loops over a stretch need one offset per neighbour and no
//! list of columns.

use unstick_parallel::refill;

/// A chain of unknowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Place on the axes but the first, as y + ny z.
    pub column: u32,
    /// Place of the first unknown on the first axis.
    pub from: u32,
    /// Number of unknowns.
    pub length: u32,
    /// Place of the first unknown in memory.
    pub base: u32,
}

impl Line {
    pub fn end(&self) -> u32 {
        self.from + self.length
    }

    /// Storage of place 0, if the line began there.
    fn origin(&self) -> i64 {
        self.base as i64 - self.from as i64
    }
}

/// The columns of some lines: those of a grid, or of a part of it with ghosts around.
///
/// Own columns are numbered y + ny z. Behind them come the columns beside the part, one side after the other in the order
/// of [`SIDES`], if there are any. The lines there are *ghosts*: unknowns of other parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Own cells along the axes but the first; the second is 1 in the plane.
    pub columns: [usize; 2],
    /// Where the part begins in the grid.
    pub first: [usize; 2],
    /// Whether there are ghosts.
    pub has_sides: bool,
}

/// Sides of a part: axis among those but the first, and whether it is the upper one.
pub(crate) const SIDES: [(usize, bool); 4] = [(0, false), (0, true), (1, false), (1, true)];

impl Frame {
    /// All of a grid.
    pub fn whole(columns: [usize; 2]) -> Self {
        Self { columns, first: [0; 2], has_sides: false }
    }

    /// The same part of the next coarser grid.
    pub fn coarser(self) -> Self {
        let [columns, first] = [self.columns.map(|count| count.div_ceil(2)), self.first.map(|place| place / 2)];
        Self { columns, first, ..self }
    }

    /// Number of own columns.
    pub fn own(&self) -> usize {
        self.columns[0] * self.columns[1]
    }

    /// Number of columns with those beside.
    pub fn count(&self) -> usize {
        self.own() + if self.has_sides { 2 * (self.columns[0] + self.columns[1]) } else { 0 }
    }

    /// (y, z) of a column; beside the part −1 in the arithmetic of `usize`, or the number of columns.
    pub fn place(&self, column: usize) -> [usize; 2] {
        let [ny, _] = self.columns;
        let Some(mut beside) = column.checked_sub(self.own()) else { return [column % ny, column / ny] };
        for (axis, is_upper) in SIDES {
            let length = self.columns[1 - axis];
            if beside < length {
                let across = if is_upper { self.columns[axis] } else { usize::MAX };
                return if axis == 0 { [across, beside] } else { [beside, across] };
            }
            beside -= length;
        }
        unreachable!("{column} is no column")
    }

    /// The same in the whole grid.
    pub fn place_in_grid(&self, column: usize) -> [usize; 2] {
        let place = self.place(column);
        [0, 1].map(|axis| place[axis].wrapping_add(self.first[axis]))
    }

    /// The columns beside a side, in the order of the own ones there.
    pub fn beside(&self, side: usize) -> std::ops::Range<usize> {
        let lengths = |sides: usize| SIDES[..sides].iter().map(|(axis, _)| self.columns[1 - axis]).sum::<usize>();
        self.own() + lengths(side)..self.own() + lengths(side + 1)
    }

    /// The own columns at a side, ascending.
    pub fn border(&self, side: usize) -> impl Iterator<Item = usize> + use<> {
        let ((axis, is_upper), [ny, nz]) = (SIDES[side], self.columns);
        let across = if is_upper { self.columns[axis] - 1 } else { 0 };
        (0..self.columns[1 - axis]).map(move |along| match axis {
            0 => across + ny * along,
            _ => along + ny * across.min(nz - 1),
        })
    }

    /// The own column next to one beside the part.
    pub fn across(&self, column: usize) -> usize {
        let place = self.place(column);
        let [y, z] = [0, 1].map(|axis| match place[axis] {
            usize::MAX => 0,
            along => along.min(self.columns[axis] - 1),
        });
        y + self.columns[0] * z
    }

    /// The column next to an own one.
    fn next_to(&self, column: usize, axis: usize, upwards: bool) -> Option<usize> {
        let mut place = self.place(column);
        let along = place[axis];
        let is_at_side = if upwards { along + 1 == self.columns[axis] } else { along == 0 };
        if is_at_side {
            let side = 2 * axis + upwards as usize;
            return self.has_sides.then(|| self.beside(side).start + place[1 - axis]);
        }
        place[axis] = if upwards { along + 1 } else { along - 1 };
        Some(place[0] + self.columns[0] * place[1])
    }
}

/// Lines ordered by column, with an index by column.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub frame: Frame,
    pub lines: Vec<Line>,
    starts: Vec<u32>,
}

impl Default for Lines {
    fn default() -> Self {
        Self { frame: Frame::whole([0; 2]), lines: Vec::new(), starts: Vec::new() }
    }
}

impl Lines {
    /// Replaces all lines by those that `find` appends, ordered by column; keeps the memory.
    pub fn rebuild(&mut self, frame: Frame, find: impl FnOnce(&mut Vec<Line>)) {
        let Self { lines, .. } = self;
        self.frame = frame;
        lines.clear();
        find(lines);
        self.index();
    }

    /// Appends lines of ghosts, ordered by column.
    pub fn append(&mut self, ghosts: impl Iterator<Item = Line>) {
        self.lines.extend(ghosts);
        self.index();
    }

    fn index(&mut self) {
        let Self { lines, starts, frame } = self;
        refill(starts, frame.count() + 1, 0);
        lines.iter().for_each(|line| starts[line.column as usize + 1] += 1);
        for column in 1..starts.len() {
            starts[column] += starts[column - 1];
        }
    }

    /// (y, z) of a column.
    #[inline]
    pub fn place(&self, column: u32) -> [usize; 2] {
        self.frame.place(column as usize)
    }

    /// The lines of its own.
    pub fn own(&self) -> &[Line] {
        &self.lines[..self.starts.get(self.frame.own()).map_or(0, |&end| end as usize)]
    }

    /// The lines of ghosts.
    pub fn ghosts(&self) -> &[Line] {
        &self.lines[self.own().len()..]
    }

    /// Indices of the lines of a column.
    pub fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// The lines of a column.
    pub fn of(&self, column: usize) -> &[Line] {
        &self.lines[self.range(column)]
    }

    /// Cuts a line where another neighbouring line takes over, or where an offset would lead out of storage (`size`
    /// entries). Calls `stretch` with first place, end and the offset of each neighbour across the faces of axes 1..,
    /// downwards and upwards. An offset of 0 stands for no neighbour.
    ///
    /// Within a stretch the neighbour of place k may be missing (its line may begin later); the
    /// offset then leads to some other unknown, and the coupling is zero.
    pub fn stretches<const D: usize>(
        &self,
        line: &Line,
        size: usize,
        mut stretch: impl FnMut(u32, u32, [[i32; 2]; D]),
    ) {
        let sides: [[&[Line]; 2]; D] = std::array::from_fn(|axis| {
            std::array::from_fn(|side| {
                let next_to = |axis: usize| self.frame.next_to(line.column as usize, axis - 1, side == 1);
                let column = if axis == 0 { None } else { next_to(axis) };
                let lines = column.map_or(&[][..], |column| self.of(column));
                // Only lines that overlap this one matter.
                let first = lines.partition_point(|other| other.end() <= line.from);
                let last = lines.partition_point(|other| other.from < line.end());
                &lines[first.min(last)..last]
            })
        });
        let mut from = line.from;
        while from < line.end() {
            let mut until = line.end() as i64;
            let mut offsets = [[0; 2]; D];
            for axis in 1..D {
                for side in 0..2 {
                    let lines = sides[axis][side];
                    let next = lines.partition_point(|other| other.from <= from).max(1);
                    let Some(other) = lines.get(next - 1) else { continue };
                    let takes_over = lines.get(next).map_or(i64::MAX, |other| other.from as i64);
                    let (begins, ends) = (-other.origin(), size as i64 - other.origin());
                    if (from as i64) < begins {
                        until = until.min(begins);
                    } else if (from as i64) < ends {
                        until = until.min(ends).min(takes_over);
                        offsets[axis][side] = (other.origin() - line.origin()) as i32;
                    } else {
                        until = until.min(takes_over);
                    }
                }
            }
            stretch(from, until as u32, offsets);
            from = until as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_ends_where_another_neighbour_takes_over() {
        // Column 0: places 0..10; column 1: places 2..4 and 6..8.
        let line = |column, from, length, base| Line { column, from, length, base };
        let mut lines = Lines::default();
        lines.rebuild(Frame::whole([2, 1]), |lines| {
            lines.extend([line(0, 0, 10, 0), line(1, 2, 2, 10), line(1, 6, 2, 12)])
        });
        let mut found = Vec::new();
        lines.stretches::<2>(&lines.lines[0], 14, |from, until, offsets| found.push((from, until, offsets[1][1])));
        assert_eq!(found, [(0, 6, 8), (6, 8, 6), (8, 10, 0)]);
        found.clear();
        lines.stretches::<2>(&lines.lines[2], 14, |from, until, offsets| found.push((from, until, offsets[1][0])));
        assert_eq!(found, [(6, 8, -6)]);
    }
}
