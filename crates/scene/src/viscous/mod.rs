//! Scenes of viscous flow that fills a box, with bodies in it.
//!
//! ```
//! use unstick_scene::SceneFile;
//! use unstick_scene::viscous::AnyViscousScene;
//!
//! let mut file = SceneFile::find("cavity")?;
//! file.set("grid.refine=0.25")?;
//! let AnyViscousScene::Plane(scene) = file.viscous_scene()? else { unreachable!("a scene of the plane") };
//! let mut suspension = scene.suspension()?;
//! suspension.advance(scene.max_step)?;
//! assert!(suspension.flow().state().velocity[0].values().iter().any(|&speed| speed > 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod frame;
mod output;
mod scene;

pub(crate) use frame::lattice;
pub use output::{PathLines, ViscousOutput};
pub use scene::{AnyViscousScene, ViscousScene};
