//! Walls and bodies as the grid sees them.

mod bodies;
mod columns;
mod film;
mod geometry;
mod half_cells;
mod immerse;
mod seal;
mod still;

pub use bodies::{Bodies, Immersed, JointMotion, Push, Response};
pub use geometry::{Geometry, NearestWall};
pub use immerse::Covered;
pub use still::StillSolids;

pub(crate) use columns::BodyColumns;
pub(crate) use immerse::cells_around;
