//! Files that list the files of a sequence: `.pvd` and the USD stage.

use std::path::Path;

use unstick_files::usd::{self, Stage};
use unstick_files::{Series, vtk, write_atomic};

use super::{Shot, world};
use crate::dimension::{Dim, Dimension};
use crate::run::RunError;

/// What lists a sequence. Made of the files that are there, so that it never names one that is not.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// `NAME.pvd` beside the folder, named after it.
    Pvd {
        /// Seconds from frame to frame.
        frame_seconds: f64,
    },
    /// `stage.usda` beside the folder.
    Usd {
        /// What the stage says of itself.
        stage: Stage,
    },
}

impl Index {
    /// Writes what goes with a sequence and does not change with the frames.
    pub(super) fn begin<const D: usize>(&self, series: &Series, shot: &Shot<'_, D>) -> Result<(), RunError>
    where
        Dim<D>: Dimension<D>,
    {
        if let (Self::Usd { .. }, Some(shot)) = (self, Dim::<D>::space(shot)) {
            let put = |name: &str, bytes: Vec<u8>| {
                let path = series.folder.join(name);
                write_atomic(&path, &bytes).map_err(RunError::file(&path))
            };
            put("world.usda", usd::world(&world::world(shot.simulation)))?;
            put("manifest.usda", usd::manifest(world::names(shot.simulation).iter().map(String::as_str)))?;
        }
        Ok(())
    }

    /// Lists the frames that are there, up to `last`.
    pub(super) fn write(&self, series: &Series, last: usize) -> Result<(), RunError> {
        let mut numbers = series.numbers().map_err(RunError::file(&series.folder))?;
        numbers.retain(|&number| number <= last);
        let folder = series.folder.file_name().unwrap_or_default().to_string_lossy();
        let parent = series.folder.parent().unwrap_or(Path::new("."));
        let (path, bytes) = match self {
            Self::Pvd { frame_seconds } => {
                let entry =
                    |&number: &usize| (number as f64 * frame_seconds, format!("{folder}/{}", series.name(number)));
                (parent.join(format!("{folder}.pvd")), vtk::pvd(&numbers.iter().map(entry).collect::<Vec<_>>()))
            }
            Self::Usd { stage } => {
                let entry = |&number: &usize| (number, format!("./{folder}/{}", series.name(number)));
                (parent.join("stage.usda"), usd::stage(stage, &numbers.iter().map(entry).collect::<Vec<_>>()))
            }
        };
        write_atomic(&path, &bytes).map_err(RunError::file(&path))
    }
}
