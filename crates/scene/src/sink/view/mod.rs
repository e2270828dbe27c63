//! What the viewer in the browser plays: a few small files per frame.
//!
//! ```text
//!     view/scene.gz            once: the lattice, the ends of the colours, solids that do not move
//!     view/particles/NNNN.gz   every frame
//!     view/surface/NNNN.gz     every frame: a mesh in space, fields of the cells in the plane
//! ```
//!
//! The layers are separate files, so a player fetches only what it shows. Every file is gzip over one [`ViewPack`],
//! described in `docs/guide-viewer.md`. Of a viscous flow the particles are the centres of its bodies, and the mesh in
//! space is that of the bodies.

mod layers;
mod pack;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use unstick_files::write_atomic;
use unstick_grid::Grid;
use unstick_parallel as parallel;

use super::FrameSink;
use crate::frame::Frame;
use crate::run::{RunError, RunFolder, RunScene};
use pack::Pack;

pub use pack::Pack as ViewPack;

/// The layers of a frame, which are the names of their folders.
pub const LAYERS: [&str; 2] = ["particles", "surface"];

/// Writes the viewer's files.
#[derive(Clone, Debug)]
pub struct ViewSink {
    folder: RunFolder,
    /// Whether solids come with every frame.
    has_motion: bool,
}

impl ViewSink {
    /// Makes the folders in that of the run and writes what does not change.
    pub fn create<const D: usize>(folder: &RunFolder, scene: &RunScene<D>, frame: &Frame<D>) -> Result<Self, RunError> {
        for layer in LAYERS {
            let path = folder.view_layer(layer).folder;
            std::fs::create_dir_all(&path).map_err(RunError::file(&path))?;
        }
        let mut pack = Pack::new(&frame.grid, 0, 0.0); // the same for a run that is resumed
        pack.note("fastest", scene.style.fastest);
        pack.note("highest", scene.highest_pressure);
        let has_motion = scene.has_motion();
        if !has_motion {
            layers::solids(frame, &mut pack);
        }
        write(&folder.view_scene(), &pack.compress())?;
        Ok(Self { folder: folder.clone(), has_motion })
    }
}

impl<const D: usize> FrameSink<D> for ViewSink {
    fn receive(&mut self, frame: &Arc<Frame<D>>) -> Result<ControlFlow<()>, RunError> {
        let pack = |layer: &str| {
            let mut pack = Pack::new(&frame.grid, frame.number, frame.time);
            match layer {
                "particles" => layers::particles(frame, &mut pack),
                _ => layers::surface(frame, &mut pack),
            }
            layers::separated(frame, &mut pack);
            if self.has_motion {
                layers::solids(frame, &mut pack);
            }
            pack.compress()
        };
        // One after the other: who looks at the folder sees a frame that has its last layer complete.
        let [first, last] = LAYERS;
        let packed = parallel::join(|| pack(first), || pack(last));
        for (layer, bytes) in LAYERS.into_iter().zip([packed.0, packed.1]) {
            write(&self.folder.view_layer(layer).path(frame.number), &bytes)?;
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    write_atomic(path, bytes).map_err(RunError::file(path))
}

/// Bytes of a frame of a liquid, estimated before compression.
pub(crate) fn liquid_bytes<const D: usize>(grid: &Grid<D>, particles: f64) -> f64 {
    let particles = particles.min(layers::MOST_PARTICLES as f64) * (2 * D + 2) as f64;
    // In space twice a cross-section of the domain in vertices, each with two triangles.
    let surface = if D == 2 { 3.0 * grid.len() as f64 } else { 72.0 * (grid.len() as f64).powf(2.0 / 3.0) };
    particles + surface
}

/// The same for a viscous flow.
pub(crate) fn flow_bytes<const D: usize>(grid: &Grid<D>, bodies: usize) -> f64 {
    // Solids come with both layers.
    liquid_bytes(grid, bodies as f64) * if D == 2 { 2.0 } else { 3.0 }
}
