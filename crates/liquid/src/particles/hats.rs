//! What a particle gives to the places around its cell. They are the same for all particles of a cell, so that those can be
//! added up before memory is touched: along each axis the two faces of the cell, or the centres of the cell before, of the
//! cell itself and of the one behind. Weights are linear, so one of the three centres has none.

use unstick_grid::Grid;

/// Weights of a point for the places around its cell along every axis. `AXIS` is the one along which places are faces;
/// along all others they are centres. [`NO_AXIS`] means centres along all.
pub(crate) type Hats<const D: usize> = [[f64; 3]; D];

/// No axis along which places are faces.
pub(crate) const NO_AXIS: usize = usize::MAX;

/// The weights of a point in a cell.
///
/// Beyond the border of the grid there are no centres: what is nearer to it than the outermost one is all its own.
#[inline(always)]
pub(crate) fn hats<const D: usize, const AXIS: usize>(grid: &Grid<D>, point: [f64; D], cell: [f64; D]) -> Hats<D> {
    let place = grid.in_cells(point);
    let mut hats = [[0.0; 3]; D];
    for axis in 0..D {
        hats[axis] = if axis == AXIS {
            let part = (place[axis] - cell[axis]).clamp(0.0, 1.0);
            [1.0 - part, part, 0.0]
        } else {
            let way = (place[axis] - 0.5).clamp(0.0, (grid.cells()[axis] - 1) as f64) - cell[axis];
            [(-way).max(0.0), 1.0 - way.abs(), way.max(0.0)]
        };
    }
    hats
}

/// Steps along the second and the third axis to one of the rows of places around a row of cells.
#[inline(always)]
pub(crate) fn steps_to<const AXIS: usize>(row: usize) -> [usize; 2] {
    let along = if AXIS == 1 { 2 } else { 3 };
    [row % along, row / along]
}

/// The weight of a point for one of the rows.
#[inline(always)]
pub(crate) fn across<const D: usize, const AXIS: usize>(hats: &Hats<D>, row: usize) -> f64 {
    let steps = steps_to::<AXIS>(row);
    if D == 3 { hats[1][steps[0]] * hats[2][steps[1]] } else { hats[1][steps[0]] }
}

/// The rows of a lattice of `shape` around a row of cells, which begins at `first`: none beyond the border.
#[inline(always)]
pub(crate) fn rows_around<const D: usize, const AXIS: usize, const ROWS: usize>(
    shape: [usize; D],
    first: [usize; D],
) -> [Option<[usize; D]>; ROWS] {
    std::array::from_fn(|row| {
        let (steps, mut place) = (steps_to::<AXIS>(row), first);
        for axis in 1..D {
            place[axis] = (first[axis] + steps[axis - 1]).wrapping_sub(usize::from(axis != AXIS));
        }
        (1..D).all(|axis| place[axis] < shape[axis]).then_some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_one_and_their_centre_is_the_point() {
        let grid = Grid::<2>::unit(4).unwrap();
        for (point, cell) in [([0.3, 0.6], [1.0, 2.0]), ([0.26, 0.74], [1.0, 2.0]), ([0.5, 0.5], [1.0, 2.0])] {
            let [faces, centres] = hats::<2, 0>(&grid, point, cell);
            assert!(
                (faces.iter().sum::<f64>() - 1.0).abs() < 1e-15 && (centres.iter().sum::<f64>() - 1.0).abs() < 1e-15
            );
            assert!((cell[0] + faces[1] - 4.0 * point[0]).abs() < 1e-12 && faces[2] == 0.0);
            assert!((cell[1] + 0.5 - centres[0] + centres[2] - 4.0 * point[1]).abs() < 1e-12);
            assert!(centres.iter().all(|weight| (0.0..=1.0).contains(weight)) && centres[0] * centres[2] == 0.0);
        }
    }

    #[test]
    fn beyond_the_outermost_centres_there_is_nothing() {
        let grid = Grid::<2>::unit(4).unwrap();
        assert_eq!(hats::<2, NO_AXIS>(&grid, [0.01, 0.99], [0.0, 3.0]), [[0.0, 1.0, 0.0]; 2]);
        let rows: [_; 3] = rows_around::<2, 0, 3>([5, 4], [0, 3]);
        assert_eq!(rows, [Some([0, 2]), Some([0, 3]), None]);
        let rows: [_; 2] = rows_around::<2, 1, 2>([4, 5], [0, 3]);
        assert_eq!(rows, [Some([0, 3]), Some([0, 4])]);
    }
}
