//! Colours of fields and of bodies.

use super::Show;
pub use crate::draw::GROUND;
use crate::draw::Palette;
use crate::draw::colour::{Colour, from_bytes, mix};

const LEAST: [u8; 3] = [24, 78, 160];
const MIDDLE: [u8; 3] = [238, 239, 236];
const MOST: [u8; 3] = [190, 52, 36];

/// A body has two halves, so that one sees it turn.
pub const BODY: [[u8; 3]; 2] = [[236, 178, 92], [196, 122, 44]];
pub const BODY_EDGE: [u8; 3] = [70, 40, 16];

/// 256 colours of a field: from none to most, or from least over none to most.
pub fn table(show: Show) -> Vec<Colour> {
    if show == Show::Speed {
        return Palette::default().table();
    }
    let [least, middle, most] = [LEAST, MIDDLE, MOST].map(from_bytes);
    let colour = |entry: usize| {
        let part = entry as f32 / 127.5 - 1.0;
        if part < 0.0 { mix(middle, least, -part) } else { mix(middle, most, part) }
    };
    (0..256).map(colour).collect()
}

/// The place of a value among them.
pub fn place(show: Show, value: f64, scale: f64) -> usize {
    let part = if show == Show::Speed { value / scale } else { 0.5 + 0.5 * value / scale };
    (part.clamp(0.0, 1.0) * 255.0) as usize
}
