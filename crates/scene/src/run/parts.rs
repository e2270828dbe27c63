//! A state in parts: each of many processes stores the box that it has.
//!
//! ```text
//!     NNNNNNNNNN.parts/RANK.part
//!         "unstick part 6\n"
//!         postcard( box, state of the box )  in chunks
//! ```

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use unstick_files::AtomicFile;
use unstick_grid::Grid;
use unstick_liquid::LiquidState;
use unstick_mlcp::fields::Window;

use super::chunks::{CHUNK, ChunkReader, ChunkWriter};
use super::stepper::{StateError, read_state};

const MAGIC: &[u8] = b"unstick part 6\n";

/// What a state in parts consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// The step after which they were stored.
    pub step: u64,
    /// The box of each rank: its first cell, and its cells along each axis.
    pub boxes: Vec<[Vec<u64>; 2]>,
}

/// What a part says of itself.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    step: u64,
    cells: [Vec<u64>; 2],
}

impl Parts {
    /// The boxes of ranks after a step.
    pub fn of<const D: usize>(step: u64, boxes: &[Window<D>]) -> Self {
        Self { step, boxes: boxes.iter().map(numbers).collect() }
    }

    /// The boxes, if they cover a grid of so many cells.
    pub fn windows<const D: usize>(&self, cells: [usize; D]) -> Result<Vec<Window<D>>, StateError> {
        let window = |[first, size]: &[Vec<u64>; 2]| {
            let place = |numbers: &[u64]| {
                <[u64; D]>::try_from(numbers).ok().map(|numbers| numbers.map(|number| number as usize))
            };
            let window = Window { first: place(first)?, size: place(size)? };
            let end = |axis: usize| window.first[axis].checked_add(window.size[axis]);
            let fits = |axis: usize| window.size[axis] > 0 && end(axis).is_some_and(|end| end <= cells[axis]);
            (0..D).all(fits).then_some(window)
        };
        let windows: Option<Vec<Window<D>>> = self.boxes.iter().map(window).collect();
        let covers = |windows: &Vec<Window<D>>| {
            let count: usize = windows.iter().map(Window::count).sum();
            let is_apart =
                |(one, window): (usize, &Window<D>)| windows[..one].iter().all(|other| other.common(window).is_none());
            count == cells.iter().product::<usize>() && windows.iter().enumerate().all(is_apart)
        };
        windows.filter(covers).ok_or(StateError::OtherGrid)
    }
}

fn numbers<const D: usize>(window: &Window<D>) -> [Vec<u64>; 2] {
    [window.first, window.size].map(|places| places.map(|place| place as u64).to_vec())
}

/// The folder with the parts of a checkpoint.
pub(super) fn folder_of(checkpoint: &Path) -> PathBuf {
    checkpoint.with_extension("parts")
}

fn path_of(folder: &Path, rank: usize) -> PathBuf {
    folder.join(format!("{rank}.part"))
}

/// Writes the part of a rank, and makes the folder.
pub(super) fn write<const D: usize>(
    folder: &Path,
    rank: usize,
    cells: &Window<D>,
    state: &LiquidState<D>,
) -> Result<(), String> {
    let path = path_of(folder, rank);
    let write = || {
        std::fs::create_dir_all(folder)?;
        let mut file = AtomicFile::create(&path)?;
        file.write_all(MAGIC)?;
        let mut chunks = ChunkWriter::new(file, CHUNK);
        let header = Header { step: state.step, cells: numbers(cells) };
        let stored = postcard::to_io(&header, &mut chunks).and_then(|chunks| postcard::to_io(&state.to_data(), chunks));
        let stored = stored.map(drop);
        let file = chunks.finish()?;
        stored.map_err(io::Error::other)?;
        file.commit()
    };
    write().map_err(|error: io::Error| format!("{}: {error}", path.display()))
}

/// Reads the part of a rank; `cells` are its box in the whole `grid`.
pub(super) fn read<const D: usize>(
    folder: &Path,
    rank: usize,
    step: u64,
    cells: Window<D>,
    grid: &Grid<D>,
) -> Result<LiquidState<D>, StateError> {
    let path = path_of(folder, rank);
    let wrong = |reason: String| StateError::Part { path: path.clone(), reason };
    let mut file = File::open(&path).map_err(|error| wrong(error.to_string()))?;
    let mut magic = [0; MAGIC.len()];
    if file.read_exact(&mut magic).is_err() || magic != MAGIC {
        return Err(wrong("it does not begin as parts do".into()));
    }
    let mut chunks = ChunkReader::new(file);
    let mut read = || {
        let header = read_state(&mut chunks, |data| Header::deserialize(data))?;
        if header != (Header { step, cells: numbers(&cells) }) {
            return Err(wrong("it belongs to another state".into()));
        }
        read_state(&mut chunks, |data| LiquidState::restore(&grid.part(cells.first, cells.size), data))
    };
    let state = read();
    let is_whole = state.is_err() || chunks.is_at_end();
    match chunks.failure() {
        Some(reason) => Err(wrong(reason.to_owned())),
        None if !is_whole => Err(wrong("it holds more than a state".into())),
        None => state,
    }
}

/// Removes parts whose checkpoint is not there: an old one, or one that was never finished.
pub(super) fn remove_orphans(folder: &Path) {
    for path in std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        let is_of_step =
            path.file_stem().is_some_and(|stem| stem.to_str().is_some_and(|stem| stem.parse::<u64>().is_ok()));
        let is_parts = is_of_step && path.extension().is_some_and(|end| end == "parts") && path.is_dir();
        if is_parts && !path.with_extension("checkpoint").exists() {
            let _ = std::fs::remove_dir_all(path); // it only takes up space
        }
    }
}
