//! A start from the coarse levels: the same problem, solved first where that is cheap.
//!
//! From the coarsest level to the finest, each level takes over the answer of the one below it,
//! smooths it by projected sweeps and improves it by a few inexact policies. A coarse cell may not
//! sink below the highest floor of its children, so that what it finds is admissible on the level
//! above it. The answer has the error of the discretisation rather than that of the equations, and
//! so nearly the right active set.

use unstick_parallel as parallel;

use super::cycle::Hierarchy;
use super::krylov::Reduced;
use super::level::Level;

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

/// The problem on one level: x ≥ floor on bounded cells, A x − load ≥ 0 complementary to it there.
struct Part {
    load: Vec<f32>,
    floor: Vec<f32>,
    x: Vec<f32>,
}

impl<const D: usize> Hierarchy<D> {
    /// Solves approximately for x on the finest level: A x − load ≥ 0 complementary to x ≥ floor on
    /// bounded cells, A x = load elsewhere. Nothing may be pinned, and nothing is afterwards.
    pub fn nested_start(&mut self, reduced: &mut Reduced, load: Vec<f32>, floor: Vec<f32>) -> Vec<f32> {
        let mut parts = vec![Part { x: vec![0.0; load.len()], load, floor }];
        for level in 1..self.levels.len() {
            let size = 2 * self.levels[level].slots;
            let mut part = Part { load: vec![0.0; size], floor: vec![f32::NEG_INFINITY; size], x: vec![0.0; size] };
            let (fine, above) = (&self.levels[level - 1], &parts[level - 1]);
            fine.restrict(&self.levels[level], &self.columns[level], &above.load, &mut part.load);
            for &cell in &self.walls[level - 1] {
                let floor = &mut part.floor[fine.parents[cell as usize] as usize];
                *floor = floor.max(above.floor[cell as usize]);
            }
            parts.push(part);
        }
        for level in (1..self.levels.len()).rev() {
            self.improve(reduced, level, &mut parts[level]);
            let x = std::mem::take(&mut parts[level].x);
            let above = &mut parts[level - 1];
            self.levels[level - 1].prolong(&x, &mut above.x);
            (0..SWEEPS).for_each(|_| self.projected_sweep(level - 1, above));
        }
        parts.swap_remove(0).x
    }

    /// A few policies on a coarse level.
    fn improve(&mut self, reduced: &mut Reduced, level: usize, part: &mut Part) {
        let is_last = level + 1 == self.levels.len();
        let size = part.x.len();
        let (mut defects, mut answer) = (vec![0.0; size], vec![0.0; size]);
        let mut pinned = vec![false; self.walls[level].len()];
        for _ in 0..if is_last { POLICIES_AT_THE_END } else { POLICIES } {
            let grid = &self.levels[level];
            let mut changes = Vec::new();
            for (&cell, pinned) in self.walls[level].iter().zip(&mut pinned) {
                let cell = cell as usize;
                let above_floor = part.x[cell] - part.floor[cell];
                let is_active = grid.diagonal(cell) * above_floor + grid.residual_of(cell, &part.load, &part.x) <= 0.0;
                if is_active != std::mem::replace(pinned, is_active) {
                    changes.push((cell, is_active));
                }
            }
            if is_last && changes.is_empty() {
                break;
            }
            for (&cell, _) in self.walls[level].iter().zip(&pinned).filter(|(_, pinned)| **pinned) {
                part.x[cell as usize] = part.floor[cell as usize];
            }
            self.pin(level, changes.into_iter());
            let norm = self.levels[level].defects(&part.load, &part.x, &mut defects);
            parallel::for_each((self.b[level].as_mut_slice(), defects.as_slice()), |(b, defect)| {
                b.iter_mut().zip(defect).for_each(|(b, defect)| *b = -defect);
            });
            reduced.solve(self, level, &mut answer, FORCING * norm, CYCLES);
            parallel::for_each((part.x.as_mut_slice(), answer.as_slice()), |(x, answer)| {
                x.iter_mut().zip(answer).for_each(|(x, answer)| *x += answer);
            });
        }
        let freed: Vec<_> =
            self.walls[level].iter().zip(&pinned).filter(|(_, pinned)| **pinned).map(|(&cell, _)| cell).collect();
        self.pin(level, freed.into_iter().map(|cell| (cell as usize, false)));
        self.lift(level, part, 0..self.walls[level].len());
    }

    /// One Gauss–Seidel sweep in which no cell sinks below its floor.
    fn projected_sweep(&self, level: usize, part: &mut Part) {
        let grid = &self.levels[level];
        let red_walls = self.walls[level].partition_point(|&cell| (cell as usize) < grid.slots);
        let (red, black) = part.x.split_at_mut(grid.slots);
        grid.half_sweep(0, Some(&part.load[..grid.slots]), black, red);
        self.lift(level, part, 0..red_walls);
        let (red, black) = part.x.split_at_mut(grid.slots);
        grid.half_sweep(1, Some(&part.load[grid.slots..]), red, black);
        self.lift(level, part, red_walls..self.walls[level].len());
    }

    /// Lifts walls to their floor.
    fn lift(&self, level: usize, part: &mut Part, walls: std::ops::Range<usize>) {
        for &cell in &self.walls[level][walls] {
            let (x, floor) = (&mut part.x[cell as usize], part.floor[cell as usize]);
            *x = x.max(floor);
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
