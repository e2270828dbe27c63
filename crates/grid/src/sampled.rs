//! Distances that are given at the nodes of a lattice: painted shapes, or results of other programs.

use std::sync::Arc;

use crate::field::CellField;
use crate::grid::Grid;

/// A distance given by its values at the nodes of a lattice. It is linear between the nodes and constant outside of
/// the lattice. Clones share the values.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledDistance<const D: usize> {
    grid: Grid<D>,
    nodes: Arc<CellField<f64, D>>,
}

impl<const D: usize> SampledDistance<D> {
    /// The distance with these values at the nodes of `grid`; none if their shape does not fit.
    pub fn new(grid: Grid<D>, nodes: CellField<f64, D>) -> Option<Self> {
        (nodes.shape() == grid.cells().map(|count| count + 1)).then(|| Self { grid, nodes: Arc::new(nodes) })
    }

    /// The distance of a point.
    pub fn at(&self, point: [f64; D]) -> f64 {
        let (cells, place) = (self.grid.cells(), self.grid.in_cells(point));
        let (mut corner, mut part) = ([0; D], [0.0; D]);
        for axis in 0..D {
            let held = place[axis].clamp(0.0, cells[axis] as f64);
            corner[axis] = (held as usize).min(cells[axis] - 1);
            part[axis] = held - corner[axis] as f64;
        }
        let corners = (0..1usize << D).map(|choice| {
            let upper: [usize; D] = std::array::from_fn(|axis| choice >> axis & 1);
            let weight: f64 = (0..D).map(|axis| if upper[axis] == 1 { part[axis] } else { 1.0 - part[axis] }).product();
            weight * self.nodes.at(std::array::from_fn(|axis| corner[axis] + upper[axis]))
        });
        corners.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_nodes;

    #[test]
    fn a_plane_is_sampled_exactly_and_constant_outside_of_the_lattice() {
        let grid = Grid::new([4, 3], 0.5, [-1.0, 0.0]).unwrap();
        let nodes = sample_nodes(&grid, |[x, y]| 2.0 * x - y + 0.25);
        let sampled = SampledDistance::new(grid, nodes.clone()).unwrap();
        assert!((sampled.at([0.3, 0.8]) - 0.05).abs() < 1e-12);
        assert!((sampled.at([9.0, 0.8]) - sampled.at([1.0, 0.8])).abs() < 1e-12);
        assert_eq!(SampledDistance::new(Grid::<2>::unit(7).unwrap(), nodes), None);
    }
}
