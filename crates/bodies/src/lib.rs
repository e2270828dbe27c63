//! Rigid bodies: how they move, touch and float.
//!
//! A [`RigidBody`] has a [`Shape`] with exactly integrated mass and inertia, and a state that follows the equations of
//! Newton and Euler. A [`World`] keeps bodies in a [`Container`] and resolves their contacts by a [`ContactModel`],
//! by default as one complementarity problem. [`FloatingBodies`] couples a world with a liquid that has a free surface;
//! a [`Suspension`] couples bodies with a box of viscous liquid.

mod algebra;
mod body;
mod contact;
mod error;
mod floating;
mod free;
mod mass;
pub mod meshes;
mod shape;
mod state;
mod steering;
mod suspension;
mod world;

pub use body::{RigidBody, Surface, Weight};
pub use contact::{
    BoundingBox, COMPLIANCE, Contact, ContactModel, ContactReport, ContactSystem, Container, Obstacle, close_pairs,
    find_contacts, find_contacts_between, lubrication,
};
pub use error::BodyError;
pub use floating::{FloatingBodies, Forces};
pub use mass::MassProperties;
pub use shape::{MeshShape, Shape};
pub use state::BodyState;
pub use steering::Steering;
pub use suspension::{Suspension, SuspensionReport, SuspensionSeconds, SuspensionState};
pub use world::World;
