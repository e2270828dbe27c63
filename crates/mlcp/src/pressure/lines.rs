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

/// Lines ordered by column, with an index by column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// Cells along the axes but the first; the second is 1 in the plane.
    pub columns: [usize; 2],
    pub lines: Vec<Line>,
    starts: Vec<u32>,
}

impl Lines {
    /// Replaces all lines by those that `find` appends, ordered by column; keeps the memory.
    pub fn rebuild(&mut self, columns: [usize; 2], find: impl FnOnce(&mut Vec<Line>)) {
        let Self { lines, starts, .. } = self;
        self.columns = columns;
        lines.clear();
        find(lines);
        refill(starts, columns[0] * columns[1] + 1, 0);
        lines.iter().for_each(|line| starts[line.column as usize + 1] += 1);
        for column in 1..starts.len() {
            starts[column] += starts[column - 1];
        }
    }

    /// (y, z) of a column.
    pub fn place(&self, column: u32) -> [usize; 2] {
        [column as usize % self.columns[0], column as usize / self.columns[0]]
    }

    /// Indices of the lines of a column.
    pub fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// The lines of a column.
    pub fn of(&self, column: usize) -> &[Line] {
        &self.lines[self.range(column)]
    }

    /// The column beside another, across a face of the second or third axis.
    fn beside(&self, column: u32, axis: usize, upwards: bool) -> Option<usize> {
        let mut place = self.place(column);
        let along = &mut place[axis - 1];
        *along = if upwards { *along + 1 } else { along.checked_sub(1)? };
        (*along < self.columns[axis - 1]).then(|| place[0] + self.columns[0] * place[1])
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
                let column = if axis == 0 { None } else { self.beside(line.column, axis, side == 1) };
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
        lines.rebuild([2, 1], |lines| lines.extend([line(0, 0, 10, 0), line(1, 2, 2, 10), line(1, 6, 2, 12)]));
        let mut found = Vec::new();
        lines.stretches::<2>(&lines.lines[0], 14, |from, until, offsets| found.push((from, until, offsets[1][1])));
        assert_eq!(found, [(0, 6, 8), (6, 8, 6), (8, 10, 0)]);
        found.clear();
        lines.stretches::<2>(&lines.lines[2], 14, |from, until, offsets| found.push((from, until, offsets[1][0])));
        assert_eq!(found, [(6, 8, -6)]);
    }
}
