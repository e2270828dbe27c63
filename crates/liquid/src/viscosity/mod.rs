//! Viscosity: what shear costs, and what walls have to do with it.
//!
//! The velocity u after a kick of length Δt is the one that minimises
//!
//! ```text
//!     ∫ ½ |u − u*|² + Δt ν |D(u)|²,      D(u) = ½ (∇u + ∇uᵀ),
//! ```
//!
//! over the liquid \[Batty2008\]. The free surface then bears no stress, whatever its shape: honey coils, and what only
//! turns is not slowed down. Diagonal entries of D live in cells, the others on edges (nodes in the plane), each with the
//! part of its volume that is liquid. The minimum is a symmetric positive definite system on the faces.
//!
//! Walls add Δt ν/(b + d) ½ |u − u_wall|² over their area: Navier's law for the slip length b, with the half cell of
//! thickness d between wall and face as a second resistance behind the first. b = 0 is the wall to which liquid sticks.
//! Without drag nothing is added. A wall that has let go adds nothing.
//!
//! Gravity and pressure nearly cancel in liquid at rest. Shear of either alone means nothing, so the stress is that of
//! the velocity after a first pressure solve. What it changes joins the velocity before that pressure, and the second
//! solve starts from the first.

mod cycle;
mod lattice;
mod level;
mod medium;
mod pool;
mod rate;
mod solve;
mod stage;
mod system;
mod transfer;
mod volumes;
mod walls;

pub(crate) use pool::Pool;
