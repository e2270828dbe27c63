//! The pieces a PNG file is made of.
//!
//! Each is a length, a kind of four letters, data and a checksum over kind and data.

use std::io::{self, Write};

/// How every PNG begins.
pub(super) const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A];

/// Writes one piece.
pub(super) fn write(to: &mut impl Write, kind: &[u8; 4], data: &[u8]) -> io::Result<()> {
    let length = u32::try_from(data.len()).map_err(|_| io::Error::other("a chunk above 4 GiB"))?;
    let mut sum = crc32fast::Hasher::new();
    sum.update(kind);
    sum.update(data);
    to.write_all(&length.to_be_bytes())?;
    to.write_all(kind)?;
    to.write_all(data)?;
    to.write_all(&sum.finalize().to_be_bytes())
}

/// A still picture taken apart: all that a movie needs of it.
pub(super) struct Still<'a> {
    /// The header: size, depth, colours.
    pub header: &'a [u8],
    /// The compressed pixels, in pieces that belong together.
    pub pixels: Vec<&'a [u8]>,
}

/// Takes a PNG file apart and checks every sum on the way.
pub(super) fn take_apart(file: &[u8]) -> Result<Still<'_>, &'static str> {
    let mut rest = file.strip_prefix(&SIGNATURE).ok_or("it does not begin like one")?;
    let (mut header, mut pixels) = (None, Vec::new());
    loop {
        let (length, after) = rest.split_first_chunk::<4>().ok_or("it ends early")?;
        let (kind, after) = after.split_first_chunk::<4>().ok_or("it ends early")?;
        let (data, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize).ok_or("it ends early")?;
        let (sum, after) = after.split_first_chunk::<4>().ok_or("it ends early")?;
        let mut found = crc32fast::Hasher::new();
        found.update(kind);
        found.update(data);
        if found.finalize() != u32::from_be_bytes(*sum) {
            return Err("a checksum is wrong");
        }
        match kind {
            b"IHDR" if data.len() == 13 => header = Some(data),
            b"PLTE" => return Err("it has a palette of its own"),
            b"IDAT" => pixels.push(data),
            b"IEND" => break,
            _ => {}
        }
        rest = after;
    }
    match header {
        Some(header) if !pixels.is_empty() => Ok(Still { header, pixels }),
        Some(_) => Err("it holds no pixels"),
        None => Err("it has no header"),
    }
}

/// Size and kind in words.
pub(super) fn describe(header: &[u8]) -> String {
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    format!("{} × {} pixels of {} bits (colour type {})", number(0), number(4), header[8], header[9])
}
