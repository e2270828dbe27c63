//! The stretched grid: a product of axes.

pub(crate) use unstick_grid::{linear_index as index_of, multi_index as place_of};

use crate::axis::Axis;

/// The cells between the nodes of all axes. Axis 0 runs fastest in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorGrid<const D: usize> {
    axes: [Axis; D],
}

impl<const D: usize> TensorGrid<D> {
    /// The product of axes.
    pub fn new(axes: [Axis; D]) -> Self {
        Self { axes }
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis; D] {
        &self.axes
    }

    /// One axis.
    pub fn axis(&self, axis: usize) -> &Axis {
        &self.axes[axis]
    }

    /// Cells along each axis.
    pub fn cells(&self) -> [usize; D] {
        std::array::from_fn(|axis| self.axes[axis].cells())
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells().iter().product()
    }

    /// Always false: an axis has at least two cells.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Faces across `axis`, along each axis; face f lies between cell f − 1 and cell f.
    pub fn faces(&self, axis: usize) -> [usize; D] {
        let mut faces = self.cells();
        faces[axis] += 1;
        faces
    }

    /// Middle of a cell.
    pub fn centre(&self, cell: [usize; D]) -> [f64; D] {
        std::array::from_fn(|axis| self.axes[axis].centre(cell[axis]))
    }

    /// Middle of a face across `axis`.
    pub fn face_centre(&self, axis: usize, face: [usize; D]) -> [f64; D] {
        std::array::from_fn(|other| {
            if other == axis { self.axes[other].nodes()[face[other]] } else { self.axes[other].centre(face[other]) }
        })
    }

    /// Lower and upper corner.
    pub fn bounds(&self) -> [[f64; D]; 2] {
        [0, 1].map(|end| std::array::from_fn(|axis| self.axes[axis].nodes()[end * self.axes[axis].cells()]))
    }

    /// Size of the smallest cell edge.
    pub fn finest(&self) -> f64 {
        self.axes.iter().flat_map(Axis::widths).fold(f64::INFINITY, f64::min)
    }

    /// Size of the domain.
    pub fn volume(&self) -> f64 {
        self.axes.iter().map(Axis::length).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_lie_at_nodes_along_their_own_axis_and_at_centres_along_others() {
        let axis = || Axis::new(vec![1.0, 2.0, 4.0]).unwrap();
        let grid = TensorGrid::new([axis(), axis()]);
        assert_eq!((grid.len(), grid.finest(), grid.volume()), (4, 1.0, 9.0));
        assert_eq!((grid.faces(0), grid.face_centre(0, [2, 1])), ([3, 2], [4.0, 3.0]));
        assert_eq!((grid.centre([0, 1]), grid.bounds()), ([1.5, 3.0], [[1.0; 2], [4.0; 2]]));
    }
}
