//! The memory for a matrix without a lattice: the finest level, a pool for the coarse ones, and room to make them.

use bytemuck::Zeroable;

use crate::arena::{REDUCED_NUMBERS, Space};
use crate::driver::Driver;
use crate::error::GpuError;
use crate::layout::{Address, Args, DENSE_ROWS, DeviceRows, MEMBERS, MOST_LEVELS, Pointer, SCAN_ITEMS, THREADS};

/// Rows of a slice, whose entries lie side by side.
pub(super) const SLICE: usize = 32;

/// Entries of all coarse levels, and of a graph of pairs, over those of the finest level. Pairs have at most the entries
/// of both rows; most share some.
const MORE_ENTRIES: f64 = 2.0;

/// Bytes of a coarse row beside its entries, with room for their alignment.
const ROW_BYTES: usize = 4 * (16 + MEMBERS);

/// How much a matrix needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    pub rows: usize,
    /// Entries in slices.
    pub slots: usize,
    /// Entries as they arrive.
    pub entries: usize,
    /// Rows of components that must keep a pinned one.
    pub loose_rows: usize,
    pub loose_components: usize,
}

impl Size {
    /// Whether memory of this size has room for another one.
    pub fn has_room_for(&self, other: &Self) -> bool {
        let pairs = [
            (self.rows, other.rows),
            (self.slots, other.slots),
            (self.entries, other.entries),
            (self.loose_rows, other.loose_rows),
            (self.loose_components, other.loose_components),
        ];
        pairs.iter().all(|(own, other)| own >= other)
    }
}

/// A piece of memory that gives out arrays.
pub(super) struct Pool {
    space: Space,
    end: Address,
}

/// A graph of pairs: memory that is used again and again.
#[derive(Clone, Copy)]
pub(super) struct Graph {
    pub rows: DeviceRows,
    pub slots: usize,
}

/// The arrays of a matrix.
pub(super) struct Memory {
    pub size: Size,
    /// Arguments with the addresses of all arrays.
    pub base: Args,
    pub finest: DeviceRows,
    pub graphs: [Graph; 2],
    pool_start: Address,
    pool_end: Address,
}

impl Memory {
    pub fn new(driver: &mut dyn Driver, size: Size) -> Result<Self, GpuError> {
        let (_, bytes) = Self::lay_out(driver, 0, size);
        let start = driver.allocate(bytes)?;
        Ok(Self::lay_out(driver, start, size).0)
    }

    /// An empty pool for coarse levels.
    pub fn pool(&self) -> Pool {
        Pool { space: Space { next: self.pool_start }, end: self.pool_end }
    }

    fn lay_out(driver: &dyn Driver, start: Address, size: Size) -> (Self, usize) {
        let Size { rows, slots, entries, loose_rows, loose_components } = size;
        let mut space = Space { next: start };
        let mut base = Args::zeroed();
        let mut finest = level_beside_entries(&mut space, rows);
        (finest.starts, finest.columns, finest.off) =
            (space.take(rows.div_ceil(SLICE) + 1), space.take(slots), space.take(slots));
        let s = &mut base.aggregates;
        (s.values, s.diagonal, s.natural) = (space.take(slots), space.take(rows), space.take(rows));
        for vector in [&mut s.answer, &mut s.left, &mut s.direction, &mut s.image] {
            *vector = space.take(rows);
        }
        s.dense = space.take(DENSE_ROWS * DENSE_ROWS);
        (s.levels, s.steps) = (space.take(MOST_LEVELS), space.take(MOST_LEVELS));
        for vector in [&mut base.q, &mut base.b, &mut base.lower] {
            *vector = space.take(rows);
        }
        (base.loose_rows, base.candidates) = (space.take(2 * loose_rows), space.take(2 * loose_components));
        base.scalars = space.take(1);
        base.partials = space.take(REDUCED_NUMBERS * driver.full_blocks() as usize);
        let pool_start = space.next;
        let most = (MORE_ENTRIES * slots as f64) as usize;
        space.take::<u8>(8 * most + ROW_BYTES * rows + MOST_LEVELS * 32 * 256);
        let pool_end = space.next;

        // The matrix as it arrives is not needed any more when rows are paired.
        let mut arrival = Space { next: space.next };
        let s = &mut base.aggregates;
        (s.matrix_starts, s.matrix_columns, s.matrix_values) =
            (arrival.take(rows + 1), arrival.take(entries), arrival.take(entries));
        let graphs = [(); 2].map(|()| {
            let mut graph = DeviceRows::zeroed();
            (graph.starts, graph.lengths) = (space.take(rows.div_ceil(SLICE) + 1), space.take(rows));
            (graph.columns, graph.off) = (space.take(most), space.take(most));
            for array in [&mut graph.excess, &mut graph.diagonal, &mut graph.best] {
                *array = space.take(rows);
            }
            Graph { rows: graph, slots: most }
        });
        for array in [&mut s.mates, &mut s.picks, &mut base.liquid.scanned] {
            *array = space.take(rows + 1);
        }
        s.numbers = space.take(rows + 1);
        base.liquid.pieces = space.take(rows / (THREADS * SCAN_ITEMS) as usize + 2);
        for pass in 0..s.pairs.len() {
            (s.pairs[pass], s.firsts[pass], s.seconds[pass]) = (space.take(rows), space.take(rows), space.take(rows));
        }
        let end = space.next.max(arrival.next);
        (Self { size, base, finest, graphs, pool_start, pool_end }, (end - start) as usize)
    }
}

impl Pool {
    /// A coarse level without entries; None if there is no room for it.
    pub fn level(&mut self, number: usize, rows: usize) -> Option<DeviceRows> {
        let mut level = level_beside_entries(&mut self.space, rows);
        level.number = number as i32;
        level.members = self.space.take(MEMBERS * rows);
        (level.direction, level.product) = (self.space.take(rows), self.space.take(rows));
        level.starts = self.space.take(rows.div_ceil(SLICE) + 1);
        self.has_room().then_some(level)
    }

    /// Adds the entries; false if there is no room for them.
    pub fn add_entries(&mut self, level: &mut DeviceRows, slots: usize) -> bool {
        (level.columns, level.off) = (self.space.take(slots), self.space.take(slots));
        self.has_room()
    }

    fn has_room(&self) -> bool {
        self.space.next <= self.end
    }
}

/// The arrays of a level, but its entries and what only coarse levels have.
fn level_beside_entries(space: &mut Space, rows: usize) -> DeviceRows {
    let mut level = DeviceRows { count: rows as i32, ..DeviceRows::zeroed() };
    let arrays: [&mut Pointer<f32>; 13] = [
        &mut level.excess,
        &mut level.diagonal,
        &mut level.weight,
        &mut level.inverse,
        &mut level.best,
        &mut level.x,
        &mut level.b,
        &mut level.residual,
        &mut level.step,
        &mut level.other_step,
        &mut level.load,
        &mut level.floor,
        &mut level.correction,
    ];
    arrays.into_iter().for_each(|array| *array = space.take(rows));
    (level.lengths, level.parents) = (space.take(rows), space.take(rows));
    level
}
