//! Named arrays of small numbers in one piece of bytes.

use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use unstick_grid::Grid;

/// How every pack begins.
const MAGIC: &[u8; 16] = b"unstick view 1\n\0";

/// Bytes that a thread compresses at a time.
const PIECE: usize = 1 << 17;

/// How a gzip stream begins: deflated with the least effort, without a name and a time, from any system.
const GZIP: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];

/// Named arrays of small numbers and a few facts:
///
/// ```text
///     "unstick view 1\n\0"    16 bytes
///     length of the header     4 bytes, little-endian
///     header                   JSON, padded with spaces to a multiple of 4
///     arrays                   little-endian, each beginning at a multiple of 4
/// ```
///
/// The header lists the arrays: `name`, `type` (`u8`, `i8`, `u16`, `u32`), `width` (numbers per entry), `offset`
/// (from the end of the header), `count` (entries), and `lower` and `step`: a stored number n of component c stands
/// for `lower[c] + n * step[c]`.
#[derive(Clone, Debug)]
pub struct Pack {
    facts: Map<String, Value>,
    arrays: Vec<Value>,
    bytes: Vec<u8>,
}

impl Pack {
    /// A pack of one moment.
    pub fn new<const D: usize>(grid: &Grid<D>, frame: usize, time: f64) -> Self {
        let mut pack = Self { facts: Map::new(), arrays: Vec::new(), bytes: Vec::new() };
        pack.note("frame", frame);
        pack.note("time", time);
        pack.note("cells", grid.cells().to_vec());
        pack.note("spacing", grid.spacing());
        pack.note("origin", grid.origin().to_vec());
        pack
    }

    /// Adds a fact to the header.
    pub fn note(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.into(), value.into());
    }

    /// Positions as 16 bits of the extent of the grid along each axis.
    pub fn places<const D: usize>(&mut self, name: &str, grid: &Grid<D>, points: impl Iterator<Item = [f64; D]>) {
        let size = grid.cells().map(|count| count as f64 * grid.spacing());
        let step = size.map(|size| size / f64::from(u16::MAX));
        let origin = grid.origin();
        let mut bytes = Vec::with_capacity(2 * D * points.size_hint().0);
        for point in points {
            for axis in 0..D {
                let place = ((point[axis] - origin[axis]) / step[axis]).round() as u16;
                bytes.extend_from_slice(&place.to_le_bytes());
            }
        }
        self.add(name, "u16", D, bytes, &origin, &step);
    }

    /// Values as 8 bits between the two ends.
    pub fn levels(&mut self, name: &str, ends: [f64; 2], values: impl Iterator<Item = f64>) {
        let [lower, upper] = ends;
        let step = (upper - lower).max(f64::MIN_POSITIVE) / 255.0;
        let bytes = values.map(|value| ((value - lower) / step).round() as u8).collect();
        self.add(name, "u8", 1, bytes, &[lower], &[step]);
    }

    /// Unit vectors as 8 signed bits per component, four to an entry for the sake of alignment.
    pub fn directions(&mut self, name: &str, vectors: &[[f32; 3]]) {
        let entry = |[x, y, z]: &[f32; 3]| [*x, *y, *z, 0.0].map(|value| (value * 127.0).round() as i8 as u8);
        let entries: Vec<[u8; 4]> = vectors.iter().map(entry).collect();
        self.add(name, "i8", 4, entries.into_flattened(), &[0.0; 4], &[1.0 / 127.0; 4]);
    }

    /// Cells by their multi-indices.
    pub fn cells<const D: usize>(&mut self, name: &str, cells: &[[usize; D]]) {
        let bytes = cells.as_flattened().iter().flat_map(|&index| (index as u16).to_le_bytes()).collect();
        self.add(name, "u16", D, bytes, &[0.0; D], &[1.0; D]);
    }

    /// Triangles by the numbers of their vertices.
    pub fn triangles(&mut self, name: &str, triangles: &[[u32; 3]]) {
        let corners: Vec<[u8; 4]> = triangles.as_flattened().iter().map(|index| index.to_le_bytes()).collect();
        self.add(name, "u32", 3, corners.into_flattened(), &[0.0; 3], &[1.0; 3]);
    }

    fn add(&mut self, name: &str, kind: &str, width: usize, bytes: Vec<u8>, lower: &[f64], step: &[f64]) {
        let size = match kind {
            "u16" => 2,
            "u32" => 4,
            _ => 1,
        };
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.arrays.push(json!({
            "name": name,
            "type": kind,
            "width": width,
            "count": bytes.len() / (size * width),
            "offset": self.bytes.len(),
            "lower": lower,
            "step": step,
        }));
        self.bytes.extend(bytes);
    }

    /// All of it, as it is under the compression.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut facts = self.facts.clone();
        facts.insert("arrays".into(), Value::Array(self.arrays.clone()));
        let mut header = Value::Object(facts).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(4), b' ');
        [MAGIC, &(header.len() as u32).to_le_bytes()[..], &header, &self.bytes].concat()
    }

    /// All of it as gzip, which browsers undo on the way in. The least effort: the rest is in the quantising. All threads
    /// compress pieces of it, which make one stream.
    pub fn compress(&self) -> Vec<u8> {
        let bytes = self.to_bytes();
        let last = bytes.len().div_ceil(PIECE) - 1; // no pack is empty
        let pieces = bytes.par_chunks(PIECE).enumerate().map(|(number, piece)| deflate(piece, number == last));
        let pieces: Vec<(Vec<u8>, Hasher)> = pieces.collect();
        let (mut packed, mut sum) = (GZIP.to_vec(), Hasher::new());
        for (piece, of_piece) in &pieces {
            packed.extend_from_slice(piece);
            sum.combine(of_piece);
        }
        packed.extend([sum.finalize(), bytes.len() as u32].map(u32::to_le_bytes).as_flattened());
        packed
    }
}

/// A piece of a stream that ends at the border of a byte, and the sum of what is in it.
fn deflate(piece: &[u8], is_last: bool) -> (Vec<u8>, Hasher) {
    let mut sum = Hasher::new();
    sum.update(piece);
    let mut encoder = Compress::new(Compression::fast(), false);
    let mut packed = Vec::with_capacity(piece.len() + piece.len() / 8 + 64); // more than the worst case needs
    let flush = if is_last { FlushCompress::Finish } else { FlushCompress::Sync };
    encoder.compress_vec(piece, &mut packed, flush).expect("an encoder takes any bytes");
    debug_assert_eq!(encoder.total_in(), piece.len() as u64);
    (packed, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_back_within_half_a_step() {
        let grid = Grid::new([4, 2], 0.5, [1.0, -1.0]).unwrap();
        let points = [[1.0, -1.0], [2.9, -0.3], [3.0, 0.0]];
        let mut pack = Pack::new(&grid, 7, 0.25);
        pack.levels("speed", [0.0, 2.0], [0.0, 0.5, 2.0].into_iter());
        pack.places("position", &grid, points.into_iter());
        let bytes = pack.to_bytes();
        assert_eq!(&bytes[..16], MAGIC);
        let length = u32::from_le_bytes(bytes[16..20].try_into().unwrap()) as usize;
        assert_eq!(length % 4, 0);
        let header: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        assert_eq!((&header["frame"], &header["time"]), (&json!(7), &json!(0.25)));
        let array = &header["arrays"][1];
        assert_eq!((array["name"].as_str(), array["count"].as_u64()), (Some("position"), Some(3)));
        let data = &bytes[20 + length + array["offset"].as_u64().unwrap() as usize..];
        let (numbers, _) = data.as_chunks::<2>();
        for (place, point) in points.as_flattened().iter().enumerate() {
            let number = f64::from(u16::from_le_bytes(numbers[place]));
            let [lower, step] = ["lower", "step"].map(|key| array[key][place % 2].as_f64().unwrap());
            assert!((lower + number * step - point).abs() <= 0.5 * step + 1e-12);
        }
    }

    #[test]
    fn pieces_make_one_stream() {
        let grid = Grid::<2>::unit(8).unwrap();
        for count in [0, 1, PIECE, 3 * PIECE + 5] {
            let mut pack = Pack::new(&grid, 1, 0.0);
            // Some of it is noise, which does not become smaller.
            let value = |number: usize| ((number * number * 2_654_435_761) >> 13 & 0xff) as f64;
            pack.levels(
                "noise",
                [0.0, 255.0],
                (0..count).map(|number| if number % 3 == 0 { 7.0 } else { value(number) }),
            );
            let mut read = Vec::new();
            let packed = pack.compress();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*packed), &mut read).unwrap();
            assert!(read == pack.to_bytes(), "{count}");
        }
    }

    #[test]
    fn what_lies_beyond_the_ends_is_held_there() {
        let grid = Grid::<2>::unit(1).unwrap();
        let mut pack = Pack::new(&grid, 0, 0.0);
        pack.levels("speed", [0.0, 1.0], [-3.0, 9.0, f64::NAN].into_iter());
        pack.places("position", &grid, [[-1.0, 7.0]].into_iter());
        assert_eq!(pack.bytes, [0, 255, 0, 0, 0, 0, 255, 255]);
    }
}
