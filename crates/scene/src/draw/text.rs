//! Text in pictures: dots joined to strokes, so that any size is smooth.

use super::{Image, colour::Colour, glyph::glyph};

/// Dots from the start of one letter to that of the next.
const ADVANCE: f32 = 6.0;
/// Half the width of a stroke, in dots.
const STROKE: f32 = 0.5;

/// Where and how to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pen {
    /// Left end of the text, in pixels.
    pub x: f32,
    /// Top of the capital letters, in pixels.
    pub y: f32,
    /// Pixels per dot; capital letters are seven dots high.
    pub dot: f32,
    /// Colour of the strokes.
    pub colour: Colour,
}

/// Pixels that a text takes from left to right.
pub(crate) fn width(text: &str, dot: f32) -> f32 {
    (text.chars().count() as f32 * ADVANCE - 1.0).max(0.0) * dot
}

/// Writes a line of text; what lies beyond the border is left out.
pub(crate) fn write(image: &mut Image, pen: Pen, text: &str) {
    for (place, letter) in text.chars().enumerate() {
        let strokes = strokes(glyph(letter));
        write_letter(image, Pen { x: pen.x + place as f32 * ADVANCE * pen.dot, ..pen }, &strokes, STROKE, 1.0);
    }
}

/// Writes a line of text over a dark seam that keeps it readable on any ground.
pub(crate) fn write_with_seam(image: &mut Image, pen: Pen, text: &str, seam: Colour) {
    for (place, letter) in text.chars().enumerate() {
        let strokes = strokes(glyph(letter));
        let pen = Pen { x: pen.x + place as f32 * ADVANCE * pen.dot, colour: seam, ..pen };
        write_letter(image, pen, &strokes, STROKE + 0.9, 0.65);
    }
    write(image, pen, text);
}

/// A stroke from one dot to another (or the same), in dots.
type Stroke = [[f32; 2]; 2];

/// Joins neighbouring dots; diagonals only where no way around exists.
fn strokes(rows: [u8; 9]) -> Vec<Stroke> {
    let lit = |x: i32, y: i32| (0..5).contains(&x) && (0..9).contains(&y) && rows[y as usize] >> (4 - x) & 1 == 1;
    let dot = |x: i32, y: i32| [x as f32 + 0.5, y as f32 + 0.5];
    let mut strokes = Vec::new();
    for (x, y) in (0..9).flat_map(|y| (0..5).map(move |x| (x, y))).filter(|&(x, y)| lit(x, y)) {
        strokes.push([dot(x, y), dot(x, y)]);
        for (across, down) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
            let straight = across == 0 || down == 0;
            if lit(x + across, y + down) && (straight || !(lit(x + across, y) || lit(x, y + down))) {
                strokes.push([dot(x, y), dot(x + across, y + down)]);
            }
        }
    }
    strokes
}

fn write_letter(image: &mut Image, pen: Pen, strokes: &[Stroke], radius: f32, opacity: f32) {
    let clip = |from: f32, dots: f32, limit: usize| {
        let (low, high) = (from - 2.0 * pen.dot, from + (dots + 2.0) * pen.dot);
        (low.max(0.0) as usize).min(limit)..(high.max(0.0).ceil() as usize).min(limit)
    };
    for y in clip(pen.y, 9.0, image.height()) {
        for x in clip(pen.x, 5.0, image.width()) {
            let point = [(x as f32 + 0.5 - pen.x) / pen.dot, (y as f32 + 0.5 - pen.y) / pen.dot];
            let distance = strokes.iter().fold(f32::INFINITY, |least, stroke| least.min(distance(point, stroke)));
            let cover = ((radius - distance) * pen.dot + 0.5).clamp(0.0, 1.0);
            if cover > 0.0 {
                image.blend(x, y, pen.colour, cover * opacity);
            }
        }
    }
}

fn distance(point: [f32; 2], [from, to]: &Stroke) -> f32 {
    let (along, offset) = ([to[0] - from[0], to[1] - from[1]], [point[0] - from[0], point[1] - from[1]]);
    let squared = along[0] * along[0] + along[1] * along[1];
    let part = ((offset[0] * along[0] + offset[1] * along[1]) / squared.max(1e-6)).clamp(0.0, 1.0);
    (offset[0] - part * along[0]).hypot(offset[1] - part * along[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_lights_pixels_inside_its_width_and_survives_the_border() {
        let mut image = Image::new(40, 20, [0; 3]);
        let pen = Pen { x: 2.0, y: 3.0, dot: 1.0, colour: [1.0; 3] };
        write(&mut image, pen, "T");
        assert!(image.pixel(4, 6)[0] > 200 && image.pixel(2, 8)[0] == 0);
        write(&mut image, Pen { x: 30.0, y: 15.0, ..pen }, "beyond");
        assert_eq!(width("ab", 2.0), 22.0);
    }

    #[test]
    fn every_printable_letter_has_a_shape_of_its_own() {
        let shapes: std::collections::HashSet<[u8; 9]> = (' '..='~').map(glyph).collect();
        assert_eq!(shapes.len(), 95 - 1, "only 0 and O look alike");
    }
}
