//! Text in pictures: dots joined to strokes, so that any size is smooth.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Image;
use super::colour::{Colour, from_bytes};

/// Dots from the start of one letter to that of the next.
const ADVANCE: f32 = 6.0;
/// Half the width of a stroke, in dots.
const STROKE: f32 = 0.5;

const LETTERS: [u8; 3] = [238, 242, 247];
const SEAM: Colour = [0.03, 0.04, 0.06];

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
    write_letters(image, pen, text, STROKE, 1.0);
}

/// Writes a line of text over a dark seam that keeps it readable on any ground.
fn write_with_seam(image: &mut Image, pen: Pen, text: &str) {
    write_letters(image, Pen { colour: SEAM, ..pen }, text, STROKE + 0.9, 0.65);
    write(image, pen, text);
}

/// Where words begin that end just above the lower border; the ceiling is what people look at.
fn last_line(image: &Image, dot: f32) -> f32 {
    (image.height() as f32 - 14.0 * dot).max(0.0)
}

/// Writes the time into the lower left corner.
pub(super) fn stamp(image: &mut Image, time: f64) {
    let dot = dot_for(image.width());
    let pen = Pen { x: 5.0 * dot, y: last_line(image, dot), dot, colour: from_bytes(LETTERS) };
    write_with_seam(image, pen, &format!("t = {time:.2} s"));
}

/// Draws colours into the lower right corner, and what the last of them means.
pub(super) fn draw_scale(image: &mut Image, table: &[Colour], label: &str) {
    let dot = dot_for(image.width());
    let (bar, high, margin) = ((60.0 * dot) as usize, (5.0 * dot) as usize, 5.0 * dot);
    let left = image.width() as f32 - margin - width(label, dot);
    let line = last_line(image, dot);
    let pen = Pen { x: left, y: line, dot, colour: from_bytes(LETTERS) };
    write_with_seam(image, pen, label);
    let Some(start) = ((left - 3.0 * dot) as usize).checked_sub(bar) else { return };
    let top = (line + dot) as usize;
    for row in top.saturating_sub(1)..(top + high + 1).min(image.height()) {
        for column in start.saturating_sub(1)..(start + bar + 1).min(image.width()) {
            let inside = (top..top + high).contains(&row) && (start..start + bar).contains(&column);
            let entry = 255 * column.saturating_sub(start) / bar;
            let (colour, opacity) = if inside { (table[entry.min(255)], 1.0) } else { (SEAM, 0.65) };
            image.blend(column, row, colour, opacity);
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

/// Pixels per dot of the letters that suit a picture.
pub(super) fn dot_for(width: usize) -> f32 {
    (width as f32 / 300.0).clamp(1.0, 6.0)
}

/// A stroke from one dot to another (or the same), in dots.
type Stroke = [[f32; 2]; 2];

/// Dots of the letters as one sees them, in blocks of nine lines below a line that names them; the last one stands for
/// all that are missing.
static LETTER_DOTS: LazyLock<HashMap<char, [u8; 9]>> = LazyLock::new(|| {
    let mut letters = HashMap::new();
    let lines: Vec<Vec<char>> = include_str!("letters.txt").lines().map(|line| line.chars().collect()).collect();
    for block in lines.chunks_exact(10) {
        for start in (0..block[0].len()).step_by(6) {
            let row =
                |line: &Vec<char>| (0..5).fold(0, |bits, x| bits << 1 | u8::from(line.get(start + x) == Some(&'#')));
            letters.insert(block[0][start], std::array::from_fn(|y| row(&block[1 + y])));
        }
    }
    letters
});

/// Rows of a letter from top to bottom; the highest of the five bits is the leftmost dot.
fn glyph(letter: char) -> [u8; 9] {
    let drawn = match letter {
        '\u{a0}' => ' ',
        '’' => '\'',
        '—' | '−' => '–',
        '×' => 'x',
        letter => letter,
    };
    LETTER_DOTS.get(&drawn).or(LETTER_DOTS.get(&'\u{fffd}')).copied().unwrap_or_default()
}

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

fn write_letters(image: &mut Image, pen: Pen, text: &str, radius: f32, opacity: f32) {
    for (place, letter) in text.chars().enumerate() {
        let pen = Pen { x: pen.x + place as f32 * ADVANCE * pen.dot, ..pen };
        write_letter(image, pen, &strokes(glyph(letter)), radius, opacity);
    }
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
