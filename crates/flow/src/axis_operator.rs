//! One direction of the discrete Laplacian, with its boundaries built in.

use crate::axis::Axis;
use crate::boundary::Boundary;

/// −d²/dx² on the values along one axis, integrated over their control volumes:
///
/// ```text
///     (K u)_i = diagonal_i u_i − lower_i u_{before(i)} − upper_i u_{after(i)},      M = diag(mass).
/// ```
///
/// Given values (velocity across a wall, the copy of a periodic node) have no equation: their row is zero. The rows
/// of their neighbours read them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AxisOperator {
    /// Widths of the control volumes.
    pub mass: Vec<f64>,
    pub diagonal: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// At either end: the factor of a value that is known at the boundary and is not part of the lattice.
    pub wall: [f64; 2],
    /// Which values have an equation.
    pub is_free: Vec<bool>,
    pub is_periodic: bool,
}

impl AxisOperator {
    /// Velocity across the faces of the axis: values at nodes.
    pub fn across<const D: usize>(axis: &Axis, sides: &[Boundary<D>; 2]) -> Self {
        let cells = axis.cells();
        let is_periodic = sides[0] == Boundary::Periodic;
        let mut operator = Self::empty(cells + 1, is_periodic);
        for cell in 0..cells {
            let half = 0.5 * axis.width(cell);
            operator.mass[cell] += half;
            operator.mass[cell + 1] += half;
        }
        if is_periodic {
            operator.mass[0] += 0.5 * axis.width(cells - 1);
            operator.mass[cells] = operator.mass[0];
        }
        operator.is_free[0] = !sides[0].is_closed();
        operator.is_free[cells] = !sides[1].is_closed() && !is_periodic;
        for cell in 0..cells {
            let after = if is_periodic && cell + 1 == cells { 0 } else { cell + 1 };
            operator.link(cell, after, 1.0 / axis.width(cell));
        }
        operator
    }

    /// Velocity along the sides of the axis: values at cell centres.
    pub fn along<const D: usize>(axis: &Axis, sides: &[Boundary<D>; 2]) -> Self {
        Self::at_centres(axis, sides, |side| side.tangential().is_some())
    }

    /// Pressure: values at cell centres, zero at outflows.
    pub fn pressure<const D: usize>(axis: &Axis, sides: &[Boundary<D>; 2]) -> Self {
        Self::at_centres(axis, sides, |side| matches!(side, Boundary::Outflow))
    }

    fn at_centres<const D: usize>(axis: &Axis, sides: &[Boundary<D>; 2], is_known: fn(&Boundary<D>) -> bool) -> Self {
        let cells = axis.cells();
        let is_periodic = sides[0] == Boundary::Periodic;
        let mut operator = Self::empty(cells, is_periodic);
        operator.mass = axis.widths().collect();
        for cell in 1..cells {
            operator.link(cell - 1, cell, 1.0 / (axis.centre(cell) - axis.centre(cell - 1)));
        }
        if is_periodic {
            operator.link(cells - 1, 0, 2.0 / (axis.width(0) + axis.width(cells - 1)));
        }
        for (end, cell) in [0, cells - 1].into_iter().enumerate() {
            if is_known(&sides[end]) {
                operator.wall[end] = 2.0 / axis.width(cell);
                operator.diagonal[cell] += operator.wall[end];
            }
        }
        operator
    }

    fn empty(length: usize, is_periodic: bool) -> Self {
        let zero = vec![0.0; length];
        Self {
            mass: zero.clone(),
            diagonal: zero.clone(),
            lower: zero.clone(),
            upper: zero,
            wall: [0.0; 2],
            is_free: vec![true; length],
            is_periodic,
        }
    }

    fn link(&mut self, before: usize, after: usize, weight: f64) {
        if self.is_free[before] {
            self.diagonal[before] += weight;
            self.upper[before] = weight;
        }
        if self.is_free[after] {
            self.diagonal[after] += weight;
            self.lower[after] = weight;
        }
    }

    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// Number of values up to the last unknown. On a periodic axis of nodes the end holds a copy of the first.
    fn period(&self) -> usize {
        self.is_free.iter().rposition(|&is_free| is_free).map_or(1, |last| last + 1)
    }

    /// The value before, around the period where there is one. At an end it is the value itself, with weight zero.
    #[inline]
    pub fn before(&self, index: usize) -> usize {
        if index > 0 {
            index - 1
        } else if self.is_periodic {
            self.period() - 1
        } else {
            0
        }
    }

    /// The value after, likewise.
    #[inline]
    pub fn after(&self, index: usize) -> usize {
        let last = if self.is_periodic { self.period() } else { self.len() } - 1;
        if index < last {
            index + 1
        } else if self.is_periodic {
            0
        } else {
            index
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K of a function sampled at places, divided by M.
    fn second_derivative(operator: &AxisOperator, values: &[f64]) -> Vec<f64> {
        let at = |i: usize| {
            (operator.diagonal[i] * values[i]
                - operator.lower[i] * values[operator.before(i)]
                - operator.upper[i] * values[operator.after(i)])
                / operator.mass[i]
        };
        (0..operator.len()).map(at).collect()
    }

    #[test]
    fn linear_functions_have_no_second_derivative_inside() {
        let axis = Axis::clustered([0.0, 3.0], [1.0, 1.5], 0.05, 1.2, 0.3).unwrap();
        let sides = [Boundary::<2>::wall(), Boundary::Outflow];
        let nodes = second_derivative(&AxisOperator::across(&axis, &sides), axis.nodes());
        let inside = nodes.len() - 1;
        assert!(nodes[..inside].iter().all(|value| value.abs() < 1e-10), "{nodes:?}");
        let centres: Vec<f64> = (0..axis.cells()).map(|cell| axis.centre(cell)).collect();
        let along = second_derivative(&AxisOperator::along(&axis, &sides), &centres);
        assert!(along[..along.len() - 1].iter().all(|value| value.abs() < 1e-10), "{along:?}");
    }

    #[test]
    fn a_periodic_line_wraps_around() {
        let axis = Axis::uniform(0.0, 1.0, 4).unwrap();
        let sides = [Boundary::<2>::Periodic, Boundary::Periodic];
        let operator = AxisOperator::across(&axis, &sides);
        assert_eq!((operator.before(0), operator.after(3), operator.is_free[4]), (3, 0, false));
        assert_eq!(operator.mass, [0.25; 5]);
        assert_eq!(operator.diagonal, [8.0, 8.0, 8.0, 8.0, 0.0]);
    }
}
