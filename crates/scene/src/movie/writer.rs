//! Animated PNG, frame after frame.

use std::{
    io::{BufWriter, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use unstick_files::AtomicFile;

use super::{MovieError, chunks};
use crate::draw::{Compression, Image};

/// Frames per second, as the fraction the format wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRate {
    /// How long a frame stays: this many…
    numerator: u16,
    /// … parts of a second, of which there are this many.
    denominator: u16,
}

impl FrameRate {
    /// A frame rate above 0.01 and at most 1000 frames per second.
    pub fn per_second(rate: f64) -> Result<Self, MovieError> {
        if !(rate > 0.01 && rate <= 1000.0) {
            return Err(MovieError::FrameRate(rate));
        }
        if rate.fract() == 0.0 {
            return Ok(Self { numerator: 1, denominator: rate as u16 });
        }
        // The finest fraction of either kind that fits into 16 bits.
        Ok(if rate >= 1.0 {
            let numerator = (60_000.0 / rate).floor();
            Self { numerator: numerator as u16, denominator: (numerator * rate).round() as u16 }
        } else {
            let denominator = (60_000.0 * rate).floor();
            Self { numerator: (denominator / rate).round() as u16, denominator: denominator as u16 }
        })
    }
}

/// Place of the number of frames: after signature (8), header (25), and length and kind of its own piece (8).
const COUNT_PIECE: u64 = 8 + 25;

/// Writes an animated PNG. Plays for ever; players that know stills only show the first frame.
///
/// The number of frames need not be known beforehand. Dropped without
/// [`finish`](Self::finish), it leaves nothing behind.
#[derive(Debug)]
pub struct MovieWriter {
    path: PathBuf,
    file: BufWriter<AtomicFile>,
    rate: FrameRate,
    /// Header of the first frame: the others must have the same.
    header: Option<Vec<u8>>,
    frames: u32,
    /// Number of the next piece that is numbered.
    sequence: u32,
}

impl MovieWriter {
    /// Starts a movie that will lie at `path`.
    pub fn create(path: &Path, rate: FrameRate) -> Result<Self, MovieError> {
        let file = AtomicFile::create(path).map_err(|source| MovieError::File { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), rate, header: None, frames: 0, sequence: 0 })
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.frames as usize
    }

    /// Appends a picture.
    pub fn push(&mut self, image: &Image) -> Result<(), MovieError> {
        self.push_png(&image.encode_png(Compression::default())?)
    }

    /// Appends the bytes of a PNG file, without unpacking its pixels.
    pub fn push_png(&mut self, png: &[u8]) -> Result<(), MovieError> {
        let still = chunks::take_apart(png).map_err(|reason| MovieError::NotPng { frame: self.frames(), reason })?;
        match &self.header {
            Some(first) if first != still.header => {
                let (found, expected) = (chunks::describe(still.header), chunks::describe(first));
                return Err(MovieError::Changed { frame: self.frames(), found, expected });
            }
            Some(_) => {}
            None => self.header = Some(still.header.to_vec()),
        }
        if self.frames as usize >= 1 << 30 {
            return Err(MovieError::TooLarge);
        }
        self.append(&still).map_err(|source| MovieError::File { path: self.path.clone(), source })
    }

    /// Writes the end and the number of frames, and gives the file its name.
    ///
    /// Returns the number of frames.
    pub fn finish(self) -> Result<usize, MovieError> {
        if self.frames == 0 {
            return Err(MovieError::Empty { path: self.path });
        }
        let (path, frames) = (self.path.clone(), self.frames());
        self.seal().map_err(|source| MovieError::File { path, source })?;
        Ok(frames)
    }

    fn append(&mut self, still: &chunks::Still<'_>) -> std::io::Result<()> {
        if self.frames == 0 {
            self.file.write_all(&chunks::SIGNATURE)?;
            chunks::write(&mut self.file, b"IHDR", still.header)?;
            chunks::write(&mut self.file, b"acTL", &count(0))?;
        }
        let mut control = self.next_number().to_vec();
        control.extend_from_slice(&still.header[..8]); // width and height
        control.extend_from_slice(&[0; 8]); // at the upper left corner
        control.extend_from_slice(&self.rate.numerator.to_be_bytes());
        control.extend_from_slice(&self.rate.denominator.to_be_bytes());
        control.extend_from_slice(&[0, 0]); // leave it there; replace what was below
        chunks::write(&mut self.file, b"fcTL", &control)?;
        for pixels in &still.pixels {
            if self.frames == 0 {
                chunks::write(&mut self.file, b"IDAT", pixels)?;
            } else {
                let numbered = [&self.next_number(), *pixels].concat();
                chunks::write(&mut self.file, b"fdAT", &numbered)?;
            }
        }
        self.frames += 1;
        Ok(())
    }

    fn next_number(&mut self) -> [u8; 4] {
        self.sequence += 1;
        (self.sequence - 1).to_be_bytes()
    }

    fn seal(mut self) -> std::io::Result<()> {
        chunks::write(&mut self.file, b"IEND", &[])?;
        self.file.seek(SeekFrom::Start(COUNT_PIECE))?;
        chunks::write(&mut self.file, b"acTL", &count(self.frames))?;
        self.file.into_inner().map_err(std::io::IntoInnerError::into_error)?.commit()
    }
}

/// The number of frames, and 0 for: play for ever.
fn count(frames: u32) -> [u8; 8] {
    let [a, b, c, d] = frames.to_be_bytes();
    [a, b, c, d, 0, 0, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(shade: u8) -> Image {
        Image::new(20, 10, [shade, 0, 255 - shade])
    }

    #[test]
    fn a_movie_is_read_back_frame_by_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("movie.png");
        let mut movie = MovieWriter::create(&path, FrameRate::per_second(25.0).unwrap()).unwrap();
        for shade in [0, 100, 200] {
            movie.push(&picture(shade)).unwrap();
        }
        assert!(!path.exists(), "an unfinished movie has no name");
        assert_eq!(movie.finish().unwrap(), 3);

        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
        for shade in [0, 100, 200] {
            let mut pixels = vec![0; 600];
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(pixels, picture(shade).bytes());
            let control = reader.info().frame_control().unwrap();
            assert_eq!((control.delay_num, control.delay_den), (1, 25));
        }
    }

    #[test]
    fn a_picture_of_another_size_is_refused_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("movie.png");
        let mut movie = MovieWriter::create(&path, FrameRate::per_second(10.0).unwrap()).unwrap();
        movie.push(&picture(0)).unwrap();
        let error = movie.push(&Image::new(21, 10, [0; 3])).unwrap_err();
        assert!(error.to_string().contains("21 × 10") && error.to_string().contains("20 × 10"), "{error}");
        assert!(matches!(movie.push_png(b"no picture"), Err(MovieError::NotPng { frame: 1, .. })));
        drop(movie);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn frame_rates_become_fractions() {
        let fraction = |rate| {
            let rate = FrameRate::per_second(rate).unwrap();
            f64::from(rate.denominator) / f64::from(rate.numerator)
        };
        for rate in [1.0, 24.0, 29.97, 100.0, 0.5, 0.02, 999.5] {
            assert!((fraction(rate) / rate - 1.0).abs() < 1e-3, "{rate} became {}", fraction(rate));
        }
        assert!(FrameRate::per_second(0.0).is_err() && FrameRate::per_second(f64::NAN).is_err());
    }
}
