//! Numbers that the host and the kernels must agree on.

use super::c::constants;

constants! {
    /// Threads of a block, one group of four slots each.
    THREADS: u32 = 128;

    /// Columns of a row in a block of the gather.
    ROW_COLUMNS: u32 = 32;

    /// Items of a scan for each thread.
    SCAN_ITEMS: u32 = 16;

    /// The most distances of parts of a shape that wait to be joined.
    SHAPE_STACK: usize = 8;

    /// The most numbers of one side of a filter.
    MOST_TAPS: usize = 32;

    /// The cell of a particle that is gone.
    NOWHERE: u32 = u32::MAX;

    /// Slots of a tile along the first axis.
    TILE_SLOTS: u32 = 32;

    /// Threads of the blocks that work on all small levels, in step with each other.
    SMALL_THREADS: u32 = 512;

    /// Places of the rim of a viscous box below its cells.
    VISCOUS_RIM: usize = 1;

    /// The same above its cells.
    VISCOUS_RIM_ABOVE: usize = 3;

    /// The most steps of smoothings in viscous cycles, those of the coarsest level included.
    MOST_SMOOTHINGS: usize = 16;

    /// The most levels of a viscous system that one launch works on.
    MOST_SMALL_LEVELS: usize = 8;

    /// Sweeps of a V-cycle before and after the coarse correction.
    CYCLE_SWEEPS: usize = 2;

    /// Norms of the residual that the host can look back on; a multiple of the batch.
    NORM_LOG: usize = 256;

    /// Threads of a block of a cooperative grid, whose blocks all run at the same time.
    COOPERATIVE_THREADS: u32 = 512;

    /// The same where the host runs the kernels.
    EMULATED_COOPERATIVE_THREADS: u32 = 128;

    /// The most blocks of a cooperative grid.
    COOPERATIVE_BLOCKS: u32 = 512;

    /// The vectors that a thread of a cooperative grid keeps in the memory of its block.
    OWN_VECTORS: u32 = 3;

    /// The numbers that a cooperative grid reduces at a time: two sums and a maximum.
    GRID_NUMBERS: usize = 3;

    /// The sets of such numbers: one is read while the next is written and the last one is cleared.
    GRID_SETS: usize = 3;

    /// Row sums that differ from zero by less than this part of the diagonal count as zero.
    ROUNDING: f64 = 1e-12;

    /// How often rows are paired: aggregates have at most two to the power of this many.
    PAIR_PASSES: usize = 3;

    /// The most rows of an aggregate.
    MEMBERS: usize = 8;

    /// Pairs of a larger measure are refused.
    WORST_MEASURE: f64 = 16.0;

    /// So are pairs whose measure is this much larger than that of the best pair of any of their rows.
    SPREAD: f64 = 3.0;

    /// Rows that exceed their couplings by this factor are left to smoothing.
    DOMINANT: f64 = 5.0;

    /// Coarse levels that may take two steps of conjugate gradients, from the finest of them on.
    KRYLOV_LEVELS: usize = 2;

    /// A coarse level that one step brings below this part of its right-hand side gets no second one.
    ENOUGH: f64 = 0.25;

    /// The most levels. Each has at most three quarters of the rows of the one before.
    MOST_LEVELS: usize = 30;

    /// A coarsest level of this many rows or fewer is solved by its inverse.
    DENSE_ROWS: usize = 64;

    /// A pivot below this part of the diagonal means that nothing holds the rows.
    SINGULAR: f64 = 1e-11;

    /// Smoothings of a coarsest level that is larger.
    SMOOTHINGS_INSTEAD: usize = 20;
}

/// Numbers in memory that the blocks of a cooperative grid leave for each other.
pub(crate) const GRID_SLOTS: usize = GRID_SETS * GRID_NUMBERS * COOPERATIVE_BLOCKS as usize;

/// Bytes of the vectors that a thread of a cooperative grid keeps for each of its groups of eight cells.
pub(crate) const OWN_BYTES: u32 = OWN_VECTORS * 8 * size_of::<f64>() as u32;

/// The most groups of a thread of a cooperative grid.
pub(crate) const MOST_OWN_GROUPS: u32 = 2;

/// Bytes of block memory for the levels that one block works on alone.
pub(crate) const TINY_BYTES: u32 = 160 << 10;

/// Iterations of conjugate gradients between two looks of the host. It is even, since directions change places.
pub(crate) const BATCH: usize = 32;
