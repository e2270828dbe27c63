//! Viscous flows with bodies in them: a field in the plane or on a slice, and in space the bodies themselves.

mod bodies;
mod colours;
mod field;

use unstick_bodies::Suspension;

use super::Image;
use super::beside::beside;
use super::legend::{draw_scale, stamp};

/// What the liquid shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Show {
    /// How fast it is.
    #[default]
    Speed,
    /// How fast it turns in the plane of the picture.
    Vorticity,
    /// Its pressure, without that of gravity.
    Pressure,
}

impl Show {
    /// All, by name.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("speed", Self::Speed), ("vorticity", Self::Vorticity), ("pressure", Self::Pressure)];

    fn unit(self) -> &'static str {
        match self {
            Self::Speed => "m/s",
            Self::Vorticity => "1/s",
            Self::Pressure => "Pa",
        }
    }
}

/// What is drawn of a flow in space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum View {
    /// A slice, and the bodies beside it.
    #[default]
    Both,
    /// A slice alone.
    Slice,
    /// The bodies alone.
    Bodies,
}

impl View {
    /// All, by name.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("both", Self::Both), ("slice", Self::Slice), ("bodies", Self::Bodies)];
}

/// How pictures of a flow look; the same for all its frames, lest colours flicker.
#[derive(Clone, Debug, PartialEq)]
pub struct ViscousLook {
    /// Width in pixels, of each part.
    pub width: usize,
    /// What the liquid shows.
    pub show: Show,
    /// The value at the bright end of the colours.
    pub scale: f64,
    /// The speed of bodies at the bright end of theirs, in m/s.
    pub fastest: f64,
    /// What is drawn in space.
    pub view: View,
    /// Where the slice lies along the third axis; none: in the middle.
    pub slice: Option<f64>,
    /// Lower and upper corner of the part of the first two axes that slices show; none: all of it.
    pub window: Option<[[f64; 2]; 2]>,
}

/// Draws what there is now.
pub fn draw<const D: usize>(scene: &Suspension<D>, look: &ViscousLook) -> Image {
    let time = scene.flow().state().time;
    let slice = || {
        let mut image = field::slice(scene, look);
        stamp(&mut image, time);
        let label = format!("{} {}", super::legend::short(look.scale), look.show.unit());
        draw_scale(&mut image, &colours::table(look.show), &label);
        image
    };
    match (D, look.view) {
        (2, _) | (_, View::Slice) => slice(),
        (_, View::Both) => beside(&[slice(), bodies::draw(scene, look)], &["slice", "bodies"]),
        (_, View::Bodies) => {
            let mut image = bodies::draw(scene, look);
            stamp(&mut image, time);
            image
        }
    }
}
