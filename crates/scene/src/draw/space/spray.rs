//! Drops too small for the surface.

use super::{camera::Camera, volume::Volume};
use crate::{
    Frame,
    draw::{Image, disc::disc},
};

const DROP: [f32; 3] = [0.80, 0.91, 1.0];

/// Draws particles outside the liquid as small discs, hidden by what is nearer.
pub(super) fn draw(image: &mut Image, depths: &[f32], volume: &Volume, camera: &Camera, frame: &Frame<3>) {
    let width = image.width();
    for &position in &frame.positions {
        let place = volume.place(position);
        let within = (0..3).all(|axis| (0.0..=volume.corner[axis]).contains(&place[axis]));
        // A quarter of a cell of grace: particles just under a smoothed crest belong to it.
        if !within || volume.liquid.at(place) < 0.25 {
            continue;
        }
        let Some((at, scale, far)) = camera.project(place) else { continue };
        let radius = (0.2 * scale).clamp(0.6, 3.0);
        let opacity = |column: usize, row: usize| if far < depths[row * width + column] { 0.8 } else { 0.0 };
        disc(image, at, radius, DROP, opacity);
    }
}
