//! The rows at separating walls: which of them let go.

use super::super::active_set::pin_one_row;
use crate::checkerboard::{Hierarchy, Layout};
use crate::pressure::PressureOperator;
use crate::problem::Mlcp;

/// All wall rows of a problem on a grid.
pub(super) struct Walls<'p, const D: usize> {
    problem: &'p Mlcp<'p>,
    operator: &'p PressureOperator<D>,
    walls: Vec<Wall>,
}

struct Wall {
    row: u32,
    /// Cell of the row on the checkerboard.
    cell: u32,
    /// Stretch of the row in the operator.
    stretch: u32,
    is_pinned: bool,
}

impl<'p, const D: usize> Walls<'p, D> {
    pub fn new(
        problem: &'p Mlcp<'p>,
        operator: &'p PressureOperator<D>,
        hierarchy: &Hierarchy<D>,
        layout: &Layout,
    ) -> Self {
        let cells = layout.cells_of(hierarchy, |row| problem.is_wall(row));
        let wall = |(row, cell)| Wall { row, cell, stretch: operator.stretch_of(row) as u32, is_pinned: false };
        Self { problem, operator, walls: cells.into_iter().map(wall).collect() }
    }

    /// Lifts every wall row to its bound.
    pub fn lift(&self, q: &mut [f64]) {
        for row in self.walls.iter().map(|wall| wall.row as usize) {
            q[row] = q[row].max(self.problem.lower()[row]);
        }
    }

    /// How far each wall row may sink, in multiples of `scale`.
    pub fn floors(&self, q: &[f64], scale: f64, floor: &mut [f32]) {
        for wall in &self.walls {
            let row = wall.row as usize;
            floor[wall.cell as usize] = ((self.problem.lower()[row] - q[row]) / scale) as f32;
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.walls.len()
    }

    /// The wall rows, ascending.
    pub fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.walls.iter().map(|wall| wall.row)
    }

    /// Pins every wall row whose bound is the binding condition, moves it there and frees all
    /// others; returns the cells that changed. One row of each `loose` component stays pinned.
    pub fn choose(&mut self, loose: &[Vec<u32>], q: &mut [f64], r: &mut [f64]) -> Vec<(usize, bool)> {
        let anchored = self.anchored(loose, q, r);
        let mut changes = Vec::new();
        for index in 0..self.walls.len() {
            let wall = &self.walls[index];
            let row = wall.row as usize;
            let is_pinned = self.problem.is_active(row, q, r) || anchored.contains(&wall.row);
            if is_pinned != wall.is_pinned {
                changes.push((wall.cell as usize, is_pinned));
                self.walls[index].is_pinned = is_pinned;
            }
        }
        for wall in self.walls.iter().filter(|wall| wall.is_pinned) {
            self.set(wall, self.problem.lower()[wall.row as usize], q, r);
        }
        changes
    }

    /// The rows that must be pinned so that no component without air is left without a hold.
    fn anchored(&self, loose: &[Vec<u32>], q: &[f64], r: &[f64]) -> Vec<u32> {
        if loose.is_empty() {
            return Vec::new();
        }
        let active: Vec<bool> = (0..q.len()).map(|row| self.problem.is_active(row, q, r)).collect();
        let mut free: Vec<bool> = active.iter().map(|active| !active).collect();
        pin_one_row(self.problem, loose, q, r, &mut free);
        (0..q.len() as u32).filter(|&row| !free[row as usize] && !active[row as usize]).collect()
    }

    fn set(&self, wall: &Wall, value: f64, q: &mut [f64], r: &mut [f64]) {
        let row = wall.row as usize;
        let change = value - q[row];
        if change != 0.0 {
            q[row] = value;
            r[row] += self.diagonal(row) * change;
            self.operator.neighbours(wall.stretch as usize, wall.row, |column, entry| r[column] += entry * change);
        }
    }

    fn diagonal(&self, row: usize) -> f64 {
        self.problem.operator().diagonal()[row]
    }
}
