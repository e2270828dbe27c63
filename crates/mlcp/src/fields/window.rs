//! The part of the grid where there is liquid.

use std::ops::Range;

use super::PressureFields;
use crate::parallel;

/// A box of places of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window<const D: usize> {
    /// The first place along each axis.
    pub first: [usize; D],
    /// Places along each axis.
    pub size: [usize; D],
}

impl<const D: usize> Window<D> {
    /// Number of places.
    pub fn count(&self) -> usize {
        self.size.iter().product()
    }

    /// The same with so many places more along an axis, before and behind, as far as the grid reaches.
    pub fn widened(mut self, axis: usize, before: usize, behind: usize, shape: [usize; D]) -> Self {
        let end = (self.first[axis] + self.size[axis] + behind).min(shape[axis]);
        self.first[axis] = self.first[axis].saturating_sub(before);
        self.size[axis] = end - self.first[axis];
        self
    }

    /// Where a value of a field of `shape` lies in the window, if it does.
    pub fn index_of(&self, shape: [usize; D], at: usize) -> Option<usize> {
        let place = place_of(shape, at);
        let is_inside = |axis: usize| (self.first[axis]..self.first[axis] + self.size[axis]).contains(&place[axis]);
        let index = |index, axis: usize| index * self.size[axis] + place[axis] - self.first[axis];
        (0..D).all(is_inside).then(|| (0..D).rev().fold(0, index))
    }

    /// Lines along the first axis that a range of the window's places touches: where each begins in a field of
    /// `shape`, and which part of the range it is.
    pub fn lines(self, shape: [usize; D], places: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let mut from = places.start;
        std::iter::from_fn(move || {
            let place = place_of(self.size, from);
            let until = (from + self.size[0] - place[0]).min(places.end);
            let part = from - places.start..until - places.start;
            from = until;
            let at = (0..D).rev().fold(0, |at, axis| at * shape[axis] + self.first[axis] + place[axis]);
            (!part.is_empty()).then_some((at, part))
        })
    }

    /// Copies the window's part of a field, from the window's place `from` on, as far as `piece` reaches.
    pub fn copy_from<T: Copy + Send + Sync>(self, shape: [usize; D], field: &[T], from: usize, piece: &mut [T]) {
        parallel::for_each((from..from + piece.len(), piece), |(places, piece)| {
            for (at, part) in self.lines(shape, places) {
                let length = part.len();
                piece[part].copy_from_slice(&field[at..at + length]);
            }
        });
    }
}

/// The place of the value at `index` in memory.
pub(super) fn place_of<const D: usize>(shape: [usize; D], mut index: usize) -> [usize; D] {
    std::array::from_fn(|axis| {
        let place = index % shape[axis];
        index /= shape[axis];
        place
    })
}

impl<const D: usize> PressureFields<'_, D> {
    /// The smallest box that holds all liquid; a single cell where there is none.
    pub fn window(&self) -> Window<D> {
        let nothing = || ([usize::MAX; D], [0usize; D]);
        let of_line = |mut found: ([usize; D], [usize; D]), at: usize, line: &[f64]| {
            let Some(low) = line.iter().position(|&distance| distance < 0.0) else { return found };
            let high = line.iter().rposition(|&distance| distance < 0.0).unwrap_or(low);
            let place = place_of(self.cells, at);
            for axis in 0..D {
                let along = if axis == 0 { [low, high] } else { [0, 0] };
                found.0[axis] = found.0[axis].min(place[axis] + along[0]);
                found.1[axis] = found.1[axis].max(place[axis] + along[1]);
            }
            found
        };
        let whole = Window { first: [0; D], size: self.cells };
        let of_range = |range: Range<usize>| {
            let lines = whole.lines(self.cells, range);
            lines.fold(nothing(), |found, (at, part)| of_line(found, at, &self.liquid[at..at + part.len()]))
        };
        let join = |one: ([usize; D], [usize; D]), other: ([usize; D], [usize; D])| {
            let least = std::array::from_fn(|axis| one.0[axis].min(other.0[axis]));
            (least, std::array::from_fn(|axis| one.1[axis].max(other.1[axis])))
        };
        let (first, last) = parallel::fold(0..self.cell_count(), &of_range, &join);
        if first[0] == usize::MAX {
            return Window { first: [0; D], size: [1; D] };
        }
        Window { first, size: std::array::from_fn(|axis| last[axis] + 1 - first[axis]) }
    }
}
