//! The discrete Helmholtz operator of one lattice, applied.

use unstick_grid::CellField;
use unstick_parallel as parallel;

use crate::axis_operator::AxisOperator;
use crate::tensor::{index_of, place_of};

/// Coefficients of shift M + scale K: M the sizes of the control volumes, K the discrete −Δ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Helmholtz {
    pub shift: f64,
    pub scale: f64,
}

impl Helmholtz {
    /// K alone.
    pub const POISSON: Self = Self { shift: 0.0, scale: 1.0 };
}

/// Rows that one task works on.
const ROWS: usize = 16;

/// Calls `kernel` with the multi-index of every row (its place along axis 0 is zero) and the row of `out`.
pub(crate) fn for_each_row<const D: usize>(
    shape: [usize; D],
    out: &mut [f64],
    kernel: impl Fn([usize; D], &mut [f64]) + Sync,
) {
    parallel::for_each_chunk(out, ROWS * shape[0], |chunk, out| {
        for (row, out) in out.chunks_exact_mut(shape[0]).enumerate() {
            kernel(place_of(shape, (chunk * ROWS + row) * shape[0]), out);
        }
    });
}

/// Calls `kernel` with the place of every value of a field, and the value.
pub(crate) fn for_each_value<const D: usize>(
    field: &mut CellField<f64, D>,
    kernel: impl Fn([usize; D], &mut f64) + Sync,
) {
    for_each_row(field.shape(), field.values_mut(), |mut place, row| {
        for (i, value) in row.iter_mut().enumerate() {
            place[0] = i;
            kernel(place, value);
        }
    });
}

/// `out` ← (shift M + scale K) x, integrated over control volumes; zero in rows without equation.
pub(crate) fn apply<const D: usize>(operators: &[AxisOperator; D], helmholtz: Helmholtz, x: &[f64], out: &mut [f64]) {
    let Helmholtz { shift, scale } = helmholtz;
    let shape: [usize; D] = std::array::from_fn(|axis| operators[axis].len());
    let first = &operators[0];
    let last = shape[0] - 1;
    for_each_row(shape, out, |place, out| {
        if (1..D).any(|axis| !operators[axis].is_free[place[axis]]) {
            out.fill(0.0);
            return;
        }
        let row = |place| &x[index_of(shape, place)..][..shape[0]];
        let here = row(place);
        let area: f64 = (1..D).map(|axis| operators[axis].mass[place[axis]]).product();
        let across = |axis: usize| area / operators[axis].mass[place[axis]];
        let centre =
            (1..D).fold(shift * area, |sum, axis| sum + scale * operators[axis].diagonal[place[axis]] * across(axis));
        let along = scale * area;
        let entry = |i: usize, before: f64, after: f64| {
            let along_axis = first.diagonal[i] * here[i] - first.lower[i] * before - first.upper[i] * after;
            centre * first.mass[i] * here[i] + along * along_axis
        };
        for i in 1..last {
            out[i] = entry(i, here[i - 1], here[i + 1]);
        }
        out[0] = entry(0, here[first.before(0)], here[first.after(0)]);
        out[last] = entry(last, here[first.before(last)], here[first.after(last)]);
        for axis in 1..D {
            let operator = &operators[axis];
            let at = place[axis];
            let beside = |other: usize| {
                let mut place = place;
                place[axis] = other;
                row(place)
            };
            let (before, after) = (beside(operator.before(at)), beside(operator.after(at)));
            let (lower, upper) = (scale * operator.lower[at] * across(axis), scale * operator.upper[at] * across(axis));
            for i in 0..=last {
                out[i] -= first.mass[i] * (lower * before[i] + upper * after[i]);
            }
        }
        for end in [0, last] {
            if !first.is_free[end] {
                out[end] = 0.0;
            }
        }
    });
}

/// One row of that.
pub(crate) fn at<const D: usize>(
    operators: &[AxisOperator; D],
    Helmholtz { shift, scale }: Helmholtz,
    x: &[f64],
    place: [usize; D],
) -> f64 {
    let shape: [usize; D] = std::array::from_fn(|axis| operators[axis].len());
    let volume: f64 = (0..D).map(|axis| operators[axis].mass[place[axis]]).product();
    let value = |place| x[index_of(shape, place)];
    let here = value(place);
    (0..D).fold(shift * volume * here, |sum, axis| {
        let (operator, at) = (&operators[axis], place[axis]);
        let beside = |other: usize| {
            let mut place = place;
            place[axis] = other;
            value(place)
        };
        let along = operator.diagonal[at] * here
            - operator.lower[at] * beside(operator.before(at))
            - operator.upper[at] * beside(operator.after(at));
        sum + scale * volume / operator.mass[at] * along
    })
}

/// `out` ← the diagonal of the operator; 1 in rows without equation.
pub(crate) fn diagonal<const D: usize>(operators: &[AxisOperator; D], helmholtz: Helmholtz, out: &mut [f64]) {
    let Helmholtz { shift, scale } = helmholtz;
    let shape: [usize; D] = std::array::from_fn(|axis| operators[axis].len());
    for_each_row(shape, out, |place, out| {
        for (i, out) in out.iter_mut().enumerate() {
            let mut place = place;
            place[0] = i;
            if (0..D).any(|axis| !operators[axis].is_free[place[axis]]) {
                *out = 1.0;
                continue;
            }
            let volume: f64 = (0..D).map(|axis| operators[axis].mass[place[axis]]).product();
            let sum: f64 =
                (0..D).map(|axis| operators[axis].diagonal[place[axis]] / operators[axis].mass[place[axis]]).sum();
            *out = volume * (shift + scale * sum);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{mixed_box, waves};

    const HELMHOLTZ: Helmholtz = Helmholtz { shift: 0.3, scale: 0.7 };

    #[test]
    fn the_operator_is_symmetric_and_each_of_its_rows_is_the_row_alone() {
        let discrete = mixed_box();
        let (x, y) = (waves(&discrete, 0.37), waves(&discrete, 1.71));
        for (component, operators) in discrete.velocity.iter().enumerate() {
            let (x, y, shape) = (x[component].values(), y[component].values(), x[component].shape());
            let (mut of_x, mut of_y) = (vec![0.0; x.len()], vec![0.0; x.len()]);
            apply(operators, HELMHOLTZ, x, &mut of_x);
            apply(operators, HELMHOLTZ, y, &mut of_y);
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            assert!((product(&of_x, y) - product(&of_y, x)).abs() < 1e-12, "component {component}");
            for index in 0..x.len() {
                let place = place_of(shape, index);
                if discrete.is_free(component, place) {
                    let row = at(operators, HELMHOLTZ, x, place);
                    assert!((row - of_x[index]).abs() < 1e-14, "component {component}, row {index}");
                }
            }
        }
    }

    #[test]
    fn the_diagonal_is_what_a_unit_vector_gives_back() {
        let discrete = mixed_box();
        let (operators, shape) = (&discrete.velocity[1], discrete.grid.faces(1));
        let count: usize = shape.iter().product();
        let mut found = vec![0.0; count];
        diagonal(operators, HELMHOLTZ, &mut found);
        for index in (0..count).step_by(7).filter(|&index| discrete.is_free(1, place_of(shape, index))) {
            let (mut unit, mut out) = (vec![0.0; count], vec![0.0; count]);
            unit[index] = 1.0;
            apply(operators, HELMHOLTZ, &unit, &mut out);
            assert!((found[index] - out[index]).abs() < 1e-14, "row {index}");
        }
    }
}
