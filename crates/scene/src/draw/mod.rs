//! Pictures of frames.
//!
//! [`draw()`] shows a [`Frame`] in the style of its scene: [`plane::draw`] a liquid in the plane, [`space::draw`] one in
//! space, [`viscous::draw`] a viscous flow. All give an [`Image`] with the same bits for any number of threads.
//!
//! ```
//! use unstick_grid::{Grid, SignedDistance};
//! use unstick_scene::{Frame, draw};
//!
//! let grid = Grid::<2>::unit(32)?;
//! let disc = SignedDistance::sphere([0.5, 0.5], 0.3);
//! let frame = Frame::at_rest(grid, |point| disc.at(point), |_| 1.0);
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
mod style;
#[cfg(test)]
mod synthetic;
mod text;
pub mod viscous;

use crate::Frame;
use crate::dimension::{Dim, Dimension};

pub use beside::beside;
pub use colour::{GROUND, Palette, SEPARATED, SOLID};
pub use error::DrawError;
pub use image::{Compression, Image};
pub use style::{FlowStyle, PictureStyle};

/// Draws a frame in the style of its scene.
pub fn draw<const D: usize>(frame: &Frame<D>, style: &PictureStyle) -> Image
where
    Dim<D>: Dimension<D>,
{
    match (&frame.flow, &style.flow) {
        (Some(flow), Some(of_flow)) => viscous::draw(frame, flow, style, of_flow),
        _ => Dim::<D>::draw(frame, style),
    }
}
