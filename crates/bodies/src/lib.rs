//! Rigid bodies: how they move, touch and float.
//!
//! A [`RigidBody`] has a [`Shape`], mass and inertia exactly integrated from it, and a state that moves
//! by Newton and Euler. A [`World`] keeps bodies in a [`Container`] and resolves their contacts by the
//! [`ContactModel`] of choice, by default as one complementarity problem. [`Afloat`] puts a world into a
//! liquid with a free surface, which moves the bodies and is moved by them; a [`Suspension`] puts them into a box
//! of viscous liquid.

mod afloat;
mod algebra;
mod body;
mod contact;
mod error;
mod free;
mod mass;
pub mod meshes;
mod shape;
mod state;
mod steering;
mod suspension;
mod world;

pub use afloat::{Afloat, Forces};
pub use body::{RigidBody, Surface, Weight};
pub use contact::{
    Boxed, COMPLIANCE, Contact, ContactModel, ContactReport, ContactSystem, Container, Obstacle, close_pairs,
    find_contacts, find_contacts_between, lubrication,
};
pub use error::BodyError;
pub use mass::MassProperties;
pub use shape::{MeshShape, Shape};
pub use state::BodyState;
pub use steering::Steering;
pub use suspension::{FlatSuspension, Suspension, SuspensionReport, SuspensionSeconds, SuspensionState};
pub use world::World;
