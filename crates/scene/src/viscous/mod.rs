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
mod scene;

use crate::draw::viscous::{Show, View};
use crate::output::Output;

pub(crate) use frame::lattice;
pub use scene::{AnyViscousScene, ViscousScene};

/// What is written, beside statistics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViscousOutput {
    /// Pictures, movie, checkpoints: as in any scene.
    pub common: Output,
    /// What the liquid shows. Default its speed.
    pub show: Show,
    /// The value at the bright end of the colours. Default: what the scene leads to expect.
    pub scale: Option<f64>,
    /// What is drawn in space. Default a slice, and the bodies beside it.
    pub view: View,
    /// Where the slice lies along the third axis. Default in the middle.
    pub slice: Option<f64>,
    /// Lower and upper corner of the part of the first two axes that slices show. Default all of it.
    pub window: Option<[[f64; 2]; 2]>,
    /// When `bodies.csv` gets lines. Default: after every step for a few bodies, else after every frame.
    pub bodies: Option<PathLines>,
}

/// When `bodies.csv` gets lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathLines {
    /// After every step.
    Step,
    /// After every frame.
    Frame,
}

impl PathLines {
    /// All, by name.
    pub const ALL: &'static [(&'static str, Self)] = &[("step", Self::Step), ("frame", Self::Frame)];

    /// Bodies up to whose number every step has lines.
    const FEW: usize = 16;

    /// What suits a number of bodies.
    pub(crate) fn suiting(bodies: usize) -> Self {
        if bodies <= Self::FEW { Self::Step } else { Self::Frame }
    }
}
