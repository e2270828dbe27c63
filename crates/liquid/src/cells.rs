//! Loops over lattices on every thread.

use unstick_grid::CellField;
use unstick_parallel as parallel;

/// Changes every value by its place; the same bits for any number of threads.
pub(crate) fn fill<T: Send, const D: usize>(field: &mut CellField<T, D>, value: impl Fn([usize; D], &mut T) + Sync) {
    let shape = field.shape();
    let values = field.values_mut();
    parallel::for_each((0..values.len(), values), |(range, values)| {
        let mut place = multi_index(shape, range.start);
        for slot in values {
            value(place, slot);
            advance(shape, &mut place);
        }
    });
}

/// The place of the value at `index` in memory.
pub(crate) fn multi_index<const D: usize>(shape: [usize; D], mut index: usize) -> [usize; D] {
    std::array::from_fn(|axis| {
        let place = index % shape[axis];
        index /= shape[axis];
        place
    })
}

fn advance<const D: usize>(shape: [usize; D], place: &mut [usize; D]) {
    for axis in 0..D {
        place[axis] += 1;
        if place[axis] < shape[axis] {
            return;
        }
        place[axis] = 0;
    }
}

/// Distance in memory between neighbours along each axis.
#[inline]
pub(crate) fn strides<const D: usize>(shape: [usize; D]) -> [usize; D] {
    let mut stride = 1;
    std::array::from_fn(|axis| {
        let own = stride;
        stride *= shape[axis];
        own
    })
}

/// A number in [0, 1) that depends on its arguments alone (SplitMix64).
pub(crate) fn hash_to_unit(parts: [u64; 4]) -> f64 {
    let mut state = 0u64;
    for part in parts {
        let mut z = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state = z ^ (z >> 31);
    }
    (state >> 11) as f64 / (1u64 << 53) as f64
}
