//! Fields for export.

use unstick_grid::{CellField, FaceField, Grid};

use crate::in_space;

/// Fields on the cells and nodes of a lattice at one time.
#[derive(Clone, Debug)]
pub struct Fields<'a, const D: usize> {
    /// Seconds.
    pub time: f64,
    /// The lattice.
    pub grid: Grid<D>,
    /// Names and values of cell fields.
    pub cells: Vec<(&'static str, Vec<f32>)>,
    /// Velocity across the faces. Files hold the mean of the two faces of each cell.
    pub velocity: &'a FaceField<f64, D>,
    /// Names and values of node fields. There is one node more than cells along each axis.
    pub nodes: Vec<(&'static str, &'a CellField<f64, D>)>,
}

impl<const D: usize> Fields<'_, D> {
    /// Nodes along each of three axes; 1 along the third in the plane.
    pub(crate) fn nodes_along(&self) -> [usize; 3] {
        std::array::from_fn(|axis| self.grid.cells().get(axis).map_or(1, |count| count + 1))
    }

    /// Velocity at the cell centres.
    pub(crate) fn velocity_of_cells(&self) -> impl Iterator<Item = [f64; 3]> {
        self.grid.iter().map(|cell| {
            let middle: [f64; D] = std::array::from_fn(|axis| {
                let mut next = cell;
                next[axis] += 1;
                0.5 * (self.velocity[axis].at(cell) + self.velocity[axis].at(next))
            });
            in_space(&middle)
        })
    }
}
