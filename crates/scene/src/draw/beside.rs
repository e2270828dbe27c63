//! Pictures side by side.

use super::Image;
use super::colour::from_bytes;
use super::text::{self, Pen, dot_for};

/// Ground between and around the pictures.
const GROUND: [u8; 3] = [13, 17, 23];
const LETTERS: [u8; 3] = [222, 228, 235];
/// Pixels between two pictures.
const GAP: usize = 8;

/// Places pictures from left to right, each below its caption; tops are aligned.
///
/// The sides of the result are even, as video formats want them.
///
/// # Panics
/// When there is no picture, or the number of captions differs from that of the pictures.
pub fn beside(images: &[Image], captions: &[&str]) -> Image {
    assert!(!images.is_empty(), "no pictures to place side by side");
    assert_eq!(images.len(), captions.len(), "pictures (left) and captions (right)");
    let widest = images.iter().map(Image::width).max().unwrap_or(1);
    let dot = dot_for(widest);
    let strip = (16.0 * dot).round() as usize;
    let width = images.iter().map(Image::width).sum::<usize>() + GAP * (images.len() - 1);
    let height = strip + images.iter().map(Image::height).max().unwrap_or(1);
    let mut sheet = Image::new(width.next_multiple_of(2), height.next_multiple_of(2), GROUND);
    let mut x = 0;
    for (image, caption) in images.iter().zip(captions) {
        let shrunk = dot.min(dot * (image.width() as f32 - 8.0).max(1.0) / text::width(caption, dot).max(1.0));
        let left = x as f32 + 0.5 * (image.width() as f32 - text::width(caption, shrunk));
        let pen = Pen { x: left, y: 0.5 * (strip as f32 - 8.0 * shrunk), dot: shrunk, colour: from_bytes(LETTERS) };
        text::write(&mut sheet, pen, caption);
        sheet.paste(image, x, strip);
        x += image.width() + GAP;
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_keep_their_pixels_below_a_caption_strip() {
        let (red, blue) = (Image::new(41, 20, [200, 0, 0]), Image::new(30, 31, [0, 0, 200]));
        let sheet = beside(&[red, blue], &["sticking", "separating walls"]);
        assert_eq!((sheet.width(), sheet.height()), (80, 48));
        assert_eq!(sheet.pixel(0, 16), [200, 0, 0]);
        assert_eq!(sheet.pixel(41 + GAP, 46), [0, 0, 200]);
        assert_eq!(sheet.pixel(10, 40), GROUND);
        assert!(sheet.bytes()[..3 * 80 * 16].iter().any(|&byte| byte > 120), "captions are written");
    }

    #[test]
    #[should_panic(expected = "captions")]
    fn a_missing_caption_is_refused() {
        beside(&[Image::new(2, 2, [0; 3])], &[]);
    }
}
