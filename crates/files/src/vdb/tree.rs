//! The tree of a grid: a root, two levels of inner nodes (32³ and 16³ children) and leaves of 8³ voxels.
//!
//! In a node the last axis runs fastest. The topology (which children and voxels exist) is written before all values,
//! in the same order.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;

use super::value::{Precision, Value};

/// log₂ of the number of children along an axis: of a leaf, an inner node, an inner node below the root.
const LEVELS: [u32; 3] = [3, 4, 5];

/// Voxels along the edge of a leaf, of its parent and of its grandparent.
const EDGES: [i32; 3] = [1 << 3, 1 << 7, 1 << 12];

/// The state of a voxel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Voxel<V> {
    /// Inactive, with the background value.
    Outside,
    /// Inactive, with the negative background value.
    Inside,
    /// Active.
    Active(V),
}

/// A sparse grid.
pub(super) struct Tree<V> {
    background: V,
    uppers: BTreeMap<[i32; 3], Node<Node<Leaf<V>>>>,
    /// Lower and upper corner of the active voxels; none if no voxel is active.
    pub bounds: Option<([i32; 3], [i32; 3])>,
    /// Number of active voxels.
    pub active: u64,
}

struct Node<C> {
    children: BTreeMap<usize, C>,
    /// Children that lie completely inside.
    inside: Vec<usize>,
}

impl<C> Default for Node<C> {
    fn default() -> Self {
        Self { children: BTreeMap::new(), inside: Vec::new() }
    }
}

struct Leaf<V> {
    active: [u64; 8],
    inside: [u64; 8],
    values: Vec<V>,
}

enum Block<V> {
    Inside,
    Leaf(Leaf<V>),
}

impl<V: Value> Tree<V> {
    /// Builds a tree from the voxels from `lower` to `upper`, both included. All others are outside.
    pub fn build(background: V, lower: [i32; 3], upper: [i32; 3], voxel: impl Fn([i32; 3]) -> Voxel<V> + Sync) -> Self {
        let along = |axis: usize| (lower[axis].div_euclid(8)..=upper[axis].div_euclid(8)).map(|index| 8 * index);
        let corners: Vec<[i32; 3]> =
            along(0).flat_map(|x| along(1).flat_map(move |y| along(2).map(move |z| [x, y, z]))).collect();
        let within = |place: [i32; 3]| (0..3).all(|axis| (lower[axis]..=upper[axis]).contains(&place[axis]));
        let ask = |place| if within(place) { voxel(place) } else { Voxel::Outside };
        let blocks: Vec<_> =
            corners.into_par_iter().filter_map(|corner| Some((corner, block(corner, &ask)?))).collect();
        let mut tree = Self { background, uppers: BTreeMap::new(), bounds: None, active: 0 };
        for (corner, block) in blocks {
            tree.insert(corner, block);
        }
        tree
    }

    fn insert(&mut self, corner: [i32; 3], block: Block<V>) {
        let upper = self
            .uppers
            .entry(corner.map(|value| value & !(EDGES[2] - 1)))
            .or_insert_with(|| Node { children: BTreeMap::new(), inside: Vec::new() });
        let lower = upper.children.entry(offset(corner, EDGES[1], LEVELS[2])).or_default();
        let place = offset(corner, EDGES[0], LEVELS[1]);
        match block {
            Block::Inside => lower.inside.push(place),
            Block::Leaf(leaf) => {
                self.active += leaf.values.len() as u64;
                for voxel in (0..512).filter(|&voxel| is_on(&leaf.active, voxel)) {
                    let place = place_in(corner, voxel);
                    let (low, high) = self.bounds.get_or_insert((place, place));
                    for axis in 0..3 {
                        low[axis] = low[axis].min(place[axis]);
                        high[axis] = high[axis].max(place[axis]);
                    }
                }
                lower.children.insert(place, leaf);
            }
        }
    }

    /// The encoded topology.
    pub fn topology(&self, precision: Precision) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(1u32.to_le_bytes()); // one buffer per leaf
        match precision {
            Precision::Single => self.background.single(&mut bytes),
            Precision::Half => self.background.rounded().single(&mut bytes),
        }
        bytes.extend(0u32.to_le_bytes()); // tiles of the root
        bytes.extend((self.uppers.len() as u32).to_le_bytes());
        for (corner, upper) in &self.uppers {
            corner.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
            inner_topology::<V, _>(upper, LEVELS[2], precision, &mut bytes);
            for lower in upper.children.values() {
                inner_topology::<V, _>(lower, LEVELS[1], precision, &mut bytes);
                lower.children.values().for_each(|leaf| save(&leaf.active, &mut bytes));
            }
        }
        bytes
    }

    /// The encoded values of all leaves.
    pub fn buffers(&self, precision: Precision) -> Vec<u8> {
        let lowers = self.uppers.values().flat_map(|upper| upper.children.values());
        let leaves: Vec<&Leaf<V>> = lowers.flat_map(|lower| lower.children.values()).collect();
        let encode = |leaf: &&Leaf<V>| {
            let mut bytes = Vec::new();
            save(&leaf.active, &mut bytes);
            values(&leaf.active, &leaf.inside, &leaf.values, precision, &mut bytes);
            bytes
        };
        leaves.par_iter().map(encode).collect::<Vec<Vec<u8>>>().concat()
    }
}

/// A block of 8³ voxels; none if it lies completely outside.
fn block<V: Value>(corner: [i32; 3], voxel: &impl Fn([i32; 3]) -> Voxel<V>) -> Option<Block<V>> {
    let mut leaf = Leaf { active: [0; 8], inside: [0; 8], values: Vec::new() };
    for index in 0..512 {
        let bit = 1 << (index % 64);
        match voxel(place_in(corner, index)) {
            Voxel::Outside => {}
            Voxel::Inside => leaf.inside[index / 64] |= bit,
            Voxel::Active(value) => {
                leaf.active[index / 64] |= bit;
                leaf.values.push(value);
            }
        }
    }
    match (leaf.values.is_empty(), leaf.inside) {
        (true, [0, 0, 0, 0, 0, 0, 0, 0]) => None,
        (true, inside) if inside == [u64::MAX; 8] => Some(Block::Inside),
        _ => Some(Block::Leaf(leaf)),
    }
}

fn place_in(corner: [i32; 3], voxel: usize) -> [i32; 3] {
    let voxel = voxel as i32;
    [corner[0] + (voxel >> 6), corner[1] + (voxel >> 3 & 7), corner[2] + (voxel & 7)]
}

/// The index of a child in its parent. The parent has 2^`level` children along each axis, each `edge` voxels long.
fn offset(corner: [i32; 3], edge: i32, level: u32) -> usize {
    let place = corner.map(|value| (value.div_euclid(edge) & ((1 << level) - 1)) as usize);
    (place[0] << (2 * level)) + (place[1] << level) + place[2]
}

/// Encodes masks and tiles of an inner node. No tile is active.
fn inner_topology<V: Value, C>(node: &Node<C>, level: u32, precision: Precision, bytes: &mut Vec<u8>) {
    let words = (1usize << (3 * level)) / 64;
    let mask = |places: &mut dyn Iterator<Item = usize>| {
        let mut mask = vec![0u64; words];
        places.for_each(|place| mask[place / 64] |= 1 << (place % 64));
        mask
    };
    save(&mask(&mut node.children.keys().copied()), bytes);
    let active = vec![0; words];
    save(&active, bytes);
    values::<V>(&active, &mask(&mut node.inside.iter().copied()), &[], precision, bytes);
}

/// Encodes the values of a node with "active mask" compression: the active values, and the signs of the others.
fn values<V: Value>(active: &[u64], inside: &[u64], values: &[V], precision: Precision, bytes: &mut Vec<u8>) {
    const ALL_OUTSIDE: u8 = 0;
    const ALL_INSIDE: u8 = 1;
    const SELECTED: u8 = 3;
    let outside: Vec<u64> = active.iter().zip(inside).map(|(active, inside)| !(active | inside)).collect();
    if inside.iter().all(|&word| word == 0) {
        bytes.push(ALL_OUTSIDE);
    } else if outside.iter().all(|&word| word == 0) {
        bytes.push(ALL_INSIDE);
    } else {
        bytes.push(SELECTED);
        save(&outside, bytes);
    }
    // In half precision, an empty list is stored without its length.
    if values.is_empty() && precision == Precision::Half {
        return;
    }
    let mut plain = Vec::new();
    for value in values {
        match precision {
            Precision::Single => value.single(&mut plain),
            Precision::Half => value.half(&mut plain),
        }
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let _ = encoder.write_all(&plain); // writing to memory cannot fail
    let packed = encoder.finish().unwrap_or_default();
    // Data that do not shrink are stored uncompressed, and their length is negative.
    let (length, data) =
        if packed.len() < plain.len() { (packed.len() as i64, &packed) } else { (-(plain.len() as i64), &plain) };
    bytes.extend(length.to_le_bytes());
    bytes.extend(data);
}

fn save(mask: &[u64], bytes: &mut Vec<u8>) {
    mask.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
}

fn is_on(mask: &[u64], place: usize) -> bool {
    mask[place / 64] >> (place % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Active within a cube of edge 20 about the origin, inside below it, outside elsewhere.
    fn cube([x, y, z]: [i32; 3]) -> Voxel<f32> {
        match (-10..10).contains(&x) && (-10..10).contains(&y) {
            true if (-10..10).contains(&z) => Voxel::Active(z as f32),
            true if z < -10 => Voxel::Inside,
            _ => Voxel::Outside,
        }
    }

    #[test]
    fn a_tree_knows_its_active_voxels_and_their_bounds() {
        let tree = Tree::build(3.0, [-12; 3], [12; 3], cube);
        assert_eq!((tree.active, tree.bounds), (20 * 20 * 20, Some(([-10; 3], [9; 3]))));
        let nothing = Tree::build(3.0f32, [0; 3], [63; 3], |_| Voxel::Outside);
        assert_eq!((nothing.active, nothing.bounds, nothing.uppers.len()), (0, None, 0));
    }

    #[test]
    fn nodes_are_found_by_the_bits_of_their_corner() {
        assert_eq!(offset([8, 16, 24], EDGES[0], LEVELS[1]), (1 << 8) + (2 << 4) + 3);
        assert_eq!(offset([-8, 0, 0], EDGES[0], LEVELS[1]), 15 << 8, "negative corners count from the end");
        assert_eq!(place_in([8, 0, -8], 0b101_011_110), [13, 3, -2]);
        let tree = Tree::build(0.0, [-1; 3], [0; 3], |_| Voxel::Active(1.0f32));
        assert_eq!(tree.uppers.keys().collect::<Vec<_>>().len(), 8, "one node per octant");
    }

    #[test]
    fn blocks_that_are_alike_are_not_stored() {
        assert!(block([0; 3], &|_| Voxel::<f32>::Outside).is_none());
        assert!(matches!(block([0; 3], &|_| Voxel::<f32>::Inside), Some(Block::Inside)));
        let Some(Block::Leaf(leaf)) =
            block([0; 3], &|place| if place == [0, 0, 1] { Voxel::Active(7.0) } else { Voxel::Inside })
        else {
            panic!("a leaf was expected")
        };
        assert_eq!((leaf.values, leaf.active[0], leaf.inside[0]), (vec![7.0], 2, !2));
    }

    #[test]
    fn values_are_compressed_only_if_that_makes_them_smaller() {
        let stored = |list: &[f32]| {
            let mut bytes = Vec::new();
            values(&[u64::MAX], &[0], list, Precision::Single, &mut bytes);
            assert_eq!(bytes[0], 0, "no value is inside");
            (i64::from_le_bytes(bytes[1..9].try_into().unwrap()), bytes.len() - 9)
        };
        assert_eq!(stored(&[1.5]), (-4, 4));
        let (length, size) = stored(&[1.5; 64]);
        assert!(length == size as i64 && size < 4 * 64);
    }
}
