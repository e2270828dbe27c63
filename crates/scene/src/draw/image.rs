//! A picture in memory, and its way to disk.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use unstick_files::write_atomic;

use super::colour::{Colour, blend_byte};

/// Pixels of red, green and blue, eight bits each; rows from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

/// A picture that could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The file system refused.
    #[error("{path}: {source}")]
    File {
        /// The file in question.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The picture could not be compressed.
    #[error("the picture could not be encoded: {0}")]
    Encode(#[from] png::EncodingError),
    /// The file is not a picture.
    #[error("{path}: {source}")]
    Decode {
        /// The file in question.
        path: PathBuf,
        /// What is wrong with it.
        source: png::DecodingError,
    },
    /// A picture of a kind that is not ours.
    #[error("{path}: expected a PNG of 8-bit red, green and blue, found {found}")]
    Kind {
        /// The file in question.
        path: PathBuf,
        /// The kind that was found.
        found: String,
    },
}

impl Image {
    /// A picture of one colour.
    ///
    /// # Panics
    /// When a side is zero or does not fit the format (2³¹).
    pub fn new(width: usize, height: usize, colour: [u8; 3]) -> Self {
        let sides = 1..(1usize << 31);
        assert!(sides.contains(&width) && sides.contains(&height), "a picture of {width} × {height} pixels");
        Self { width, height, pixels: colour.repeat(width * height) }
    }

    /// Pixels from left to right.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels from top to bottom.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All bytes, three per pixel.
    pub fn bytes(&self) -> &[u8] {
        &self.pixels
    }

    /// All bytes, three per pixel, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    /// The colour at a place, counted from the top left corner.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let start = self.start(x, y);
        [self.pixels[start], self.pixels[start + 1], self.pixels[start + 2]]
    }

    /// Moves the colour at a place towards `colour` by `opacity` ∈ [0, 1].
    #[inline]
    pub(crate) fn blend(&mut self, x: usize, y: usize, colour: Colour, opacity: f32) {
        let start = self.start(x, y);
        for (byte, target) in self.pixels[start..start + 3].iter_mut().zip(colour) {
            *byte = blend_byte(*byte, target, opacity);
        }
    }

    /// Draws a disc with a soft rim, as opaque as `opacity` says of each pixel; what lies beyond the border is left out.
    pub(crate) fn disc(
        &mut self,
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
        for row in range(y, self.height()) {
            for column in range(x, self.width()) {
                let (across, down) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
                let cover = (reach - (across * across + down * down).sqrt()).clamp(0.0, 1.0);
                if cover > 0.0 {
                    self.blend(column, row, colour, cover * opacity(column, row));
                }
            }
        }
    }

    /// Copies another picture onto this one, its top left corner at (`x`, `y`).
    pub(crate) fn paste(&mut self, other: &Image, x: usize, y: usize) {
        for (row, line) in other.pixels.chunks_exact(3 * other.width).enumerate() {
            let start = self.start(x, y + row);
            self.pixels[start..start + line.len()].copy_from_slice(line);
        }
    }

    /// The bytes of a PNG file.
    pub fn encode_png(&self) -> Result<Vec<u8>, DrawError> {
        let mut bytes = Vec::new();
        // The constructor has checked that both sides fit.
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes a PNG file. A reader of the path sees the old file or the complete new one.
    pub fn write_png(&self, path: &Path) -> Result<(), DrawError> {
        let bytes = self.encode_png()?;
        write_atomic(path, &bytes).map_err(|source| DrawError::File { path: path.to_owned(), source })
    }

    /// Reads a PNG file of 8-bit red, green and blue, as [`write_png`](Self::write_png) leaves it.
    pub fn read_png(path: &Path) -> Result<Self, DrawError> {
        let file = std::fs::File::open(path).map_err(|source| DrawError::File { path: path.to_owned(), source })?;
        let decode = |source| DrawError::Decode { path: path.to_owned(), source };
        let mut reader = png::Decoder::new(BufReader::new(file)).read_info().map_err(decode)?;
        let (kind, depth) = reader.output_color_type();
        if (kind, depth) != (png::ColorType::Rgb, png::BitDepth::Eight) {
            return Err(DrawError::Kind { path: path.to_owned(), found: format!("{kind:?}, {depth:?} bits") });
        }
        let (width, height) = (reader.info().width as usize, reader.info().height as usize);
        let mut pixels = vec![0; 3 * width * height];
        reader.next_frame(&mut pixels).map_err(decode)?;
        Ok(Self { width, height, pixels })
    }

    fn start(&self, x: usize, y: usize) -> usize {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y}) of a picture of {} × {}", self.width, self.height);
        3 * (y * self.width + x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_survives_the_way_to_disk_and_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut image = Image::new(7, 5, [10, 20, 30]);
        image.blend(3, 2, [1.0, 0.0, 0.0], 1.0);
        let path = folder.path().join("picture.png");
        image.write_png(&path).unwrap();
        assert_eq!(Image::read_png(&path).unwrap(), image);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = Image::new(1, 1, [0; 3]).write_png(Path::new("/nowhere/at/all.png")).unwrap_err();
        assert!(error.to_string().starts_with("/nowhere/at/all.png"), "{error}");
    }
}
