//! Frames as PNG.

use std::ops::ControlFlow;
use std::path::PathBuf;

use super::{FrameSink, Shot};
use crate::dimension::{Dim, Dimension};
use crate::run::RunError;
use crate::scene::Scene;

/// How pictures of a scene look; the same for all its frames, lest colours flicker.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Width in pixels.
    pub width: usize,
    /// The speed at the bright end of the colours, in m/s.
    pub fastest: f64,
    /// Whether plane liquid is shaded by pressure.
    pub pressure: bool,
}

impl Look {
    /// What suits a scene.
    pub fn of<const D: usize>(scene: &Scene<D>) -> Self {
        let output = &scene.output;
        Self { width: output.width, fastest: scene.typical_speed(), pressure: output.pressure }
    }
}

/// Writes `NNNN.png` into a folder.
#[derive(Clone, Debug)]
pub struct PictureSink {
    /// The folder, which must be there.
    pub folder: PathBuf,
    /// How pictures look.
    pub look: Look,
}

impl<const D: usize> FrameSink<D> for PictureSink
where
    Dim<D>: Dimension<D>,
{
    fn receive(&mut self, shot: &Shot<'_, D>) -> Result<ControlFlow<()>, RunError> {
        let image = Dim::<D>::draw(shot.frame, &self.look);
        image.write_png(&self.folder.join(format!("{:04}.png", shot.frame.number)))?;
        Ok(ControlFlow::Continue(()))
    }
}
