//! The discrete equations on the staggered grid: operators of every lattice, boundary values, gradient, divergence.

use unstick_grid::{CellField, FaceField};

use crate::axis_operator::AxisOperator;
use crate::boundary::{Boundary, Profile};
use crate::stencil::for_each_row;
use crate::tensor::{TensorGrid, index_of, place_of};

/// Pressure at cell centres, velocities on faces.
pub(crate) struct Discrete<const D: usize> {
    pub grid: TensorGrid<D>,
    pub sides: [[Boundary<D>; 2]; D],
    /// The operator of each component of the velocity along each axis.
    pub velocity: [[AxisOperator; D]; D],
    pub pressure: [AxisOperator; D],
}

impl<const D: usize> Discrete<D> {
    pub fn new(grid: TensorGrid<D>, sides: [[Boundary<D>; 2]; D]) -> Self {
        let operator = |component: usize, axis: usize| {
            let make = if component == axis { AxisOperator::across } else { AxisOperator::along };
            make(grid.axis(axis), &sides[axis])
        };
        let velocity = std::array::from_fn(|component| std::array::from_fn(|axis| operator(component, axis)));
        let pressure = std::array::from_fn(|axis| AxisOperator::pressure(grid.axis(axis), &sides[axis]));
        Self { velocity, pressure, grid, sides }
    }

    /// Moves the nodes.
    pub fn move_onto(&mut self, grid: TensorGrid<D>) {
        *self = Self::new(grid, self.sides.clone());
    }

    pub fn zero_faces(&self) -> FaceField<f64, D> {
        std::array::from_fn(|axis| CellField::of_shape(self.grid.faces(axis), |_| 0.0))
    }

    pub fn zero_cells(&self) -> CellField<f64, D> {
        CellField::of_shape(self.grid.cells(), |_| 0.0)
    }

    /// Whether nothing fixes the level of the pressure.
    pub fn is_closed(&self) -> bool {
        self.sides.iter().flatten().all(|side| !matches!(side, Boundary::Outflow))
    }

    /// Size of the control volume of a face.
    pub fn volume(&self, component: usize, place: [usize; D]) -> f64 {
        (0..D).map(|axis| self.velocity[component][axis].mass[place[axis]]).product()
    }

    /// Whether the velocity at a face is solved for.
    pub fn is_free(&self, component: usize, place: [usize; D]) -> bool {
        self.velocity[component][component].is_free[place[component]]
    }

    /// Sets the velocity across the sides at a time, and copies it around periodic axes.
    pub fn impose_sides(&self, velocity: &mut FaceField<f64, D>, time: f64) {
        for axis in 0..D {
            let shape = velocity[axis].shape();
            let last = shape[axis] - 1;
            if self.sides[axis][0] == Boundary::Periodic {
                self.copy_around(axis, &mut velocity[axis]);
                continue;
            }
            for (end, node) in [0, last].into_iter().enumerate() {
                if !self.sides[axis][end].is_closed() {
                    continue;
                }
                for_each_face_of_side(shape, axis, node, |place| {
                    *velocity[axis].at_mut(place) = self.speed_in(axis, end, place, time);
                });
            }
        }
    }

    /// Copies the value at the first node of a periodic axis to the last.
    pub fn copy_around(&self, axis: usize, values: &mut CellField<f64, D>) {
        let shape = values.shape();
        let last = shape[axis] - 1;
        for_each_face_of_side(shape, axis, last, |place| {
            let mut first = place;
            first[axis] = 0;
            *values.at_mut(place) = values.at(first);
        });
    }

    /// The same for the velocity across every periodic axis.
    pub fn copy_around_all(&self, velocity: &mut FaceField<f64, D>) {
        for axis in (0..D).filter(|&axis| self.velocity[axis][axis].is_periodic) {
            self.copy_around(axis, &mut velocity[axis]);
        }
    }

    /// The velocity at a face. The last node of a periodic axis reads the first.
    #[inline]
    pub fn value(&self, velocity: &FaceField<f64, D>, component: usize, mut place: [usize; D]) -> f64 {
        let is_copy = self.velocity[component][component].is_periodic
            && place[component] + 1 == velocity[component].shape()[component];
        if is_copy {
            place[component] = 0;
        }
        velocity[component].at(place)
    }

    /// Velocity across a side, along the axis.
    fn speed_in(&self, axis: usize, end: usize, place: [usize; D], time: f64) -> f64 {
        let Boundary::Inflow(inflow) = &self.sides[axis][end] else { return 0.0 };
        let inwards = if end == 0 { 1.0 } else { -1.0 };
        let parabola = |other: usize| {
            let cells = self.grid.axis(other);
            let part = (cells.centre(place[other]) - cells.nodes()[0]) / cells.length();
            4.0 * part * (1.0 - part)
        };
        let spread: f64 = match inflow.profile {
            Profile::Uniform => 1.0,
            Profile::Parabolic => (0..D)
                .filter(|&other| other != axis && self.sides[other][0] != Boundary::Periodic)
                .map(parabola)
                .product(),
        };
        inwards * inflow.speed * inflow.course.at(time) * spread
    }

    /// Adds the viscous force of walls that move along themselves: `scale` times the wall's weight times its velocity.
    pub fn add_wall_terms(&self, scale: f64, out: &mut FaceField<f64, D>) {
        for component in 0..D {
            for axis in (0..D).filter(|&axis| axis != component) {
                let shape = out[component].shape();
                for (end, node) in [0, shape[axis] - 1].into_iter().enumerate() {
                    let Some(velocity) = self.sides[axis][end].tangential() else { continue };
                    let weight = scale * self.velocity[component][axis].wall[end] * velocity[component];
                    if weight == 0.0 {
                        continue;
                    }
                    for_each_face_of_side(shape, axis, node, |place| {
                        if self.is_free(component, place) {
                            let area = self.volume(component, place) / self.velocity[component][axis].mass[place[axis]];
                            *out[component].at_mut(place) += weight * area;
                        }
                    });
                }
            }
        }
    }

    /// The cells below and above a node along an axis; none beyond an outflow.
    #[inline]
    pub fn cells_beside(&self, axis: usize, node: usize) -> [Option<usize>; 2] {
        let cells = self.grid.axis(axis).cells();
        if self.sides[axis][0] == Boundary::Periodic {
            return [Some((node + cells - 1) % cells), Some(node % cells)];
        }
        [node.checked_sub(1), (node < cells).then_some(node)]
    }

    /// `out` ← outflow of every cell.
    pub fn divergence(&self, velocity: &FaceField<f64, D>, out: &mut CellField<f64, D>) {
        let shape = out.shape();
        let widths = &self.pressure[0].mass;
        for_each_row(shape, out.values_mut(), |place, out| {
            let area: f64 = (1..D).map(|axis| self.pressure[axis].mass[place[axis]]).product();
            let along = &velocity[0].values()[index_of(velocity[0].shape(), place)..][..shape[0] + 1];
            for (out, pair) in out.iter_mut().zip(along.windows(2)) {
                *out = area * (pair[1] - pair[0]);
            }
            for axis in 1..D {
                let (field, mut above) = (&velocity[axis], place);
                above[axis] += 1;
                let rows = [place, above].map(|place| &field.values()[index_of(field.shape(), place)..][..shape[0]]);
                let area = area / self.pressure[axis].mass[place[axis]];
                for i in 0..shape[0] {
                    out[i] += area * widths[i] * (rows[1][i] - rows[0][i]);
                }
            }
        });
    }

    /// `out` ← `out` − (p_above − p_below) times `factor(mass along the axis, area)` on free faces.
    pub fn subtract_gradient(
        &self,
        pressure: &CellField<f64, D>,
        out: &mut FaceField<f64, D>,
        factor: impl Fn(f64, f64) -> f64 + Sync,
    ) {
        let cells = pressure.shape();
        for (axis, out) in out.iter_mut().enumerate() {
            let shape = out.shape();
            let operator = &self.velocity[axis][axis];
            for_each_row(shape, out.values_mut(), |place, out| {
                let row = |place| &pressure.values()[index_of(cells, place)..][..cells[0]];
                if axis == 0 {
                    let area: f64 = (1..D).map(|axis| self.pressure[axis].mass[place[axis]]).product();
                    let here = row(place);
                    let value = |cell: Option<usize>| cell.map_or(0.0, |cell| here[cell]);
                    for node in 1..shape[0] - 1 {
                        out[node] -= (here[node] - here[node - 1]) * factor(operator.mass[node], area);
                    }
                    for node in [0, shape[0] - 1].into_iter().filter(|&node| operator.is_free[node]) {
                        let [below, above] = self.cells_beside(0, node).map(value);
                        out[node] -= (above - below) * factor(operator.mass[node], area);
                    }
                    return;
                }
                if !operator.is_free[place[axis]] {
                    return;
                }
                let across: f64 = (1..D)
                    .filter(|&other| other != axis)
                    .map(|other| self.pressure[other].mass[place[other]])
                    .product();
                let sides = self.cells_beside(axis, place[axis]);
                for (cell, sign) in sides.into_iter().zip([-1.0, 1.0]) {
                    let Some(cell) = cell else { continue };
                    let mut beside = place;
                    beside[axis] = cell;
                    for ((out, p), width) in out.iter_mut().zip(row(beside)).zip(&self.pressure[0].mass) {
                        *out -= sign * p * factor(operator.mass[place[axis]], across * width);
                    }
                }
            });
        }
    }
}

/// Calls `visit` with every place of a lattice that has `node` along `axis`.
pub(crate) fn for_each_face_of_side<const D: usize>(
    shape: [usize; D],
    axis: usize,
    node: usize,
    mut visit: impl FnMut([usize; D]),
) {
    let mut side = shape;
    side[axis] = 1;
    for number in 0..side.iter().product() {
        let mut place = place_of(side, number);
        place[axis] = node;
        visit(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Inflow;
    use crate::testing::{cell_waves, closed_square, dot, mixed_box, stretched, waves};

    #[test]
    fn a_linear_velocity_has_one_divergence_everywhere() {
        let discrete = closed_square();
        let mut velocity = discrete.zero_faces();
        for (axis, slope) in [(0, 2.0), (1, -0.5)] {
            let shape = velocity[axis].shape();
            for (i, j) in (0..shape[1]).flat_map(|j| (0..shape[0]).map(move |i| (i, j))) {
                *velocity[axis].at_mut([i, j]) = slope * discrete.grid.face_centre(axis, [i, j])[axis];
            }
        }
        let mut divergence = discrete.zero_cells();
        discrete.divergence(&velocity, &mut divergence);
        let [columns, rows] = divergence.shape();
        for (i, j) in (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))) {
            let area = discrete.grid.axis(0).width(i) * discrete.grid.axis(1).width(j);
            assert!((divergence.at([i, j]) - 1.5 * area).abs() < 1e-15, "cell {i}, {j}");
        }
    }

    #[test]
    fn the_gradient_is_the_adjoint_of_the_divergence_at_every_kind_of_side() {
        let discrete = mixed_box();
        let (u, p) = (waves(&discrete, 0.37), cell_waves(&discrete, 0.71));
        let (mut divergence, mut gradient) = (discrete.zero_cells(), discrete.zero_faces());
        discrete.divergence(&u, &mut divergence);
        discrete.subtract_gradient(&p, &mut gradient, |_, area| area);
        let left: f64 = divergence.values().iter().zip(p.values()).map(|(a, b)| a * b).sum();
        let right = dot(&gradient, &u);
        assert!((left - right).abs() < 1e-13, "{left} {right}");
    }

    #[test]
    fn a_parabola_enters_with_its_largest_speed_in_the_middle() {
        let sides =
            [[Boundary::Inflow(Inflow::parabolic(2.0)), Boundary::Outflow], [Boundary::wall(), Boundary::wall()]];
        let discrete = Discrete::new(TensorGrid::new([stretched(8.0), stretched(8.0)]), sides);
        let mut velocity = discrete.zero_faces();
        discrete.impose_sides(&mut velocity, 0.0);
        for j in 0..velocity[0].shape()[1] {
            let y = discrete.grid.axis(1).centre(j);
            assert!((velocity[0].at([0, j]) - 8.0 * y * (1.0 - y)).abs() < 1e-15);
        }
    }
}
