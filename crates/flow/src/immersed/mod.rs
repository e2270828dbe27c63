//! Rigid bodies inside the liquid: the fictitious boundary method.
//!
//! The flow is solved in the whole box, bodies included \[Turek2012\]. Faces whose centre lies in a body move with
//! it. A face outside that has a neighbour inside is *cut*: the wall lies at a part θ of the way to the neighbour,
//! and a linear profile that vanishes there has the slope of the plain difference plus (1/θ − 1) times its value.
//! So every cut link adds a drag towards the velocity of the body,
//!
//! ```text
//!     κ (u − U),      κ = Σ_cut links ν w (1/θ − 1),      w the weight of the link in the Laplacian.
//! ```
//!
//! The drag is zero where the wall lies at the neighbour and grows without bound as it comes to the face. So the
//! force on a face changes continuously as a body moves, and the wall is met to second order \[Gibou2002\].

mod force;
mod mark;

use nalgebra::{Matrix3, Matrix6};
use unstick_grid::SignedDistance;

use crate::twist::Twist;
pub use force::{Force, stress_force};
pub(crate) use force::{exchange, velocity_gradient};
pub(crate) use mark::{HeldFace, HeldFaces};

/// How the flow meets the surface of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Surface {
    /// Where it cuts the links between faces: of second order.
    #[default]
    CutLinks,
    /// Nowhere: a face is in or out, as in the plain fictitious boundary method \[Turek2012\]. The surface lies
    /// somewhere between the outermost faces inside and their neighbours: of first order, and the force jumps
    /// whenever a face comes in or goes out.
    InOut,
}

/// A rigid body as the flow sees it.
#[derive(Clone, Debug)]
pub struct FlowBody<const D: usize> {
    /// Where it is now.
    pub shape: SignedDistance<D>,
    /// Its centre of mass.
    pub centre: [f64; D],
    /// No point of the body is farther from the centre.
    pub reach: f64,
    /// Its volume; in the plane, area.
    pub volume: f64,
    /// Its velocity: before a step the last, after it the new.
    pub twist: Twist<D>,
    /// Its velocity a step before; kept by the step.
    pub previous: Twist<D>,
    /// Whether its motion is given or follows from forces.
    pub freedom: Freedom<D>,
}

/// Whether the motion of a body is given.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Freedom<const D: usize> {
    /// Its motion is given: its velocity at the end of the step.
    Prescribed(Twist<D>),
    /// It moves by the forces on it.
    Free {
        /// Mass; in the plane, per depth.
        mass: f64,
        /// Inertia about the centre of mass, as it lies now. In the plane only the last entry is used.
        inertia: [[f64; 3]; 3],
        /// Outer force: weight less buoyancy, contact forces. That of the liquid is not included.
        force: [f64; D],
        /// Torque likewise.
        torque: [f64; 3],
    },
}

impl<const D: usize> FlowBody<D> {
    /// A body with a prescribed motion, at rest.
    pub fn prescribed(shape: SignedDistance<D>, centre: [f64; D], reach: f64, volume: f64) -> Self {
        let twist = Twist::zero();
        Self { shape, centre, reach, volume, twist, previous: twist, freedom: Freedom::Prescribed(twist) }
    }

    /// A disc or ball with a prescribed motion, at rest.
    pub fn ball(centre: [f64; D], radius: f64) -> Self {
        let volume = ball_volume::<D>(radius);
        Self::prescribed(SignedDistance::sphere(centre, radius), centre, radius, volume)
    }

    /// Mass and inertia, divided by the density of the liquid; none where the motion is given.
    pub(crate) fn inertia(&self, density: f64) -> Option<Matrix6<f64>> {
        let Freedom::Free { mass, inertia, .. } = &self.freedom else { return None };
        let mut matrix = Matrix6::zeros();
        (0..3).for_each(|axis| matrix[(axis, axis)] = mass / density);
        let inertia = Matrix3::from_fn(|row, column| inertia[row][column] / density);
        matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
        Some(matrix)
    }
}

/// Volume of a ball, or area of a disc.
pub fn ball_volume<const D: usize>(radius: f64) -> f64 {
    use std::f64::consts::PI;
    if D == 2 { PI * radius.powi(2) } else { 4.0 / 3.0 * PI * radius.powi(3) }
}
