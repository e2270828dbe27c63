//! Rigid bodies: how they move, touch and float.
//!
//! A [`RigidBody`] has a [`Shape`], mass and inertia exactly integrated from it, and a state that moves
//! by Newton and Euler.

mod algebra;
mod body;
mod error;
mod fictitious;
mod free;
mod mass;
pub mod meshes;
mod shape;
mod state;

pub use body::{RigidBody, Surface, Weight};
pub use error::BodyError;
pub use fictitious::Suspension;
pub use mass::MassProperties;
pub use shape::{MeshShape, Shape};
pub use state::BodyState;
