//! The part of the grid where there is liquid.

use std::ops::Range;

use unstick_parallel as parallel;

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

    /// The same with more places along an axis, before and behind, as far as the grid reaches.
    pub fn widened(mut self, axis: usize, before: usize, behind: usize, shape: [usize; D]) -> Self {
        let end = (self.first[axis] + self.size[axis] + behind).min(shape[axis]);
        self.first[axis] = self.first[axis].saturating_sub(before);
        self.size[axis] = end - self.first[axis];
        self
    }

    /// Place in the window of a value of a field of `shape`, if it lies there.
    pub fn index_of(&self, shape: [usize; D], at: usize) -> Option<usize> {
        let place = place_of(shape, at);
        let is_inside = |axis: usize| (self.first[axis]..self.first[axis] + self.size[axis]).contains(&place[axis]);
        let index = |index, axis: usize| index * self.size[axis] + place[axis] - self.first[axis];
        (0..D).all(is_inside).then(|| (0..D).rev().fold(0, index))
    }

    /// Where a place of the window lies in a field of `shape`: the way back from [`index_of`](Self::index_of).
    pub fn cell_of(&self, shape: [usize; D], index: usize) -> usize {
        let place = place_of(self.size, index);
        (0..D).rev().fold(0, |at, axis| at * shape[axis] + self.first[axis] + place[axis])
    }

    /// The places that lie in both windows, if there are any.
    pub fn common(&self, other: &Self) -> Option<Self> {
        let first: [usize; D] = std::array::from_fn(|axis| self.first[axis].max(other.first[axis]));
        let end = |axis: usize| (self.first[axis] + self.size[axis]).min(other.first[axis] + other.size[axis]);
        let size = std::array::from_fn(|axis| end(axis).saturating_sub(first[axis]));
        (!size.contains(&0)).then_some(Self { first, size })
    }

    /// The same places counted from another one.
    pub fn seen_from(&self, origin: [usize; D]) -> Self {
        Self { first: std::array::from_fn(|axis| self.first[axis] - origin[axis]), size: self.size }
    }

    /// Lines along the first axis within a range of the window's places: the start of each line in a field of `shape`,
    /// and its part of the range.
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

    /// The whole of a grid.
    pub fn whole(shape: [usize; D]) -> Self {
        Self { first: [0; D], size: shape }
    }

    /// The part of a line that lies in the window, as places of the line. The line runs along the first axis from a
    /// place of the grid.
    pub fn part_of_line(&self, place: [usize; D], length: usize) -> Range<usize> {
        let is_beside =
            (1..D).any(|axis| !(self.first[axis]..self.first[axis] + self.size[axis]).contains(&place[axis]));
        let until = (self.first[0] + self.size[0]).saturating_sub(place[0]).min(length);
        if is_beside { 0..0 } else { self.first[0].saturating_sub(place[0]).min(until)..until }
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

    /// Copies the other way: what lies in the window from its place `from` on.
    pub fn copy_to<T: Copy + Send + Sync>(self, shape: [usize; D], from: usize, piece: &[T], field: &mut [T]) {
        let until = from + piece.len();
        let at = |place: usize| self.lines(shape, place..place + 1).next().map_or(0, |(at, _)| at);
        let span = if piece.is_empty() { 0..0 } else { at(from)..at(until - 1) + 1 };
        parallel::for_each((span.clone(), &mut field[span]), |(places, field)| {
            for (at, part) in Window::whole(shape).lines(shape, places) {
                let along = self.part_of_line(place_of(shape, at), part.len());
                let Some(index) = self.index_of(shape, at + along.start).filter(|_| !along.is_empty()) else {
                    continue;
                };
                let known = index.max(from)..(index + along.len()).min(until);
                if !known.is_empty() {
                    let start = part.start + along.start + known.start - index;
                    field[start..start + known.len()].copy_from_slice(&piece[known.start - from..known.end - from]);
                }
            }
        });
    }

    /// The smallest box around all negative values of a field; a single place where there are none.
    pub fn around_negative(shape: [usize; D], field: &[f64]) -> Self {
        let nothing = || ([usize::MAX; D], [0usize; D]);
        let of_line = |mut found: ([usize; D], [usize; D]), at: usize, line: &[f64]| {
            let Some(low) = line.iter().position(|&value| value < 0.0) else { return found };
            let high = line.iter().rposition(|&value| value < 0.0).unwrap_or(low);
            let place = place_of(shape, at);
            for axis in 0..D {
                let along = if axis == 0 { [low, high] } else { [0, 0] };
                found.0[axis] = found.0[axis].min(place[axis] + along[0]);
                found.1[axis] = found.1[axis].max(place[axis] + along[1]);
            }
            found
        };
        let of_range = |range: Range<usize>| {
            let lines = Self::whole(shape).lines(shape, range);
            lines.fold(nothing(), |found, (at, part)| of_line(found, at, &field[at..at + part.len()]))
        };
        let join = |one: ([usize; D], [usize; D]), other: ([usize; D], [usize; D])| {
            let least = std::array::from_fn(|axis| one.0[axis].min(other.0[axis]));
            (least, std::array::from_fn(|axis| one.1[axis].max(other.1[axis])))
        };
        let (first, last) = parallel::fold(0..field.len(), &of_range, &join);
        if first[0] == usize::MAX {
            return Self { first: [0; D], size: [1; D] };
        }
        Self { first, size: std::array::from_fn(|axis| last[axis] + 1 - first[axis]) }
    }
}

/// The place of the value at `index` in memory.
pub(crate) fn place_of<const D: usize>(shape: [usize; D], mut index: usize) -> [usize; D] {
    std::array::from_fn(|axis| {
        let place = index % shape[axis];
        index /= shape[axis];
        place
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_goes_out_and_comes_back_in_pieces_of_any_length() {
        let shape = [7, 5, 4];
        let field: Vec<usize> = (0..140).collect();
        let window = Window { first: [2, 1, 1], size: [4, 3, 2] };
        let expected: Vec<usize> = field.iter().copied().filter(|&at| window.index_of(shape, at).is_some()).collect();
        assert_eq!(expected.len(), window.count());
        for length in 1..=window.count() {
            let (mut gathered, mut back) = (Vec::new(), vec![0; field.len()]);
            for from in (0..window.count()).step_by(length) {
                let mut piece = vec![0; length.min(window.count() - from)];
                window.copy_from(shape, &field, from, &mut piece);
                window.copy_to(shape, from, &piece, &mut back);
                gathered.extend(piece);
            }
            assert_eq!(gathered, expected, "pieces of {length}");
            let inside = |&at: &usize| if window.index_of(shape, at).is_some() { at } else { 0 };
            assert_eq!(back, field.iter().map(inside).collect::<Vec<_>>(), "pieces of {length}");
        }
    }

    #[test]
    fn the_box_around_negative_values_is_the_smallest() {
        let mut field = vec![1.0; 60];
        assert_eq!(Window::around_negative([5, 4, 3], &field), Window { first: [0; 3], size: [1; 3] });
        for place in [[1, 2, 1], [3, 1, 1], [2, 2, 2]] {
            field[place[0] + 5 * (place[1] + 4 * place[2])] = -1.0;
        }
        let window = Window::around_negative([5, 4, 3], &field);
        assert_eq!(window, Window { first: [1, 1, 1], size: [3, 2, 2] });
        assert_eq!(window.widened(1, 1, 3, [5, 4, 3]), Window { first: [1, 0, 1], size: [3, 4, 2] });
    }
}
