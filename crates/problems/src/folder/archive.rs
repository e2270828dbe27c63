//! ZIP archives, as NumPy and SciPy write them: members that are stored or deflated.

use std::borrow::Cow;
use std::io::Read;

use super::array::{Mismatch, mismatch};

const END: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
const LONG_END_PLACE: &[u8] = b"PK\x06\x07";
const LONG_END_PLACE_LENGTH: usize = 20;
const LONG_END: &[u8] = b"PK\x06\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_LENGTH: usize = 46;
const MEMBER: &[u8] = b"PK\x03\x04";
const MEMBER_LENGTH: usize = 30;

/// Numbers that do not fit stand in an extra field with this mark.
const LONG_NUMBERS: u16 = 1;

/// An archive, as the directory at its end describes it.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    members: Vec<Member<'a>>,
}

struct Member<'a> {
    name: &'a [u8],
    method: u16,
    packed: u64,
    size: u64,
    place: u64,
}

impl<'a> Archive<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, Mismatch> {
        let damaged = || mismatch("an archive of NumPy arrays (.npz)", "a file of another kind, or a part of one");
        let first = bytes.len().saturating_sub(END_LENGTH + usize::from(u16::MAX));
        let end = (first..=bytes.len().checked_sub(END_LENGTH).ok_or_else(damaged)?).rev();
        let end = end.into_iter().find(|&place| bytes[place..].starts_with(END)).ok_or_else(damaged)?;
        let (mut count, mut place) = (u64::from(half(bytes, end + 10)?), u64::from(word(bytes, end + 16)?));
        if let Some(long) = end.checked_sub(LONG_END_PLACE_LENGTH).filter(|&at| bytes[at..].starts_with(LONG_END_PLACE))
        {
            let long = usize::try_from(long_word(bytes, long + 8)?).map_err(|_| damaged())?;
            if !bytes.get(long..).is_some_and(|rest| rest.starts_with(LONG_END)) {
                return Err(damaged());
            }
            (count, place) = (long_word(bytes, long + 32)?, long_word(bytes, long + 48)?);
        }
        let mut place = usize::try_from(place).map_err(|_| damaged())?;
        let mut members = Vec::new();
        for _ in 0..count {
            if !bytes.get(place..).is_some_and(|rest| rest.starts_with(ENTRY)) {
                return Err(damaged());
            }
            let lengths = [28, 30, 32].map(|at| half(bytes, place + at).map(usize::from));
            let [name, extra, comment] = lengths;
            let (name, extra, comment) = (name?, extra?, comment?);
            let after = place + ENTRY_LENGTH;
            let (Some(name), Some(extra)) =
                (bytes.get(after..after + name), bytes.get(after + name..after + name + extra))
            else {
                return Err(damaged());
            };
            let mut member = Member {
                name,
                method: half(bytes, place + 10)?,
                packed: word(bytes, place + 20)?.into(),
                size: word(bytes, place + 24)?.into(),
                place: word(bytes, place + 42)?.into(),
            };
            member.lengthen(extra)?;
            members.push(member);
            place = after + name.len() + extra.len() + comment;
        }
        Ok(Self { bytes, members })
    }

    /// The content of a member.
    pub fn read(&self, name: &str) -> Result<Cow<'a, [u8]>, Mismatch> {
        let expected = || format!("a member {name}");
        let Some(member) = self.members.iter().find(|member| member.name == name.as_bytes()) else {
            let names: Vec<_> = self.members.iter().map(|member| String::from_utf8_lossy(member.name)).collect();
            return Err(mismatch(expected(), names.join(", ")));
        };
        let cut = || mismatch(expected(), "the end of the file");
        let place = usize::try_from(member.place).map_err(|_| cut())?;
        if !self.bytes.get(place..).is_some_and(|rest| rest.starts_with(MEMBER)) {
            return Err(cut());
        }
        let lengths = usize::from(half(self.bytes, place + 26)?) + usize::from(half(self.bytes, place + 28)?);
        let start = place + MEMBER_LENGTH + lengths;
        let packed = usize::try_from(member.packed).map_err(|_| cut())?;
        let end = start.checked_add(packed).ok_or_else(cut)?;
        let packed = self.bytes.get(start..end).ok_or_else(cut)?;
        match member.method {
            0 => Ok(Cow::Borrowed(packed)),
            8 => {
                // No more than promised is unpacked: a small file cannot fill the memory behind a lie.
                let mut content = Vec::new();
                let mut reader = flate2::read::DeflateDecoder::new(packed).take(member.size);
                let read = reader.read_to_end(&mut content);
                match read {
                    Ok(length) if length as u64 == member.size => Ok(Cow::Owned(content)),
                    _ => Err(mismatch(format!("{} bytes in {name}", member.size), "damaged data")),
                }
            }
            method => Err(mismatch(format!("{name} stored or deflated"), format!("compression {method}"))),
        }
    }
}

impl Member<'_> {
    /// Takes the numbers that do not fit from the extra fields.
    fn lengthen(&mut self, mut extra: &[u8]) -> Result<(), Mismatch> {
        while extra.len() >= 4 {
            let (mark, length) = (half(extra, 0)?, usize::from(half(extra, 2)?));
            let content = extra.get(4..4 + length).unwrap_or_default();
            if mark == LONG_NUMBERS {
                let mut next = 0;
                for number in [&mut self.size, &mut self.packed, &mut self.place] {
                    if *number == u64::from(u32::MAX) {
                        *number = long_word(content, next)?;
                        next += 8;
                    }
                }
            }
            extra = extra.get(4 + length..).unwrap_or_default();
        }
        Ok(())
    }
}

fn number<const N: usize>(bytes: &[u8], place: usize) -> Result<[u8; N], Mismatch> {
    let found = bytes.get(place..).and_then(|rest| rest.first_chunk::<N>());
    found.copied().ok_or_else(|| mismatch("the directory of an archive", "the end of the file"))
}

fn half(bytes: &[u8], place: usize) -> Result<u16, Mismatch> {
    number(bytes, place).map(u16::from_le_bytes)
}

fn word(bytes: &[u8], place: usize) -> Result<u32, Mismatch> {
    number(bytes, place).map(u32::from_le_bytes)
}

fn long_word(bytes: &[u8], place: usize) -> Result<u64, Mismatch> {
    number(bytes, place).map(u64::from_le_bytes)
}
