//! Where frames go: data files and the viewer's files, or a sink of your own.

mod contour;
mod data;
mod pieces;
mod values;
pub mod view;
mod world;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::frame::Frame;
use crate::run::RunError;

pub use contour::{Contour, contour_of};
pub use data::{DataSink, Encode, data_sinks};
pub use pieces::PieceContent;
pub(crate) use pieces::{PieceSink, piece_sinks, remove_pieces};
pub use unstick_files::Surface;
pub use values::{liquid_distance, surface, surface_of};

/// Receives the frames of a run in their order.
///
/// A sink is a type with one method. Add it with [`Run::add_sink`](crate::run::Run::add_sink). This one notes how high
/// the liquid reaches and ends the run when it has reached the ceiling:
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::atomic::AtomicBool;
/// use std::sync::{Arc, Mutex};
///
/// use unstick_scene::run::{AnyRunScene, Run, RunError};
/// use unstick_scene::sink::FrameSink;
/// use unstick_scene::{Frame, SceneFile};
///
/// struct Heights(Arc<Mutex<Vec<f64>>>);
///
/// impl FrameSink<2> for Heights {
///     fn receive(&mut self, frame: &Arc<Frame<2>>) -> Result<ControlFlow<()>, RunError> {
///         let height = frame.positions.iter().map(|[_, y]| *y).fold(0.0, f64::max);
///         self.0.lock().unwrap().push(height);
///         Ok(if height < 0.95 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
///     }
/// }
///
/// let mut file = SceneFile::find("dam-break")?;
/// file.set("grid.cells=[24,24]")?;
/// let AnyRunScene::Plane(scene) = AnyRunScene::of(&file, None)? else { unreachable!("a scene of the plane") };
/// let heights = Arc::new(Mutex::new(Vec::new()));
/// let mut run = Run::begin(scene)?;
/// run.add_sink(Heights(heights.clone()));
/// run.advance(&AtomicBool::new(false))?;
/// assert_eq!(heights.lock().unwrap().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FrameSink<const D: usize> {
    /// Takes a frame; `Break` asks the run to stop after it. Clone the `Arc` to keep the frame: that copies nothing.
    fn receive(&mut self, frame: &Arc<Frame<D>>) -> Result<ControlFlow<()>, RunError>;
}
