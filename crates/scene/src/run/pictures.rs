//! Pictures, drawn on a thread of their own while the next frame is computed.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::{RunError, RunFolder};
use crate::dimension::{Dim, Dimension};
use crate::draw::{DrawError, PictureStyle, beside, draw};
use crate::frame::Frame;

/// Draws frames of one run, or of two side by side, into `frames/` of a folder.
pub(super) struct Pictures {
    folder: RunFolder,
    style: PictureStyle,
    /// What to call each of the runs; one label for one run.
    captions: Vec<String>,
    drawing: Option<JoinHandle<Result<(), DrawError>>>,
}

impl Pictures {
    pub fn create(folder: &RunFolder, style: PictureStyle, captions: Vec<String>) -> Result<Self, RunError> {
        let frames = folder.pictures().folder;
        std::fs::create_dir_all(&frames).map_err(RunError::file(&frames))?;
        Ok(Self { folder: folder.clone(), style, captions, drawing: None })
    }

    /// Whether the picture of a frame is there.
    pub fn has(&self, number: usize) -> bool {
        self.folder.picture(number).exists()
    }

    /// Begins to draw a frame, when the one before is done.
    pub fn draw<const D: usize>(&mut self, frames: Vec<Arc<Frame<D>>>) -> Result<(), RunError>
    where
        Dim<D>: Dimension<D>,
    {
        self.wait()?;
        let Some(number) = frames.first().map(|frame| frame.number) else { return Ok(()) };
        let (path, style, captions) = (self.folder.picture(number), self.style.clone(), self.captions.clone());
        self.drawing = Some(std::thread::spawn(move || draw_beside(&frames, &style, &captions, path)));
        Ok(())
    }

    /// Waits until the picture that is being drawn is there.
    pub fn wait(&mut self) -> Result<(), RunError> {
        let Some(drawing) = self.drawing.take() else { return Ok(()) };
        Ok(drawing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?)
    }
}

impl Drop for Pictures {
    fn drop(&mut self) {
        if let Some(drawing) = self.drawing.take() {
            let _ = drawing.join();
        }
    }
}

fn draw_beside<const D: usize>(
    frames: &[Arc<Frame<D>>],
    style: &PictureStyle,
    captions: &[String],
    path: PathBuf,
) -> Result<(), DrawError>
where
    Dim<D>: Dimension<D>,
{
    let images: Vec<_> = frames.iter().map(|frame| draw(frame, style)).collect();
    let captions: Vec<&str> = captions.iter().map(String::as_str).collect();
    match images.as_slice() {
        [one] => one.write_png(&path),
        several => beside(several, &captions).write_png(&path),
    }
}
