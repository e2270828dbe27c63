//! The K-cycle as launches.

use super::RowsProblem;
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{Args, KRYLOV_LEVELS, SMALL_THREADS, SMOOTHINGS_INSTEAD, THREADS};

/// Levels of this many rows or fewer are worked on in one launch.
const SMALL_ROWS: i32 = 4096;

impl RowsProblem {
    /// Blocks that loop over the rows of a level.
    fn launch_rows(&mut self, kernel: Kernel, rows: i32, args: &Args) -> Result<(), GpuError> {
        let blocks = (rows as u32).div_ceil(THREADS).min(self.driver.full_blocks());
        self.driver.launch(kernel, blocks, THREADS, args)
    }

    /// Work on the rows of the level of the arguments.
    pub(super) fn launch(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.launch_rows(kernel, args.aggregates.level.count, args)
    }

    /// Work on those of its coarser level.
    pub(super) fn launch_coarse(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.launch_rows(kernel, args.aggregates.coarse.count, args)
    }

    /// x ← B b on a level, on the finest one too. `guards`: the levels in whose second step this is.
    pub(super) fn cycle(&mut self, level: usize, guards: i32) -> Result<(), GpuError> {
        let last = self.levels.len() - 1;
        let mut args = self.args(level);
        args.aggregates.guards = guards;
        if self.levels[level].count <= SMALL_ROWS {
            (args.first_level, args.last_level) = (level as i32, last as i32);
            return self.driver.launch(Kernel::RowsSmall, self.driver.cluster(), SMALL_THREADS, &args);
        }
        self.launch(Kernel::RowsSmoothDown, &args)?;
        if level < last {
            self.launch(Kernel::RowsLeaveResidual, &args)?;
            self.launch_coarse(Kernel::RowsGatherResidual, &args)?;
            self.solve_coarse(level + 1, guards)?;
            self.launch(Kernel::RowsProlong, &args)?;
        }
        for _ in 0..if level < last { 1 } else { SMOOTHINGS_INSTEAD } {
            self.launch(Kernel::RowsResume, &args)?;
            self.launch(Kernel::RowsSmoothUp, &args)?;
        }
        Ok(())
    }

    /// x ≈ A⁻¹ b on a coarse level, by one or two steps of flexible conjugate gradients around a cycle.
    pub(super) fn solve_coarse(&mut self, level: usize, guards: i32) -> Result<(), GpuError> {
        self.cycle(level, guards)?;
        if self.levels[level].count <= SMALL_ROWS {
            return Ok(()); // that was all of it
        }
        let mut args = self.args(level);
        args.aggregates.guards = guards;
        self.launch(Kernel::RowsMeasureFirst, &args)?;
        if level > KRYLOV_LEVELS {
            return Ok(());
        }
        args.aggregates.guards |= 1 << level;
        self.launch(Kernel::RowsBeginSecond, &args)?;
        self.cycle(level, args.aggregates.guards)?;
        self.launch(Kernel::RowsMeasureSecond, &args)
    }
}
