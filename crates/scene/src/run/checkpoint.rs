//! Checkpoints: the state of a simulation in one file that is whole or not there.
//!
//! ```text
//!     "unstick checkpoint 2\n"   21 bytes
//!     blake3 of what follows     32 bytes
//!     lz4( postcard( header, state ) )
//! ```

use std::path::{Path, PathBuf};

use postcard::de_flavors::Slice;
use serde::{Deserialize, Serialize};

use super::RunError;
use unstick_files::{Series, write_atomic};

const MAGIC: &[u8] = b"unstick checkpoint 2\n";
const HASH: usize = 32;
const EXTENSION: &str = "checkpoint";

/// How many are kept: the newest, and one to fall back to.
const KEPT: usize = 2;

/// What a checkpoint says beside the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The last frame that is whole.
    pub frame: u64,
    /// What decides how the liquid moves, as a hash.
    pub physics: [u8; HASH],
}

/// What is left of a checkpoint after its header: the state as data.
pub(crate) type Data<'a> = postcard::Deserializer<'a, Slice<'a>>;

/// Makes a state of data; none if it is that of another grid.
pub(crate) trait Restore<S>: Fn(&mut Data<'_>) -> Result<Option<S>, postcard::Error> {}

impl<S, F: Fn(&mut Data<'_>) -> Result<Option<S>, postcard::Error>> Restore<S> for F {}

/// Writes the state after a step, as data, and removes checkpoints that are no longer needed.
pub(crate) fn write(folder: &Path, header: &Header, step: u64, state: &impl Serialize) -> Result<(), RunError> {
    put(&folder.join(format!("{step:010}.{EXTENSION}")), header, state)?;
    for old in list(folder)?.into_iter().skip(KEPT) {
        let _ = std::fs::remove_file(old); // it only takes up room
    }
    Ok(())
}

/// Writes the state of a frame that is kept for good, in the same format.
pub(super) fn keep(series: &Series, header: &Header, state: &impl Serialize) -> Result<(), RunError> {
    put(&series.path(header.frame as usize), header, state)
}

fn put(path: &Path, header: &Header, state: &impl Serialize) -> Result<(), RunError> {
    let encode = || -> std::io::Result<Vec<u8>> {
        let plain = postcard::to_stdvec(header).map_err(std::io::Error::other)?;
        let plain = postcard::to_extend(state, plain).map_err(std::io::Error::other)?;
        let packed = lz4_flex::compress_prepend_size(&plain);
        Ok([MAGIC, blake3::hash(&packed).as_bytes(), &packed].concat())
    };
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(RunError::file(folder))?;
    encode().and_then(|bytes| write_atomic(path, &bytes)).map_err(RunError::file(path))
}

/// Reads the newest checkpoint that is sound; says what is wrong with newer ones.
pub(crate) fn read<S>(
    folder: &Path,
    physics: [u8; HASH],
    restore: impl Restore<S>,
) -> Result<(Header, S, Vec<String>), RunError> {
    let run = || folder.parent().unwrap_or(folder).to_owned();
    let mut reasons = Vec::new();
    for path in list(folder)? {
        match read_one(&path, physics, &restore) {
            Ok((header, state)) => return Ok((header, state, reasons)),
            Err(Refusal::OtherScene) => return Err(RunError::OtherScene { folder: run() }),
            Err(Refusal::Damaged(reason)) => reasons.push(format!("{} is damaged: {reason}", path.display())),
        }
    }
    Err(RunError::NoCheckpoint { folder: run(), reasons })
}

/// Why a file cannot be used.
pub(super) enum Refusal {
    OtherScene,
    Damaged(String),
}

/// Reads one file.
pub(super) fn read_one<S>(path: &Path, physics: [u8; HASH], restore: &impl Restore<S>) -> Result<(Header, S), Refusal> {
    let damaged = |reason: &str| Refusal::Damaged(reason.into());
    let bytes = std::fs::read(path).map_err(|error| Refusal::Damaged(error.to_string()))?;
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("it does not begin as checkpoints do"))?;
    let (hash, packed) = rest.split_at_checked(HASH).ok_or_else(|| damaged("it is cut short"))?;
    if blake3::hash(packed).as_bytes() != hash {
        return Err(damaged("its content does not match its hash"));
    }
    let plain = lz4_flex::decompress_size_prepended(packed).map_err(|error| Refusal::Damaged(error.to_string()))?;
    let unreadable = |error: postcard::Error| Refusal::Damaged(error.to_string());
    let (header, rest) = postcard::take_from_bytes::<Header>(&plain).map_err(unreadable)?;
    if header.physics != physics {
        return Err(Refusal::OtherScene);
    }
    let state = restore(&mut postcard::Deserializer::from_bytes(rest)).map_err(unreadable)?;
    Ok((header, state.ok_or_else(|| damaged("it does not fit the grid"))?))
}

/// Checkpoints of a folder, newest first.
pub(super) fn list(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RunError::file(folder)(error)),
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == EXTENSION));
    paths.sort();
    paths.reverse();
    Ok(paths)
}
