//! Movies from the frames in a folder: resumed runs get a whole one.

use std::path::{Path, PathBuf};

use super::{FrameRate, MovieError, MovieWriter};

/// The PNG files of a folder, in the order of their names (numbers as numbers: 9 before 10).
pub fn frames_in(folder: &Path) -> Result<Vec<PathBuf>, MovieError> {
    let refused = |source| MovieError::File { path: folder.to_owned(), source };
    let mut frames = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
            frames.push(path);
        }
    }
    frames.sort_by_cached_key(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (text, digits) = name.split_at(name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len());
        (text.to_owned(), digits.parse::<u64>().ok(), name)
    });
    Ok(frames)
}

/// Makes a movie of all PNG files of a folder; returns the number of frames.
///
/// Compressed pixels are copied as they are, which is as fast as the disk.
pub fn write_from_folder(folder: &Path, rate: FrameRate, movie: &Path) -> Result<usize, MovieError> {
    let mut frames = frames_in(folder)?;
    frames.retain(|frame| frame != movie); // a movie made before
    if frames.is_empty() {
        return Err(MovieError::Empty { path: folder.to_owned() });
    }
    let mut writer = MovieWriter::create(movie, rate)?;
    for path in frames {
        let png = std::fs::read(&path).map_err(|source| MovieError::File { path, source })?;
        writer.push_png(&png)?;
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Image;

    #[test]
    fn frames_are_taken_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for number in [10, 9, 100] {
            let image = Image::new(4, 4, [number; 3]);
            image.write_png(&folder.path().join(format!("frame-{number}.png"))).unwrap();
        }
        std::fs::write(folder.path().join("notes.txt"), "not a frame").unwrap();
        let names: Vec<_> =
            frames_in(folder.path()).unwrap().iter().map(|path| path.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["frame-9.png", "frame-10.png", "frame-100.png"]);

        let movie = folder.path().join("movie.apng");
        assert_eq!(write_from_folder(folder.path(), FrameRate::per_second(5.0).unwrap(), &movie).unwrap(), 3);
        assert_eq!(Image::read_png(&movie).unwrap().pixel(0, 0), [9; 3], "a still viewer shows the first frame");
    }

    #[test]
    fn a_folder_without_frames_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let rate = FrameRate::per_second(5.0).unwrap();
        let error = write_from_folder(folder.path(), rate, &folder.path().join("movie.png")).unwrap_err();
        assert!(matches!(error, MovieError::Empty { .. }), "{error}");
    }
}
