//! Sampling of functions on a lattice.

use unstick_parallel::{filled, for_each_chunk};

use crate::field::{CellField, FaceField};
use crate::grid::{Grid, multi_index};

/// The values of a function at the nodes (the corners of cells). There is one node more than cells along each axis.
///
/// Runs on all threads. The result does not depend on their number.
pub fn sample_nodes<const D: usize>(grid: &Grid<D>, function: impl Fn([f64; D]) -> f64 + Sync) -> CellField<f64, D> {
    sample(grid.cells().map(|count| count + 1), |node| function(grid.node(node)))
}

/// The values of a function at the centres of cells. Runs on all threads.
pub fn sample_cells<const D: usize>(grid: &Grid<D>, function: impl Fn([f64; D]) -> f64 + Sync) -> CellField<f64, D> {
    sample(grid.cells(), |cell| function(grid.centre(cell)))
}

/// The values of a function of axis and place at the centres of faces. Runs on all threads.
pub fn sample_faces<const D: usize>(
    grid: &Grid<D>,
    function: impl Fn(usize, [f64; D]) -> f64 + Sync,
) -> FaceField<f64, D> {
    std::array::from_fn(|axis| sample(grid.faces(axis), |face| function(axis, grid.face_centre(axis, face))))
}

/// The values of a function of multi-indices, in a field of any shape. Runs on all threads: each task fills one row along
/// axis 0.
pub fn sample<T: Copy + Send + Sync, const D: usize>(
    shape: [usize; D],
    value: impl Fn([usize; D]) -> T + Sync,
) -> CellField<T, D> {
    let count = shape.iter().product();
    if count == 0 {
        return CellField::of_values(shape, Vec::new());
    }
    // Memory is touched first by all threads.
    let mut field = CellField::of_values(shape, filled(count, value([0; D])));
    for_each_chunk(field.values_mut(), shape[0], |line, row| {
        let mut place = multi_index(shape, line * shape[0]);
        for (along, sampled) in row.iter_mut().enumerate() {
            place[0] = along;
            *sampled = value(place);
        }
    });
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_taken_at_the_nodes_and_centres_of_the_lattice() {
        let grid = Grid::new([3, 4, 5], 0.5, [1.0, -2.0, 0.25]).unwrap();
        let function = |[x, y, z]: [f64; 3]| x + 10.0 * y + 100.0 * z;
        let (nodes, cells) = (sample_nodes(&grid, function), sample_cells(&grid, function));
        assert_eq!(nodes.shape(), [4, 5, 6]);
        assert_eq!(nodes, CellField::of_shape([4, 5, 6], |node| function(grid.node(node))));
        assert_eq!(cells, CellField::from_fn(&grid, |cell| function(grid.centre(cell))));
        let faces = sample_faces(&grid, |axis, at| function(at) + 1000.0 * axis as f64);
        let expected = CellField::of_shape([3, 5, 5], |face| function(grid.face_centre(1, face)) + 1000.0);
        assert_eq!(faces[1], expected);
    }
}
