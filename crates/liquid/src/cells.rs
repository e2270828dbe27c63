//! Loops over lattices on every thread.

pub(crate) use unstick_grid::multi_index;

use std::ops::Range;

use unstick_grid::CellField;
use unstick_mlcp::fields::Window;
use unstick_parallel::{self as parallel, Lanes};

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

/// Calls `kernel` on every block of some ascending ranges of the lanes.
pub(crate) fn for_each_within<L: Lanes>(ranges: &[Range<usize>], lanes: L, kernel: impl Fn(L) + Sync) {
    let (mut rest, mut from, mut pieces) = (lanes, 0, Vec::with_capacity(ranges.len()));
    for range in ranges {
        let (_, after) = rest.cut(range.start - from);
        let (piece, after) = after.cut(range.len());
        pieces.push(Some(piece));
        (rest, from) = (after, range.end);
    }
    parallel::for_each_chunk(&mut pieces, 1, |_, pieces| {
        pieces.iter_mut().filter_map(Option::take).for_each(|piece| parallel::for_each(piece, &kernel));
    });
}

/// Lines along the first axis of a field of `shape`, as far as they lie in a window and in a range of the places of the
/// field: the start of each, and its part of the range.
pub(crate) fn lines_within<const D: usize>(
    window: Window<D>,
    shape: [usize; D],
    range: Range<usize>,
) -> impl Iterator<Item = (usize, Range<usize>)> {
    Window::whole(shape).lines(shape, range).filter_map(move |(at, part)| {
        let along = window.part_of_line(multi_index(shape, at), part.len());
        (!along.is_empty()).then(|| (at + along.start, part.start + along.start..part.start + along.end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_lanes_are_visited_and_nothing_else() {
        let mut values = vec![0; 100_000];
        let ranges = [0..3, 3..3, 10..70_000, 99_999..100_000];
        let numbers: Vec<usize> = (0..values.len()).collect();
        for_each_within(&ranges, (numbers.as_slice(), values.as_mut_slice()), |(numbers, values)| {
            numbers.iter().zip(values).for_each(|(number, value)| *value += number + 1);
        });
        let expected = |number: usize| if ranges.iter().any(|range| range.contains(&number)) { number + 1 } else { 0 };
        assert!(values.iter().enumerate().all(|(number, value)| *value == expected(number)));
    }

    #[test]
    fn lines_of_a_window_are_found_in_any_range() {
        let (shape, window) = ([5, 4, 3], Window { first: [1, 1, 0], size: [3, 2, 2] });
        for (start, end) in [(0, 60), (7, 33), (27, 28), (0, 0)] {
            let found = lines_within(window, shape, start..end);
            let places: Vec<usize> = found
                .flat_map(|(at, part)| {
                    assert_eq!(at, start + part.start);
                    at..at + part.len()
                })
                .collect();
            let expected: Vec<usize> = (start..end).filter(|&at| window.index_of(shape, at).is_some()).collect();
            assert_eq!(places, expected);
        }
    }
}
