//! Files that list the files of a sequence: `.pvd` and the USD stage.

use unstick_files::usd::{self, Stage, World};
use unstick_files::{Series, vtk, write_atomic};

use crate::run::{DataKind, RunError, RunFolder};

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
    pub fn begin(&self, series: &Series) -> Result<(), RunError> {
        let Self::Usd { world, .. } = self else { return Ok(()) };
        let put = |name: &str, bytes: Vec<u8>| {
            let path = series.folder.join(name);
            write_atomic(&path, &bytes).map_err(RunError::file(&path))
        };
        put("world.usda", usd::world(world))?;
        put("manifest.usda", usd::manifest(world.objects.iter().map(|object| object.name.as_str())))
    }

    /// Lists the frames that are there, up to `last`.
    pub fn write(&self, folder: &RunFolder, kind: DataKind, series: &Series, last: usize) -> Result<(), RunError> {
        let mut numbers = series.numbers().map_err(RunError::file(&series.folder))?;
        numbers.retain(|&number| number <= last);
        let name = |number: usize| format!("{}/{}", kind.name(), series.name(number));
        let (path, bytes) = match self {
            Self::Pvd { frame_seconds } => {
                let entry = |&number: &usize| (number as f64 * frame_seconds, name(number));
                (folder.pvd(kind), vtk::pvd(&numbers.iter().map(entry).collect::<Vec<_>>()))
            }
            Self::Usd { stage, .. } => {
                let entry = |&number: &usize| (number, format!("./{}", name(number)));
                (folder.usd_stage(), usd::stage(stage, &numbers.iter().map(entry).collect::<Vec<_>>()))
            }
        };
        write_atomic(&path, &bytes).map_err(RunError::file(&path))
    }
}
