//! Which crossed edges of a cube belong to the same sheet of the surface.
//!
//! Corner c of a cube lies at the bits of c along x, y and z. Edge 4a + u + 2v runs along axis a, at u along the next
//! axis and v along the one after.

use std::sync::LazyLock;

/// The sheets of the surface in a cube.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sheets {
    /// How many there are.
    pub count: u8,
    /// The sheet that crosses each edge; meaningless where none does.
    pub of_edge: [u8; 12],
}

/// A side of a cube: the axis across it, and whether it is the upper one.
pub(super) type Side = (usize, usize);

/// What the signs at the corners of a cube say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Configuration {
    /// The sheets where inner corners across a side from each other are kept apart.
    pub apart: Sheets,
    /// The side that one sheet crosses twice, if there is one. No cube has two.
    pub crossed_twice: Option<Side>,
    /// The sheets where inner corners are joined across that side, and nowhere else.
    pub joined: Sheets,
}

/// The configuration of every set of inner corners, one bit each.
pub(super) static CONFIGURATIONS: LazyLock<[Configuration; 256]> = LazyLock::new(|| {
    std::array::from_fn(|inner| {
        let apart = sheets(inner as u8, None);
        let crossed_twice = SIDES.into_iter().find(|&side| {
            let corners = corners_of(side);
            is_ambiguous(inner as u8, corners) && {
                let sheet = |corner: usize| apart.of_edge[edge(corners[corner], corners[(corner + 1) % 4])];
                (1..4).all(|corner| sheet(corner) == sheet(0))
            }
        });
        Configuration { apart, crossed_twice, joined: sheets(inner as u8, crossed_twice) }
    })
});

const SIDES: [Side; 6] = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)];

/// The two corners of an edge, the lower one first.
pub(super) fn ends(edge: usize) -> [usize; 2] {
    let (axis, u, v) = (edge / 4, edge & 1, edge >> 1 & 1);
    let low = u << ((axis + 1) % 3) | v << ((axis + 2) % 3);
    [low, low | 1 << axis]
}

/// The edge between two corners that are neighbours.
fn edge(one: usize, other: usize) -> usize {
    let (axis, low) = ((one ^ other).trailing_zeros() as usize, one & other);
    4 * axis + (low >> ((axis + 1) % 3) & 1) + 2 * (low >> ((axis + 2) % 3) & 1)
}

/// The corners of a side, one after the other around it.
fn corners_of((axis, upper): Side) -> [usize; 4] {
    let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
    [0, u, u | v, v].map(|corner| corner | upper << axis)
}

/// Whether inside and outside take turns around a side.
fn is_ambiguous(inner: u8, corners: [usize; 4]) -> bool {
    let [a, b, c, d] = corners.map(|corner| inner >> corner & 1);
    a == c && b == d && a != b
}

/// Joins the edges that follow each other around a sheet: two on each side of the cube that the sheet crosses.
fn sheets(inner: u8, joined: Option<Side>) -> Sheets {
    let mut root: [usize; 12] = std::array::from_fn(|edge| edge);
    for side in SIDES {
        let corners = corners_of(side);
        let around: [usize; 4] = std::array::from_fn(|corner| edge(corners[corner], corners[(corner + 1) % 4]));
        let is_inner = |corner: usize| inner >> corners[corner] & 1 == 1;
        let mut join = |one: usize, other: usize| {
            let (one, other) = (root[one], root[other]);
            root.iter_mut().filter(|root| **root == other).for_each(|root| *root = one);
        };
        if is_ambiguous(inner, corners) {
            // A line cuts off either each inner corner or each outer one.
            let cuts_inner = joined != Some(side);
            for corner in (0..4).filter(|&corner| is_inner(corner) == cuts_inner) {
                join(around[corner], around[(corner + 3) % 4]);
            }
        } else {
            let mut crossed = (0..4).filter(|&corner| is_inner(corner) != is_inner((corner + 1) % 4));
            if let (Some(one), Some(other)) = (crossed.next(), crossed.next()) {
                join(around[one], around[other]);
            }
        }
    }
    let mut sheets = Sheets::default();
    let mut known: Vec<usize> = Vec::new();
    for edge in 0..12 {
        let [low, high] = ends(edge);
        if (inner >> low ^ inner >> high) & 1 == 1 {
            let sheet = known.iter().position(|&root_of| root_of == root[edge]).unwrap_or(known.len());
            if sheet == known.len() {
                known.push(root[edge]);
            }
            sheets.of_edge[edge] = sheet as u8;
        }
    }
    sheets.count = known.len() as u8;
    sheets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_and_corners_fit() {
        for number in 0..12 {
            let [low, high] = ends(number);
            assert_eq!((edge(low, high), edge(high, low)), (number, number));
        }
    }

    #[test]
    fn corners_across_a_side_or_the_cube_have_sheets_of_their_own() {
        let count =
            |corners: &[usize]| CONFIGURATIONS[corners.iter().map(|corner| 1 << corner).sum::<usize>()].apart.count;
        assert_eq!((count(&[]), count(&[0]), count(&[0, 1]), count(&[0, 3]), count(&[0, 7])), (0, 1, 1, 2, 2));
        assert_eq!(count(&[0, 3, 5, 6]), 4);
    }

    /// What the rule for such sides rests on.
    #[test]
    fn a_sheet_that_crosses_a_side_twice_falls_apart_when_corners_are_joined_there() {
        let twice: Vec<_> = CONFIGURATIONS.iter().filter(|found| found.crossed_twice.is_some()).collect();
        assert_eq!(twice.len(), 36, "two corners across one of six sides, alone or with one below either");
        assert!(twice.iter().all(|found| (found.apart.count, found.joined.count) == (1, 2)));
        for (inner, found) in CONFIGURATIONS.iter().enumerate().filter(|(_, found)| found.crossed_twice.is_some()) {
            let ambiguous = SIDES.into_iter().filter(|&side| is_ambiguous(inner as u8, corners_of(side)));
            assert_eq!(ambiguous.collect::<Vec<_>>(), found.crossed_twice.into_iter().collect::<Vec<_>>());
        }
    }
}
