//! Loops over lattices on every thread.

pub(crate) use unstick_grid::multi_index;

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

/// Changes every value by its number: for loops that have little to do at most places.
pub(crate) fn fill_by_number<T: Send, const D: usize>(
    field: &mut CellField<T, D>,
    value: impl Fn(usize, &mut T) + Sync,
) {
    let values = field.values_mut();
    parallel::for_each((0..values.len(), values), |(range, values)| {
        range.zip(values).for_each(|(number, slot)| value(number, slot));
    });
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

/// Calls `visit` with the numbers of the places beside one, whose number is known.
#[inline(always)]
pub(crate) fn for_each_beside<const D: usize>(
    shape: [usize; D],
    place: [usize; D],
    number: usize,
    mut visit: impl FnMut(usize),
) {
    let mut stride = 1;
    for axis in 0..D {
        if place[axis] > 0 {
            visit(number - stride);
        }
        if place[axis] + 1 < shape[axis] {
            visit(number + stride);
        }
        stride *= shape[axis];
    }
}
