//! Movies for players that want H.264.

use std::{
    io::ErrorKind,
    path::Path,
    process::{Command, Stdio},
};

use unstick_files::AtomicFile;

use super::MovieError;

/// Makes an MP4 (H.264, 4:2:0) of the frames `pattern` (as `frame-%06d.png`) in a folder.
///
/// Returns false, and does nothing, when there is no `ffmpeg` on the path. An odd side loses nothing:
/// it is padded by one line, as the format wants.
pub fn transcode_with_ffmpeg(folder: &Path, pattern: &str, rate: f64, movie: &Path) -> Result<bool, MovieError> {
    if !(rate > 0.01 && rate <= 1000.0) {
        return Err(MovieError::FrameRate(rate));
    }
    let refused = |source| MovieError::File { path: movie.to_owned(), source };
    let unfinished = AtomicFile::create(movie).map_err(refused)?;
    let outcome = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-framerate"])
        .arg(rate.to_string())
        .arg("-i")
        .arg(folder.join(pattern))
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

    #[test]
    fn a_movie_is_made_where_ffmpeg_is_and_nothing_where_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..3 {
            let image = Image::new(33, 32, [80 * number; 3]);
            image.write_png(&folder.path().join(format!("frame-{number:06}.png"))).unwrap();
        }
        let movie = folder.path().join("movie.mp4");
        match transcode_with_ffmpeg(folder.path(), "frame-%06d.png", 25.0, &movie) {
            Ok(made) => assert_eq!(made, movie.exists()),
            // An ffmpeg built without H.264 says so.
            Err(error) => assert!(matches!(error, MovieError::Ffmpeg { .. }), "{error}"),
        }
        assert!(transcode_with_ffmpeg(folder.path(), "frame-%06d.png", 0.0, &movie).is_err());
    }
}
