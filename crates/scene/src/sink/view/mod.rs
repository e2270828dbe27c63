//! What the viewer in the browser plays: a few small files per frame.
//!
//! ```text
//!     view/scene.gz            once: the lattice, the ends of the colours, solids that do not move
//!     view/particles/NNNN.gz   every frame
//!     view/surface/NNNN.gz     every frame: a mesh in space, fields of the cells in the plane
//! ```
//!
//! The layers are files of their own so that a player fetches what it shows and nothing else. Every file is
//! gzip over one [`ViewPack`], described in `docs/guide-viewer.md`.

mod layers;
mod pack;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use unstick_liquid::Simulation;

use super::{FrameSink, Shot};
use crate::dimension::{Dim, Dimension};
use crate::run::RunError;
use crate::scene::Scene;
use pack::Pack;
use unstick_files::write_atomic;

pub(crate) use layers::{plane_fields, plane_solids, space_mesh, space_solids};
pub use pack::Pack as ViewPack;

/// The layers of a frame, which are the names of their folders.
pub const LAYERS: [&str; 2] = ["particles", "surface"];

/// More bytes than this, and a scene that does not ask for the viewer's files gets none.
const UNASKED: f64 = (1u64 << 30) as f64;

/// Writes the files of the viewer.
#[derive(Clone, Debug)]
pub struct ViewSink {
    folder: PathBuf,
}

impl ViewSink {
    /// Makes the folders in that of the run and writes what does not change.
    pub fn create<const D: usize>(run: &Path, scene: &Scene<D>, simulation: &Simulation<D>) -> Result<Self, RunError>
    where
        Dim<D>: Dimension<D>,
    {
        let folder = run.join("view");
        for layer in LAYERS {
            let path = folder.join(layer);
            std::fs::create_dir_all(&path).map_err(RunError::file(&path))?;
        }
        let fastest = scene.typical_speed();
        let mut pack = Pack::new(&scene.setup.grid, 0, simulation.state().time);
        pack.note("fastest", fastest);
        // ρ g H / 2 where the speed is that of a fall through the height H.
        pack.note("highest", 0.25 * scene.setup.density * fastest * fastest);
        if !moves(simulation) {
            Dim::<D>::view_solids(&scene.setup.grid, &simulation.geometry().solid, &mut pack);
        }
        write(&folder.join("scene.gz"), &pack)?;
        Ok(Self { folder })
    }
}

impl<const D: usize> FrameSink<D> for ViewSink
where
    Dim<D>: Dimension<D>,
{
    fn receive(&mut self, shot: &Shot<'_, D>) -> Result<ControlFlow<()>, RunError> {
        let frame = shot.frame;
        for layer in LAYERS {
            let mut pack = Pack::new(&frame.grid, frame.number, frame.time);
            match layer {
                "particles" => layers::particles(shot, &mut pack),
                _ => Dim::<D>::view_surface(shot, &mut pack),
            }
            layers::separated(frame, &mut pack);
            if moves(shot.simulation) {
                Dim::<D>::view_solids(&frame.grid, &frame.solid, &mut pack);
            }
            write(&self.folder.join(layer).join(format!("{:04}.gz", frame.number)), &pack)?;
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn moves<const D: usize>(simulation: &Simulation<D>) -> bool {
    simulation.setup().has_motion() || simulation.bodies().is_some()
}

fn write(path: &Path, pack: &Pack) -> Result<(), RunError> {
    pack.compress().and_then(|bytes| write_atomic(path, &bytes)).map_err(RunError::file(path))
}

impl<const D: usize> Scene<D> {
    /// Whether the files of the viewer are written: if asked for, or if nothing is said and they stay below
    /// about a gigabyte.
    pub fn is_viewed(&self) -> bool {
        self.output.view.unwrap_or_else(|| self.view_bytes() < UNASKED)
    }

    /// Bytes that the files of the viewer take in all, estimated before compression.
    fn view_bytes(&self) -> f64 {
        let grid = &self.setup.grid;
        let particles = self.particles_needed().min(layers::MOST_PARTICLES as f64) * (2 * D + 2) as f64;
        // In space twice a cross-section of the domain in vertices, each with two triangles.
        let surface = if D == 2 { 3.0 * grid.len() as f64 } else { 72.0 * (grid.len() as f64).powf(2.0 / 3.0) };
        (self.frames + 1) as f64 * (particles + surface)
    }
}
