//! Full boxes.

use std::collections::VecDeque;
use std::ops::Range;

use unstick_parallel as parallel;

use super::{Found, Place, couplings};
use crate::csr::CsrMatrix;
use crate::lattice::Lattice;

/// A box whose rows are its cells in their order: all couplings span 1, nx or nx ny rows.
pub(super) fn in_order(matrix: &CsrMatrix) -> Option<Found> {
    let size = matrix.rows();
    let spans = spans(matrix)?;
    let (nx, plane) = match spans[..] {
        [1, nx] => (nx, size),
        [1, nx, plane] => (nx, plane),
        _ => return None,
    };
    if !plane.is_multiple_of(nx) || !size.is_multiple_of(plane) {
        return None;
    }
    let shape = [nx, plane / nx, size / plane];
    let lattice = Lattice::new(&shape[..spans.len()], (0..size as u32).collect())?;
    // Spans alone allow couplings around the border.
    lattice.couples_neighbours_only(matrix).then_some(Found { lattice, order: None })
}

/// The different numbers of rows that couplings span, ascending; None if there are more than three.
fn spans(matrix: &CsrMatrix) -> Option<Vec<usize>> {
    let add = |spans: &mut Vec<usize>, span: usize| {
        if let Err(place) = spans.binary_search(&span) {
            spans.insert(place, span);
        }
        spans.len() <= 3
    };
    parallel::fold(
        0..matrix.rows(),
        &|rows: Range<usize>| {
            let mut spans = Vec::new();
            for row in rows {
                for (column, _) in couplings(matrix, row).filter(|&(column, _)| column > row) {
                    if !add(&mut spans, column - row) {
                        return None;
                    }
                }
            }
            Some(spans)
        },
        &|one: Option<Vec<usize>>, other| {
            let mut one = one?;
            other?.into_iter().all(|span| add(&mut one, span)).then_some(one)
        },
    )
}

/// A box whose rows are in any order, from one of its corners outwards.
///
/// A cell that several cells of the layer before it are coupled with is their common upper corner. One that follows a
/// single cell lies on an axis.
pub(super) fn from_corner(matrix: &CsrMatrix, most: usize) -> Option<Found> {
    let (size, dimension) = (matrix.rows(), most / 2);
    let degree = |row: usize| couplings(matrix, row).count();
    if !most.is_multiple_of(2) || !(2..=3).contains(&dimension) {
        return None;
    }
    let corners = parallel::list(0..size, |rows| rows.filter(|&row| degree(row) == dimension).collect());
    if corners.len() != 1 << dimension {
        return None;
    }
    let mut layers = vec![u32::MAX; size];
    let mut places: Vec<Place> = vec![[0; 3]; size];
    let mut queue = VecDeque::from([corners[0]]);
    let (mut axes, mut seen) = (0, 1);
    layers[corners[0]] = 0;
    while let Some(row) = queue.pop_front() {
        let layer = layers[row];
        if places[row].iter().sum::<u32>() < layer {
            let mut along = (0..3).filter(|&axis| places[row][axis] > 0);
            let axis = along.next().unwrap_or_else(|| {
                axes += 1;
                axes - 1
            });
            if along.next().is_some() || axis >= dimension {
                return None;
            }
            places[row][axis] += 1;
        }
        let here = places[row];
        for (column, _) in couplings(matrix, row) {
            if layers[column] == u32::MAX {
                layers[column] = layer + 1;
                seen += 1;
                queue.push_back(column);
            }
            if layers[column] == layer + 1 {
                (0..3).for_each(|axis| places[column][axis] = places[column][axis].max(here[axis]));
            }
        }
    }
    let shape = [0, 1, 2].map(|axis| 1 + places.iter().map(|place| place[axis]).max().unwrap_or(0));
    let is_full = seen == size && shape.iter().map(|&count| count as u64).product::<u64>() == size as u64;
    if is_full { Found::checked(matrix, shape, &places) } else { None }
}
