//! Pinned rows are left out of every level; what changed is summed anew, nothing else.

use unstick_parallel as parallel;

use super::Aggregation;
use super::level::{Level, NONE};

impl Aggregation {
    /// Frees all rows.
    pub fn release(&mut self) {
        self.follow(0, |_| false);
    }

    /// Pins the rows of a level that `is_pinned` names by their place and frees all others; returns how many have
    /// changed. Coarser levels follow.
    pub fn follow(&mut self, number: usize, is_pinned: impl Fn(usize) -> bool + Sync) -> usize {
        let Some(level) = self.levels.get_mut(number) else { return 0 };
        let changed: Vec<u32> = {
            let level = &*level;
            parallel::list(0..level.rows(), |places| {
                let differs =
                    |&place: &usize| level.diagonal[place] > 0.0 && is_pinned(place) == (level.inverse[place] > 0.0);
                places.filter(differs).map(|place| place as u32).collect()
            })
        };
        if changed.is_empty() {
            return 0;
        }
        for place in changed.iter().map(|&place| place as usize) {
            let is_pinned = level.inverse[place] > 0.0;
            level.inverse[place] = if is_pinned { 0.0 } else { level.inverse_of(place, level.diagonal[place]) };
        }
        let mut due = level.due_around(&changed);
        for number in number + 1..self.levels.len() {
            let (above, below) = self.levels.split_at_mut(number);
            below[0].renew(&above[number - 1], &due);
            due = below[0].due_below(&due);
        }
        self.factorise();
        changed.len()
    }
}

impl Level {
    /// The coarse rows that follow some rows or their neighbours, ascending.
    fn due_around(&self, rows: &[u32]) -> Vec<u32> {
        let around = rows.iter().flat_map(|&row| {
            let beside = self.rows.row(row as usize).map(|(column, _)| column as u32);
            std::iter::once(row).chain(beside)
        });
        self.parents_of(around)
    }

    /// The coarse rows that follow some rows, ascending.
    fn due_below(&self, rows: &[u32]) -> Vec<u32> {
        self.parents_of(rows.iter().copied())
    }

    fn parents_of(&self, rows: impl Iterator<Item = u32>) -> Vec<u32> {
        if self.aggregates.count() == 0 {
            return Vec::new();
        }
        let parents = rows.map(|row| self.aggregates.parents[row as usize]);
        let mut due: Vec<u32> = parents.filter(|&parent| parent != NONE).collect();
        due.sort_unstable();
        due.dedup();
        due
    }

    /// Sums some rows anew from the level above.
    fn renew(&mut self, above: &Self, due: &[u32]) {
        let mut columns = Vec::new();
        for &row in due {
            let row = row as usize;
            columns.clear();
            columns.extend(self.rows.row(row).map(|(column, _)| column));
            let range = self.rows.range(row);
            let off = &mut self.rows.off[range];
            off.fill(0.0);
            self.rows.excess[row] = above.add_up(row, |column, value| {
                let slot = columns.binary_search(&column).expect("the pattern is that without pins");
                off[slot] += value;
            });
            self.diagonal[row] = self.diagonal_of(row);
            self.inverse[row] = self.inverse_of(row, self.diagonal[row]);
        }
    }
}
