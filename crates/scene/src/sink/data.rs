//! Frames as data files, one per frame and format.

use std::ops::ControlFlow;
use std::sync::Arc;

use unstick_files::usd::Stage;
use unstick_files::{Series, gltf, npz, obj, ply, usd, vtk, write_atomic};

use super::index::Index;
use super::world::{Movers, world};
use super::{FrameSink, surface, values};
use crate::frame::Frame;
use crate::output::{ParticleFormat, Schedule, SurfaceFormat, VolumeFormat};
use crate::run::{DataKind, RunError, RunFolder, RunScene};

/// A frame as the bytes of a file; none where there is nothing to write.
pub type Encode<const D: usize> = Box<dyn Fn(&Frame<D>) -> Option<Vec<u8>> + Send>;

/// Writes `NNNN.ext` into the folder of a kind of data, and keeps the file that lists them up to date.
pub struct DataSink<const D: usize> {
    folder: RunFolder,
    kind: DataKind,
    series: Series,
    schedule: Schedule,
    encode: Encode<D>,
    index: Option<Index>,
}

impl<const D: usize> DataSink<D> {
    /// Whether a frame is written.
    pub fn takes(&self, number: usize) -> bool {
        self.schedule.takes(number)
    }

    /// Makes the folder. Files of frames after `last` will be written again: they are taken off the list first, then
    /// removed, so that a list never names what is not there.
    pub fn begin(&self, last: usize) -> Result<(), RunError> {
        let folder = &self.series.folder;
        std::fs::create_dir_all(folder).map_err(RunError::file(folder))?;
        if let Some(index) = &self.index {
            index.begin(&self.series)?;
            index.write(&self.folder, self.kind, &self.series, last)?;
        }
        let numbers = self.series.numbers().map_err(RunError::file(folder))?;
        for number in numbers.into_iter().filter(|&number| number > last) {
            let path = self.series.path(number);
            std::fs::remove_file(&path).map_err(RunError::file(&path))?;
        }
        Ok(())
    }
}

impl<const D: usize> FrameSink<D> for DataSink<D> {
    fn receive(&mut self, frame: &Arc<Frame<D>>) -> Result<ControlFlow<()>, RunError> {
        if self.takes(frame.number)
            && let Some(bytes) = (self.encode)(frame)
        {
            let path = self.series.path(frame.number);
            write_atomic(&path, &bytes).map_err(RunError::file(&path))?;
            if let Some(index) = &self.index {
                index.write(&self.folder, self.kind, &self.series, usize::MAX)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The sinks that a scene asks for, in `particles`, `surface` and `volume` of the run folder.
pub fn data_sinks<const D: usize>(scene: &RunScene<D>, folder: &RunFolder) -> Vec<DataSink<D>> {
    let mut sinks: Vec<DataSink<D>> = Vec::new();
    let mut add = |kind, extension, schedule, index, encode| {
        let series = folder.data(kind, extension);
        sinks.push(DataSink { folder: folder.clone(), kind, series, schedule, encode, index });
    };
    let pvd = || Some(Index::Pvd { frame_seconds: scene.frame_seconds });
    for request in &scene.output.particles {
        let thin = request.thin;
        let (extension, index, encode): (_, _, Encode<D>) = match request.format {
            ParticleFormat::Ply => {
                ("ply", None, Box::new(move |frame| Some(ply::points(&values::points(frame, thin)))))
            }
            ParticleFormat::Vtk => {
                ("vtk", None, Box::new(move |frame| Some(vtk::legacy_points(&values::points(frame, thin)))))
            }
            ParticleFormat::Vtp => {
                ("vtp", pvd(), Box::new(move |frame| Some(vtk::points(&values::points(frame, thin)))))
            }
            ParticleFormat::Npz => {
                ("npz", None, Box::new(move |frame| Some(npz::points(&values::points(frame, thin)))))
            }
        };
        add(DataKind::Particles, extension, request.schedule, index, encode);
    }
    for request in &scene.output.surface {
        let (extension, index, encode): (_, _, Encode<D>) = match request.format {
            SurfaceFormat::Ply => ("ply", None, Box::new(|frame| Some(ply::surface(&surface(frame.in_space()?))))),
            SurfaceFormat::Obj => ("obj", None, Box::new(|frame| Some(obj::surface(&surface(frame.in_space()?))))),
            SurfaceFormat::Glb => ("glb", None, Box::new(|frame| Some(gltf::surface(&surface(frame.in_space()?))))),
            SurfaceFormat::Vtp => ("vtp", pvd(), Box::new(|frame| Some(vtk::surface(&surface(frame.in_space()?))))),
            SurfaceFormat::Usd => {
                let Some(scene) = scene.in_space() else { continue };
                let movers = Movers::of(scene);
                let encode = move |frame: &Frame<D>| {
                    let frame = frame.in_space()?;
                    Some(usd::frame(frame.number, &surface(frame), &movers.poses(frame)))
                };
                ("usda", Some(Index::Usd { stage: stage(scene), world: world(scene) }), Box::new(encode))
            }
        };
        add(DataKind::Surface, extension, request.schedule, index, encode);
    }
    for request in &scene.output.volume {
        let options = scene.output.vdb.clone();
        let (extension, index, encode): (_, _, Encode<D>) = match request.format {
            VolumeFormat::Vtk => ("vtk", None, Box::new(|frame| Some(vtk::legacy_fields(&values::fields(frame))))),
            VolumeFormat::Vti => ("vti", pvd(), Box::new(|frame| Some(vtk::fields(&values::fields(frame))))),
            VolumeFormat::Vdb => ("vdb", None, Box::new(move |frame| Some(values::vdb(frame.in_space()?, &options)))),
        };
        add(DataKind::Volume, extension, request.schedule, index, encode);
    }
    sinks
}

fn stage(scene: &RunScene<3>) -> Stage {
    Stage {
        title: scene.title.clone(),
        frame_seconds: scene.frame_seconds,
        world: "./surface/world.usda".into(),
        manifest: "./surface/manifest.usda".into(),
    }
}
