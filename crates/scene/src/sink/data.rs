//! Frames as data files, one per frame and format.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use unstick_files::usd::{Stage, World};
use unstick_files::{Points, Series, Surface, gltf, npz, obj, ply, usd, vtk, write_atomic};

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
            index.begin(&self.folder)?;
            index.write(&self.folder, self.kind, &self.series, last)?;
        }
        self.series.remove_after(Some(last)).map_err(RunError::file(folder))
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
        if scene.is_shared && request.format == ParticleFormat::Vtp {
            continue; // each process writes its piece
        }
        let thin = request.thin;
        let points = |encode: fn(&Points<'_, D>) -> Vec<u8>| -> Encode<D> {
            Box::new(move |frame| Some(encode(&values::points(frame, thin))))
        };
        let (index, encode) = match request.format {
            ParticleFormat::Ply => (None, points(ply::points)),
            ParticleFormat::Vtk => (None, points(vtk::legacy_points)),
            ParticleFormat::Vtp => (pvd(), points(vtk::points)),
            ParticleFormat::Npz => (None, points(npz::points)),
        };
        add(DataKind::Particles, request.format.extension(), request.schedule, index, encode);
    }
    let mesh = |encode: fn(&Surface) -> Vec<u8>| -> Encode<D> {
        Box::new(move |frame| Some(encode(&surface(frame.in_space()?))))
    };
    for request in &scene.output.surface {
        let (index, encode) = match request.format {
            SurfaceFormat::Ply => (None, mesh(ply::surface)),
            SurfaceFormat::Obj => (None, mesh(obj::surface)),
            SurfaceFormat::Glb => (None, mesh(gltf::surface)),
            SurfaceFormat::Vtp => (pvd(), mesh(vtk::surface)),
            SurfaceFormat::Usd => {
                let Some(scene) = scene.in_space() else { continue };
                let movers = Movers::of(scene);
                let encode = move |frame: &Frame<D>| {
                    let frame = frame.in_space()?;
                    Some(usd::frame(frame.number, &surface(frame), &movers.poses(frame)))
                };
                (Some(Index::Usd { stage: stage(scene), world: world(scene) }), Box::new(encode) as Encode<D>)
            }
        };
        add(DataKind::Surface, request.format.extension(), request.schedule, index, encode);
    }
    for request in &scene.output.volume {
        if scene.is_shared && request.format == VolumeFormat::Vti {
            continue;
        }
        let options = scene.output.vdb.clone();
        let (index, encode): (_, Encode<D>) = match request.format {
            VolumeFormat::Vtk => (None, Box::new(|frame| Some(vtk::legacy_fields(&values::fields(frame))))),
            VolumeFormat::Vti => (pvd(), Box::new(|frame| Some(vtk::fields(&values::fields(frame))))),
            VolumeFormat::Vdb => (None, Box::new(move |frame| Some(values::vdb(frame.in_space()?, &options)))),
        };
        add(DataKind::Volume, request.format.extension(), request.schedule, index, encode);
    }
    sinks
}

/// What lists a sequence. It is made of the files that are there, so it never names one that is not.
pub(super) enum Index {
    /// `NAME.pvd` beside the folder, named after it.
    Pvd {
        /// Seconds from frame to frame.
        frame_seconds: f64,
    },
    /// `stage.usda` beside the folder, and what does not change in it.
    Usd { stage: Stage, world: World },
}

impl Index {
    /// Writes what does not change with the frames.
    fn begin(&self, folder: &RunFolder) -> Result<(), RunError> {
        let Self::Usd { world, .. } = self else { return Ok(()) };
        let put = |path: PathBuf, bytes: Vec<u8>| write_atomic(&path, &bytes).map_err(RunError::file(&path));
        put(folder.usd_world(), usd::world(world))?;
        put(folder.usd_manifest(), usd::manifest(world.objects.iter().map(|object| object.name.as_str())))
    }

    /// Lists the frames that are there, up to `last`.
    pub(super) fn write(
        &self,
        folder: &RunFolder,
        kind: DataKind,
        series: &Series,
        last: usize,
    ) -> Result<(), RunError> {
        // A run may have gone on with pieces, or without.
        let twin = match series.extension {
            "vti" => Some("pvti"),
            "pvti" => Some("vti"),
            "vtp" => Some("pvtp"),
            "pvtp" => Some("vtp"),
            _ => None,
        };
        let twin = twin.map(|extension| Series { extension, ..series.clone() });
        let mut files: Vec<(usize, String)> = Vec::new();
        for series in [series].into_iter().chain(&twin) {
            let numbers = series.numbers().map_err(RunError::file(&series.folder))?;
            let name = |number: usize| format!("{}/{}", kind.name(), series.name(number));
            let found =
                numbers.into_iter().filter(|&number| number <= last && files.iter().all(|file| file.0 != number));
            let found: Vec<_> = found.map(|number| (number, name(number))).collect();
            files.extend(found);
        }
        files.sort();
        let (path, bytes) = match self {
            Self::Pvd { frame_seconds } => {
                let entry = |(number, name)| (number as f64 * frame_seconds, name);
                (folder.pvd(kind), vtk::pvd(&files.into_iter().map(entry).collect::<Vec<_>>()))
            }
            Self::Usd { stage, .. } => {
                let entry = |(number, name)| (number, format!("./{name}"));
                (folder.usd_stage(), usd::stage(stage, &files.into_iter().map(entry).collect::<Vec<_>>()))
            }
        };
        write_atomic(&path, &bytes).map_err(RunError::file(&path))
    }
}

fn stage(scene: &RunScene<3>) -> Stage {
    Stage {
        title: scene.title.clone(),
        frame_seconds: scene.frame_seconds,
        world: "./surface/world.usda".into(),
        manifest: "./surface/manifest.usda".into(),
    }
}
