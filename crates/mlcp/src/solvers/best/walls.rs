//! The rows at separating walls.

use unstick_parallel as parallel;

use super::Rows;
use crate::checkerboard::{Hierarchy, Layout, LevelProblem};
use crate::ranks::Reductions;

/// All wall rows of a problem on a grid, in the order of the hierarchy's list of bounded cells.
#[derive(Default)]
pub(super) struct WallRows {
    rows: Vec<u32>,
    /// How many of them are red; they ascend, and so do the black ones behind them.
    reds: usize,
    /// Wall rows of each component that no air holds, by their numbers here.
    loose: Vec<Vec<u32>>,
    /// How many there are, on all ranks.
    count: usize,
}

impl WallRows {
    /// Finds the wall rows. One row of each `loose` component must stay pinned.
    pub fn rebuild<const D: usize>(&mut self, hierarchy: &Hierarchy<D>, layout: &Layout, loose: &[Vec<u32>]) {
        self.rows = layout.rows_of_walls(hierarchy);
        [self.count] = hierarchy.ranks().total([self.rows.len()]);
        self.reds = hierarchy.reds();
        self.loose.clear();
        if loose.is_empty() {
            return;
        }
        let mut numbers = vec![u32::MAX; loose.iter().flatten().max().map_or(0, |&most| most as usize + 1)];
        for (number, &row) in self.rows.iter().enumerate() {
            numbers.get_mut(row as usize).into_iter().for_each(|place| *place = number as u32);
        }
        let walls_of = |rows: &Vec<u32>| {
            let numbers = rows.iter().map(|&row| numbers[row as usize]);
            numbers.filter(|&number| number != u32::MAX).collect()
        };
        self.loose.extend(loose.iter().map(walls_of));
    }

    /// Wall rows of each component that must keep a pinned one, by their numbers.
    pub fn loose(&self) -> &[Vec<u32>] {
        &self.loose
    }

    /// How many there are, on all ranks.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Lifts every wall row to its bound.
    pub fn lift<const D: usize>(&self, rows: Rows<D>, q: &mut [f64]) {
        let lower = rows.problem.lower();
        self.for_each(q, |wall, q| *q = q.max(lower[self.rows[wall] as usize]));
    }

    /// Sets the pinned rows to their bounds, to the last bit.
    pub fn settle<const D: usize>(&self, rows: Rows<D>, pinned: &[bool], q: &mut [f64]) {
        let lower = rows.problem.lower();
        self.for_each(q, |wall, q| {
            if pinned[wall] {
                *q = lower[self.rows[wall] as usize];
            }
        });
    }

    /// How far each wall row may sink, in multiples of `scale`: the floor of a correction.
    pub fn find_floors<const D: usize>(&self, rows: Rows<D>, q: &[f64], scale: f64, problem: &mut LevelProblem) {
        let lower = rows.problem.lower();
        parallel::for_each_scattered((self.rows.as_slice(), problem.floor.as_mut_slice()), |(rows, floors)| {
            for (row, floor) in rows.iter().map(|&row| row as usize).zip(floors) {
                *floor = ((lower[row] - q[row]) / scale) as f32;
            }
        });
    }

    /// Calls `kernel` with the number of every wall row and its value.
    fn for_each(&self, q: &mut [f64], kernel: impl Fn(usize, &mut f64) + Sync) {
        let (red, black) = self.rows.split_at(self.reds);
        parallel::for_each_at(red, 0, q, &kernel);
        parallel::for_each_at(black, 0, q, |wall, q| kernel(self.reds + wall, q));
    }
}
