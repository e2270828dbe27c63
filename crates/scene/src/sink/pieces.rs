//! Frames whose pieces many processes write, each its own, and a list of them.
//!
//! ```text
//!     volume/0007.pvti            the list
//!     volume/pieces/0007/0.vti    the piece of the first process
//! ```

use std::path::Path;

use unstick_files::{Series, vtk, write_atomic};
use unstick_grid::Grid;

use super::data::Index;
use super::values;
use crate::frame::Frame;
use crate::output::{ParticleFormat, Schedule, VolumeFormat};
use crate::run::{DataKind, RunError, RunFolder, RunScene, Stepper};

/// What a piece holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceContent {
    /// Fields of cells and nodes.
    Fields,
    /// Particles.
    Particles {
        /// One of so many.
        thin: usize,
    },
}

impl PieceContent {
    /// The name of the file of a process.
    pub(crate) fn name(self, rank: usize) -> String {
        match self {
            Self::Fields => format!("{rank}.vti"),
            Self::Particles { .. } => format!("{rank}.vtp"),
        }
    }

    /// A piece as the bytes of a file.
    pub(crate) fn encode<const D: usize>(self, frame: &Frame<D>) -> Vec<u8> {
        match self {
            Self::Fields => vtk::fields(&values::fields(frame)),
            Self::Particles { thin } => vtk::points(&values::points(frame, thin)),
        }
    }

    fn kind(self) -> DataKind {
        match self {
            Self::Fields => DataKind::Volume,
            Self::Particles { .. } => DataKind::Particles,
        }
    }
}

/// Lists the pieces of frames, which the simulation writes.
pub(crate) struct PieceSink {
    folder: RunFolder,
    series: Series,
    schedule: Schedule,
    content: PieceContent,
    index: Index,
}

/// The sinks that a scene asks for, if many processes share it.
pub(crate) fn piece_sinks<const D: usize>(scene: &RunScene<D>, folder: &RunFolder) -> Vec<PieceSink> {
    if !scene.is_shared {
        return Vec::new();
    }
    let particles = scene.output.particles.iter().filter(|request| request.format == ParticleFormat::Vtp);
    let particles = particles.map(|request| (PieceContent::Particles { thin: request.thin }, "pvtp", request.schedule));
    let fields = scene.output.volume.iter().filter(|request| request.format == VolumeFormat::Vti);
    let fields = fields.map(|request| (PieceContent::Fields, "pvti", request.schedule));
    let sink = |(content, extension, schedule): (PieceContent, _, _)| PieceSink {
        folder: folder.clone(),
        series: folder.data(content.kind(), extension),
        schedule,
        content,
        index: Index::Pvd { frame_seconds: scene.frame_seconds },
    };
    particles.chain(fields).map(sink).collect()
}

impl PieceSink {
    /// Makes the folder and removes what was listed of frames after `last`.
    pub fn begin(&self, last: usize) -> Result<(), RunError> {
        let folder = &self.series.folder;
        std::fs::create_dir_all(folder).map_err(RunError::file(folder))?;
        self.index.write(&self.folder, self.content.kind(), &self.series, last)?;
        self.series.remove_after(Some(last)).map_err(RunError::file(folder))?;
        remove_pieces(folder);
        Ok(())
    }

    /// Lets all processes write their pieces of a frame, then lists them.
    pub fn write<const D: usize>(
        &self,
        stepper: &dyn Stepper<D>,
        grid: &Grid<D>,
        number: usize,
    ) -> Result<(), RunError> {
        if !self.schedule.takes(number) {
            return Ok(());
        }
        let of_frame = format!("{PIECES}/{number:04}");
        let parts = stepper.store_pieces(self.content, &self.series.folder.join(&of_frame))?;
        let windows = parts.windows(grid.cells()).unwrap_or_default();
        let source = |rank: usize| format!("{of_frame}/{}", self.content.name(rank));
        let list = match self.content {
            PieceContent::Fields => {
                let pieces = windows.iter().enumerate().map(|(rank, window)| (window.first, window.size, source(rank)));
                vtk::pieces::fields(grid, [&values::CELL_FIELDS, &values::NODE_FIELDS], &pieces.collect::<Vec<_>>())
            }
            PieceContent::Particles { .. } => vtk::pieces::points(&(0..windows.len()).map(source).collect::<Vec<_>>()),
        };
        let path = self.series.path(number);
        write_atomic(&path, &list).map_err(RunError::file(&path))?;
        self.index.write(&self.folder, self.content.kind(), &self.series, usize::MAX)
    }
}

/// The folder of pieces beside the lists.
const PIECES: &str = "pieces";

/// Removes pieces that no list names.
pub(crate) fn remove_pieces(folder: &Path) {
    let pieces = folder.join(PIECES);
    for path in std::fs::read_dir(&pieces).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        let Some(number) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let is_listed = ["pvti", "pvtp"].iter().any(|end| folder.join(format!("{number}.{end}")).exists());
        if number.parse::<usize>().is_ok() && !is_listed {
            let _ = std::fs::remove_dir_all(path); // it only takes up space
        }
    }
    let _ = std::fs::remove_dir(pieces); // if it is empty
}
