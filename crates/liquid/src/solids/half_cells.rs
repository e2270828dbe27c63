//! The part of every half cell that a body covers. All that the grid asks of a body is a sum over half cells.

use unstick_grid::{Grid, part_behind_plane};
use unstick_parallel as parallel;

use super::bodies::Immersed;
use crate::cells::multi_index;

/// Weights of the four half cells along an axis under the hat function of a cell's centre.
const HAT: [f64; 4] = [0.125, 0.375, 0.375, 0.125];

/// The covered part of every half cell around a body.
pub(crate) struct HalfCells<const D: usize> {
    /// The first cell, and the cells along each axis.
    first: [usize; D],
    shape: [usize; D],
    covered: Vec<f64>,
}

impl<const D: usize> HalfCells<D> {
    /// Cuts the halves of the cells from `first` up to `end`, and one half cell around them.
    pub fn new(grid: &Grid<D>, body: &Immersed<D>, first: [usize; D], end: [usize; D]) -> Self {
        let cells: [usize; D] = std::array::from_fn(|axis| end[axis] - first[axis]);
        // One half cell more on each side.
        let shape = cells.map(|count| 2 * count + 2);
        let nodes = shape.map(|count| count + 1);
        let half = 0.5 * grid.spacing();
        let node = |place: [usize; D]| {
            let steps: [f64; D] = std::array::from_fn(|axis| place[axis] as f64 - 1.0);
            let corner = grid.node(first);
            std::array::from_fn(|axis| corner[axis] + half * steps[axis])
        };
        let distances = sample(nodes, |index| body.shape.at(node(multi_index(nodes, index))));
        let corners = 1usize << D;
        let share = 1.0 / corners as f64;
        let cut = |index: usize| {
            let place = multi_index(shape, index);
            let (mut mean, mut gradient) = (0.0, [0.0; D]);
            for corner in 0..corners {
                let at = |axis: usize| place[axis] + (corner >> axis & 1);
                let value = distances[(0..D).rev().fold(0, |sum, axis| sum * nodes[axis] + at(axis))];
                mean += share * value;
                for (axis, slope) in gradient.iter_mut().enumerate() {
                    *slope += 2.0 * share * if corner >> axis & 1 == 1 { value } else { -value };
                }
            }
            match mean {
                far if far >= half * (D as f64).sqrt() => 0.0,
                deep if deep <= -half * (D as f64).sqrt() => 1.0,
                near => part_behind_plane(gradient, near),
            }
        };
        Self { first, shape, covered: sample(shape, cut) }
    }

    /// The half cell at a place counted from one before the first; nothing is covered beyond.
    fn at(&self, place: [usize; D]) -> f64 {
        if (0..D).any(|axis| place[axis] >= self.shape[axis]) {
            return 0.0;
        }
        self.covered[(0..D).rev().fold(0, |sum, axis| sum * self.shape[axis] + place[axis])]
    }

    /// Mean over the two half cells along each axis from a place on.
    fn mean(&self, place: [usize; D]) -> f64 {
        let corner = |choice: usize| std::array::from_fn(|axis| place[axis] + (choice >> axis & 1));
        (0..1usize << D).map(|choice| self.at(corner(choice))).sum::<f64>() / (1usize << D) as f64
    }

    /// Covered part of the volume around a face.
    pub fn around_face(&self, axis: usize, face: [usize; D]) -> f64 {
        self.mean(std::array::from_fn(|other| {
            let place = 2 * (face[other] - self.first[other]);
            if other == axis { place } else { place + 1 }
        }))
    }

    /// Covered part of a cell.
    pub fn of_cell(&self, cell: [usize; D]) -> f64 {
        self.mean(std::array::from_fn(|axis| 2 * (cell[axis] - self.first[axis]) + 1))
    }

    /// Covered part of the space within a cell of a cell's centre, with linear weights.
    pub fn near_cell(&self, cell: [usize; D]) -> f64 {
        let mut sum = 0.0;
        for choice in 0..1usize << (2 * D) {
            let step = |axis: usize| choice >> (2 * axis) & 3;
            let weight: f64 = (0..D).map(|axis| HAT[step(axis)]).product();
            sum += weight * self.at(std::array::from_fn(|axis| 2 * (cell[axis] - self.first[axis]) + step(axis)));
        }
        sum
    }
}

/// A number for every place of a lattice, by the number of the place.
fn sample<const D: usize>(shape: [usize; D], value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    let mut values = parallel::filled(shape.iter().product(), 0.0);
    parallel::for_each_scattered((0..values.len(), values.as_mut_slice()), |(places, values)| {
        places.zip(values).for_each(|(place, slot)| *slot = value(place));
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solids::bodies::tests::cuboid;

    /// A box with edges anywhere: cells, faces and their surroundings are products of intervals. In a half cell that
    /// holds a corner, a plane cuts the corner off: about a twentieth of a cell.
    #[test]
    fn what_a_box_covers_is_exact_but_in_its_corners() {
        let grid = Grid::<2>::unit(16).unwrap();
        let (lower, upper) = ([0.23, 0.31], [0.71, 0.64]);
        let halves = HalfCells::new(&grid, &cuboid(lower, upper), [0, 0], [16, 16]);
        let h = grid.spacing();
        let overlap = |axis: usize, from: f64, to: f64| (upper[axis].min(to) - lower[axis].max(from)).max(0.0) / h;
        let (mut cells, mut faces) = (0.0f64, 0.0f64);
        for cell in grid.iter() {
            let [x, y] = grid.node(cell);
            let exact = overlap(0, x, x + h) * overlap(1, y, y + h);
            cells = cells.max((halves.of_cell(cell) - exact).abs());
            let exact = overlap(0, x - 0.5 * h, x + 0.5 * h) * overlap(1, y, y + h);
            faces = faces.max((halves.around_face(0, cell) - exact).abs());
        }
        assert!(cells < 0.05 && faces < 0.05, "{cells} {faces}");
        let missing = |part: &dyn Fn([usize; 2]) -> f64| 0.48 * 0.33 / (h * h) - grid.iter().map(part).sum::<f64>();
        let of_cells = missing(&|cell| halves.of_cell(cell));
        assert!((0.0..4.0 * 0.06).contains(&of_cells), "{of_cells} cells are missing");
        // The hats of all cells add up to one everywhere.
        let of_hats = missing(&|cell| halves.near_cell(cell));
        assert!((of_hats - of_cells).abs() < 1e-9, "{of_hats} against {of_cells}");
    }
}
