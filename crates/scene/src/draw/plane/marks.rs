//! Particles, and walls that have let go.

use super::shading::cell_of;
use super::view::View;
use crate::{
    Frame,
    draw::{
        Image, SEPARATED,
        colour::{Colour, from_bytes},
        disc::disc,
    },
};

pub(super) fn draw_particles(image: &mut Image, view: &View, frame: &Frame<2>, table: &[Colour], fastest: f64) {
    let radius = (0.27 * view.zoom as f32).clamp(0.7, 3.5);
    for (&position, speed) in frame.positions.iter().zip(frame.speeds()) {
        // Inside the liquid its own shading says the same, in a picture that compresses ten times as well.
        let depth = cell_of(&frame.grid, position).map_or(f64::INFINITY, |cell| frame.liquid.at(cell));
        if depth < -0.5 * frame.grid.spacing() {
            continue;
        }
        let entry = (speed / fastest.max(f64::MIN_POSITIVE) * 255.0) as usize;
        disc(image, view.pixel_of(frame, position), radius, table[entry.min(255)], |_, _| 0.9);
    }
}

pub(super) fn mark_separated(image: &mut Image, view: &View, frame: &Frame<2>) {
    let colour = from_bytes(SEPARATED);
    let [across, up] = frame.grid.cells();
    for &[x, y] in frame.separated.iter().filter(|&&[x, y]| x < across && y < up) {
        let edge = |cells: usize| (cells as f64 * view.zoom).round() as usize;
        let (bottom, top) = (view.height.saturating_sub(edge(y)), view.height.saturating_sub(edge(y + 1)));
        for row in top..bottom.min(view.height) {
            for column in edge(x)..edge(x + 1).min(view.width) {
                image.blend(column, row, colour, 0.85);
            }
        }
    }
}
