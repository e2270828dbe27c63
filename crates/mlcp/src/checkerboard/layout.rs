//! The way between the rows of a problem and the two colours of the finest level.

use unstick_parallel::{self as parallel, Chunks};

use super::cycle::Hierarchy;
use super::level::Level;
use crate::pressure::PressureOperator;
use crate::pressure::lines::Line;

/// Where the rows of a problem are on the checkerboard.
#[derive(Default)]
pub(crate) struct Layout {
    /// Lines of rows; the same as those of the finest level but for their `base`.
    rows: Vec<Line>,
    by_slot: Chunks,
    by_row: Chunks,
}

impl Layout {
    /// Follows the rows of a matrix; keeps the memory.
    pub fn rebuild<const D: usize>(&mut self, operator: &PressureOperator<D>) {
        self.rows.clone_from(&operator.lines.lines);
        let own = operator.lines.own().iter();
        self.by_slot.rebuild(1, own.clone().map(|line| Level::<D>::slots_of(line) as usize));
        self.by_row.rebuild(0, own.map(|line| line.length as usize));
    }

    /// Writes `value(row)` to the cell of every row, on the finest level.
    pub fn spread<const D: usize>(
        &self,
        hierarchy: &Hierarchy<D>,
        cells: &mut [f32],
        value: impl Fn(usize) -> f32 + Sync,
    ) {
        self.spread_to(&hierarchy.levels[0], cells, value);
    }

    pub(super) fn spread_to<const D: usize>(
        &self,
        level: &Level<D>,
        cells: &mut [f32],
        value: impl Fn(usize) -> f32 + Sync,
    ) {
        let (red, black) = cells.split_at_mut(level.slots);
        let own = (&mut red[1..level.end], &mut black[1..level.end]);
        self.by_slot.for_each(
            own,
            #[inline(always)]
            |lines, place, (red, black)| {
                for index in lines {
                    let (line, rows) = (&level.lines.lines[index], &self.rows[index]);
                    let is_odd = level.is_odd(line.column);
                    let (first, second) = if is_odd { (&mut *black, &mut *red) } else { (&mut *red, &mut *black) };
                    let start = line.base as usize - place;
                    let count = Level::<D>::slots_of(line) as usize;
                    let (first, second) = (&mut first[start..start + count], &mut second[start..start + count]);
                    let begin = rows.base as usize;
                    let lead = (line.from % 2) as usize;
                    if lead == 1 {
                        second[0] = value(begin);
                    }
                    let pairs = (line.length as usize - lead) / 2;
                    for pair in 0..pairs {
                        first[lead + pair] = value(begin + lead + 2 * pair);
                        second[lead + pair] = value(begin + lead + 2 * pair + 1);
                    }
                    if lead + 2 * pairs < line.length as usize {
                        first[lead + pairs] = value(begin + lead + 2 * pairs);
                    }
                }
            },
        );
    }

    /// Row of every cell that may be pinned, in the order of the hierarchy's list of them: red ones ascend, then black
    /// ones.
    pub fn rows_of_walls<const D: usize>(&self, hierarchy: &Hierarchy<D>) -> Vec<u32> {
        let level = &hierarchy.levels[0];
        parallel::list_scattered(hierarchy.walls[0].as_slice(), |cells| {
            let row = |&cell: &u32| {
                let (colour, slot) = level.split(cell as usize);
                let index = level.line_at(slot);
                let (line, rows) = (&level.lines.lines[index], &self.rows[index]);
                rows.base + level.place_in(line, slot as u32, colour) - rows.from
            };
            cells.iter().map(row).collect()
        })
    }

    /// q ← q + a x.
    pub fn add<const D: usize>(&self, hierarchy: &Hierarchy<D>, a: f64, x: &[f32], q: &mut [f64]) {
        let level = &hierarchy.levels[0];
        let (red, black) = x.split_at(level.slots);
        self.by_row.for_each(q, |lines, place, q| {
            for index in lines {
                let (line, rows) = (&level.lines.lines[index], &self.rows[index]);
                let (first, second) = if level.is_odd(line.column) { (black, red) } else { (red, black) };
                let q = &mut q[rows.base as usize - place..][..rows.length as usize];
                let lead = (line.from % 2) as usize;
                let start = line.base as usize;
                if lead == 1 {
                    q[0] += a * second[start] as f64;
                }
                let (pairs, last) = q[lead..].as_chunks_mut::<2>();
                let cells = first[start + lead..].iter().zip(&second[start + lead..]);
                for (q, (first, second)) in pairs.iter_mut().zip(cells) {
                    q[0] += a * *first as f64;
                    q[1] += a * *second as f64;
                }
                if let Some(q) = last.first_mut() {
                    *q += a * first[start + lead + pairs.len()] as f64;
                }
            }
        });
    }
}
