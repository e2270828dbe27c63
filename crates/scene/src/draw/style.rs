//! How pictures of a scene look.

use super::viscous::{Show, View};

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
