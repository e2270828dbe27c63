//! NumPy archives: arrays in an uncompressed ZIP file, as `numpy.savez` writes them.

use crate::Points;

/// `position` and `velocity`, one row per particle, `id` and `time`.
pub fn points<const D: usize>(points: &Points<'_, D>) -> Vec<u8> {
    let count = points.len();
    let rows = format!("({count}, {D})");
    let doubles = |rows: &[[f64; D]]| points.kept(rows).flatten().flat_map(|value| value.to_le_bytes()).collect();
    archive(&[
        ("position.npy", npy("<f8", &rows, doubles(points.position))),
        ("velocity.npy", npy("<f8", &rows, doubles(points.velocity))),
        ("id.npy", npy("<i8", &format!("({count},)"), points.ids().flat_map(i64::to_le_bytes).collect())),
        ("time.npy", npy("<f8", "()", points.time.to_le_bytes().to_vec())),
    ])
}

/// An array in the format NPY 1.0; `kind` is the type of its values in NumPy's letters.
fn npy(kind: &str, shape: &str, values: Vec<u8>) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // The magic, version, length, header and final line feed together have a multiple of 64 bytes.
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 11;
    header.extend(std::iter::repeat_n(' ', padded - header.len()));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values);
    bytes
}

/// A ZIP file of uncompressed members. Each must be smaller than 4 GiB: a hundred million particles.
fn archive(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let (offset, size) = (bytes.len() as u32, content.len() as u32);
        // Version 2.0, no flags, uncompressed, at 1980-01-01: the same data give the same bits.
        let mut common = Vec::new();
        for half in [20u16, 0, 0, 0, 0x21] {
            common.extend(half.to_le_bytes());
        }
        for word in [crc32fast::hash(content), size, size] {
            common.extend(word.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend(0u16.to_le_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(content);
        directory.extend(b"PK\x01\x02");
        directory.extend(20u16.to_le_bytes());
        directory.extend(&common);
        directory.extend([0; 10]); // no comment, disk 0, no attributes
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = bytes.len() as u32;
    let count = (members.len() as u16).to_le_bytes();
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count);
    bytes.extend(count);
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}
