//! Whether the rows of a matrix are the cells of a box.

use crate::operator::LinearOperator;
use crate::pressure::lines::Line;
use crate::pressure::{AnyPressureOperator, INSIDE, PressureOperator, Stencil};

/// Couplings that differ by less than this part are the same: rounding of an assembled matrix.
const ROUNDING: f64 = 1e-12;

/// With fewer cells along an axis, every cell belongs to both sides.
pub(super) const LEAST: usize = 3;

/// Why `fft` cannot solve a system.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotABox {
    /// The operator has no lattice.
    #[error("its rows have no places on a grid")]
    NoGrid,
    /// Some rows are held at a value.
    #[error("some of its rows are held")]
    Held,
    /// The liquid, of this many cells, has another shape.
    #[error("{0} liquid cells do not fill a box")]
    Shape(usize),
    /// Too few cells along an axis.
    #[error("the box has {cells} cells along axis {axis}, expected 3 or more")]
    Thin {
        /// The axis.
        axis: usize,
        /// Cells along it.
        cells: usize,
    },
    /// A face of this row, inside the box, is partly closed.
    #[error("row {0} has a partly closed face")]
    Cut(usize),
    /// This row has another condition than the rest of its side.
    #[error("row {0} has another wall or surface than the rest of its side")]
    Side(usize),
    /// This axis is the second one with surfaces that no transform fits.
    #[error(
        "surfaces at the ends of axis {0} are neither both one cell away nor walls or at the face of their cell, \
         which one axis may have and another already has"
    )]
    Surface(usize),
}

/// A box of liquid cells and what is beyond each of its sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LiquidBox {
    /// Cells along each axis; 1 for a third axis in the plane.
    pub extents: [usize; 3],
    /// Coupling across a face within.
    pub unit: f64,
    /// Coupling with what is beyond the lower and upper side of each axis, in units of it.
    pub sides: [[f64; 2]; 3],
}

impl LiquidBox {
    /// Looks at the lattice and at every row that is not deep inside.
    pub fn of(operator: &dyn LinearOperator) -> Result<Self, NotABox> {
        match operator.pressure() {
            Some(AnyPressureOperator::Plane(operator)) => Self::of_pressure(operator),
            Some(AnyPressureOperator::Space(operator)) => Self::of_pressure(operator),
            None => Err(NotABox::NoGrid),
        }
    }

    fn of_pressure<const D: usize>(operator: &PressureOperator<D>) -> Result<Self, NotABox> {
        let extents = extents(operator)?;
        if let Some(axis) = (0..D).find(|&axis| extents[axis] < LEAST) {
            return Err(NotABox::Thin { axis, cells: extents[axis] });
        }
        let unit = operator.unit();
        let strides = [1, extents[0], extents[0] * extents[1]];
        let beyond = |stencil: &Stencil<D>| (stencil.diagonal - stencil.towards.iter().flatten().sum::<f64>()) / unit;
        let centre: usize = (0..D).map(|axis| extents[axis] / 2 * strides[axis]).sum();
        let mut sides = [[0.0; 2]; 3];
        for axis in 0..D {
            let lower = centre - extents[axis] / 2 * strides[axis];
            for (side, row) in [lower, lower + (extents[axis] - 1) * strides[axis]].into_iter().enumerate() {
                let stretch = &operator.stretches[operator.stretch_of(row as u32)];
                sides[axis][side] = snapped(beyond(&operator.stencil(stretch, row as u32)));
            }
        }
        for stretch in operator.stretches.iter().filter(|stretch| stretch.coefficients != INSIDE) {
            for row in stretch.first as usize..(stretch.first + stretch.length) as usize {
                let stencil = operator.stencil(stretch, row as u32);
                let mut expected = 0.0;
                for axis in 0..D {
                    let place = row / strides[axis] % extents[axis];
                    for (side, end) in [0, extents[axis] - 1].into_iter().enumerate() {
                        if place == end {
                            expected += sides[axis][side];
                        } else if (stencil.towards[axis][side] - unit).abs() > ROUNDING * unit {
                            return Err(NotABox::Cut(row));
                        }
                    }
                }
                if (beyond(&stencil) - expected).abs() > ROUNDING * (1.0 + expected) * 2.0 * D as f64 {
                    return Err(NotABox::Side(row));
                }
            }
        }
        Ok(Self { extents, unit, sides })
    }

    /// The axes of the transforms, then that of the sweeps: the last one, unless another needs it.
    pub fn order(&self) -> Result<[usize; 3], NotABox> {
        let last = if self.extents[2] > 1 { 2 } else { 1 };
        let mut swept = None;
        for axis in (0..=last).filter(|&axis| !is_transformed(self.sides[axis])) {
            if swept.replace(axis).is_some() {
                return Err(NotABox::Surface(axis));
            }
        }
        Ok(match swept.unwrap_or(last) {
            0 => [1, 2, 0],
            1 => [0, 2, 1],
            _ => [0, 1, 2],
        })
    }
}

/// Whether some transform fits the two ends of an axis.
pub(super) fn is_transformed(sides: [f64; 2]) -> bool {
    sides == [1.0; 2] || sides.iter().all(|&side| side == 0.0 || side == 2.0)
}

/// Conditions that transforms know, without their rounding.
fn snapped(side: f64) -> f64 {
    [0.0, 1.0, 2.0].into_iter().find(|known| (side - known).abs() < 8.0 * ROUNDING).unwrap_or(side)
}

/// Cells along each axis if lines of one length fill a rectangle of columns.
fn extents<const D: usize>(operator: &PressureOperator<D>) -> Result<[usize; 3], NotABox> {
    let no_box = NotABox::Shape(operator.diagonal.len());
    let lines = &operator.lines;
    let (Some(first), Some(last)) = (lines.lines.first(), lines.lines.last()) else { return Err(no_box) };
    let ([low, near], [high, far]) = (lines.place(first.column), lines.place(last.column));
    let is_box = high >= low && lines.lines.len() == (high + 1 - low) * (far + 1 - near);
    let fits = |line: &Line| {
        let [y, z] = lines.place(line.column);
        line.from == first.from && line.length == first.length && (low..=high).contains(&y) && (near..=far).contains(&z)
    };
    if is_box && lines.lines.iter().all(fits) {
        Ok([first.length as usize, high + 1 - low, far + 1 - near])
    } else {
        Err(no_box)
    }
}
