//! Movies: pictures one after another in a file that every browser plays (animated PNG), and, where `ffmpeg` is
//! installed, in one that every player plays. The file appears under its name when it is complete.

mod chunks;

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use unstick_files::{AtomicFile, Series};

/// A movie that could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MovieError {
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    File {
        /// The file in question.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that is not a whole PNG.
    #[error("{} is not a PNG: {reason}", path.display())]
    NotPng {
        /// The picture.
        path: PathBuf,
        /// What was expected.
        reason: &'static str,
    },
    /// A picture that differs from the first one in size or kind.
    #[error("{} has {found}, the first one has {expected}", path.display())]
    Changed {
        /// The picture.
        path: PathBuf,
        /// Size and kind of it.
        found: String,
        /// Size and kind of the first one.
        expected: String,
    },
    /// There is nothing to show.
    #[error("{}: no frames", .0.display())]
    Empty(PathBuf),
    /// A frame rate that is not one.
    #[error("{0} frames per second: expected a number above 0.01 and at most 1000")]
    FrameRate(f64),
    /// `ffmpeg` is there but failed.
    #[error("ffmpeg could not write {}: {message}", path.display())]
    Ffmpeg {
        /// The movie.
        path: PathBuf,
        /// The end of what it said.
        message: String,
    },
}

impl MovieError {
    fn file(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source }
    }
}

/// Makes an animated PNG of pictures, at so many per second. It plays for ever; what knows stills only shows the first.
///
/// Compressed pixels are copied as they are, which is as fast as the disk.
pub fn write_apng(pictures: &Series, rate: f64, movie: &Path) -> Result<(), MovieError> {
    let delay = delay(rate)?;
    let numbers = pictures.numbers().map_err(MovieError::file(&pictures.folder))?;
    if numbers.is_empty() {
        return Err(MovieError::Empty(pictures.folder.clone()));
    }
    let refused = MovieError::file(movie);
    let file = BufWriter::new(AtomicFile::create(movie).map_err(&refused)?);
    let mut writer = ApngWriter { file, delay, frames: numbers.len() as u32, header: None, sequence: 0 };
    for number in numbers {
        let path = pictures.path(number);
        let png = std::fs::read(&path).map_err(MovieError::file(&path))?;
        let still = chunks::take_apart(&png).map_err(|reason| MovieError::NotPng { path: path.clone(), reason })?;
        match &writer.header {
            Some(first) if first != still.header => {
                let (found, expected) = (chunks::describe(still.header), chunks::describe(first));
                return Err(MovieError::Changed { path, found, expected });
            }
            _ => writer.append(&still).map_err(&refused)?,
        }
    }
    writer.finish().map_err(&refused)
}

/// How long a picture stays: so many parts of a second, of which there are so many.
fn delay(rate: f64) -> Result<[u16; 2], MovieError> {
    if !(rate > 0.01 && rate <= 1000.0) {
        return Err(MovieError::FrameRate(rate));
    }
    if rate.fract() == 0.0 {
        return Ok([1, rate as u16]);
    }
    // The finest fraction of either kind that fits into 16 bits.
    Ok(if rate >= 1.0 {
        let parts = (60_000.0 / rate).floor();
        [parts as u16, (parts * rate).round() as u16]
    } else {
        let parts = (60_000.0 * rate).floor();
        [(parts / rate).round() as u16, parts as u16]
    })
}

struct ApngWriter {
    file: BufWriter<AtomicFile>,
    delay: [u16; 2],
    frames: u32,
    /// That of the first picture: the others must have the same.
    header: Option<Vec<u8>>,
    /// Number of the next piece that is numbered.
    sequence: u32,
}

impl ApngWriter {
    fn append(&mut self, still: &chunks::Still<'_>) -> io::Result<()> {
        let is_first = self.header.is_none();
        if is_first {
            self.header = Some(still.header.to_vec());
            self.file.write_all(&chunks::SIGNATURE)?;
            chunks::write(&mut self.file, b"IHDR", still.header)?;
            let plays = 0u32; // for ever
            chunks::write(&mut self.file, b"acTL", &[self.frames, plays].map(u32::to_be_bytes).concat())?;
        }
        let mut control = self.next_number().to_vec();
        control.extend_from_slice(&still.header[..8]); // width and height
        control.extend_from_slice(&[0; 8]); // at the upper left corner
        control.extend_from_slice(&self.delay.map(u16::to_be_bytes).concat());
        control.extend_from_slice(&[0, 0]); // leave it there; replace what was below
        chunks::write(&mut self.file, b"fcTL", &control)?;
        for pixels in &still.pixels {
            if is_first {
                chunks::write(&mut self.file, b"IDAT", pixels)?;
            } else {
                let numbered = [&self.next_number(), *pixels].concat();
                chunks::write(&mut self.file, b"fdAT", &numbered)?;
            }
        }
        Ok(())
    }

    fn next_number(&mut self) -> [u8; 4] {
        self.sequence += 1;
        (self.sequence - 1).to_be_bytes()
    }

    fn finish(mut self) -> io::Result<()> {
        chunks::write(&mut self.file, b"IEND", &[])?;
        self.file.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
    }
}

/// Makes an MP4 (H.264, 4:2:0) of pictures, at so many per second.
///
/// Returns false, and does nothing, when there is no `ffmpeg` on the path. An odd side loses nothing:
/// it is padded by one line, as the format wants.
pub fn write_mp4(pictures: &Series, rate: f64, movie: &Path) -> Result<bool, MovieError> {
    delay(rate)?;
    let refused = MovieError::file(movie);
    let unfinished = AtomicFile::create(movie).map_err(&refused)?;
    let outcome = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-framerate"])
        .arg(rate.to_string())
        .arg("-i")
        .arg(pictures.folder.join(pictures.pattern()))
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18"])
        .args(["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"])
        .arg(unfinished.temporary_path())
        .stdin(Stdio::null())
        .output();
    let output = match outcome {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(refused(source)),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = said.trim().lines().collect();
        let message = lines[lines.len().saturating_sub(3)..].join("; ");
        return Err(MovieError::Ffmpeg { path: movie.to_owned(), message });
    }
    unfinished.commit().map_err(refused)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Image;

    /// Pictures of these sizes and shades.
    fn pictures(folder: &Path, each: &[(usize, u8)]) -> Series {
        let series = Series { folder: folder.join("frames"), extension: "png" };
        std::fs::create_dir(&series.folder).unwrap();
        for (number, &(width, shade)) in (0..).zip(each) {
            Image::new(width, 10, [shade, 0, 255 - shade]).write_png(&series.path(number)).unwrap();
        }
        series
    }

    #[test]
    fn a_movie_is_read_back_frame_by_frame() {
        let folder = tempfile::tempdir().unwrap();
        let shades = [0, 100, 200, 250];
        let series = pictures(folder.path(), &shades.map(|shade| (20, shade)));
        std::fs::write(series.folder.join("notes.txt"), "not a frame").unwrap();
        let path = folder.path().join("movie.png");
        write_apng(&series, 25.0, &path).unwrap();
        assert_eq!(Image::read_png(&path).unwrap().pixel(0, 0), [0, 0, 255], "a still viewer shows the first frame");
        let file = io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 4);
        for shade in shades {
            let mut pixels = vec![0; 600];
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(pixels, [shade, 0, 255 - shade].repeat(200));
            let control = reader.info().frame_control().unwrap();
            assert_eq!((control.delay_num, control.delay_den), (1, 25));
        }
    }

    #[test]
    fn a_picture_that_does_not_fit_is_named_and_no_movie_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let (series, path) = (pictures(folder.path(), &[(20, 0), (21, 0)]), folder.path().join("movie.png"));
        let refusal = || write_apng(&series, 10.0, &path).unwrap_err().to_string();
        assert!(refusal().contains("0001.png has 21 × 10") && refusal().contains("20 × 10"), "{}", refusal());
        std::fs::write(series.path(0), "no picture").unwrap();
        assert!(refusal().contains("0000.png is not a PNG"), "{}", refusal());
        let none = Series { folder: folder.path().to_owned(), ..series.clone() };
        assert!(matches!(write_apng(&none, 10.0, &path), Err(MovieError::Empty(_))));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the folder of the pictures");
    }

    #[test]
    fn frame_rates_become_fractions() {
        for rate in [1.0, 24.0, 29.97, 100.0, 0.5, 0.02, 999.5] {
            let [parts, of] = delay(rate).unwrap().map(f64::from);
            assert!((of / parts / rate - 1.0).abs() < 1e-3, "{rate} became {of} / {parts}");
        }
        assert!(delay(0.0).is_err() && delay(f64::NAN).is_err());
    }

    #[test]
    fn an_mp4_is_made_where_ffmpeg_is_and_nothing_where_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let series = pictures(folder.path(), &[(33, 0), (33, 80), (33, 160)]);
        let movie = folder.path().join("movie.mp4");
        match write_mp4(&series, 25.0, &movie) {
            Ok(made) => assert_eq!(made, movie.exists()),
            // An ffmpeg built without H.264 says so.
            Err(error) => assert!(matches!(error, MovieError::Ffmpeg { .. }), "{error}"),
        }
        assert!(write_mp4(&series, 0.0, &movie).is_err());
    }
}
