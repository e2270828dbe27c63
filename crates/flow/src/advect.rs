//! Momentum carried by the flow, in conservative form.
//!
//! The fluxes are central: the plain average of the carried velocity times the average by volume of the
//! carrying velocity. On any stretched grid they are skew-symmetric: they neither make nor lose kinetic
//! energy \[Verstappen2003\].

use unstick_grid::FaceField;

use crate::discrete::Discrete;
use crate::stencil::for_each_row;
use crate::tensor::index_of;

/// `out` ← ∇·(u u), integrated over the control volumes of the faces; zero on given faces.
pub(crate) fn advect<const D: usize>(
    discrete: &Discrete<D>,
    velocity: &FaceField<f64, D>,
    out: &mut FaceField<f64, D>,
) {
    for (component, out) in out.iter_mut().enumerate() {
        let flux = Flux { discrete, velocity, component };
        let shape = out.shape();
        let operator = &discrete.velocity[component][component];
        for_each_row(shape, out.values_mut(), |place, out| {
            out.fill(0.0);
            if component != 0 && !operator.is_free[place[component]] {
                return;
            }
            flux.add_along_row(place, out);
            let mut buffer = vec![0.0; shape[0]];
            for axis in 1..D {
                for (upper, sign) in [(false, -1.0), (true, 1.0)] {
                    flux.through_row(place, axis, upper, &mut buffer);
                    out.iter_mut().zip(&buffer).for_each(|(out, flux)| *out += sign * flux);
                }
            }
            if component == 0 {
                out.iter_mut().zip(&operator.is_free).filter(|(_, is_free)| !**is_free).for_each(|(out, _)| *out = 0.0);
            }
        });
    }
}

/// Fluxes of one component through the sides of its control volumes.
struct Flux<'a, const D: usize> {
    discrete: &'a Discrete<D>,
    velocity: &'a FaceField<f64, D>,
    component: usize,
}

impl<const D: usize> Flux<'_, D> {
    fn row(&self, component: usize, place: [usize; D]) -> &[f64] {
        let field = &self.velocity[component];
        &field.values()[index_of(field.shape(), place)..][..field.shape()[0]]
    }

    /// Widths across a row of control volumes, other than those along `axis` and axis 0.
    fn area(&self, place: [usize; D], axis: usize) -> f64 {
        let operators = &self.discrete.velocity[self.component];
        (1..D).filter(|&other| other != axis).map(|other| operators[other].mass[place[other]]).product()
    }

    /// The two cells that share the control volume along the component's own axis, with half their widths.
    fn halves(&self, node: usize) -> [(usize, f64); 2] {
        let axis = self.component;
        let cells = self.discrete.cells_beside(axis, node);
        let half = |cell: usize| (cell, 0.5 * self.discrete.grid.axis(axis).width(cell));
        cells.map(|cell| cell.map_or((0, 0.0), half))
    }

    /// Fluxes through the lower or upper sides, across `axis` ≠ 0, of a row of control volumes.
    fn through_row(&self, place: [usize; D], axis: usize, upper: bool, out: &mut [f64]) {
        if axis == self.component {
            self.through_own_row(place, upper, out);
            return;
        }
        let mut node = place;
        node[axis] += usize::from(upper);
        let operators = &self.discrete.velocity[self.component];
        let area = self.area(place, axis);
        // What carries: the velocity across `axis`, over both halves of the control volume.
        if self.component == 0 {
            let carrier = self.row(axis, node);
            for (i, out) in out.iter_mut().enumerate() {
                let halves = self.halves(i);
                *out = area * (halves[0].1 * carrier[halves[0].0] + halves[1].1 * carrier[halves[1].0]);
            }
        } else {
            let halves = self.halves(place[self.component]);
            let rows = halves.map(|(cell, _)| {
                let mut beside = node;
                beside[self.component] = cell;
                self.row(axis, beside)
            });
            let area = area / operators[self.component].mass[place[self.component]];
            let widths = &operators[0].mass;
            for (i, out) in out.iter_mut().enumerate() {
                *out = area * widths[i] * (halves[0].1 * rows[0][i] + halves[1].1 * rows[1][i]);
            }
        }
        // What is carried: the mean of the values on both sides, or the one at the boundary.
        let carried = self.carried(axis, node[axis]);
        let row = |at: usize| {
            let mut beside = place;
            beside[axis] = at;
            self.row(self.component, beside)
        };
        match carried {
            Carried::Given(value) => out.iter_mut().for_each(|out| *out *= value),
            Carried::Mean(below, above) => {
                let (below, above) = (row(below), row(above));
                out.iter_mut()
                    .zip(below.iter().zip(above))
                    .for_each(|(out, (below, above))| *out *= 0.5 * (below + above));
            }
        }
    }

    /// Fluxes of the component by itself, across its own axis ≠ 0.
    fn through_own_row(&self, place: [usize; D], upper: bool, out: &mut [f64]) {
        let axis = self.component;
        let operator = &self.discrete.velocity[axis][axis];
        let at = place[axis];
        // Beyond an outflow the value stays what it is.
        let other = if upper { operator.after(at) } else { operator.before(at) };
        let mut beside = place;
        beside[axis] = other;
        let area = self.area(place, axis);
        let widths = &self.discrete.velocity[axis][0].mass;
        for ((out, (a, b)), width) in
            out.iter_mut().zip(self.row(axis, place).iter().zip(self.row(axis, beside))).zip(widths)
        {
            *out = area * width * (0.5 * (a + b)).powi(2);
        }
    }

    /// Adds the differences of the fluxes along axis 0.
    fn add_along_row(&self, place: [usize; D], out: &mut [f64]) {
        let component = self.component;
        let area = self.area(place, 0);
        let here = self.row(component, place);
        let last = out.len() - 1;
        if component == 0 {
            let operator = &self.discrete.velocity[0][0];
            let flux = |a: f64, b: f64| area * (0.5 * (a + b)).powi(2);
            for i in 1..last {
                out[i] += flux(here[i], here[i + 1]) - flux(here[i - 1], here[i]);
            }
            for i in [0, last] {
                out[i] += flux(here[i], here[operator.after(i)]) - flux(here[operator.before(i)], here[i]);
            }
            return;
        }
        let halves = self.halves(place[component]);
        let rows = halves.map(|(cell, _)| {
            let mut beside = place;
            beside[component] = cell;
            self.row(0, beside)
        });
        let area = area / self.discrete.velocity[component][component].mass[place[component]];
        let flux =
            |node: usize, carried: f64| area * (halves[0].1 * rows[0][node] + halves[1].1 * rows[1][node]) * carried;
        let at = |node: usize| match self.carried(0, node) {
            Carried::Given(value) => value,
            Carried::Mean(below, above) => 0.5 * (here[below] + here[above]),
        };
        let mut below = flux(0, at(0));
        for i in 0..last {
            let above = flux(i + 1, 0.5 * (here[i] + here[i + 1]));
            out[i] += above - below;
            below = above;
        }
        out[last] += flux(last + 1, at(last + 1)) - below;
    }

    /// What is carried through a node across `axis`.
    fn carried(&self, axis: usize, node: usize) -> Carried {
        match self.discrete.cells_beside(axis, node) {
            [Some(below), Some(above)] => Carried::Mean(below, above),
            [below, above] => {
                let (end, inside) = if below.is_none() { (0, above) } else { (1, below) };
                let inside = inside.unwrap_or(0);
                match self.discrete.sides[axis][end].tangential() {
                    Some(velocity) => Carried::Given(velocity[self.component]),
                    None => Carried::Mean(inside, inside),
                }
            }
        }
    }
}

/// What is carried through a side of a control volume.
enum Carried {
    /// A value known at the boundary.
    Given(f64),
    /// The mean of two neighbours.
    Mean(usize, usize),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{closed_square, dot};

    #[test]
    fn a_velocity_without_divergence_keeps_its_kinetic_energy() {
        let discrete = closed_square();
        // Differences of a stream function that vanishes at the walls.
        let stream = |i: usize, j: usize| {
            let [x, y] = [discrete.grid.axis(0).nodes()[i], discrete.grid.axis(1).nodes()[j]];
            x * (1.0 - x) * y * (1.0 - y) * (3.0 + (7.0 * x).sin() + (5.0 * y).cos())
        };
        let mut velocity = discrete.zero_faces();
        for component in 0..2 {
            let shape = velocity[component].shape();
            for (i, j) in (0..shape[1]).flat_map(|j| (0..shape[0]).map(move |i| (i, j))) {
                *velocity[component].at_mut([i, j]) = match component {
                    0 => (stream(i, j + 1) - stream(i, j)) / discrete.grid.axis(1).width(j),
                    _ => (stream(i, j) - stream(i + 1, j)) / discrete.grid.axis(0).width(i),
                };
            }
        }
        let mut out = discrete.zero_faces();
        advect(&discrete, &velocity, &mut out);
        let (power, scale) = (dot(&velocity, &out), dot(&out, &out).sqrt() * dot(&velocity, &velocity).sqrt());
        assert!(scale > 1e-3 && power.abs() < 1e-13 * scale, "{power} of {scale}");
    }
}
