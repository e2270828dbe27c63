//! Grids and fields for tests.

use unstick_grid::{CellField, FaceField};

use crate::axis::Axis;
use crate::boundary::Boundary;
use crate::discrete::Discrete;
use crate::tensor::{TensorGrid, place_of};

/// An axis from 0 to 1 with cells of about 1/`cells`, larger at the ends.
pub fn stretched(cells: f64) -> Axis {
    Axis::clustered([0.0, 1.0], [0.3, 0.6], 1.0 / cells, 1.2, 0.3).unwrap()
}

/// A stretched square between walls.
pub fn closed_square() -> Discrete<2> {
    let sides = std::array::from_fn(|_| [Boundary::wall(), Boundary::wall()]);
    Discrete::new(TensorGrid::new([stretched(12.0), stretched(10.0)]), sides)
}

/// A square of equal cells between walls.
pub fn even_square(cells: usize) -> Discrete<2> {
    let axis = || Axis::uniform(0.0, 1.0, cells).unwrap();
    let sides = std::array::from_fn(|_| [Boundary::wall(), Boundary::wall()]);
    Discrete::new(TensorGrid::new([axis(), axis()]), sides)
}

/// A box with a side of every kind.
pub fn mixed_box() -> Discrete<3> {
    let sides = [
        [Boundary::wall(), Boundary::Outflow],
        [Boundary::FreeSlip, Boundary::wall()],
        [Boundary::Periodic, Boundary::Periodic],
    ];
    Discrete::new(TensorGrid::new([stretched(8.0), stretched(10.0), Axis::uniform(0.0, 1.0, 6).unwrap()]), sides)
}

/// A velocity by a function of component and index on free faces, zero on the others.
pub fn velocity<const D: usize>(discrete: &Discrete<D>, of: impl Fn(usize, usize) -> f64) -> FaceField<f64, D> {
    let mut field = discrete.zero_faces();
    for (component, field) in field.iter_mut().enumerate() {
        let shape = field.shape();
        for (index, value) in field.values_mut().iter_mut().enumerate() {
            if discrete.is_free(component, place_of(shape, index)) {
                *value = of(component, index);
            }
        }
    }
    discrete.copy_around_all(&mut field);
    field
}

/// Values without a pattern on free faces.
pub fn waves<const D: usize>(discrete: &Discrete<D>, pace: f64) -> FaceField<f64, D> {
    velocity(discrete, |component, index| (pace * index as f64 + component as f64).sin())
}

/// Values without a pattern in cells.
pub fn cell_waves<const D: usize>(discrete: &Discrete<D>, pace: f64) -> CellField<f64, D> {
    let mut field = discrete.zero_cells();
    field.values_mut().iter_mut().enumerate().for_each(|(index, value)| *value = (pace * index as f64).sin());
    field
}

/// Σ a b over faces.
pub fn dot<const D: usize>(a: &FaceField<f64, D>, b: &FaceField<f64, D>) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.values().iter().zip(b.values()).map(|(a, b)| a * b).sum::<f64>()).sum()
}
