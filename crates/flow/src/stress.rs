//! Viscous forces of a liquid whose viscosity varies: the whole stress, ∇·(ν(∇u + ∇u^T)).
//!
//! Normal stresses lie in cells and shear stresses on edges: the velocities on both sides are stored next to them.
//! The operator is the derivative of an energy, Σ ν rate² volume, so it is symmetric. A rigid motion has no strain
//! rate, so it has no stress, whatever the viscosity.

use unstick_grid::{CellField, FaceField};

use crate::discrete::Discrete;
use crate::immersed::velocity_gradient;
use crate::stencil::for_each_value;
use crate::tensor::index_of;
use crate::viscosity::Viscosity;

/// The viscosity at one time, and the forces that follow from it.
pub(crate) struct Stress<const D: usize> {
    /// In cells.
    cells: CellField<f64, D>,
    /// On the edges across each pair of axes.
    edges: Vec<Edges<D>>,
}

/// Values on the edges across two axes: at nodes along these, at cells along the third.
struct Edges<const D: usize> {
    pair: [usize; 2],
    values: CellField<f64, D>,
}

impl<const D: usize> Stress<D> {
    /// The viscosity at the shear rates of a velocity.
    pub fn new(discrete: &Discrete<D>, viscosity: &Viscosity, velocity: &FaceField<f64, D>) -> Self {
        let grid = &discrete.grid;
        let mut cells = discrete.zero_cells();
        for_each_value(&mut cells, |cell, value| {
            *value = viscosity.at(shear_rate(&velocity_gradient(grid, velocity, cell)));
        });
        let pairs = (0..D).flat_map(|a| (a + 1..D).map(move |b| [a, b]));
        let edges = pairs.map(|pair| Edges { pair, values: mean_on_edges(discrete, &cells, pair) });
        Self { edges: edges.collect(), cells }
    }

    /// The viscosity at a face: the mean of both sides.
    pub fn at_face(&self, discrete: &Discrete<D>, component: usize, place: [usize; D]) -> f64 {
        let beside = discrete.cells_beside(component, place[component]);
        let values = beside.into_iter().flatten().map(|cell| {
            let mut place = place;
            place[component] = cell;
            self.cells.at(place)
        });
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        sum / count
    }

    /// `out` ← shift M x − ∇·(ν(∇x + ∇x^T)), integrated; zero in rows without equation. `walls` says whether walls
    /// move as the sides say, or rest.
    pub fn apply(
        &self,
        discrete: &Discrete<D>,
        shift: f64,
        x: &FaceField<f64, D>,
        walls: bool,
        out: &mut FaceField<f64, D>,
    ) {
        let stretches: FaceField<f64, D> = std::array::from_fn(|axis| self.stretches(discrete, x, axis));
        let shears: Vec<Edges<D>> = self.edges.iter().map(|edges| edges.shears(discrete, x, walls)).collect();
        for (component, out) in out.iter_mut().enumerate() {
            let operators = &discrete.velocity[component];
            for_each_value(out, |face, out| {
                if !discrete.is_free(component, face) {
                    *out = 0.0;
                    return;
                }
                let volume = discrete.volume(component, face);
                let area = |axis: usize| volume / operators[axis].mass[face[axis]];
                let stretch = |cell: Option<usize>| {
                    cell.map_or(0.0, |cell| {
                        let mut place = face;
                        place[component] = cell;
                        stretches[component].at(place)
                    })
                };
                let [below, above] = discrete.cells_beside(component, face[component]).map(stretch);
                *out = shift * volume * x[component].at(face) - area(component) * (above - below);
                for shear in shears.iter().filter(|shear| shear.pair.contains(&component)) {
                    let across = shear.pair[0] + shear.pair[1] - component;
                    // A side without friction exerts no shear.
                    let pull = |node: usize| {
                        let mut edge = face;
                        edge[across] = node;
                        let is_held = match discrete.cells_beside(across, node) {
                            [Some(_), Some(_)] => true,
                            [below, _] => operators[across].wall[usize::from(below.is_some())] != 0.0,
                        };
                        if is_held { shear.values.at(edge) } else { 0.0 }
                    };
                    *out -= area(across) * (pull(face[across] + 1) - pull(face[across]));
                }
            });
        }
    }

    /// Twice the viscosity times the rate at which cells stretch along an axis.
    fn stretches(&self, discrete: &Discrete<D>, x: &FaceField<f64, D>, axis: usize) -> CellField<f64, D> {
        let mut out = self.cells.clone();
        for_each_value(&mut out, |cell, value| {
            let mut above = cell;
            above[axis] += 1;
            let width = discrete.grid.axis(axis).width(cell[axis]);
            *value *= 2.0 * (discrete.value(x, axis, above) - x[axis].at(cell)) / width;
        });
        out
    }
}

impl<const D: usize> Edges<D> {
    /// The viscosity times the rate at which the edges are sheared.
    fn shears(&self, discrete: &Discrete<D>, x: &FaceField<f64, D>, walls: bool) -> Self {
        let mut values = self.values.clone();
        let [a, b] = self.pair;
        for_each_value(&mut values, |edge, value| {
            *value *= slope(discrete, x, a, b, edge, walls) + slope(discrete, x, b, a, edge, walls);
        });
        Self { pair: self.pair, values }
    }
}

/// The slope of a component across an axis, at an edge.
fn slope<const D: usize>(
    discrete: &Discrete<D>,
    x: &FaceField<f64, D>,
    component: usize,
    axis: usize,
    edge: [usize; D],
    walls: bool,
) -> f64 {
    let operator = &discrete.velocity[component][axis];
    let value = |cell: usize| {
        let mut place = edge;
        place[axis] = cell;
        discrete.value(x, component, place)
    };
    let wall = |end: usize| {
        let velocity = discrete.sides[axis][end].tangential().filter(|_| walls);
        velocity.map_or(0.0, |velocity| velocity[component])
    };
    match discrete.cells_beside(axis, edge[axis]) {
        [Some(below), Some(above)] => operator.lower[above] * (value(above) - value(below)),
        [None, Some(above)] => operator.wall[0] * (value(above) - wall(0)),
        [Some(below), None] => operator.wall[1] * (wall(1) - value(below)),
        [None, None] => 0.0,
    }
}

/// γ = √(2 E:E).
fn shear_rate<const D: usize>(gradient: &[[f64; D]; D]) -> f64 {
    let entry = |row: usize, column: usize| 0.5 * (gradient[row][column] + gradient[column][row]);
    let sum: f64 = (0..D * D).map(|k| entry(k / D, k % D).powi(2)).sum();
    (2.0 * sum).sqrt()
}

/// Means of the cells around every edge.
fn mean_on_edges<const D: usize>(
    discrete: &Discrete<D>,
    cells: &CellField<f64, D>,
    [a, b]: [usize; 2],
) -> CellField<f64, D> {
    let mut shape = cells.shape();
    shape[a] += 1;
    shape[b] += 1;
    let mut out = CellField::of_shape(shape, |_| 0.0);
    for_each_value(&mut out, |edge, value| {
        let (mut sum, mut count) = (0.0, 0.0);
        for along_a in discrete.cells_beside(a, edge[a]).into_iter().flatten() {
            for along_b in discrete.cells_beside(b, edge[b]).into_iter().flatten() {
                let mut cell = edge;
                (cell[a], cell[b]) = (along_a, along_b);
                sum += cells.values()[index_of(cells.shape(), cell)];
                count += 1.0;
            }
        }
        *value = sum / count;
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Axis;
    use crate::boundary::Boundary;
    use crate::tensor::TensorGrid;
    use crate::testing::{dot, mixed_box, waves};

    #[test]
    fn the_operator_is_symmetric_for_any_viscosity() {
        let discrete = mixed_box();
        let law = Viscosity::Carreau { at_rest: 2.0, sheared: 0.1, relaxation: 0.3, exponent: 0.4 };
        let stress = Stress::new(&discrete, &law, &waves(&discrete, 0.9));
        let (x, y) = (waves(&discrete, 0.37), waves(&discrete, 1.71));
        let product = |a: &FaceField<f64, 3>, b: &FaceField<f64, 3>| {
            let mut out = discrete.zero_faces();
            stress.apply(&discrete, 0.3, a, false, &mut out);
            dot(&out, b)
        };
        let (one, other) = (product(&x, &y), product(&y, &x));
        assert!((one - other).abs() < 1e-10 * one.abs().max(1.0), "{one} against {other}");
        assert!(product(&x, &x) > 0.0);
    }

    #[test]
    fn a_rigid_rotation_has_no_stress_inside() {
        let axis = || Axis::clustered([0.0, 1.0], [0.3, 0.6], 0.08, 1.2, 0.3).unwrap();
        let sides: [[Boundary<2>; 2]; 2] = std::array::from_fn(|_| [Boundary::wall(), Boundary::wall()]);
        let discrete = Discrete::new(TensorGrid::new([axis(), axis()]), sides);
        let mut x = discrete.zero_faces();
        for (component, field) in x.iter_mut().enumerate() {
            let shape = field.shape();
            for j in 0..shape[1] {
                for i in 0..shape[0] {
                    let at = discrete.grid.face_centre(component, [i, j]);
                    *field.at_mut([i, j]) = if component == 0 { -at[1] } else { at[0] };
                }
            }
        }
        // A viscosity that has nothing to do with this motion.
        let mut other = x.clone();
        other[0].values_mut().iter_mut().enumerate().for_each(|(k, value)| *value = (0.7 * k as f64).sin());
        let law = Viscosity::PowerLaw { consistency: 1.0, exponent: 0.5, bounds: [0.01, 10.0] };
        let mut out = discrete.zero_faces();
        Stress::new(&discrete, &law, &other).apply(&discrete, 0.0, &x, false, &mut out);
        for (component, field) in out.iter().enumerate() {
            let shape = field.shape();
            let inside = |k: usize| {
                let [i, j] = [k % shape[0], k / shape[0]];
                i > 0 && j > 0 && i + 1 < shape[0] && j + 1 < shape[1]
            };
            let worst =
                (0..field.values().len()).filter(|&k| inside(k)).map(|k| field.values()[k].abs()).fold(0.0, f64::max);
            assert!(worst < 1e-12, "component {component}: {worst}");
        }
    }
}
