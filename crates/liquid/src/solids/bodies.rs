//! Rigid bodies as the liquid sees them: solids whose velocity is unknown.
//!
//! The pressure of a step moves bodies and liquid at once \[Batty2007\]. With V the velocities of a body
//! (three numbers in the plane, six in space) and N_i V the outflow that they make in cell i,
//!
//! ```text
//!     r = A q + b + N V,      M (V − V*) = ρ h^D Nᵀ q
//! ```
//!
//! With V eliminated, r = (A + ρ h^D N M⁻¹ Nᵀ) q + b + N V*. The term that a body adds is symmetric and of
//! low rank, and a light body is as stable as a heavy one. Bodies that touch each other or a wall do not
//! answer as M⁻¹ says: see [`Response`]. N comes from the part of the volume around
//! each face that the body covers. So the pressure acts at the surface of the body and not at the
//! nearest cell centre: in still liquid the force is the weight of the liquid that is displaced.

use unstick_grid::SignedDistance;
use unstick_grid::vector::{Matrix, cross, dot, lift, minus, plus, times};
use unstick_mlcp::Convergence;

use crate::setup::Wall;

/// A body at one moment.
#[derive(Clone, Debug)]
pub struct Immersed<const D: usize> {
    /// Its shape, in place.
    pub shape: SignedDistance<D>,
    /// Lower and upper corner of a box around it.
    pub bounds: ([f64; D], [f64; D]),
    /// What its surface does to the liquid.
    pub wall: Wall,
    /// σ of its surface, in Pa: see [`Setup::border_adhesion`](crate::Setup::border_adhesion).
    pub adhesion: f64,
    /// Its centre of mass.
    pub centre: [f64; D],
    /// Velocity of its centre of mass.
    pub velocity: [f64; D],
    /// Angular velocity; in the plane only the third component.
    pub spin: [f64; 3],
    /// 1/mass; zero for a body that nothing moves.
    pub inverse_mass: f64,
    /// The inverse of its inertia, in world axes; in the plane only the last entry matters.
    pub inverse_inertia: Matrix<3>,
}

impl<const D: usize> Immersed<D> {
    /// Velocity of the point of the body that lies here.
    pub fn velocity_at(&self, point: [f64; D]) -> [f64; D] {
        let arm = lift(minus(point, self.centre));
        let turning = cross(self.spin, arm);
        plus(self.velocity, std::array::from_fn(|axis| turning[axis]))
    }
}

/// What pressure did to a body in a step: an impulse and an angular impulse about its centre.
pub type Push<const D: usize> = ([f64; D], [f64; 3]);

/// Bodies that move together, each with velocity and spin.
pub type JointMotion<const D: usize> = Vec<(usize, [f64; D], [f64; 3])>;

/// How bodies answer a push of the liquid, with their contacts as they are: V = V₀ + W P.
///
/// Without contacts W = M⁻¹. Contacts that carry a load take away the motion that would change them: with J the rows
/// of those contacts, W = M⁻¹ − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ J M⁻¹. So the pressure of a step knows that a body on the floor does
/// not sink.
#[derive(Clone, Debug)]
pub struct Response<const D: usize> {
    /// V₀: velocity and spin of every body without a push.
    pub unpushed: Vec<([f64; D], [f64; 3])>,
    /// Columns c with W = Σ c cᵀ.
    pub columns: Vec<JointMotion<D>>,
}

impl<const D: usize> Response<D> {
    /// V₀ + W P: velocity and spin of every body under a push.
    pub fn under(&self, pushes: &[Push<D>]) -> Vec<([f64; D], [f64; 3])> {
        let mut velocities = self.unpushed.clone();
        for column in &self.columns {
            let of_body = |(body, linear, angular): &(usize, [f64; D], [f64; 3])| {
                dot(*linear, pushes[*body].0) + dot(*angular, pushes[*body].1)
            };
            let along: f64 = column.iter().map(of_body).sum();
            for (body, linear, angular) in column {
                let (velocity, spin) = &mut velocities[*body];
                (*velocity, *spin) = (plus(*velocity, times(along, *linear)), plus(*spin, times(along, *angular)));
            }
        }
        velocities
    }
}

/// The bodies of a simulation, whoever moves them.
pub trait Bodies<const D: usize>: Send + Sync {
    /// As they are now.
    fn immersed(&self) -> Vec<Immersed<D>>;

    /// Lets gravity act for a time.
    fn accelerate(&mut self, acceleration: [f64; D], dt: f64);

    /// What the liquid is expected to push in a time: what it did before.
    fn expected_pushes(&self, dt: f64) -> Vec<Push<D>>;

    /// How they answer pushes near the given ones, in a step of length `dt`. Nothing changes.
    fn respond(&self, pushes: &[Push<D>], dt: f64) -> Result<Response<D>, String>;

    /// Lets the liquid push for a time of `kick` before a step of length `dt`, one push for every body; the bodies
    /// answer as the response says. What contacts forbid they do not do.
    fn push(&mut self, pushes: &[Push<D>], response: &Response<D>, kick: f64, dt: f64) -> Result<(), String>;

    /// Moves for a time; says how the solve for the contacts ended.
    fn advance(&mut self, dt: f64) -> Result<Convergence, String>;

    /// Everything that changes, as numbers.
    fn store(&self) -> Vec<f64>;

    /// Takes back what [`store`](Self::store) gave, at a time; false if it does not fit.
    fn load(&mut self, time: f64, data: &[f64]) -> bool;

    /// A copy.
    fn boxed(&self) -> Box<dyn Bodies<D>>;

    /// For downcasts to the type itself.
    fn as_any(&self) -> &dyn std::any::Any;
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A box at rest of mass 2 and inertia 4.
    pub(crate) fn cuboid(lower: [f64; 2], upper: [f64; 2]) -> Immersed<2> {
        let mut inverse_inertia = [[0.0; 3]; 3];
        inverse_inertia[2][2] = 0.25;
        Immersed {
            shape: SignedDistance::cuboid(lower, upper),
            bounds: (lower, upper),
            wall: Wall::Sealed,
            adhesion: 0.0,
            centre: std::array::from_fn(|axis| 0.5 * (lower[axis] + upper[axis])),
            velocity: [0.0; 2],
            spin: [0.0; 3],
            inverse_mass: 0.5,
            inverse_inertia,
        }
    }

    #[test]
    fn points_of_a_body_move_and_turn_with_it() {
        let body = Immersed { velocity: [1.0, 2.0], spin: [0.0, 0.0, 3.0], ..cuboid([0.0; 2], [2.0; 2]) };
        assert_eq!(body.velocity_at([1.0, 1.0]), [1.0, 2.0]);
        assert_eq!(body.velocity_at([3.0, 1.0]), [1.0, 8.0]);
        assert_eq!(body.velocity_at([1.0, 2.0]), [-2.0, 2.0]);
    }
}
