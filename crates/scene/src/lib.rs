//! Scene files in, simulation built, frames and checkpoints out.
//!
//! ```
//! use unstick_scene::{AnyScene, Frame, SceneFile};
//!
//! let mut file = SceneFile::find("dam-break")?; // of the catalogue, or a path
//! file.set("grid.cells=[24,24]")?;
//! let AnyScene::Plane(scene) = file.scene()? else { unreachable!("a scene of the plane") };
//! let mut simulation = scene.simulation()?;
//! simulation.advance_to(2.0 * scene.frame)?;
//! let frame = Frame::of(&simulation, 2);
//! assert!(frame.speeds().any(|speed| speed > 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`run::Session`] does all of it: it computes frame by frame, writes a run folder, resumes it bit for bit, and
//! compares two runs side by side.

mod backing;
pub mod catalogue;
mod coming;
mod dimension;
pub mod draw;
pub mod file;
mod frame;
pub mod movie;
mod output;
pub mod report;
pub mod run;
mod scene;
pub mod schema;
pub mod sink;
pub mod viscous;
mod warning;

pub use backing::Backing;
pub use coming::ComingFrame;
pub use dimension::PlaneOrSpace;
pub use file::{SceneError, SceneFile};
pub use frame::{FlowFields, Frame};
pub use output::{FileRequest, Output, ParticleFormat, Schedule, SurfaceFormat, VdbOptions, VolumeFormat};
pub use scene::{AnyScene, Contacts, Scene};
pub use warning::{SceneWarning, WarningKind};
