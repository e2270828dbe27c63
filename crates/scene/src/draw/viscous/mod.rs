//! Viscous flows with bodies in them: a field in the plane or on a slice, and in space the bodies themselves.

mod bodies;
mod field;

use super::beside::beside;
use super::text::{draw_scale, short, stamp};
use super::{FlowStyle, Image, PictureStyle};
use crate::frame::{FlowFields, Frame};

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

/// Draws a viscous flow and its bodies.
pub fn draw<const D: usize>(
    frame: &Frame<D>,
    flow: &FlowFields<D>,
    style: &PictureStyle,
    of_flow: &FlowStyle,
) -> Image {
    let slice = || {
        let mut image = field::slice(flow, &frame.bodies, style.width, of_flow);
        stamp(&mut image, frame.time);
        let label = format!("{} {}", short(of_flow.scale), of_flow.show.unit());
        draw_scale(&mut image, &field::table(of_flow.show), &label);
        image
    };
    let bodies = || bodies::draw(&flow.grid, &frame.bodies, style);
    match (D, of_flow.view) {
        (2, _) | (_, View::Slice) => slice(),
        (_, View::Both) => beside(&[slice(), bodies()], &["slice", "bodies"]),
        (_, View::Bodies) => {
            let mut image = bodies();
            stamp(&mut image, frame.time);
            image
        }
    }
}
