//! The distances of a frame, ready to be looked through. Lengths are in cells.

use std::ops::Range;

use unstick_parallel::{self as parallel, for_each_chunk};

use super::vector::Vector;
use crate::frame::Frame;

/// Values at the points of a lattice, read between them.
pub(super) struct Samples {
    shape: [usize; 3],
    values: Vec<f32>,
    /// Where the first point lies along each axis: 0 at nodes, 0.5 at centres.
    first: f32,
}

impl Samples {
    /// Distances beyond this many cells look alike.
    const REACH: f64 = 4.0;

    fn new(field: &unstick_grid::CellField<f64, 3>, spacing: f64, first: f32) -> Self {
        // A single layer is doubled, so that there are always two to read between.
        let from = field.shape();
        let shape = from.map(|count| count.max(2));
        let mut values = parallel::filled(shape.iter().product(), 0.0);
        for_each_chunk(&mut values, shape[0], |line, row| {
            let (y, z) = ((line % shape[1]).min(from[1] - 1), (line / shape[1]).min(from[2] - 1));
            for (x, sample) in row.iter_mut().enumerate() {
                let value = field.at([x.min(from[0] - 1), y, z]);
                // What is not a number is far outside.
                *sample = match value.is_nan() {
                    true => Self::REACH as f32,
                    false => (value / spacing).clamp(-Self::REACH, Self::REACH) as f32,
                };
            }
        });
        Self { shape, values, first }
    }

    /// Averages every value with its neighbours along each axis, ¼ ½ ¼.
    fn smooth(&mut self) {
        let mut stride = 1;
        for axis in 0..3 {
            let [width, height, _] = self.shape;
            let count = self.shape[axis];
            let smooth = parallel::filled(self.values.len(), 0.0);
            let old = std::mem::replace(&mut self.values, smooth);
            for_each_chunk(&mut self.values, width, |line, row| {
                for (x, value) in row.iter_mut().enumerate() {
                    let (place, along) = (line * width + x, [x, line % height, line / height][axis]);
                    let before = if along > 0 { old[place - stride] } else { old[place] };
                    let after = if along + 1 < count { old[place + stride] } else { old[place] };
                    *value = 0.25 * (before + after) + 0.5 * old[place];
                }
            });
            stride *= count;
        }
    }

    /// The value at a point, trilinear, constant beyond the lattice.
    #[inline]
    pub fn at(&self, point: Vector) -> f32 {
        let mut low = [0; 3];
        let mut parts = [0.0; 3];
        for axis in 0..3 {
            let last = self.shape[axis] - 1;
            let place = (point[axis] - self.first).max(0.0).min(last as f32);
            low[axis] = (place as u32 as usize).min(last - 1); // by way of 32 bits: faster
            parts[axis] = place - low[axis] as f32;
        }
        let up = self.shape[0];
        let deep = up * self.shape[1];
        let start = low[2] * deep + low[1] * up + low[0];
        let line = |from: usize| {
            let pair = &self.values[from..from + 2];
            pair[0] + (pair[1] - pair[0]) * parts[0]
        };
        let sheet = |from: usize| {
            let (low, high) = (line(from), line(from + up));
            low + (high - low) * parts[1]
        };
        let (low, high) = (sheet(start), sheet(start + deep));
        low + (high - low) * parts[2]
    }

    /// The direction in which the value grows.
    pub fn gradient(&self, point: Vector) -> Vector {
        std::array::from_fn(|axis| {
            let (mut ahead, mut behind) = (point, point);
            ahead[axis] += 0.6;
            behind[axis] -= 0.6;
            self.at(ahead) - self.at(behind)
        })
    }

    /// Whether all, none or some values are negative that matter between `low` and `high` (cells).
    fn sign_within(&self, low: [usize; 3], high: [usize; 3]) -> Sign {
        let reach: [std::ops::Range<usize>; 3] = std::array::from_fn(|axis| {
            let from = (low[axis] as f32 - self.first).floor().max(0.0) as usize;
            let to = (high[axis] as f32 - self.first).ceil() as usize + 1;
            from..to.min(self.shape[axis])
        });
        let (mut any, mut all) = (false, true);
        for z in reach[2].clone() {
            for y in reach[1].clone() {
                let start = (z * self.shape[1] + y) * self.shape[0];
                for &value in &self.values[start + reach[0].start..start + reach[0].end] {
                    any |= value < 0.0;
                    all &= value < 0.0;
                }
            }
        }
        match (any, all) {
            (_, true) => Sign::Inside,
            (false, _) => Sign::Outside,
            _ => Sign::Mixed,
        }
    }
}

/// Where a block of cells lies with respect to a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Inside,
    Outside,
    Mixed,
}

/// Cells along the edge of a block that is skipped at once.
pub(super) const BLOCK: usize = 4;

/// What is known of a block of cells.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub liquid: Sign,
    pub solid: Sign,
    /// How far around nothing changes, in blocks: 0 where something does in the block itself,
    /// 1 where nothing does but in its neighbours, …
    pub clear: u8,
}

/// Everything a ray can meet.
pub(super) struct Volume {
    pub liquid: Samples,
    pub solid: Samples,
    /// Solid nodes that no path through solid joins to the border.
    obstacle: Vec<bool>,
    has_obstacles: bool,
    blocks: [usize; 3],
    signs: Vec<Block>,
    /// Upper corner of the domain; the lower one is the origin.
    pub corner: Vector,
    /// Corners of the box around everything that is not solid.
    pub open: [Vector; 2],
    /// Whether that box is the container, so that solids in it are things of their own.
    pub boxy: bool,
    origin: [f64; 3],
    spacing: f64,
}

impl Volume {
    pub fn new(frame: &Frame<3>) -> Self {
        let (cells, spacing) = (frame.grid.cells(), frame.grid.spacing());
        let mut liquid = Samples::new(&frame.liquid, spacing, 0.5);
        let solid = Samples::new(&frame.solid, spacing, 0.0);
        liquid.smooth(); // takes the bumps of single particles away
        let obstacle = obstacles(&solid);
        let blocks = cells.map(|count| count.div_ceil(BLOCK));
        let unknown = Block { liquid: Sign::Outside, solid: Sign::Outside, clear: 0 };
        let mut signs = vec![unknown; blocks.iter().product()];
        for_each_chunk(&mut signs, blocks[0], |line, row| {
            for (x, block) in row.iter_mut().enumerate() {
                let low = [x, line % blocks[1], line / blocks[1]].map(|block| block * BLOCK);
                let high = low.map(|cell| cell + BLOCK);
                let (liquid, solid) = (liquid.sign_within(low, high), solid.sign_within(low, high));
                let even = solid == Sign::Inside || (liquid != Sign::Mixed && solid != Sign::Mixed);
                *block = Block { liquid, solid, clear: u8::from(even) };
            }
        });
        (1..4).for_each(|reach| widen(&mut signs, blocks, reach));
        let has_obstacles = obstacle.contains(&true);
        let corner = cells.map(|count| count as f32);
        let (open, filled) = open_box(&solid, corner);
        let boxy = filled > 0.6; // a ball fills 0.52 of its box
        let origin = frame.grid.origin();
        Self { liquid, solid, obstacle, has_obstacles, blocks, signs, corner, open, boxy, origin, spacing }
    }

    /// A point of the frame, in cells from the lower corner.
    pub fn place(&self, point: [f64; 3]) -> Vector {
        std::array::from_fn(|axis| ((point[axis] - self.origin[axis]) / self.spacing) as f32)
    }

    /// The block that a point is in, and how liquid and solids lie in it.
    #[inline]
    pub fn block(&self, point: Vector) -> ([usize; 3], Block) {
        let block: [usize; 3] =
            std::array::from_fn(|axis| ((point[axis] / BLOCK as f32) as u32 as usize).min(self.blocks[axis] - 1));
        (block, self.signs[(block[2] * self.blocks[1] + block[1]) * self.blocks[0] + block[0]])
    }

    /// Whether the solid at a point is an obstacle, not the container.
    pub fn is_obstacle(&self, point: Vector) -> bool {
        if !self.has_obstacles {
            return false;
        }
        let low: [usize; 3] =
            std::array::from_fn(|axis| (point[axis] as usize).min(self.solid.shape[axis].saturating_sub(2)));
        (0..8).any(|corner: usize| {
            let node: [usize; 3] =
                std::array::from_fn(|axis| (low[axis] + (corner >> axis & 1)).min(self.solid.shape[axis] - 1));
            self.obstacle[(node[2] * self.solid.shape[1] + node[1]) * self.solid.shape[0] + node[0]]
        })
    }

    /// Nodes that are not solid.
    pub fn open_nodes(&self) -> impl Iterator<Item = Vector> {
        open_nodes(&self.solid, 0..self.solid.values.len()).map(|(node, _)| node)
    }
}

/// Those of a range of places.
fn open_nodes(solid: &Samples, range: Range<usize>) -> impl Iterator<Item = (Vector, f32)> {
    let [across, up, _] = solid.shape;
    let open = range.clone().zip(&solid.values[range]).filter(|(_, value)| **value > 0.0);
    open.map(move |(place, &value)| {
        ([place % across, place / across % up, place / across / up].map(|count| count as f32), value)
    })
}

/// Corners of the box around everything that is not solid, and how much of it that fills.
fn open_box(solid: &Samples, corner: Vector) -> ([Vector; 2], f32) {
    let of_range = |range: Range<usize>| {
        let (mut low, mut high, mut count) = (corner, [0.0f32; 3], 0usize);
        for (node, value) in open_nodes(solid, range) {
            let reach = value.min(1.0);
            for axis in 0..3 {
                low[axis] = low[axis].min(node[axis] - reach).max(0.0);
                high[axis] = high[axis].max(node[axis] + reach).min(corner[axis]);
            }
            count += 1;
        }
        (low, high, count)
    };
    type Part = (Vector, Vector, usize);
    let both = |(low, high, count): Part, (other_low, other_high, other_count): Part| {
        let low = std::array::from_fn(|axis| low[axis].min(other_low[axis]));
        let high = std::array::from_fn(|axis| high[axis].max(other_high[axis]));
        (low, high, count + other_count)
    };
    let (low, high, count) = parallel::fold(0..solid.values.len(), &of_range, &both);
    if (0..3).all(|axis| low[axis] < high[axis]) {
        let size = (0..3).fold(1.0, |product, axis| product * (high[axis] - low[axis]));
        ([low, high], count as f32 / size)
    } else {
        ([[0.0; 3], corner], 0.0)
    }
}

/// Raises `clear` from `reach` where all neighbours have it too; beyond the border nothing changes.
fn widen(blocks: &mut [Block], shape: [usize; 3], reach: u8) {
    let near = |at: usize, count: usize| at.saturating_sub(1)..(at + 2).min(count);
    let index = |[x, y, z]: [usize; 3]| (z * shape[1] + y) * shape[0] + x;
    let has_it: Vec<bool> = blocks.iter().map(|block| block.clear >= reach).collect();
    for_each_chunk(blocks, shape[0], |line, row| {
        let (y, z) = (line % shape[1], line / shape[1]);
        for (x, block) in row.iter_mut().enumerate().filter(|(_, block)| block.clear >= reach) {
            let all = near(z, shape[2])
                .all(|z| near(y, shape[1]).all(|y| near(x, shape[0]).all(|x| has_it[index([x, y, z])])));
            if all {
                block.clear = reach + 1;
            }
        }
    });
}

/// Marks solid nodes that are not joined to the border of the domain through solid; nothing where there is no solid.
fn obstacles(solid: &Samples) -> Vec<bool> {
    let [across, up, deep] = solid.shape;
    if solid.values.iter().all(|&value| value >= 0.0) {
        return Vec::new();
    }
    let mut obstacle: Vec<bool> = solid.values.iter().map(|&value| value < 0.0).collect();
    let border = |place: usize| {
        let node = [place % across, place / across % up, place / across / up];
        (0..3).any(|axis| node[axis] == 0 || node[axis] + 1 == solid.shape[axis])
    };
    let mut joined: Vec<usize> = (0..obstacle.len()).filter(|&place| obstacle[place] && border(place)).collect();
    joined.iter().for_each(|&place| obstacle[place] = false);
    while let Some(place) = joined.pop() {
        let [x, y, z] = [place % across, place / across % up, place / across / up];
        let neighbours = [
            (x > 0, place.wrapping_sub(1)),
            (x + 1 < across, place + 1),
            (y > 0, place.wrapping_sub(across)),
            (y + 1 < up, place + across),
            (z > 0, place.wrapping_sub(across * up)),
            (z + 1 < deep, place + across * up),
        ];
        for (_, next) in neighbours.into_iter().filter(|&(exists, _)| exists) {
            if std::mem::take(&mut obstacle[next]) {
                joined.push(next);
            }
        }
    }
    obstacle
}
