//! A stream of bytes in chunks, each with its length and a hash: as long as need be, and never read ahead of what is
//! sound. The writer holds a few chunks, which all threads compress, the reader one.
//!
//! ```text
//!     length of the chunk          4 bytes, little-endian
//!     length of it under lz4       4 bytes
//!     blake3 of all chunks so far  32 bytes
//!     lz4( chunk )
//! ```
//!
//! The last chunk is empty: without it the stream is cut short.

use std::io::{self, ErrorKind, Read, Write};

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};
use rayon::prelude::*;

/// The most bytes of a chunk.
const LONGEST: usize = 1 << 24;

/// Bytes of a chunk.
pub(super) const CHUNK: usize = 1 << 20;

/// Chunks that are compressed at once.
const AT_ONCE: usize = 16;

const HASH: usize = 32;

/// Writes a stream in chunks.
pub(super) struct ChunkWriter<W> {
    to: W,
    chunks: [Chunk; AT_ONCE],
    /// Those that are full.
    full: usize,
    size: usize,
    hasher: blake3::Hasher,
    /// Why writing has failed, for those who get it through somebody that forgets reasons.
    failure: Option<io::Error>,
}

#[derive(Default)]
struct Chunk {
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl Chunk {
    fn pack(&mut self) -> io::Result<()> {
        self.packed.resize(get_maximum_output_size(self.plain.len()), 0);
        let length = compress_into(&self.plain, &mut self.packed).map_err(io::Error::other)?;
        self.packed.truncate(length);
        Ok(())
    }
}

impl<W: Write> ChunkWriter<W> {
    /// Begins a stream in chunks of some size, at most [`LONGEST`].
    pub fn new(to: W, size: usize) -> Self {
        Self { to, chunks: Default::default(), full: 0, size, hasher: blake3::Hasher::new(), failure: None }
    }

    /// Ends the stream; the first error if one occurred.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if self.full < AT_ONCE && !self.chunks[self.full].plain.is_empty() {
            self.full += 1;
        }
        self.put_full()?;
        self.put(&Chunk::default())?;
        Ok(self.to)
    }

    /// Writes the chunks that are full.
    fn put_full(&mut self) -> io::Result<()> {
        let mut chunks = std::mem::take(&mut self.chunks);
        let full = &mut chunks[..std::mem::take(&mut self.full)];
        full.par_iter_mut().try_for_each(Chunk::pack)?;
        full.iter().try_for_each(|chunk| self.put(chunk))?;
        full.iter_mut().for_each(|chunk| chunk.plain.clear());
        self.chunks = chunks;
        Ok(())
    }

    fn put(&mut self, Chunk { plain, packed }: &Chunk) -> io::Result<()> {
        let lengths = [plain.len() as u32, packed.len() as u32].map(u32::to_le_bytes);
        self.hasher.update(lengths.as_flattened()).update(packed);
        self.to.write_all(lengths.as_flattened())?;
        self.to.write_all(self.hasher.finalize().as_bytes())?;
        self.to.write_all(packed)
    }
}

impl<W: Write> Write for ChunkWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let chunk = &mut self.chunks[self.full].plain;
        let taken = bytes.len().min(self.size - chunk.len());
        chunk.extend_from_slice(&bytes[..taken]);
        if chunk.len() == self.size {
            self.full += 1;
        }
        if self.full == AT_ONCE
            && let Err(error) = self.put_full()
        {
            let kind = error.kind();
            self.failure.get_or_insert(error);
            return Err(kind.into());
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Reads what [`ChunkWriter`] has written. What comes out of it is what went in: each chunk is checked first.
pub(super) struct ChunkReader<R> {
    from: R,
    plain: Vec<u8>,
    packed: Vec<u8>,
    /// Bytes of the chunk that were taken.
    taken: usize,
    hasher: blake3::Hasher,
    is_over: bool,
    failure: Option<String>,
}

impl<R: Read> ChunkReader<R> {
    /// Begins to read.
    pub fn new(from: R) -> Self {
        let (plain, packed) = (Vec::new(), Vec::new());
        Self { from, plain, packed, taken: 0, hasher: blake3::Hasher::new(), is_over: false, failure: None }
    }

    /// What is wrong with the stream, if something was found.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether all was taken and nothing is wrong up to the end.
    pub fn is_at_end(&mut self) -> bool {
        self.failure.is_none() && self.taken == self.plain.len() && self.advance().is_ok() && self.is_over
    }

    /// Goes to the next chunk.
    fn advance(&mut self) -> io::Result<()> {
        if self.is_over {
            return Ok(());
        }
        self.next_chunk().map_err(|reason| {
            let error = io::Error::new(ErrorKind::InvalidData, reason.clone());
            self.failure.get_or_insert(reason);
            error
        })
    }

    fn next_chunk(&mut self) -> Result<(), String> {
        let mut lengths = [[0; 4]; 2];
        let mut hash = [0; HASH];
        self.from
            .read_exact(lengths.as_flattened_mut())
            .and_then(|()| self.from.read_exact(&mut hash))
            .map_err(told)?;
        let [length, packed_length] = lengths.map(|bytes| u32::from_le_bytes(bytes) as usize);
        if length > LONGEST || packed_length > get_maximum_output_size(length) {
            return Err("it has a chunk that is too long".into());
        }
        self.packed.resize(packed_length, 0);
        self.from.read_exact(&mut self.packed).map_err(told)?;
        self.hasher.update(lengths.as_flattened()).update(&self.packed);
        if self.hasher.finalize() != hash {
            return Err("its content does not match its hash".into());
        }
        self.taken = 0;
        self.plain.resize(length, 0);
        if length == 0 {
            self.is_over = true;
        } else if !decompress_into(&self.packed, &mut self.plain).is_ok_and(|found| found == length) {
            return Err("its content is not compressed as it should be".into());
        }
        Ok(())
    }
}

fn told(error: io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => "it is cut short".into(),
        _ => error.to_string(),
    }
}

impl<R: Read> Read for ChunkReader<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.plain.len() {
            self.advance()?;
        }
        let count = bytes.len().min(self.plain.len() - self.taken);
        bytes[..count].copy_from_slice(&self.plain[self.taken..][..count]);
        self.taken += count;
        Ok(count)
    }

    fn read_exact(&mut self, mut bytes: &mut [u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.read(bytes)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                count => bytes = &mut bytes[count..],
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8], size: usize) -> Vec<u8> {
        let mut writer = ChunkWriter::new(Vec::new(), size);
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }

    fn read(stream: &[u8]) -> Result<Vec<u8>, String> {
        let (mut reader, mut bytes) = (ChunkReader::new(stream), Vec::new());
        match reader.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(_) => Err(reader.failure().unwrap().to_owned()),
        }
    }

    #[test]
    fn a_stream_comes_back_whatever_the_size_of_its_chunks() {
        let bytes: Vec<u8> = (0..1000u32).map(|number| (number * number % 251) as u8).collect();
        for length in [0, 1, 99, 100, 101, 1000] {
            for size in [1, 10, 100, 999, CHUNK] {
                assert_eq!(read(&written(&bytes[..length], size)).unwrap(), &bytes[..length], "{length} by {size}");
            }
        }
        let stream = written(&bytes, 64);
        let mut reader = ChunkReader::new(&*stream).take(10);
        io::copy(&mut reader, &mut io::sink()).unwrap();
        assert!(!reader.into_inner().is_at_end());
    }

    #[test]
    fn every_damage_is_noticed() {
        let sound = written(b"sixteen bytes of it, and then some more of them", 16);
        for length in 0..sound.len() {
            assert_eq!(read(&sound[..length]).unwrap_err(), "it is cut short", "{length}");
        }
        for place in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[place] ^= 1;
            assert!(read(&damaged).is_err(), "{place}");
        }
        // Chunks that are sound by themselves, in another order.
        let one = written(b"one", 3);
        let [head, end] = [&one[..one.len() - 40], &one[one.len() - 40..]];
        assert!(read(&[head, head, end].concat()).is_err());
    }

    #[test]
    fn lengths_that_no_chunk_has_are_refused_before_memory_is_taken() {
        for lengths in [[u32::MAX, 8], [8, u32::MAX], [LONGEST as u32 + 1, 8], [0, 1000]] {
            let forged = [lengths.map(u32::to_le_bytes).as_flattened(), &[0; HASH]].concat();
            assert_eq!(read(&forged).unwrap_err(), "it has a chunk that is too long");
        }
    }

    /// A disk with little room.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_reason_of_a_failure_is_kept() {
        let mut writer = ChunkWriter::new(Full(60), 16);
        assert!(writer.write_all(&[7; 1000]).is_err());
        assert_eq!(writer.finish().err().unwrap().kind(), ErrorKind::StorageFull);
    }
}
