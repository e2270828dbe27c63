//! Numbers that are none, and where they are.

use std::fmt;

use unstick_parallel::vector::first_not_finite;

use crate::field::{CellField, FaceField};
use crate::grid::multi_index;

/// A number that is NaN or infinite: what it is of, and where.
///
/// ```
/// use unstick_grid::{NotANumber, NumberPlace};
///
/// let number = NotANumber { field: "pressure", place: NumberPlace::Cell(vec![3, 4]), value: f64::NAN };
/// assert_eq!(number.to_string(), "the pressure of cell [3, 4] is NaN");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NotANumber {
    /// Which field.
    pub field: &'static str,
    /// Where in it.
    pub place: NumberPlace,
    /// NaN or an infinity.
    pub value: f64,
}

/// Where a number is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberPlace {
    /// A particle, from 0.
    Particle(usize),
    /// A cell.
    Cell(Vec<usize>),
    /// A face across an axis.
    Face {
        /// The axis, from 0.
        axis: usize,
        /// Which face.
        face: Vec<usize>,
    },
    /// A body, from 0.
    Body(usize),
    /// A sum over everything.
    Everything,
}

impl fmt::Display for NumberPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Particle(number) => write!(f, "particle {number}"),
            Self::Cell(cell) => write!(f, "cell {cell:?}"),
            Self::Face { axis, face } => write!(f, "face {face:?} across axis {axis}"),
            Self::Body(number) => write!(f, "body {number}"),
            Self::Everything => write!(f, "everything"),
        }
    }
}

impl fmt::Display for NotANumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, place, value } = self;
        write!(f, "the {field} of {place} is {value}")
    }
}

impl NotANumber {
    /// The first one of a field on cells.
    pub fn in_cells<const D: usize>(field: &'static str, values: &CellField<f64, D>) -> Option<Self> {
        let index = first_not_finite(values.values())?;
        let place = NumberPlace::Cell(multi_index(values.shape(), index).to_vec());
        Some(Self { field, place, value: values.values()[index] })
    }

    /// The first one of a field on faces.
    pub fn in_faces<const D: usize>(field: &'static str, values: &FaceField<f64, D>) -> Option<Self> {
        values.iter().enumerate().find_map(|(axis, values)| {
            let index = first_not_finite(values.values())?;
            let face = multi_index(values.shape(), index).to_vec();
            Some(Self { field, place: NumberPlace::Face { axis, face }, value: values.values()[index] })
        })
    }

    /// The first one of particles, or of bodies: `place` makes a place of a number.
    pub fn in_rows<const N: usize>(
        field: &'static str,
        place: fn(usize) -> NumberPlace,
        rows: &[[f64; N]],
    ) -> Option<Self> {
        let index = first_not_finite(rows.as_flattened())?;
        Some(Self { field, place: place(index / N), value: rows.as_flattened()[index] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    #[test]
    fn the_first_number_that_is_none_is_named() {
        let grid = Grid::<2>::unit(4).unwrap();
        let mut cells = CellField::from_fn(&grid, |_| 1.0);
        assert_eq!(NotANumber::in_cells("pressure", &cells), None);
        *cells.at_mut([1, 2]) = f64::INFINITY;
        assert_eq!(NotANumber::in_cells("pressure", &cells).unwrap().to_string(), "the pressure of cell [1, 2] is inf");
        let mut faces: FaceField<f64, 2> = std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| 0.0));
        *faces[1].at_mut([3, 4]) = f64::NAN;
        let found = NotANumber::in_faces("velocity", &faces).unwrap().to_string();
        assert_eq!(found, "the velocity of face [3, 4] across axis 1 is NaN");
        let rows = [[0.0, 1.0], [2.0, f64::NAN]];
        let found = NotANumber::in_rows("position", NumberPlace::Particle, &rows).unwrap().to_string();
        assert_eq!(found, "the position of particle 1 is NaN");
    }
}
