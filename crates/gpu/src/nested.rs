//! A start from the coarse levels: the same problem, solved first where that is cheap.

use crate::error::GpuError;
use crate::hierarchy::Device;
use crate::layout::{Args, Settle, Truncation};
use crate::machine::Kernel;

/// Projected sweeps that smooth what comes from the coarser level.
const SWEEPS: usize = 2;

/// Projected sweeps on each small level, which have no policies.
const SMALL_SWEEPS: i32 = 12;

/// The same where there are no other levels than these and the finest.
const SMALL_SWEEPS_ALONE: i32 = 40;

/// Policies on each level. More are no use: the error of the coarse level itself remains.
const POLICIES: usize = 2;

/// Cycles for each policy; a fixed number, so that the host need not ask.
const CYCLES: usize = 1;

impl Device {
    /// The nested problem on all coarse levels, whose load and floor are on level 1.
    pub fn solve_coarse(&mut self) -> Result<(), GpuError> {
        let small = self.first_small().max(1);
        for level in 1..small {
            self.launch_quads(Kernel::RestrictStart, &self.args(level))?;
        }
        let sweeps = if small == 1 { SMALL_SWEEPS_ALONE } else { SMALL_SWEEPS };
        self.launch_small(Kernel::SmallStart, small, &Args { mode: sweeps, ..self.args(0) })?;
        for level in (1..small).rev() {
            self.launch(Kernel::ProlongStart, &self.args(level))?;
            self.project(Kernel::ProjectStart, level, SWEEPS)?;
            self.improve(level)?;
        }
        Ok(())
    }

    /// Projected Gauss–Seidel sweeps over all cells of a level.
    pub fn project(&mut self, kernel: Kernel, level: usize, sweeps: usize) -> Result<(), GpuError> {
        for colour in (0..sweeps).flat_map(|_| [0, 1]) {
            self.launch(kernel, &Args { colour, ..self.args(level) })?;
        }
        Ok(())
    }

    /// A few policies on a coarse level.
    fn improve(&mut self, level: usize) -> Result<(), GpuError> {
        let args = Args { factor: 1.0, ..self.args(level) };
        for _ in 0..POLICIES {
            self.launch_listed(Kernel::ChooseStart, &args)?;
            self.launch_listed(Kernel::SettleStart, &Args { mode: Settle::Pinned as i32, ..args })?;
            self.truncate(level, Truncation::Always)?;
            self.reduce(Kernel::LoadStart, &args)?;
            self.begin_gradients(level)?;
            for _ in 0..CYCLES {
                self.iterate_gradients(level)?;
            }
            self.launch(Kernel::CorrectStart, &args)?;
        }
        self.launch_listed(Kernel::SettleStart, &Args { mode: Settle::Release as i32, ..args })
    }
}
