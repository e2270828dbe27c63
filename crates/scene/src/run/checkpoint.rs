//! Checkpoints: the state of a simulation in one file, which is complete or not there.
//!
//! ```text
//!     "unstick checkpoint 6\n"   21 bytes
//!     postcard( header, state )  in chunks
//! ```
//!
//! It is written and read as a stream: neither needs a copy of the state. Where there is memory for one, the run goes on
//! meanwhile.
//!
//! Where many processes share a simulation, the file lists [parts](super::parts) instead of a state: each of them has
//! written its own, beside the file. It is written when all of them are on disk, so it is whole or not there as well.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use unstick_files::AtomicFile;

use super::chunks::{CHUNK, ChunkReader, ChunkWriter};
use super::parts::{self, Parts};
use super::stepper::{RunScene, Snapshot, StateError, Stepper};
use super::{RunError, RunFolder};

const MAGIC: &[u8] = b"unstick checkpoint 6\n";
/// The same in parts; as long as the other.
const IN_PARTS: &[u8] = b"unstick checkpoint p\n";
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
    let path = folder.checkpoint(stepper.step());
    stepper.check_state()?;
    match stepper.store_parts(&parts::folder_of(&path)) {
        None => put(&path, MAGIC, header, &|to| stepper.store(to))?,
        Some(parts) => {
            let parts = parts?;
            put(&path, IN_PARTS, header, &|to| Ok(postcard::to_io(&parts, to).map(drop)?))?;
        }
    }
    remove_old(folder)
}

/// A checkpoint whose state was taken, and which is not written yet.
pub(super) struct TakenCheckpoint {
    header: Header,
    path: PathBuf,
    snapshot: Box<dyn Snapshot>,
}

impl TakenCheckpoint {
    /// Takes the state of now; none where it must be written before the next step.
    pub fn of<const D: usize>(
        folder: &RunFolder,
        header: Header,
        stepper: &dyn Stepper<D>,
        may_copy: bool,
    ) -> Result<Option<Self>, RunError> {
        stepper.check_state()?;
        let path = folder.checkpoint(stepper.step());
        Ok(stepper.snapshot(may_copy).map(|snapshot| Self { header, path, snapshot }))
    }

    /// The last frame that is complete in it.
    pub fn frame(&self) -> usize {
        self.header.frame as usize
    }

    /// Writes it and removes those that are no longer needed.
    pub fn write(&self, folder: &RunFolder) -> Result<(), RunError> {
        put(&self.path, MAGIC, &self.header, &|to| self.snapshot.store(to))?;
        remove_old(folder)
    }
}

/// Removes checkpoints that are no longer needed.
pub(super) fn remove_old(folder: &RunFolder) -> Result<(), RunError> {
    for old in list(folder)?.into_iter().skip(KEPT) {
        let _ = std::fs::remove_file(old); // it only takes up space
    }
    parts::remove_orphans(&folder.checkpoints());
    Ok(())
}

/// Writes a state to a file, and makes the folder of the file. A state that nothing can go on from is refused: an earlier
/// one is worth more.
pub(super) fn write_state<const D: usize>(
    path: &Path,
    header: &Header,
    stepper: &dyn Stepper<D>,
) -> Result<(), RunError> {
    stepper.check_state()?;
    put(path, MAGIC, header, &|to| stepper.store(to))
}

/// What writes a state.
type Store<'a> = &'a dyn Fn(&mut dyn Write) -> Result<(), StateError>;

fn put(path: &Path, magic: &[u8], header: &Header, store: Store) -> Result<(), RunError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(RunError::file(folder))?;
    let write = || {
        let mut file = AtomicFile::create(path)?;
        file.write_all(magic)?;
        encode(file, CHUNK, header, store)?.commit()
    };
    write().map_err(RunError::file(path))
}

/// Writes header and state in chunks of a size.
fn encode<W: Write>(to: W, size: usize, header: &Header, store: Store) -> io::Result<W> {
    let mut chunks = ChunkWriter::new(to, size);
    let stored = postcard::to_io(header, &mut chunks).map_err(StateError::from).map(drop);
    let stored = stored.and_then(|()| store(&mut chunks));
    let to = chunks.finish()?; // what the file system said comes before what the encoder made of it
    stored.map(|()| to).map_err(io::Error::other)
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
    let damaged = |reason: String| Refusal::Damaged(reason);
    let mut file = File::open(path).map_err(|error| damaged(error.to_string()))?;
    let mut magic = Vec::new();
    let read = Read::by_ref(&mut file).take(MAGIC.len() as u64).read_to_end(&mut magic);
    read.map_err(|error| damaged(error.to_string()))?;
    match magic.as_slice() {
        MAGIC => decode(file, physics, |from| scene.physics.resume(from)),
        IN_PARTS => decode(file, physics, |from| {
            let parts = super::stepper::read_state(from, |data| Parts::deserialize(data))?;
            scene.physics.resume_parts(&parts::folder_of(path), &parts)
        }),
        magic if magic.starts_with(KIND) => {
            Err(damaged("another version of unstick has written it, whose steps were not the same".into()))
        }
        _ => Err(damaged("it does not begin as checkpoints do".into())),
    }
}

/// Reads header and state from chunks; `resume` reads the state.
fn decode<const D: usize>(
    from: impl Read,
    physics: [u8; HASH],
    resume: impl FnOnce(&mut dyn Read) -> Result<Box<dyn Stepper<D>>, StateError>,
) -> Result<(usize, Box<dyn Stepper<D>>), Refusal> {
    let mut chunks = ChunkReader::new(from);
    let read = read_header_and_state(&mut chunks, physics, resume);
    let is_too_long = read.is_ok() && !chunks.is_at_end();
    match chunks.failure() {
        Some(reason) => Err(Refusal::Damaged(reason.to_owned())),
        None if is_too_long => Err(Refusal::Damaged("it holds more than a state".into())),
        None => read,
    }
}

fn read_header_and_state<const D: usize>(
    from: &mut dyn Read,
    physics: [u8; HASH],
    resume: impl FnOnce(&mut dyn Read) -> Result<Box<dyn Stepper<D>>, StateError>,
) -> Result<(usize, Box<dyn Stepper<D>>), Refusal> {
    let mut scratch = [0; 2 * HASH];
    let read = postcard::from_io::<Header, _>((&mut *from, &mut scratch));
    let (header, _) = read.map_err(|error| Refusal::Damaged(error.to_string()))?;
    if header.physics != physics {
        return Err(Refusal::OtherScene);
    }
    let stepper = resume(from).map_err(|error| match error {
        StateError::Scene(error) => Refusal::Scene(error),
        error => Refusal::Damaged(error.to_string()),
    })?;
    Ok((header.frame as usize, stepper))
}

/// Checkpoints of a folder, newest first.
pub(super) fn list(folder: &RunFolder) -> Result<Vec<PathBuf>, RunError> {
    let run = folder;
    let folder = run.checkpoints();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RunError::file(&folder)(error)),
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let step = |path: &Path| path.file_stem()?.to_str()?.parse().ok();
    paths.retain(|path| path.is_file() && step(path).is_some_and(|step| run.checkpoint(step) == *path));
    paths.sort();
    paths.reverse();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::io::Seek as _;

    use unstick_grid::Grid;
    use unstick_liquid::LiquidState;

    use super::*;
    use crate::SceneFile;
    use crate::run::AnyRunScene;
    use crate::run::stepper::read_state;

    const SCENE: &str = "[grid]\ncells = [6, 6]\n[[liquid]]\n\
        shape = { cuboid = { lower = [0.0, 0.0], upper = [0.5, 0.5] } }\n";

    fn scene() -> RunScene<2> {
        let file = SceneFile::parse("drop", "drop.toml", SCENE, Path::new(".")).unwrap();
        AnyRunScene::of(&file, None).unwrap().plane().unwrap()
    }

    fn stored(stepper: &dyn Stepper<2>) -> Vec<u8> {
        let mut bytes = Vec::new();
        stepper.store(&mut bytes).unwrap();
        bytes
    }

    fn refusal(bytes: &[u8]) -> String {
        match decode(bytes, [7; HASH], |from| scene().physics.resume(from)) {
            Err(Refusal::Damaged(reason)) => reason,
            Err(_) => "not damaged".into(),
            Ok(_) => "sound".into(),
        }
    }

    #[test]
    fn a_state_comes_back_from_chunks_of_any_size() {
        let (scene, header) = (scene(), Header { frame: 3, physics: [7; HASH] });
        let mut stepper = scene.physics.begin().unwrap();
        stepper.advance(0.01).unwrap();
        for size in [1, 64, 1000, CHUNK] {
            let bytes = encode(Vec::new(), size, &header, &|to| stepper.store(to)).unwrap();
            let read = |physics| decode(&*bytes, physics, |from| scene.physics.resume(from));
            let (frame, restored) = read([7; HASH]).ok().unwrap();
            assert!(frame == 3 && stored(&*restored) == stored(&*stepper), "{size}");
            assert!(matches!(read([8; HASH]), Err(Refusal::OtherScene)));
            assert_eq!(refusal(&bytes[..bytes.len() - 1]), "it is cut short");
        }
    }

    /// A checkpoint whose hashes are right and whose content is not.
    #[test]
    fn forged_states_are_refused_whatever_they_announce() {
        let header = Header { frame: 3, physics: [7; HASH] };
        let forged = |state: &[u8]| {
            let mut chunks = ChunkWriter::new(Vec::new(), 100);
            postcard::to_io(&header, &mut chunks).unwrap();
            chunks.write_all(state).unwrap();
            chunks.finish().unwrap()
        };
        // Time, step, last step; then 2^63 particles.
        let mut state = [&[0; 8][..], &[1], &[0; 8]].concat();
        state.extend([&[0xff; 9][..], &[0x01]].concat());
        state.extend([0; 1000]);
        assert_eq!(refusal(&forged(&state)), "Hit the end of buffer, expected more data");
        assert_eq!(refusal(&forged(&[])), "Hit the end of buffer, expected more data");
        let sound = stored(&*scene().physics.begin().unwrap());
        assert_eq!(refusal(&forged(&sound)), "sound");
        assert_eq!(refusal(&forged(&[&sound[..], &[0]].concat())), "it holds more than a state");
        let file = SceneFile::parse("drop", "drop.toml", &SCENE.replace("[6, 6]", "[7, 6]"), Path::new(".")).unwrap();
        let other = AnyRunScene::of(&file, None).unwrap().plane().unwrap();
        assert_eq!(refusal(&forged(&stored(&*other.physics.begin().unwrap()))), "it does not fit the grid");
    }

    /// `cargo test --release -p unstick-scene --lib five_gib -- --ignored`
    #[test]
    #[ignore = "takes 6 GB of memory and a minute"]
    fn a_state_of_five_gib_comes_back() {
        let grid = Grid::<3>::unit(8).unwrap();
        let particle = |number: usize| ([number as f64, 0.5, -1.0], [0.25, number as f64, 2.0]);
        let count = (5 << 30) / 48;
        let mut state = LiquidState::empty(&grid);
        (state.particles.position, state.particles.velocity) = (0..count).map(particle).unzip();
        let mut file = tempfile::tempfile().unwrap();
        let mut chunks = ChunkWriter::new(&file, CHUNK);
        postcard::to_io(&state.to_data(), &mut chunks).unwrap();
        chunks.finish().unwrap();
        drop(state);
        file.rewind().unwrap();
        let mut chunks = ChunkReader::new(&file);
        let found = read_state(&mut chunks, |data| LiquidState::restore(&grid, data)).unwrap().particles;
        assert!(chunks.is_at_end() && found.len() == count);
        let mut pairs = found.position.iter().zip(&found.velocity).enumerate();
        assert!(pairs.all(|(number, (position, velocity))| (*position, *velocity) == particle(number)));
    }
}
