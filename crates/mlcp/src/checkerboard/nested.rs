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
use super::policy::LevelProblem;

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

/// The memory of a nested start: the problems on all levels but the finest.
#[derive(Default)]
pub(crate) struct NestedStart(Vec<LevelProblem>);

impl<const D: usize> Hierarchy<D> {
    /// Solves a problem on the finest level approximately. Nothing may be pinned, and nothing is afterwards.
    pub fn nested_start(&mut self, reduced: &mut Reduced, start: &mut NestedStart, finest: &mut LevelProblem) {
        if let (Some(share), Some(gathered), [only]) = (&self.share, &mut self.gathered, &*self.levels) {
            return gathered.solve(share, only, reduced, finest, false);
        }
        let coarse = &mut start.0;
        coarse.resize_with(coarse.len().max(self.levels.len() - 1), LevelProblem::default);
        for level in 1..self.levels.len() {
            let (above, below) = coarse.split_at_mut(level - 1);
            self.pose(level, above.last().unwrap_or(finest), &mut below[0]);
        }
        for level in (1..self.levels.len()).rev() {
            let (above, below) = coarse.split_at_mut(level - 1);
            let (above, problem) = (above.last_mut().unwrap_or(finest), &mut below[0]);
            match (&self.share, &mut self.gathered) {
                (Some(share), Some(gathered)) if level + 1 == self.levels.len() => {
                    gathered.solve(share, &self.levels[level], reduced, problem, true);
                }
                _ => self.improve(reduced, level, problem),
            }
            self.levels[level - 1].prolong(&problem.x, &mut above.x);
            self.relax(level - 1, above, SWEEPS);
        }
    }

    /// The problem on a coarse level, from the one above it.
    fn pose(&self, level: usize, above: &LevelProblem, problem: &mut LevelProblem) {
        problem.begin(self, level);
        let fine = &self.levels[level - 1];
        fine.restrict(&self.levels[level], &self.columns[level], &above.load, &mut problem.load);
        let (coarse, walls) = (&self.levels[level], &self.walls[level - 1]);
        let highest = |cell: u32| {
            let children = coarse.listed_children(cell as usize).iter();
            let floors = children.filter_map(|child| walls.binary_search(child).ok()).map(|wall| above.floor[wall]);
            floors.fold(f32::NEG_INFINITY, f32::max)
        };
        parallel::for_each_scattered(
            (self.walls[level].as_slice(), problem.floor.as_mut_slice()),
            |(cells, floors)| {
                cells.iter().zip(floors).for_each(|(&cell, floor)| *floor = highest(cell));
            },
        );
    }

    /// A few policies on a coarse level.
    pub(super) fn improve(&mut self, reduced: &mut Reduced, level: usize, problem: &mut LevelProblem) {
        let is_last = level + 1 == self.levels.len();
        for _ in 0..if is_last { POLICIES_AT_THE_END } else { POLICIES } {
            let changes = self.choose(level, problem, &[]);
            if is_last && changes == 0 {
                break;
            }
            reduced.solve(self, level, problem, |norm| FORCING * norm, CYCLES);
        }
        self.release(level, problem);
    }
}
