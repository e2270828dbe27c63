//! Velocity at faces: between them, beyond the liquid, and carried by itself.

mod extrapolate;
mod interpolate;
mod semi_lagrangian;

pub use interpolate::{interpolate_cells, interpolate_velocity};

pub(crate) use extrapolate::{constrain, extrapolate};
pub(crate) use interpolate::{gradient_of_nodes, in_faces, interpolate_nodes, locate};
pub(crate) use semi_lagrangian::advect;
