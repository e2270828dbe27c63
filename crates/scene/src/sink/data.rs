//! Frames as data files, one per frame and format.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::{FrameSink, Shot, npz, obj, ply, vtk};
use crate::dimension::{Dim, Dimension};
use crate::draw::write_whole;
use crate::output::{Output, ParticleFormat, SurfaceFormat, VolumeFormat};
use crate::run::RunError;

/// A frame as the bytes of a file; none where there is nothing to write.
pub type Encode<const D: usize> = fn(&Shot<'_, D>) -> Option<Vec<u8>>;

/// Writes `NNNN.ext` into a folder.
#[derive(Clone, Debug)]
pub struct DataSink<const D: usize> {
    /// The folder, which must be there.
    pub folder: PathBuf,
    /// End of the names.
    pub extension: &'static str,
    /// One of so many frames.
    pub every: usize,
    /// What the files hold.
    pub encode: Encode<D>,
}

impl<const D: usize> FrameSink<D> for DataSink<D> {
    fn receive(&mut self, shot: &Shot<'_, D>) -> Result<ControlFlow<()>, RunError> {
        let number = shot.frame.number;
        if number.is_multiple_of(self.every)
            && let Some(bytes) = (self.encode)(shot)
        {
            let path = self.folder.join(format!("{number:04}.{}", self.extension));
            write_whole(&path, &bytes).map_err(RunError::file(&path))?;
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The sinks that a scene asks for, in `particles`, `surface` and `volume` of the run folder.
pub fn data_sinks<const D: usize>(output: &Output, run: &Path) -> Vec<DataSink<D>>
where
    Dim<D>: Dimension<D>,
{
    let mut sinks: Vec<DataSink<D>> = Vec::new();
    let mut add = |folder: &str, extension, encode| {
        sinks.push(DataSink { folder: run.join(folder), extension, every: output.every, encode });
    };
    for format in &output.particles {
        match format {
            ParticleFormat::Ply => add("particles", "ply", |shot| Some(ply::particles(shot))),
            ParticleFormat::Vtk => add("particles", "vtk", |shot| Some(vtk::particles(shot))),
            ParticleFormat::Npz => add("particles", "npz", |shot| Some(npz::particles(shot))),
        }
    }
    for format in &output.surface {
        match format {
            SurfaceFormat::Ply => add("surface", "ply", |shot| Some(ply::surface(&Dim::<D>::surface(shot)?))),
            SurfaceFormat::Obj => add("surface", "obj", |shot| Some(obj::surface(&Dim::<D>::surface(shot)?))),
        }
    }
    for format in &output.volume {
        match format {
            VolumeFormat::Vtk => add("volume", "vtk", |shot| Some(vtk::fields(shot))),
        }
    }
    sinks
}

/// Three components of a vector of the plane or of space.
pub(super) fn in_space<const D: usize>(vector: &[f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| vector.get(axis).copied().unwrap_or(0.0))
}
