//! The hierarchy on the device: set-up, truncation at pinned cells, V-cycles, conjugate gradients.

use bytemuck::Zeroable;

use crate::arena::{Arena, REDUCE_BLOCKS};
use crate::error::GpuError;
use crate::layout::{Args, LISTED_BLOCKS, Level, SMALL_THREADS, Scalars, Sweep, THREADS, TINY_BYTES, Truncation};
use crate::machine::{Kernel, Machine};

/// Sweeps before and after the coarse correction.
const SWEEPS: usize = 2;

/// A machine with the memory of a problem on it.
pub(crate) struct Device {
    pub machine: Box<dyn Machine>,
    pub arena: Arena,
}

impl Device {
    pub fn levels(&self) -> usize {
        self.arena.levels.len()
    }

    pub fn level(&self, index: usize) -> Level {
        self.arena.levels[index]
    }

    /// Index of the finest small level: the blocks that can wait for each other suffice for it.
    pub fn first_small(&self) -> usize {
        let blocks = self.machine.cluster();
        self.arena.levels.iter().position(|level| level.is_small(blocks)).expect("a single cell is small")
    }

    /// Index of the finest level that fits into a block's own memory, with all below it.
    fn first_tiny(&self) -> usize {
        let last = self.level(self.levels() - 1);
        let end = last.flags + 2 * last.size as u64;
        let fits = |level: &Level| level.is_small(1) && end - level.x <= TINY_BYTES as u64;
        self.arena.levels.iter().position(fits).expect("a single cell fits")
    }

    /// The arguments for work on a level and the one below it.
    pub fn args(&self, level: usize) -> Args {
        let coarse = self.arena.levels.get(level + 1).copied().unwrap_or_else(Level::zeroed);
        Args { level: self.level(level), coarse, ..self.arena.base }
    }

    /// Work by tiles of `args.level`.
    pub fn launch(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.machine.launch(kernel, args.level.tile_count(), THREADS, args)
    }

    /// Work by single cells of `args.coarse`: eight blocks to a tile.
    fn launch_coarse(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.machine.launch(kernel, 8 * args.coarse.tile_count(), THREADS, args)
    }

    /// Work on listed groups of a level.
    pub fn launch_listed(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.machine.launch(kernel, args.level.tile_count().min(LISTED_BLOCKS), THREADS, args)
    }

    /// Work by tiles of `args.level` that ends in a sum or a maximum.
    pub fn reduce(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.machine.launch(kernel, args.level.tile_count().min(REDUCE_BLOCKS), THREADS, args)
    }

    /// Work by quads of coarse cells.
    pub fn launch_quads(&mut self, kernel: Kernel, args: &Args) -> Result<(), GpuError> {
        self.machine.launch(kernel, args.level.quads(&args.coarse).div_ceil(THREADS), THREADS, args)
    }

    /// Work on all small levels from `first` on.
    pub fn launch_small(&mut self, kernel: Kernel, first: usize, args: &Args) -> Result<(), GpuError> {
        let (first, last) = (first as i32, self.levels() as i32 - 1);
        let args = Args { first, last, ..*args };
        let blocks = self.machine.cluster();
        self.machine.launch(kernel, blocks, SMALL_THREADS, &args)
    }

    pub fn scalars(&mut self) -> Result<Scalars, GpuError> {
        let mut scalars = Scalars::default();
        self.machine.read(self.arena.base.scalars, bytemuck::bytes_of_mut(&mut scalars))?;
        Ok(scalars)
    }

    /// All levels from the finest, whose rows are there. Nothing may be pinned.
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

    /// The couplings of all levels below one whose pinned cells have changed.
    pub fn truncate(&mut self, level: usize, when: Truncation) -> Result<(), GpuError> {
        let small = self.first_small().max(level);
        for level in level..small {
            self.launch_listed(Kernel::Truncate, &Args { mode: when as i32, ..self.args(level) })?;
        }
        self.launch_small(Kernel::SmallGalerkin, small, &Args { mode: when as i32, ..self.args(0) })
    }

    /// One half-sweep.
    pub fn sweep(&mut self, level: usize, colour: i32, mode: Sweep) -> Result<(), GpuError> {
        self.launch(Kernel::Sweep, &Args { colour, mode: mode as i32, ..self.args(level) })
    }

    /// x ← M b on a level, one V-cycle from zero. Afterwards red cells have no residual; with
    /// `is_reduced` they have no right-hand side either.
    pub fn cycle(&mut self, level: usize, is_reduced: bool) -> Result<(), GpuError> {
        let args = Args { is_reduced: is_reduced as i32, ..self.args(level) };
        if level >= self.first_small() {
            let rows = self.first_tiny().max(level) as i32;
            return self.launch_small(Kernel::SmallCycle, level, &Args { rows, ..args });
        }
        let red = if is_reduced { Sweep::WithoutB } else { Sweep::WithB };
        if is_reduced {
            self.sweep(level, 1, Sweep::FromZero)?;
        } else {
            self.sweep(level, 0, Sweep::FromZero)?;
            self.sweep(level, 1, Sweep::WithB)?;
        }
        for _ in 1..SWEEPS {
            self.sweep(level, 0, red)?;
            self.sweep(level, 1, Sweep::WithB)?;
        }
        self.launch(Kernel::Restrict, &args)?;
        self.cycle(level + 1, false)?;
        self.launch(Kernel::Prolong, &args)?;
        for _ in 0..SWEEPS {
            self.sweep(level, 1, Sweep::WithB)?;
            self.sweep(level, 0, red)?;
        }
        Ok(())
    }

    /// Prepares conjugate gradients on the black cells of a level for the right-hand side in `b`.
    pub fn begin_gradients(&mut self, level: usize) -> Result<(), GpuError> {
        self.sweep(level, 0, Sweep::FromZero)?;
        self.reduce(Kernel::EliminateRed, &self.args(level))
    }

    /// One iteration of them.
    pub fn iterate_gradients(&mut self, level: usize) -> Result<(), GpuError> {
        self.cycle(level, true)?;
        self.reduce(Kernel::MultiplyBlack, &self.args(level))?;
        self.reduce(Kernel::StepBlack, &self.args(level))
    }
}
