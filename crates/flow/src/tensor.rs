//! The stretched grid: a product of axes.

use crate::axis::Axis;

/// Cells between the nodes of one axis per direction. Axis 0 runs fastest in memory.
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

    /// Never: an axis has at least two cells.
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

/// Place in memory of a multi-index.
#[inline]
pub(crate) fn index_of<const D: usize>(shape: [usize; D], place: [usize; D]) -> usize {
    (0..D).rev().fold(0, |index, axis| index * shape[axis] + place[axis])
}

/// The row (line along axis 0) of a lattice that has this number: its multi-index, with zero along axis 0.
#[inline]
pub(crate) fn row_place<const D: usize>(shape: [usize; D], row: usize) -> [usize; D] {
    let mut rest = row;
    std::array::from_fn(|axis| {
        if axis == 0 {
            return 0;
        }
        let place = rest % shape[axis];
        rest /= shape[axis];
        place
    })
}
