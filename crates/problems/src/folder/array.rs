//! NumPy arrays: `.npy` files of numbers, one after the other.
//!
//! The header is read here rather than by a Python parser: three facts matter, and a parser of
//! general literals lets a hostile header cost more than the file is worth.

use std::fs;
use std::path::Path;

use unstick_parallel as parallel;

use super::lines::quote;
use super::write_file;
use crate::error::FileError;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Data begin at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

/// Reads a one-dimensional (or n × 1) array of f64, f32, booleans or integers, of either byte order.
///
/// Values may be NaN or infinite: whoever uses them knows what makes sense. Integers beyond 2⁵³
/// are rounded. The file must hold the array and nothing else.
pub fn read_array(path: &Path) -> Result<Vec<f64>, FileError> {
    let bytes = fs::read(path).map_err(FileError::io(path))?;
    parse(&bytes).map_err(|Mismatch { expected, found }| FileError::Data { path: path.to_owned(), expected, found })
}

/// Writes an array of numbers (`<f8`), all of it or nothing.
pub fn write_array(path: &Path, values: &[f64]) -> Result<(), FileError> {
    write_file(path, |file| {
        file.write_all(&header("<f8", values.len()))?;
        values.iter().try_for_each(|value| file.write_all(&value.to_le_bytes()))
    })
}

/// Writes an array of booleans (`|b1`), all of it or nothing.
pub(super) fn write_mask(path: &Path, mask: &[bool]) -> Result<(), FileError> {
    write_file(path, |file| {
        file.write_all(&header("|b1", mask.len()))?;
        mask.iter().try_for_each(|&value| file.write_all(&[value.into()]))
    })
}

/// All that precedes the data of a one-dimensional array, version 1.0 of the format.
fn header(kind: &str, length: usize) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({length},), }}");
    let unpadded = MAGIC.len() + 4 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    let text_length = (text.len() as u16).to_le_bytes(); // far below 2¹⁶
    [MAGIC, &[1, 0], &text_length, text.as_bytes()].concat()
}

/// Something else stood where this was expected.
pub(super) struct Mismatch {
    pub expected: String,
    pub found: String,
}

pub(super) fn mismatch(expected: impl Into<String>, found: impl Into<String>) -> Mismatch {
    Mismatch { expected: expected.into(), found: found.into() }
}

/// The numbers of an array in memory.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<f64>, Mismatch> {
    let (header, data) = split(bytes)?;
    let (kind, length) = (kind_of(header)?, length_of(header)?);
    let array = Array { kind, length, data };
    match kind.split_at_checked(1).unwrap_or_default() {
        ("<" | ">", "f8") => array.decode(f64::from_le_bytes),
        ("<" | ">", "f4") => array.decode(|bytes| f32::from_le_bytes(bytes).into()),
        ("<" | ">", "i8") => array.decode(|bytes| i64::from_le_bytes(bytes) as f64),
        ("<" | ">", "i4") => array.decode(|bytes| i32::from_le_bytes(bytes).into()),
        ("<" | ">", "i2") => array.decode(|bytes| i16::from_le_bytes(bytes).into()),
        ("<" | ">", "u8") => array.decode(|bytes| u64::from_le_bytes(bytes) as f64),
        ("<" | ">", "u4") => array.decode(|bytes| u32::from_le_bytes(bytes).into()),
        ("<" | ">", "u2") => array.decode(|bytes| u16::from_le_bytes(bytes).into()),
        ("<" | ">" | "|", "i1") => array.decode(|bytes| i8::from_le_bytes(bytes).into()),
        ("<" | ">" | "|", "u1" | "b1") => array.decode(|[byte]| byte.into()),
        _ => Err(mismatch("an array of f64, f32, booleans or integers", format!("values of type {kind}"))),
    }
}

/// The numbers of an array in memory whose type is that of SciPy's indices; none for other types and for negative ones.
pub(super) fn parse_indices(bytes: &[u8]) -> Result<Option<Vec<u32>>, Mismatch> {
    let (header, data) = split(bytes)?;
    let kind = kind_of(header)?;
    if !matches!(kind, "<i4" | "<u4") {
        return Ok(None);
    }
    let indices = Array { kind, length: length_of(header)?, data }.decode(u32::from_le_bytes)?;
    let is_sound = kind == "<u4" || indices.iter().fold(0, |all, &index| all | index) <= i32::MAX as u32;
    Ok(is_sound.then_some(indices))
}

/// The text of the header and the data after it.
pub(super) fn split(bytes: &[u8]) -> Result<(&str, &[u8]), Mismatch> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let found = if bytes.is_empty() { "an empty file" } else { "a file of another kind" };
        return Err(mismatch("a NumPy array", found));
    };
    let (length, rest) = match *rest {
        [1, 0, a, b, ref rest @ ..] => (u16::from_le_bytes([a, b]).into(), rest),
        [2 | 3, 0, a, b, c, d, ref rest @ ..] => (u32::from_le_bytes([a, b, c, d]), rest),
        [major, minor, _, ..] if !matches!((major, minor), (1..=3, 0)) => {
            return Err(mismatch("version 1.0, 2.0 or 3.0 of the format", format!("version {major}.{minor}")));
        }
        _ => return Err(mismatch("the header of a NumPy array", "the end of the file")),
    };
    let Some((text, data)) = rest.split_at_checked(length as usize) else {
        let found = format!("the end of the file after {}", rest.len());
        return Err(mismatch(format!("a header of {length} bytes"), found));
    };
    let text = str::from_utf8(text).map_err(|_| mismatch("a header in UTF-8", quote(text)))?;
    Ok((text, data))
}

/// What follows a key of the header, which is a Python dictionary.
fn value_of<'a>(key: &str, header: &'a str) -> Result<&'a str, Mismatch> {
    match header.split_once(&format!("'{key}':")) {
        Some((_, value)) => Ok(value.trim_start()),
        None => Err(mismatch(format!("a header with '{key}'"), quote(header.as_bytes()))),
    }
}

/// The type of the values, such as `<f8`.
fn kind_of(header: &str) -> Result<&str, Mismatch> {
    let value = value_of("descr", header)?;
    let quoted = value.strip_prefix('\'').and_then(|value| value.split_once('\''));
    match quoted {
        Some((kind, _)) => Ok(kind),
        None => Err(mismatch("values of one type, such as '<f8'", quote(value.as_bytes()))),
    }
}

/// The length of an array whose shape is (n,) or (n, 1). Its order makes no difference then.
fn length_of(header: &str) -> Result<u64, Mismatch> {
    let value = value_of("shape", header)?;
    let inside = value.strip_prefix('(').and_then(|value| value.split_once(')'));
    let Some((inside, _)) = inside else {
        return Err(mismatch("a shape, such as (3,)", quote(value.as_bytes())));
    };
    let mut lengths = inside.strip_suffix(',').unwrap_or(inside).split(',').map(|length| length.trim().parse());
    match (lengths.next(), lengths.next(), lengths.next()) {
        (Some(Ok(length)), None | Some(Ok(1)), None) => Ok(length),
        _ => Err(mismatch("an array of one dimension", format!("the shape ({inside})"))),
    }
}

/// What the header promises, and the data.
struct Array<'a> {
    kind: &'a str,
    length: u64,
    data: &'a [u8],
}

impl Array<'_> {
    /// Turns N little-endian bytes after the other into a number, if there are as many as promised.
    fn decode<T, const N: usize>(&self, convert: impl Fn([u8; N]) -> T + Sync) -> Result<Vec<T>, Mismatch>
    where
        T: Copy + Default + Send + Sync,
    {
        let promised = u128::from(self.length) * N as u128;
        if promised != self.data.len() as u128 {
            let expected = format!("{} values of type {} in {promised} bytes", self.length, self.kind);
            return Err(mismatch(expected, format!("{} bytes", self.data.len())));
        }
        let (numbers, _): (&[[u8; N]], _) = self.data.as_chunks();
        let mut decoded = vec![T::default(); numbers.len()]; // pages that the system zeroes when a thread first touches them
        let is_big_endian = self.kind.starts_with('>');
        parallel::for_each((numbers, decoded.as_mut_slice()), |(numbers, decoded)| {
            // No choice within the loop: what most files hold is copied as fast as memory is.
            if !is_big_endian {
                numbers.iter().zip(decoded).for_each(|(&bytes, number)| *number = convert(bytes));
                return;
            }
            for (&(mut bytes), number) in numbers.iter().zip(decoded) {
                bytes.reverse();
                *number = convert(bytes);
            }
        });
        Ok(decoded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A version 1 file with a header of our making.
    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
    }

    fn array(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        file(&format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n"), data)
    }

    fn read(bytes: &[u8]) -> Result<Vec<f64>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.npy");
        fs::write(&path, bytes).unwrap();
        let place = format!("{}: ", path.display());
        read_array(&path).map_err(|error| error.to_string().strip_prefix(&place).unwrap().to_string())
    }

    fn refusal(bytes: &[u8]) -> String {
        read(bytes).unwrap_err()
    }

    #[test]
    fn every_type_and_byte_order_is_understood() {
        let both = |kind: &str, little: &[u8], expected: f64| {
            let big: Vec<u8> = little.iter().rev().copied().collect();
            assert_eq!(read(&array(&format!("<{kind}"), "(1,)", little)), Ok(vec![expected]), "<{kind}");
            assert_eq!(read(&array(&format!(">{kind}"), "(1,)", &big)), Ok(vec![expected]), ">{kind}");
        };
        both("f8", &(-1.5f64).to_le_bytes(), -1.5);
        both("f4", &0.25f32.to_le_bytes(), 0.25);
        both("i8", &(-(1i64 << 40)).to_le_bytes(), -1_099_511_627_776.0);
        both("i4", &(-70_000i32).to_le_bytes(), -70_000.0);
        both("i2", &(-300i16).to_le_bytes(), -300.0);
        both("u8", &u64::MAX.to_le_bytes(), 18_446_744_073_709_551_615.0);
        both("u4", &u32::MAX.to_le_bytes(), 4_294_967_295.0);
        both("u2", &u16::MAX.to_le_bytes(), 65_535.0);
        assert_eq!(read(&array("|i1", "(2,)", &[0xff, 1])), Ok(vec![-1.0, 1.0]));
        assert_eq!(read(&array("|u1", "(2,)", &[0xff, 1])), Ok(vec![255.0, 1.0]));
        assert_eq!(read(&array("|b1", "(2,)", &[0, 1])), Ok(vec![0.0, 1.0]));
    }

    #[test]
    fn a_column_is_an_array_too() {
        assert_eq!(read(&array("|u1", "(3, 1)", &[1, 2, 3])), Ok(vec![1.0, 2.0, 3.0]));
        assert_eq!(read(&array("|u1", "(0,)", &[])), Ok(vec![]));
    }

    #[test]
    fn longer_headers_of_later_versions_are_read() {
        let mut bytes = array("|u1", "(1,)", &[7]);
        bytes.splice(6..8, [2, 0]);
        bytes.splice(10..10, [0, 0]);
        assert_eq!(read(&bytes), Ok(vec![7.0]));
    }

    #[test]
    fn other_files_are_refused() {
        assert_eq!(refusal(b""), "expected a NumPy array, found an empty file");
        assert_eq!(refusal(b"1.0 2.0\n"), "expected a NumPy array, found a file of another kind");
        let version = refusal(b"\x93NUMPY\x09\x00\x00\x00");
        assert_eq!(version, "expected version 1.0, 2.0 or 3.0 of the format, found version 9.0");
        assert_eq!(refusal(b"\x93NUMPY\x01"), "expected the header of a NumPy array, found the end of the file");
        let cut = refusal(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'des");
        assert_eq!(cut, "expected a header of 4294967295 bytes, found the end of the file after 5");
    }

    #[test]
    fn other_headers_are_refused() {
        assert_eq!(refusal(&file("{}", b"")), "expected a header with 'descr', found \"{}\"");
        assert_eq!(
            refusal(&file("{'descr': '<f8'}", b"")),
            "expected a header with 'shape', found \"{'descr': '<f8'}\""
        );
        assert_eq!(refusal(&file("\u{ff}", b"")), "expected a header with 'descr', found \"\u{ff}\"");
        assert_eq!(
            refusal(&file("{'descr': [('x', '<f8')], 'shape': (1,)}", b"")),
            "expected values of one type, such as '<f8', found \"[('x', '<f8')], 'shape': (1,)}\""
        );
        assert_eq!(refusal(&file("{'descr': '<f8', 'shape': 1}", b"")), "expected a shape, such as (3,), found \"1}\"");
    }

    #[test]
    fn other_arrays_are_refused() {
        let expected = "expected an array of f64, f32, booleans or integers, found values of type";
        for kind in ["<c16", "<f2", "|S8", "|O", "|f8", "", "\u{e9}"] {
            assert_eq!(refusal(&array(kind, "(1,)", b"")), format!("{expected} {kind}"));
        }
        for shape in ["()", "(2, 2)", "(1, 3)", "(1, 1, 1)", "(-1,)", "(x,)", "(99999999999999999999,)"] {
            let inside = shape.trim_matches(['(', ')']);
            let expected = format!("expected an array of one dimension, found the shape ({inside})");
            assert_eq!(refusal(&array("<f8", shape, b"")), expected);
        }
    }

    #[test]
    fn data_must_be_as_long_as_promised() {
        let expected = "expected 3 values of type <i4 in 12 bytes, found";
        assert_eq!(refusal(&array("<i4", "(3,)", &[0; 11])), format!("{expected} 11 bytes"));
        assert_eq!(refusal(&array("<i4", "(3,)", &[0; 13])), format!("{expected} 13 bytes"));
        assert_eq!(
            refusal(&array("<f8", "(18446744073709551615,)", &[0; 8])),
            "expected 18446744073709551615 values of type <f8 in 147573952589676412920 bytes, found 8 bytes"
        );
    }

    #[test]
    fn what_is_written_is_what_numpy_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.npy");
        write_array(&path, &[1.0, f64::NEG_INFINITY, f64::NAN]).unwrap();
        let text = format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }");
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes[..128], *[b"\x93NUMPY\x01\x00\x76\x00", text.as_bytes()].concat());
        let values = read_array(&path).unwrap();
        assert!(values[..2] == [1.0, f64::NEG_INFINITY] && values[2].is_nan());

        write_mask(&path, &[true, false]).unwrap();
        assert_eq!(read_array(&path).unwrap(), [1.0, 0.0]);
    }
}
