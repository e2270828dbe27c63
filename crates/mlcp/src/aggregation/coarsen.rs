//! The matrix of the next coarser level: sums of entries between aggregates.

use unstick_parallel as parallel;

use super::WORTH_COARSENING;
use super::chunks;
use super::columns::Columns;
use super::level::{Level, NONE, Rows};

impl Level {
    /// Gathers the rows and makes the level of the aggregates; None where that is not worth it.
    pub fn coarsen(&mut self) -> Option<Self> {
        let aggregates = self.gather();
        if aggregates.count() == 0 || aggregates.count() as f64 > WORTH_COARSENING * self.rows() as f64 {
            return None;
        }
        self.aggregates = aggregates;
        let parts = chunks::map(&self.aggregates.borders, &|coarse| {
            let mut part = Part::default();
            let mut slot_of = vec![u32::MAX; self.aggregates.count()];
            let mut sums: Vec<(u32, f32)> = Vec::new();
            for row in coarse {
                sums.clear();
                let excess = self.add_up(row, |column, value| {
                    let slot = &mut slot_of[column];
                    if *slot == u32::MAX {
                        *slot = sums.len() as u32;
                        sums.push((column as u32, 0.0));
                    }
                    sums[*slot as usize].1 += value;
                });
                sums.iter().for_each(|&(column, _)| slot_of[column as usize] = u32::MAX);
                sums.sort_unstable_by_key(|sum| sum.0);
                part.columns.extend(sums.iter().map(|sum| sum.0));
                part.off.extend(sums.iter().map(|sum| sum.1));
                part.excess.push(excess);
                part.ends.push(part.columns.len() as u32);
            }
            part
        });
        let borders = chunks::borders(self.aggregates.count());
        Some(Self::new(Part::joined(&parts, &borders), borders))
    }

    /// Hands the couplings of a coarse row to `add`, one after the other; returns its excess. Couplings with rows that
    /// do not follow the coarse level, pinned ones too, belong to the excess.
    pub fn add_up(&self, coarse: usize, mut add: impl FnMut(usize, f32)) -> f32 {
        let parents = &self.aggregates.parents;
        let mut excess = 0.0;
        for &row in self.aggregates.members(coarse) {
            let row = row as usize;
            if self.inverse[row] == 0.0 {
                continue;
            }
            excess += self.rows.excess[row];
            for (column, value) in self.rows.row(row) {
                let parent = parents[column];
                if parent == NONE || self.inverse[column] == 0.0 {
                    excess -= value;
                    // The pattern is that of the matrix without pins.
                } else if parent as usize != coarse {
                    add(parent as usize, value);
                }
            }
        }
        excess
    }
}

/// The coarse rows of a chunk.
#[derive(Default)]
struct Part {
    ends: Vec<u32>,
    columns: Vec<u32>,
    off: Vec<f32>,
    excess: Vec<f32>,
}

impl Part {
    /// The rows of all parts, in chunks of their own.
    fn joined(parts: &[Self], borders: &[u32]) -> Rows {
        let (mut columns, mut off, mut excess) = (Vec::new(), Vec::new(), Vec::new());
        let mut starts = vec![0];
        let mut end = 0;
        for part in parts {
            starts.extend(part.ends.iter().map(|own| end + own));
            end += part.columns.len() as u32;
        }
        let gather = |take: fn(&Self) -> &[f32]| parts.iter().map(take).collect::<Vec<_>>();
        parallel::concatenate(&parts.iter().map(|part| part.columns.as_slice()).collect::<Vec<_>>(), &mut columns);
        parallel::concatenate(&gather(|part| &part.off), &mut off);
        parallel::concatenate(&gather(|part| &part.excess), &mut excess);
        Rows { columns: Columns::of(&columns, &starts, borders), starts, off, excess }
    }
}
