//! The levels of a matrix, made on the device.

use bytemuck::Zeroable;
use unstick_mlcp::{CsrMatrix, LinearOperator};
use unstick_parallel as parallel;

use super::RowsProblem;
use super::memory::{Memory, Pool, SLICE, Size};
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{Args, DENSE_ROWS, DeviceRows, MOST_LEVELS, PAIR_PASSES, Pointer, SCAN_ITEMS, THREADS};

/// How often all rows look for mates.
const ROUNDS: usize = 5;

/// A level of this many rows or fewer has no coarser one.
const COARSEST: usize = DENSE_ROWS;

/// Coarsening that leaves more than this part of the rows is not worth another level.
const WORTH_COARSENING: f64 = 0.75;

/// The most entries of a row. A thread reads them one after the other.
const MOST_ENTRIES: usize = 4096;

/// How large a matrix is on the device, and where its slices begin.
pub(super) fn slices(matrix: &CsrMatrix) -> Result<(Size, Vec<u32>), GpuError> {
    let rows = matrix.rows();
    let beside = |row: usize| matrix.range(row).len() - (matrix.diagonal()[row] != 0.0) as usize;
    let mut widths = vec![0u32; rows.div_ceil(SLICE)];
    parallel::for_each((0..widths.len(), widths.as_mut_slice()), |(slices, widths)| {
        for (slice, width) in slices.zip(widths) {
            let own = slice * SLICE..rows.min((slice + 1) * SLICE);
            *width = own.map(beside).max().unwrap_or(0) as u32;
        }
    });
    if widths.iter().any(|&width| width as usize > MOST_ENTRIES) {
        return Err(GpuError::Unsupported("a row has more than 4096 couplings, too many for one thread of the GPU"));
    }
    let mut starts = Vec::with_capacity(widths.len() + 1);
    let mut slots = 0usize;
    starts.push(0);
    for width in widths {
        slots += width as usize * SLICE;
        starts.push(slots as u32);
    }
    if slots > i32::MAX as usize {
        return Err(GpuError::Unsupported("the matrix has more entries than 32-bit indices reach"));
    }
    Ok((Size { rows, slots, entries: matrix.entries(), ..Size::default() }, starts))
}

impl RowsProblem {
    /// Copies a matrix to the device and makes its levels. No row is pinned.
    pub(super) fn make(&mut self, matrix: &CsrMatrix, starts: &[u32], unit: f64) -> Result<(), GpuError> {
        self.recordings = Default::default();
        self.memory.base.unit = unit;
        let rows = matrix.rows();
        let Memory { base, finest, .. } = &mut self.memory;
        finest.count = rows as i32;
        let (base, finest) = (*base, *finest);
        let s = &base.aggregates;
        self.write(finest.starts, starts)?;
        self.write(s.matrix_starts, matrix.starts())?;
        self.write(s.matrix_columns, matrix.columns())?;
        self.driver.write(s.matrix_values.address(), bytemuck::cast_slice(matrix.values()))?;
        self.levels = vec![finest];
        self.launch(Kernel::PlaceEntries, &self.args(0))?;
        self.launch(Kernel::FinishRows, &self.args(0))?;
        let mut pool = self.memory.pool();
        while self.levels.len() < MOST_LEVELS && self.last().count as usize > COARSEST {
            let Some(coarse) = self.coarsen(&mut pool)? else { break };
            self.levels.push(coarse);
            let level = self.levels.len() - 2;
            self.launch_coarse(Kernel::SumAggregates, &self.args(level))?;
        }
        let levels: &[u8] = bytemuck::cast_slice(&self.levels);
        self.driver.write(base.aggregates.levels.address(), levels)?;
        self.invert_coarsest()
    }

    fn last(&self) -> DeviceRows {
        self.levels[self.levels.len() - 1]
    }

    /// The pattern of the next coarser level; None where it is not worth it, or has no room.
    fn coarsen(&mut self, pool: &mut Pool) -> Result<Option<DeviceRows>, GpuError> {
        let level = self.last();
        let mut graph = level;
        for pass in 0..PAIR_PASSES {
            let mut args = self.memory.base;
            (args.aggregates.level, args.aggregates.pass) = (graph, pass as i32);
            self.launch(Kernel::BeginPairs, &args)?;
            for _ in 0..ROUNDS {
                self.launch(Kernel::SeekMates, &args)?;
                self.launch(Kernel::JoinMates, &args)?;
            }
            self.launch(Kernel::FlagFirsts, &args)?;
            let pairs = self.scan(graph.count as usize, args.aggregates.numbers)?;
            self.launch(Kernel::NumberPairs, &args)?;
            let is_last = pass + 1 == PAIR_PASSES;
            if pairs == 0 || is_last && pairs as f64 > WORTH_COARSENING * level.count as f64 {
                return Ok(None);
            }
            let mut coarse = if is_last {
                let Some(coarse) = pool.level(self.levels.len(), pairs) else { return Ok(None) };
                coarse
            } else {
                DeviceRows { count: pairs as i32, ..self.memory.graphs[pass % 2].rows }
            };
            args.aggregates.coarse = coarse;
            self.driver.launch_items(Kernel::WidenSlices, pairs.div_ceil(SLICE), &args)?;
            let slots = self.scan(pairs.div_ceil(SLICE), coarse.starts)?;
            let has_room = if is_last {
                pool.add_entries(&mut coarse, slots)
            } else {
                slots <= self.memory.graphs[pass % 2].slots
            };
            if !has_room {
                return Ok(None);
            }
            args.aggregates.coarse = coarse;
            self.launch_coarse(Kernel::MergePairs, &args)?;
            graph = coarse;
        }
        let mut args = self.memory.base;
        (args.aggregates.level, args.aggregates.coarse) = (level, graph);
        self.launch_coarse(Kernel::ListMembers, &args)?;
        self.launch(Kernel::NameParents, &args)?;
        Ok(Some(graph))
    }

    /// Writes the sums before each of the numbers in `scanned`, and the sum of all behind them; returns that.
    fn scan(&mut self, numbers: usize, sums: Pointer<u32>) -> Result<usize, GpuError> {
        let mut args: Args = self.memory.base;
        self.driver.zero(args.liquid.scanned.at(numbers).address(), size_of::<u32>())?;
        (args.liquid.items, args.liquid.starts) = (numbers as i32 + 1, sums);
        let pieces = (numbers as u32 + 1).div_ceil(THREADS * SCAN_ITEMS);
        self.driver.launch(Kernel::SumPieces, pieces, THREADS, &args)?;
        self.driver.launch(Kernel::ScanPieces, 1, THREADS, &args)?;
        self.driver.launch(Kernel::StartCells, pieces, THREADS, &args)?;
        let mut total = 0u32;
        self.driver.read(sums.at(numbers).address(), bytemuck::bytes_of_mut(&mut total))?;
        Ok(total as usize)
    }

    /// Sums all levels below one anew, after its pinned rows have changed.
    pub(super) fn renew(&mut self, level: usize) -> Result<(), GpuError> {
        (level..self.levels.len() - 1)
            .try_for_each(|level| self.launch_coarse(Kernel::SumAggregates, &self.args(level)))?;
        self.invert_coarsest()
    }

    fn invert_coarsest(&mut self) -> Result<(), GpuError> {
        let last = self.levels.len() - 1;
        if self.levels[last].count as usize > DENSE_ROWS {
            return Ok(());
        }
        self.driver.launch(Kernel::InvertCoarsest, 1, THREADS, &self.args(last))
    }

    /// The arguments for work on a level and the next coarser one.
    pub(super) fn args(&self, level: usize) -> Args {
        let mut args = self.memory.base;
        args.aggregates.level = self.levels[level];
        args.aggregates.coarse = self.levels.get(level + 1).copied().unwrap_or_else(DeviceRows::zeroed);
        args
    }

    /// Copies numbers of 32 bits, most of them as numbers of 64 bits: those are sent fast.
    pub(super) fn write(&mut self, to: Pointer<u32>, numbers: &[u32]) -> Result<(), GpuError> {
        let (even, rest) = numbers.split_at(numbers.len() / 2 * 2);
        self.driver.write(to.address(), bytemuck::cast_slice(even))?;
        if rest.is_empty() {
            Ok(())
        } else {
            self.driver.write(to.at(even.len()).address(), bytemuck::cast_slice(rest))
        }
    }
}
