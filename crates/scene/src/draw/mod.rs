//! Pictures of frames.
//!
//! [`plane::draw`] shows a two-dimensional [`Frame`](crate::Frame), [`space::draw`] a
//! three-dimensional one. Both give an [`Image`]: the same bits for any number of threads.
//!
//! ```
//! use unstick_grid::{CellField, Grid, SignedDistance};
//! use unstick_scene::{Frame, draw};
//!
//! let grid = Grid::<2>::unit(32)?;
//! let disc = SignedDistance::sphere([0.5, 0.5], 0.3);
//! let frame = Frame {
//!     grid,
//!     number: 0,
//!     time: 0.0,
//!     liquid: CellField::from_fn(&grid, |cell| disc.at(grid.centre(cell))),
//!     solid: CellField::of_shape([33, 33], |_| 1.0),
//!     positions: Vec::new(),
//!     speeds: Vec::new(),
//!     pressure: CellField::from_fn(&grid, |_| 0.0),
//!     separated: Vec::new(),
//! };
//! let image = draw::plane::draw(&frame, &draw::plane::PlaneOptions::default());
//! let [red, _, blue] = image.pixel(240, 240);
//! assert!(blue > red);
//! # Ok::<(), unstick_grid::GridError>(())
//! ```

mod beside;
mod colour;
mod disc;
mod error;
mod glyph;
mod image;
mod legend;
pub mod plane;
pub mod space;
#[cfg(test)]
mod synthetic;
mod text;
pub mod viscous;

pub use beside::beside;
pub use colour::{GROUND, Palette, SEPARATED, SOLID};
pub use error::DrawError;
pub use image::{Compression, Image};
