//! A grid whose nodes move along their axes: the ALE term.
//!
//! Values follow the nodes. Their rate of change is that at a fixed place and what the way of the node adds,
//!
//! ```text
//!     ∂u/∂t = du/dt|node − (w·∇) u,        w the velocity of the grid.
//! ```
//!
//! The term is the difference of the fluxes of w, as those of advection are written, and of u times the growth of the
//! control volume: (w·∇) u = ∇·(w u) − u ∇·w. Where neighbours are equal it is zero, bit for bit: a uniform flow stays
//! uniform whatever the grid does (the geometric conservation law). In the limit of short steps momentum and kinetic
//! energy are kept as well, because ∇·w is how volumes grow. The differences in time are those of the velocity, so the
//! error is of second order in the step.

use unstick_grid::FaceField;

use crate::discrete::Discrete;
use crate::stencil::for_each_value;
use crate::tensor::TensorGrid;

/// Velocities of the nodes along each axis; none for axes at rest.
pub(crate) struct NodeSpeeds<const D: usize>([Option<Vec<f64>>; D]);

impl<const D: usize> NodeSpeeds<D> {
    /// The rates of change of nodes that are at `new`, were at `now` and before that at `before`: with the weights of the
    /// last two in differences whose weights add up to zero.
    pub fn new(new: &TensorGrid<D>, [now, before]: [&TensorGrid<D>; 2], weights: [f64; 2]) -> Self {
        Self(std::array::from_fn(|axis| {
            let [new, now, before] = [new, now, before].map(|grid| grid.axis(axis).nodes());
            let speed =
                |((new, now), before): ((&f64, &f64), &f64)| weights[0] * (now - new) + weights[1] * (before - new);
            let speeds: Vec<f64> = new.iter().zip(now).zip(before).map(speed).collect();
            speeds.iter().any(|&speed| speed != 0.0).then_some(speeds)
        }))
    }

    /// `out` ← `out` − (w·∇) u, integrated over the control volumes of the faces.
    pub fn subtract(&self, discrete: &Discrete<D>, velocity: &FaceField<f64, D>, out: &mut FaceField<f64, D>) {
        for (axis, speeds) in self.0.iter().enumerate() {
            let Some(speeds) = speeds else { continue };
            for (component, out) in out.iter_mut().enumerate() {
                let (field, operator) = (&velocity[component], &discrete.velocity[component][axis]);
                for_each_value(out, |place, out| {
                    let at = place[axis];
                    let through = if axis == component {
                        // Sides at cell centres.
                        let of_cell = |cell: usize| 0.5 * (speeds[cell] + speeds[cell + 1]);
                        discrete.cells_beside(axis, at).map(|cell| cell.map_or(0.0, of_cell))
                    } else {
                        [speeds[at], speeds[at + 1]]
                    };
                    let beside = [operator.before(at), operator.after(at)].map(|other| {
                        let mut place = place;
                        place[axis] = other;
                        field.at(place)
                    });
                    let here = field.at(place);
                    let difference = through[1] * (beside[1] - here) + through[0] * (here - beside[0]);
                    *out -= 0.5 * difference * discrete.volume(component, place) / operator.mass[at];
                });
            }
        }
    }
}
