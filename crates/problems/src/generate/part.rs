//! A box of a grid whose places are those of the whole: sampled there, a function has the same bits.

use unstick_grid::{CellField, FaceField, Grid, GridError, open_fractions_of_nodes, sample};

/// A box of a grid.
#[derive(Clone, Copy)]
pub(super) struct Part<const D: usize> {
    whole: Grid<D>,
    /// The first cell.
    first: [usize; D],
    grid: Grid<D>,
}

impl<const D: usize> Part<D> {
    /// All of a grid.
    pub fn whole(grid: Grid<D>) -> Self {
        Self { whole: grid, first: [0; D], grid }
    }

    /// Some cells of a grid, from the first on.
    pub fn new(whole: Grid<D>, first: [usize; D], cells: [usize; D]) -> Result<Self, GridError> {
        Ok(Self { whole, first, grid: Grid::new(cells, whole.spacing(), whole.node(first))? })
    }

    /// The box as a grid of its own. Its points differ from those of the whole by rounding.
    pub fn grid(&self) -> &Grid<D> {
        &self.grid
    }

    /// Cells of the whole along an axis.
    pub fn size(&self) -> usize {
        self.whole.cells()[0]
    }

    /// Length of a cell.
    pub fn spacing(&self) -> f64 {
        self.whole.spacing()
    }

    /// A place in the whole.
    fn place(&self, place: [usize; D]) -> [usize; D] {
        std::array::from_fn(|axis| place[axis] + self.first[axis])
    }

    /// The values of a function at the centres of cells.
    pub fn cells<T>(&self, value: impl Fn([f64; D]) -> T) -> CellField<T, D> {
        CellField::from_fn(&self.grid, |cell| value(self.whole.centre(self.place(cell))))
    }

    /// The same for numbers, on all threads.
    pub fn sample_cells(&self, value: impl Fn([f64; D]) -> f64 + Sync) -> CellField<f64, D> {
        sample(self.grid.cells(), |cell| value(self.whole.centre(self.place(cell))))
    }

    /// The values of a function of axis and point at the centres of faces.
    pub fn sample_faces(&self, value: impl Fn(usize, [f64; D]) -> f64 + Sync) -> FaceField<f64, D> {
        self.faces(|axis, face| value(axis, self.whole.face_centre(axis, face)))
    }

    /// The values of a function of axis and place in the whole.
    pub fn faces(&self, value: impl Fn(usize, [usize; D]) -> f64 + Sync) -> FaceField<f64, D> {
        std::array::from_fn(|axis| sample(self.grid.faces(axis), |face| value(axis, self.place(face))))
    }

    /// Open fraction of every face, from the distance to the solid.
    pub fn open_fractions(&self, solid: impl Fn([f64; D]) -> f64 + Sync) -> FaceField<f64, D> {
        let nodes = self.grid.cells().map(|count| count + 1);
        open_fractions_of_nodes(&self.grid, &sample(nodes, |node| solid(self.whole.node(self.place(node)))))
    }
}
