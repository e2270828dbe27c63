//! Rigid bodies as the liquid sees them: solids whose velocity is unknown.
//!
//! The pressure of a step moves bodies and liquid at once \[Batty2007\]. With V the velocities of a body
//! (three numbers in the plane, six in space) and N_i V the outflow that they make in cell i,
//!
//! ```text
//!     r = A q + b + N V,      M (V − V*) = ρ h^D Nᵀ q
//! ```
//!
//! and V out of it: r = (A + ρ h^D N M⁻¹ Nᵀ) q + b + N V*. The term that a body adds is symmetric and of
//! low rank, and a light body is as stable as a heavy one. N comes from the part of the volume around
//! each face that the body covers, so that pressure acts at the surface of the body and not at the
//! nearest cell centre: in still liquid the force is the weight of what is displaced.

use unstick_grid::SignedDistance;
use unstick_grid::vector::{Matrix, cross, minus, plus};
use unstick_mlcp::Convergence;

use crate::setup::Wall;

/// A body at one moment.
#[derive(Clone, Debug)]
pub struct Immersed<const D: usize> {
    /// Its shape where it lies.
    pub shape: SignedDistance<D>,
    /// Lower and upper corner of a box around it.
    pub bounds: ([f64; D], [f64; D]),
    /// What its surface does to the liquid.
    pub wall: Wall,
    /// Its centre of mass.
    pub centre: [f64; D],
    /// Velocity of its centre of mass.
    pub velocity: [f64; D],
    /// Angular velocity; in the plane only the third component.
    pub spin: [f64; 3],
    /// 1/mass; zero if nothing moves it.
    pub inverse_mass: f64,
    /// The inverse of its inertia as it lies; in the plane only the last entry matters.
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

/// The bodies of a simulation, whoever moves them.
pub trait Bodies<const D: usize>: Send + Sync {
    /// As they are now.
    fn immersed(&self) -> Vec<Immersed<D>>;

    /// Lets gravity act for a time.
    fn accelerate(&mut self, acceleration: [f64; D], dt: f64);

    /// Lets the liquid push, one push for every body.
    fn push(&mut self, pushes: &[Push<D>], dt: f64);

    /// Resolves contacts and moves for a time; says how the solve for the contacts ended.
    fn advance(&mut self, dt: f64) -> Result<Convergence, String>;

    /// Everything that changes, as numbers.
    fn store(&self) -> Vec<f64>;

    /// Takes back what [`store`](Self::store) gave, at a time; false if it does not fit.
    fn load(&mut self, time: f64, data: &[f64]) -> bool;

    /// A copy.
    fn boxed(&self) -> Box<dyn Bodies<D>>;

    /// For those who know what it is.
    fn as_any(&self) -> &dyn std::any::Any;
}

pub(crate) fn lift<const D: usize>(a: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| if axis < D { a[axis] } else { 0.0 })
}
