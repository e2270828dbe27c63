//! What all ranks do together, and what they say of it.

use std::path::Path;
use std::sync::Arc;

use unstick_files::write_atomic;
use unstick_liquid::{Resuming, SetupError, SharedSimulation, StepError};
use unstick_mlcp::ranks::{Ranks, Reductions};

use crate::frame::Frame;
use crate::run::RunError;
use crate::run::parts::{self, Parts};
use crate::run::stepper::StateError;
use crate::scene::Scene;
use crate::sink::PieceContent;

/// An error with the word of the rank that knows why, on the first rank. All ranks have an error, or none has.
pub(super) fn with_reason<T>(ranks: &dyn Ranks, result: Result<T, StepError>) -> Result<T, RunError> {
    let error = match result {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let own = if let StepError::OtherRank { .. } = error { String::new() } else { error.to_string() };
    let (rank, reason) = first_word(ranks, &own);
    Err(if rank == ranks.rank() { error.into() } else { RunError::Rank { rank, reason } })
}

/// The word of the first rank that has one, and which that is, on the first rank; elsewhere the own one.
fn first_word(ranks: &dyn Ranks, own: &str) -> (usize, String) {
    let words = ranks.gather(own.as_bytes(), None);
    match words.iter().position(|word| !word.is_empty()) {
        Some(rank) => (rank, String::from_utf8_lossy(&words[rank]).into_owned()),
        None => (ranks.rank(), own.to_owned()),
    }
}

/// Writes the part of this rank; all ranks call this together. An error of any of them is known to the first.
pub(super) fn store_part<const D: usize>(
    ranks: &dyn Ranks,
    simulation: &SharedSimulation<D>,
    folder: &Path,
) -> Result<(), RunError> {
    let (rank, boxes) = (ranks.rank(), simulation.boxes());
    all_have_written(ranks, parts::write(folder, rank, &boxes[rank], &simulation.own_state()))
}

/// Writes what there is to see in the box of this rank, as [`store_part`] writes its state.
pub(super) fn store_piece<const D: usize>(
    ranks: &dyn Ranks,
    simulation: &SharedSimulation<D>,
    content: PieceContent,
    folder: &Path,
) -> Result<(), RunError> {
    let (rank, setup) = (ranks.rank(), simulation.setup());
    let own = simulation.boxes()[rank];
    let frame = Frame::of_ranks(simulation.own_view(), setup.grid.part(own.first, own.size), setup.density, 0);
    let path = folder.join(content.name(rank));
    let written = std::fs::create_dir_all(folder).and_then(|()| write_atomic(&path, &content.encode(&frame)));
    all_have_written(ranks, written.map_err(|error| format!("{}: {error}", path.display())))
}

fn all_have_written(ranks: &dyn Ranks, own: Result<(), String>) -> Result<(), RunError> {
    let [failures] = ranks.total([own.is_err() as usize]);
    if failures == 0 {
        return Ok(());
    }
    let (rank, reason) = first_word(ranks, &own.err().unwrap_or_default());
    Err(RunError::Rank { rank, reason })
}

/// The simulation at a state in parts, of which each rank reads what it needs. An error of any of them ends it on all.
pub(super) fn resume_parts<const D: usize>(
    scene: &Scene<D>,
    folder: &Path,
    parts: &Parts,
    ranks: &Arc<dyn Ranks>,
) -> Result<SharedSimulation<D>, StateError> {
    let grid = &scene.setup.grid;
    let windows = parts.windows(grid.cells())?;
    let refuse = |error: &SetupError| StateError::Scene(scene.refuse(error));
    let mut resuming = Resuming::new(scene.setup.clone(), ranks.clone()).map_err(|error| refuse(&error))?;
    let mut read = || -> Result<(), StateError> {
        for (rank, cells) in windows.iter().enumerate().filter(|(_, cells)| resuming.needs(cells)).collect::<Vec<_>>() {
            resuming.take(&parts::read(folder, rank, parts.step, *cells, grid)?, *cells);
        }
        Ok(())
    };
    let read = read();
    let [failures] = ranks.total([read.is_err() as usize]);
    if failures > 0 {
        let (rank, reason) = first_word(&**ranks, &read.err().map_or_else(String::new, |error| error.to_string()));
        return Err(StateError::Rank { rank, reason });
    }
    resuming.finish().map_err(|error| refuse(&error))
}

/// Particles, volume, and volume inside of the surface.
pub(super) fn measure<const D: usize>(simulation: &SharedSimulation<D>) -> (usize, f64, f64) {
    (simulation.particles(), simulation.volume(), simulation.surface_volume())
}
