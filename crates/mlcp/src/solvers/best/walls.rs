//! The rows at separating walls: which of them let go.

use super::super::active_set::pin_one_row;
use super::Rows;
use crate::checkerboard::{Hierarchy, Layout};

/// All wall rows of a problem on a grid, ascending.
#[derive(Default)]
pub(super) struct WallRows(Vec<WallRow>);

struct WallRow {
    row: u32,
    /// Cell of the row on the checkerboard.
    cell: u32,
    /// Stretch of the row in the operator.
    stretch: u32,
    is_pinned: bool,
}

impl WallRows {
    /// Finds the wall rows; keeps the memory.
    pub fn rebuild<const D: usize>(&mut self, rows: Rows<D>, hierarchy: &Hierarchy<D>, layout: &Layout) {
        let cells = layout.cells_of(hierarchy, |row| rows.problem.is_wall(row));
        let wall = |(row, cell)| WallRow { row, cell, stretch: rows.operator.stretch_of(row) as u32, is_pinned: false };
        self.0.clear();
        self.0.extend(cells.map(wall));
    }

    /// Lifts every wall row to its bound.
    pub fn lift<const D: usize>(&self, rows: Rows<D>, q: &mut [f64]) {
        for row in self.0.iter().map(|wall| wall.row as usize) {
            q[row] = q[row].max(rows.problem.lower()[row]);
        }
    }

    /// How far each wall row may sink, in multiples of `scale`: its cell, and the floor of a correction there.
    pub fn floors<const D: usize>(&self, rows: Rows<D>, q: &[f64], scale: f64) -> impl Iterator<Item = (u32, f32)> {
        self.0.iter().map(move |wall| {
            let row = wall.row as usize;
            (wall.cell, ((rows.problem.lower()[row] - q[row]) / scale) as f32)
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The wall rows, ascending.
    pub fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().map(|wall| wall.row)
    }

    /// Pins every wall row whose bound is the binding condition, moves it there and frees all
    /// others; returns the cells that changed. One row of each `loose` component stays pinned.
    pub fn choose<const D: usize>(
        &mut self,
        rows: Rows<D>,
        loose: &[Vec<u32>],
        q: &mut [f64],
        r: &mut [f64],
    ) -> Vec<(usize, bool)> {
        let holding = holding_rows(rows, loose, q, r);
        let mut changes = Vec::new();
        for wall in &mut self.0 {
            let is_pinned = rows.problem.is_active(wall.row as usize, q, r) || holding.contains(&wall.row);
            if is_pinned != std::mem::replace(&mut wall.is_pinned, is_pinned) {
                changes.push((wall.cell as usize, is_pinned));
            }
        }
        for wall in self.0.iter().filter(|wall| wall.is_pinned) {
            wall.move_to_bound(rows, q, r);
        }
        changes
    }
}

impl WallRow {
    /// q ← ℓ in this row; r = A q + b is kept up to date.
    fn move_to_bound<const D: usize>(&self, Rows { problem, operator }: Rows<D>, q: &mut [f64], r: &mut [f64]) {
        let row = self.row as usize;
        let change = problem.lower()[row] - q[row];
        if change != 0.0 {
            q[row] = problem.lower()[row];
            r[row] += problem.operator().diagonal()[row] * change;
            operator.neighbours(self.stretch as usize, self.row, |column, entry| r[column] += entry * change);
        }
    }
}

/// The rows that must be pinned beside the active ones, so that every component without air is held.
fn holding_rows<const D: usize>(Rows { problem, .. }: Rows<D>, loose: &[Vec<u32>], q: &[f64], r: &[f64]) -> Vec<u32> {
    if loose.is_empty() {
        return Vec::new();
    }
    let active: Vec<bool> = (0..q.len()).map(|row| problem.is_active(row, q, r)).collect();
    let mut free: Vec<bool> = active.iter().map(|active| !active).collect();
    pin_one_row(problem, loose, q, r, &mut free);
    (0..q.len() as u32).filter(|&row| !free[row as usize] && !active[row as usize]).collect()
}
