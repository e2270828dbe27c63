//! What host and kernels share: the structures of `kernels/layout.cuh`, field by field.

use bytemuck::{Pod, Zeroable};

/// Threads of a block, one group of four slots each.
pub(crate) const THREADS: u32 = 128;

/// Threads of the blocks that work on all small levels, in step with each other.
pub(crate) const SMALL_THREADS: u32 = 512;

/// Blocks that work on lists of groups.
pub(crate) const LISTED_BLOCKS: u32 = 132 * 16;

/// Numbers that blocks leave for each other where all wait: three sets of three for each.
pub(crate) const SLOTS: usize = 3 * 3 * MOST_BLOCKS as usize;

/// Blocks at most that all wait for each other: each has a thread to look for every other.
pub(crate) const MOST_BLOCKS: u32 = 512;

/// Groups of a thread at most that iterates with all others.
pub(crate) const PASSES: u32 = 2;

/// Bytes that such a thread keeps of three vectors, for each of its groups.
pub(crate) const OWN_BYTES: u32 = 3 * 8 * 8;

/// Bytes of its own memory that a block needs for the tiny levels.
pub(crate) const TINY_BYTES: u32 = 160 << 10;

/// Up to this many tiles all fit on the device at once, and empty ones are not worth a look.
const CROWD: usize = 512;

/// Entries that stay zero before every row: as many as a line of the device's memory holds, so that rows begin with
/// one; fewer where rows are short.
const LEAD: usize = 32;
const LEAD_OF_SHORT_ROWS: usize = 4;

const TILE_SLOTS: usize = 32;

/// An address on the device.
pub(crate) type Address = u64;

/// A level of the hierarchy: a dense lattice of cells in two colours.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Level {
    pub cells: [i32; 3],
    pub slots: i32,
    pub pitch: i32,
    pub plane: i32,
    /// Entries of a colour.
    pub size: i32,
    pub is_crowded: i32,
    pub tiles: [i32; 3],
    pub unit: f32,
    pub lead: i32,
    pub spare: i32,
    pub coupling: [Address; 3],
    pub excess: Address,
    pub x: Address,
    pub b: Address,
    /// Of red cells, on small levels.
    pub residual: Address,
    pub start: Address,
    pub load: Address,
    pub floor: Address,
    pub flags: Address,
    pub groups: Address,
    pub tile_marks: Address,
    pub members: Address,
    pub sides: Address,
    pub mixed: Address,
}

impl Level {
    /// A lattice, not yet placed in memory.
    pub fn new(dimension: usize, cells: [usize; 3], unit: f32) -> Self {
        let (tile_y, tile_z, ghost) = if dimension == 3 { (4, 4, 1) } else { (16, 1, 0) };
        let slots = cells[0].div_ceil(2);
        let lead = if slots < LEAD { LEAD_OF_SHORT_ROWS } else { LEAD };
        let pitch = lead + slots.next_multiple_of(lead);
        let plane = pitch * (cells[1] + 2);
        let size = plane * (cells[2] + 2 * ghost) + lead;
        let tiles = [slots.div_ceil(TILE_SLOTS), cells[1].div_ceil(tile_y), cells[2].div_ceil(tile_z)];
        Self {
            cells: cells.map(|count| count as i32),
            slots: slots as i32,
            pitch: pitch as i32,
            plane: plane as i32,
            size: i32::try_from(size).unwrap_or(i32::MAX), // more than any device holds
            is_crowded: (tiles.iter().product::<usize>() <= CROWD) as i32,
            tiles: tiles.map(|count| count as i32),
            unit,
            lead: lead as i32,
            ..Self::zeroed()
        }
    }

    /// The next coarser lattice; none below a single cell.
    pub fn coarser(&self, dimension: usize) -> Option<Self> {
        let cells = self.cells.map(|count| count as usize);
        let unit = self.unit * (1 << (dimension - 1)) as f32 * 0.5;
        (cells != [1; 3]).then(|| Self::new(dimension, cells.map(|count| count.div_ceil(2)), unit))
    }

    /// Index of the cell at coordinates.
    pub fn cell_at(&self, [x, y, z]: [usize; 3]) -> u32 {
        let planes_before = (self.size - self.lead) / self.plane - self.cells[2]; // 0 or 2 planes of zeros
        let row = (z + planes_before as usize / 2) * (self.cells[1] as usize + 2) + y + 1;
        let colour = (x + y + z) % 2;
        (row * self.pitch as usize + self.lead as usize + x / 2 + colour * self.size as usize) as u32
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.iter().map(|&count| count as usize).product()
    }

    /// Number of groups.
    pub fn group_count(&self) -> usize {
        (self.slots as usize).div_ceil(4) * (self.cells[1] * self.cells[2]) as usize
    }

    /// Whether so many blocks that wait for each other have a thread for every group.
    pub fn is_small(&self, blocks: u32) -> bool {
        self.group_count() <= (blocks * SMALL_THREADS) as usize
    }

    /// Blocks for work by tiles.
    pub fn tile_count(&self) -> u32 {
        self.tiles.iter().product::<i32>() as u32
    }

    /// Threads for work on this level that fills the level below it, four cells each.
    pub fn quads(&self, coarse: &Self) -> u32 {
        (self.slots as u32).div_ceil(4) * (coarse.cells[1] * coarse.cells[2]) as u32
    }
}

/// What the host reads back.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Scalars {
    pub norm: f64,
    pub residual: f64,
    pub rho: f64,
    pub alpha: f64,
    pub beta: f64,
    pub plain_norm: f64,
    pub free_norm: f64,
    pub stretch: f64,
    pub changes: i32,
    pub is_stopped: i32,
    pub is_begun: i32,
    /// The changes that the levels know of.
    pub truncated: i32,
    pub tickets: [u32; 4],
    pub target: f64,
    pub merit: f64,
    pub slope: f64,
    pub moved: f64,
    pub iterations: i32,
    pub limit: i32,
    pub before: f64,
}

/// Everything a kernel may need; each uses its part.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Args {
    pub level: Level,
    pub coarse: Level,
    pub levels: Address,
    pub first: i32,
    pub last: i32,
    pub colour: i32,
    pub mode: i32,
    pub rows: i32,
    pub is_reduced: i32,
    pub factor: f64,
    /// Coupling between two inner cells of the finest level, in double precision.
    pub unit: f64,
    /// Of a correction in single precision: what one of its units is in q.
    pub scale: f64,
    pub coupling: [Address; 3],
    pub excess: Address,
    pub q: Address,
    pub b: Address,
    pub lower: Address,
    pub direction: Address,
    pub image: Address,
    pub product: Address,
    pub iterate: Address,
    pub vectors: [Address; 10],
    pub cells: Address,
    pub values: Address,
    pub more: Address,
    pub loose: Address,
    pub anchors: Address,
    pub near: Address,
    pub touched: Address,
    pub busy: Address,
    pub partials: Address,
    pub slots: Address,
    pub scalars: Address,
    pub fields: Address,
}

/// The fields of a fluid code that a problem is made of.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Fields {
    pub spacing: f64,
    pub control: f64,
    pub first: [i32; 3],
    pub size: [i32; 3],
    pub liquid_first: [i32; 3],
    pub liquid_size: [i32; 3],
    pub is_sealed: i32,
    pub pad: i32,
    pub liquid: Address,
    pub open: [Address; 3],
    pub cell_open: Address,
    pub velocity: [Address; 3],
    pub flow: [Address; 3],
    pub divergence: Address,
    pub guess: Address,
    pub separating: Address,
    pub labels: Address,
    pub marks: Address,
    pub answer: Address,
    pub totals: Address,
}

/// What the host reads of a problem that was made on the device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct RowTotals {
    pub rows: f64,
    pub walls: f64,
    /// Rows that no air holds.
    pub unheld: f64,
    /// Rows with something that is no finite number.
    pub faults: f64,
    /// The natural residual at zero, of all rows and of those that are held.
    pub reference: f64,
    pub held_reference: f64,
}

/// And of its answer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct AnswerTotals {
    pub active: f64,
    pub residual: f64,
    pub divergence: f64,
    pub complementarity: f64,
}

/// What becomes of listed rows.
#[repr(i32)]
#[derive(Clone, Copy)]
pub(crate) enum Replace {
    B = 0,
    Q = 1,
    /// Their walls are opened: they become equations.
    Walls = 2,
}

/// Iterations of conjugate gradients between two looks of the host; even, since directions change places.
pub(crate) const BATCH: usize = 32;

/// Norms of the residual that the host can look back on; a multiple of the batch.
pub(crate) const LOG: usize = 256;

/// Vectors of the methods beside `best`, by their place in [`Args::vectors`].
#[repr(usize)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vector {
    Residual = 0,
    /// The residual itself where there is no preconditioner.
    Preconditioned = 1,
    Direction = 2,
    /// The direction of the next iteration.
    Next = 3,
    /// The iterate itself where it is corrected in place.
    Answer = 4,
    Trial = 5,
    /// Of the residual, after each of the last iterations.
    Norms = 6,
    /// What blocks that iterate together read of each other, in turn with the one behind.
    Exchanged = 7,
    OtherExchanged = 8,
    /// The image of the image of the direction.
    SecondImage = 9,
}

impl Vector {
    /// Whether only blocks that iterate together need it.
    pub fn is_of_crew(self) -> bool {
        matches!(self, Self::Exchanged | Self::OtherExchanged | Self::SecondImage)
    }
}

/// What makes the preconditioned residual of the residual.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precondition {
    Nothing = 0,
    Diagonal = 1,
    Cycle = 2,
    /// Every direction is the preconditioned residual itself.
    CycleAlone = 3,
}

impl Precondition {
    pub fn has_cycle(self) -> bool {
        matches!(self, Self::Cycle | Self::CycleAlone)
    }
}

/// How conjugate gradients are getting on.
#[repr(i32)]
#[derive(Clone, Copy)]
pub(crate) enum Progress {
    Done = 1,
    /// A number that must be positive is not.
    Broken = 2,
}

/// How a half-sweep treats its right-hand side and its neighbours.
#[repr(i32)]
#[derive(Clone, Copy)]
pub(crate) enum Sweep {
    WithB = 0,
    WithoutB = 1,
    FromZero = 2,
}

/// When levels are truncated anew.
#[repr(i32)]
#[derive(Clone, Copy)]
pub(crate) enum Truncation {
    Always = 0,
    /// If the last policy has changed a row.
    IfChanged = 1,
}

/// What a row is judged by that must stay pinned.
#[repr(i32)]
#[derive(Clone, Copy)]
pub(crate) enum Judged {
    ByIterate = 0,
    /// By the correction near walls, which is not in the iterate yet.
    ByCorrection = 1,
}

/// What becomes of wall cells.
#[repr(i32)]
#[derive(Clone, Copy)]
pub(crate) enum Settle {
    /// Pinned ones move to their bound.
    Pinned = 0,
    /// All are lifted to their bound.
    Lift = 1,
    /// All are freed and lifted.
    Release = 2,
}
