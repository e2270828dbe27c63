//! The distance in a narrow band around the surface, by fast marching.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use unstick_grid::{CellField, Grid};

/// Distances in voxels, on a lattice widened by the width of the band on all sides.
#[derive(Clone, Debug)]
pub struct Band {
    width: usize,
    distance: CellField<f64, 3>,
}

impl Band {
    /// The distance in voxels at a cell inside or outside of the lattice; ± infinity beyond the band.
    pub fn at(&self, cell: [i32; 3]) -> f64 {
        let shape = self.distance.shape();
        let index = cell.map(|index| index + self.width as i32);
        match (0..3).all(|axis| (0..shape[axis] as i32).contains(&index[axis])) {
            true => self.distance.at(index.map(|index| index as usize)),
            false => f64::INFINITY,
        }
    }

    /// First and last cell with a distance.
    pub(super) fn corners(&self) -> ([i32; 3], [i32; 3]) {
        let width = self.width as i32;
        ([-width; 3], self.distance.shape().map(|count| count as i32 - 1 - width))
    }
}

/// The distance to the surface where it is less than `width` voxels.
///
/// Cells next to the surface keep their values. The others follow from |∇φ| = 1 by the first-order fast marching
/// method. There is no liquid outside of the lattice.
pub fn narrow_band(grid: &Grid<3>, distance: &CellField<f64, 3>, width: usize) -> Band {
    let cells = grid.cells();
    let given = CellField::of_shape(cells.map(|count| count + 2 * width), |place| {
        // The nearest cell of the lattice, and the distance to its face.
        let (mut nearest, mut beyond) = ([0; 3], [0.0f64; 3]);
        for axis in 0..3 {
            let index = place[axis] as i64 - width as i64;
            nearest[axis] = index.clamp(0, cells[axis] as i64 - 1) as usize;
            beyond[axis] = ((index - nearest[axis] as i64).abs() as f64 - 0.5).max(0.0);
        }
        let inside = distance.at(nearest) / grid.spacing();
        let outside = beyond.iter().map(|value| value * value).sum::<f64>().sqrt();
        if outside > 0.0 { inside.max(outside) } else { inside }
    });
    Band { width, distance: march(&given, width as f64) }
}

fn march(given: &CellField<f64, 3>, limit: f64) -> CellField<f64, 3> {
    let shape = given.shape();
    let values = given.values();
    let strides = [1, shape[0], shape[0] * shape[1]];
    let neighbours = |index: usize| {
        (0..6).filter_map(move |side| {
            let (axis, upwards) = (side / 2, side % 2 == 1);
            let place = index / strides[axis] % shape[axis];
            match upwards {
                true => (place + 1 < shape[axis]).then(|| index + strides[axis]),
                false => (place > 0).then(|| index - strides[axis]),
            }
        })
    };
    let is_inside = |index: usize| values[index] < 0.0;
    let mut size = vec![f64::INFINITY; values.len()];
    let mut known = vec![false; values.len()];
    let mut heap = BinaryHeap::new();
    for index in 0..values.len() {
        if neighbours(index).any(|other| is_inside(other) != is_inside(index)) {
            size[index] = values[index].abs();
            heap.push(Reverse((size[index].to_bits(), index)));
        }
    }
    let beside: Vec<bool> = size.iter().map(|value| value.is_finite()).collect();
    // The bit patterns of non-negative numbers have the order of the numbers.
    while let Some(Reverse((bits, index))) = heap.pop() {
        if known[index] || f64::from_bits(bits) > size[index] {
            continue;
        }
        known[index] = true;
        for other in neighbours(index).filter(|&other| !known[other] && !beside[other]) {
            let nearest = [0, 1, 2].map(|axis| {
                let place = other / strides[axis] % shape[axis];
                let below = if place > 0 { size[other - strides[axis]] } else { f64::INFINITY };
                let above = if place + 1 < shape[axis] { size[other + strides[axis]] } else { f64::INFINITY };
                below.min(above)
            });
            let found = solve(nearest);
            if found < size[other] && found < limit {
                size[other] = found;
                heap.push(Reverse((found.to_bits(), other)));
            }
        }
    }
    let mut result = given.clone();
    for (index, value) in result.values_mut().iter_mut().enumerate() {
        *value = if is_inside(index) { -size[index] } else { size[index] };
    }
    result
}

/// The d of Σ max(d − aᵢ, 0)² = 1.
fn solve(mut nearest: [f64; 3]) -> f64 {
    nearest.sort_by(f64::total_cmp);
    let [a, b, c] = nearest;
    let one = a + 1.0;
    if one <= b {
        return one;
    }
    let two = 0.5 * (a + b + (2.0 - (a - b).powi(2)).sqrt());
    if two <= c {
        return two;
    }
    let (sum, squares) = (a + b + c, a * a + b * b + c * c);
    (sum + (sum * sum - 3.0 * (squares - 1.0)).max(0.0).sqrt()) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use unstick_grid::{SignedDistance, sample_cells};

    /// The distance is cut off at one cell on both sides, as the simulation provides it.
    #[test]
    fn a_distance_that_was_cut_off_is_restored() {
        let grid = Grid::new([32; 3], 0.1, [0.0; 3]).unwrap();
        let ball = SignedDistance::sphere([1.6, 1.55, 1.7], 1.0);
        let cut = sample_cells(&grid, |point| ball.at(point).clamp(-0.1, 0.1));
        let band = narrow_band(&grid, &cut, 3);
        let mut checked = 0;
        for cell in grid.iter() {
            let (exact, found) = (ball.at(grid.centre(cell)) / 0.1, band.at(cell.map(|index| index as i32)));
            assert_eq!(exact < 0.0, found < 0.0, "{cell:?}");
            if found.abs() < 3.0 {
                assert!((found - exact).abs() < 0.25, "{cell:?}: {found} for {exact}");
                checked += 1;
            } else {
                assert!(exact.abs() > 2.5, "{cell:?}: {exact}");
            }
        }
        assert!(checked > 6000, "{checked}");
    }

    #[test]
    fn liquid_ends_at_the_border_of_the_lattice() {
        let grid = Grid::<3>::unit(4).unwrap();
        let full = CellField::from_fn(&grid, |_| -0.125);
        let band = narrow_band(&grid, &full, 3);
        assert_eq!((band.at([-1, 1, 1]), band.at([0, 1, 1])), (0.5, -0.5));
        assert!(band.at([-3, 1, 1]) > 2.0 && band.at([-4, 1, 1]) == f64::INFINITY);
    }
}
