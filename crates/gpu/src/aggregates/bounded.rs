//! Bounds on the unknowns of a level: projected sweeps, policies, and a start from the coarse levels.

use super::{Repeated, RowsProblem};
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::Args;

/// Projected sweeps that smooth. They change all rows at once, where the processor's sweeps, half as many, change one
/// after the other. An even number: they write into two arrays in turns.
const SWEEPS: usize = 4;

/// Policies on each coarse level. More are no use: the error of the coarse level itself remains.
const POLICIES: usize = 2;

/// Policies on the coarsest level, where they cost nothing.
const POLICIES_AT_THE_END: usize = 4;

impl RowsProblem {
    /// Sweeps on the correction of a level. `has_floor`: no row sinks below its floor.
    pub(super) fn relax(&mut self, level: usize, has_floor: bool) -> Result<(), GpuError> {
        let mut args = self.args(level);
        let s = &mut args.aggregates;
        s.has_floor = has_floor as i32;
        (s.relaxed, s.relaxing) = (s.level.correction, s.level.other_step);
        for _ in 0..SWEEPS {
            self.launch(Kernel::RowsRelax, &args)?;
            let s = &mut args.aggregates;
            (s.relaxed, s.relaxing) = (s.relaxing, s.relaxed);
        }
        Ok(())
    }

    /// Pins the rows of a level that their floor holds and frees all others. Pinned rows move to their floor.
    pub(super) fn choose_rows(&mut self, level: usize) -> Result<(), GpuError> {
        self.launch(Kernel::RowsChoose, &self.args(level))?;
        if level == 0 && self.loose_components > 0 {
            let args =
                Args { rows: self.loose_rows as i32, components: self.loose_components as i32, ..self.args(level) };
            self.driver.zero(args.candidates.address(), 2 * size_of::<u64>() * self.loose_components)?;
            self.driver.launch_items(Kernel::RowsFindCandidates, self.loose_rows, &args)?;
            self.driver.launch_items(Kernel::RowsPinCandidates, self.loose_components, &args)?;
        }
        self.launch(Kernel::RowsSettle, &self.args(level))
    }

    /// Solves the problem of the finest level approximately, coarse levels first. Nothing may be pinned, and nothing is
    /// afterwards; but coarse levels still know the pins of finer ones.
    pub(super) fn nested_start(&mut self) -> Result<(), GpuError> {
        self.replay(Repeated::Start, |problem| {
            let last = problem.levels.len() - 1;
            for level in 0..last {
                problem.launch_coarse(Kernel::RowsRestrictProblem, &problem.args(level))?;
            }
            for level in (1..=last).rev() {
                problem.improve(level, if level == last { POLICIES_AT_THE_END } else { POLICIES })?;
                let args = problem.args(level - 1);
                problem.launch(Kernel::RowsProlongAnswer, &args)?;
                problem.relax(level - 1, false)?;
                problem.launch(Kernel::RowsMeasureEnergy, &args)?;
                problem.launch(Kernel::RowsScale, &args)?;
                problem.relax(level - 1, true)?;
            }
            Ok(())
        })
    }

    /// A few policies on a coarse level.
    fn improve(&mut self, level: usize, policies: usize) -> Result<(), GpuError> {
        for _ in 0..policies {
            self.choose_rows(level)?;
            self.renew(level)?;
            self.launch(Kernel::RowsLoad, &self.args(level))?;
            self.solve_coarse(level, 0)?;
            self.launch(Kernel::RowsCorrect, &self.args(level))?;
        }
        self.launch(Kernel::RowsRelease, &self.args(level))
    }
}
