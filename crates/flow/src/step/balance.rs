//! The momentum that bodies take from the liquid in a step.

use nalgebra::{Matrix6, Vector6};

use super::{Flow, TimeWeights};
use crate::immersed::{FlowBody, Force, HeldFace, exchange};
use crate::momentum::Momentum;
use crate::stencil::{self, Helmholtz};
use crate::tensor::index_of;

impl<const D: usize> Flow<D> {
    /// Momentum that each body takes in the viscous step, divided by density.
    pub(super) fn taken_by_viscous(
        &self,
        helmholtz: Helmholtz,
        momentum: &Momentum<D>,
        right: &Momentum<D>,
    ) -> Vec<Vector6<f64>> {
        let pressure = &self.state.pressure;
        let cells = pressure.shape();
        let left = self.stress.as_ref().filter(|_| !self.held_faces.is_empty()).map(|stress| {
            let mut left = self.discrete.zero_faces();
            stress.apply(&self.discrete, helmholtz.shift, &momentum.faces, false, &mut left);
            left
        });
        let left = |component: usize, place: [usize; D]| match &left {
            Some(left) => left[component].at(place),
            None => {
                let operators = &self.discrete.velocity[component];
                stencil::at(operators, helmholtz, momentum.faces[component].values(), place)
            }
        };
        let residual = |component: usize, place: [usize; D]| {
            let [below, above] = self.discrete.cells_beside(component, place[component]).map(|cell| {
                cell.map_or(0.0, |cell| {
                    let mut beside = place;
                    beside[component] = cell;
                    pressure.values()[index_of(cells, beside)]
                })
            });
            let width = self.discrete.velocity[component][component].mass[place[component]];
            let area = self.discrete.volume(component, place) / width;
            left(component, place) - right.faces[component].at(place) + (above - below) * area
        };
        let viscosity = |held: &HeldFace<D>| {
            let varying = self.stress.as_ref().map(|stress| stress.at_face(&self.discrete, held.component, held.place));
            varying.unwrap_or(helmholtz.scale)
        };
        exchange(&self.held_faces, &momentum.faces, residual, viscosity, &momentum.bodies)
    }

    /// Force on each body: the momentum that it takes, less what the liquid in its place would.
    pub(super) fn forces(
        &self,
        weights: &TimeWeights,
        twists: &[Vector6<f64>],
        taken: &[Vector6<f64>],
        displaced: &[Matrix6<f64>],
        bodies: &[FlowBody<D>],
    ) -> Vec<Force<D>> {
        let force = |(number, body): (usize, &FlowBody<D>)| {
            let new = twists[number];
            let rate = weights.shift * new
                + weights.history[0] * body.twist.to_vector()
                + weights.history[1] * body.previous.to_vector();
            Force::from_vector(&(self.setup.density * (taken[number] + displaced[number] * rate)))
        };
        bodies.iter().enumerate().map(force).collect()
    }
}
