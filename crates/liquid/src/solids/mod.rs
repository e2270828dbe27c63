//! Walls and bodies as the grid sees them.

mod bodies;
mod columns;
mod geometry;
mod half_cells;
mod immerse;

pub use bodies::{Bodies, Immersed, Push};
pub use geometry::Geometry;
pub use immerse::Covered;

pub(crate) use columns::BodyColumns;
