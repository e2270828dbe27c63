//! A start from the coarse levels: the same problem, solved first where that is cheap.
//!
//! From the coarsest level to the finest, each level takes over the answer of the level below it,
//! smooths it by projected sweeps and improves it by a few inexact policies. A coarse cell may not
//! sink below the highest floor of its children, so that its answer is admissible on the level
//! above it. The result has the error of the discretisation rather than that of the equations, and
//! so nearly the right active set.

use unstick_parallel as parallel;

use super::cycle::Hierarchy;
use super::krylov::Reduced;
use super::level::{Level, refill};

/// Projected Gauss–Seidel sweeps that smooth what comes from the coarser level.
const SWEEPS: usize = 2;

/// Policies on each level. More are no use: the error of the coarse level itself remains.
const POLICIES: usize = 2;

/// Policies on the coarsest level, where they cost nothing.
const POLICIES_AT_THE_END: usize = 6;

/// Cycles for each policy.
const CYCLES: usize = 3;

/// Each policy is solved to this part of its right-hand side.
const FORCING: f64 = 0.1;

/// The memory of a nested start.
#[derive(Default)]
pub(crate) struct NestedStart {
    /// The problem on each level, finest first.
    problems: Vec<LevelProblem>,
    defects: Vec<f32>,
    correction: Vec<f32>,
    pinned: Vec<bool>,
}

/// The problem on one level: x ≥ floor on bounded cells, A x − load ≥ 0 complementary to it there.
#[derive(Default)]
struct LevelProblem {
    load: Vec<f32>,
    /// Floors of the bounded cells, in the order of the hierarchy's list of them.
    floor: Vec<f32>,
    x: Vec<f32>,
}

impl<const D: usize> Hierarchy<D> {
    /// Solves approximately for x on the finest level: A x − load ≥ 0 complementary to x ≥ floor on
    /// bounded cells, A x = load elsewhere. Nothing may be pinned, and nothing is afterwards.
    ///
    /// The load is the right-hand side of the finest level; `floors` names every bounded cell.
    pub fn nested_start(
        &mut self,
        reduced: &mut Reduced,
        start: &mut NestedStart,
        floors: impl Iterator<Item = (u32, f32)>,
        x: &mut Vec<f32>,
    ) {
        start.problems.resize_with(self.levels.len().max(start.problems.len()), LevelProblem::default);
        // Vectors of the finest level are free now: they are lent for as long as this takes.
        std::mem::swap(&mut start.problems[0].load, &mut self.b[0]);
        std::mem::swap(&mut start.problems[0].x, x);
        self.pose(start, floors);
        for level in (1..self.levels.len()).rev() {
            self.improve(reduced, start, level);
            let [above, problem] = &mut start.problems[level - 1..=level] else { unreachable!("two levels") };
            self.levels[level - 1].prolong(&problem.x, &mut above.x);
            (0..SWEEPS).for_each(|_| self.projected_sweep(level - 1, above));
        }
        std::mem::swap(&mut start.problems[0].load, &mut self.b[0]);
        std::mem::swap(&mut start.problems[0].x, x);
    }

    /// The problems of all levels, from zero.
    fn pose(&self, start: &mut NestedStart, floors: impl Iterator<Item = (u32, f32)>) {
        let place = |level: usize, cell: u32| {
            self.walls[level].binary_search(&cell).expect("parents of bounded cells are bounded")
        };
        let finest = &mut start.problems[0];
        refill(&mut finest.x, self.size(), 0.0);
        refill(&mut finest.floor, self.walls[0].len(), f32::NEG_INFINITY);
        floors.for_each(|(cell, floor)| finest.floor[place(0, cell)] = floor);
        for level in 1..self.levels.len() {
            let size = 2 * self.levels[level].slots;
            let [above, problem] = &mut start.problems[level - 1..=level] else { unreachable!("two levels") };
            refill(&mut problem.load, size, 0.0);
            refill(&mut problem.floor, self.walls[level].len(), f32::NEG_INFINITY);
            refill(&mut problem.x, size, 0.0);
            let fine = &self.levels[level - 1];
            fine.restrict(&self.levels[level], &self.columns[level], &above.load, &mut problem.load);
            for (&cell, above) in self.walls[level - 1].iter().zip(&above.floor) {
                let floor = &mut problem.floor[place(level, fine.parents[cell as usize])];
                *floor = floor.max(*above);
            }
        }
    }

    /// A few policies on a coarse level.
    fn improve(&mut self, reduced: &mut Reduced, start: &mut NestedStart, level: usize) {
        let is_last = level + 1 == self.levels.len();
        let NestedStart { problems, defects, correction, pinned } = start;
        let problem = &mut problems[level];
        refill(defects, problem.x.len(), 0.0);
        refill(correction, problem.x.len(), 0.0);
        refill(pinned, self.walls[level].len(), false);
        for _ in 0..if is_last { POLICIES_AT_THE_END } else { POLICIES } {
            let grid = &self.levels[level];
            let mut changes = Vec::new();
            for ((&cell, floor), pinned) in self.walls[level].iter().zip(&problem.floor).zip(&mut *pinned) {
                let cell = cell as usize;
                let above_floor = problem.x[cell] - floor;
                let residual = grid.residual_of(cell, &problem.load, &problem.x);
                let is_active = grid.diagonal(cell) * above_floor + residual <= 0.0;
                if is_active != std::mem::replace(pinned, is_active) {
                    changes.push((cell, is_active));
                }
            }
            if is_last && changes.is_empty() {
                break;
            }
            let walls = self.walls[level].iter().zip(&problem.floor).zip(&*pinned);
            walls.filter(|(_, pinned)| **pinned).for_each(|((&cell, floor), _)| problem.x[cell as usize] = *floor);
            self.pin(level, changes.into_iter());
            let norm = self.levels[level].defects(&problem.load, &problem.x, defects);
            parallel::for_each((self.b[level].as_mut_slice(), defects.as_slice()), |(b, defect)| {
                b.iter_mut().zip(defect).for_each(|(b, defect)| *b = -defect);
            });
            reduced.solve(self, level, correction, FORCING * norm, CYCLES);
            parallel::for_each((problem.x.as_mut_slice(), correction.as_slice()), |(x, correction)| {
                x.iter_mut().zip(correction).for_each(|(x, correction)| *x += correction);
            });
        }
        let walls = self.walls[level].iter().zip(&*pinned);
        let freed: Vec<_> = walls.filter(|(_, pinned)| **pinned).map(|(&cell, _)| (cell as usize, false)).collect();
        self.pin(level, freed.into_iter());
        self.lift(level, problem, 0..self.walls[level].len());
    }

    /// One Gauss–Seidel sweep in which no cell sinks below its floor.
    fn projected_sweep(&self, level: usize, problem: &mut LevelProblem) {
        let grid = &self.levels[level];
        let red_walls = self.walls[level].partition_point(|&cell| (cell as usize) < grid.slots);
        let (red, black) = problem.x.split_at_mut(grid.slots);
        grid.half_sweep(0, Some(&problem.load[..grid.slots]), black, red);
        self.lift(level, problem, 0..red_walls);
        let (red, black) = problem.x.split_at_mut(grid.slots);
        grid.half_sweep(1, Some(&problem.load[grid.slots..]), red, black);
        self.lift(level, problem, red_walls..self.walls[level].len());
    }

    /// Lifts walls to their floor.
    fn lift(&self, level: usize, problem: &mut LevelProblem, walls: std::ops::Range<usize>) {
        for (&cell, floor) in self.walls[level][walls.clone()].iter().zip(&problem.floor[walls]) {
            let x = &mut problem.x[cell as usize];
            *x = x.max(*floor);
        }
    }
}

impl<const D: usize> Level<D> {
    /// b − A x of a cell, pinned or not.
    fn residual_of(&self, cell: usize, b: &[f32], x: &[f32]) -> f32 {
        let mut residual = b[cell] - self.diagonal(cell) * x[cell];
        self.couplings(cell, |coupling| residual += coupling.value * x[coupling.cell]);
        residual
    }
}
