//! Pictures of frames.
//!
//! [`draw`] shows a [`Frame`] in the style of its scene: a liquid in the plane or in space, or a viscous flow. It gives
//! an [`Image`] with the same bits for any number of threads.
//!
//! ```
//! use unstick_grid::{Grid, SignedDistance};
//! use unstick_scene::Frame;
//! use unstick_scene::draw::{PictureStyle, draw};
//!
//! let grid = Grid::<2>::unit(32)?;
//! let disc = SignedDistance::sphere([0.5, 0.5], 0.3);
//! let frame = Frame::at_rest(grid, |point| disc.at(point), |_| 1.0);
//! let image = draw(&frame, &PictureStyle { width: 480, fastest: 1.0, pressure: false, flow: None });
//! let [red, _, blue] = image.pixel(240, 240);
//! assert!(blue > red);
//! # Ok::<(), unstick_grid::GridError>(())
//! ```

mod beside;
mod colour;
mod image;
mod plane;
mod space;
#[cfg(test)]
mod synthetic;
mod text;
pub mod viscous;

use crate::dimension::PlaneOrSpace;
use crate::frame::Frame;

pub use beside::beside;
pub use colour::{GROUND, Palette, SEPARATED, SOLID};
pub use image::{DrawError, Image};
use viscous::{Show, View};

/// How pictures of a scene look. It is the same for all frames: colours that change from frame to frame flicker.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureStyle {
    /// Width in pixels, of each part.
    pub width: usize,
    /// The speed at the bright end of the colours, in m/s.
    pub fastest: f64,
    /// Whether plane liquid is shaded by pressure.
    pub pressure: bool,
    /// What else there is to say of a viscous flow.
    pub flow: Option<FlowStyle>,
}

/// How pictures of a viscous flow look.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowStyle {
    /// What the liquid shows.
    pub show: Show,
    /// The value at the bright end of the colours.
    pub scale: f64,
    /// What is drawn in space.
    pub view: View,
    /// Where the slice lies along the third axis; none: in the middle.
    pub slice: Option<f64>,
    /// Lower and upper corner of the part of the first two axes that slices show; none: all of it.
    pub window: Option<[[f64; 2]; 2]>,
}

/// Draws a frame in the style of its scene.
pub fn draw<const D: usize>(frame: &Frame<D>, style: &PictureStyle) -> Image {
    match (&frame.flow, &style.flow) {
        (Some(flow), Some(of_flow)) => viscous::draw(frame, flow, style, of_flow),
        _ => match frame.either() {
            PlaneOrSpace::Plane(frame) => plane::draw(frame, style),
            PlaneOrSpace::Space(frame) => space::draw(frame, style.width),
        },
    }
}
