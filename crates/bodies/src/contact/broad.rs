//! Broad phase: pairs of boxes that meet, on a hierarchy of hashed grids.
//!
//! Each level has cells of one size. A box belongs to the level whose cells are just as large as it, and to the
//! cell of its centre, so boxes of one level that meet lie in neighbouring cells. A box searches its own level and
//! all coarser ones. Cells are found by a hash table, so the domain may have any size \[Turek2012, p. 46\]. The work is
//! proportional to the number of boxes and pairs.

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox<const D: usize> {
    /// Lower corner.
    pub lower: [f64; D],
    /// Upper corner.
    pub upper: [f64; D],
}

impl<const D: usize> BoundingBox<D> {
    fn size(&self) -> f64 {
        (0..D).map(|axis| self.upper[axis] - self.lower[axis]).fold(0.0, f64::max)
    }

    fn centre(&self, axis: usize) -> f64 {
        0.5 * (self.lower[axis] + self.upper[axis])
    }

    fn meets(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.lower[axis] <= other.upper[axis] && other.lower[axis] <= self.upper[axis])
    }
}

/// A cell of a level: the level's number and the place along each axis.
type Key = [i64; 4];

/// All boxes in buckets by the hash of their cell, each bucket in one stretch of memory.
///
/// Neighbouring cells along the first axis have neighbouring buckets, so that a row of three is read at once. This
/// keeps the time per box constant when the boxes no longer fit into the cache.
struct Table<const D: usize> {
    starts: Vec<u32>,
    entries: Vec<(BoundingBox<D>, u32)>,
}

impl<const D: usize> Table<D> {
    fn new(boxes: &[BoundingBox<D>], keys: &[Key]) -> Self {
        let buckets = (2 * keys.len()).next_power_of_two();
        let mut starts = vec![0u32; buckets + 1];
        keys.iter().for_each(|key| starts[bucket(key, buckets) + 1] += 1);
        (0..buckets).for_each(|place| starts[place + 1] += starts[place]);
        let mut next = starts.clone();
        let nothing = BoundingBox { lower: [0.0; D], upper: [0.0; D] };
        let mut entries = vec![(nothing, 0); boxes.len()];
        for (index, key) in keys.iter().enumerate() {
            let place = &mut next[bucket(key, buckets)];
            entries[*place as usize] = (boxes[index], index as u32);
            *place += 1;
        }
        Self { starts, entries }
    }

    /// The boxes in the bucket of a cell: all boxes of the cell, and possibly others.
    fn near(&self, key: Key) -> &[(BoundingBox<D>, u32)] {
        let place = bucket(&key, self.starts.len() - 1);
        &self.entries[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

fn bucket(key: &Key, buckets: usize) -> usize {
    let mix = |hash: u64, part: &i64| (hash ^ *part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let row = key[1..].iter().fold(0, mix) >> 7;
    row.wrapping_add(key[0] as u64) as usize & (buckets - 1)
}

/// Pairs (i, j), i < j, of boxes that meet, in ascending order.
///
/// ```
/// use unstick_bodies::{BoundingBox, close_pairs};
/// let at = |x: f64| BoundingBox { lower: [x, 0.0], upper: [x + 1.0, 1.0] };
/// assert_eq!(close_pairs(&[at(0.0), at(5.0), at(0.5)]), [(0, 2)]);
/// ```
pub fn close_pairs<const D: usize>(boxes: &[BoundingBox<D>]) -> Vec<(usize, usize)> {
    // Boxes without extent share the finest level there is.
    let least = f64::MIN_POSITIVE.log2() as i64 / 2;
    let levels: Vec<i64> = boxes.iter().map(|one| (one.size().log2().ceil() as i64).max(least)).collect();
    let mut occupied = levels.clone();
    occupied.sort_unstable();
    occupied.dedup();
    let key = |one: &BoundingBox<D>, level: i64| {
        let mut key = [0; 4];
        (0..D).for_each(|axis| key[axis] = (one.centre(axis) / 2f64.powi(level as i32)).floor() as i64);
        key[3] = level;
        key
    };
    let keys: Vec<Key> = boxes.iter().zip(&levels).map(|(one, &level)| key(one, level)).collect();
    let table = Table::new(boxes, &keys);
    let steps = 3usize.pow(D as u32);
    let mut pairs = Vec::new();
    for (index, one) in boxes.iter().enumerate() {
        for &level in occupied.iter().filter(|&&level| level >= levels[index]) {
            let home = key(one, level);
            // On its own level every pair is found from both sides: half of the cells around are enough.
            let first = if level == levels[index] { steps / 2 } else { 0 };
            for step in first..steps {
                let mut near = home;
                (0..D).for_each(|axis| near[axis] += (step / 3usize.pow(axis as u32) % 3) as i64 - 1);
                let others = table.near(near).iter().filter(|(other, _)| one.meets(other));
                let others = others.map(|&(_, other)| other as usize).filter(|&other| other != index);
                pairs.extend(others.map(|other| (index.min(other), index.max(other))));
            }
        }
    }
    in_order(pairs, boxes.len())
}

/// Pairs in ascending order, each once. Counting sort: the time is proportional to their number.
fn in_order(pairs: Vec<(usize, usize)>, count: usize) -> Vec<(usize, usize)> {
    let mut next = vec![0; count + 1];
    pairs.iter().for_each(|pair| next[pair.0 + 1] += 1);
    (0..count).for_each(|place| next[place + 1] += next[place]);
    let starts = next.clone();
    let mut sorted = vec![(0, 0); pairs.len()];
    for pair in pairs {
        sorted[next[pair.0]] = pair;
        next[pair.0] += 1;
    }
    starts.windows(2).for_each(|range| sorted[range[0]..range[1]].sort_unstable());
    // A bucket that several cells share is read more than once.
    sorted.dedup();
    sorted
}

#[cfg(test)]
mod tests {
    use unstick_grid::Random;

    use super::*;

    #[test]
    fn pairs_are_those_of_trying_all() {
        let mut random = Random::new(1);
        let mut random = |high: f64| random.between(0.0, high);
        for spread in [1.0, 4.0, 20.0] {
            let boxes: Vec<BoundingBox<3>> = (0..300)
                .map(|_| {
                    let size = [0.0, 0.02, 0.3, 1.0, 2.5][random(5.0) as usize] * (0.5 + random(1.0));
                    let lower: [f64; 3] = std::array::from_fn(|_| random(spread) - 0.5 * spread);
                    BoundingBox { lower, upper: lower.map(|value| value + size) }
                })
                .collect();
            let mut expected = Vec::new();
            for i in 0..boxes.len() {
                expected.extend((i + 1..boxes.len()).filter(|&j| boxes[i].meets(&boxes[j])).map(|j| (i, j)));
            }
            assert!(!expected.is_empty());
            assert_eq!(close_pairs(&boxes), expected, "{spread}");
        }
    }

    #[test]
    fn nothing_meets_nothing() {
        assert!(close_pairs::<2>(&[]).is_empty());
    }
}
