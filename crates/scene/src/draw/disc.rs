//! Discs: particles and drops.

use super::{Image, colour::Colour};

/// Draws a disc with a soft rim, as opaque as `opacity` says of each pixel; what lies beyond the
/// border is left out.
pub(super) fn disc(
    image: &mut Image,
    [x, y]: [f32; 2],
    radius: f32,
    colour: Colour,
    opacity: impl Fn(usize, usize) -> f32,
) {
    let reach = radius + 0.5;
    let range = |at: f32, limit: usize| {
        let (low, high) = ((at - reach).max(0.0), (at + reach).ceil().max(0.0));
        (low as usize).min(limit)..(high as usize).min(limit)
    };
    for row in range(y, image.height()) {
        for column in range(x, image.width()) {
            let (across, down) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
            let cover = (reach - (across * across + down * down).sqrt()).clamp(0.0, 1.0);
            if cover > 0.0 {
                image.blend(column, row, colour, cover * opacity(column, row));
            }
        }
    }
}
