//! The hierarchy on the device: set-up, truncation at pinned cells, V-cycles, conjugate gradients.

use bytemuck::Zeroable;

use crate::arena::Arena;
use crate::driver::{Driver, Kernel};
use crate::error::GpuError;
use crate::layout::{Args, CYCLE_SWEEPS, DeviceLevel, SMALL_THREADS, Scalars, Sweep, THREADS, TINY_BYTES, Truncation};

/// A device, and the arrays of a problem in its memory.
pub(crate) struct Device {
    pub driver: Box<dyn Driver>,
    pub arena: Arena,
}

impl Device {
    pub fn levels(&self) -> usize {
        self.arena.levels.len()
    }

    pub fn level(&self, index: usize) -> DeviceLevel {
        self.arena.levels[index]
    }

    /// Index of the finest small level, which the blocks of one cluster work on.
    pub fn first_small(&self) -> usize {
        let blocks = self.driver.cluster();
        self.arena.levels.iter().position(|level| level.is_small(blocks)).expect("a single cell is small")
    }

    /// Index of the finest level that fits into the memory of a block together with all coarser ones.
    fn first_tiny(&self) -> usize {
        let last = self.level(self.levels() - 1);
        let end = last.flags.at(last.entries()).address();
        let fits = |level: &DeviceLevel| level.is_small(1) && end - level.x.address() <= TINY_BYTES as u64;
        self.arena.levels.iter().position(fits).expect("a single cell fits")
    }

    /// The arguments for work on a level and the next coarser one.
    pub fn args(&self, level: usize) -> Args {
        let coarse = self.arena.levels.get(level + 1).copied().unwrap_or_else(DeviceLevel::zeroed);
        Args { level: self.level(level), coarse, ..self.arena.base }
    }

    /// One block for each tile of `args.level`.
    pub fn launch(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.driver.launch(kernel, args.level.tile_count(), THREADS, args)
    }

    /// Eight blocks for each tile of `args.coarse`: a thread for every cell.
    fn launch_coarse(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.driver.launch(kernel, 8 * args.coarse.tile_count(), THREADS, args)
    }

    /// Blocks that loop over listed groups of `args.level`, or over its tiles and end with a sum or a maximum.
    pub fn launch_listed(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        let blocks = args.level.tile_count().min(self.driver.full_blocks());
        self.driver.launch(kernel, blocks, THREADS, args)
    }

    /// One thread for four cells of `args.coarse`.
    pub fn launch_quads(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.driver.launch_items(kernel, args.level.quads(&args.coarse) as usize, args)
    }

    /// Blocks of one cluster, which work on all levels from `first` on.
    pub fn launch_small(&mut self, kernel: Kernel, first: usize, args: &Args) -> Result<(), GpuError> {
        let (first_level, last_level) = (first as i32, self.levels() as i32 - 1);
        let args = Args { first_level, last_level, ..*args };
        self.driver.launch(kernel, self.driver.cluster(), SMALL_THREADS, &args)
    }

    pub fn scalars(&mut self) -> Result<Scalars, GpuError> {
        let mut scalars = Scalars::zeroed();
        self.driver.read(self.arena.base.scalars.address(), bytemuck::bytes_of_mut(&mut scalars))?;
        Ok(scalars)
    }

    /// Sets up all levels from the rows of the finest. No row may be pinned.
    pub fn set_up(&mut self) -> Result<(), GpuError> {
        self.launch(Kernel::ClassifyFine, &self.args(0))?;
        let small = self.first_small();
        for level in 0..small {
            let args = self.args(level);
            self.launch_coarse(Kernel::Aggregate, &args)?;
            self.launch_coarse(Kernel::Adopt, &args)?;
            self.launch_coarse(Kernel::Galerkin, &args)?;
            self.launch(Kernel::Classify, &self.args(level + 1))?;
        }
        self.launch_small(Kernel::SmallSetup, small, &self.args(0))?;
        (0..=small).try_for_each(|level| self.launch(Kernel::ListMixed, &self.args(level)))
    }

    /// Computes the couplings of all coarser levels again after the pinned cells of a level have changed.
    pub fn truncate(&mut self, level: usize, when: Truncation) -> Result<(), GpuError> {
        let small = self.first_small().max(level);
        for level in level..small {
            self.launch_listed(Kernel::Truncate, &Args { truncation: when as i32, ..self.args(level) })?;
        }
        self.launch_small(Kernel::SmallGalerkin, small, &Args { truncation: when as i32, ..self.args(0) })
    }

    /// One half-sweep.
    pub fn sweep(&mut self, level: usize, colour: i32, mode: Sweep) -> Result<(), GpuError> {
        self.launch(Kernel::Sweep, &Args { colour, sweep: mode as i32, ..self.args(level) })
    }

    /// x ← M b on a level: one V-cycle from zero. Afterwards red cells have no residual. `is_reduced`: red cells have no
    /// right-hand side.
    pub fn cycle(&mut self, level: usize, is_reduced: bool) -> Result<(), GpuError> {
        let args = Args { is_reduced: is_reduced as i32, ..self.args(level) };
        if level >= self.first_small() {
            let first_tiny = self.first_tiny().max(level) as i32;
            return self.launch_small(Kernel::SmallCycle, level, &Args { first_tiny, ..args });
        }
        let red = if is_reduced { Sweep::WithoutB } else { Sweep::WithB };
        if is_reduced {
            self.sweep(level, 1, Sweep::FromZero)?;
        } else {
            self.sweep(level, 0, Sweep::FromZero)?;
            self.sweep(level, 1, Sweep::WithB)?;
        }
        for _ in 1..CYCLE_SWEEPS {
            self.sweep(level, 0, red)?;
            self.sweep(level, 1, Sweep::WithB)?;
        }
        self.launch(Kernel::Restrict, &args)?;
        self.cycle(level + 1, false)?;
        self.launch(Kernel::Prolong, &args)?;
        for _ in 0..CYCLE_SWEEPS {
            self.sweep(level, 1, Sweep::WithB)?;
            self.sweep(level, 0, red)?;
        }
        Ok(())
    }

    /// Begins conjugate gradients on the black cells of a level, with the right-hand side in `b`.
    pub fn begin_gradients(&mut self, level: usize) -> Result<(), GpuError> {
        self.sweep(level, 0, Sweep::FromZero)?;
        self.launch_listed(Kernel::EliminateRed, &self.args(level))
    }

    /// One iteration of these conjugate gradients.
    pub fn iterate_gradients(&mut self, level: usize) -> Result<(), GpuError> {
        self.cycle(level, true)?;
        self.launch_listed(Kernel::MultiplyBlack, &self.args(level))?;
        self.launch_listed(Kernel::StepBlack, &self.args(level))
    }
}

#[cfg(all(test, feature = "emulation"))]
mod tests {
    use super::*;
    use crate::arena::{ProblemShape, Source};
    use crate::driver::EmulatedDriver;

    fn device(cells: &[usize]) -> Device {
        let mut driver = EmulatedDriver::new(cells.len(), 1);
        let arena = Arena::new(&mut driver, ProblemShape::of(cells), Source::Rows(1), &[]).unwrap();
        Device { driver: Box::new(driver), arena }
    }

    #[test]
    fn small_levels_begin_where_a_block_has_a_thread_for_every_group() {
        let device = device(&[200, 200]);
        let groups: Vec<usize> = device.arena.levels.iter().map(DeviceLevel::group_count).collect();
        assert_eq!(groups[..3], [25 * 200, 13 * 100, 7 * 50]);
        assert_eq!((device.first_small(), device.first_tiny()), (2, 2));
    }

    #[test]
    fn the_coarsest_level_has_no_coarser_one() {
        let device = device(&[5, 4, 3]);
        let last = device.levels() - 1;
        assert_eq!(device.level(last).cells, [1; 3]);
        assert_eq!(device.args(last).coarse.cells, [0; 3]);
        assert_eq!(device.args(0).coarse.cells, [3, 2, 2]);
    }
}
