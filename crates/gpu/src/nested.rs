//! The nested start: the problem is solved on coarse levels first, where this is cheap.

use crate::driver::Kernel;
use crate::error::GpuError;
use crate::hierarchy::Device;
use crate::layout::{Args, Settle, Truncation};

/// Projected sweeps that smooth the correction of the coarser level.
const SWEEPS: usize = 2;

/// Projected sweeps on each small level, where no policies follow.
const SMALL_SWEEPS: i32 = 12;

/// The same if all levels but the finest are small.
const SMALL_SWEEPS_ALONE: i32 = 40;

impl Device {
    /// Solves for the correction on all coarse levels. Its load and its lower bound are on level 1.
    pub fn solve_coarse(&mut self) -> Result<(), GpuError> {
        let small = self.first_small().max(1);
        for level in 1..small {
            self.launch_quads(Kernel::RestrictCorrection, &self.args(level))?;
        }
        let projected_sweeps = if small == 1 { SMALL_SWEEPS_ALONE } else { SMALL_SWEEPS };
        self.launch_small(Kernel::SmallStart, small, &Args { projected_sweeps, ..self.args(0) })?;
        for level in (1..small).rev() {
            self.launch(Kernel::ProlongCorrection, &self.args(level))?;
            self.project(Kernel::ProjectCorrection, level, SWEEPS)?;
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

    /// A policy on a coarse level and one cycle for it. More would not help, since the error of the coarse level remains: with
    /// two policies `sphere-half` takes as many cycles, and `thin-plates` one of 12 less. The number of cycles is fixed, so
    /// that the host need not wait for a residual.
    fn improve(&mut self, level: usize) -> Result<(), GpuError> {
        let args = Args { load_scale: 1.0, ..self.args(level) };
        self.launch_listed(Kernel::ChooseCorrection, &args)?;
        self.launch_listed(Kernel::SettleCorrection, &Args { settle: Settle::Pinned as i32, ..args })?;
        self.truncate(level, Truncation::Always)?;
        self.launch_listed(Kernel::LoadCorrection, &args)?;
        self.begin_gradients(level)?;
        self.iterate_gradients(level)?;
        self.launch(Kernel::AddToCorrection, &args)?;
        self.launch_listed(Kernel::SettleCorrection, &Args { settle: Settle::Release as i32, ..args })
    }
}
