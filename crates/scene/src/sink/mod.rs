//! Where frames go: pictures, particles, surfaces, fields.

mod contour;
mod data;
mod index;
mod picture;
mod values;
pub mod view;
mod world;

use std::ops::ControlFlow;

use unstick_liquid::Simulation;

use crate::frame::Frame;
use crate::run::RunError;

pub use contour::{Contour, contour_of};
pub use data::{DataSink, Encode, data_sinks};
pub use index::Index;
pub use picture::{Look, PictureSink};
pub use unstick_files::Surface;
pub use values::{liquid_distance, surface, surface_of};

/// A frame and the simulation that it was taken of.
#[derive(Clone, Copy)]
pub struct Shot<'a, const D: usize> {
    /// What there is to see.
    pub frame: &'a Frame<D>,
    /// All there is.
    pub simulation: &'a Simulation<D>,
}

/// Receives frames in their order; may ask to stop.
pub trait FrameSink<const D: usize> {
    /// Takes a frame; `Break` asks the run to stop after it.
    fn receive(&mut self, shot: &Shot<'_, D>) -> Result<ControlFlow<()>, RunError>;
}
