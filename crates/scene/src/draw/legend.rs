//! Words in the corners of a picture.

use super::{
    Image,
    beside::dot_for,
    colour::{Colour, from_bytes},
    text::{self, Pen},
};

const LETTERS: [u8; 3] = [238, 242, 247];
const SEAM: Colour = [0.03, 0.04, 0.06];

/// Where words begin that end just above the lower border; the ceiling is what people look at.
fn last_line(image: &Image, dot: f32) -> f32 {
    (image.height() as f32 - 14.0 * dot).max(0.0)
}

/// Writes the time into the lower left corner.
pub(super) fn stamp(image: &mut Image, time: f64) {
    let dot = dot_for(image.width());
    let pen = Pen { x: 5.0 * dot, y: last_line(image, dot), dot, colour: from_bytes(LETTERS) };
    text::write_with_seam(image, pen, &format!("t = {time:.2} s"), SEAM);
}

/// Draws what the colours of speeds mean into the lower right corner.
pub(super) fn draw_legend(image: &mut Image, table: &[Colour], fastest: f64) {
    draw_scale(image, table, &format!("{} m/s", short(fastest)));
}

/// Draws colours into the lower right corner, and what the last of them means.
pub(super) fn draw_scale(image: &mut Image, table: &[Colour], label: &str) {
    let dot = dot_for(image.width());
    let (bar, high, margin) = ((60.0 * dot) as usize, (5.0 * dot) as usize, 5.0 * dot);
    let left = image.width() as f32 - margin - text::width(label, dot);
    let line = last_line(image, dot);
    let pen = Pen { x: left, y: line, dot, colour: from_bytes(LETTERS) };
    text::write_with_seam(image, pen, label, SEAM);
    let Some(start) = ((left - 3.0 * dot) as usize).checked_sub(bar) else { return };
    let top = (line + dot) as usize;
    for row in top.saturating_sub(1)..(top + high + 1).min(image.height()) {
        for column in start.saturating_sub(1)..(start + bar + 1).min(image.width()) {
            let inside = (top..top + high).contains(&row) && (start..start + bar).contains(&column);
            let entry = 255 * column.saturating_sub(start) / bar;
            image.blend(
                column,
                row,
                if inside { table[entry.min(255)] } else { SEAM },
                if inside { 1.0 } else { 0.65 },
            );
        }
    }
}

/// A number of two or three digits.
pub(super) fn short(value: f64) -> String {
    match value {
        _ if value >= 10.0 => format!("{value:.0}"),
        _ if value >= 1.0 => format!("{value:.1}"),
        _ if value >= 0.1 => format!("{value:.2}"),
        _ if value > 0.0 => format!("{value:.*}", (1.0 - value.log10().floor()).min(12.0) as usize),
        _ => "0".into(),
    }
}
