//! Checkpoints: the state of a simulation in one file, which is complete or not there.
//!
//! ```text
//!     "unstick checkpoint 3\n"   21 bytes
//!     blake3 of what follows     32 bytes
//!     lz4( postcard( header, state ) )
//! ```

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use unstick_files::write_atomic;

use super::stepper::{RunScene, StateError, Stepper};
use super::{RunError, RunFolder};

const MAGIC: &[u8] = b"unstick checkpoint 3\n";
const KIND: &[u8] = b"unstick checkpoint ";
const HASH: usize = 32;

/// How many are kept: the newest, and one to fall back to.
const KEPT: usize = 2;

/// What a checkpoint says beside the state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The last frame that is complete.
    pub frame: u64,
    /// A hash of what decides how the liquid moves.
    pub physics: [u8; HASH],
}

/// A simulation as a checkpoint holds it.
pub(super) struct Restored<const D: usize> {
    /// The last frame that is complete.
    pub frame: usize,
    pub stepper: Box<dyn Stepper<D>>,
    /// Where it was read from.
    pub path: PathBuf,
    /// What is wrong with newer ones.
    pub notes: Vec<String>,
}

/// Writes a checkpoint and removes those that are no longer needed.
pub(super) fn write<const D: usize>(
    folder: &RunFolder,
    header: &Header,
    stepper: &dyn Stepper<D>,
) -> Result<(), RunError> {
    write_state(&folder.checkpoint(stepper.step()), header, stepper)?;
    for old in list(folder)?.into_iter().skip(KEPT) {
        let _ = std::fs::remove_file(old); // it only takes up space
    }
    Ok(())
}

/// Writes a state to a file, and makes the folder of the file.
pub(super) fn write_state<const D: usize>(
    path: &Path,
    header: &Header,
    stepper: &dyn Stepper<D>,
) -> Result<(), RunError> {
    let encode = || -> Result<Vec<u8>, StateError> {
        let plain = stepper.store(postcard::to_stdvec(header)?)?;
        let packed = lz4_flex::compress_prepend_size(&plain);
        Ok([MAGIC, blake3::hash(&packed).as_bytes(), &packed].concat())
    };
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(RunError::file(folder))?;
    let bytes = encode().map_err(std::io::Error::other);
    bytes.and_then(|bytes| write_atomic(path, &bytes)).map_err(RunError::file(path))
}

/// Reads the newest checkpoint that is sound.
pub(super) fn read<const D: usize>(
    folder: &RunFolder,
    scene: &RunScene<D>,
    physics: [u8; HASH],
) -> Result<Restored<D>, RunError> {
    let mut notes = Vec::new();
    for path in list(folder)? {
        match read_state(&path, scene, physics) {
            Ok((frame, stepper)) => return Ok(Restored { frame, stepper, path, notes }),
            Err(Refusal::OtherScene) => return Err(RunError::OtherScene(folder.path().to_owned())),
            Err(Refusal::Scene(error)) => return Err(error.into()),
            Err(Refusal::Damaged(reason)) => notes.push(format!("{} is damaged: {reason}", path.display())),
        }
    }
    Err(RunError::NoCheckpoint { folder: folder.path().to_owned(), reasons: notes })
}

/// Why a file cannot be used.
pub(super) enum Refusal {
    OtherScene,
    Scene(crate::file::SceneError),
    Damaged(String),
}

/// Reads one file: the frame that is complete, and the simulation.
pub(super) fn read_state<const D: usize>(
    path: &Path,
    scene: &RunScene<D>,
    physics: [u8; HASH],
) -> Result<(usize, Box<dyn Stepper<D>>), Refusal> {
    let damaged = |reason: &str| Refusal::Damaged(reason.into());
    let bytes = std::fs::read(path).map_err(|error| Refusal::Damaged(error.to_string()))?;
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| match bytes.starts_with(KIND) {
        true => damaged("another version of unstick has written it, whose steps were not the same"),
        false => damaged("it does not begin as checkpoints do"),
    })?;
    let (hash, packed) = rest.split_at_checked(HASH).ok_or_else(|| damaged("it is cut short"))?;
    if blake3::hash(packed).as_bytes() != hash {
        return Err(damaged("its content does not match its hash"));
    }
    let plain = lz4_flex::decompress_size_prepended(packed).map_err(|error| Refusal::Damaged(error.to_string()))?;
    let (header, state) =
        postcard::take_from_bytes::<Header>(&plain).map_err(|error| Refusal::Damaged(error.to_string()))?;
    if header.physics != physics {
        return Err(Refusal::OtherScene);
    }
    let stepper = scene.physics.resume(state).map_err(|error| match error {
        StateError::Scene(error) => Refusal::Scene(error),
        error => Refusal::Damaged(error.to_string()),
    })?;
    Ok((header.frame as usize, stepper))
}

/// Checkpoints of a folder, newest first.
fn list(folder: &RunFolder) -> Result<Vec<PathBuf>, RunError> {
    let (first, folder) = (folder.checkpoint(0), folder.checkpoints());
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RunError::file(&folder)(error)),
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension() == first.extension());
    paths.sort();
    paths.reverse();
    Ok(paths)
}
