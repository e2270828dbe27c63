//! Frames as data files, one per frame and format.

use std::ops::ControlFlow;
use std::path::Path;

use unstick_files::usd::Stage;
use unstick_files::{Series, gltf, npz, obj, ply, usd, vtk, write_atomic};

use super::{FrameSink, Index, Shot, surface, values, world};
use crate::dimension::{Dim, Dimension};
use crate::output::{ParticleFormat, Schedule, SurfaceFormat, VolumeFormat};
use crate::run::RunError;
use crate::scene::Scene;

/// A frame as the bytes of a file; none where there is nothing to write.
pub type Encode<const D: usize> = Box<dyn Fn(&Shot<'_, D>) -> Option<Vec<u8>> + Send>;

/// Writes `NNNN.ext` into a folder, and keeps the file that lists them up to date.
pub struct DataSink<const D: usize> {
    /// The files.
    pub series: Series,
    /// Of which frames.
    pub schedule: Schedule,
    /// What the files hold.
    pub encode: Encode<D>,
    /// What lists them.
    pub index: Option<Index>,
}

impl<const D: usize> DataSink<D>
where
    Dim<D>: Dimension<D>,
{
    /// Makes the folder. What lies there of frames after `last` will be written again: it is taken off the
    /// list first, then removed, so that a list never names what is not there.
    pub fn begin(&self, shot: &Shot<'_, D>, last: usize) -> Result<(), RunError> {
        let folder = &self.series.folder;
        std::fs::create_dir_all(folder).map_err(RunError::file(folder))?;
        if let Some(index) = &self.index {
            index.begin(&self.series, shot)?;
            index.write(&self.series, last)?;
        }
        for number in self.series.numbers().map_err(RunError::file(folder))?.into_iter().filter(|&number| number > last)
        {
            let path = self.series.path(number);
            std::fs::remove_file(&path).map_err(RunError::file(&path))?;
        }
        Ok(())
    }
}

impl<const D: usize> FrameSink<D> for DataSink<D>
where
    Dim<D>: Dimension<D>,
{
    fn receive(&mut self, shot: &Shot<'_, D>) -> Result<ControlFlow<()>, RunError> {
        let number = shot.frame.number;
        if self.schedule.takes(number)
            && let Some(bytes) = (self.encode)(shot)
        {
            let path = self.series.path(number);
            write_atomic(&path, &bytes).map_err(RunError::file(&path))?;
            if let Some(index) = &self.index {
                index.write(&self.series, usize::MAX)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The sinks that a scene asks for, in `particles`, `surface` and `volume` of the run folder.
pub fn data_sinks<const D: usize>(scene: &Scene<D>, run: &Path) -> Vec<DataSink<D>>
where
    Dim<D>: Dimension<D>,
{
    let mut sinks: Vec<DataSink<D>> = Vec::new();
    let pvd = Some(Index::Pvd { frame_seconds: scene.frame });
    let mut add = |folder: &str, extension, schedule, index: Option<Index>, encode: Encode<D>| {
        sinks.push(DataSink { series: Series { folder: run.join(folder), extension }, schedule, encode, index });
    };
    for wish in &scene.output.particles {
        let (thin, schedule) = (wish.thin, wish.schedule);
        let (extension, index, encode): (_, _, Encode<D>) = match wish.format {
            ParticleFormat::Ply => ("ply", None, Box::new(move |shot| Some(ply::points(&values::points(shot, thin))))),
            ParticleFormat::Vtk => {
                ("vtk", None, Box::new(move |shot| Some(vtk::legacy_points(&values::points(shot, thin)))))
            }
            ParticleFormat::Vtp => {
                ("vtp", pvd.clone(), Box::new(move |shot| Some(vtk::points(&values::points(shot, thin)))))
            }
            ParticleFormat::Npz => ("npz", None, Box::new(move |shot| Some(npz::points(&values::points(shot, thin))))),
        };
        add("particles", extension, schedule, index, encode);
    }
    for wish in &scene.output.surface {
        let (extension, index, encode): (_, _, Encode<D>) = match wish.format {
            SurfaceFormat::Ply => ("ply", None, Box::new(|shot| Some(ply::surface(&Dim::<D>::surface(shot)?)))),
            SurfaceFormat::Obj => ("obj", None, Box::new(|shot| Some(obj::surface(&Dim::<D>::surface(shot)?)))),
            SurfaceFormat::Glb => ("glb", None, Box::new(|shot| Some(gltf::surface(&Dim::<D>::surface(shot)?)))),
            SurfaceFormat::Vtp => ("vtp", pvd.clone(), Box::new(|shot| Some(vtk::surface(&Dim::<D>::surface(shot)?)))),
            SurfaceFormat::Usd => (
                "usda",
                Some(stage(scene)),
                Box::new(|shot| {
                    let shot = Dim::<D>::space(shot)?;
                    Some(usd::frame(shot.frame.number, &surface(&shot), &world::poses(shot.simulation)))
                }),
            ),
        };
        add("surface", extension, wish.schedule, index, encode);
    }
    for wish in &scene.output.volume {
        let options = scene.output.vdb.clone();
        let (extension, index, encode): (_, _, Encode<D>) = match wish.format {
            VolumeFormat::Vtk => ("vtk", None, Box::new(|shot| Some(vtk::legacy_fields(&values::fields(shot))))),
            VolumeFormat::Vti => ("vti", pvd.clone(), Box::new(|shot| Some(vtk::fields(&values::fields(shot))))),
            VolumeFormat::Vdb => {
                ("vdb", None, Box::new(move |shot| Some(values::vdb(&Dim::<D>::space(shot)?, &options))))
            }
        };
        add("volume", extension, wish.schedule, index, encode);
    }
    sinks
}

fn stage<const D: usize>(scene: &Scene<D>) -> Index {
    let stage = Stage {
        title: scene.title.clone(),
        frame_seconds: scene.frame,
        world: "./surface/world.usda".into(),
        manifest: "./surface/manifest.usda".into(),
    };
    Index::Usd { stage }
}
