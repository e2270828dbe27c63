//! Policies on one level: which bounded cells rest on their floor, and what the others become then.

use unstick_parallel::{self as parallel, refill};

use super::cycle::Hierarchy;
use super::level::Level;
use crate::ranks::Reductions;

/// The problem on one level: x ≥ floor on bounded cells, A x − load ≥ 0 complementary to it there, A x = load elsewhere.
#[derive(Default)]
pub(crate) struct LevelProblem {
    pub load: Vec<f32>,
    /// Floors of the bounded cells, in the order of the hierarchy's list of them.
    pub floor: Vec<f32>,
    /// Whether they are pinned.
    pub pinned: Vec<bool>,
    pub x: Vec<f32>,
    /// Whether they should be.
    wanted: Vec<bool>,
}

impl LevelProblem {
    /// Begins a problem from zero, without load, in which nothing is pinned and nothing has a floor.
    pub fn begin<const D: usize>(&mut self, hierarchy: &Hierarchy<D>, level: usize) {
        let (size, walls) = (2 * hierarchy.levels[level].slots, hierarchy.walls[level].len());
        refill(&mut self.load, size, 0.0);
        refill(&mut self.x, size, 0.0);
        refill(&mut self.floor, walls, f32::NEG_INFINITY);
        refill(&mut self.pinned, walls, false);
        refill(&mut self.wanted, walls, false);
    }
}

impl<const D: usize> Hierarchy<D> {
    /// Gauss–Seidel sweeps in which no cell sinks below its floor. Pinned cells move like all others.
    pub fn relax(&self, level: usize, problem: &mut LevelProblem, sweeps: usize) {
        (0..2 * sweeps).for_each(|half| self.half_relax(level, problem, half % 2, false));
    }

    /// The same from zero, whatever the iterate was.
    pub fn relax_from_zero(&self, level: usize, problem: &mut LevelProblem, sweeps: usize) {
        (0..2 * sweeps).for_each(|half| self.half_relax(level, problem, half % 2, half == 0));
    }

    /// Half a sweep. In the first one all neighbours are zero.
    fn half_relax(&self, level: usize, problem: &mut LevelProblem, colour: usize, is_first: bool) {
        let (grid, cells) = (&self.levels[level], &self.walls[level]);
        let LevelProblem { load, floor, pinned, x, .. } = problem;
        let reds = self.red_walls(level);
        let (red, black) = x.split_at_mut(grid.slots);
        let (own, other) = if colour == 0 { (red, &*black) } else { (black, &*red) };
        let (first, walls) = if colour == 0 { (0, 0..reds) } else { (grid.slots, reds..cells.len()) };
        let b = &load[first..][..grid.slots];
        match is_first {
            true => grid.first_half_sweep_inside(colour, b, own),
            false => grid.half_sweep_inside(colour, Some(b), other, own),
        }
        let other = (!is_first).then_some(other);
        let (cells, floor, pinned) = (&cells[walls.clone()], &floor[walls.clone()], &pinned[walls]);
        parallel::for_each_at(cells, first, own, |wall, x| {
            let swept = if pinned[wall] { grid.freed(colour, cells[wall] as usize - first, b, other) } else { *x };
            *x = swept.max(floor[wall]);
        });
        grid.halo.fill(own);
    }

    /// Pins every bounded cell whose floor is the binding condition, moves it there and frees all others. At least one of
    /// each list of `loose` ones is pinned, by their numbers. Returns how many have changed, on all ranks.
    pub fn choose(&mut self, level: usize, problem: &mut LevelProblem, loose: &[Vec<u32>]) -> usize {
        let (grid, cells) = (&self.levels[level], self.walls[level].as_slice());
        let LevelProblem { load, floor, pinned, x, wanted } = problem;
        // A_ii (x_i − floor_i) ≤ r_i where the floor holds the cell.
        let slack = |wall: usize| {
            let cell = cells[wall] as usize;
            grid.diagonal(cell) * (x[cell] - floor[wall]) + grid.residual_of(cell, load, x)
        };
        parallel::for_each_scattered((0..cells.len(), wanted.as_mut_slice()), |(walls, wanted)| {
            walls.zip(wanted).for_each(|(wall, wanted)| *wanted = slack(wall) <= 0.0);
        });
        for walls in loose {
            let [pinned] = self.ranks().total([walls.iter().filter(|&&wall| wanted[wall as usize]).count()]);
            if pinned == 0 {
                let least = walls.iter().min_by(|&&a, &&b| slack(a as usize).total_cmp(&slack(b as usize)));
                let place = |wall: u32| grid.place_of_cell(cells[wall as usize] as usize);
                let own = least.map(|&wall| (slack(wall as usize) as f64, place(wall)));
                if self.ranks().has_least(own) {
                    least.into_iter().for_each(|&wall| wanted[wall as usize] = true);
                }
            }
        }
        let mut changes = parallel::list_scattered(0..cells.len(), |walls| {
            let changed = walls.filter(|&wall| wanted[wall] != pinned[wall]);
            changed.map(|wall| (cells[wall], wanted[wall])).collect()
        });
        let [changed] = self.ranks().total([changes.len()]);
        pinned.copy_from_slice(wanted);
        hold(cells, floor, pinned, x);
        if grid.halo.is_shared() {
            grid.fill(x);
            let mut is_pinned = vec![false; 2 * grid.slots];
            cells.iter().zip(&*pinned).for_each(|(&cell, &pinned)| is_pinned[cell as usize] = pinned);
            changes.extend(grid.changed_ghosts(&mut is_pinned));
            changes.sort_unstable();
        }
        self.pin(level, &changes);
        changed
    }

    /// Moves the pinned red cells back to their floor: half-sweeps leave them at zero.
    pub(super) fn hold_red(&self, level: usize, floor: &[f32], pinned: &[bool], red: &mut [f32]) {
        hold(&self.walls[level][..self.red_walls(level)], floor, pinned, red);
        self.levels[level].halo.fill(red);
    }

    /// Frees all cells of a level and lifts the bounded ones to their floors.
    pub fn release(&mut self, level: usize, problem: &mut LevelProblem) {
        let cells = self.walls[level].as_slice();
        let LevelProblem { floor, pinned, x, .. } = problem;
        let mut freed = parallel::list_scattered((cells, pinned.as_slice()), |(cells, pinned)| {
            cells.iter().zip(pinned).filter(|(_, pinned)| **pinned).map(|(&cell, _)| (cell, false)).collect()
        });
        parallel::for_each_at(cells, 0, x, |wall, x| *x = x.max(floor[wall]));
        pinned.fill(false);
        let grid = &self.levels[level];
        if grid.halo.is_shared() {
            grid.fill(x);
            freed.extend(grid.ghosts().filter(|&ghost| !grid.is_free(ghost)).map(|ghost| (ghost as u32, false)));
            freed.sort_unstable();
        }
        self.pin(level, &freed);
    }

    /// How many of the bounded cells of a level are red; they come first.
    pub(super) fn red_walls(&self, level: usize) -> usize {
        self.walls[level].partition_point(|&cell| (cell as usize) < self.levels[level].slots)
    }
}

/// Sets pinned cells to their floors.
fn hold(cells: &[u32], floor: &[f32], pinned: &[bool], x: &mut [f32]) {
    parallel::for_each_at(cells, 0, x, |wall, x| {
        if pinned[wall] {
            *x = floor[wall];
        }
    });
}

impl<const D: usize> Level<D> {
    /// What a half-sweep would make of a pinned cell if it were free. No `other` stands for zero.
    fn freed(&self, colour: usize, slot: usize, b: &[f32], other: Option<&[f32]>) -> f32 {
        let Some(index) = self.cut_index(slot) else { return 0.0 };
        let cut = &self.cuts[colour][index];
        let Some(other) = other else { return b[slot] / cut.diagonal };
        let beside: f32 =
            self.extras_of(colour, slot).iter().map(|extra| extra.coupling * other[extra.slot as usize]).sum();
        (b[slot] + cut.sum(other) + beside) / cut.diagonal
    }

    /// b − A x of a cell, pinned or not.
    fn residual_of(&self, cell: usize, b: &[f32], x: &[f32]) -> f32 {
        let mut residual = b[cell] - self.diagonal(cell) * x[cell];
        self.couplings(cell, |coupling| residual += coupling.value * x[coupling.cell]);
        residual
    }
}
