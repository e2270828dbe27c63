//! The lattice of a level: how its cells lie in memory.

use bytemuck::Zeroable;

use super::constants::{SMALL_THREADS, TILE_SLOTS};
use super::structures::DeviceLevel;

/// Up to this many tiles run at the same time, so that it does not pay to skip empty ones.
const CROWD: usize = 512;

/// Entries before every row that stay zero. A line of device memory holds this many, so that rows begin with a line.
const LEAD: usize = 32;

/// The same on levels with shorter rows.
const LEAD_OF_SHORT_ROWS: usize = 4;

/// Shape of the memory in two or three dimensions.
struct Shape {
    /// Rows of a tile along the second and the third axis.
    tile: [usize; 2],
    /// Planes of zeros before and behind the lattice.
    ghost: usize,
}

const PLANE: Shape = Shape { tile: [16, 1], ghost: 0 };
const SPACE: Shape = Shape { tile: [4, 4], ghost: 1 };

/// The shapes in C, for each value of `DIM`.
pub(super) fn tiles_in_c() -> String {
    let define = |Shape { tile: [y, z], ghost }: Shape| {
        format!("#define TILE_Y {y}\n#define TILE_Z {z}\n#define GHOST {ghost}\n")
    };
    format!("#if DIM == 3\n{}#else\n{}#endif\n", define(SPACE), define(PLANE))
}

impl DeviceLevel {
    /// A lattice without arrays.
    pub fn new(dimension: usize, cells: [usize; 3], unit: f32) -> Self {
        let Shape { tile, ghost } = if dimension == 3 { SPACE } else { PLANE };
        let slots = cells[0].div_ceil(2);
        let lead = if slots < LEAD { LEAD_OF_SHORT_ROWS } else { LEAD };
        let pitch = lead + slots.next_multiple_of(lead);
        let plane = pitch * (cells[1] + 2);
        let size = plane * (cells[2] + 2 * ghost) + lead;
        let tiles = [slots.div_ceil(TILE_SLOTS as usize), cells[1].div_ceil(tile[0]), cells[2].div_ceil(tile[1])];
        Self {
            cells: cells.map(|count| count as i32),
            slots: slots as i32,
            row_groups: slots.div_ceil(4) as i32,
            pitch: pitch as i32,
            plane: plane as i32,
            size: i32::try_from(size).unwrap_or(i32::MAX), // more than any device holds
            lead: lead as i32,
            tiles: tiles.map(|count| count as i32),
            is_crowded: (tiles.iter().product::<usize>() <= CROWD) as i32,
            unit,
            ..Self::zeroed()
        }
    }

    /// The next coarser lattice; none below a single cell.
    pub fn coarser(&self, dimension: usize) -> Option<Self> {
        let cells = self.cells.map(|count| count as usize);
        let unit = self.unit * (1 << (dimension - 1)) as f32 * 0.5;
        (cells != [1; 3]).then(|| Self::new(dimension, cells.map(|count| count.div_ceil(2)), unit))
    }

    /// Entries of both colours.
    pub fn entries(&self) -> usize {
        2 * self.size as usize
    }

    /// Index of the cell at coordinates.
    pub fn cell_at(&self, [x, y, z]: [usize; 3]) -> u32 {
        let zero_planes = (self.size - self.lead) / self.plane - self.cells[2]; // 0 or 2
        let row = (z + zero_planes as usize / 2) * (self.cells[1] as usize + 2) + y + 1;
        let colour = (x + y + z) % 2;
        (row * self.pitch as usize + self.lead as usize + x / 2 + colour * self.size as usize) as u32
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.iter().map(|&count| count as usize).product()
    }

    /// Number of groups.
    pub fn group_count(&self) -> usize {
        (self.row_groups * self.cells[1] * self.cells[2]) as usize
    }

    /// Whether the threads of this many blocks that wait for each other have at most a group each.
    pub fn is_small(&self, blocks: u32) -> bool {
        self.group_count() <= (blocks * SMALL_THREADS) as usize
    }

    /// Number of tiles.
    pub fn tile_count(&self) -> u32 {
        self.tiles.iter().product::<i32>() as u32
    }

    /// Threads for work that fills the coarse level, four of its cells each.
    pub fn quads(&self, coarse: &Self) -> u32 {
        (self.row_groups * coarse.cells[1] * coarse.cells[2]) as u32
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_cell_has_an_entry_of_its_own() {
        for (dimension, cells) in [(2, [7, 5, 1]), (2, [130, 3, 1]), (3, [6, 5, 4])] {
            let level = DeviceLevel::new(dimension, cells, 1.0);
            let [nx, ny, nz] = cells;
            let places = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
            let entries: HashSet<u32> = places.map(|place| level.cell_at(place)).collect();
            assert_eq!(entries.len(), level.cell_count());
            assert!(entries.iter().all(|&entry| (entry as usize) < level.entries()));
        }
    }

    #[test]
    fn neighbours_beyond_the_border_are_entries_that_no_cell_has() {
        let level = DeviceLevel::new(3, [4, 3, 2], 1.0);
        let first = level.cell_at([0, 0, 0]) as i32;
        assert!(first - level.lead >= 0 && first - level.pitch >= 0 && first - level.plane >= 0);
        let last = level.cell_at([3, 2, 1]) as i32 % level.size;
        assert!(last + level.plane < level.size && last + level.pitch < level.size);
    }

    #[test]
    fn rows_and_groups_are_aligned() {
        for width in [1, 9, 63, 64, 65, 200] {
            let level = DeviceLevel::new(2, [width, 4, 1], 1.0);
            assert_eq!((level.pitch % 4, level.size % 4, level.cell_at([0, 0, 0]) % 4), (0, 0, 0), "{width} cells");
            assert!(level.pitch >= level.lead + 4 * level.row_groups, "{width} cells");
        }
    }

    #[test]
    fn levels_end_with_a_single_cell_whose_coupling_follows_the_galerkin_product() {
        let mut levels = vec![DeviceLevel::new(3, [9, 4, 1], 1.0)];
        while let Some(coarse) = levels[levels.len() - 1].coarser(3) {
            levels.push(coarse);
        }
        let cells: Vec<[i32; 3]> = levels.iter().map(|level| level.cells).collect();
        assert_eq!(cells, [[9, 4, 1], [5, 2, 1], [3, 1, 1], [2, 1, 1], [1, 1, 1]]);
        let units: Vec<f32> = levels.iter().map(|level| level.unit).collect();
        assert_eq!(units, [1.0, 2.0, 4.0, 8.0, 16.0]);
    }
}
